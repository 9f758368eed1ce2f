import numpy as np
import pytest

from winnowkit.rulesets import RuleSet, TradeOff, TradeOffPoint

NONE = RuleSet.from_text("else stay")
ONE = RuleSet.from_text("if sky = sunny then play\nelse stay")
TWO = RuleSet.from_text("if sky = sunny then play\nif 40 < age <= 52 then play\nelse stay")


def point(rules, accuracy, error=0.02):
    return TradeOffPoint(rules.complexity, accuracy, error, rules)


def test_complexity_counts_rules_and_both_ends_of_a_range():
    assert [rules.complexity for rules in (NONE, ONE, TWO)] == [0, 2, 5]


def test_the_default_choice_is_the_simplest_within_one_standard_error():
    curve = TradeOff([point(TWO, 0.90), point(NONE, 0.60), point(ONE, 0.885)])
    assert [p.complexity for p in curve] == [0, 2, 5]
    assert len(curve) == 3
    assert curve[-1].rules is TWO
    assert curve.best.rules is ONE
    assert TradeOff([point(TWO, 0.90), point(ONE, 0.87)]).best.rules is TWO


def test_on_many_rows_the_default_choice_is_the_simplest_with_one_error_in_twenty_more():
    tiny = 1e-4
    assert TradeOff([point(TWO, 0.900, tiny), point(ONE, 0.896, tiny)]).best.rules is ONE
    assert TradeOff([point(TWO, 0.900, tiny), point(ONE, 0.894, tiny)]).best.rules is TWO
    assert TradeOff([point(TWO, 0.990, tiny), point(ONE, 0.986, tiny)]).best.rules is TWO  # a third more errors
    assert TradeOff([point(TWO, 1.0, 0.0), point(ONE, 0.9999, tiny)]).best.rules is TWO


def test_a_limit_of_complexity_chooses_among_simpler_points():
    curve = TradeOff([point(NONE, 0.6), point(ONE, 0.7), point(TWO, 0.9)])
    assert curve.at_most(4).rules is ONE
    assert curve.at_most(1).rules is NONE
    with pytest.raises(ValueError, match="has a complexity of 2, which is more than 1"):
        TradeOff([point(ONE, 0.7)]).at_most(1)


def test_a_trade_off_needs_points():
    with pytest.raises(ValueError, match="at least one point"):
        TradeOff([])


def test_html_shows_every_point_and_the_choice():
    shown = TradeOff([point(NONE, 0.6), point(ONE, 0.8)])._repr_html_()
    assert shown.count("<tr") == 3
    assert "80.0% (standard error 2.0%), chosen" in shown


def test_points_are_compared_on_the_same_rows():
    rng = np.random.default_rng(0)
    right = rng.random(1000) < 0.8
    right[:30] = True
    worse = right & (np.arange(1000) >= 30)  # 30 errors more, on the same rows: 3% with a standard error of 0.5%
    other = np.roll(right, 500) & (np.arange(1000) >= 8)  # about as many errors, on other rows

    def measured(rules, hits):
        return TradeOffPoint(rules.complexity, float(hits.mean()), 0.04, rules, hits / 1000)

    assert TradeOff([measured(TWO, right), measured(ONE, worse)]).best.rules is TWO
    assert TradeOff([measured(TWO, right), measured(ONE, other)]).best.rules is ONE
    assert TradeOff([point(TWO, 0.80, 0.04), point(ONE, 0.77, 0.04)]).best.rules is ONE  # without a look at the rows


def test_points_without_hits_are_compared_by_the_standard_error():
    hits = np.array([True, False])
    with_hits = TradeOffPoint(2, 0.5, 0.01, ONE, hits)
    for one, other in [(with_hits, point(TWO, 0.55)), (point(ONE, 0.53), with_hits)]:
        assert one.is_as_good_as(other) == (other.accuracy - one.accuracy <= max(other.standard_error, 0.05 * 0.45))


def test_the_standard_error_of_a_difference_is_about_its_mean():
    """Three of four rows lost: a difference of 3/4 with a standard error of sqrt(3 / 64), about 0.22."""
    hits = np.full(4, 0.25)
    all_right = TradeOffPoint(2, 1.0, 0.0, ONE, hits)
    three_wrong = TradeOffPoint(0, 0.25, 0.0, NONE, hits * [1, 0, 0, 0])
    assert not three_wrong.is_as_good_as(all_right)
    assert all_right.is_as_good_as(three_wrong)


def test_points_are_equal_without_regard_to_rows():
    assert TradeOffPoint(2, 0.5, 0.1, ONE, np.full(4, 0.25)) == TradeOffPoint(2, 0.5, 0.1, ONE)
