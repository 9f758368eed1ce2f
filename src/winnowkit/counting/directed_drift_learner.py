"""Directed Drift (Fang & Venkatesh): weights of -1 and 1, flipped one or several at a time.

The paper learns from positive examples u, <w*, u> >= 0. A negative example counts as its mirror image -u; it is
consistent iff <w, u> < 0. A misclassified example opens an update; what it flips depends on the mode:

========== =============================== =====================================================================
mode       batch m                         flips
========== =============================== =====================================================================
online     1                               D4: one random weight of those that differ from the example
single     ceil(0.5 pi n ln n)             D4': the weight with the most votes of the batch
multiple   ceil(pi n ln n)                 D4'': the floor((1 - Y)/2) weights with the most votes, or (flips
                                           "majority") every one with more than m/2
========== =============================== =====================================================================

An example of the batch votes for the weights that differ from it. Majority votes set every weight to the sign that most
of the batch have there: the clipped Hebb rule.

Learning ends once T examples in a row were consistent. The paper's T is sqrt(pi n / 2) ln(1/delta). A single wrong
hypothesis passes it with probability delta or less; but hundreds may be tried, and each has its chance. The valid T_k,
for the k-th hypothesis, leaves it the chance delta / (k (k + 1)), which adds up to delta over all k. It is
ln(k (k + 1) / delta) / -ln(1 - p_n), p_n being the probability that one wrong weight shows.

A late attribute is not treated as if it had been there from the start: an attribute that was always -1 would have taken
part in every product <w, u>, and so in past mistakes. It gets a random weight, as all weights were random at the start,
and, in an open batch, the votes of the examples called so far, in which it was -1. The batch and the stop follow n:
learning that had ended goes on until the confidence for the new n is reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import ceil, exp, lgamma, log, log1p, pi, sqrt
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core import csr
from winnowkit.core.arrays import check_arrays, check_consistent
from winnowkit.core.checks import require
from winnowkit.core.csr import Rows, Trials, refuse
from winnowkit.core.growing import scaled, selected, selected_counts
from winnowkit.counting import directed_drift_kernel as drift
from winnowkit.counting.directed_drift_kernel import DRIFT_PARAMETERS, DriftState, FlipRule
from winnowkit.counting.learner import Arrays, CountingLearner, safe_to_change, whole_presentations

Mode = Literal["multiple", "online", "single"]
Flips = Literal["paper", "majority"]
Stop = Literal["valid", "paper"]

WORD = 64
NEW_SEED, NEW_WORD = 2, 3  # in place of a block, where random bits are drawn for a new class

_FLIP = {
    ("online", "paper"): FlipRule.RANDOM,
    ("online", "majority"): FlipRule.RANDOM,
    ("single", "paper"): FlipRule.ONE,
    ("single", "majority"): FlipRule.ONE,
    ("multiple", "paper"): FlipRule.NEEDED,
    ("multiple", "majority"): FlipRule.MAJORITY,
}


class DriftRule(NamedTuple):
    """Algorithm D for a given number of weights."""

    flip: FlipRule
    batch: int
    stop: int  # the T of the paper, or that of the first hypothesis
    rate: float  # -ln(1 - p_n) of a valid stop; 0 for the paper's
    delta: float
    automatic: bool  # whether the batch is the paper's, which follows n

    def for_weights(self, n: int) -> DriftRule:
        """Return the same algorithm for n weights."""
        batch = self.batch
        if self.automatic and self.flip != FlipRule.RANDOM:
            batch = ceil((0.5 if self.flip == FlipRule.ONE else 1.0) * pi * n * log(n))
        if self.rate == 0.0:
            return self._replace(batch=batch, stop=ceil(sqrt(pi * n / 2.0) * log(1.0 / self.delta)))
        rate = -log1p(-least_error(n))
        return self._replace(batch=batch, stop=ceil(log(2.0 / self.delta) / rate), rate=rate)


class Packed(NamedTuple):
    """A table of -1 and 1, or 0 and 1, as bits: row r, attribute j is bit j % 64 of ``words[r, j // 64]``."""

    words: NDArray[np.uint64]


def least_error(n: int) -> float:
    """Return p_n, the least probability with which a wrong hypothesis misclassifies a uniform example.

    It is that of one wrong weight. For odd n such an example has the product 1 with w* and agrees with it in that
    weight; for even n, a product of 0. About sqrt(2 / (pi n)).

    Examples
    --------
    >>> [round(least_error(n), 4) for n in (3, 4, 5, 101)]
    [0.5, 0.2727, 0.375, 0.0796]
    """
    half = n // 2
    middle = exp(lgamma(2 * half + 1) - 2 * lgamma(half + 1) - 2 * half * log(2))  # C(2 half, half) / 4^half
    return middle if n % 2 else middle / (1 + middle)


def directed_drift(n: int, mode: str, flips: str, batch: int | str, delta: float, stop: str = "valid") -> DriftRule:
    """Return Algorithm D with step D4, D4' or D4'', for n weights.

    Examples
    --------
    >>> directed_drift(21, "multiple", "paper", "auto", delta=0.05, stop="paper")
    DriftRule(flip=<FlipRule.NEEDED: 2>, batch=201, stop=18, rate=0.0, delta=0.05, automatic=True)
    >>> directed_drift(21, "multiple", "paper", "auto", delta=0.05).stop  # for the first hypothesis
    20
    """
    require(stop in ("valid", "paper"), "stop must be 'valid' or 'paper'", stop)
    require(mode in ("multiple", "online", "single"), "mode must be 'multiple', 'online' or 'single'", mode)
    require(flips in ("paper", "majority"), "flips must be 'paper' or 'majority'", flips)
    require(0.0 < delta < 1.0, "delta must be in (0, 1)", delta)
    automatic, flip = isinstance(batch, str) and batch == "auto", _FLIP[mode, flips]
    given = 1 if automatic else batch
    is_count = isinstance(given, (int, np.integer)) and given >= 1
    require(is_count, "batch must be an integer >= 1 or 'auto'", batch)
    calls = 1 if flip == FlipRule.RANDOM else int(given)
    return DriftRule(flip, calls, 0, float(stop == "valid"), delta, automatic).for_weights(n)


def pack(bits: NDArray[np.bool_]) -> Packed:
    """Return a table of booleans, True for +1, as bits.

    Examples
    --------
    >>> pack(np.array([[True, False, True]])).words
    array([[5]], dtype=uint64)
    """
    packed = np.packbits(bits, axis=1, bitorder="little")
    octets = np.zeros((bits.shape[0], n_words(bits.shape[1]) * 8), dtype=np.uint8)
    octets[:, : packed.shape[1]] = packed
    return Packed(octets.view("<u8").astype(np.uint64, copy=False))


def unpack(packed: Packed, n: int) -> NDArray[np.bool_]:
    """Return the table of n columns that was packed."""
    octets = np.ascontiguousarray(packed.words.astype("<u8", copy=False)).view(np.uint8)
    bits: NDArray[np.bool_] = np.unpackbits(octets, axis=1, count=n, bitorder="little").astype(np.bool_)
    return bits


def n_words(n_features: int) -> int:
    """Return the number of words that hold so many bits."""
    return -(-n_features // WORD)


@dataclass
class DriftLearner(CountingLearner):
    """Directed Drift at work, with all that it knows in arrays that kernels change in place.

    Examples
    --------
    >>> rule = directed_drift(3, "multiple", "paper", "auto", delta=0.05)
    >>> learner = DriftLearner.begin(rule, 3, 1, negations=False, rng=np.random.default_rng(0))
    >>> learner.grow(5)
    >>> learner.coef
    array([[ 1.,  1.,  1.,  1., -1.]])
    """

    state: DriftState

    def __post_init__(self) -> None:
        self._n_features = int(self.state.parameters["n_features"][0])

    @classmethod
    def begin(
        cls, rule: DriftRule, n_features: int, n_learners: int, negations: bool, rng: np.random.Generator
    ) -> Self:
        """Make a learner that has seen nothing: its weights are random, and so are the seeds of its draws."""
        parameters = np.zeros(1, dtype=DRIFT_PARAMETERS)
        for name, number in {**rule._asdict(), "n_features": n_features, "negations": negations}.items():
            parameters[name] = number
        shape = (n_learners, 1 + negations, n_features)
        weights = pack(rng.integers(0, 2, shape, dtype=np.bool_).reshape(-1, n_features)).words.reshape(n_learners, -1)
        levels = 0 if rule.flip == FlipRule.RANDOM else rule.batch.bit_length()
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
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Make a learner from the result of :meth:`arrays`."""
        example = np.zeros(arrays["weights"].shape[1], dtype=np.uint64)
        return cls(DriftState(example=example, **safe_to_change(arrays)))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything that is needed to continue exactly here."""
        arrays = super().arrays()
        del arrays["example"]  # only matters within a trial
        return arrays

    @property
    def opened(self) -> NDArray[np.int64]:
        """Number of epochs opened by a misclassified example, per learner."""
        return self.state.progress[:, drift.OPENED]

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Whether each learner has reached the confidence stop."""
        progress, parameters = self.state.progress, self.state.parameters[0]
        return np.array([drift.has_ended(progress, parameters, k) for k in range(len(progress))], dtype=np.bool_)

    @property
    def coef(self) -> NDArray[np.float64]:
        """Decision = coef . u: the weights; with negations, those of an attribute minus those of its complement."""
        n_features = self.n_features
        bits = unpack(Packed(self.state.weights.reshape(-1, n_words(n_features))), n_features)
        signs = np.where(bits, 1.0, -1.0).reshape(len(self.state.weights), -1, n_features)
        coef: NDArray[np.float64] = signs[:, 0] - signs[:, 1:].sum(axis=1)
        return coef

    # --- trials -----------------------------------------------------------------------------------------------------

    def learn(self, trials: Trials) -> NDArray[np.int64]:
        """Perform one trial per row and return the labels predicted before each update."""
        labels, frozen = trials.labels, trials.frozen_of(len(self.state.weights))
        words, sparse = self._checked(trials.rows, 0, labels.size)
        shown = whole_presentations(trials)
        predicted = np.empty(shown.order.size, dtype=np.int64)
        drift.learn(self.state, words, sparse, labels, shown.order, frozen, predicted)
        return shown.by_row(predicted)

    def decide(self, rows: Rows | Packed, first: int, last: int) -> NDArray[np.float64]:
        """Return the decisions of all learners on the rows from first to last."""
        words, sparse = self._checked(rows, first, last)
        decisions = np.empty((last - first, len(self.state.weights)))
        drift.decide(self.state, words, sparse, first, decisions)
        return decisions

    def rank(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """Return <w, u> in units of its spread, sqrt(n)."""
        return scaled(self.decide(rows, first, last), float(np.sqrt(self.n_features)))

    def trial_active(self, indices: NDArray[Any], label: int) -> int:
        """Perform one trial on the active attributes alone; -2 means that one is out of range."""
        predicted: int = drift.trial_active(*self.state, indices, label)
        return predicted

    def _checked(self, rows: Rows | Packed, first: int, last: int) -> tuple[NDArray[np.uint64] | None, Rows | None]:
        """Return the rows in whichever of two forms they have; refuse sparse ones that are not safe to walk."""
        if isinstance(rows, Packed):
            width = n_words(self.n_features)
            require(rows.words.shape[1] == width, f"rows must have {width} words", rows.words.shape[1])
            return rows.words, None
        refuse(csr.check(rows, first, last, self.n_features))
        return None, rows

    # --- growing ----------------------------------------------------------------------------------------------------

    def _extend(self, n_features: int) -> None:
        state = self.state
        width, wider = n_words(self.n_features), n_words(n_features)
        n_learners, all_words, levels, _ = state.votes.shape
        n_blocks = all_words // width
        rule = self._rule().for_weights(max(2, n_features * n_blocks))
        deeper = max(0, rule.batch.bit_length() - levels) if levels else 0
        weights = state.weights.reshape(n_learners, n_blocks, width)
        weights = np.pad(weights, ((0, 0), (0, 0), (0, wider - width)))
        votes = state.votes.reshape(n_learners, n_blocks, width, levels, 2)
        votes = np.pad(votes, ((0, 0), (0, 0), (0, wider - width), (0, deeper), (0, 0)))
        for j in range(self.n_features, n_features):
            word, bit = j // WORD, np.uint64(j % WORD)
            for block in range(n_blocks):
                signs = _random_signs(state.seeds, block, j)
                weights[:, block, word] |= signs << bit
                self._call(votes[:, block, word], bit, signs != np.uint64(block))  # a complement was 1
        state.parameters["n_features"] = self._n_features = n_features
        state.parameters["batch"], state.parameters["stop"] = rule.batch, rule.stop
        state.parameters["rate"] = rule.rate
        self.state = state._replace(
            weights=weights.reshape(n_learners, -1),
            votes=votes.reshape(n_learners, n_blocks * wider, levels + deeper, 2),
            example=np.zeros(n_blocks * wider, dtype=np.uint64),
        )

    def _rule(self) -> DriftRule:
        parameters = self.state.parameters[0]
        return DriftRule(
            FlipRule(parameters["flip"]),
            int(parameters["batch"]),
            int(parameters["stop"]),
            float(parameters["rate"]),
            float(parameters["delta"]),
            bool(parameters["automatic"]),
        )

    def _call(self, votes: NDArray[np.uint64], bit: np.uint64, differs: NDArray[np.bool_]) -> None:
        """Count the votes of the open batches for an attribute; `differs`: whether it differed if the label was 1."""
        positive = self.state.progress[:, drift.POSITIVE]
        total = np.where(differs, positive, self.state.progress[:, drift.CALLED] - positive).astype(np.uint64)
        for level in range(votes.shape[1]):
            votes[:, level, drift.SUM] |= (total >> np.uint64(level) & drift.ONE) << bit

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """Return one learner per class: a copy of the learner that `sources` names, or a new one for None."""
        arrays = self.arrays()
        for name in ("weights", "votes", "progress", "seeds"):
            arrays[name] = selected(arrays[name], np.zeros_like(arrays[name][0]), sources)
        arrays["counts"] = selected_counts(self.counts, sources)
        arrays["parameters"] = self.state.parameters.copy()
        for k, source in enumerate(sources):
            if source is None:  # a seed that follows from the present ones, and random weights that follow from it
                arrays["seeds"][k] = seed = _random_bits(int(self.state.seeds[0]), NEW_SEED, k)
                for v in range(arrays["weights"].shape[1]):
                    word = _random_bits(seed, NEW_WORD, v)
                    arrays["weights"][k, v] = word & int(drift.valid_bits(self.n_features, v))
        return self.from_arrays(arrays)

    @staticmethod
    def check_arrays(arrays: Arrays) -> None:
        """Refuse arrays that are not those of one family of learners."""
        lengths = check_arrays(
            arrays,
            {
                "weights": (np.uint64, ("learners", "words")),
                "votes": (np.uint64, ("learners", "words", "levels", 2)),
                "progress": (np.int64, ("learners", drift.N_PROGRESS)),
                "counts": (np.int64, ("rows", 2)),
                "seeds": (np.uint64, ("learners",)),
                "parameters": (DRIFT_PARAMETERS, (1,)),
            },
        )
        parameters, progress = arrays["parameters"][0], arrays["progress"]
        flip, batch, n_features = int(parameters["flip"]), int(parameters["batch"]), int(parameters["n_features"])
        blocks = 1 + int(parameters["negations"])
        called, to_flip = progress[:, drift.CALLED], progress[:, drift.TO_FLIP]
        check_consistent(lengths["rows"] == 1 + lengths["learners"] >= 2, "counts")
        check_consistent(n_features >= 1 and lengths["words"] == blocks * n_words(n_features), "words of weights")
        check_consistent(flip in tuple(FlipRule) and batch >= 1, "its mode")
        check_consistent(0.0 < parameters["delta"] < 1.0 and 0.0 <= parameters["rate"] < np.inf, "its confidence")
        check_consistent(lengths["levels"] == (0 if flip == FlipRule.RANDOM else batch.bit_length()), "levels of votes")
        check_consistent((called >= 0).all() and (called < batch).all(), "a batch longer than it may be")
        check_consistent((to_flip >= 0).all() and (to_flip <= n_features * blocks).all(), "weights to be flipped")


def _random_signs(seeds: NDArray[np.uint64], block: int, j: int) -> NDArray[np.uint64]:
    """Return one bit per seed for weight j of a block, always the same ones."""
    return np.array([_random_bits(seed, block, j) & 1 for seed in seeds.tolist()], dtype=np.uint64)


def _random_bits(seed: int, block: int, j: int) -> int:
    """Return 64 bits that follow from a seed and two numbers."""
    return int.from_bytes(blake2b(f"{seed} {block} {j}".encode(), digest_size=8).digest(), "little")
