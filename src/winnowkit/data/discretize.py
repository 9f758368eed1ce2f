"""Cut numbers into intervals: optimal multisplitting by average class entropy.

Elomaa & Rousu (1999), General and efficient multisplitting of numerical attributes, Machine Learning 36, 201-244;
used by Tao & Scott (2004), section 5.1, to feed Winnow over DNF with real-valued attributes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from winnowkit.data.multisplit_kernel import best_splits

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# An optimal split looks at every pair of blocks: 0.2-0.4 s at 5,000, so 20-40 s at 50,000.
MAX_BLOCKS = 5_000


class MultisplitDiscretizer(TransformerMixin, BaseEstimator):
    """Cut each column into the intervals of least average class entropy.

    For each column, and each number of intervals up to `max_intervals`, the partition of least average class entropy is
    found exactly, by dynamic programming; then the stopping rule chooses the number of intervals. A column that says
    nothing about the class is not cut at all.

    Parameters
    ----------
    max_intervals : int, default=10
        The most intervals a column may be cut into.
    stop : {"mdl", "bic", None}, default="mdl"
        The stopping rule (see Notes); None takes `max_intervals` wherever the data allow it.
    encode : {"ordinal", "interval", "threshold"}, default="ordinal"
        The output of `transform` for a value: the number 0.0, 1.0, ... of its interval; the name of its interval (as an
        object); or, for each cut, 1.0 if the value is at or above it and 0.0 if below (the other coding of section
        5.1, k - 1 boolean attributes for k intervals). Missing values (NaN) stay missing: NaN, or None among names.

    Attributes
    ----------
    cuts_ : list of arrays
        Cut points of each column, increasing, each midway between two neighbouring values of the training data. A
        value equal to a cut belongs to the interval above.
    interval_names_ : list of lists of str
        Names of each column's intervals.
    classes_ : array
        The class labels.
    n_features_in_, feature_names_in_ :
        As in scikit-learn.

    See Also
    --------
    winnowkit.DNFWinnow : Cuts floating-point columns with it.

    Notes
    -----
    Only cuts between *blocks* are tried: neighbouring values whose examples have the same class distribution (all of
    one class, for instance) form one block. No optimum is lost: as a cut moves through a block, the impurity on both
    of its sides is a concave function of the position, so that one end of the block is at least as good.
    Columns of more than 5,000 blocks are first cut into 5,000 groups of about equally many examples.

    Average class entropy never gets worse by cutting, so the number k of intervals needs a rule. Both of those here
    minimise n ACE (the bits that the labels of n examples take) plus what k intervals of m classes cost.
    `"mdl"` extends the code of Fayyad & Irani (1993) from two intervals to k: log2 C(n - 1, k - 1) bits for the places
    of the cuts, m log2(2^k - 1) for which intervals a class is in, H(S_i) for each class of each interval S_i.
    `"bic"` takes half log2 n bits for each of k (m - 1) class frequencies and k - 1 cuts.

    How they were chosen. Of 300 columns of noise (50 to 500 examples, 2, 3 or 6 classes) "mdl" cuts at most 1%, "bic"
    up to 9%, the MODL criterion up to 8%. Of 30 columns at 100 examples of three classes, a least gain of 0.05 bits an
    example cuts 43%, AIC 90%. Errors in cross-validation (%), of Winnow over all terms with exact sums (trained until
    it makes no mistake, missing ignored), a support vector machine with the kernel 2^(values that agree), naive Bayes:

    ============  ===========  ===========  ================  ========  ========  ========  =======
    rule          Winnow auto  Winnow iris  Winnow annealing  SVM auto  SVM wine  SVM wdbc  NB auto
    ============  ===========  ===========  ================  ========  ========  ========  =======
    "mdl"         23.1 (21.0)  6.7          2.0               26.0      3.5       13.4      31.8
    "bic"         24.1 (22.9)  6.6          1.5               24.1      3.2       17.8      38.0
    MODL          - (20.5)     6.6          -                 28.5      3.2       11.9      30.3
    gain >= 0.05  - (22.4)     5.3          -                 31.8      4.5       5.9       28.6
    AIC           - (22.4)     6.7          -                 32.4      11.8      37.1      29.3
    k = 8         -            -            -                 33.7      23.0      36.6      30.6
    ============  ===========  ===========  ================  ========  ========  ========  =======

    (Means over three splits; annealing, and auto in brackets, the same one split.) No rule wins everywhere. Winnow
    hardly minds: on auto and annealing the 95% intervals of all rules overlap. "mdl" is the default because it leaves
    noise alone, not because it errs least; and as it was chosen on these sets, they do not show what it does on others.

    Examples
    --------
    >>> from winnowkit.data import MultisplitDiscretizer, load_dataset
    >>> X, y = load_dataset("iris", return_X_y=True)
    >>> discretizer = MultisplitDiscretizer().fit(X[:, 2:], y)
    >>> [cuts.round(2).tolist() for cuts in discretizer.cuts_]
    [[2.45, 4.75], [0.8, 1.75]]
    >>> discretizer.transform([[1.4, 0.2], [4.8, float("nan")]])
    array([[ 0.,  0.],
           [ 2., nan]])
    >>> discretizer.set_params(encode="interval").transform([[1.4, 0.2]])[0].tolist()
    ['x0 < 2.45', 'x1 < 0.8']
    """

    cuts_: list[Floats]
    interval_names_: list[list[str]]
    n_features_in_: int

    def __init__(self, *, max_intervals: int = 10, stop: str | None = "mdl", encode: str = "ordinal") -> None:
        self.max_intervals = max_intervals
        self.stop = stop
        self.encode = encode

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the cuts of each column of X (numbers; NaN is missing) for the classes y.

        Parameters
        ----------
        X : array-like of shape (rows, columns)
            Numbers; NaN is missing.
        y : array-like of shape (rows,)
            The classes.

        Returns
        -------
        self
            The fitted discretiser.
        """
        if not isinstance(self.max_intervals, int | np.integer) or self.max_intervals < 1:
            raise ValueError(f"max_intervals must be an integer >= 1, got {self.max_intervals!r}")
        _check_option("stop", self.stop, ("mdl", "bic", None))
        _check_option("encode", self.encode, tuple(_ENCODERS))
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: cuts depend on the classes"
            )
        values: Floats
        target: NDArray[Any]
        values, target = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        if target.dtype != object:  # scikit-learn accepts only strings among objects; here sorting is enough
            check_classification_targets(target)
        self.classes_, labels = np.unique(target, return_inverse=True)
        names = _check_feature_names_in(self)
        self.cuts_ = [_cuts(column, labels, self.max_intervals, self.stop) for column in values.T]
        self.interval_names_ = [interval_names(name, cuts) for name, cuts in zip(names, self.cuts_, strict=True)]
        return self

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """Encode the values of X as the parameter `encode` says.

        Parameters
        ----------
        X : array-like of shape (rows, columns)
            Numbers; NaN is missing.

        Returns
        -------
        array
            One column per column of X, or with threshold coding one per cut.
        """
        check_is_fitted(self)
        _check_option("encode", self.encode, tuple(_ENCODERS))
        values: Floats = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        return _ENCODERS[self.encode](values, self.cuts_, self.interval_names_)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the columns of `transform`: those of X, or with threshold coding ``"name >= cut"``.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns of X; None stands for those that `fit` saw.

        Returns
        -------
        array of str
            One name per column.
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        if self.encode != "threshold":
            return np.asarray(names, dtype=object)
        pairs = zip(names, self.cuts_, strict=True)
        return np.array([f"{name} >= {cut}" for name, cuts in pairs for cut in _readable(cuts)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        return tags


def interval_names(name: str, cuts: Floats) -> list[str]:
    """Readable names of the intervals between cuts.

    Examples
    --------
    >>> interval_names("petal length", np.array([2.45, 4.75]))
    ['petal length < 2.45', '2.45 <= petal length < 4.75', 'petal length >= 4.75']
    >>> interval_names("petal length", np.array([]))
    ['any petal length']
    """
    if not len(cuts):
        return [f"any {name}"]
    shown = _readable(cuts)
    between = [f"{low} <= {name} < {high}" for low, high in pairwise(shown)]
    return [f"{name} < {shown[0]}", *between, f"{name} >= {shown[-1]}"]


def _readable(cuts: Floats) -> list[str]:
    """Cuts without the digits that come from rounding a mean, unless these tell cuts apart."""
    short = [f"{cut:.12g}" for cut in cuts]
    return short if len(set(short)) == len(short) else [repr(float(cut)) for cut in cuts]


class _Blocks(NamedTuple):
    """The blocks of a column: class counts up to each, and its first and last value."""

    prefix: Integers
    first: Floats
    last: Floats


def _cuts(values: Floats, labels: Integers, max_intervals: int, stop: str | None) -> Floats:
    blocks = _blocks(values, labels)
    count = len(blocks.first)
    if count < 2 or max_intervals < 2:
        return np.empty(0)
    impurity, splits = best_splits(blocks.prefix, min(max_intervals, count))
    partitions = [splits[k, :k] for k in range(len(impurity))]
    if stop is not None:
        lengths = [
            bits + _COSTS[stop](np.diff(blocks.prefix[[0, *split, count]], axis=0))
            for bits, split in zip(impurity, partitions, strict=True)
        ]
        partitions = [partitions[int(np.argmin(lengths))]]
    split = partitions[-1]
    return _between(blocks.last[split - 1], blocks.first[split])


def _blocks(values: Floats, labels: Integers) -> _Blocks:
    present = ~np.isnan(values)
    distinct, which = np.unique(values[present], return_inverse=True)
    _, classes = np.unique(labels[present], return_inverse=True)
    m = int(classes.max(initial=-1)) + 1
    counts = np.bincount(which * m + classes, minlength=len(distinct) * m).reshape(-1, max(m, 1)).astype(np.int64)
    total = counts.sum(axis=1, keepdims=True)
    starts = np.any(counts[1:] * total[:-1] != counts[:-1] * total[1:], axis=1)  # proportions differ
    starts = np.flatnonzero(np.concatenate([np.ones(min(len(distinct), 1), dtype=bool), starts]))
    if len(starts) > MAX_BLOCKS:
        before = total.cumsum() - total[:, 0]
        group = before[starts] * MAX_BLOCKS // total.sum()
        starts = starts[np.diff(group, prepend=-1) > 0]
    prefix = np.zeros((len(starts) + 1, counts.shape[1]), dtype=np.int64)
    if len(starts):
        np.cumsum(np.add.reduceat(counts, starts, axis=0), axis=0, out=prefix[1:])
    ends = np.append(starts[1:], len(distinct)) - 1 if len(starts) else starts
    return _Blocks(prefix, distinct[starts], distinct[ends])


def _between(below: Floats, above: Floats) -> Floats:
    """Midpoints, which must stay above the lower value even where the two are neighbouring floats."""
    middle = below / 2 + above / 2
    return np.where(middle > below, middle, above)


def _bic(counts: Integers) -> float:
    k, m = counts.shape
    bits: float = (k * (m - 1) + k - 1) / 2 * np.log2(counts.sum())
    return bits


def _mdl(counts: Integers) -> float:
    k, m = counts.shape
    n = int(counts.sum())
    share = counts / counts.sum(axis=1, keepdims=True)
    entropy = -np.sum(share * np.log2(share, out=np.zeros_like(share), where=counts > 0), axis=1)
    places = np.sum(np.log2((n - np.arange(1, k)) / np.arange(1, k)))  # log2 C(n - 1, k - 1)
    bits: float = places + m * np.log2(2.0**k - 1) + np.count_nonzero(counts, axis=1) @ entropy
    return bits


_COSTS = {"bic": _bic, "mdl": _mdl}


def _ordinal(X: Floats, cuts: list[Floats], names: list[list[str]]) -> NDArray[Any]:  # noqa: ARG001 - one signature for all
    codes = np.empty(X.shape)
    for j, column in enumerate(cuts):
        codes[:, j] = np.searchsorted(column, X[:, j], side="right")
    codes[np.isnan(X)] = np.nan
    return codes


def _interval(X: Floats, cuts: list[Floats], names: list[list[str]]) -> NDArray[Any]:
    codes = np.empty(X.shape, dtype=object)
    for j, column in enumerate(cuts):
        codes[:, j] = np.array(names[j], dtype=object)[
            np.searchsorted(column, X[:, j], side="right").clip(0, len(column))
        ]
    codes[np.isnan(X)] = None
    return codes


def _threshold(X: Floats, cuts: list[Floats], names: list[list[str]]) -> NDArray[Any]:  # noqa: ARG001 - as above
    codes = [np.where(np.isnan(X[:, [j]]), np.nan, X[:, [j]] >= column) for j, column in enumerate(cuts)]
    return np.concatenate(codes, axis=1)


_ENCODERS = {"ordinal": _ordinal, "interval": _interval, "threshold": _threshold}


def _check_option(name: str, value: object, allowed: tuple[str | None, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}")
