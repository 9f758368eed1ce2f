"""Dictionaries as examples of boolean attributes, which are numbered as they appear, and the learner that grows.

The vocabulary remembers the example that it last looked up, as most callers predict an example and then learn from it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import filterfalse
from math import inf, isinf, isnan
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from winnowkit.core.csr import Rows, Trials
from winnowkit.core.encoded_rows import REAL, Binarize, encode_rows
from winnowkit.core.growing import one_row
from winnowkit.core.learner import GrowingLearner
from winnowkit.core.multiclass import chosen, n_learners_for, sources_with_new_class
from winnowkit.core.online_classifier import OnlineClassifier, new_learner

Features = Mapping[Hashable, Any]


class AttributeAdapter:
    """The attributes seen so far and their learner, which exists from the first attribute and second class on."""

    def __init__(self, estimator: OnlineClassifier, n_classes: int) -> None:
        self.estimator = estimator
        self.vocabulary = Vocabulary(estimator.binarize)
        self.n_classes = n_classes
        self.n_waited = 0  # trials before there was a learner
        self.learner: GrowingLearner | None = None

    def add_class(self, n_classes: int) -> None:
        """Continue with one more class, which makes n_classes in all (or with the first two)."""
        if self.learner is not None:
            self.learner = self.learner.with_learners(sources_with_new_class(n_learners_for(self.n_classes)))
        self.n_classes = n_classes

    # --- one example ------------------------------------------------------------------------------------------------

    def check(self, x: Features) -> None:
        """Raise what :meth:`learn` would raise for such an example; nothing changes."""
        self.vocabulary.look(x)

    def learn(self, x: Features, code: int) -> None:
        """Perform one trial."""
        numbered = self.vocabulary.add(x)
        if self.learner is None or numbered.n > self.learner.n_features:
            self._grow()
        if self.learner is None:
            self.n_waited += 1
        elif numbered.data is None:
            self.learner.trial_active(numbered.indices, code)
        else:
            self.learner.learn(Trials(one_row(numbered.indices, numbered.data, None), np.array([code])))

    def predict(self, x: Features) -> int:
        """Return the code of the label that :meth:`learn` would predict first."""
        numbered = self.vocabulary.look(x)
        if self.learner is not None and numbered.data is None:
            return self.learner.predict_active(numbered.indices, numbered.n)
        return int(chosen(self._foresee(numbered, ranking=False)[None])[0])

    def rank(self, x: Features) -> NDArray[np.float64]:
        """Return the ranks that scores are made from; see :meth:`winnowkit.core.learner.GrowingLearner.rank`."""
        return self._foresee(self.vocabulary.look(x), ranking=True)

    def _foresee(self, numbered: Numbered, *, ranking: bool) -> NDArray[np.float64]:
        if numbered.n == 0:
            return np.zeros(n_learners_for(self.n_classes))
        learner = self.learner or self._new_learner(numbered.n)
        return learner.foresee(numbered.indices, numbered.data, numbered.n, ranking=ranking)

    def _new_learner(self, n: int) -> GrowingLearner:
        return new_learner(self.estimator, n, n_learners_for(self.n_classes))

    def _grow(self) -> None:
        """Let the learner have all attributes seen so far, once there can be one."""
        n = len(self.vocabulary)
        if self.learner is None:
            if n > 0 and self.n_classes > 1:
                self.learner = self._new_learner(n)
        elif n > self.learner.n_features:
            self.learner.grow(n)

    # --- frames -----------------------------------------------------------------------------------------------------

    def see_columns(self, X: Any) -> None:
        """Take in the columns of a frame of numbers as attributes."""
        if is_numeric(X):
            self.vocabulary.add_all(X.columns)
            self._grow()

    def learn_many(self, X: Any, codes: list[int]) -> None:
        """Perform one trial per row of a frame; if its columns are numbers, they have been seen."""
        if is_numeric(X):
            self._grow()
            if self.learner is None:
                self.n_waited += len(codes)
                return
            if (rows := self._rows(X)) is not None:
                self.learner.learn(Trials(rows, np.array(codes, dtype=np.int64)))
                return
        for x, code in zip(X.to_dict("records"), codes, strict=True):
            self.learn(x, code)

    def predict_many(self, X: Any) -> list[int]:
        """Return the codes of the labels that are predicted for the rows of a frame."""
        if self.learner is not None and self._knows(X) and (rows := self._rows(X)) is not None:
            codes: list[int] = chosen(self.learner.decide(rows, 0, len(X))).tolist()
            return codes
        return [self.predict(x) for x in X.to_dict("records")]

    def rank_many(self, X: Any) -> list[NDArray[np.float64]]:
        """Return the ranks that the scores of the rows of a frame are made from."""
        if self.learner is not None and self._knows(X) and (rows := self._rows(X)) is not None:
            return list(self.learner.rank(rows, 0, len(X)))
        return [self.rank(x) for x in X.to_dict("records")]

    def _knows(self, X: Any) -> bool:
        """Return whether a frame has known columns of numbers only, so that the learner takes all rows at once."""
        return is_numeric(X) and self.vocabulary.keys() >= set(X.columns)

    def _rows(self, X: Any) -> Rows | None:
        """Return the rows of a frame of numbers, dense or sparse, whose columns are all known.

        None if a value is infinite: taken one by one, the first row that is wrong says so.
        """
        places = np.array([self.vocabulary[key] for key in X.columns], dtype=np.int64)
        order = np.argsort(places)
        if all(hasattr(kind, "fill_value") for kind in X.dtypes) and len(places):
            matrix = sparse.csr_array(X.sparse.to_coo())[:, order]
            matrix.sort_indices()
        else:
            matrix = X.to_numpy(dtype=np.float64, na_value=np.nan)[:, order]
        values = matrix.data if sparse.issparse(matrix) else matrix
        values[np.isnan(values)] = 0.0  # as in a dictionary
        if np.isinf(values).any():
            return None
        rows = encode_rows(matrix, self.vocabulary.binarize)
        return rows._replace(indices=places[order][rows.indices], indptr=rows.indptr.astype(np.int64))

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def counts(self) -> tuple[int, int]:
        """Trials and mistakes."""
        trials, mistakes = (0, 0) if self.learner is None else self.learner.counts[0].tolist()
        return trials + self.n_waited, mistakes

    def weights(self) -> list[dict[Hashable, float]]:
        """Return what each attribute adds to the decision, one dictionary per learner."""
        if self.learner is None:
            return []
        coef = getattr(self.learner, "attribute_weights", None)
        coef = getattr(self.learner, "coef", None) if coef is None else coef
        if coef is None:
            raise AttributeError(f"{type(self.estimator).__name__} has no weights per attribute")
        return [dict(zip(self.vocabulary, row, strict=True)) for row in coef.tolist()]


def is_numeric(X: Any) -> bool:
    """Return whether all columns of a frame hold numbers or booleans."""
    return all(kind.kind in "biuf" for kind in X.dtypes)


class Numbered(NamedTuple):
    """An example as numbered attributes, known and new."""

    indices: NDArray[np.int64]  # of the attributes that are not 0, ascending; new ones as they will be numbered
    data: NDArray[np.float64] | None  # their values; None if all are 1
    n: int  # number of attributes, including the new ones of this example, whether 0 or not


class Vocabulary(Mapping[Hashable, int]):
    """Numbers attributes as they appear.

    A number or a boolean is a value of the attribute named by its key: 1 if above `binarize`, else 0. A string is a
    category: the attribute (key, string) is 1. None is ignored. The new attributes of one example are numbered by name,
    so that the order of the keys in a dictionary does not matter, not even for the rounding of sums.

    Examples
    --------
    >>> vocabulary = Vocabulary(binarize=0.0)
    >>> vocabulary.add({"length": 3, "reply": False, "from": "ann"})
    Numbered(indices=array([0, 2]), data=None, n=3)
    >>> dict(vocabulary)
    {'length': 0, 'reply': 1, ('from', 'ann'): 2}
    >>> vocabulary.look({"reply": True, "from": "bob", "length": 0})
    Numbered(indices=array([1, 3]), data=None, n=4)
    >>> ("from", "bob") in vocabulary
    False
    """

    def __init__(self, binarize: Binarize) -> None:
        self.binarize = binarize
        # The new attributes of the last example are last in the dictionary until they are added or another example
        # comes, so that each attribute is looked up once.
        self._numbers: dict[Hashable, int] = {}
        self._n_new = 0
        self._example: Features | None = None
        self._numbered = Numbered(np.empty(0, dtype=np.int64), None, 0)

    def look(self, x: Features) -> Numbered:
        """Look an example up without adding anything."""
        if x != self._example:
            self._forget_new()
            all_ones = _all_ones(x, self.binarize)
            self._numbered = self._look_up(x) if all_ones else self._look_at(_values(x, self.binarize))
            self._example = dict(x)
        return self._numbered

    def add(self, x: Features) -> Numbered:
        """Look an example up, and add its new attributes."""
        numbered = self.look(x)
        self._n_new = 0
        return numbered

    def add_all(self, attributes: Iterable[Hashable]) -> None:
        """Add those of the attributes that are new."""
        self._forget_new()
        self._number(attributes)
        self._n_new = 0

    def _look_up(self, x: Features) -> Numbered:
        """Look up an example whose values are all 1, in a fast way."""
        find = itemgetter(*x) if len(x) > 1 else lambda numbers: [numbers[key] for key in x]
        try:
            found = find(self._numbers)
        except KeyError:
            self._number(x)
            found = find(self._numbers)
        indices = np.array(found, dtype=np.int64)
        indices.sort()
        return Numbered(indices, None, len(self._numbers))

    def _look_at(self, attributes: dict[Hashable, float]) -> Numbered:
        """Look up attributes of any values."""
        self._number(attributes)
        active = sorted((self._numbers[attribute], value) for attribute, value in attributes.items() if value != 0.0)
        indices = np.array([i for i, _ in active], dtype=np.int64)
        real = self.binarize is None or self.binarize == REAL
        data = np.array([value for _, value in active], dtype=np.float64) if real else None
        return Numbered(indices, data, len(self._numbers))

    def _number(self, attributes: Iterable[Hashable]) -> None:
        """Number those of the attributes that are new, for the time being."""
        n = len(self._numbers)
        new = _in_order(list(filterfalse(self._numbers.__contains__, attributes)))
        self._numbers.update(zip(new, range(n, n + len(new)), strict=True))
        self._n_new = len(new)

    def _forget_new(self) -> None:
        """Forget the attributes that were only looked at."""
        for _ in range(self._n_new):
            self._numbers.popitem()
        self._n_new, self._example = 0, None

    def __getitem__(self, attribute: Hashable) -> int:
        self._forget_new()
        return self._numbers[attribute]

    def __iter__(self) -> Iterator[Hashable]:
        self._forget_new()
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers) - self._n_new

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.binarize, dict(self))


def _restored(binarize: Binarize, numbers: dict[Hashable, int]) -> Vocabulary:
    vocabulary = Vocabulary(binarize)
    vocabulary._numbers.update(numbers)
    return vocabulary


def _in_order(keys: list[Any]) -> list[Any]:
    """Sort the keys by name, or integers by value, so that the order in which they come does not matter."""
    if len(keys) > 1:
        keys.sort(key=None if set(map(type, keys)) in ({str}, {int}) else _by_name)  # None is fast
    return keys


def _by_name(key: Hashable) -> tuple[str, str]:
    return type(key).__name__, str(key)


def _all_ones(x: Features, binarize: Binarize) -> bool:
    """Return whether all values count as 1."""
    try:
        values = set(x.values())  # few are distinct
        if isinstance(binarize, str):
            return all(value == 1 and not isinstance(value, str) for value in values)
        return binarize is not None and all(value > binarize for value in values)
    except TypeError:  # a string, None, or anything that is no value
        return False
    except AttributeError:
        raise TypeError(f"an example must be a dictionary, got {x!r}") from None


def _values(x: Features, binarize: Binarize) -> dict[Hashable, float]:
    """Return the attributes of an example with the values that count; a missing number is 0."""
    found: dict[Hashable, float] = {}
    for key, value in x.items():
        if isinstance(value, str):
            found[key, value] = 1.0
        elif value is not None:
            try:
                number = float(value)
            except OverflowError:  # an integer of hundreds of digits
                number = inf if value > 0 else -inf
            except (TypeError, ValueError):
                raise TypeError(f"feature {key!r} must be a number, a boolean or a string, got {value!r}") from None
            if isnan(number):
                found[key] = 0.0
            elif isinstance(binarize, str):
                if isinf(number):
                    raise ValueError(f"feature {key!r} must be finite, got {value!r}")
                found[key] = number
            elif binarize is not None:
                found[key] = float(number > binarize)
            elif 0.0 <= number <= 1.0:
                found[key] = number
            else:
                raise ValueError(f"with binarize=None feature {key!r} must be in [0, 1], got {value!r}")
    return found
