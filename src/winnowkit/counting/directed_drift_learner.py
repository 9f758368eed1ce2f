"""Directed Drift (Fang & Venkatesh): weights of -1 and 1, flipped one or several at a time.

The paper learns from positive examples u, <w*, u> >= 0. A negative example counts as its mirror image -u; it is
consistent iff <w, u> < 0. What opens an update is a misclassified example; what it flips depends on the mode:

========== =============================== =====================================================================
mode       batch m                         flips
========== =============================== =====================================================================
online     1                               D4: one random weight of those that differ from the example
single     ceil(0.5 pi n ln n)             D4': the weight with the most votes of the batch
multiple   ceil(pi n ln n)                 D4'': the floor((1 - Y)/2) weights with the most votes, or (flips
                                           "majority") every one with more than m/2
========== =============================== =====================================================================

An example of the batch votes for the weights that differ from it. Learning ends once T >= sqrt(pi n / 2) ln(1/delta)
examples in a row were consistent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, log, pi, sqrt
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core import csr
from winnowkit.core.arrays import check_arrays, check_consistent
from winnowkit.core.csr import Rows
from winnowkit.core.learner import BadRowsError, require
from winnowkit.counting import directed_drift_kernel as drift
from winnowkit.counting.directed_drift_kernel import Flip

Mode = Literal["multiple", "online", "single"]
Flips = Literal["paper", "majority"]

_FLIP = {
    ("online", "paper"): Flip.RANDOM,
    ("online", "majority"): Flip.RANDOM,
    ("single", "paper"): Flip.ONE,
    ("single", "majority"): Flip.ONE,
    ("multiple", "paper"): Flip.NEEDED,
    ("multiple", "majority"): Flip.MAJORITY,
}


class Drift(NamedTuple):
    """Directed Drift, for a given number of weights."""

    flip: Flip
    batch: int
    stop: int


class Packed(NamedTuple):
    """A table of -1 and 1, or 0 and 1, as bits: row r, attribute j is bit j % 64 of ``words[r, j // 64]``."""

    words: NDArray[np.uint64]


def directed_drift(n: int, mode: str, flips: str, batch: int | str, delta: float) -> Drift:
    """Algorithm D, with step D4, D4' or D4''.

    Examples
    --------
    >>> directed_drift(21, "multiple", "paper", "auto", delta=0.05)
    Drift(flip=<Flip.NEEDED: 2>, batch=201, stop=18)
    """
    require(mode in ("multiple", "online", "single"), "mode must be 'multiple', 'online' or 'single'", mode)
    require(flips in ("paper", "majority"), "flips must be 'paper' or 'majority'", flips)
    require(0.0 < delta < 1.0, "delta must be in (0, 1)", delta)
    if isinstance(batch, str):
        require(batch == "auto", "batch must be an integer >= 1 or 'auto'", batch)
        batch = ceil((0.5 if mode == "single" else 1.0) * pi * n * log(n))
    require(isinstance(batch, (int, np.integer)) and batch >= 1, "batch must be an integer >= 1 or 'auto'", batch)
    flip = _FLIP[mode, flips]
    return Drift(flip, 1 if flip == Flip.RANDOM else int(batch), ceil(sqrt(pi * n / 2.0) * log(1.0 / delta)))


def pack(bits: NDArray[np.bool_]) -> Packed:
    """A table of booleans, True for +1, as bits.

    Examples
    --------
    >>> pack(np.array([[True, False, True]])).words
    array([[5]], dtype=uint64)
    """
    packed = np.packbits(bits, axis=1, bitorder="little")
    octets = np.zeros((bits.shape[0], -(-bits.shape[1] // 64) * 8), dtype=np.uint8)
    octets[:, : packed.shape[1]] = packed
    return Packed(octets.view("<u8").astype(np.uint64, copy=False))


def unpack(packed: Packed, n: int) -> NDArray[np.bool_]:
    """The table of n columns that was packed."""
    octets = np.ascontiguousarray(packed.words.astype("<u8", copy=False)).view(np.uint8)
    bits: NDArray[np.bool_] = np.unpackbits(octets, axis=1, count=n, bitorder="little").astype(np.bool_)
    return bits


@dataclass
class DriftLearner:
    """Directed Drift at work: n attributes, one target a learner, all in arrays that kernels change in place."""

    state: drift.State

    @classmethod
    def begin(cls, rule: Drift, n_features: int, n_learners: int, negations: bool, rng: np.random.Generator) -> Self:
        """A learner that has seen nothing: its weights are coins, and so are the seeds of its draws."""
        parameters = np.zeros(1, dtype=drift.PARAMETERS)
        for name, number in {**rule._asdict(), "n_features": n_features, "negations": negations}.items():
            parameters[name] = number
        shape = (n_learners, 1 + negations, n_features)
        weights = pack(rng.integers(0, 2, shape, dtype=np.bool_).reshape(-1, n_features)).words.reshape(n_learners, -1)
        levels = 0 if rule.flip == Flip.RANDOM else rule.batch.bit_length()
        return cls.from_arrays(
            {
                "weights": weights,
                "votes": np.zeros((*weights.shape, levels, 2), dtype=np.uint64),
                "progress": np.zeros((n_learners, drift.N_PROGRESS), dtype=np.int64),
                "counts": np.zeros((1 + n_learners, 2), dtype=np.int64),
                "seeds": rng.integers(2**64, size=n_learners, dtype=np.uint64),
                "parameters": parameters,
            }
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """A learner from what :meth:`arrays` gave."""
        arrays = {name: np.require(array, requirements=["C", "W"]) for name, array in arrays.items()}
        return cls(drift.State(example=np.zeros(arrays["weights"].shape[1], dtype=np.uint64), **arrays))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that has to be kept to continue exactly here."""
        arrays = self.state._asdict()
        del arrays["example"]  # only matters within a trial
        return arrays

    def __getstate__(self) -> dict[str, NDArray[Any]]:
        return self.arrays()

    def __setstate__(self, arrays: dict[str, NDArray[Any]]) -> None:
        check_drift(arrays)
        self.state = type(self).from_arrays(arrays).state

    @property
    def counts(self) -> NDArray[np.int64]:
        """Trials and wrong labels; then, a row a learner, updates made and wrong predictions of its own."""
        return self.state.counts

    @property
    def opened(self) -> NDArray[np.int64]:
        """Epochs that a misclassified example opened, one count a learner."""
        return self.state.progress[:, drift.OPENED]

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Whether each learner has reached the confidence stop."""
        stopped: NDArray[np.bool_] = self.state.progress[:, drift.CONFIDENCE] >= self.state.parameters["stop"]
        return stopped

    @property
    def coef(self) -> NDArray[np.float64]:
        """Decision = coef . u: the weights, with negations those of an attribute minus those of its complement."""
        n_features = self._n_features
        width = -(-n_features // 64)
        bits = unpack(Packed(self.state.weights.reshape(-1, width)), n_features)
        signs = np.where(bits, 1.0, -1.0).reshape(len(self.state.weights), -1, n_features)
        coef: NDArray[np.float64] = signs[:, 0] - signs[:, 1:].sum(axis=1)
        return coef

    @property
    def _n_features(self) -> int:
        return int(self.state.parameters["n_features"][0])

    def learn(
        self,
        rows: Rows | Packed,
        labels: NDArray[np.int64],
        order: NDArray[np.int64] | None = None,
        frozen: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """One trial a row: the labels predicted before each update. Raises BadRowsError with nothing changed."""
        words, sparse = self._checked(rows, 0, labels.size)
        if order is None:
            order = np.arange(labels.size)
        if frozen is None:
            frozen = np.zeros(len(self.state.weights), dtype=np.bool_)
        predicted = np.empty(labels.size, dtype=np.int64)
        drift.learn(self.state, words, sparse, labels, order, frozen, predicted)
        return predicted

    def decide(self, rows: Rows | Packed, first: int, last: int) -> NDArray[np.float64]:
        """Decisions of all learners on the rows from first to last."""
        words, sparse = self._checked(rows, first, last)
        decisions = np.empty((last - first, len(self.state.weights)))
        drift.decide(self.state, words, sparse, first, decisions)
        return decisions

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """One trial on the active indices alone: the label predicted; -2 if one is out of range."""
        predicted: int = drift.trial_active(*self.state, indices, label)
        return predicted

    def _checked(self, rows: Rows | Packed, first: int, last: int) -> tuple[NDArray[np.uint64] | None, Rows | None]:
        """The rows as the one of two forms that they have; refuses sparse ones that are not safe to walk."""
        if isinstance(rows, Packed):
            width = -(-self._n_features // 64)
            require(rows.words.shape[1] == width, f"rows must have {width} words", rows.words.shape[1])
            return rows.words, None
        if flags := csr.check(rows, first, last, self._n_features):
            raise BadRowsError(flags)
        return None, rows


def check_drift(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse arrays that are not of one family of learners."""
    lengths = check_arrays(
        arrays,
        {
            "weights": (np.uint64, ("learners", "words")),
            "votes": (np.uint64, ("learners", "words", "levels", 2)),
            "progress": (np.int64, ("learners", drift.N_PROGRESS)),
            "counts": (np.int64, ("rows", 2)),
            "seeds": (np.uint64, ("learners",)),
            "parameters": (drift.PARAMETERS, (1,)),
        },
    )
    parameters = arrays["parameters"][0]
    flip, batch, n_features = int(parameters["flip"]), int(parameters["batch"]), int(parameters["n_features"])
    blocks = 1 + int(parameters["negations"])
    progress = arrays["progress"]
    called, to_flip = progress[:, drift.CALLED], progress[:, drift.TO_FLIP]
    check_consistent(lengths["rows"] == 1 + lengths["learners"] >= 2, "counts")
    check_consistent(n_features >= 1 and lengths["words"] == blocks * -(-n_features // 64), "words of weights")
    check_consistent(flip in tuple(Flip) and batch >= 1, "its mode")
    check_consistent(lengths["levels"] == (0 if flip == Flip.RANDOM else batch.bit_length()), "levels of votes")
    check_consistent((called >= 0).all() and (called < batch).all(), "a batch longer than it may be")
    check_consistent((to_flip >= 0).all() and (to_flip <= n_features * blocks).all(), "weights to be flipped")
