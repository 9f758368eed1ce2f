"""The columns of a fitted table: the coder of each, and the treatment of missing and of forbidden values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, xlogy

from winnowkit.core.columns import Column, position
from winnowkit.data.coders import MISSING, UNSEEN, Coder, Codes

Integers = NDArray[np.int64]

LEVEL = 0.01
"""The level of the test of missing values: how often values missing at random are taken for informative ones."""


class CodedTable:
    """Named columns and their coders.

    Parameters
    ----------
    names : list of str
        The names of the columns.
    coders : list of Coder
        Their coders.

    Examples
    --------
    >>> from winnowkit.data.coders import CategoryCoder
    >>> table = CodedTable(["sky"], [CategoryCoder("sky", ["blue", "grey"])])
    >>> table.completed(table.codes([Column(["grey", None, "red"])], 3)).ravel()
    array([2, 0, 0], dtype=int32)
    """

    def __init__(self, names: list[str], coders: list[Coder]) -> None:
        self.names = names
        self.coders = coders
        self.with_missing = np.zeros(len(coders), dtype=bool)  # columns in which a missing value has a code
        self.modes: dict[Any, Codes] = {}  # by class: the most frequent codes
        self.forbidden: list[tuple[int, int]] = []  # columns and codes; 0 stands for the whole column

    def learn_missing(self, way: str, codes: Codes, labels: NDArray[Any] | None) -> None:
        """Decide what missing values become, by the codes of the training rows."""
        if way == "value":
            self.with_missing = (codes == MISSING).any(axis=0)
        elif way == "informative" and labels is not None:
            self.with_missing = informative(codes == MISSING, labels)
        elif way == "most_frequent" and labels is not None:
            self.modes = {label: _modes(codes[labels == label]) for label in np.unique(labels).tolist()}

    def forbid(self, entries: Sequence[Any]) -> None:
        """Exclude columns, or pairs (column, value), from what a term may ask for."""
        self.forbidden = sorted({self._forbidden(entry) for entry in entries})
        if self.forbidden and not self.n_allowed.any() and self.sizes.any():
            raise ValueError("forbid excludes every column; leave at least one value to learn from")

    def _forbidden(self, entry: Any) -> tuple[int, int]:
        if not isinstance(entry, tuple):
            return self.position(entry), 0
        if len(entry) != 2:
            raise ValueError(f"forbid must hold columns, or pairs (column, value); got {entry!r}")
        j, code = self.code_of(*entry)
        if code <= self.coders[j].n_ordered:
            raise ValueError(
                f"forbid excludes categories and special values, and column {self.names[j]!r} holds numbers: "
                "forbid the whole column"
            )
        return j, code

    # --- sizes ------------------------------------------------------------------------------------------------------

    @property
    def categories(self) -> list[list[Any]]:
        """The meaning of the codes of each column, from 1."""
        pairs = zip(self.coders, self.with_missing, strict=True)
        return [[*coder.categories, None] if extra else list(coder.categories) for coder, extra in pairs]

    @property
    def sizes(self) -> Integers:
        """The number of codes of each column."""
        pairs = zip(self.coders, self.with_missing, strict=True)
        return np.array([len(coder.categories) + bool(extra) for coder, extra in pairs], dtype=np.int64)

    @property
    def n_ordered(self) -> Integers:
        """The number of ordered codes of each column."""
        return np.array([coder.n_ordered for coder in self.coders], dtype=np.int64)

    @property
    def n_allowed(self) -> Integers:
        """The number of codes of each column that are not forbidden."""
        sizes = self.sizes
        single = np.bincount([j for j, code in self.forbidden if code], minlength=len(sizes))
        whole = [j for j, code in self.forbidden if not code]
        allowed: Integers = sizes - single
        allowed[whole] = 0
        return allowed

    # --- codes ------------------------------------------------------------------------------------------------------

    def codes(self, columns: Sequence[Column], n_rows: int) -> Codes:
        """Return the codes of whole columns, MISSING and UNSEEN among them."""
        codes = np.empty((n_rows, len(self.coders)), dtype=np.int32)
        for j, (coder, column) in enumerate(zip(self.coders, columns, strict=True)):
            codes[:, j] = coder.codes(column)
        return codes

    def codes_of_row(self, row: Sequence[Any]) -> Codes:
        """Return the codes of one row, as a table of one row."""
        found = [coder.code(value) for coder, value in zip(self.coders, row, strict=True)]
        return np.array([found], dtype=np.int32)

    def completed(self, codes: Codes, labels: NDArray[Any] | None = None) -> Codes:
        """Treat missing, unseen and forbidden values, in place; labels are those of training rows."""
        for j in np.flatnonzero(self.with_missing).tolist():
            codes[codes[:, j] == MISSING, j] = self._missing_code(j)
        codes[codes == UNSEEN] = MISSING
        if labels is not None:
            for label, modes in self.modes.items():
                rows = labels == label
                codes[rows] = np.where(codes[rows] == MISSING, modes, codes[rows])
        for j, code in self.forbidden:
            codes[codes[:, j] == code if code else slice(None), j] = 0
        return codes

    # --- single columns and codes -----------------------------------------------------------------------------------

    def position(self, column: str | int) -> int:
        """Return the position of a column, given by its name or position."""
        return position(self.names, column)

    def is_missing_code(self, j: int, code: int) -> bool:
        """Whether this code of a column stands for a missing value."""
        return bool(self.with_missing[j]) and code == self._missing_code(j)

    def _missing_code(self, j: int) -> int:
        """Return the code of a missing value, in columns where it has one."""
        return len(self.coders[j].categories) + 1

    def check_range(self, j: int, first: int, last: int | None, least: int) -> None:
        """Raise ValueError if a column has no such code, from `least` on, or no such range of ordered codes."""
        coder, most = self.coders[j], len(self.coders[j].categories) + bool(self.with_missing[j])
        if not least <= first <= most:
            raise ValueError(f"column {coder.name!r} has codes {least} to {most}, got {first}")
        if last is not None and last != first and not 1 <= first <= last <= coder.n_ordered:
            raise ValueError(
                f"column {coder.name!r} has ordered codes 1 to {coder.n_ordered}, got the range {first} to {last}"
            )

    def code_of(self, column: str | int, value: Any) -> tuple[int, int]:
        """Return the position of a column and the code of a value in it; raise ValueError if it has none."""
        j = self.position(column)
        code = self.coders[j].code(value)
        if code == MISSING and self.with_missing[j]:
            code = self._missing_code(j)
        if code < 1:
            shown = ", ".join(map(repr, self.categories[j][:10]))
            raise ValueError(f"column {self.names[j]!r} has no category {value!r}; it has {shown}")
        return j, int(code)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a saved table; the state comes from a file and may be anything."""
        self.__dict__.update(state)
        sizes = self.sizes
        if len(self.names) != len(sizes):
            raise ValueError(f"{len(self.names)} names of {len(sizes)} columns")
        for modes in self.modes.values():
            if np.shape(modes) != sizes.shape or np.any(modes < 0) or np.any(modes > sizes):
                raise ValueError("the most frequent codes of a class must be codes of the columns")


