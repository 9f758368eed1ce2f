import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_dnf
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.short_term_tables import ShortLog, ShortTerms, n_short_terms


def naive_counts(x, mistakes, max_literals):
    specified = [j for j, code in enumerate(x) if code]
    nets = [naive_dnf.net(term, x, mistakes) for term in naive_dnf.subsets(specified) if len(term) <= max_literals]
    return {net: nets.count(net) for net in sorted(set(nets))}


@st.composite
def cases(draw):
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    row = st.tuples(*(st.integers(0, k) for k in sizes))
    mistakes = draw(st.lists(st.tuples(row, st.sampled_from([1, -1])), max_size=15))
    return sizes, mistakes, draw(row), draw(st.integers(1, 4))


@settings(deadline=None, max_examples=200)
@given(cases())
def test_counts_are_those_of_an_enumeration(case):
    sizes, mistakes, x, k = case
    log = ShortLog(sizes, k)
    for z, sign in mistakes:
        log.append(z, sign)
    expected = naive_counts(x, mistakes, k)
    assert log.counts(np.array(x)) == expected
    total = sum(number * Fraction(3, 2) ** net for net, number in expected.items())
    assert log.log_sums(np.array([x]), 1.5)[0] == pytest.approx(naive_dnf.log(total), abs=1e-12)
    for twin in (pickle.loads(pickle.dumps(log)), copy.deepcopy(log)):
        assert twin == log
        assert twin.counts(np.array(x)) == expected


def test_a_forgotten_example_leaves_the_table():
    rng, log = np.random.default_rng(0), ShortLog([2] * 4, 3, max_mistakes=5)
    for _ in range(40):
        log.append(rng.integers(1, 3, 4), int(rng.choice([-1, 1])))
    left = [(tuple(z), net) for z, net in zip(log.codes.tolist(), log.nets.tolist(), strict=True)]
    assert log.n_forgotten > 0
    assert log.counts(np.ones(4)) == naive_counts([1] * 4, left, 3)


def test_the_number_of_short_terms_is_that_of_an_enumeration():
    sizes = [2, 1, 3, 2]
    for k in range(1, 6):
        terms = [t for t in np.ndindex(*(s + 1 for s in sizes)) if sum(code > 0 for code in t) <= k]
        assert n_short_terms(sizes, k) == len(terms)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_training_is_that_of_asking_about_every_row(n_classes):
    rng, sizes, k = np.random.default_rng(n_classes), [3] * 5, 2
    X = rng.integers(0, 4, (60, 5)).astype(np.int32)
    y = ((X[:, 0] == 1) & (X[:, 1] == 2) | (X[:, 2] == 3)).astype(np.int64) + (n_classes > 2) * (X[:, 3] == 1)
    n_learners, theta = (1 if n_classes == 2 else n_classes), n_short_terms(sizes, k)
    learners = Learners(n_learners, 5, alpha=1.5, theta=theta, engine=ShortTerms(sizes, k))
    learners.fit(X, y, max_epochs=4)
    logs, active = [[] for _ in range(n_learners)], set(range(n_learners))
    for _ in range(4):
        wrong = set()
        for x, label in zip(X.tolist(), y.tolist(), strict=True):
            for c in active:
                total = sum(m * Fraction(3, 2) ** net for net, m in naive_counts(x, logs[c], k).items())
                target = label == (1 if n_learners == 1 else c)
                if (total >= theta) != target:
                    logs[c].append((x, 1 if target else -1))
                    wrong.add(c)
        active &= wrong
    assert [log.n_mistakes for log in learners.logs] == [len(log) for log in logs]
    for x in X[:10]:
        assert [log.counts(x) for log in learners.logs] == [naive_counts(x.tolist(), log, k) for log in logs]


def test_tables_too_large_are_refused():
    with pytest.raises(ValueError, match="max_literals=9 needs tables of"):
        Learners(1, 100, alpha=1.5, theta=10.0, engine=ShortTerms([3] * 100, 9))
