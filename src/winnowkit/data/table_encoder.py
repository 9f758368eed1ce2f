"""Tables of any kind for linear learners: numbers, categories, dates and free text as one sparse matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from winnowkit.core.columns import Column, ColumnTable, as_floats, columns_of, matched, position
from winnowkit.data.column_builder import Findings
from winnowkit.data.column_features import (
    CategoryFeatures,
    ColumnFeatures,
    DateFeatures,
    NumberFeatures,
    TextFeatures,
    joined,
)
from winnowkit.data.column_use import use_of, values_apart


@dataclass(kw_only=True, eq=False, repr=False)
class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn any table into numbers between 0 and 1 for a linear learner.

    The values of a column decide what becomes of it, by the same policy as for :class:`~winnowkit.DNFWinnow`:

    - numbers are scaled to [0, 1], and a few bounds such as ``age > 40`` are added;
    - categories (strings, booleans, pandas' categoricals) become one attribute each;
    - dates, also as ISO 8601 text, become ordered numbers, with bounds such as ``signed > 2021-03-04``;
    - free text (strings of several words that rarely repeat) becomes words and pairs of neighbouring words;
    - missing values become an attribute of their own, in columns where `fit` saw some;
    - identifiers, row numbers and constants are left out with a :class:`ColumnWarning`.

    Categories and words that `fit` did not see set no attribute. Where both tables name their columns, these are
    matched by name.

    Parameters
    ----------
    text : sequence of str or int, default=()
        Names or positions of columns that are free text, although they do not look like it.
    categorical : sequence of str or int, default=()
        Names or positions of columns whose numbers are codes, or whose strings look like text or identifiers and are
        categories.
    special : mapping of str or int to sequence of float, optional
        By the name or position of a column of numbers: numbers that are no quantities, such as -9 for "not asked". Each
        gets an attribute of its own.
    vectorizer : scikit-learn vectorizer, optional
        What becomes of free text; a copy is fitted to each such column. None stands for words, marks of punctuation
        and pairs of neighbours, 1 where they occur.

    Attributes
    ----------
    feature_names_ : list of str
        Names of the columns, "x0", "x1", ... where they have none.
    uses_ : dict of str to str
        What each column is used as: "number", "flag", "category", "time", "text", or the reason why it is left out.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    CategoryEncoder : Encodes tables for `DNFWinnow`.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from winnowkit import Committee
    >>> from winnowkit.data import TableEncoder
    >>> rows = [{"message": "win a prize now", "hour": 3}, {"message": "see you at noon", "hour": 11}] * 20
    >>> model = make_pipeline(TableEncoder(text=["message"]), Committee()).fit(rows, ["spam", "ham"] * 20)
    >>> model.predict([{"message": "a prize for you", "hour": 4}]).tolist()
    ['spam']
    >>> model[0].get_feature_names_out()[:4].tolist()
    ['message: a', 'message: a prize', 'message: at', 'message: at noon']
    """

    text: Sequence[str | int] = ()
    categorical: Sequence[str | int] = ()
    special: Mapping[str | int, Sequence[float]] | None = None
    vectorizer: Any = None

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - as scikit-learn calls it
        """Learn the range, the categories or the words of each column.

        Parameters
        ----------
        X : data frame, array, list of rows, list of dictionaries, or list of strings
            The table. A list of strings is a single column.
        y : ignored
            The classes do not matter.

        Returns
        -------
        self
            The encoder.
        """
        self._fit(columns_of(X, strings=True))
        return self

    def transform(self, X: Any) -> csr_matrix:
        """Return the attributes of each row.

        Parameters
        ----------
        X : data frame, array, list of rows, list of dictionaries, or list of strings
            The table.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (rows, attributes)
            Numbers between 0 and 1.
        """
        self._check_fitted()
        table = matched(columns_of(X, strings=True), self._names, self.n_features_in_, type(self).__name__)
        return self._joined(table)

    def fit_transform(self, X: Any, y: Any = None) -> csr_matrix:  # noqa: ARG002 - as scikit-learn calls it
        """Learn the columns, and return the attributes of the same rows.

        Parameters
        ----------
        X, y : table, ignored
            As for :meth:`fit`.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (rows, attributes)
            Numbers between 0 and 1.
        """
        table = columns_of(X, strings=True)
        self._fit(table)
        return self._joined(table)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002 - the names are ours
        """Return the names of the attributes: "age", "age > 40", "sky = blue", "message: call now".

        Parameters
        ----------
        input_features : ignored
            The names are those of the columns that `fit` saw.

        Returns
        -------
        array of str
            The names.
        """
        self._check_fitted()
        return np.array([name for features in self._features.values() for name in features.names], dtype=object)

    def _fit(self, table: ColumnTable) -> None:
        if not table.n_rows or not table.columns:
            shape, what = (table.n_rows, len(table.columns)), "feature(s)" if table.n_rows else "sample(s)"
            raise ValueError(f"Found array with 0 {what} (shape={shape}) while a minimum of 1 is required.")
        names = table.names or [f"x{j}" for j in range(len(table.columns))]
        declared = {position(names, column): "text" for column in self.text}
        declared.update({position(names, column): "category" for column in self.categorical})
        special = {position(names, column): values for column, values in (self.special or {}).items()}
        findings, uses, features = Findings(), {}, {}
        for j, (name, column) in enumerate(zip(names, table.columns, strict=True)):
            if j in special and column.kind != "number":
                raise ValueError(f"special values are for columns of numbers, and column {name!r} holds none")
            uses[name] = declared.get(j) or ("number" if j in special else use_of(name, column))
            if j not in declared:
                findings.look_at_text(name, column)
            made = self._made(name, column, uses[name], special.get(j, ()))
            if made is not None:
                features[j] = made
                if uses[name] == "number" and j not in special and (apart := values_apart(as_floats(column, name))):
                    findings.apart[name] = apart
            else:
                findings.leave_out(name, uses[name], column)
        findings.warn()
        if not features:
            raise ValueError(
                "no column is left to learn from; name columns of free text in text=[...] and columns of codes in "
                "categorical=[...]"
            )
        self.n_features_in_, self._names, self.feature_names_ = len(table.columns), table.names, names
        self.uses_, self._features = uses, features

    def _made(self, name: str, column: Column, use: str, special: Sequence[float]) -> ColumnFeatures | None:
        if use in ("number", "flag"):
            return NumberFeatures(name, column, special)
        if use == "time":
            return DateFeatures(name, column)
        if use == "category":
            return CategoryFeatures.of(name, column)
        return TextFeatures.of(name, column, self.vectorizer) if use == "text" else None

    def _joined(self, table: ColumnTable) -> csr_matrix:
        return joined(list(self._features.values()), [table.columns[j] for j in self._features], table.n_rows)

    def _check_fitted(self) -> None:
        if not hasattr(self, "_features"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_features")
