"""Directed Drift as a scikit-learn classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from winnowkit.core.boolean_classifier import BooleanClassifier
from winnowkit.core.checks import require
from winnowkit.core.csr import Rows
from winnowkit.core.explaining import Asked
from winnowkit.core.transaction import reads
from winnowkit.core.validation import generator
from winnowkit.counting.directed_drift_learner import DriftLearner, Flips, Mode, Packed, Stop, directed_drift, pack
from winnowkit.counting.explanation import explain_signs
from winnowkit.rulesets.explanation import LinearExplanation


@dataclass(kw_only=True, eq=False, repr=False)
class DirectedDrift(BooleanClassifier):
    """Directed Drift: learn weights of -1 and 1 from examples of -1 and 1, keeping one bit per weight.

    It predicts 1 iff <w, u> >= 0. An example is consistent if it is predicted correctly; a misclassified one opens an
    *epoch*, in which weights are flipped, and a long run of consistent examples ends learning for good.

    Parameters
    ----------
    mode : {"multiple", "online", "single"}
        Action of an epoch. "online" flips, at once, a random one of the weights that differ from the example (step
        D4). "single" and "multiple" call a batch of examples, the misclassified one included, each of which votes for
        the weights that it differs from, then flip the weight with the most votes (D4'), or several (D4''). A negative
        example differs where its mirror image -u does. A batch may go on in the next `partial_fit`.
    flips : {"paper", "majority"}
        Weights that "multiple" flips. "paper": those with the most votes, as many as it takes to make the example that
        opened the epoch consistent, floor((1 - Y) / 2) for its product Y < 0 with w; ties go to the lowest index. (For
        even n a negative example may need one more. It flips at least one.)
        "majority": all that more than half the batch voted for, which takes far fewer epochs; each weight becomes the
        sign that most of the batch have there, the clipped Hebb rule.
    batch : int or "auto"
        Examples of a batch, >= 1; "auto" is the paper's ceil(pi n ln n), half that in mode "single". Not used on line.
    delta : float, default=0.05
        The probability, in (0, 1), that learning may end at weights that are not the target's, for uniform examples.
    stop : {"valid", "paper"}
        When learning ends. "valid": once a run of consistent examples is so long that all hypotheses tried so far
        together pass by chance with a probability of delta at most; runs grow with the logarithm of their number.
        "paper": once sqrt(pi n / 2) ln(1 / delta) examples in a row were consistent, which bounds the chance of one
        hypothesis only; see ``winnowkit reproduce fang-venkatesh`` for how often it ends elsewhere.
    binarize : float, default=0.0
        A value above it means +1, any other -1: tables of 0 and 1 and of -1 and 1 are alike.
    negations : bool, default=False
        Give the complement of every attribute a weight too: the two add up to -2, 0 or 2, so that attributes may be
        irrelevant.
    {epochs}
    {whole_class_weight}
    random_state : int, RandomState, Generator or None
        Seed of that order, of the initial weights, which are random, and of the choices of mode "online".
    {n_jobs}

    Attributes
    ----------
    {classes}
    coef_, intercept_ : array
        The weights, and 0: the decision is ``U @ coef_.T``, U being X in terms of -1 and 1 (and positive on a tie).
    n_trials_ : int
        Number of examples seen, including those of batches and those after the end of learning.
    n_mistakes_ : int
        Epochs opened by a misclassified example: the paper's measure (footnote 2). The other examples of a batch are
        not counted, whatever was predicted. With more than two classes, the epochs of all learners are added up.
    n_epochs_ : int
        Epochs completed: executions of step D4, D4' or D4''. One less than `n_mistakes_` for each batch still open.
    n_updates_ : array
        The same, for each learner (one learner per class if there are more than two).
    converged_ : bool
        Whether learning has ended for all learners.

    See Also
    --------
    winnowkit.data.streams.half_spaces : Examples of such half-spaces.
    Winnow2 : Weights of any size.

    Notes
    -----
    {whole_weights}

    References
    ----------
    Fang & Venkatesh, "On batch learning in a binary weight setting"; Venkatesh 1993.

    Examples
    --------
    >>> from winnowkit import DirectedDrift
    >>> from winnowkit.data import streams
    >>> stream = streams.half_spaces(n=101, labels="both", seed=0)
    >>> X, y = stream.take(10_000)
    >>> model = DirectedDrift(flips="majority", random_state=0).partial_fit(X, y, classes=[0, 1])
    >>> model.n_mistakes_, model.converged_, tuple(model.coef_[0]) == stream.target.weights
    (1, True, True)
    """

    mode: Mode = "multiple"
    flips: Flips = "paper"
    batch: int | Literal["auto"] = "auto"
    delta: float = 0.05
    stop: Stop = "valid"

    def _begin(self, n_features: int, n_learners: int) -> DriftLearner:
        rng = generator(self.random_state)
        require(self.binarize is not None and np.isfinite(self.binarize), "binarize must be a number", self.binarize)
        n = max(2, n_features * (1 + self.negations))  # a single attribute has the parameters of two
        rule = directed_drift(n, self.mode, self.flips, self.batch, self.delta, self.stop)
        return DriftLearner.begin(rule, n_features, n_learners, self.negations, rng)

    def _rows(self, X: Any) -> Rows | Packed:
        """Return the rows of a sparse matrix as they are, and those of an array as bits."""
        return super()._rows(X) if issparse(X) else pack(self.binarize < X)

    @property
    def _drift(self) -> DriftLearner:
        return cast(DriftLearner, self._learner)

    def _explained(self, asked: Asked) -> LinearExplanation:
        return explain_signs(self._drift, asked, self.binarize)

    @property
    @reads
    def coef_(self) -> NDArray[np.float64]:
        """Weights, one row per learner."""
        return self._drift.coef

    @property
    @reads
    def intercept_(self) -> NDArray[np.float64]:
        """Zeros: half-spaces pass through the origin."""
        return np.zeros(len(self._drift.opened))

    @property
    @reads
    def n_mistakes_(self) -> int:
        """Number of epochs opened by a misclassified example."""
        return int(self._drift.opened.sum())

    @property
    @reads
    def n_epochs_(self) -> int:
        """Number of epochs completed: executions of step D4."""
        return int(self.n_updates_.sum())

    @property
    @reads
    def converged_(self) -> bool:
        """Whether the confidence stop was reached."""
        return bool(self._drift.converged.all())
