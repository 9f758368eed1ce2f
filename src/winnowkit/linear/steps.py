"""Steps of AROW, coin betting and hypentropy on the numbers of one attribute.

The numbers stand in a record from the field `at` on, so that the experts of a committee, which share a record, and
learners on their own take the same steps.

==========  ============================  ===============================================================
learner     numbers per attribute         weight
==========  ============================  ===============================================================
AROW        w, S                          w; S is its variance
coin        T, G, R, L                    T (L + R) / (L (G + L)): sums of y z, of |z| and of what was won,
                                          and the largest |z|
hypentropy  w, G                          w; G is the sum of its squared gradients
==========  ============================  ===============================================================
"""

from __future__ import annotations

import math
from typing import Any

from winnowkit.core.jit import jit_in_place

RATE = 0.5
"""Rate of hypentropy, and of the adaptive gradient."""
BETA_HYPENTROPY = 0.01
"""The square of the scale below which hypentropy is like a gradient, and above which it is like Winnow."""


@jit_in_place
def arow_gain(y: float, score: float, spread: float, r: float) -> float:
    """Factor of S z in AROW's step on a label y, 1 or -1, where `spread` is the sum of S z^2."""
    return y * (1.0 - y * score) / (spread + r)


@jit_in_place
def arow_step(record: Any, at: int, gain: float, z: float, r: float) -> None:
    """Adaptive regularization of weights (Crammer, Kulesza & Dredze 2009), with a variance for each weight."""
    record[at] += gain * record[at + 1] * z
    record[at + 1] /= 1.0 + record[at + 1] * z * z / r


@jit_in_place
def coin_weight(record: Any, at: int, largest: float) -> float:
    """Weight of the coin bettor, whose largest |z| is `largest`."""
    reward = largest + record[at + 2]
    return record[at] * reward / (largest * (record[at + 1] + largest))


@jit_in_place
def coin_step(record: Any, at: int, outcome: float, largest: float, rate: float, limit: float) -> None:
    """One round of coin betting (Orabona & Tommasi 2017): what the bet won, and the sums that the next one follows."""
    high = max(record[at + 3], largest, rate)
    won = outcome * coin_weight(record, at, high)
    record[at + 3] = high
    record[at + 2] = max(0.0, record[at + 2] + won)
    record[at + 1] += abs(outcome)
    record[at] += outcome
    if record[at + 1] > limit:
        record[at + 1] *= 0.5
        record[at] *= 0.5


@jit_in_place
def hypentropy_step(record: Any, at: int, gradient: float, limit: float) -> None:
    """One adaptive step in the geometry of hypentropy (Ghai, Hazan & Singer 2020)."""
    record[at + 1] = min(record[at + 1] + gradient * gradient, limit)
    if record[at + 1] > 0.0:
        d = -RATE * gradient / math.sqrt(record[at + 1])
        w = record[at]
        record[at] = w * math.cosh(d) + math.sqrt(w * w + BETA_HYPENTROPY) * math.sinh(d)
