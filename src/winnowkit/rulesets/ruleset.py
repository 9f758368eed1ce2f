"""A rule set: an ordered list of rules that predicts by the first rule that holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from winnowkit.core.optional import import_optional
from winnowkit.core.reporting import write_report
from winnowkit.rulesets.coverage import coverage
from winnowkit.rulesets.intervals import laplace
from winnowkit.rulesets.leave_out import RuleCosts, first_holding, leave_one_out, redundant
from winnowkit.rulesets.rule_list import RuleList


@dataclass(frozen=True, repr=False)
class RuleSet(RuleList):
    """Rules in order: the first rule that holds gives the label, and the default does if none holds.

    Parameters
    ----------
    rules : sequence of Rule
        The rules.
    default : str, bool, int or float
        The label of rows on which no rule holds.
    columns : sequence of str
        Names of the table's columns, in their order, by which rows without names are read.
    default_decided : int, optional
        Number of rows on which no rule holds, among those that the rules were measured on.
    default_right : int, optional
        Number of these rows that have the default label.
    complete : bool
        Whether the search for rules came to its end; False if a limit of nodes or of time ended it.
    report : Report, optional
        How well the rule set stands for a model.
    log_enough : float, optional
        Logarithm of the weight with which a rule decides on its own in the model, which adds up the weights of
        many rules; infinite if none does, as weights multiply the odds.

    See Also
    --------
    winnowkit.DNFWinnow.rules : The heaviest terms of a model.
    winnowkit.DNFWinnow.compact : A few terms that predict.

    Examples
    --------
    >>> from winnowkit.rulesets import Condition, Rule
    >>> rule = Rule([Condition("x0", "=", "sunny"), Condition("x1", "<", 72.5)], "play")
    >>> rules = RuleSet([rule], default="stay", columns=["x0", "x1"])
    >>> rules.predict([["sunny", 70.0], ["sunny", 80.0], ["rain", None]])
    array(['play', 'stay', 'stay'], dtype='<U4')
    >>> rules.predict_one({"x0": "sunny", "x1": 60.0})
    'play'
    >>> print(rules.to_sql())
    CASE
      WHEN "x0" = 'sunny' AND "x1" < 72.5e0 THEN 'play'
      ELSE 'stay'
    END
    >>> RuleSet.from_text(rules.to_text()) == rules
    True
    """

    # --- predicting -------------------------------------------------------------------------------------------------

    def covers(self, X: Any) -> NDArray[np.bool_]:
        """Return which rules hold on which rows of a table.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, columns)
            The table, with the columns that the rules use.

        Returns
        -------
        array of bool, shape (rows, rules)
            Whether each rule holds on each row.
        """
        return coverage(self, X)

    def predict(self, X: Any, *, min_precision: float | None = None, abstain: Any = None) -> NDArray[Any]:
        """Predict one label per row of a table, in any form that the model of these rules accepts.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, columns)
            The table, with the columns that the rules use.
        min_precision : float, optional
            Abstain on rows whose label has a lower probability by :meth:`predict_proba`; None never abstains.
        abstain : object, optional
            The value that stands for a label on rows without one.

        Returns
        -------
        array of shape (rows,)
            One label per row: that of the first rule that holds, or the default.
        """
        first = first_holding(self.covers(X))
        if min_precision is None:
            predicted: NDArray[Any] = _array_of(self._labels())[first]
            return predicted
        if not 0 <= min_precision <= 1:
            raise ValueError(f"min_precision must be from 0 to 1, got {min_precision}")
        enough = self._smoothed() >= min_precision
        predicted = np.empty(len(first), dtype=object)
        labels = [label if sure else abstain for label, sure in zip(self._labels(), enough, strict=True)]
        predicted[:] = [labels[k] for k in first]
        return predicted

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels that the rules and the default predict, in ascending order if they have one."""
        distinct = tuple(dict.fromkeys(self._labels()))
        try:
            return tuple(sorted(distinct))
        except TypeError:  # strings and numbers
            return distinct

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        r"""Estimate the probability of each label on each row, from the rows that the rules were measured on.

        The label of a row has the share of right rows among all rows that its rule decided, smoothed by Laplace's
        estimate, (right + 1) / (decided + classes); the other classes have equal parts of the rest.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, columns)
            The table, with the columns that the rules use.

        Returns
        -------
        array of shape (rows, classes)
            The probabilities, with one column per label of :attr:`classes`. Each row adds up to 1.

        Examples
        --------
        >>> rules = RuleSet.from_text("if sky = sunny then play\nelse stay")
        >>> rules = rules.measured([["sunny"]] * 7 + [["rain"]] * 2, ["play"] * 6 + ["stay"] * 3)
        >>> rules.classes, rules.predict_proba([["sunny"], ["rain"]]).round(2).tolist()
        (('play', 'stay'), [[0.78, 0.22], [0.25, 0.75]])
        """
        classes, smoothed = self.classes, self._smoothed()
        if len(classes) == 1:
            smoothed = np.ones_like(smoothed)  # there is no other label to give the rest to
        others = (1 - smoothed) / max(1, len(classes) - 1)
        of_rule = np.repeat(others[:, None], len(classes), axis=1)
        of_rule[np.arange(len(smoothed)), self._codes()] = smoothed
        probabilities: NDArray[np.float64] = of_rule[first_holding(self.covers(X))]
        return probabilities

    def _labels(self) -> list[Any]:
        return [*(rule.label for rule in self.rules), self.default]

    def _smoothed(self) -> NDArray[np.float64]:
        """Return the smoothed share of right rows of each rule and of the default; raise ValueError without counts."""
        counts = [*((rule.right, rule.decided) for rule in self.rules), (self.default_right, self.default_decided)]
        n_classes = max(2, len(self.classes))
        known = [laplace(right, n, n_classes) for right, n in counts if right is not None and n is not None]
        if len(known) < len(counts):
            raise ValueError("probabilities need rules that were measured on labelled rows: call measured(X, y)")
        return np.array(known)

    def predict_one(self, row: Any) -> Any:
        """Predict the label of one row: a sequence of values, or a mapping from column names to values.

        Parameters
        ----------
        row : sequence or mapping
            The row.

        Returns
        -------
        label
            The label of the first rule that holds, or the default.
        """
        if not isinstance(row, Mapping):
            row = dict(zip(self.columns, row, strict=True))
        return next((rule.label for rule in self.rules if rule.holds(row)), self.default)

    def measured(self, X: Any, y: ArrayLike | None = None) -> RuleSet:
        """Measure the support of each rule on the rows of X and, given labels, its precision.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, columns)
            The table, with the columns that the rules use.
        y : array-like of shape (rows,), optional
            The labels.

        Returns
        -------
        RuleSet
            The same rules, with `support`, `precision`, `decided`, `right` and `rows`; without labels, `precision` and
            `right` are None.
        """
        covered = self.covers(X)
        target = None if y is None else self._targets(y, len(covered))
        codes, first = self._codes(), first_holding(covered)
        decided = np.bincount(first, minlength=len(codes)).tolist()
        right: list[int | None] = [None] * len(codes)
        if target is not None:
            right = list(np.bincount(first[codes[first] == target], minlength=len(codes)).tolist())
        rules = []
        for k, rule in enumerate(self.rules):
            rows = np.flatnonzero(covered[:, k])
            precision = None if target is None or not rows.size else float(np.mean(target[rows] == codes[k]))
            measures = {"support": rows.size, "precision": precision, "decided": decided[k], "right": right[k]}
            rules.append(replace(rule, **measures, rows=rows.tolist()))
        return replace(self, rules=rules, default_decided=decided[-1], default_right=right[-1])

    def costs(self, X: Any, y: ArrayLike) -> RuleCosts:
        """Measure the error without each rule, one after the other.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, columns)
            The table, with the columns that the rules use.
        y : array-like of shape (rows,)
            The labels.

        Returns
        -------
        RuleCosts
            The errors, as a table when printed.
        """
        covered = self.covers(X)
        if not len(covered):
            raise ValueError("X has no rows to measure the rules on")
        codes, target = self._codes(), self._targets(y, len(covered))
        errors, changed = leave_one_out(covered, codes, target)
        error = float(np.mean(codes[first_holding(covered)] != target))
        return RuleCosts(self.rules, len(covered), error, [wrong / len(covered) for wrong in errors], changed)

    def redundant(self, X: Any) -> list[int]:
        """Find rules that can all be left out together without changing the label of any row of X.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, columns)
            The table, with the columns that the rules use.

        Returns
        -------
        list of int
            Positions of the rules, in ascending order. The last rules are tried first.
        """
        return redundant(self.covers(X), self._codes())

    def without(self, *positions: int) -> RuleSet:
        """Leave out rules.

        Parameters
        ----------
        *positions : int
            Positions of the rules to leave out, from 0.

        Returns
        -------
        RuleSet
            The other rules. Each keeps its support and precision, but not what it decided, as other rules decide more
            rows now: measure again for probabilities.
        """
        unknown = [i for i in positions if not -len(self) <= i < len(self)]
        if unknown:
            raise IndexError(f"there are {len(self)} rules, counted from 0: none has the position {unknown[0]}")
        dropped = {i % len(self) for i in positions}
        rules = [replace(rule, decided=None, right=None) for i, rule in enumerate(self.rules) if i not in dropped]
        return replace(self, rules=rules, default_decided=None, default_right=None, report=None)

    def _codes(self) -> NDArray[np.intp]:
        """Return the position among the classes of the label of each rule and of the default."""
        codes = {label: code for code, label in enumerate(self.classes)}
        return np.array([codes[label] for label in self._labels()], dtype=np.intp)

    def _targets(self, y: ArrayLike, n_rows: int) -> NDArray[np.intp]:
        """Return the position among the classes of each row's label, or -1 for a label that no rule predicts."""
        labels = _array_of(list(y)) if isinstance(y, list | tuple) else np.asarray(y)
        if labels.shape != (n_rows,):
            raise ValueError(f"y must have one label per row, {n_rows} in all; got an array of shape {labels.shape}")
        targets = np.full(n_rows, -1, dtype=np.intp)
        for code, label in enumerate(self.classes):
            targets[labels == label] = code
        return targets

    # --- showing ----------------------------------------------------------------------------------------------------

    def to_report(
        self, X: Any, y: ArrayLike, X_test: Any = None, y_test: ArrayLike | None = None, **options: Any
    ) -> Any:
        """Write a report on these rules as one HTML page, measured on the rows of `X_test`, or else on those of X.

        Parameters
        ----------
        X, y : array-like
            Rows and their labels. Simple models to compare with learn from them.
        X_test, y_test : array-like, optional
            Rows that the rules were not chosen by, and their labels.
        **options : object
            `title`, `target`, `note`, `rows` and others; see :func:`winnowkit.report.report`.

        Returns
        -------
        winnowkit.report.ReportPage
            The page: ``save("report.html")`` writes it, and a notebook shows it.
        """
        return write_report(self, X, y, X_test, y_test, **options)

    def plot(self, ax: Any = None) -> Any:
        """Plot the error against the number of rules (needs matplotlib: ``pip install winnowkit[plot]``).

        Parameters
        ----------
        ax : matplotlib axes, optional
            The axes to draw on; None makes a new figure.

        Returns
        -------
        matplotlib axes
            The axes that were drawn on.
        """
        if self.report is None:
            raise ValueError("there is nothing to plot: only compact() measures the rules one by one")
        plt = import_optional("matplotlib.pyplot", "plot needs matplotlib", "winnowkit[plot]")
        ax = plt.subplots()[1] if ax is None else ax
        curve = np.array(self.report.curve)
        ax.step(np.arange(len(curve)), 100 * curve, where="post")
        ax.set_xlabel("rules")
        ax.set_ylabel("error, %" if self.report.error is not None else "rows that differ from the model, %")
        ax.set_ylim(bottom=0)
        return ax


def _array_of(labels: list[Any]) -> NDArray[Any]:
    """Make an array of labels: of objects if numpy's own type would turn 2 into "2" or cut off a final NUL."""
    array = np.array(labels)
    return array if array.tolist() == labels else np.array(labels, dtype=object)
