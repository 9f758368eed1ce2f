"""DNFWinnow, fed with dictionaries: an absent key is missing; columns, categories and classes turn up over time."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.learner import require
from winnowkit.data.encode import CategoryEncoder
from winnowkit.data.growing_columns import Coded, GrowingColumns
from winnowkit.data.vocabulary import Example
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.dnf.learners import Learners


class TableSide:
    """The columns seen so far, and their learners; there are none before the first column and the second class."""

    def __init__(self, estimator: DNFWinnow, n_classes: int, warm_up: int) -> None:
        require(isinstance(warm_up, (int, np.integer)) and warm_up >= 1, "warm_up must be an integer >= 1", warm_up)
        estimator._check_parameters()
        encoder = CategoryEncoder() if estimator.encoder is None else estimator.encoder
        self.estimator = estimator
        self.columns = GrowingColumns(
            "ignore" if encoder.missing == "informative" else encoder.missing,
            frozenset(encoder.numeric),
            encoder.monotone,
            int(warm_up),
        )
        self.n_classes = n_classes
        self.n_waited = 0  # trials before there is a learner
        self.n_learned = self.n_mistakes = 0
        self.learners: Learners | None = None

    @property
    def n_learners(self) -> int:
        """How many learners so many classes need."""
        return self.estimator._training.n_learners(self.n_classes)

    def add_class(self, n_classes: int) -> None:
        """Go on with more classes: a single learner of two is that of the second, against the rest."""
        self.n_classes = n_classes
        if self.learners is not None:
            n_learners = len(self.learners.logs)
            before: Sequence[int | None] = [None, 0] if n_learners == 1 else range(n_learners)
            self.learners = self.learners.with_learners([*before, None])

    # --- one example ------------------------------------------------------------------------------------------------

    def learn(self, x: Example, code: int) -> None:
        """One trial."""
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

    def predict(self, x: Example) -> int:
        """Code of the label that :meth:`learn` would predict first."""
        coded = self.columns.look(x)
        return int(self._grown(coded).predict(coded.codes[None])[0]) if coded.codes.size else 0

    def rank(self, x: Example) -> NDArray[np.float64]:
        """Log W - log theta of each learner; of a pair of them, log W1 - log W0."""
        coded = self.columns.look(x)
        if not coded.codes.size:
            return np.zeros(1 if self.n_classes == 2 else self.n_classes)
        decisions: NDArray[np.float64] = self._grown(coded).decisions(coded.codes[None])[0]
        return decisions[1:] - decisions[:1] if len(decisions) == 2 else decisions

    def _grown(self, coded: Coded) -> Learners:
        """The learners of all that was seen, an example included that was only looked at."""
        theta: float | Fraction = coded.n_terms if isinstance(self.estimator.theta, str) else self.estimator.theta
        if self.learners is not None:
            return self.learners.grown(coded.codes.size, theta, self.columns.fill)
        engine = self.estimator._engine
        kept = self.estimator._training.max_mistakes
        return Learners(self.n_learners, coded.codes.size, float(self.estimator.alpha), theta, engine, kept)

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def counts(self) -> tuple[int, int]:
        """Trials and mistakes."""
        return self.n_waited + self.n_learned, self.n_mistakes

    def weights(self) -> list[dict[Hashable, float]]:
        """Not kept: there is one a term."""
        raise AttributeError("DNFWinnow has no weight an attribute: it has one a term")
