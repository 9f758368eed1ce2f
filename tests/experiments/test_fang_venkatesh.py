"""The claims of Fang & Venkatesh about Directed Drift's expected mistakes, as far as they hold.

Tests allow Z = 5.5 standard errors: a false alarm in 4e-8 of the comparisons by the normal law, less than 1e-6 with the
skewness of 600 counts that are nearly exponential (on line); ten comparisons make less than 1e-5 for a new seed. Each
has a control that must fail. The share of runs that the confidence stop ends at w* is reported by the experiment, not
asserted: on line it is far from 1 - delta.
"""

import math
from functools import cache
from typing import NamedTuple

import pytest

from winnowkit.experiments.fang_venkatesh_laws import LOWER_BOUND, NO_STOP, exact_online_mistakes, mean_of, runs_of

Z = 5.5


class Point(NamedTuple):
    n: int
    mistakes: float
    std_err: float


@cache
def point(mode, n, flips="paper"):
    runs = runs_of(n, mode, flips, NO_STOP, "paper", runs=600 if mode == "online" else 150, seed=(1,))
    assert all(run.at_target for run in runs)
    return Point(n, *mean_of(run.mistakes for run in runs))


def near(p, expected):
    return abs(p.mistakes - expected) <= Z * p.std_err


def exponent(small, large, scale):
    """How fast the mistakes grow from one point to another, and its standard error."""
    width = scale(large.n) - scale(small.n)
    error = math.hypot(small.std_err / small.mistakes, large.std_err / large.mistakes)
    return math.log(large.mistakes / small.mistakes) / width, error / width


@pytest.mark.parametrize("n", [3, 5, 7, 11, 15])
def test_on_line_mistakes_are_those_of_the_exact_chain(n):
    p = point("online", n)
    assert near(p, exact_online_mistakes(n))
    assert not near(p, 1.5 * exact_online_mistakes(n))
    assert not near(p, exact_online_mistakes(n + 2))


def test_on_line_mistakes_grow_exponentially():
    rate, error = exponent(point("online", 7), point("online", 15), scale=float)
    assert rate - Z * error > LOWER_BOUND
    assert not rate - Z * error > 0.6
    # and faster than a fourth power of n, which single-bit batches stay below
    power, error = exponent(point("online", 7), point("online", 15), scale=math.log)
    assert power - Z * error > 4
    power, error = exponent(point("single", 21), point("single", 121), scale=math.log)
    assert not power - Z * error > 4


def test_single_bit_batches_make_linearly_many_mistakes():
    power, error = exponent(point("single", 21), point("single", 121), scale=math.log)
    assert abs(power - 1) <= Z * error
    # control: the multiple-bit mode grows too slowly for that
    power, error = exponent(point("multiple", 21), point("multiple", 121), scale=math.log)
    assert not abs(power - 1) <= Z * error


def test_multiple_bit_batches_are_constant_by_majority_and_not_as_printed():
    power, error = exponent(point("multiple", 21, "majority"), point("multiple", 121, "majority"), scale=math.log)
    assert abs(power) <= Z * error
    assert point("multiple", 121, "majority").mistakes < 1.5
    # control, and a finding: as printed, mistakes grow about like n^0.65
    power, error = exponent(point("multiple", 21), point("multiple", 121), scale=math.log)
    assert not abs(power) <= Z * error
    assert power - Z * error > 0.4
