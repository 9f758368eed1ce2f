"""Streams are seeded, cut anywhere, and drawn from the target that they name.

Statistical tests allow Z = 5.5 standard errors: a false alarm in 4e-8 of the comparisons, of which there are about 150,
so 6e-6 in all. Each has a control.
"""

import math
from collections import Counter
from itertools import combinations, islice, product

import numpy as np
import pytest
import scipy.sparse as sp

from winnowkit.data import streams
from winnowkit.data.streams.disjunctions import Distinct
from winnowkit.data.streams.stream import BLOCK

Z = 5.5

SOURCES = {
    "disjunction": lambda **o: streams.disjunction(500, 5, 20, **o),
    "large": lambda **o: streams.disjunction(1_000_000, 10, **o),
    "crowded": lambda **o: streams.disjunction(70, 5, **o),
    "zipf": lambda **o: streams.disjunction(500, 5, 20, attributes="zipf", **o),
    "crowded zipf": lambda **o: streams.disjunction(30, 5, 25, attributes="zipf", **o),
    "negations": lambda **o: streams.disjunction(500, 5, 20, negations=True, **o),
    "drift": lambda **o: streams.disjunction(500, 5, 20, drift_every=BLOCK + 900, **o),
    "fast drift": lambda **o: streams.disjunction(500, 5, 20, drift_every=300, **o),
    "threshold": lambda **o: streams.threshold(500, 3, 6, 20, **o),
    "dnf": lambda **o: streams.monotone_dnf(20, **o),
    "bernoulli": lambda **o: streams.bernoulli(30, 5, 0.1, **o),
    "half-spaces": lambda **o: streams.half_spaces(21, **o),
    "both half-spaces": lambda **o: streams.half_spaces(20, labels="both", **o),
}
NO_DRIFT = [name for name in SOURCES if "drift" not in name]


def near(share: float, expected: float, trials: int) -> bool:
    return abs(share - expected) <= Z * math.sqrt(expected * (1 - expected) / trials)


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def join(chunks):
    tables, labels = zip(*chunks, strict=True)
    return np.concatenate([dense(X) for X in tables]), np.concatenate(labels)


@pytest.mark.parametrize("name", [name for name in SOURCES if name != "large"])
def test_rows_do_not_depend_on_how_they_are_cut(name):
    stream = SOURCES[name](seed=3)
    X, y = stream.take(6000)
    for size in (600, BLOCK, 3000):
        X_cut, y_cut = join(islice(stream.chunks(size), 10))
        rows = min(len(y), len(y_cut))
        assert (dense(X)[:rows] == X_cut[:rows]).all()
        assert (y[:rows] == y_cut[:rows]).all()


@pytest.mark.parametrize("name", SOURCES)
def test_a_seed_gives_a_stream(name):
    (X, y), (again, y_again) = (SOURCES[name](seed=3).take(50) for _ in range(2))
    other, _ = SOURCES[name](seed=4).take(50)
    assert abs(X - again).sum() == 0
    assert (y == y_again).all()
    assert abs(X.astype(np.float64) - other).sum() > 0


@pytest.mark.parametrize("name", [name for name in SOURCES if "half" not in name])
def test_tables_are_valid(name):
    stream = SOURCES[name]()
    X, y = stream.take(3000)
    assert isinstance(X, sp.csr_array)
    assert X.shape == (3000, stream.n_features)
    assert (X.data == 1).all()
    assert X.data.dtype == np.float64
    assert X.indices.dtype == X.indptr.dtype == np.int32
    assert y.dtype == np.int64
    assert set(y.tolist()) == {0, 1}
    X.check_format(full_check=True)
    inside = np.ones(X.nnz, dtype=bool)
    inside[X.indptr[:-1][np.diff(X.indptr) > 0]] = False  # the first of each row has no neighbour to the left
    assert (np.diff(X.indices)[inside[1:]] > 0).all()


@pytest.mark.parametrize("name", [name for name in NO_DRIFT if name != "bernoulli"])
def test_labels_are_the_targets(name):
    stream = SOURCES[name](seed=5)
    X, y = stream.take(3000)
    assert (stream.target(X) == y).all()
    if name != "half-spaces":  # control: another target gives other labels
        assert (SOURCES[name](seed=6).target(X) != y).any()


@pytest.mark.parametrize("name", ["disjunction", "zipf", "crowded zipf", "negations", "threshold"])
def test_rows_have_as_many_ones_as_asked(name):
    X, _ = SOURCES[name]().take(3000)
    assert set(np.diff(X.indptr).tolist()) == {25 if name == "crowded zipf" else 20}


def test_positives_have_few_true_literals_and_negatives_none():
    stream = streams.disjunction(500, 5, 20)
    X, y = stream.take(5000)
    true = X[:, list(stream.target.variables)].sum(axis=1)
    assert set(true[y == 0]) == {0}
    assert true[y == 1].min() == 1
    assert (true[y == 1] <= 2).mean() > 0.85


