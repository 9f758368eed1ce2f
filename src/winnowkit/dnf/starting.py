"""How a Winnow over terms begins: its parameters checked, what `fit` may choose, categories, empty logs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.learner import require
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.auto import Auto
from winnowkit.dnf.bounded import ShortTerms, n_short_terms
from winnowkit.dnf.choosing import NODES, Choice, Options, Trials
from winnowkit.dnf.engine import Engine
from winnowkit.dnf.epochs import UpdatePolicy
from winnowkit.dnf.exact import Exact
from winnowkit.dnf.experts import teach
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.table_classifier import Codes, TableClassifier

OFFERED = UpdatePolicy(0.1, "half"), UpdatePolicy(), UpdatePolicy(1.0, 16), UpdatePolicy(1.0, 8), UpdatePolicy(1.0, 4)
"""What is tried where margin and limit are "auto"."""


class Starting(TableClassifier):
    """What a classifier over the terms of a table does before it learns."""

    alpha: float
    theta: float | Fraction | Literal["auto"]
    weighted_sum: Engine | Literal["auto"]
    max_epochs: int
    margin: float | Literal["auto"]
    max_updates: int | Literal["half", "auto"] | None
    keep: str
    two_class: str
    monotone: bool
    max_literals: int | None
    forbid: Sequence[Any] | None
    experts: Sequence[tuple[Mapping[Any, Any], Any, Any]] | None
    max_mistakes: int | None
    numeric: Sequence[str | int] | None

    @property
    def _options(self) -> Options:
        """What `fit` may choose from: what is "auto". Where trials cost too much, the usual."""
        sides = ("single", "pair") if self.two_class == "auto" else (self.two_class,)
        return Options(
            missing=("informative", "ignore", "value") if self.missing == "auto" else (self.missing,),
            two_class=sides[:1] if self.monotone else sides,
            demand=list(dict.fromkeys(map(self._asked, OFFERED))),
        )

    def _asked(self, demand: UpdatePolicy) -> UpdatePolicy:
        """What the parameters make of a demand that is offered."""
        margin = demand.margin if self.margin == "auto" else float(self.margin)
        return UpdatePolicy(margin, demand.max_updates if self.max_updates == "auto" else self.max_updates)

    def _choose(self, X: Any, y: NDArray[Any], labels: NDArray[np.int64], rng: np.random.Generator) -> Choice:
        """Choose what is "auto" by trials on parts of the rows."""
        engine, options = self._checked_engine(), self._options  # what is wrong is said first
        if all(len(some) == 1 for some in options) or len(np.unique(labels)) < 2:
            return options.usual
        if not engine.compares_exactly or self.max_literals is not None or self.experts is not None:
            return options.usual
        encoders = {missing: self._encoder(missing) for missing in options.missing}
        codes = {missing: encoder.fit_transform(X, y) for missing, encoder in encoders.items()}
        if not any(encoder.has_missing for encoder in encoders.values()):
            options = options._replace(missing=options.missing[:1])

        def begin(missing: str, n_learners: int) -> Learners:
            encoder = encoders[missing]
            theta = self._n_terms(encoder) if self.theta == "auto" else self.theta
            few = Exact(NODES)
            return Learners(n_learners, encoder.n_features_in_, float(self.alpha), theta, few, self.max_mistakes)

        return Trials(codes, labels, begin, rng, self._threads).best(options)

    def _encoder(self, missing: str) -> CategoryEncoder:
        return CategoryEncoder(
            missing=missing, numeric=self.numeric or (), monotone=self.monotone, forbid=self.forbid or ()
        )

    def _start(self, X: Any, y: NDArray[Any], classes: NDArray[Any], choice: Choice) -> Codes:
        """Check parameters, learn the categories, begin with empty logs; and code X as training rows."""
        engine = self._checked_engine()
        encoder = self._encoder(choice.missing)
        codes = encoder.fit_transform(X, y)
        if len(classes) < 2:
            raise ValueError(f"DNFWinnow needs at least 2 classes; the data has one class: {classes.tolist()[0]!r}")
        theta = self._n_terms(encoder) if self.theta == "auto" else self.theta
        n_learners = 1 if len(classes) == 2 and choice.two_class != "pair" else len(classes)
        if self.max_literals is not None:
            engine = ShortTerms(encoder.n_categories_, self.max_literals)
        self._learners = Learners(
            n_learners, encoder.n_features_in_, float(self.alpha), theta, engine, self.max_mistakes
        )
        if self.experts is not None:
            teach(self._learners, encoder, classes.tolist(), self.experts, self.max_literals)
        self.encoder_, self.classes_ = encoder, classes
        self.n_trials_ = self.n_mistakes_ = 0
        for name in ("n_epochs_", "chosen_"):
            self.__dict__.pop(name, None)
        return codes

    def _checked_engine(self) -> Engine:
        """Check all parameters that do not depend on the data; what sums."""
        require(1 < self.alpha < math.inf, "alpha must be > 1 and finite", self.alpha)
        require(_is_count(self.max_epochs), "max_epochs must be an integer >= 1", self.max_epochs)
        bounded = self.max_mistakes is not None
        require(not bounded or _is_count(self.max_mistakes), "max_mistakes must be an integer >= 1", self.max_mistakes)
        require(self.keep in ("longest", "last"), "keep must be 'longest' or 'last'", self.keep)
        kinds = "adaptive", "single", "pair", "auto"
        require(self.two_class in kinds, "two_class must be 'adaptive', 'single', 'pair' or 'auto'", self.two_class)
        given = 0.0 if self.margin == "auto" else self.margin
        require(not isinstance(given, str) and 0 <= given < math.inf, "margin must be 'auto' or a number >= 0", given)
        require(
            self.max_updates in ("half", "auto", None) or _is_count(self.max_updates),
            "max_updates must be 'half', 'auto', None or an integer >= 1",
            self.max_updates,
        )
        automatic = isinstance(self.weighted_sum, str) and self.weighted_sum == "auto"
        engine: Any = Auto() if automatic else self.weighted_sum
        check_engine(engine)
        short = self.max_literals is not None
        require(not short or _is_count(self.max_literals), "max_literals must be an integer >= 1", self.max_literals)
        require(not short or automatic, "with max_literals weighted_sum must be 'auto'", self.weighted_sum)
        expert = self.experts is not None
        require(
            not (expert and bounded), "with experts max_mistakes must be None: a log may forget them", self.max_mistakes
        )
        theta = 1.0 if self.theta == "auto" else self.theta
        require(not isinstance(theta, str) and 0 < theta < math.inf, "theta must be a number > 0 or 'auto'", theta)
        return engine

    def _n_terms(self, encoder: CategoryEncoder) -> int:
        if self.max_literals is not None:
            return n_short_terms(encoder.n_allowed_, self.max_literals)
        return math.prod(int(k) + 1 for k in encoder.n_allowed_)


def _is_count(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= 1)


def check_engine(engine: object) -> None:
    """Refuse an object that is not an engine; None is the model's own engine."""
    if engine is not None and not isinstance(engine, Engine):
        raise ValueError(f"an engine must be an instance of winnowkit.dnf.Engine, such as {Exact()!r}; got {engine!r}")
