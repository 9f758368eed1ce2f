import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_tables as naive
from winnowkit.data import MultisplitDiscretizer
from winnowkit.data.discretize import _blocks
from winnowkit.data.multisplit_kernel import best_splits

tables = st.lists(st.tuples(st.integers(0, 8), st.sampled_from("abc")), min_size=1, max_size=25)


def parts_of(discretizer, values, labels):
    codes = discretizer.transform(np.reshape(values, (-1, 1))).ravel()
    return [[label for label, code in zip(labels, codes, strict=True) if code == c] for c in sorted(set(codes))]


@settings(max_examples=200, deadline=None)
@given(tables, st.integers(1, 5))
def test_no_partition_is_purer(table, most):
    values, labels = map(list, zip(*table, strict=True))
    discretizer = MultisplitDiscretizer(max_intervals=most, stop=None)
    discretizer.fit(np.reshape(values, (-1, 1)), labels)
    parts = parts_of(discretizer, values, labels)
    k = min(most, len(set(values)))
    assert len(parts) <= most
    # Blocks may be fewer than values; cutting inside one gains nothing.
    assert naive.impurity(parts) == pytest.approx(naive.least_impurity(values, labels, k), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(tables)
def test_the_kernel_finds_the_least_impurity_for_every_k_and_its_cuts_have_it(table):
    values, labels = map(list, zip(*table, strict=True))
    blocks = _blocks(np.array(values, dtype=float), np.unique(labels, return_inverse=True)[1])
    impurity, cuts = best_splits(blocks.prefix, min(5, len(blocks.first)))
    for k, least in enumerate(impurity, start=1):
        counts = np.diff(blocks.prefix[[0, *cuts[k - 1, : k - 1], len(blocks.first)]], axis=0)
        parts = [[c for c, n in enumerate(row) for _ in range(n)] for row in counts]
        assert all(parts)
        assert naive.impurity(parts) == pytest.approx(least, abs=1e-9)
        assert least == pytest.approx(naive.least_impurity(values, labels, k), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(tables)
def test_bic_stops_where_the_penalised_impurity_is_least(table):
    values, labels = map(list, zip(*table, strict=True))
    discretizer = MultisplitDiscretizer(max_intervals=4, stop="bic").fit(np.reshape(values, (-1, 1)), labels)
    parts = parts_of(discretizer, values, labels)
    every = [p for k in range(1, min(4, len(set(values))) + 1) for _, p in naive.partitions(values, labels, k)]
    least = min(naive.impurity(p) + naive.bic(p) for p in every)
    assert naive.impurity(parts) + naive.bic(parts) == pytest.approx(least, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(tables)
def test_mdl_stops_where_the_description_is_shortest(table):
    """Of the purest partition for each k, that is: mdl also counts H(S_i), in which partitions of one k differ."""
    values, labels = map(list, zip(*table, strict=True))
    X = np.reshape(values, (-1, 1))
    parts = parts_of(MultisplitDiscretizer(max_intervals=4).fit(X, labels), values, labels)
    purest = [
        parts_of(MultisplitDiscretizer(max_intervals=k, stop=None).fit(X, labels), values, labels) for k in range(1, 5)
    ]
    least = min(naive.impurity(p) + naive.mdl(p) for p in purest)
    assert naive.impurity(parts) + naive.mdl(parts) == pytest.approx(least, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(table, random):
    shuffled = list(table)
    random.shuffle(shuffled)
    cuts = []
    for rows in (table, shuffled):
        values, labels = zip(*rows, strict=True)
        cuts.append(MultisplitDiscretizer(stop=None).fit(np.reshape(values, (-1, 1)), labels).cuts_[0].tolist())
    assert cuts[0] == cuts[1]


def test_divide_and_conquer_would_be_wrong():
    """Both Monge inequalities fail, so the optimal cut need not move one way as the end does."""
    for x, y, z, sign in [((1, 0), (0, 1), (1, 0), 1), ((1, 0), (9, 0), (0, 1), -1)]:
        labels = [[c for c, n in enumerate(block) for _ in range(n)] for block in (x, y, z)]
        crossing = naive.impurity([labels[0] + labels[1]]) + naive.impurity([labels[1] + labels[2]])
        nested = naive.impurity([[c for block in labels for c in block]]) + naive.impurity([labels[1]])
        assert sign * (crossing - nested) > 0.1
