"""Plots for notebooks and papers, by scikit-learn's convention (`from_estimator`, `ax=`); they need matplotlib."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from winnowkit.core.optional import import_optional
from winnowkit.report.held_out import Labelled
from winnowkit.report.of_linear import LinearSubject
from winnowkit.report.stream import Stream, stream_of
from winnowkit.report.table import table_of
from winnowkit.rulesets.condition import in_words
from winnowkit.rulesets.intervals import Z95
from winnowkit.rulesets.ruleset import RuleSet
from winnowkit.rulesets.trade_off import TradeOff


class Display:
    """A plot that was drawn: `ax_` are its axes, and `figure_` its figure."""

    ax_: Any
    figure_: Any

    def _axes(self, ax: Any) -> Any:
        plt = import_optional("matplotlib.pyplot", "plots need matplotlib", "winnowkit[plot]")
        self.ax_ = plt.subplots()[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_


class RulesDisplay(Display):
    """Rules as a strip: one bar per rule with its precision, its interval and its conditions in words.

    Parameters
    ----------
    rules : RuleSet
        Measured rules (:meth:`winnowkit.rulesets.RuleSet.measured`).
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    @classmethod
    def from_rules(cls, rules: RuleSet, X: Any, y: ArrayLike, *, ax: Any = None) -> Self:
        """Measure rules on some rows and draw them.

        Parameters
        ----------
        rules : RuleSet
            The rules.
        X, y : array-like
            The rows and their labels.
        ax : matplotlib axes, optional
            The axes to draw on; None makes a new figure.

        Returns
        -------
        RulesDisplay
            The plot.
        """
        return cls(rules.measured(X, y)).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the rules, the first on top.

        Parameters
        ----------
        ax : matplotlib axes, optional
            The axes to draw on; None makes a new figure.

        Returns
        -------
        RulesDisplay
            The plot.
        """
        ax = self._axes(ax)
        places, labels = np.arange(len(self.rules)), []
        for place, rule in zip(places, self.rules, strict=True):
            precision, interval = rule.precision or 0.0, rule.precision_interval or (0.0, 0.0)
            ax.barh(place, precision, color="#0b6e6e", alpha=0.55, height=0.6)
            ax.plot(interval, [place, place], color="#1d2730", linewidth=1.5)
            labels.append(f"{in_words(rule.conditions)} → {rule.label} ({rule.support})")
        ax.set_yticks(places, labels)
        ax.invert_yaxis()
        ax.set_xlim(0, 1)
        ax.set_xlabel("share of right labels among the rows of the rule, with its 95% interval")
        return self


class TradeOffDisplay(Display):
    """Accuracy on rows held out against the number of rules and conditions.

    Parameters
    ----------
    curve : TradeOff
        The rule sets.
    """

    def __init__(self, curve: TradeOff) -> None:
        self.curve = curve

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Any = None) -> Self:
        """Compute the trade-off of a `DNFWinnow` on some rows and draw it.

        Parameters
        ----------
        estimator : DNFWinnow
            The fitted model.
        X, y : array-like
            The rows and their labels.
        ax : matplotlib axes, optional
            The axes to draw on; None makes a new figure.

        Returns
        -------
        TradeOffDisplay
            The plot.
        """
        return cls(estimator.trade_off(X, y)).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the curve with a 95% band, and the chosen point.

        Parameters
        ----------
        ax : matplotlib axes, optional
            The axes to draw on; None makes a new figure.

        Returns
        -------
        TradeOffDisplay
            The plot.
        """
        ax, points, best = self._axes(ax), list(self.curve), self.curve.best
        xs = [point.complexity for point in points]
        ys = np.array([point.accuracy for point in points])
        half = Z95 * np.array([point.standard_error for point in points])
        ax.fill_between(xs, ys - half, ys + half, color="#0b6e6e", alpha=0.16)
        ax.plot(xs, ys, "o-", color="#0b6e6e", markerfacecolor="white")
        ax.plot(best.complexity, best.accuracy, "o", color="#0b6e6e", markersize=9, label="chosen")
        ax.set_xlabel("rules and conditions")
        ax.set_ylabel("accuracy on rows held out")
        ax.legend()
        return self


class MistakesDisplay(Display):
    """Mistakes of an on-line learner over time, beside the bound that a theorem gives.

    Parameters
    ----------
    stream : Stream
        The mistakes.
    """

    def __init__(self, stream: Stream) -> None:
        self.stream = stream

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Any = None) -> Self:
        """Let a new learner with the same parameters see the rows once, in their order, and draw its mistakes.

        Parameters
        ----------
        estimator : linear learner
            The fitted learner, which stays as it is.
        X, y : array-like
            The rows and their labels.
        ax : matplotlib axes, optional
            The axes to draw on; None makes a new figure.

        Returns
        -------
        MistakesDisplay
            The plot.
        """
        data = Labelled(table_of(X), np.asarray(y))
        return cls(stream_of(estimator, LinearSubject(estimator).attributes, data)).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the mistakes and, if there is one, the bound.

        Parameters
        ----------
        ax : matplotlib axes, optional
            The axes to draw on; None makes a new figure.

        Returns
        -------
        MistakesDisplay
            The plot.
        """
        ax, certificate = self._axes(ax), self.stream.certificate
        ax.plot(self.stream.rows, self.stream.mistakes, color="#0b6e6e", label="mistakes")
        if certificate is not None and np.isfinite(certificate.bound):
            ax.axhline(certificate.bound, color="#b4552d", linestyle="--", label=f"bound: {certificate.theorem}")
        ax.set_xlabel("rows seen")
        ax.set_ylabel("mistakes")
        ax.legend()
        return self


class WeightsDisplay(Display):
    """The heaviest attributes of a linear learner, with their names.

    Parameters
    ----------
    names : list of str
        The attributes.
    weights : array-like of float
        What each adds to the decision.
    """

    def __init__(self, names: list[str], weights: ArrayLike) -> None:
        self.names, self.weights = names, np.asarray(weights, dtype=np.float64)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, names: list[str] | None = None, max_attributes: int = 20, ax: Any = None
    ) -> Self:
        """Draw the heaviest attributes of a learner.

        Parameters
        ----------
        estimator : linear learner or Committee
            The fitted learner.
        names : list of str, optional
            Names of all attributes; by default those of the columns.
        max_attributes : int, default=20
            How many are drawn.
        ax : matplotlib axes, optional
            The axes to draw on; None makes a new figure.

        Returns
        -------
        WeightsDisplay
            The plot.
        """
        found = LinearSubject(estimator, names=names).weights(max_attributes)
        several = len(estimator.classes_) > 2
        shown = [f"{what} ({label})" if several else str(what) for what, label, _ in found]
        return cls(shown, [weight for *_, weight in found]).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw one bar per attribute, the heaviest on top.

        Parameters
        ----------
        ax : matplotlib axes, optional
            The axes to draw on; None makes a new figure.

        Returns
        -------
        WeightsDisplay
            The plot.
        """
        ax, places = self._axes(ax), np.arange(len(self.names))
        ax.barh(places, self.weights, color=np.where(self.weights >= 0, "#0b6e6e", "#b4552d"))
        ax.set_yticks(places, self.names)
        ax.invert_yaxis()
        ax.set_xlabel("what the attribute adds to the decision")
        return self
