"""Margins, limits of updates, and the paper's learner."""

import numpy as np
import pytest

from brute_force import BruteForce
from flat_parameters import dnf
from winnowkit import DNFWinnow, load, save
from winnowkit.dnf import Exact, MistakeDriven
from winnowkit.dnf.learners import Learners
from winnowkit.dnf.short_term_tables import ShortTerms
from winnowkit.dnf.training import UpdatePolicy

PAPERS = {"max_updates": None, "missing": "ignore", "margin": 0.0, "two_class": "single"}


def planted(seed, n_rows=150, noise=0.0):
    """Rows of six columns, and whether they satisfy two terms; some labels are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 4, (n_rows, 6))
    y = ((X[:, 0] == 1) & (X[:, 1] == 2)) | ((X[:, 2] == 3) & (X[:, 3] == 1))
    return X.astype(str), (y ^ (rng.random(n_rows) < noise)).astype(np.int64)


def test_rows_end_up_beyond_the_margin():
    X, y = planted(0)
    model = DNFWinnow(training=MistakeDriven(margin=1.0, max_updates=None), random_state=0).fit(X, y)
    assert (np.where(y == 1, 1, -1) * model.decision_function(X)).min() > 1
    without = DNFWinnow(max_literals=None, random_state=0).fit(X, y)
    assert np.abs(without.decision_function(X)).min() < 1


@pytest.mark.parametrize(
    "demand", [UpdatePolicy(1.0, 3), UpdatePolicy(0.5), UpdatePolicy(0.0, 2), UpdatePolicy(0.0, "half")]
)
@pytest.mark.parametrize("n_learners", [1, 2])
def test_every_way_to_sum_learns_the_same(demand, n_learners):
    X, y = planted(1, n_rows=60, noise=0.1)
    X = X.astype(np.int32)
    learners = [
        Learners(n_learners, 6, 1.5, 4**6, Exact()),
        Learners(n_learners, 6, 1.5, 4**6, BruteForce()),
        Learners(n_learners, 6, 1.5, 4**6, ShortTerms([3] * 6, 6)),
    ]
    for one in learners:
        one.fit(X, y, max_epochs=4, policy=demand)
    assert learners[0].logs == learners[1].logs
    assert [log.nets.tolist() for log in learners[0].logs] == [log.nets.tolist() for log in learners[2].logs]


def test_a_row_is_left_alone_after_so_many_updates():
    X, y = planted(2, noise=0.2)
    X, first = np.unique(X, axis=0, return_index=True)
    model = DNFWinnow(training=MistakeDriven(margin=1.0, max_updates=3), random_state=0).fit(X, y[first])
    assert np.abs(model.logs_[0].nets).max() == 3
    assert model.n_epochs_ < 20  # no formula fits, and yet there is an end
    endless = DNFWinnow(training=MistakeDriven(margin=1.0, max_updates=None), max_epochs=20, random_state=0)
    assert endless.fit(X, y[first]).n_epochs_ == 20


def test_by_default_one_row_does_half_of_what_it_takes():
    """One wrong label of 200: to the paper's learner it is a formula of its own."""
    rng = np.random.default_rng(0)
    X = rng.integers(1, 4, (200, 14)).astype(str)
    y = (X[:, 0] == "1").astype(np.int64)
    wrong = int(np.flatnonzero(y == 0)[0])
    y[wrong] = 1
    alone = 14 * np.log(4 / 2) / np.log(1.5)  # 2^14 terms of weight 1 are to become 4^14
    model, papers = (dnf(**kind, random_state=0).fit(X, y) for kind in ({}, PAPERS))
    assert papers.predict(X)[wrong] == 1
    assert np.abs(model.logs_[0].nets).max() <= np.ceil(alone / 2)


def test_the_limit_is_no_less_than_four_and_follows_gaps_and_lengths():
    assert UpdatePolicy(0.0, "half").limit(np.array([0.1, -0.1]), 1.5) == 4
    X = np.ones((2, 10), dtype=np.int32)
    gappy = np.where(np.arange(10) < 4, X, 0).astype(np.int32)
    learners = Learners(1, 10, 1.5, 3**10)
    limits = [
        UpdatePolicy(0.0, "half").limit(learners.log_theta - learners.engine.first_log_sums(rows), 1.5)
        for rows in (X, gappy)
    ]
    assert limits == [5, 11]  # 10 promotions, and 10 + 6 log 2 / log 1.5
    short = Learners(1, 10, 1.5, 3**10, ShortTerms([2] * 10, 10))
    assert np.allclose(short.engine.first_log_sums(gappy), learners.engine.first_log_sums(gappy))


def test_the_default_resists_wrong_labels():
    wrong = np.zeros(2)
    for seed in range(5):
        X, y = planted(20 + seed, n_rows=200, noise=0.1)
        test, truth = planted(60 + seed, n_rows=2000)
        models = [dnf(**parameters, random_state=seed).fit(X, y) for parameters in ({}, PAPERS)]
        wrong += [np.mean(model.predict(test) != truth) for model in models]
    assert wrong[0] < wrong[1]


def test_what_fit_learned_is_saved_and_read(tmp_path):
    X, y = planted(3, noise=0.1)
    model = DNFWinnow(max_literals=None, random_state=0).fit(X, y)
    assert model.chosen_["two_class"] == "pair"
    save(model, tmp_path / "model")
    back = load(tmp_path / "model")
    assert back.chosen_ == model.chosen_
    assert np.array_equal(back.decision_function(X), model.decision_function(X))
    assert len(model.compact(X, y)) > 0
    assert model.explain(X[0]).exact


def test_partial_fit_is_the_papers_learner():
    X, y = planted(4)
    plain, papers = DNFWinnow(), dnf(**PAPERS)
    said = [model.partial_fit_predict(X, y, classes=[0, 1]).tolist() for model in (plain, papers)]
    assert said[0] == said[1]
    assert plain.logs_ == papers.logs_


@pytest.mark.parametrize("wrong", [{"margin": -1.0}, {"margin": "auto"}, {"max_updates": 0}, {"two_class": "auto"}])
def test_bad_values_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        DNFWinnow(training=MistakeDriven(**wrong)).fit(*planted(0))
