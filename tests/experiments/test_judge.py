"""Verdicts have the error rates and the power that they declare."""

import numpy as np
import pytest
from scipy import stats

from winnowkit.experiments.frame.judge import (
    alike,
    at_most,
    exact,
    less,
    power_of_difference,
    power_of_equivalence,
    share_at_least,
    within,
)

RUNS = 1000


def shares(judge, mean, size=12):
    """The share of each verdict over many samples of normal differences with this mean and spread 1."""
    rng = np.random.default_rng(0)
    found = [judge(rng.normal(mean, 1.0, size)).found for _ in range(RUNS)]
    return {name: found.count(name) / RUNS for name in ("shows", "differs", "undecided", "no power")}


def near(share, expected):
    """Within five standard errors of a share."""
    return abs(share - expected) < 5 * np.sqrt(max(expected * (1 - expected), 1e-4) / RUNS)


def test_a_difference_is_shown_as_often_as_the_power_says():
    power = power_of_difference(1 / np.sqrt(12), 11, 1.0)
    assert 0.8 < power < 0.95
    assert near(shares(lambda d: less("", d, 1.0, ""), mean=1.0)["shows"], power)
    assert near(shares(lambda d: less("", d, 1.0, ""), mean=0.0)["shows"], 0.025)
    assert not near(shares(lambda d: less("", d, 1.0, ""), mean=0.5)["shows"], power)  # the control


def test_equivalence_is_shown_as_often_as_the_power_says():
    power = power_of_equivalence(1 / np.sqrt(12), 11, 1.0)
    assert abs(shares(lambda d: alike("", d, 1.0, ""), mean=0.0)["shows"] - power) < 0.05  # the spread is estimated
    assert shares(lambda d: alike("", d, 1.0, ""), mean=1.0)["shows"] < 0.07  # at the margin: 5%
    assert shares(lambda d: alike("", d, 1.0, ""), mean=3.0)["differs"] > 0.95


def test_few_runs_have_no_power_rather_than_a_verdict():
    assert shares(lambda d: less("", d, 0.1, ""), mean=0.0, size=4)["no power"] > 0.9
    assert shares(lambda d: alike("", d, 0.1, ""), mean=0.0, size=4)["no power"] > 0.9
    assert less("", [1.0], 1.0, "").found == "no power"  # one run tells nothing about its spread


def test_many_runs_that_straddle_are_undecided():
    rng = np.random.default_rng(1)
    found = {less("", rng.normal(0.15, 1.0, 400), 0.16, "").found for _ in range(50)}
    assert "undecided" in found
    assert "no power" not in found


def test_the_power_is_declared_in_the_text():
    assert "power 100% for a difference of 5 points, 3 runs" in str(less("", [9.0, 9.1, 9.2], 5.0, "", unit=" points"))
    assert exact("", shows=True, figures="").power.startswith("exact")
    assert within("", [0.25]).power == "a bound below 25% of it would have been broken"
    assert within("", [1.5]).found == "differs"


def test_a_reason_is_kept_only_where_the_claim_does_not_show():
    assert less("", [9.0, 9.1, 9.2], 1.0, "", why="chance").why == ""
    assert less("", [-9.0, -9.1, -9.2], 1.0, "", why="chance").why == "chance"


@pytest.mark.parametrize(("estimate", "found"), [(0.9, "shows"), (1.3, "differs"), (1.09, "undecided")])
def test_a_limit(estimate, found):
    assert at_most("", estimate, 0.02, 1.0, 0.1, "").found == found


def test_shares_by_the_binomial():
    assert share_at_least("", [True] * 199 + [False], 0.95, "").shows
    assert share_at_least("", [True] * 80 + [False] * 20, 0.95, "").found == "differs"
    assert share_at_least("", [True] * 20, 0.95, "").found == "no power"
    n_failed = range(30)  # of 120 runs: more fail once in 10^12
    shown = [share_at_least("", [True] * (120 - n) + [False] * n, 0.95, "").shows for n in n_failed]
    wrongly = stats.binom.pmf(n_failed, 120, 0.05) @ shown
    assert 0.001 < wrongly < 0.05
