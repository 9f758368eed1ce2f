"""Encode tables as small integers: 0 where nothing is specified, 1, 2, ... for the cells of a column.

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

from winnowkit.core.columns import ColumnTable, columns_of, matched, position, wrong_width
from winnowkit.data.code_meanings import CodeMeanings
from winnowkit.data.coded_table import CodedTable
from winnowkit.data.coders import BooleanCoder, Coder, Codes
from winnowkit.data.column_builder import ColumnBuilder
from winnowkit.data.discretize import MultisplitDiscretizer
from winnowkit.data.even_cuts import MAX_CUTS
from winnowkit.data.one_row import values_of_row

WAYS = ("informative", "ignore", "value", "most_frequent")
USES = ("auto", "intervals", "bounds")


@dataclass(kw_only=True, eq=False, repr=False)
class CategoryEncoder(CodeMeanings, BaseEstimator):
    """Encode a table as integer codes for a learner of terms.

    Each column is either a set of categories, of which a term can ask for one, or a sequence of numbers, which are cut
    into cells. Strings, booleans, pandas' categoricals and the columns named in `categorical` are categories, and so
    are numbers if they are 0 and 1 only. A boolean and its text (True, "True", "true", "TRUE") are one category. All
    other numbers, integers as well as floating-point numbers, are numbers. Dates are ordered numbers; durations and
    times of day are refused. Free text is left out with a warning. None, NaN, NA, NaT and "?" are missing values; so
    is, after `fit`, a category that `fit` did not see. A number beyond those that `fit` saw falls into the outermost
    cell. Where both tables name their columns, these are matched by name.

    Columns of at least 50 rows from which nothing can be learned are left out with a warning: strings that are nearly
    all different, row numbers, and constants. To keep such a column, name it in `categorical`.

    Parameters
    ----------
    missing : {"informative", "ignore", "value", "most_frequent"}, default="informative"
        The treatment of missing values. "ignore": the column is unspecified (code 0), so that no term that asks for it
        is satisfied. "value": a category of its own, if `fit` saw a missing value in that column. "informative":
        likewise, but only in columns whose missing values depend on the class by a test at the 1% level
        (:func:`winnowkit.data.coded_table.informative`); unspecified elsewhere. "most_frequent": in training rows only
        (those whose class is given), the most frequent value of the column in the row's class. Tao & Scott use
        "ignore" and "most_frequent".
    categorical : sequence of str or int, default=()
        Names or positions of columns whose numbers are codes, and thus categories.
    numbers : {"auto", "intervals", "bounds"}, default="auto"
        How numbers are used. "intervals": `cuts` cuts a column into disjoint intervals by the classes of the training
        rows, and a term can ask for one of them. "bounds": it is cut into ordered cells, where the classes change and
        otherwise into equally many rows (:func:`winnowkit.data.number_coders.bound_cuts`), and a term can ask for a
        range of them, such as ``age > 40``. "auto": the learner chooses; an encoder used alone takes intervals.
    special : mapping of str or int to sequence of float, optional
        By the name or position of a column of numbers: numbers that are no quantities, such as -9 for "not asked". Each
        gets a category of its own and is not compared with other numbers. `fit` warns of values that may be such codes.
    monotone : bool, default=False
        Whether columns are boolean and 0 says nothing: 0 is unspecified, 1 is the only category, and any other value is
        an error. Terms then have no negations, and there are 2^n of them.
    forbid : sequence, default=()
        What no term may ask for: columns, by name or position, or single values of them, as pairs (column, value). A
        forbidden value is unspecified.
    cuts : MultisplitDiscretizer, optional
        How intervals are found; None stands for one with default parameters. A copy of it is fitted.

    Attributes
    ----------
    categories_ : list of lists
        The meaning of the codes of each column, in their order from 1: names of cells, special values, or categories;
        and None, as the last, where missing values are a category.
    n_categories_ : int64 array
        The number k_j of codes of each column; 0 if it is left out.
    n_ordered_ : int64 array
        How many of them, from 1 on, are cells of numbers in order; 0 for categories and intervals.
    cuts_ : list of float arrays
        The cuts between the numbers of each column, empty for categories. The ordered code of x is 1 plus the number of
        cuts below x.
    feature_names_ : list of str
        Names of the columns, "x0", "x1", ... where they have none.
    n_allowed_ : int64 array
        The number of codes of each column that are not forbidden: over categories, there are prod(allowed + 1) terms.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    winnowkit.DNFWinnow : Takes it as its parameter `encoder`.
    MultisplitDiscretizer : Finds intervals.

    Notes
    -----
    A column of more than 254 categories keeps the 254 most frequent ones; the others count as missing values.

    Examples
    --------
    >>> from winnowkit.data import CategoryEncoder
    >>> encoder = CategoryEncoder(missing="ignore")
    >>> encoder.fit_transform([["sunny", True], ["rain", False], ["?", False]], ["no", "yes", "yes"])
    array([[2, 2],
           [1, 1],
           [0, 1]], dtype=int32)
    >>> encoder.describe(0, 2), encoder.n_categories_.tolist()
    ('x0 = sunny', [2, 2])
    >>> encoder.transform([["snow", True]])
    array([[0, 2]], dtype=int32)

    Numbers with bounds:

    >>> encoder = CategoryEncoder(missing="ignore", numbers="bounds", special={"x0": [-9]})
    >>> encoder.fit_transform([[23], [35], [-9], [61], [48]]).ravel()
    array([1, 2, 5, 4, 3], dtype=int32)
    >>> encoder.describe("x0", 2, 3), encoder.tests(0, 3, 4)
    ('30 < x0 <= 50', [('>', 40)])
    """

    missing: str = "informative"
    categorical: Sequence[str | int] = ()
    numbers: str = "auto"
    special: Mapping[str | int, Sequence[float]] | None = None
    monotone: bool = False
    forbid: Sequence[Any] = ()
    cuts: MultisplitDiscretizer | None = None

    def fit(self, X: Any, y: ArrayLike | None = None, max_cuts: int = MAX_CUTS, *, more_to_come: bool = False) -> Self:
        """Learn the categories and cuts of each column.

        Parameters
        ----------
        X : array-like or data frame of shape (rows, columns)
            The table.
        y : array-like of shape (rows,), optional
            The class of each row; needed for intervals, and for `missing` "informative" and "most_frequent".
        max_cuts : int, default=31
            The most cuts of a column, if numbers are used with bounds.
        more_to_come : bool, default=False
            Whether these are the first of many rows to learn from: then no column is left out.

        Returns
        -------
        self
            The encoder.
        """
        self.fit_transform(X, y, max_cuts, more_to_come=more_to_come)
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
        self._check_fitted()
        table = matched(columns_of(X), self._names, self.n_features_in_, type(self).__name__)
        codes = self._table.codes(table.columns, table.n_rows)
        return self._table.completed(codes, None if y is None else _labels(y, table.n_rows))

    def fit_transform(
        self, X: Any, y: ArrayLike | None = None, max_cuts: int = MAX_CUTS, *, more_to_come: bool = False
    ) -> Codes:
        """Learn the categories and cuts, and encode the same rows as training rows.

        Parameters
        ----------
        X, y : array-like
            As for :meth:`fit`.
        max_cuts : int, default=31
            As for :meth:`fit`.
        more_to_come : bool, default=False
            As for :meth:`fit`.

        Returns
        -------
        int32 array of shape (rows, columns)
            The codes.
        """
        table = columns_of(X)
        labels = self._checked(table, y)
        self.n_features_in_ = len(table.columns)
        self._names = table.names
        self.feature_names_ = table.names or [f"x{j}" for j in range(self.n_features_in_)]
        categorical = {position(self.feature_names_, column) for column in self.categorical}
        special = {position(self.feature_names_, column): values for column, values in (self.special or {}).items()}
        bounds = max_cuts if self.numbers == "bounds" else None
        builder = ColumnBuilder(labels, bounds, self.cuts, keep_all=more_to_come)
        coders: list[Coder] = []
        codes = np.empty((table.n_rows, self.n_features_in_), dtype=np.int32)
        for j, (name, column) in enumerate(zip(self.feature_names_, table.columns, strict=True)):
            if self.monotone:
                coder: Coder = BooleanCoder(name)
                codes[:, j] = coder.codes(column)
            else:
                coder, codes[:, j] = builder.build(name, column, declared=j in categorical, special=special.get(j, ()))
            coders.append(coder)
        builder.findings.warn()
        self._table = CodedTable(self.feature_names_, coders)
        if not self.monotone:
            self._table.learn_missing(self.missing, codes, labels)
        self._table.forbid(self.forbid)
        self.categories_ = self._table.categories
        self.n_categories_ = self._table.sizes
        self.n_ordered_ = self._table.n_ordered
        self.n_allowed_ = self._table.n_allowed
        self.cuts_ = [coder.cuts for coder in self._table.coders]
        return self._table.completed(codes, labels)

    def _checked(self, table: ColumnTable, y: ArrayLike | None) -> NDArray[Any] | None:
        """Check the parameters and the shape of the training rows, and return the classes as an array."""
        self.check()
        if not table.n_rows or not table.columns:
            shape, what = (table.n_rows, len(table.columns)), "feature(s)" if table.n_rows else "sample(s)"
            raise ValueError(f"Found array with 0 {what} (shape={shape}) while a minimum of 1 is required.")
        if y is None and self.missing in ("most_frequent", "informative"):
            raise ValueError(f'missing="{self.missing}" needs the class of each row: fit(X, y)')
        return None if y is None else _labels(y, table.n_rows)

    def transform_one(self, row: Any, y: Any = None) -> Codes:
        """Encode one row.

        Parameters
        ----------
        row : sequence, mapping, pandas Series, or table of one row
            The values; or values by column name, where an absent name is a missing value.
        y : label, optional
            The class of a training row.

        Returns
        -------
        int32 array of shape (columns,)
            The codes.

        Examples
        --------
        >>> encoder = CategoryEncoder(missing="ignore").fit([["sunny", "no"], ["rain", "yes"]])
        >>> encoder.transform_one(["rain", None]), encoder.transform_one({"x1": "yes"})
        (array([1, 0], dtype=int32), array([0, 2], dtype=int32))
        """
        self._check_fitted()
        row = values_of_row(row, self.feature_names_)
        if len(row) != self.n_features_in_:
            raise ValueError(wrong_width(len(row), self.n_features_in_, type(self).__name__))
        return self._table.completed(self._table.codes_of_row(row), None if y is None else np.array([y])).ravel()

    def check(self) -> None:
        """Raise ValueError if a parameter that does not depend on the data is wrong."""
        for name, value, allowed in (("missing", self.missing, WAYS), ("numbers", self.numbers, USES)):
            if value not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}")

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a saved encoder; the state comes from a file and may be anything."""
        super().__setstate__(state)
        if not hasattr(self, "n_categories_"):
            return
        table = self._table
        if len(table.coders) != self.n_features_in_ or any(
            not np.array_equal(found, expected)
            for found, expected in (
                (self.n_categories_, table.sizes),
                (self.n_ordered_, table.n_ordered),
                (self.n_allowed_, table.n_allowed),
            )
        ):
            raise ValueError("the numbers of codes of the encoder do not agree with its columns")

    def _check_fitted(self) -> None:
        if not hasattr(self, "n_categories_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")


def _labels(y: ArrayLike, n_rows: int) -> NDArray[Any]:
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(f"y must have one class per row: expected shape ({n_rows},), got {labels.shape}")
    return labels
