"""A linear learner as the subject of a report, also behind an encoder of a table of categories."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone

from winnowkit.core.frame import Frame
from winnowkit.core.multiclass import class_of
from winnowkit.core.validation import column_names
from winnowkit.data.encode import CategoryEncoder
from winnowkit.data.indicators import indicators
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.linear.committee import Committee
from winnowkit.linear.committee_learner import CommitteeLearner
from winnowkit.linear.explanation import committee_amounts
from winnowkit.linear.scaled import AdaptiveWinnow, ScaledClassifier
from winnowkit.report.held_out import Labelled
from winnowkit.report.linear_export import export
from winnowkit.report.measures import Floats
from winnowkit.report.mistakes_over_time import MistakeCurve, stream_of
from winnowkit.report.of_rules import prefixes
from winnowkit.report.subject import Reason, RulePoint, Subject, anew, by_class, normalised, parameters_in_words
from winnowkit.report.table import Table, as_json
from winnowkit.rulesets.condition import Condition

MOST_ROWS = 2_000
"""Rows that contributions of attributes are averaged over."""


class LinearSubject(Subject):
    """A fitted linear learner.

    Parameters
    ----------
    model : LinearClassifier, ScaledClassifier or Committee
        The learner.
    encoder : CategoryEncoder, optional
        Turns a table of categories into the attributes that the learner takes; None if it takes the columns.
    names : list of str, optional
        Names of its attributes; None are those that it has learned.
    """

    share_means = (
        "the decision: how far the column moves it from its mean, on average over the rows; exact, as the decision is "
        "a sum over attributes"
    )

    def __init__(self, model: Any, encoder: CategoryEncoder | None = None, names: list[str] | None = None) -> None:
        super().__init__(model.classes_.tolist())
        self.model, self.encoder, self.names, self.kind = model, encoder, names, type(model).__name__

    def attributes(self, X: Any) -> Any:
        """Return rows as the learner takes them."""
        if self.encoder is not None:
            return indicators(self.encoder.transform(X), self.encoder.n_categories_)
        if isinstance(X, Frame):
            return Frame({name: np.nan_to_num(X[name]) for name in X.columns})
        return X

    def conditions(self, attribute: int, value: float = 1.0) -> list[Condition]:
        """Return what an attribute of the learner says about the columns of the table."""
        if self.encoder is None:
            return [Condition(str(column_names(self.model, self.names)[attribute]), "=", as_json(value))]
        ends = np.cumsum(self.encoder.n_categories_)
        j = int(np.searchsorted(ends, attribute, side="right"))
        code = attribute - int(ends[j] - self.encoder.n_categories_[j]) + 1
        return [Condition(self.encoder.feature_names_[j], *test) for test in self.encoder.tests(j, code)]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return one label per row."""
        labels: NDArray[Any] = self.model.predict(self.attributes(X))
        return labels

    def probabilities(self, X: Any) -> Floats | None:
        """Return the probabilities, if the learner has them."""
        has = hasattr(self.model, "predict_proba")
        found: Floats | None = self.model.predict_proba(self.attributes(X)) if has else None
        return found

    def scores(self, X: Any) -> Floats:
        """Return the decisions by class."""
        return by_class(self.model.decision_function(self.attributes(X)), len(self.classes))

    def refitted(self, table: Table, labels: NDArray[Any]) -> LinearSubject:
        """Return a learner with the same parameters, learned from these rows; an encoder is fitted anew, too."""
        encoder = None if self.encoder is None else clone(self.encoder).fit(table.native, labels)
        subject = LinearSubject(self.model, encoder, self.names)
        model = anew(self.model).fit(subject.attributes(table.native), labels)
        return LinearSubject(model, encoder, self.names)

    # --- what has been learned --------------------------------------------------------------------------------------

    def amounts(self, X: Any) -> list[csr_matrix]:
        """Return what each attribute of each row adds to the decision, one matrix per learner."""
        model = self.model
        rows = model._rows(model._validated(self.attributes(X), "no_validation", reset=False))
        shape = (len(rows.indptr) - 1, model.n_features_in_)
        if isinstance(model, Committee):
            return _of_committee(model, rows, shape)
        if isinstance(model, ScaledClassifier):
            values = _scaled(rows, model.largest_, unit=not isinstance(model, AdaptiveWinnow))
        else:
            values = rows.data if rows.binarize is None else (rows.data > rows.binarize).astype(np.float64)
        return [csr_matrix((values * coef[rows.indices], rows.indices, rows.indptr), shape) for coef in model.coef_]

    def shares(self, table: Table) -> Floats:
        """Return how far each column moves the decisions from their means, as shares."""
        some = table.take(np.linspace(0, table.n_rows - 1, min(table.n_rows, MOST_ROWS)).astype(np.intp))
        total = np.zeros(len(table.names))
        for added in self._by_column(some):
            total += mean_deviation(added)
        return normalised(total)

    def moved(self, table: Table) -> list[Floats]:
        """Return how far each column moves the decision on each row from its mean."""
        found = [added.toarray() for added in self._by_column(table)]
        return [added - added.mean(axis=0) for added in found]

    def _by_column(self, table: Table) -> list[csr_matrix]:
        """Return what each column of the table adds to the decisions on each row."""
        columns = self._columns_of_attributes(len(table.names))
        return [added @ columns for added in self.amounts(table.native)]

    def _columns_of_attributes(self, n_columns: int) -> csr_matrix:
        """Return which column each attribute belongs to, as a matrix."""
        counts = np.ones(n_columns, dtype=np.int64) if self.encoder is None else self.encoder.n_categories_
        columns = np.repeat(np.arange(n_columns), counts)
        return csr_matrix((np.ones(len(columns)), (np.arange(len(columns)), columns)), (len(columns), n_columns))

    def reasons(self, table: Table, rows: NDArray[np.intp]) -> list[list[Reason]]:
        """Return the three attributes of each row that add most to the decision for the label predicted."""
        if not len(rows):
            return []
        some = table.take(rows).native
        added, predicted, values = self.amounts(some), self.predicted(some), csr_matrix(self._matrix(some))
        found = []
        for i, code in enumerate(predicted.tolist()):
            k, sign = (0, 1 if code == 1 else -1) if len(added) == 1 else (code, 1)
            row = added[k][[i]].tocoo()
            best = np.argsort(-sign * row.data, kind="stable")[:3]
            found.append(
                [
                    Reason(self.conditions(int(row.col[p]), float(values[i, row.col[p]])), sign * float(row.data[p]))
                    for p in best
                    if row.data[p]
                ]
            )
        return found

    def _matrix(self, X: Any) -> Any:
        attributes = self.attributes(X)
        return attributes if hasattr(attributes, "tocsr") else np.asarray(attributes, dtype=np.float64)

    def points(self, table: Table, y: NDArray[Any]) -> list[RulePoint]:
        """Return the disjunction that the weights amount to, rule by rule, if the learner has one."""
        if not isinstance(self.model, LinearClassifier) or self.encoder is not None or self.names is not None:
            return []
        return prefixes(self.model.rules(self.attributes(table.native), y))

    def weights(self, most: int = 20) -> list[tuple[list[Condition] | str, Any, float]]:
        """Return the heaviest attributes, with the label that they speak for and how much they add."""
        if isinstance(self.model, Committee):
            weights = self.model.attribute_weights_
        else:
            weights = np.where(np.isfinite(self.model.coef_), self.model.coef_, 0.0)
        found: list[tuple[list[Condition] | str, Any, float]] = []
        for k, values in enumerate(weights):
            for j in np.argsort(-np.abs(values - np.median(values)), kind="stable")[:most].tolist():
                label = self.classes[class_of(k, len(weights))]
                what = str(column_names(self.model, self.names)[j]) if self.encoder is None else self.conditions(j)
                found.append((what, label, float(values[j])))
        return sorted(found, key=lambda item: -abs(item[2]))[:most]

    def linear(self, kept: NDArray[np.int64] | None = None) -> dict[str, Any] | None:
        """Return the learner, or its part for some attributes, unless it is too large."""
        return export(self.model, self.encoder, kept)

    def facts(self) -> list[tuple[str, str]]:
        """Return the parameters, and how the learner learned."""
        learned = f"{self.model.n_trials_:,}, counting every pass; {self.model.n_mistakes_:,} mistakes while learning"
        return [("Parameters", parameters_in_words(self.model)), ("Examples learned from", learned)]

    def stream(self, data: Labelled, n_rules: int) -> MistakeCurve:
        """Return the mistakes of such a learner on a stream of the rows."""
        return stream_of(self.model, self.attributes, data, n_rules)