def test_threshold_examples_lie_near_the_edge():
    stream = streams.threshold(500, 3, 6, 20)
    X, y = stream.take(5000)
    true = X[:, list(stream.target.variables)].sum(axis=1)
    assert true[y == 1].min() == 3
    assert true[y == 0].max() == 2
    assert ((true >= 1) & (true <= 4)).mean() > 0.85


def test_negations_negate_some_literals():
    for seed in range(20):
        target = streams.disjunction(500, 5, 20, negations=True, seed=seed).target
        assert 0 < len(target.negated) < 5
        assert set(target.negated) < set(target.variables)
    assert streams.disjunction(500, 1, 20, negations=True).target.negated


@pytest.mark.parametrize("balance", [0.2, 0.5])
@pytest.mark.parametrize("name", ["disjunction", "threshold", "dnf"])
def test_balance(name, balance):
    _, y = SOURCES[name](balance=balance).take(20_000)
    assert near(y.mean(), balance, 20_000)
    assert not near(y.mean(), balance + 0.05, 20_000)


@pytest.mark.parametrize("name", ["disjunction", "threshold", "dnf"])
def test_label_noise(name):
    stream = SOURCES[name](label_noise=0.1)
    X, y = stream.take(20_000)
    wrong = (stream.target(X) != y).mean()
    assert near(wrong, 0.1, 20_000)
    assert not near(wrong, 0.12, 20_000)
    clean, _ = SOURCES[name]().take(20_000)
    assert (clean != X).nnz == 0  # noise on labels leaves the examples alone


def test_attribute_noise_flips_relevant_attributes_only():
    stream = streams.disjunction(500, 5, 20, attribute_noise=0.1, balance=0.0)
    X, y = stream.take(20_000)
    assert not y.any()
    flipped = X[:, list(stream.target.variables)].sum() / (5 * 20_000)  # a clean negative example has none
    assert near(flipped, 0.1, 5 * 20_000)
    assert not near(flipped, 0.11, 5 * 20_000)


def test_drift_draws_a_new_target():
    stream = SOURCES["drift"](seed=2)
    X, y = stream.take(2 * (BLOCK + 900))
    edge = BLOCK + 900
    before, after = stream.target_at(edge - 1), stream.target_at(edge)
    assert stream.target == stream.target_at(0) == before != after
    assert (before(X[:edge]) == y[:edge]).all()
    assert (after(X[edge:]) == y[edge:]).all()
    assert (before(X[edge:]) != y[edge:]).any()


