"""From the scores of experts to one score per class: logistic regression on line.

The mix is a Bayesian logistic regression on the experts' scores, one vector of weights for all classes: after each
trial its covariance takes in the curvature of the log-loss there, and its weights a Newton step. Its log-odds (for
several classes, the differences of its scores) are probabilities without any further calibration.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from math import ceil
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.arrays import check_consistent
from winnowkit.core.jit import jit_in_place
from winnowkit.linear.plain_lanes import WIDTH

FIRST_WEIGHT = 0.6
"""Weight of an expert before any trial, in log-odds per unit of score; learners of disjunctions have half of it."""
WIDEST = 3.0
"""Scores are cut here; those of learners of disjunctions, which are no more sure beyond theta, at 1."""
BY_QUICK, BY_SLOW, BY_GRADIENT = range(3)
RELAXES = 0.03
"""Variance that a weight of the mix regains in each trial, per unit of share."""
_LEAST_CURVATURE = 1e-4
_NEGLIGIBLE = 1e-3  # probability of an error that is not learned from, or of a class whose curvature is left out


class Regression(Protocol):
    """The arrays of a logistic regression on line."""

    @property
    def weights(self) -> NDArray[np.float64]:
        """Log-odds per unit of a feature."""

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Covariance of the weights."""

    @property
    def settings(self) -> NDArray[np.float64]:
        """The share first."""


class Mix(NamedTuple):
    """The state that mixes the scores of experts."""

    weights: NDArray[np.float64]  # (experts + 1,), the last that of a bias, for two classes
    covariance: NDArray[np.float64]  # (experts + 1, experts + 1)
    votes: NDArray[np.float64]  # (experts + 1,), the mix last; the largest is 1
    resting: NDArray[np.bool_]  # (learners, experts)
    mistakes: NDArray[np.int64]  # (learners, experts), each against the rest
    label_mistakes: NDArray[np.int64]  # (experts + 1,), wrong votes, the mix last; repetitions of the mix count too
    awake_mistakes: NDArray[np.int64]  # (experts,), wrong votes of an expert's own
    settings: NDArray[np.float64]  # share of all votes that returns after each trial


MIX_ARRAYS: dict[str, tuple[type, tuple[str | int, ...]]] = {
    "mix_weights": (np.float64, ("mixed",)),
    "mix_covariance": (np.float64, ("mixed", "mixed")),
    "mix_votes": (np.float64, ("mixed",)),
    "mix_resting": (np.bool_, ("learners", "experts")),
    "mix_mistakes": (np.int64, ("learners", "experts")),
    "mix_label_mistakes": (np.int64, ("mixed",)),
    "mix_awake_mistakes": (np.int64, ("experts",)),
    "mix_settings": (np.float64, (1,)),
}
"""Types and axes of a mix that was saved, for :func:`winnowkit.core.arrays.check_arrays`."""


class Room(NamedTuple):
    """Room for what is computed about one example.

    What only several learners need is None for a single one, so that kernels are compiled for it alone.
    """

    scores: NDArray[np.float64]  # (experts, learners)
    features: NDArray[np.float64]  # (learners, experts + 1): the scores, cut, and the bias
    log_odds: NDArray[np.float64]  # (learners,): what the mix says
    decisions: NDArray[np.float64]  # (learners,): what the vote says
    ballots: NDArray[np.float64]  # (classes,)
    direction: NDArray[np.float64]  # (experts + 1,)
    learns: NDArray[np.bool_]  # (experts, slots)
    awake: NDArray[np.uint64]  # (experts + 1,): first the features that any learner uses; the bias may be one
    limits: NDArray[np.float64]  # (experts,): where the scores are cut
    # for several learners
    probabilities: Any  # (learners,)
    mean: Any  # (experts + 1,)
    centred: Any  # (experts + 1,)
    slot_scores: Any  # (experts, slots) in 32 bits: for every eight learners, or the last few, eight slots
    signs: Any  # (slots,) in 32 bits: 1 for the learner of the label, -1 for the others
    gains: Any  # (3, slots) in 32 bits: factors of the steps BY_QUICK, BY_SLOW and BY_GRADIENT


class StepRoom(NamedTuple):
    """The part of a room that a step of the regression needs, the same for two classes and for several."""

    scores: NDArray[np.float64]  # (1, learners)
    features: NDArray[np.float64]  # (learners, features)
    log_odds: NDArray[np.float64]  # (learners,)
    direction: NDArray[np.float64]  # (features,)
    awake: NDArray[np.uint64]  # (features,)
    probabilities: NDArray[np.float64]  # (learners,)
    mean: NDArray[np.float64]  # (features,)
    centred: NDArray[np.float64]  # (features,)


