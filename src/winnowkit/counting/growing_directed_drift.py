"""Directed Drift whose attributes turn up over time.

Not as if they had been there from the start: an attribute that was -1 all the time would have taken part in every
product <w, u>, and so in past mistakes. A new one gets a coin for a weight, as all did at the start, and, in an open
batch, the votes of the examples called so far, in which it was -1. The size of a batch and the stop follow n: learning
that had ended goes on until the confidence for the new n is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows
from winnowkit.core.growing import LooksAheadOnACopy, scaled, selected, selected_counts
from winnowkit.counting import directed_drift_kernel as drift
from winnowkit.counting.directed_drift_learner import Drift, DriftLearner

WORD = 64
NEW_SEED, NEW_WORD = 2, 3  # in place of a block


@dataclass
class GrowingDrift(DriftLearner, LooksAheadOnACopy):
    """Directed Drift with room for more attributes.

    Examples
    --------
    >>> from winnowkit.counting.directed_drift_learner import directed_drift
    >>> def rule_for(n):
    ...     return directed_drift(n, "multiple", "paper", "auto", delta=0.05)
    >>> learner = GrowingDrift.start(rule_for, 3, 1, False, np.random.default_rng(0))
    >>> learner.grow(5)
    >>> learner.coef
    array([[ 1.,  1.,  1.,  1., -1.]])
    """

    n_features: int = 0
    rule_for: Callable[[int], Drift] | None = None

    @classmethod
    def start(
        cls,
        rule_for: Callable[[int], Drift],
        n_features: int,
        n_learners: int,
        negations: bool,
        rng: np.random.Generator,
    ) -> Self:
        """A learner that has seen nothing; `rule_for` gives the rule for a number of attributes."""
        learner = cls.begin(rule_for(n_features), n_features, n_learners, negations, rng)
        learner.n_features, learner.rule_for = n_features, rule_for
        return learner

    def _extend(self, n_features: int) -> None:
        assert self.rule_for is not None
        rule, state = self.rule_for(n_features), self.state
        width, wider = -(-self.n_features // WORD), -(-n_features // WORD)
        n_learners, n_words, levels, _ = state.votes.shape
        n_blocks = n_words // width
        deeper = max(0, rule.batch.bit_length() - levels) if levels else 0
        weights = state.weights.reshape(n_learners, n_blocks, width)
        weights = np.pad(weights, ((0, 0), (0, 0), (0, wider - width)))
        votes = state.votes.reshape(n_learners, n_blocks, width, levels, 2)
        votes = np.pad(votes, ((0, 0), (0, 0), (0, wider - width), (0, deeper), (0, 0)))
        for j in range(self.n_features, n_features):
            word, bit = j // WORD, np.uint64(j % WORD)
            for block in range(n_blocks):
                signs = coins(state.seeds, block, j)
                weights[:, block, word] |= signs << bit
                self._call(votes[:, block, word], bit, signs != np.uint64(block))  # a complement was 1
        state.parameters["n_features"] = n_features
        state.parameters["batch"], state.parameters["stop"] = rule.batch, rule.stop
        self.state = state._replace(
            weights=weights.reshape(n_learners, -1),
            votes=votes.reshape(n_learners, n_blocks * wider, levels + deeper, 2),
            example=np.zeros(n_blocks * wider, dtype=np.uint64),
        )

    def _call(self, votes: NDArray[np.uint64], bit: np.uint64, differs: NDArray[np.bool_]) -> None:
        """Count the votes of the open batches for an attribute; `differs`: whether it differed if the label was 1."""
        positive = self.state.progress[:, drift.POSITIVE]
        total = np.where(differs, positive, self.state.progress[:, drift.CALLED] - positive).astype(np.uint64)
        for level in range(votes.shape[1]):
            votes[:, level, drift.SUM] |= (total >> np.uint64(level) & drift.ONE) << bit

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """A learner a class: a copy of the present one that `sources` names, or for None one that has seen nothing."""
        arrays = self.arrays()
        for name in ("weights", "votes", "progress", "seeds"):
            arrays[name] = selected(arrays[name], np.zeros_like(arrays[name][0]), sources)
        arrays["counts"] = selected_counts(self.counts, sources)
        arrays["parameters"] = self.state.parameters.copy()
        for k, source in enumerate(sources):
            if source is None:  # a seed that follows from those there are, and coins from it
                arrays["seeds"][k] = seed = coin_bits(int(self.state.seeds[0]), NEW_SEED, k)
                for v in range(arrays["weights"].shape[1]):
                    coin_word = coin_bits(seed, NEW_WORD, v)
                    arrays["weights"][k, v] = coin_word & int(drift.valid_bits(self.n_features, v))
        new = self.from_arrays(arrays)
        new.n_features, new.rule_for = self.n_features, self.rule_for
        return new

    def rank(self, rows: Rows, first: int, last: int) -> NDArray[np.float64]:
        """<w, u> in units of its spread, sqrt(n)."""
        return scaled(self.decide(rows, first, last), float(np.sqrt(self.n_features)))

    def __getstate__(self) -> dict[str, Any]:
        return {"n_features": self.n_features, "rule_for": self.rule_for, **self.arrays()}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        arrays = dict(state)
        self.n_features, self.rule_for = arrays.pop("n_features"), arrays.pop("rule_for")
        super().__setstate__(arrays)


def coins(seeds: NDArray[np.uint64], block: int, j: int) -> NDArray[np.uint64]:
    """A bit for weight j of a block, one a seed: the same whenever it is asked for."""
    return np.array([coin_bits(seed, block, j) & 1 for seed in seeds.tolist()], dtype=np.uint64)


def coin_bits(seed: int, block: int, j: int) -> int:
    """64 bits that follow from a seed and two numbers."""
    return int.from_bytes(blake2b(f"{seed} {block} {j}".encode(), digest_size=8).digest(), "little")
