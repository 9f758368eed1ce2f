"""Steps of a committee's experts in lanes: eight learners on one attribute, or one learner on eight attributes.

They are those of :mod:`winnowkit.linear.steps`, on records of 32 bits, whose sums have a limit. An argument that is one
number counts for all lanes.
"""

from __future__ import annotations

from typing import Any

from winnowkit.core.jit import jit_in_place
from winnowkit.linear.family import BETA_SINGLE, LEAST_SUM, LIMIT
from winnowkit.linear.lanes import larger, root, smaller, spread, where
from winnowkit.linear.steps import RATE, coin_weight, cosh_and_sinh


@jit_in_place
def beg_weights(odds: Any) -> Any:
    """Weight, a probability, of an attribute of a BEG."""
    return odds / (odds + 1.0)


@jit_in_place
def gradient_sums(total: Any, curvature: Any, x: Any) -> Any:
    """Sum G of the adaptive gradient after an example, which is never 0."""
    return smaller(larger(total + curvature * x * x, spread(LEAST_SUM)), spread(LIMIT))


@jit_in_place
def coin_steps(total: Any, bets: Any, won: Any, before: Any, outcome: Any, bet: Any, least: Any) -> tuple[Any, ...]:
    """T, G, R and L after a round of coin betting, where |z| is at least `least`; nothing changes if the bet is 0."""
    largest = larger(before, least)
    now = larger(won + outcome * coin_weight(total, bets, won, largest), spread(0.0))
    more = bets + bet
    half = where(more > largest * LIMIT, spread(0.5), spread(1.0))
    played = bet > 0.0
    return (
        where(played, (total + outcome) * half, total),
        where(played, more * half, bets),
        where(played, now, won),
        where(played, largest, before),
    )


@jit_in_place
def hypentropy_steps(w: Any, total: Any, gradient: Any) -> tuple[Any, Any]:
    """W and G after a step in the geometry of hypentropy; nothing changes if the gradient is 0."""
    total = smaller(total + gradient * gradient, spread(LIMIT))
    direction = gradient / root(larger(total, spread(LEAST_SUM)))
    cosh, sinh = cosh_and_sinh(smaller(larger(direction, spread(-1.0)), spread(1.0)) * -RATE)
    return w * cosh + root(w * w + BETA_SINGLE) * sinh, total