def new_step_room(n_learners: int, n_features: int) -> StepRoom:
    """Return room for steps on features that are all awake."""
    return StepRoom(
        scores=np.zeros((1, n_learners)),
        features=np.zeros((n_learners, n_features)),
        log_odds=np.zeros(n_learners),
        direction=np.zeros(n_features),
        awake=np.arange(n_features, dtype=np.uint64),
        probabilities=np.zeros(n_learners),
        mean=np.zeros(n_features),
        centred=np.zeros(n_features),
    )


def new_mix(n_learners: int, n_boolean: int, n_experts: int, share: float) -> Mix:
    """Return a mix that has seen nothing and has half of the votes; the first experts learn disjunctions."""
    weights, votes = np.full(n_experts + 1, FIRST_WEIGHT), np.full(n_experts + 1, 1.0 / n_experts)
    weights[:n_boolean] *= 0.5
    weights[-1], votes[-1] = 0.0, 1.0
    return Mix(
        weights,
        np.eye(n_experts + 1),
        votes,
        np.zeros((n_learners, n_experts), dtype=np.bool_),
        np.zeros((n_learners, n_experts), dtype=np.int64),
        np.zeros(n_experts + 1, dtype=np.int64),
        np.zeros(n_experts, dtype=np.int64),
        np.array([share]),
    )


def check_mix(arrays: Mapping[str, NDArray[Any]], lengths: Mapping[str, int], n_experts: int) -> None:
    """Refuse a saved mix that is not of so many experts, and counts that are not of its learners."""
    check_consistent(lengths["experts"] == n_experts and lengths["mixed"] == n_experts + 1, "experts")
    check_consistent(lengths["rows"] == 1 + lengths["learners"], "counts")
    check_consistent(0.0 <= arrays["mix_settings"][0] < 1.0, "settings")


def new_limits(n_boolean: int, n_experts: int) -> NDArray[np.float64]:
    """Return where the scores of experts are cut, of which the first learn disjunctions."""
    return np.where(np.arange(n_experts) < n_boolean, 1.0, WIDEST)


def new_room(n_learners: int, limits: NDArray[np.float64]) -> Room:
    """Return room for the computations about one example, for as many experts as there are limits of scores."""
    n_slots, n_experts = ceil(n_learners / WIDTH) * WIDTH, limits.size
    room = Room(
        scores=np.zeros((n_experts, n_learners)),
        features=np.zeros((n_learners, n_experts + 1)),
        log_odds=np.zeros(n_learners),
        decisions=np.zeros(n_learners),
        ballots=np.zeros(max(2, n_learners)),
        direction=np.zeros(n_experts + 1),
        learns=np.zeros((n_experts, n_slots), dtype=np.bool_),
        awake=np.arange(n_experts + 1, dtype=np.uint64),
        limits=limits,
        probabilities=None,
        mean=None,
        centred=None,
        slot_scores=None,
        signs=None,
        gains=None,
    )
    if n_learners == 1:
        return room
    return room._replace(
        probabilities=np.zeros(n_learners),
        mean=np.zeros(n_experts + 1),
        centred=np.zeros(n_experts + 1),
        slot_scores=np.zeros((n_experts, n_slots), dtype=np.float32),
        signs=np.zeros(n_slots, dtype=np.float32),
        gains=np.zeros((3, n_slots), dtype=np.float32),
    )


@jit_in_place
def slot_of(k: int, n_lanes: int) -> int:
    """Slot of learner k: the last eight learners, who may overlap with those before, have slots of their own."""
    last = (n_lanes - 1) // WIDTH * WIDTH
    return k + last + WIDTH - n_lanes if k >= last > 0 else k


@jit_in_place
def mix_scores(mix: Mix, room: Room) -> None:
    """Fill in features and log-odds (for several classes, logarithms of unnormalised probabilities)."""
    n_experts, n_learners = room.scores.shape
    for k in range(n_learners):
        log_odds = 0.0
        for e in range(n_experts):
            limit = room.limits[e]
            feature = 0.0 if mix.resting[k, e] else min(limit, max(-limit, room.scores[e, k]))
            room.features[k, e] = feature
            log_odds += mix.weights[e] * feature
        bias = 1.0 if n_learners == 1 else 0.0
        room.features[k, n_experts] = bias
        room.log_odds[k] = log_odds + mix.weights[n_experts] * bias