def _modes(codes: Codes) -> Codes:
    """Most frequent code of each column, the lowest on a tie; 0 where all values are missing or unseen."""
    modes = np.zeros(codes.shape[1], dtype=np.int32)
    for j, column in enumerate(codes.T):
        counts = np.bincount(column[column > 0], minlength=2)[1:]
        modes[j] = counts.argmax() + 1 if counts.any() else 0
    return modes


def informative(absent: NDArray[np.bool_], labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell for each column whether its missing values depend on the class, by a likelihood-ratio test.

    The alternatives are one rate of missing values per class, and one rate for all classes. If values are missing at
    random, twice the logarithm of the likelihood ratio is asymptotically chi-squared with classes - 1 degrees of
    freedom. This test copes with rare classes better than Pearson's.

    Parameters
    ----------
    absent : array of bool, shape (rows, columns)
        Where a value is missing.
    labels : array of shape (rows,)
        The class of each row.

    Returns
    -------
    array of bool, shape (columns,)
        Whether the missing values of each column are informative, at the 1% level.

    Examples
    --------
    >>> labels = np.repeat(["yes", "no"], 50)
    >>> absent = np.stack([labels == "yes", np.arange(100) % 2 == 0], axis=1)
    >>> informative(absent, labels)
    array([ True, False])
    """
    _, places, n_rows = np.unique(labels, return_inverse=True, return_counts=True)
    of_class = places[:, None] == np.arange(len(n_rows))
    n_absent = absent.T.astype(np.float64) @ of_class
    ratio = _log_likelihood(n_absent, n_rows).sum(axis=1) - _log_likelihood(n_absent.sum(axis=1), n_rows.sum())
    found: NDArray[np.bool_] = chdtrc(max(len(n_rows) - 1, 1), 2 * np.maximum(ratio, 0.0)) < LEVEL
    return found


def _log_likelihood(hits: NDArray[np.float64], tries: Any) -> NDArray[np.float64]:
    """Logarithm of the largest likelihood of so many hits, over all rates."""
    value: NDArray[np.float64] = xlogy(hits, hits / tries) + xlogy(tries - hits, 1 - hits / tries)
    return value
