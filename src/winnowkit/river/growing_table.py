"""Dictionaries as rows of a table whose columns, categories and classes appear over time, for `DNFWinnow`.

An absent key is a missing value. Code 0 means unspecified, 1 is reserved for "missing" where that is a value, and
categories have codes from 2 on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.checks import require
from winnowkit.core.columns import Column, as_floats, is_missing, is_number
from winnowkit.core.multiclass import n_learners_for, sources_with_new_class
from winnowkit.data.discretize import MultisplitDiscretizer
from winnowkit.data.encode import WAYS, CategoryEncoder
from winnowkit.dnf.classifier import DNFWinnow, check_parameters, new_learners
from winnowkit.dnf.learners import Learners
from winnowkit.river.vocabulary import Features

UNSPECIFIED, MISSING, FIRST = 0, 1, 2


class TableAdapter:
    """The columns seen so far and their learners, which exist from the first column and second class on."""

    def __init__(self, estimator: DNFWinnow, n_classes: int, warm_up: int) -> None:
        require(isinstance(warm_up, (int, np.integer)) and warm_up >= 1, "warm_up must be an integer >= 1", warm_up)
        check_parameters(estimator)
        encoder = CategoryEncoder() if estimator.encoder is None else estimator.encoder
        self.estimator = estimator
        self.columns = GrowingColumns(
            "ignore" if encoder.missing == "informative" else encoder.missing,
            frozenset(encoder.categorical),
            encoder.monotone,
            int(warm_up),
        )
        self.n_classes = n_classes
        self.n_waited = 0  # trials before there were learners
        self.n_learned = self.n_mistakes = 0
        self.learners: Learners | None = None

    def add_class(self, n_classes: int) -> None:
        """Continue with one more class, which makes n_classes in all (or with the first two)."""
        if self.learners is not None:
            self.learners = self.learners.with_learners(sources_with_new_class(len(self.learners.logs)))
        self.n_classes = n_classes

    # --- one example ------------------------------------------------------------------------------------------------

    def check(self, x: Features) -> None:
        """Raise what :meth:`learn` would raise for such an example; nothing changes."""
        self.columns.look(x)

    def learn(self, x: Features, code: int) -> None:
        """Perform one trial."""
        coded = self.columns.look(x)
        learners = self._grown(coded) if self.n_classes > 1 and coded.codes.size else None
        if learners is None:
            self.n_waited += 1
        else:
            predicted = learners.trial(self.columns.completed(coded, code), code, coded.codes)
            self.learners = learners
            self.n_learned += 1
            self.n_mistakes += predicted != code
        self.columns.learn(coded, code)

    def predict(self, x: Features) -> int:
        """Return the code of the label that :meth:`learn` would predict first."""
        coded = self.columns.look(x)
        return int(self._grown(coded).predict(coded.codes[None])[0]) if coded.codes.size else 0

    def rank(self, x: Features) -> NDArray[np.float64]:
        """Return log W - log theta of each learner; of a pair of them, log W1 - log W0."""
        coded = self.columns.look(x)
        if not coded.codes.size:
            return np.zeros(n_learners_for(self.n_classes))
        decisions: NDArray[np.float64] = self._grown(coded).decisions(coded.codes[None])[0]
        return decisions[1:] - decisions[:1] if len(decisions) == 2 else decisions

    def _grown(self, coded: Coded) -> Learners:
        """Return the learners of all that was seen, including an example that was only looked at."""
        theta: float | Fraction = coded.n_terms if isinstance(self.estimator.theta, str) else self.estimator.theta
        if self.learners is not None:
            return self.learners.grown(coded.codes.size, theta, self.columns.fill)
        return new_learners(self.estimator, self.n_classes, coded.codes.size, theta)

    # --- frames -----------------------------------------------------------------------------------------------------

    def see_columns(self, X: Any) -> None:
        """Do nothing: a column of a table appears with its first value."""

    def learn_many(self, X: Any, codes: list[int]) -> None:
        """Perform one trial per row of a frame."""
        for x, code in zip(X.to_dict("records"), codes, strict=True):
            self.learn(x, code)

    def predict_many(self, X: Any) -> list[int]:
        """Return the codes of the labels that are predicted for the rows of a frame."""
        return [self.predict(x) for x in X.to_dict("records")]

    def rank_many(self, X: Any) -> list[NDArray[np.float64]]:
        """Return the ranks that the scores of the rows of a frame are made from."""
        return [self.rank(x) for x in X.to_dict("records")]

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def counts(self) -> tuple[int, int]:
        """Trials and mistakes."""
        return self.n_waited + self.n_learned, self.n_mistakes

    def weights(self) -> list[dict[Hashable, float]]:
        """Raise AttributeError: there are weights per term."""
        raise AttributeError("DNFWinnow has no weights per attribute: it has one weight per term")


class OpenCategories(dict[Any, int]):
    """Codes of the categories of one column, to which more may be added."""

    def __init__(self, name: Hashable) -> None:
        super().__init__()
        self.name = name

    def code(self, value: Any) -> int:
        """Return the code of a value; a new value has the code that it will get."""
        try:
            return self.get(value, FIRST + len(self))
        except TypeError:
            raise TypeError(
                f"feature {self.name!r} holds {value!r}, which cannot be a category: "
                "categories are strings, integers, booleans or other hashable values"
            ) from None

    def learn(self, value: Any, label: int) -> None:  # noqa: ARG002 - intervals need it
        """Add a value."""
        self.setdefault(value, FIRST + len(self))

    def size_with(self, value: Any) -> int:
        """Return the number of categories, including this value."""
        return len(self) + (value not in self)

    @property
    def size(self) -> int:
        """Number of categories."""
        return len(self)


class MonotoneColumn(OpenCategories):
    """A column of monotone data: 0 says nothing, 1 is the only category."""

    def code(self, value: Any) -> int:
        """Return the code of a value."""
        if value not in (0, 1):
            raise ValueError(f"monotone columns must hold 0 or 1; feature {self.name!r} holds {value!r}")
        return FIRST if value else UNSPECIFIED

    def learn(self, value: Any, label: int) -> None:
        """Do nothing: there are no other categories."""

    def size_with(self, value: Any) -> int:  # noqa: ARG002 - as in the base class
        """Return 1."""
        return 1

    @property
    def size(self) -> int:
        """Always 1."""
        return 1


class WarmUpIntervals:
    """Numbers of one column, collected until there are enough of them to cut them into intervals for good."""

    def __init__(self, name: Hashable, enough: int) -> None:
        self.name = name
        self.enough = enough
        self.collected: list[tuple[float, int]] = []
        self.cuts: list[float] | None = None

    def code(self, value: Any) -> int:
        """Return the code of a number: unspecified until there are cuts."""
        number = self._number(value)
        return UNSPECIFIED if self.cuts is None else FIRST + bisect_right(self.cuts, number)

    def learn(self, value: Any, label: int) -> None:
        """Add a number with its class; the last one needed makes the cuts."""
        if self.cuts is None:
            self.collected.append((self._number(value), label))
            if len(self.collected) >= self.enough:
                numbers, labels = zip(*self.collected, strict=True)
                fitted = MultisplitDiscretizer().fit(np.array(numbers)[:, None], np.array(labels))
                self.cuts = np.asarray(fitted.cuts_[0]).tolist()
                self.collected = []

    def size_with(self, value: Any) -> int:  # noqa: ARG002 - a value adds no interval
        """Return the number of intervals."""
        return self.size

    @property
    def size(self) -> int:
        """Number of intervals."""
        return 0 if self.cuts is None else len(self.cuts) + 1

    def _number(self, value: Any) -> float:
        try:
            return float(as_floats(Column([value]), str(self.name))[0])
        except TypeError:
            raise TypeError(f"feature {self.name!r} must be a number, got {value!r}") from None


class Coded(NamedTuple):
    """An example as codes."""

    codes: NDArray[np.int32]  # new columns last
    n_terms: int  # of all terms over what was seen, including this example
    values: dict[Hashable, Any]  # those that are not missing


class GrowingColumns:
    """Columns and categories as they appear.

    Examples
    --------
    >>> columns = GrowingColumns()
    >>> for x in ({"sky": "grey"}, {"sky": "blue", "wind": "west"}):
    ...     columns.learn(columns.look(x), 0)
    >>> columns.look({"wind": "west", "sky": "red"})
    Coded(codes=array([4, 2], dtype=int32), n_terms=8, values={'wind': 'west', 'sky': 'red'})
    """

    def __init__(
        self,
        missing: str = "ignore",
        categorical: Collection[Hashable] = (),
        monotone: bool = False,
        warm_up: int = 200,
    ) -> None:
        if missing not in WAYS:
            raise ValueError(f"missing must be one of {', '.join(map(repr, WAYS))}; got {missing!r}")
        self.missing = missing
        self.categorical = categorical
        self.monotone = monotone
        self.warm_up = warm_up
        self.columns: dict[Hashable, OpenCategories | WarmUpIntervals] = {}
        self.with_missing: set[Hashable] = set()  # columns that were missing in some example
        self.n_seen = 0
        self._frequent: dict[int, defaultdict[Hashable, Counter[int]]] = {}  # per class: codes of each column

    def look(self, x: Features) -> Coded:
        """Code an example as it will be coded when it is learned from, without adding anything."""
        if not isinstance(x, Mapping):
            raise TypeError(f"an example must be a dictionary, got {x!r}")
        values = {key: value for key, value in x.items() if not is_missing(value)}
        every = self.columns | {key: self._column(key, values[key]) for key in values if key not in self.columns}
        absent = MISSING if self.missing == "value" and not self.monotone else UNSPECIFIED
        codes, n_terms = np.full(len(every), absent, dtype=np.int32), 1
        for j, (key, column) in enumerate(every.items()):
            size = column.size
            if key in values:
                codes[j] = column.code(values[key])
                size = column.size_with(values[key])
            n_terms *= 1 + size + (absent == MISSING and self._was_missing(key, values))
        return Coded(codes, n_terms, values)

    def learn(self, coded: Coded, label: int) -> None:
        """Add the columns and categories of an example that was looked at, and then its numbers."""
        if self.missing == "value":
            late = coded.values if self.n_seen else ()
            self.with_missing.update(key for key in late if key not in self.columns)
            self.with_missing.update(key for key in self.columns if key not in coded.values)
        for key, value in coded.values.items():
            if key not in self.columns:
                self.columns[key] = self._column(key, value)
            self.columns[key].learn(value, label)
        if self.missing == "most_frequent":
            counters = self._frequent.setdefault(label, defaultdict(Counter))
            for key, code in zip(self.columns, coded.codes.tolist(), strict=True):
                if code != UNSPECIFIED:
                    counters[key][code] += 1
        self.n_seen += 1

    def completed(self, coded: Coded, label: int) -> NDArray[np.int32]:
        """Return the codes to learn from, with "most_frequent" in place of missing values if that was asked for."""
        codes = coded.codes
        if self.missing == "most_frequent" and label in self._frequent:
            codes = codes.copy()
            for j, key in enumerate(self.columns):
                found = self._frequent[label].get(key)
                if key not in coded.values and found:
                    codes[j] = max(found, key=lambda code: (found[code], -code))
        return codes

    @property
    def fill(self) -> int:
        """Code that all examples so far have in a new column."""
        return MISSING if self.missing == "value" and not self.monotone and self.n_seen else UNSPECIFIED

    def _was_missing(self, key: Hashable, values: Features) -> bool:
        if key in self.columns:
            return key in self.with_missing or key not in values
        return self.n_seen > 0

    def _column(self, key: Hashable, value: Any) -> OpenCategories | WarmUpIntervals:
        if self.monotone:
            return MonotoneColumn(key)
        number = is_number(type(value)) and (isinstance(value, float | np.floating) or value not in (0, 1))
        if number and key not in self.categorical:
            return WarmUpIntervals(key, self.warm_up)
        return OpenCategories(key)
