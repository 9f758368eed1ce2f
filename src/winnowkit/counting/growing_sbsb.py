"""SBSB and SASB whose attributes turn up over time: exactly as if they had been there, 0, from the start.

An attribute that was 0 matched the label in every negative trial: its lead is 0, in the hypotheses that vote as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.growing import LooksAheadOnACopy, selected, selected_counts
from winnowkit.core.policy import Policy
from winnowkit.counting import late_attributes as absent
from winnowkit.counting.lead_counts import N_BINS, NONE
from winnowkit.counting.sbsb_learner import SymmetricLearner


@dataclass
class GrowingSymmetric(SymmetricLearner, LooksAheadOnACopy):
    """SBSB or SASB with room for more attributes.

    Examples
    --------
    >>> learner = GrowingSymmetric.start("always", 0, 1, 1)
    >>> for label in (1, 0, 0):
    ...     _ = learner.trial_active(np.array([0]), label)
    >>> learner.grow(2)
    >>> learner.matches
    array([[1, 2]])
    """

    n_features: int = 0  # those in use; a few more have room

    @classmethod
    def start(cls, policy: Policy, voting: int, n_features: int, n_learners: int) -> Self:
        """A learner that has seen nothing."""
        learner = cls.begin(policy, voting, n_features, n_learners)
        learner.n_features = n_features
        return learner

    def _extend(self, n_features: int) -> None:
        room = self.state.slots.shape[1]
        if n_features > room:
            more = ((0, 0), (0, max(n_features, 2 * room) - room))
            newest = self.state.newest
            if newest.size:
                newest = np.pad(newest, more, constant_values=NONE)
            self.state = self.state._replace(slots=np.pad(self.state.slots, more), newest=newest)
        if (self.state.marks[:, :, N_BINS] == self.state.lead.shape[2]).any():
            self._give_room(0)
        for k in range(len(self.state.slots)):
            absent.add_absent(self.state, k, self.n_features, n_features)

    def with_learners(self, sources: Sequence[int | None]) -> Self:
        """A learner a class: a copy of the present one that `sources` names, or for None one that has seen nothing."""
        state = self.state
        policy: Policy = "always" if state.parameters["always"][0] else "mistake"
        blank = self.start(policy, state.lead.shape[1] - 1, self.n_features, 1)
        arrays = {}
        for name, array in state._asdict().items():
            if name == "counts":
                arrays[name] = selected_counts(array, sources)
            elif name == "parameters":
                arrays[name] = array.copy()
            else:
                fill = NONE if name == "newest" else 0
                arrays[name] = selected(array, padded(getattr(blank.state, name)[0], array.shape[1:], fill), sources)
        new = self.from_arrays(arrays)
        new.n_features = self.n_features
        return new

    @property
    def matches(self) -> NDArray[np.int64]:
        """S_i: in how many of the trials it learned from each attribute matched the label, a row a learner."""
        return super().matches[:, : self.n_features]

    def __getstate__(self) -> dict[str, Any]:
        return {"n_features": self.n_features, **self.arrays()}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        arrays = dict(state)
        self.n_features = arrays.pop("n_features")
        self.state = self.from_arrays(arrays).state  # unchecked: what has room to spare is in no model file


def padded(array: NDArray[Any], shape: tuple[int, ...], fill: int) -> NDArray[Any]:
    """The array filled up to a shape, or cut down to it."""
    result = np.full(shape, fill, dtype=array.dtype)
    common = tuple(slice(min(have, want)) for have, want in zip(array.shape, shape, strict=True))
    result[common] = array[common]
    return result
