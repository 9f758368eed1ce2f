"""Encode tables of categories: 0 where nothing is specified, 1 ... k_j for the categories of column j.

Tao & Scott (2004), sections 2.1 (0 = unspecified), 5.1 (numbers are cut into intervals) and 5.2 (missing values).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from winnowkit.core.columns import Column, ColumnTable, columns_of
from winnowkit.data.coders import MISSING, UNSEEN, BooleanCoder, CategoryCoder, Coder, Codes, IntervalCoder, informative
from winnowkit.data.discretize import MultisplitDiscretizer

WAYS = ("informative", "ignore", "value", "most_frequent")


@dataclass(kw_only=True, eq=False, repr=False)
class CategoryEncoder(BaseEstimator):
    """Encode a table as integer codes for a learner of terms over categories.

    Integers, booleans and strings are categories. Floating-point columns, and those named in `numeric`, are cut into
    intervals by `MultisplitDiscretizer`, on the rows given to `fit`. None, NaN, NA, NaT and "?" are missing values; so
    is, after `fit`, a category that `fit` did not see. Where both tables name their columns, these are matched by name.

    Parameters
    ----------
    missing : {"informative", "ignore", "value", "most_frequent"}, default="informative"
        The treatment of missing values. "ignore": the column is unspecified (code 0), so that no term that asks for it
        is satisfied. "value": a category of its own, if `fit` saw a missing value in that column. "informative":
        likewise, but only in columns whose missing values depend on the class by a test at the 1% level
        (:func:`winnowkit.data.coders.informative`); unspecified elsewhere. "most_frequent": in training rows only
        (those whose class is given), the most frequent value of the column in the row's class. Tao & Scott use
        "ignore" and "most_frequent".
    numeric : sequence of str or int, default=()
        Names or positions of further columns that hold numbers to be cut into intervals.
    monotone : bool, default=False
        Whether columns are boolean and 0 says nothing: 0 is unspecified, 1 is the only category, and any other value is
        an error. Terms then have no negations, and there are 2^n of them.
    forbid : sequence, default=()
        What no term may ask for: columns, by name or position, or single values of them, as pairs (column, value). A
        forbidden value is unspecified.
    cuts : MultisplitDiscretizer, optional
        How numeric columns are cut; None stands for one with default parameters. A copy of it is fitted.

    Attributes
    ----------
    categories_ : list of lists
        Categories of each column, in the order of their codes from 1: values; interval names where numeric; and None,
        as the last, where missing values are a category.
    n_categories_ : int64 array
        The number k_j of categories of each column.
    feature_names_ : list of str
        Names of the columns, "x0", "x1", ... where they have none.
    n_allowed_ : int64 array
        The number of categories of each column that are not forbidden: there are prod(allowed + 1) terms.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    winnowkit.DNFWinnow : Takes it as its parameter `encoder`.
    MultisplitDiscretizer : How numeric columns are cut.

    Examples
    --------
    >>> from winnowkit.data import CategoryEncoder
    >>> encoder = CategoryEncoder(missing="ignore")
    >>> encoder.fit_transform([["sunny", 1], ["rain", 2], ["?", 2]], ["no", "yes", "yes"])
    array([[2, 1],
           [1, 2],
           [0, 2]], dtype=int32)
    >>> encoder.describe(0, 2), encoder.n_categories_.tolist()
    ('x0 = sunny', [2, 2])
    >>> encoder.transform([["snow", 2]])
    array([[0, 2]], dtype=int32)
    """

    missing: str = "informative"
    numeric: Sequence[str | int] = ()
    monotone: bool = False
    forbid: Sequence[Any] = ()
    cuts: MultisplitDiscretizer | None = None

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn the categories of each column.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table.
        y : array-like of shape (rows,), optional
            The class of each row; needed to cut numbers, and for `missing` "informative" and "most_frequent".

        Returns
        -------
        self
            The encoder.
        """
        self._fit(columns_of(X), y)
        return self

    def transform(self, X: Any, y: ArrayLike | None = None) -> Codes:
        """Encode a table.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table.
        y : array-like of shape (rows,), optional
            The class of each row, for training rows only: with ``missing="most_frequent"`` their missing values are
            replaced by the most frequent value of their class.

        Returns
        -------
        int32 array of shape (rows, columns)
            The codes.
        """
        return self._transform(self._matched(columns_of(X)), y)

    def fit_transform(self, X: Any, y: ArrayLike | None = None) -> Codes:
        """Learn the categories, and encode the same rows as training rows.

        Parameters
        ----------
        X, y : array-like
            As for :meth:`fit`.

        Returns
        -------
        int32 array of shape (rows, columns)
            The codes.
        """
        table = columns_of(X)
        self._fit(table, y)
        return self._transform(table, y)

    def transform_one(self, row: Any, y: Any = None) -> Codes:
        """Encode one row.

        Parameters
        ----------
        row : sequence or mapping
            The values; or values by column name, where an absent name is a missing value.
        y : label, optional
            The class of a training row.

        Returns
        -------
        int32 array of shape (columns,)
            The codes.

        Examples
        --------
        >>> encoder = CategoryEncoder(missing="ignore").fit([["sunny", 1], ["rain", 2]])
        >>> encoder.transform_one(["rain", None]), encoder.transform_one({"x1": 2})
        (array([1, 0], dtype=int32), array([0, 2], dtype=int32))
        """
        self._check_fitted()
        if isinstance(row, Mapping):
            row = [row.get(name) for name in self.feature_names_]
        if len(row) != self.n_features_in_:
            raise ValueError(self._wrong_width(len(row)))
        codes = np.array([coder.code(value) for coder, value in zip(self._coders, row, strict=True)], dtype=np.int32)
        return self._completed(codes[None], None if y is None else np.array([y])).ravel()

    def describe(self, column: str | int, code: int) -> str:
        """Describe a code of a column in words: "outlook = sunny", "2.45 <= petal length < 4.75".

        Parameters
        ----------
        column : str or int
            The name or position of the column.
        code : int
            One of its codes.

        Returns
        -------
        str
            The description.
        """
        self._check_fitted()
        j = self._position(column)
        name = self.feature_names_[j]
        if not 0 <= code <= self.n_categories_[j]:
            raise ValueError(f"column {name!r} has codes 0 to {self.n_categories_[j]}, got {code}")
        if code == 0:
            return f"{name} unspecified"
        if self._with_missing[j] and code == self.n_categories_[j]:
            return f"{name} missing"
        return self._coders[j].describe(code)

    def tests(self, column: int, code: int) -> list[tuple[str, Any]]:
        """List the comparisons of the raw value, as (operator, value), that hold where a column has this code.

        Parameters
        ----------
        column : int
            The position of the column.
        code : int
            One of its codes.

        Returns
        -------
        list of tuple
            The comparisons; all of them hold.

        Examples
        --------
        >>> CategoryEncoder(missing="ignore").fit([["sunny", 1], ["rain", 2]]).tests(0, 2)
        [('=', 'sunny')]
        """
        missing = self._with_missing[column] and code == self.n_categories_[column]
        return [("missing", None)] if missing else self._coders[column].tests(code)

    def code_of(self, column: str | int, value: Any) -> tuple[int, int]:
        """Return the position of a column and the code of a value in it; a value that `fit` did not see is an error.

        Parameters
        ----------
        column : str or int
            The name or position of the column.
        value : object
            A value of it.

        Returns
        -------
        tuple of int
            The position and the code.

        Examples
        --------
        >>> CategoryEncoder(missing="ignore").fit([["sunny", 1], ["rain", 2]]).code_of("x0", "sunny")
        (0, 2)
        """
        self._check_fitted()
        j = self._position(column)
        code = self._coders[j].code(value)
        if code == MISSING and self._with_missing[j]:
            code = int(self.n_categories_[j])
        if code < 1:
            shown = ", ".join(map(repr, self.categories_[j][:10]))
            raise ValueError(f"column {self.feature_names_[j]!r} has no category {value!r}; it has {shown}")
        return j, int(code)

    def is_forbidden(self, column: int, code: int) -> bool:
        """Tell whether no term may ask for this code of a column.

        Parameters
        ----------
        column : int
            The position of the column.
        code : int
            One of its codes.

        Returns
        -------
        bool
            Whether it is forbidden.
        """
        return any(pair in self._forbidden for pair in ((column, 0), (column, code)))

    def check(self) -> None:
        """Raise ValueError if a parameter that does not depend on the data is wrong."""
        if self.missing not in WAYS:
            raise ValueError(f"missing must be one of {', '.join(map(repr, WAYS))}; got {self.missing!r}")

    def _fit(self, table: ColumnTable, y: ArrayLike | None) -> None:
        self.check()
        if not table.n_rows or not table.columns:
            shape, what = (table.n_rows, len(table.columns)), "feature(s)" if table.n_rows else "sample(s)"
            raise ValueError(f"Found array with 0 {what} (shape={shape}) while a minimum of 1 is required.")
        labels = None if y is None else _labels(y, table.n_rows)
        if labels is None and self.missing in ("most_frequent", "informative"):
            raise ValueError(f'missing="{self.missing}" needs the class of each row: fit(X, y)')
        self.n_features_in_ = len(table.columns)
        self._names = table.names
        self.feature_names_ = table.names or [f"x{j}" for j in range(self.n_features_in_)]
        numeric = {self._position(column) for column in self.numeric}
        self._coders = [
            self._coder(name, column, column.floating or j in numeric, labels)
            for j, (name, column) in enumerate(zip(self.feature_names_, table.columns, strict=True))
        ]
        self._with_missing = np.zeros(self.n_features_in_, dtype=bool)
        self._modes: dict[Any, Codes] = {}
        if self.missing != "ignore" and not self.monotone:
            codes = self._codes(table)
            if self.missing == "value":
                self._with_missing = (codes == MISSING).any(axis=0)
            elif self.missing == "informative" and labels is not None:
                self._with_missing = informative(codes == MISSING, labels)
            elif labels is not None:
                self._modes = {label: _modes(codes[labels == label]) for label in np.unique(labels).tolist()}
        self.categories_ = [
            [*coder.categories, None] if extra else list(coder.categories)
            for coder, extra in zip(self._coders, self._with_missing, strict=True)
        ]
        self.n_categories_ = np.array([len(categories) for categories in self.categories_], dtype=np.int64)
        self._forbidden = sorted({self._forbid(entry) for entry in self.forbid})
        gone = {(j, code) for j, code in self._forbidden if code} | {
            (j, code) for j, every in self._forbidden if not every for code in range(1, self.n_categories_[j] + 1)
        }
        self.n_allowed_ = self.n_categories_ - np.bincount([j for j, _ in gone], minlength=self.n_features_in_)
        if gone and not self.n_allowed_.any():
            raise ValueError("forbid excludes every column; leave at least one value to learn from")

    def _forbid(self, entry: Any) -> tuple[int, int]:
        """Position and code of an entry of `forbid`; code 0 stands for the whole column."""
        if isinstance(entry, tuple):
            if len(entry) != 2:
                raise ValueError(f"forbid must hold columns, or pairs (column, value); got {entry!r}")
            return self.code_of(*entry)
        return self._position(entry), 0

    def _coder(self, name: str, column: Column, numeric: bool, labels: NDArray[Any] | None) -> Coder:
        if self.monotone:
            return BooleanCoder(name)
        if not numeric:
            return CategoryCoder(name, column)
        return IntervalCoder(name, column, labels, self.cuts or MultisplitDiscretizer())

    def _transform(self, table: ColumnTable, y: ArrayLike | None) -> Codes:
        return self._completed(self._codes(table), None if y is None else _labels(y, table.n_rows))

    def _completed(self, codes: Codes, labels: NDArray[Any] | None) -> Codes:
        """Treat missing values as `missing` says, in place; unseen categories then count as missing values."""
        for extra in np.flatnonzero(self._with_missing).tolist():
            codes[codes[:, extra] == MISSING, extra] = self.n_categories_[extra]
        codes[codes == UNSEEN] = MISSING
        if labels is not None:
            for label, modes in self._modes.items():
                rows = labels == label
                codes[rows] = np.where(codes[rows] == MISSING, modes, codes[rows])
        for j, code in self._forbidden:
            codes[codes[:, j] == code if code else slice(None), j] = 0
        return codes

    def _codes(self, table: ColumnTable) -> Codes:
        codes = np.empty((table.n_rows, self.n_features_in_), dtype=np.int32)
        for j, (coder, column) in enumerate(zip(self._coders, table.columns, strict=True)):
            codes[:, j] = coder.codes(column)
        return codes

    def _matched(self, table: ColumnTable) -> ColumnTable:
        """Return the table with its columns in the order of `fit`."""
        self._check_fitted()
        if self._names is not None and table.names is not None and self._names != table.names:
            absent = [name for name in self._names if name not in table.names]
            unknown = [name for name in table.names if name not in self._names]
            if absent or unknown:
                raise ValueError(f"the columns must be those of fit; absent: {absent}, unknown: {unknown}")
            by_name = dict(zip(table.names, table.columns, strict=True))
            return table._replace(columns=[by_name[name] for name in self._names])
        if len(table.columns) != self.n_features_in_:
            raise ValueError(self._wrong_width(len(table.columns)))
        return table

    def _wrong_width(self, width: int) -> str:
        return f"X has {width} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input"

    def _position(self, column: str | int) -> int:
        if isinstance(column, str):
            if column not in self.feature_names_:
                raise ValueError(f"there is no column {column!r} among {', '.join(self.feature_names_)}")
            return self.feature_names_.index(column)
        if not 0 <= column < self.n_features_in_:
            raise ValueError(f"there is no column {column}; columns are numbered from 0 to {self.n_features_in_ - 1}")
        return int(column)

    def _check_fitted(self) -> None:
        if not hasattr(self, "n_categories_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")


def _labels(y: ArrayLike, n_rows: int) -> NDArray[Any]:
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(f"y must have one class per row: expected shape ({n_rows},), got {labels.shape}")
    return labels


def _modes(codes: Codes) -> Codes:
    """Most frequent code of each column, the lowest on a tie; 0 where all values are missing."""
    modes = np.zeros(codes.shape[1], dtype=np.int32)
    for j, column in enumerate(codes.T):
        counts = np.bincount(column, minlength=2)[1:]
        modes[j] = counts.argmax() + 1 if counts.any() else 0
    return modes
