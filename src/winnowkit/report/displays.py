"""Plots for notebooks and papers, by scikit-learn's convention (`from_estimator`, `ax=`); they need matplotlib."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from winnowkit.core.optional import import_optional
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.report.held_out import Labelled
from winnowkit.report.mistakes_over_time import MistakeCurve, stream_of
from winnowkit.report.of_linear import LinearSubject
from winnowkit.report.surface import Surface, surface_of
from winnowkit.report.table import table_of
from winnowkit.rulesets.condition import in_words
from winnowkit.rulesets.intervals import Z95
from winnowkit.rulesets.ruleset import RuleSet
from winnowkit.rulesets.trade_off import TradeOff

TEAL, RUST, INK = "#0b6e6e", "#b4552d", "#1d2730"  # the colours of a report


class Display(ABC):
    """A plot: `ax_` are its axes and `figure_` its figure, once it is drawn."""

    ax_: Any
    figure_: Any

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
            The axes to draw on; None makes a new figure.

        Returns
        -------
        self
            The plot.
        """
        plt = import_optional("matplotlib.pyplot", "plots need matplotlib", "winnowkit[plot]")
        self.ax_ = plt.subplots()[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on these axes."""


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

    def _draw(self, ax: Any) -> None:
        places, labels = np.arange(len(self.rules)), []
        for place, rule in zip(places, self.rules, strict=True):
            precision, interval = rule.precision or 0.0, rule.precision_interval or (0.0, 0.0)
            ax.barh(place, precision, color=TEAL, alpha=0.55, height=0.6)
            ax.plot(interval, [place, place], color=INK, linewidth=1.5)
            labels.append(f"{in_words(rule.conditions)} → {rule.label} ({rule.support})")
        ax.set_xlim(0, 1)
        _named_bars(ax, labels, "share of right labels among the rows of the rule, with its 95% interval")


class TradeOffDisplay(Display):
    """Accuracy on rows held out against the number of rules and conditions, with a 95% band and the chosen point.

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

    def _draw(self, ax: Any) -> None:
        points, best = list(self.curve), self.curve.best
        xs = [point.complexity for point in points]
        ys = np.array([point.accuracy for point in points])
        half = Z95 * np.array([point.standard_error for point in points])
        ax.fill_between(xs, ys - half, ys + half, color=TEAL, alpha=0.16)
        ax.plot(xs, ys, "o-", color=TEAL, markerfacecolor="white")
        ax.plot(best.complexity, best.accuracy, "o", color=TEAL, markersize=9, label="chosen")
        ax.set(xlabel="rules and conditions", ylabel="accuracy on rows held out")
        ax.legend()


class MistakesDisplay(Display):
    """Mistakes of an on-line learner over time, beside the bound that a theorem gives, if there is one.

    Parameters
    ----------
    stream : MistakeCurve
        The mistakes.
    """

    def __init__(self, stream: MistakeCurve) -> None:
        self.stream = stream

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, *, n_rules: int = 1, ax: Any = None) -> Self:
        """Let a new learner with the same parameters see the rows once, in their order, and draw its mistakes.

        Parameters
        ----------
        estimator : linear learner or DNFWinnow
            The fitted learner, which stays as it is.
        X, y : array-like
            The rows and their labels.
        n_rules : int, default=1
            The size of the formula that the bound of a `DNFWinnow` is for.
        ax : matplotlib axes, optional
            The axes to draw on; None makes a new figure.

        Returns
        -------
        MistakesDisplay
            The plot.
        """
        data = Labelled(table_of(X), np.asarray(y))
        attributes = (lambda X: X) if isinstance(estimator, DNFWinnow) else LinearSubject(estimator).attributes
        return cls(stream_of(estimator, attributes, data, n_rules)).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        certificate = self.stream.certificate
        ax.plot(self.stream.rows, self.stream.mistakes, color=TEAL, label="mistakes")
        if certificate is not None and np.isfinite(certificate.bound):
            ax.axhline(certificate.bound, color=RUST, linestyle="--", label=f"bound: {certificate.theorem}")
        ax.set(xlabel="rows seen", ylabel="mistakes")
        ax.legend()


class WeightsDisplay(Display):
    """The heaviest attributes of a linear learner, with their names, the heaviest on top.

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

    def _draw(self, ax: Any) -> None:
        ax.barh(np.arange(len(self.names)), self.weights, color=np.where(self.weights >= 0, TEAL, RUST))
        _named_bars(ax, self.names, "what the attribute adds to the decision")


class WeightedSumDisplay(Display):
    """The weighted sum W of a `DNFWinnow` over its threshold theta, for all values of two columns.

    The colour is the logarithm of W / theta; a model of soft updates has log-odds instead. The line is where the
    prediction changes.

    Parameters
    ----------
    surface : Surface
        The decisions on a grid of values.
    """

    def __init__(self, surface: Surface) -> None:
        self.surface = surface

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        features: tuple[Any, Any],
        *,
        row: Any = None,
        label: Any = None,
        grid_resolution: int = 60,
        ax: Any = None,
    ) -> Self:
        """Compute the decisions for all values of two columns of a table, and draw them.

        Parameters
        ----------
        estimator : DNFWinnow
            The fitted model; any classifier of tables with a `decision_function` will do.
        X : array-like or data frame
            Rows, from which the values of the two columns are taken.
        features : pair of str or int
            The two columns, by name or position.
        row : mapping of str to value, optional
            Values of other columns; by default the most frequent category or the median of each.
        label : label, optional
            With more than two classes, the label whose sum is drawn; None is the second one.
        grid_resolution : int, default=60
            How many values of a column of numbers are tried.
        ax : matplotlib axes, optional
            The axes to draw on; None makes a new figure.

        Returns
        -------
        WeightedSumDisplay
            The plot.

        Examples
        --------
        >>> from winnowkit import DNFWinnow
        >>> from winnowkit.data import load_dataset
        >>> from winnowkit.report.displays import WeightedSumDisplay
        >>> voting = load_dataset("voting", as_frame=True)
        >>> model = DNFWinnow().partial_fit(voting.data, voting.target, classes=["democrat", "republican"])
        >>> columns = "physician-fee-freeze", "crime"
        >>> display = WeightedSumDisplay.from_estimator(model, voting.data, columns)
        >>> display.surface.decisions.shape
        (2, 2)
        """
        return cls(surface_of(estimator, X, features, row or {}, label, grid_resolution)).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        found = self.surface
        most = float(np.abs(found.decisions).max()) or 1.0
        (x_name, xs), (y_name, ys) = found.columns
        places = [values if found.is_number(k) else np.arange(len(values)) for k, values in enumerate((xs, ys))]
        image = ax.pcolormesh(*places, found.decisions, cmap="BrBG", vmin=-most, vmax=most, shading="nearest")
        if min(found.decisions.shape) > 1 and found.decisions.min() < 0 < found.decisions.max():
            ax.contour(*places, found.decisions, levels=[0.0], colors=INK, linewidths=1.2)
        ax.figure.colorbar(image, ax=ax, label=found.means)
        ax.set(xlabel=x_name, ylabel=y_name)
        for k, (axis, values) in enumerate(((ax.xaxis, xs), (ax.yaxis, ys))):
            if not found.is_number(k):
                axis.set_ticks(np.arange(len(values)), [str(value) for value in values])


def _named_bars(ax: Any, names: list[str], title: str) -> None:
    """Name horizontal bars, the first on top."""
    ax.set_yticks(np.arange(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlabel(title)
