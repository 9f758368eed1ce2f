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
    variance = record[at + 1] * z
    record[at] += gain * variance
    record[at + 1] *= r / (r + variance * z)


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
    total, w = min(record[at + 1] + gradient * gradient, limit), record[at]
    if total > 0.0:
        cosh, sinh = cosh_and_sinh(-RATE * gradient / math.sqrt(total))
        record[at + 1] = total
        record[at] = w * cosh + math.sqrt(w * w + BETA_HYPENTROPY) * sinh


@jit_in_place
def cosh_and_sinh(d: float) -> tuple[float, float]:
    """Hyperbolic cosine and sine: up to 1/2, where nearly all steps are, their series, which is right to 1e-12."""
    if abs(d) > 0.5:
        return math.cosh(d), math.sinh(d)
    s = d * d
    cosh = 1.0 + s * (1 / 2) * (1.0 + s * (1 / 12) * (1.0 + s * (1 / 30) * (1.0 + s * (1 / 56) * (1.0 + s * (1 / 90)))))
    sinh = d * (
        1.0 + s * (1 / 6) * (1.0 + s * (1 / 20) * (1.0 + s * (1 / 42) * (1.0 + s * (1 / 72) * (1.0 + s * (1 / 110)))))
    )
    return cosh, sinh
