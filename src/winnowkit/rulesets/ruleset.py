"""An ordered list of rules, the first that holds deciding: a predictor of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from winnowkit.core.columns import Column, columns_of
from winnowkit.rulesets import text
from winnowkit.rulesets.condition import Condition
from winnowkit.rulesets.exports import code as export
from winnowkit.rulesets.exports import pmml
from winnowkit.rulesets.rule import Rule


@dataclass(frozen=True)
class Report:
    """How a rule set compares with the model that it came from, and with the labels, on the rows it was chosen by.

    Parameters
    ----------
    n_rows : int
        How many rows these were.
    agreement : float
        Share of them on which the rule set predicts as the model does.
    error : float, optional
        Share of them that it gets wrong, if labels were given.
    curve : sequence of float
        The same share (or without labels, that of disagreements) with the first 0, 1, 2, ... rules.

    See Also
    --------
    RuleSet : Has one, if it was measured beside a model.

    Examples
    --------
    >>> print(Report(n_rows=200, agreement=0.99, error=0.02, curve=[0.4, 0.1, 0.02]))
    agrees with the model on 99.00% of 200 rows, 2.00% wrong
    """

    n_rows: int
    agreement: float
    error: float | None
    curve: Sequence[float]

    def __str__(self) -> str:
        error = "" if self.error is None else f", {self.error:.2%} wrong"
        return f"agrees with the model on {self.agreement:.2%} of {self.n_rows} rows{error}"


@dataclass(frozen=True)
class RuleSet:
    """Rules in order: the first whose conditions hold names the label; if none does, the default.

    Parameters
    ----------
    rules : sequence of Rule
        The rules.
    default : str, bool, int or float
        The label if none holds.
    columns : sequence of str
        Names of the table's columns, in its order: what rows without names are read by.
    complete : bool
        Whether the search for rules went to its end.
    report : Report, optional
        How well it stands for a model.
    log_enough : float, optional
        Logarithm of the weight with which a rule alone decides in the model, where many rules add up their weights.

    See Also
    --------
    winnowkit.DNFWinnow.rules : The heaviest terms of a model.
    winnowkit.DNFWinnow.compact : A few that predict.

    Examples
    --------
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

    rules: Sequence[Rule]
    default: Any
    columns: Sequence[str]
    complete: bool = field(default=True, compare=False)
    report: Report | None = field(default=None, compare=False)
    log_enough: float | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "columns", tuple(self.columns))
        if isinstance(self.default, np.generic):
            object.__setattr__(self, "default", self.default.item())
        unknown = {c.column for rule in self.rules for c in rule.conditions} - set(self.columns)
        if unknown or len(set(self.columns)) < len(self.columns):
            raise ValueError(f"columns must differ and include those of the rules; got {self.columns}, not {unknown}")

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __getitem__(self, i: int) -> Rule:
        return self.rules[i]

    # --- predicting -------------------------------------------------------------------------------------------------

    def covers(self, X: Any) -> NDArray[np.bool_]:
        """Which rules hold on which rows of a table: (rows, rules).

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, columns)
            The table, with the columns that the rules know.

        Returns
        -------
        array of bool, shape (rows, rules)
            Whether a rule holds on a row.
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
        """Predict a label for each row of a table, as the model it came from takes it.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, columns)
            The table, with the columns that the rules know.

        Returns
        -------
        array of shape (rows,)
            A label a row: that of the first rule that holds, or the default.
        """
        labels = np.array([*(rule.label for rule in self.rules), self.default])
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
            That of the first rule that holds, or the default.
        """
        if not isinstance(row, Mapping):
            row = dict(zip(self.columns, row, strict=True))
        return next((rule.label for rule in self.rules if rule.holds(row)), self.default)

    def measured(self, X: Any, y: ArrayLike | None = None) -> RuleSet:
        """Measure the support of each rule on the rows of X, and with labels its precision.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (rows, columns)
            The table, with the columns that the rules know.
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
        if hasattr(X, "tocsc"):  # sparse: only the columns that rules ask for become dense
            if X.shape[1] != len(self.columns):
                raise ValueError(f"X has {X.shape[1]} columns, the rules know {len(self.columns)}")
            place = {name: j for j, name in enumerate(self.columns)}
            matrix = X.tocsc()
            used = {condition.column for rule in self.rules for condition in rule.conditions}
            return {name: Column(matrix[:, [place[name]]].toarray().ravel(), True) for name in used}, X.shape[0]
        table = columns_of(X)
        names = self.columns if table.names is None else table.names
        if len(names) != len(table.columns):
            raise ValueError(f"X has {len(table.columns)} columns, the rules know {len(names)}: {', '.join(names)}")
        by_name = dict(zip(names, table.columns, strict=True))
        absent = sorted({c.column for rule in self.rules for c in rule.conditions} - set(by_name))
        if absent:
            raise ValueError(f"X has no column {absent[0]!r}, which a rule asks for; it has {', '.join(by_name)}")
        return by_name, table.n_rows

    # --- showing ----------------------------------------------------------------------------------------------------

    def plot(self, ax: Any = None) -> Any:
        """Plot how the error falls with the number of rules (needs matplotlib: ``pip install winnowkit[plot]``).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib axes
            Where it was drawn.
        """
        if self.report is None:
            raise ValueError("there is nothing to plot: only compact() measures rules one by one")
        try:
            plt = import_module("matplotlib.pyplot")
        except ImportError as error:
            raise ImportError("plot needs matplotlib: pip install 'winnowkit[plot]'") from error
        ax = plt.subplots()[1] if ax is None else ax
        curve = np.array(self.report.curve)
        ax.step(np.arange(len(curve)), 100 * curve, where="post")
        ax.set_xlabel("rules")
        ax.set_ylabel("rows wrong, %" if self.report.error is not None else "rows unlike the model, %")
        ax.set_ylim(bottom=0)
        return ax

    def __str__(self) -> str:
        return text.table(self)

    def _repr_html_(self) -> str:
        return text.html_table(self)

    # --- out and in -------------------------------------------------------------------------------------------------

    def to_text(self) -> str:
        """Write the rules as lines that people can read and :meth:`from_text` reads back.

        Returns
        -------
        str
            A line a rule.
        """
        return text.to_text(self)

    @classmethod
    def from_text(cls, lines: str) -> RuleSet:
        """Read what :meth:`to_text` wrote, or a person did; weights and measures may be left out.

        Parameters
        ----------
        lines : str
            The text.

        Returns
        -------
        RuleSet
            The rules in it.
        """
        return cls(**text.from_text(lines))

    def to_json(self) -> str:
        """Write the rules as JSON, without the numbers of rows and mistakes.

        Returns
        -------
        str
            A JSON document.
        """
        return export.to_json(self)

    @classmethod
    def from_json(cls, document: str) -> RuleSet:
        """Read what :meth:`to_json` wrote.

        Parameters
        ----------
        document : str
            The JSON document.

        Returns
        -------
        RuleSet
            The rules in it.
        """
        return cls(**export.from_json(document))

    def to_sql(self, table: str | None = None, name: str = "prediction") -> str:
        """Write a standard SQL CASE expression; with a `table`, a query that adds it as the column `name`.

        Missing values are NULL in the database. Numeric columns are compared as double precision.

        Parameters
        ----------
        table : str, optional
            The table to query; None: the expression alone.
        name : str, default="prediction"
            Of the column that holds the label.

        Returns
        -------
        str
            The query or expression.
        """
        return export.to_sql(self, table, name)

    def to_python(self, name: str = "predict") -> str:
        """Write a Python function of a row (a mapping from column names to values) that needs no package.

        Parameters
        ----------
        name : str, default="predict"
            Of the function.

        Returns
        -------
        str
            Its source.
        """
        return export.to_python(self, name)

    def to_frame(self) -> Any:
        """Make a pandas frame, a row a rule; no cell of its text starts like a formula.

        Returns
        -------
        pandas.DataFrame
            A row a rule.
        """
        return export.to_frame(self)

    def to_pmml(self) -> str:
        """Write a PMML 4.4 RuleSetModel, in which the first rule that holds decides.

        Returns
        -------
        str
            An XML document.
        """
        return pmml.to_pmml(self)