def mean_deviation(added: csr_matrix) -> Floats:
    """Return the mean absolute distance of each column of a sparse matrix from its mean.

    Examples
    --------
    >>> mean_deviation(csr_matrix([[1.0, 0.0], [3.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    n_rows, mean = added.shape[0], np.asarray(added.mean(axis=0)).ravel()
    entries = added.tocsc()
    entries.sum_duplicates()
    columns = np.repeat(np.arange(entries.shape[1]), np.diff(entries.indptr))
    change = np.abs(entries.data - mean[columns]) - np.abs(mean[columns])  # the other rows are |mean| away
    total: Floats = n_rows * np.abs(mean) + np.bincount(columns, change, minlength=len(mean))
    return np.maximum(total, 0.0) / n_rows


def _scaled(rows: Any, largest: Floats, *, unit: bool) -> Floats:
    """Return the values of rows divided by the largest of their columns and, with `unit`, by the length of the row."""
    high = np.maximum(largest[rows.indices], np.abs(rows.data))
    x: Floats = np.divide(rows.data, high, out=np.zeros_like(rows.data), where=high > 0)
    if not unit:
        return x
    row = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
    length = np.sqrt(np.bincount(row, x * x, minlength=len(rows.indptr) - 1))[row]
    z: Floats = np.divide(x, length, out=np.zeros_like(x), where=length > 0)
    return z


def _of_committee(model: Committee, rows: Any, shape: tuple[int, int]) -> list[csr_matrix]:
    """Return the amounts of a committee of the built-in experts, row by row."""
    learner = model._learner
    if not isinstance(learner, CommitteeLearner):
        return [csr_matrix(shape)]
    parts = []
    for start, stop in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        one = rows._replace(data=rows.data[start:stop], indices=rows.indices[start:stop])
        parts.append(committee_amounts(learner, one)[:, 1:])
    data = np.concatenate(parts, axis=1)
    return [csr_matrix((added, rows.indices, rows.indptr), shape) for added in data]
