"""A rule is a prediction rule, an update function and an update policy (Helmbold, Panizza & Warmuth, section 1).

A new linear algorithm is a classifier whose `_rule(n)` returns its :class:`LinearRule` for n weights: see CONTRIBUTING.
The kernels read the numbers of a rule from a record of :data:`PARAMETERS`, which is derived from the classes below.
"""

from __future__ import annotations

from typing import NamedTuple, get_type_hints

import numpy as np

from winnowkit.core.multiclass import Policy
from winnowkit.linear.weights import Link


class Prediction(NamedTuple):
    """Predict 1 iff the score is at least theta (`strict`: greater)."""

    theta: float
    strict: bool = False
    link: Link = Link.WEIGHT
    normalized: bool = False  # divide the score by the sum of all weights
    shift: float = 0.0  # this and the next two belong to Link.BAYES
    beta0: float = 0.0
    beta1: float = 0.0


class Update(NamedTuple):
    """The change of the state of an active weight.

    A weight is multiplied by `up` on label 1 and divided by `down` on label 0 (dividing by alpha undoes a promotion to
    the last bit, multiplying by 1/alpha does not). Log-odds have `up` or `down` added.
    """

    up: float
    down: float
    initial: float = 1.0  # the initial weight; a probability, if the state is log-odds
    floor: float = 0.0
    balanced: bool = False  # a second weight per attribute, counted and updated the other way round


class LinearRule(NamedTuple):
    """An on-line algorithm, for a given number of weights."""

    prediction: Prediction
    update: Update
    policy: Policy = "mistake"
    margin: float = 0.0  # update also when the score is this close to theta


def _fields(part: type) -> list[tuple[str, type]]:
    """Names and numpy types of the numbers in a part of a rule."""
    return [(name, np.int64 if kind is Link else kind) for name, kind in get_type_hints(part).items()]


PARAMETERS = np.dtype(
    [*_fields(Prediction), *_fields(Update), ("always", bool), ("margin", float), ("negations", bool)]
)
