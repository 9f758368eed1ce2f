"""The greedy choice of rules, against one that counts everything anew at each step."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from winnowkit.dnf.compact import select
from winnowkit.dnf.kernels.covering import Wanted, count, count_wrong, greedy


def naive_greedy(covers, classes, target, default, wanted):
    chosen, free = [], np.ones(len(target), dtype=bool)
    while len(chosen) < wanted.max_rules:
        scores = []
        for cover, label in zip(covers.T, classes, strict=True):
            held = target[free & cover]
            gain = np.sum(held == label) - np.sum(held == default)
            good = np.sum(held == label) - wanted.penalty * np.sum(held != label)
            scores.append(good if gain >= wanted.min_gain else 0)
        if max(scores, default=0) <= 0:
            break
        chosen.append(int(np.argmax(scores)))
        free &= ~covers[:, chosen[-1]]
    return chosen


def naive_wrong(covers, classes, target, default, chosen):
    said = [next((classes[k] for k in chosen if row[k]), default) for row in covers]
    return sum(a != b for a, b in zip(said, target, strict=True))


@st.composite
def tables(draw):
    rows, rules, n_classes = draw(st.integers(1, 30)), draw(st.integers(0, 12)), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    covers = rng.random((rows, rules)) < draw(st.sampled_from([0.1, 0.4]))
    return covers, rng.integers(0, n_classes, rules), rng.integers(0, n_classes, rows), n_classes


@settings(deadline=None, max_examples=300)
@given(tables(), st.integers(1, 8), st.integers(1, 3), st.sampled_from([1.0, 2.0, 16.0]))
def test_greedy_choices_are_those_of_full_counts(table, max_rules, min_gain, penalty):
    covers, classes, target, n_classes = table
    wanted = Wanted(max_rules, min_gain, penalty)
    chosen = greedy(covers, classes, target, 0, count(covers, target, n_classes), wanted).tolist()
    assert chosen == naive_greedy(covers, classes, target, 0, wanted)
    wrong = count_wrong(covers, classes, target, 0, np.array(chosen, dtype=np.int64))
    assert wrong == naive_wrong(covers, classes, target, 0, chosen)


@settings(deadline=None, max_examples=100)
@given(tables(), st.integers(1, 3))
def test_a_choice_says_how_many_rows_are_wrong_and_each_rule_earns_its_place(table, min_gain):
    covers, classes, target, _ = table
    rules, default, wrong = select(covers, classes, target, 0, 10, min_gain)
    assert wrong == [naive_wrong(covers, classes, target, default, rules[:k]) for k in range(len(rules) + 1)]
    for rule in rules:
        without = [other for other in rules if other != rule]
        assert naive_wrong(covers, classes, target, default, without) >= wrong[-1] + min_gain
