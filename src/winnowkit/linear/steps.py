"""Steps of AROW, coin betting and hypentropy on the numbers of one attribute.

Most take the numbers and return the new ones, wherever these are kept: the experts of a committee share a record, and
learners on their own have shorter ones. Quotients and roots, which take most of the time, are in the precision of what
is passed: committees pass 32 bits, as their records have.

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
def arow_variance(s: Any, z: Any, r: Any) -> Any:
    """New variance S of a weight in AROW (Crammer, Kulesza & Dredze 2009); the weight has moved by gain S z before."""
    return s * (r / (r + s * z * z))


@jit_in_place
def coin_weight(total: Any, bets: Any, won: Any, largest: Any) -> Any:
    """Weight of the coin bettor with sums T, G and R, whose largest |z| is `largest`."""
    return total * (largest + won) / (largest * (bets + largest))


@jit_in_place
def coin_step(record: Any, outcome: Any, largest: Any, limit: Any) -> None:
    """One round of coin betting (Orabona & Tommasi 2017) on T, G, R and L; the largest |z| is now `largest`.

    Beyond `limit` times the largest |z|, T and G are halved: what matters is how many outcomes of that size they hold.
    """
    won = outcome * coin_weight(record[0], record[1], record[2], largest)
    record[2], record[3] = max(0.0, record[2] + won), largest
    record[1] += abs(outcome)
    record[0] += outcome
    if record[1] > limit * largest:
        record[1] *= 0.5
        record[0] *= 0.5


@jit_in_place
def hypentropy_step(w: Any, total: Any, gradient: Any, limit: Any, beta: Any) -> tuple[Any, Any]:
    """One adaptive step in the geometry of hypentropy (Ghai, Hazan & Singer 2020): w, G; `beta` is the scale, squared.

    No step is longer than the rate, as it could be where G has grown to its limit.
    """
    total = min(total + gradient * gradient, limit)
    direction = gradient / math.sqrt(total) if total > 0.0 else 0.0
    cosh, sinh = cosh_and_sinh(-RATE * min(max(direction, -1.0), 1.0))
    return w * cosh + math.sqrt(w * w + beta) * sinh, total


@jit_in_place
def cosh_and_sinh(d: float) -> tuple[float, float]:
    """Hyperbolic cosine and sine of a number between -1/2 and 1/2 by their series, which are right to 1e-12."""
    s = d * d
    cosh = 1.0 + s * (1 / 2 + s * (1 / 24 + s * (1 / 720 + s * (1 / 40_320 + s * (1 / 3_628_800)))))
    sinh = 1.0 + s * (1 / 6 + s * (1 / 120 + s * (1 / 5_040 + s * (1 / 362_880 + s * (1 / 39_916_800)))))
    return cosh, d * sinh
