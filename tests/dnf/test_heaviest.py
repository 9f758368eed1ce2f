import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_dnf
from logs import log_of
from winnowkit.dnf import MistakeLog
from winnowkit.dnf.heaviest_search import heaviest


@st.composite
def logs(draw):
    n = draw(st.integers(1, 5))
    row = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    mistakes = draw(st.lists(st.tuples(row, st.sampled_from([1, 1, -1])), min_size=0, max_size=25))
    return log_of(mistakes, n), mistakes


def pairs(terms):
    return [(term.literals, term.net) for term in terms]


@settings(deadline=None, max_examples=300)
@given(logs(), st.integers(1, 30), st.integers(1, 5), st.integers(0, 2))
def test_heaviest_terms_are_those_of_a_full_enumeration(case, max_terms, max_literals, slack):
    log, mistakes = case
    found, complete = heaviest(log, max_terms, max_literals, slack=slack)
    assert complete
    assert pairs(found) == naive_dnf.heaviest(mistakes, max_terms, max_literals, slack)


@settings(deadline=None, max_examples=100)
@given(logs(), st.data())
def test_heaviest_terms_of_an_example_are_those_among_its_own(case, data):
    log, mistakes = case
    x = data.draw(st.lists(st.integers(0, 3), min_size=log.n_attributes, max_size=log.n_attributes))
    agreed = [([a if a == b else 0 for a, b in zip(x, z, strict=True)], sign) for z, sign in mistakes]
    assert pairs(heaviest(log, 20, x=x).terms) == naive_dnf.heaviest(agreed, 20, 5)


@pytest.mark.parametrize("seed", range(24))
def test_heaviest_terms_of_small_logs_are_those_of_a_full_enumeration(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    codes = rng.integers(0, rng.integers(2, 5), (int(rng.integers(4, 30)), n)).tolist()
    mistakes = list(zip(codes, rng.choice([-1, 1, 1], len(codes)).tolist(), strict=True))
    log = log_of(mistakes, n)
    for max_terms, max_literals, slack in ((40, 5, 0), (3, 5, 0), (1, 2, 0), (6, 3, 1), (4, 4, 2)):
        expected = naive_dnf.heaviest(mistakes, max_terms, max_literals, slack)
        assert pairs(heaviest(log, max_terms, max_literals, slack=slack).terms) == expected
    assert pairs(heaviest(log, 40).terms) == naive_dnf.heaviest(mistakes, 40, 5)


@pytest.mark.parametrize("promotions", [1, 2, 3, 4])
def test_long_terms_are_in_order_of_net_and_then_of_length(promotions):
    """A term of six literals with net 3 is met before one of five; without any one of their literals, both weigh 0."""
    mistakes = []
    for columns, code, net in ((range(6), 1, 3), (range(2, 7), 2, promotions)):
        term = np.zeros(7, dtype=int)
        term[list(columns)] = code
        mistakes += [(term.tolist(), 1)] * net
        for j in columns:
            mistakes += [(np.where(np.arange(7) == j, 3, term).tolist(), -1)] * net
    found = pairs(heaviest(log_of(mistakes, 7), 5).terms)
    six, five = (tuple((j, 1) for j in range(6)), 3), (tuple((j, 2) for j in range(2, 7)), promotions)
    assert found == ([six, five] if promotions < 3 else [five, six])


def test_mistakes_that_agree_alike_with_an_example_merge():
    log = MistakeLog(4)
    for z, sign in [([0, 0, 0, 1], -1), ([0, 0, 1, 1], 1), ([0, 1, 0, 1], 1)]:
        log.append(z, sign)
    assert pairs(heaviest(log, 20, x=[0, 0, 1, 1]).terms) == [(((2, 1),), 1)]


def test_a_search_that_gives_up_says_so():
    log, rng = MistakeLog(10), np.random.default_rng(0)
    for sign in rng.choice([-1, 1], 100):
        log.append(rng.integers(1, 3, 10), int(sign))
    assert heaviest(log, 10).complete
    assert not heaviest(log, 10, max_nodes=3).complete


def test_bad_limits_are_refused():
    with pytest.raises(ValueError, match="max_terms must be at least 1, got 0"):
        heaviest(MistakeLog(2), 0)
    with pytest.raises(ValueError, match="max_literals must be at least 1 or None, got 0"):
        heaviest(MistakeLog(2), 1, 0)


def test_codes_below_zero_are_refused():
    """The search counts by code, and would count outside its arrays."""
    log = MistakeLog(2)
    log.append([-3, 1], 1)
    with pytest.raises(ValueError, match="must not be negative; got -3"):
        heaviest(log, 1)
    with pytest.raises(ValueError, match="must not be negative; got -3"):
        MistakeLog.restore(log.codes, log.nets, log.last, n_promotions=1, n_demotions=0)
