"""The scikit-learn face of learners of boolean attributes, with a warning about values that do not become boolean well.

The warning looks at a sample of some thousand values, so that it takes hardly any time. Values that are 0 or 1,
and counts, are what cutting at 0 is for; a threshold other than 0 has been chosen by someone, who need not be told.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from winnowkit.core.checks import require
from winnowkit.core.online_classifier import OnlineClassifier
from winnowkit.core.sparse import check_sparse

SAMPLED_VALUES = 4096
SAMPLED_ROWS = 64  # of a sparse matrix
MOST_NAMED = 3  # columns in a message
MOST_CHECKED = 16  # columns that are looked at in full before they are called constant
MOST_ROWS_OF_CUTS = 512  # rows in which a column is compared with the next
FEW_FRACTIONS = 2  # so many different ones may be codes of something boolean


@dataclass(kw_only=True, eq=False, repr=False)
class BooleanClassifier(OnlineClassifier):
    """A learner of boolean attributes: values above a threshold count as 1."""

    shuffle: bool = True
    binarize: float | None = 0.0
    negations: bool = False

    def _check_parameters(self) -> None:
        require(self.negations in (False, True), "negations must be True or False", self.negations)
        super()._check_parameters()

    def _look_at(self, X: Any, stacklevel: int) -> None:
        if self.binarize == 0.0:
            warn_of_lost_values(X, getattr(self, "feature_names_in_", None), stacklevel + 1)


class ValueSample(NamedTuple):
    """Some values of a table, and the columns in which they are."""

    columns: NDArray[Any]
    values: NDArray[np.float64]


def warn_of_lost_values(X: Any, names: Sequence[str] | None, stacklevel: int) -> None:
    """Warn if cutting the values of X at 0 makes columns constant, or loses negative values or fractions.

    Parameters
    ----------
    X : array or CSR matrix of shape (rows, columns)
        The table.
    names : sequence of str or None
        The names of its columns.
    stacklevel : int
        How many calls above this one the warning points to.
    """
    sample = _sparse_sample(X) if issparse(X) else _dense_sample(X)
    if ((sample.values == 0.0) | (sample.values == 1.0)).all():
        return
    losses = [f"{what}: {listed(columns, names)}" for what, columns in _losses(_distinct(sample), X).items() if columns]
    if losses:
        warnings.warn(
            f"binarize=0.0 turns values above 0 into 1 and all others into 0. {'; '.join(losses)}. Committee takes "
            "real values as they are; or cut the columns into ranges first (MultisplitDiscretizer), or set binarize",
            UserWarning,
            stacklevel=stacklevel + 1,
        )


def _dense_sample(X: NDArray[np.float64]) -> ValueSample:
    n_rows, n_columns = X.shape
    columns = spread(n_columns, SAMPLED_VALUES // 2)
    block = X[np.ix_(spread(n_rows, max(2, SAMPLED_VALUES // len(columns))), columns)]
    return ValueSample(np.broadcast_to(columns, block.shape).ravel(), block.ravel())


def _sparse_sample(X: Any) -> ValueSample:
    """Return stored values, and a 0 for each of their columns: the value of most rows."""
    rows = spread(X.shape[0], SAMPLED_ROWS)
    starts = X.indptr[rows].astype(np.int64)
    lengths = np.maximum(0, X.indptr[rows + 1] - starts)
    steps = np.maximum(1, lengths * SAMPLED_ROWS // SAMPLED_VALUES)
    counts = -(-lengths // steps)
    places = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    entries = np.repeat(starts, counts) + np.repeat(steps, counts) * places
    columns, values = X.indices[entries], X.data[entries]
    return ValueSample(np.concatenate([columns, columns]), np.concatenate([values, np.zeros(len(values))]))


def spread(n: int, most: int) -> NDArray[np.int64]:
    """Return at most so many of the numbers from 0 to n - 1, evenly spread."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.int64)


def _distinct(sample: ValueSample) -> ValueSample:
    """Return the different values of each column, sorted by column."""
    order = np.lexsort((sample.values, sample.columns))
    columns, values = sample.columns[order], sample.values[order]
    new = np.ones(len(values), dtype=np.bool_)
    new[1:] = (columns[1:] != columns[:-1]) | (values[1:] != values[:-1])
    return ValueSample(columns[new], values[new])


def _losses(distinct: ValueSample, X: Any) -> dict[str, list[int]]:
    """Return the columns that lose something, each under the worst that happens to it."""
    columns, place = np.unique(distinct.columns, return_inverse=True)
    above = distinct.values > 0.0
    n_above, n_below = (
        np.bincount(place[above], minlength=len(columns)),
        np.bincount(place[~above], minlength=len(columns)),
    )
    constant = ((n_above >= 2) & (n_below == 0)) | ((n_above == 0) & (n_below >= 2))
    if not issparse(X):
        for i in np.flatnonzero(constant)[:MOST_CHECKED]:
            is_one = X[:, columns[i]] > 0.0
            constant[i] = is_one.all() or not is_one.any()
    negative = (n_below >= 2) & ~constant
    broken = above & (distinct.values != np.floor(distinct.values))
    fractions = np.bincount(place[broken], minlength=len(columns)) > 0
    if len(np.unique(distinct.values[broken])) <= FEW_FRACTIONS:
        fractions[:] = False
    fractions &= ~constant & ~negative
    if fractions.any() and are_cut(X, columns[fractions]):
        fractions[:] = False
    return {
        "Columns become constant": columns[constant].tolist(),
        "negative values are lost": columns[negative].tolist(),
        "fractions are lost": columns[fractions].tolist(),
    }


def are_cut(X: Any, columns: NDArray[Any]) -> bool:
    """Tell whether each of these columns is followed by one that cuts it, as `TableEncoder` makes them.

    Such a column is 1 where the one before it is above a bound, and 0 elsewhere, so that no more is lost than is meant.

    Examples
    --------
    >>> are_cut(np.array([[0.1, 0.0], [0.7, 1.0], [0.6, 1.0]]), np.array([0]))
    True
    >>> are_cut(np.array([[0.1, 0.0], [0.7, 1.0], [0.6, 0.0], [0.5, 1.0]]), np.array([0]))
    False
    """
    rows: Any = X[spread(X.shape[0], MOST_ROWS_OF_CUTS)]
    if issparse(X):
        check_sparse(rows)  # the conversion trusts the indices, which kernels check only later
        rows = rows.tocsc()
    return all(_is_cut(rows, j) for j in columns.tolist())


def _is_cut(rows: Any, j: int) -> bool:
    if j + 1 >= rows.shape[1]:
        return False
    pair = rows[:, [j, j + 1]]
    values, bits = (pair.toarray() if hasattr(pair, "toarray") else pair).T
    above = bits == 1.0
    if above.all() or not above.any() or bits[~above].any():
        return False
    return bool(values[~above].max() <= values[above].min())


def listed(columns: list[int], names: Sequence[str] | None) -> str:
    """Return the names of a few columns, and how many more there are."""
    shown = [f"x{j}" if names is None or j >= len(names) else repr(str(names[j])) for j in columns[:MOST_NAMED]]
    more = len(columns) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