@pytest.mark.parametrize("size", [8, 400])  # drawn by clocks, and independently
def test_zipf_frequencies(size):
    X, _ = streams.disjunction(size + 2, 2, active=1, attributes="zipf", balance=0.0, seed=1).take(40_000)
    stream = streams.disjunction(size + 2, 2, active=1, attributes="zipf", balance=0.0, seed=1)
    counts = np.delete(X.sum(axis=0), stream.target.variables)
    chances = 1 / np.arange(1, size + 1)
    chances /= chances.sum()
    for ranks in (slice(0, 1), slice(1, 2), slice(2, 4), slice(4, 8), slice(size // 2, size)):
        assert near(counts[ranks].sum() / 40_000, chances[ranks].sum(), 40_000)
    uniform, _ = streams.disjunction(size + 2, 2, active=1, balance=0.0, seed=1).take(40_000)
    assert near(uniform.sum(axis=0).max() / 40_000, 1 / size, 40_000)
    assert not near(uniform.sum(axis=0).max() / 40_000, chances[0], 40_000)


@pytest.mark.parametrize("attributes", ["uniform", "zipf"])
@pytest.mark.parametrize("size", [16, 17])  # the two ways of drawing: 8 * width is 16
def test_sets_are_drawn_one_by_one(size, attributes):
    chances = np.ones(size) if attributes == "uniform" else 1 / np.arange(1, size + 1)
    chances /= chances.sum()
    distinct = Distinct(np.arange(size, dtype=np.int32), attributes, absent=size)
    rows = 60_000
    table = distinct.draw(np.random.default_rng(0), np.full(rows, 2), np.empty((rows, 0), np.int32), width=2)
    counts = Counter(map(tuple, table.tolist()))
    for i, j in [*combinations(range(4), 2), (2, 15), (14, 15)]:
        exact = chances[i] * chances[j] * (1 / (1 - chances[i]) + 1 / (1 - chances[j]))
        assert near(counts[i, j] / rows, exact, rows)
    # control: two independent draws, given that they differ, are another distribution
    if attributes == "zipf":
        wrong = 2 * chances[0] * chances[1] / (1 - (chances**2).sum())
        assert not near(counts[0, 1] / rows, wrong, rows)


def test_formulas_have_the_papers_term_lengths():
    lengths = {len(term) for seed in range(100) for term in streams.monotone_dnf(24, seed=seed).target.terms}
    assert lengths == set(range(2, 7))
    lengths = {len(term) for seed in range(30) for term in streams.monotone_dnf(5, seed=seed).target.terms}
    assert lengths == {2, 3}


def test_dnf_examples_are_uniform_given_the_label():
    stream = streams.monotone_dnf(5, terms=2, seed=1)
    X, y = stream.take(40_000)
    space = np.array(list(product((0, 1), repeat=5)))
    labels = stream.target(space)
    counts = Counter(map(tuple, X.toarray().astype(int).tolist()))
    for x, label in zip(space.tolist(), labels.tolist(), strict=True):
        same = int((y == label).sum())
        chance = 1 / int((labels == label).sum())
        assert near(counts[tuple(x)] / same, chance, same)
        assert not near(counts[tuple(x)] / same, 1.3 * chance, same)


def test_bernoulli_attributes_match_the_label():
    X, y = streams.bernoulli(20, 3, 0.2).take(20_000)
    matches = (X.toarray() == y[:, None]).mean(axis=0)
    assert near(y.mean(), 0.5, 20_000)
    assert all(near(share, 0.8, 20_000) for share in matches[:3])
    assert all(near(share, 0.5, 20_000) for share in matches[3:])
    assert not near(matches[0], 0.82, 20_000)


@pytest.mark.parametrize(("n", "vertices"), [(3, 4), (4, 11)])
def test_half_spaces_are_uniform(n, vertices):
    X, y = streams.half_spaces(n).take(20_000)
    assert X.dtype == np.int8
    assert (y == 1).all()
    counts = Counter(map(tuple, X.tolist()))
    assert len(counts) == vertices
    assert all(near(count / 20_000, 1 / vertices, 20_000) for count in counts.values())
    assert not any(near(count / 20_000, 1.3 / vertices, 20_000) for count in counts.values())


def test_mirror_images_are_negative():
    stream = streams.half_spaces(21, labels="both")
    X, y = stream.take(5000)
    product_ = X @ np.array(stream.target.weights)
    assert ((product_ > 0) == (y == 1)).all()
    assert near(y.mean(), 0.5, 5000)


def test_targets_read_well():
    assert str(streams.ThresholdFunction(2, (1, 4, 9))) == "at least 2 of x1, x4, x9"
    assert str(streams.Matches((0, 1), 0.25)) == "each of x0, x1 equals the label with probability 0.75"


def test_importing_data_is_cheap(python):
    code = "import sys, winnowkit.data as d; assert 'scipy' not in sys.modules; assert d.streams.disjunction"
    python(code)
    with pytest.raises(ImportError):
        from winnowkit.data import no_such_thing  # noqa: F401, PLC0415 - that it fails is the point


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: streams.disjunction(100, 0), "k must be an integer >= 1 and <= 99, got 0"),
        (lambda: streams.disjunction(100, 100), "k must be an integer >= 1 and <= 99, got 100"),
        (lambda: streams.disjunction(1, 1), "n must be an integer >= 2"),
        (lambda: streams.disjunction(100.5, 1), "n must be an integer"),
        (lambda: streams.disjunction(50, 10), "active must be an integer >= 1 and <= 40, got 65"),
        (lambda: streams.disjunction(500, 10, 5, negations=True), "active must be an integer >= 10"),
        (lambda: streams.disjunction(500, 10, attributes="normal"), "attributes must be 'uniform' or 'zipf'"),
        (lambda: streams.disjunction(500, 10, label_noise=1.5), r"label_noise must be in \[0, 1\], got 1.5"),
        (lambda: streams.disjunction(500, 10, attribute_noise=-1), r"attribute_noise must be in \[0, 1\], got -1"),
        (lambda: streams.disjunction(500, 10, balance=math.nan), r"balance must be in \[0, 1\], got nan"),
        (lambda: streams.disjunction(500, 10, drift_every=0), "drift_every must be an integer >= 1, got 0"),
        (lambda: streams.disjunction(500, 10, seed=-1), "seed must be an integer >= 0, got -1"),
        (lambda: streams.threshold(500, 5, 4), "r must be an integer >= 1 and <= 4, got 5"),
        (lambda: streams.threshold(500, 4, 5, active=3), "active must be an integer >= 4"),
        (lambda: streams.monotone_dnf(2), "n must be an integer >= 3, got 2"),
        (lambda: streams.monotone_dnf(20, terms=40), "terms must be <= 32, got 40"),
        (lambda: streams.bernoulli(10, 11, 0.1), "k must be an integer >= 1 and <= 10, got 11"),
        (lambda: streams.bernoulli(10, 3, 2), r"p must be in \[0, 1\], got 2"),
        (lambda: streams.half_spaces(0), "n must be an integer >= 1, got 0"),
        (lambda: streams.half_spaces(5, labels="negative"), "labels must be 'positive' or 'both'"),
        (lambda: streams.bernoulli(10, 3, 0.1).take(0), "size must be >= 1, got 0"),
    ],
)
def test_nonsense_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
