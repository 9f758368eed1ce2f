"""A learner of boolean attributes, fed with dictionaries."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows
from winnowkit.core.growing import one_row
from winnowkit.core.learner import GrowingLearner
from winnowkit.core.multiclass import chosen
from winnowkit.core.online_classifier import OnlineClassifier, new_learner
from winnowkit.data.vocabulary import Example, Seen, Vocabulary
from winnowkit.river.frames import is_numeric, rows_of


class BooleanSide:
    """The attributes seen so far, and their learner; there is none before the first attribute and the second class."""

    def __init__(self, estimator: OnlineClassifier, n_classes: int) -> None:
        self.estimator = estimator
        self.vocabulary = Vocabulary(estimator.binarize)
        self.n_classes = n_classes
        self.n_waited = 0  # trials before there is a learner
        self.learner: GrowingLearner | None = None

    @property
    def n_learners(self) -> int:
        """How many learners so many classes need."""
        return 1 if self.n_classes == 2 else self.n_classes

    def add_class(self, n_classes: int) -> None:
        """Go on with more classes: the learner of two is that of the second, against the rest."""
        self.n_classes = n_classes
        if self.learner is not None:
            before: Sequence[int | None] = [None, 0] if n_classes == 3 else range(n_classes - 1)
            self.learner = self.learner.with_learners([*before, None])

    # --- one example ------------------------------------------------------------------------------------------------

    def learn(self, x: Example, code: int) -> None:
        """One trial."""
        seen = self.vocabulary.add(x)
        if self.learner is None or seen.n > self.learner.n_features:
            self.grow()
        if self.learner is None:
            self.n_waited += 1
        elif seen.data is None:
            self.learner.trial_active(seen.indices, code)
        else:
            self.learner.learn(one_row(seen.indices, seen.data, None), np.array([code]))

    def predict(self, x: Example) -> int:
        """Code of the label that :meth:`learn` would predict first."""
        seen = self.vocabulary.look(x)
        if self.learner is not None and seen.data is None:
            return self.learner.predict_active(seen.indices, seen.n)
        return int(chosen(self._foresee(seen, ranking=False)[None])[0])

    def rank(self, x: Example) -> NDArray[np.float64]:
        """What scores are made of; see :meth:`winnowkit.core.learner.GrowingLearner.rank`."""
        return self._foresee(self.vocabulary.look(x), ranking=True)

    def _foresee(self, seen: Seen, *, ranking: bool) -> NDArray[np.float64]:
        if seen.n == 0:
            return np.zeros(self.n_learners)
        learner = self.learner or new_learner(self.estimator, seen.n, self.n_learners)
        return learner.foresee(seen.indices, seen.data, seen.n, ranking=ranking)

    def grow(self) -> None:
        """Be the learner of all attributes seen so far, once there can be one."""
        n = len(self.vocabulary)
        if self.learner is None:
            if n > 0 and self.n_classes > 1:
                self.learner = new_learner(self.estimator, n, self.n_learners)
        elif n > self.learner.n_features:
            self.learner.grow(n)

    # --- frames -----------------------------------------------------------------------------------------------------

    def rows_to_learn(self, X: Any) -> Rows:
        """Rows of a frame, whose columns are attributes from now on."""
        self.vocabulary.add_all(X.columns)
        self.grow()
        return rows_of(X, self.vocabulary)

    def learn_rows(self, rows: Rows, first: int, codes: NDArray[np.int64]) -> None:
        """One trial a row, from the first on."""
        self.grow()
        if self.learner is None:
            self.n_waited += codes.size
        else:
            self.learner.learn(rows._replace(indptr=rows.indptr[first : first + codes.size + 1].copy()), codes)

    def knows(self, X: Any) -> bool:
        """Whether a frame has known columns of numbers only, so that the learner can be asked about all rows."""
        return self.learner is not None and is_numeric(X) and self.vocabulary.keys() >= set(X.columns)

    def decide_rows(self, X: Any) -> NDArray[np.float64]:
        """Decisions on a frame that is known."""
        return self._known.decide(rows_of(X, self.vocabulary), 0, len(X))

    def rank_rows(self, X: Any) -> NDArray[np.float64]:
        """What scores of a frame that is known are made of."""
        return self._known.rank(rows_of(X, self.vocabulary), 0, len(X))

    @property
    def _known(self) -> GrowingLearner:
        assert self.learner is not None
        return self.learner

    # --- what has been learned --------------------------------------------------------------------------------------

    @property
    def counts(self) -> tuple[int, int]:
        """Trials and mistakes."""
        trials, mistakes = (0, 0) if self.learner is None else self.learner.counts[0].tolist()
        return trials + self.n_waited, mistakes

    def weights(self) -> list[dict[Hashable, float]]:
        """What each attribute adds to the decision, one dictionary a learner."""
        if self.learner is None:
            return []
        coef = getattr(self.learner, "leader_coef", None)
        coef = getattr(self.learner, "coef", None) if coef is None else coef
        if coef is None:
            raise AttributeError(f"{type(self.estimator).__name__} has no weight an attribute")
        return [dict(zip(self.vocabulary, row, strict=True)) for row in coef.tolist()]
