"""A rule set: an ordered list of rules that predicts by the first rule that holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from winnowkit.core.columns import Column, columns_of
from winnowkit.core.optional import import_optional
from winnowkit.core.sparse import check_sparse
from winnowkit.rulesets.condition import Condition
from winnowkit.rulesets.rule_list import RuleList


@dataclass(frozen=True)
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
    complete : bool
        Whether the search for rules was exhaustive.
    report : Report, optional
        How well the rule set stands for a model.
    log_enough : float, optional
        Logarithm of the weight with which a rule decides on its own in the model, which adds up the weights of
        many rules.

    See Also
    --------
    winnowkit.DNFWinnow.rules : The heaviest terms of a model.
    winnowkit.DNFWinnow.compact : A few terms that predict.

    Examples
    --------
    >>> from winnowkit.rulesets import Rule
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
        by_name, n_rows = self._columns_of(X)
        known: dict[Condition, NDArray[np.bool_]] = {}
        covered = np.ones((n_rows, len(self.rules)), dtype=np.bool_)
        for k, rule in enumerate(self.rules):
            for condition in rule.conditions:
                if condition not in known:
                    known[condition] = condition.among(by_name[condition.column])
                covered[:, k] &= known[condition]
        return covered

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict one label per row of a table, in any form that the model of these rules accepts.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, columns)
            The table, with the columns that the rules use.

        Returns
        -------
        array of shape (rows,)
            One label per row: that of the first rule that holds, or the default.
        """
        labels = _array_of([*(rule.label for rule in self.rules), self.default])
        covered = self.covers(X)
        first = np.where(covered.any(axis=1), covered.argmax(axis=1) if len(self) else 0, len(self))
        predicted: NDArray[Any] = labels[first]
        return predicted

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
            The same rules, with `support`, `precision` and `rows`.
        """
        covered = self.covers(X)
        labels = None if y is None else np.asarray(y)
        rules = []
        for k, rule in enumerate(self.rules):
            rows = np.flatnonzero(covered[:, k])
            right = None if labels is None or not rows.size else float(np.mean(labels[rows] == rule.label))
            rules.append(replace(rule, support=rows.size, precision=right, rows=rows.tolist()))
        return replace(self, rules=rules)

    def _columns_of(self, X: Any) -> tuple[dict[str, Column], int]:
        if hasattr(X, "tocsc"):  # sparse: only the columns that the rules use become dense
            check_sparse(X)
            if X.shape[1] != len(self.columns):
                raise ValueError(f"X has {X.shape[1]} columns, but the rules expect {len(self.columns)}")
            place = {name: j for j, name in enumerate(self.columns)}
            matrix = X.tocsc()
            used = {condition.column for rule in self.rules for condition in rule.conditions}
            return {name: Column(matrix[:, [place[name]]].toarray().ravel(), "number") for name in used}, X.shape[0]
        table = columns_of(X)
        names = self.columns if table.names is None else table.names
        if len(names) != len(table.columns):
            raise ValueError(
                f"X has {len(table.columns)} columns, but the rules expect {len(names)}: {', '.join(names)}"
            )
        by_name = dict(zip(names, table.columns, strict=True))
        absent = sorted({c.column for rule in self.rules for c in rule.conditions} - set(by_name))
        if absent:
            raise ValueError(f"X has no column {absent[0]!r}, which a rule uses; its columns are {', '.join(by_name)}")
        return by_name, table.n_rows

    # --- showing ----------------------------------------------------------------------------------------------------

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