@jit_in_place
def label_of(values: Any) -> int:
    """Code of the label that one value per learner amounts to: the largest, the first of several."""
    if values.size == 1:
        return int(values[0] > 0.0)
    best, highest = 0, values[0]
    for k in range(1, values.size):
        better = values[k] > highest
        best, highest = k if better else best, values[k] if better else highest
    return best


@jit_in_place
def learn_mix(mix: Regression, label: int, part: float, awake: NDArray[np.uint64], room: Room) -> None:
    """Learn one label by a Newton step of the logistic regression on the features that are awake.

    The log-loss is scaled by `part` of a presentation.
    """
    relax(mix)
    step_mix(mix, label, part, awake, room, room.signs)


@jit_in_place
def relax(mix: Regression) -> None:
    """Be less sure of the weights again if the target may change."""
    if mix.settings[0] > 0.0:
        for i in range(mix.covariance.shape[0]):
            mix.covariance[i, i] += RELAXES * mix.settings[0]


@jit_in_place
def step_mix(mix: Regression, label: int, part: float, awake: NDArray[np.uint64], room: Room, signs: Any) -> None:
    """The step itself; `signs` are None if there is a single learner."""
    if signs is None:
        step_alone(mix, label, part, awake, room)
    else:
        step_classes(mix, label, part, awake, room)


@jit_in_place
def step_alone(mix: Regression, label: int, part: float, awake: NDArray[np.uint64], room: Room | StepRoom) -> None:
    """Take the step for two classes."""
    p = 1.0 / (1.0 + math.exp(min(-room.log_odds[0], 700.0)))  # beyond, Python's exp raises an error
    missed = part * (label - p)
    if abs(missed) < _NEGLIGIBLE:
        return
    curvature = part * max(p * (1.0 - p), _LEAST_CURVATURE)
    left = narrow(mix.covariance, room.features[0], curvature, awake, room.direction)
    for i in awake:  # the direction is that before the covariance was narrowed
        mix.weights[i] += missed * left * room.direction[i]


@jit_in_place
def step_classes(mix: Regression, label: int, part: float, awake: NDArray[np.uint64], room: Room | StepRoom) -> None:
    """Take the step for several classes."""
    softmax(room)
    if part * (1.0 - room.probabilities[label]) < _NEGLIGIBLE:
        return
    narrow_for_classes(mix, part, awake, room)
    for i in awake:
        room.centred[i] = room.features[label, i] - room.mean[i]
    for i in awake:
        step = 0.0
        for j in awake:
            step += mix.covariance[i, j] * room.centred[j]
        mix.weights[i] += part * step


@jit_in_place
def narrow_for_classes(mix: Regression, part: float, awake: NDArray[np.uint64], room: Room | StepRoom) -> None:
    """Take the curvature of the log-loss of several classes into the covariance; leaves the mean of the features."""
    n_learners = room.features.shape[0]
    room.mean[:] = 0.0
    for k in range(n_learners):
        for i in awake:
            room.mean[i] += room.probabilities[k] * room.features[k, i]
    for k in range(n_learners):
        if room.probabilities[k] > _NEGLIGIBLE:
            for i in awake:
                room.centred[i] = room.features[k, i] - room.mean[i]
            narrow(mix.covariance, room.centred, part * room.probabilities[k], awake, room.direction)


@jit_in_place
def narrow(
    covariance: NDArray[np.float64],
    feature: NDArray[np.float64],
    curvature: float,
    awake: NDArray[np.uint64],
    direction: NDArray[np.float64],
) -> float:
    """Take the curvature of the log-loss along a feature into the covariance (Sherman & Morrison).

    Fills in the covariance's product with the feature before, and returns the part of it that is left.
    """
    spread = 0.0
    for i in awake:
        along = 0.0
        for j in awake:
            along += covariance[i, j] * feature[j]
        direction[i] = along
        spread += along * feature[i]
    scale = 1.0 / (1.0 / curvature + spread)
    for i in awake:
        step = scale * direction[i]
        for j in awake:
            covariance[i, j] -= step * direction[j]
    return 1.0 - scale * spread


@jit_in_place
def softmax(room: Room | StepRoom) -> None:
    """Fill in the probabilities of all classes."""
    highest, total = room.log_odds[0], 0.0
    for k in range(room.log_odds.size):
        highest = max(highest, room.log_odds[k])
    for k in range(room.log_odds.size):
        room.probabilities[k] = math.exp(room.log_odds[k] - highest)
        total += room.probabilities[k]
    for k in range(room.log_odds.size):
        room.probabilities[k] /= total
