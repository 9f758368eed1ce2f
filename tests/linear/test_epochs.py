"""Epochs of `fit`: rows in new orders, an early stop, and the mean over epochs where labels are noisy."""

import numpy as np
import pytest
from sklearn.base import clone

import winnowkit as wk
from winnowkit.data import streams

LEARNERS = [
    wk.Winnow1(),
    wk.Winnow2(),
    wk.Winnow2(negations=True),
    wk.BalancedWinnow(),
    wk.BalancedWinnow(theta=1.0, margin=0.5, negations=True),
    wk.NormalizedWinnow(),
    wk.NormalizedWinnow(negations=True),
    wk.ThresholdedBEG(),
    wk.ThresholdedBEG(preset="noise-free", negations=True),
    wk.BayesBEG(),
    wk.BayesBEG(preset="theorem-3"),
    wk.BayesBEG(negations=True),
]


@pytest.fixture(scope="module")
def noisy():
    return streams.disjunction(n=60, k=3, active=10, label_noise=0.1, seed=1).take(300)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_decisions_are_the_mean_over_the_ends_of_epochs(learner, n_classes, noisy):
    X, y = noisy
    y = y + (X[:, [5]].toarray().ravel() > 0) * (n_classes - 2)
    ends = [
        clone(learner).set_params(max_epochs=epochs, average=False, random_state=0).fit(X, y) for epochs in range(1, 5)
    ]
    mean = clone(learner).set_params(max_epochs=4, random_state=0).fit(X, y)
    decisions = np.mean([end.decision_function(X) for end in ends], axis=0)
    np.testing.assert_allclose(mean.decision_function(X), decisions, rtol=1e-7, atol=1e-7 * np.abs(decisions).max())
    assert (mean.n_trials_, mean.n_mistakes_) == (ends[-1].n_trials_, ends[-1].n_mistakes_)
    if not isinstance(learner, wk.Winnow1) and getattr(learner, "preset", None) in (None, "theorem-4"):
        moved = np.abs(ends[-1].decision_function(X) - decisions).max()
        assert moved > 1e-4 * np.abs(decisions).max()  # the control; noise makes the others drop every attribute


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_learner_that_settles_stays_as_it_is(learner):
    X, y = streams.disjunction(n=60, k=3, active=10, seed=1).take(300)
    model, last = (clone(learner).set_params(random_state=0, average=average).fit(X, y) for average in (True, False))
    assert model.n_trials_ < 10 * 300
    np.testing.assert_array_equal(model.coef_, last.coef_)
    assert (model.predict(X) == y).all()


def test_one_epoch_if_every_trial_updates(noisy):
    X, y = noisy
    for learner in (wk.BayesBEG, wk.ThresholdedBEG, wk.NormalizedWinnow):
        assert learner(policy="always", random_state=0).fit(X, y).n_trials_ == 300
        assert learner(policy="always", max_epochs=2, random_state=0).fit(X, y).n_trials_ == 600
        assert learner(random_state=0).fit(X, y).n_trials_ == 3000


@pytest.mark.parametrize("learner", [wk.Winnow2, wk.BalancedWinnow, wk.ThresholdedBEG, wk.BayesBEG])
def test_sorted_rows_are_as_good_as_shuffled_ones_and_better_than_one_pass(learner):
    stream = streams.disjunction(n=300, k=4, active=20, label_noise=0.05, seed=2)
    X, y = stream.take(3000)
    truth, by_label = stream.target(X), np.argsort(y, kind="stable")

    def errors(rows, **options):
        models = [learner(random_state=seed, **options).fit(X[rows], y[rows]) for seed in range(5)]
        return np.array([(model.predict(X) != truth).mean() for model in models])

    several, sorted_rows = errors(np.arange(3000)), errors(by_label)
    one, in_order = errors(np.arange(3000), max_epochs=1), errors(by_label, shuffle=False, max_epochs=1)
    assert several.mean() < one.mean()
    assert sorted_rows.mean() < one.mean()
    assert in_order.mean() > 3 * sorted_rows.mean()  # the control: in its own order, sorted data mislead


def test_learning_goes_on_from_the_mean(noisy):
    X, y = noisy
    for learner in LEARNERS:
        model = clone(learner).set_params(random_state=0).fit(X, y)
        refreshed = clone(learner).set_params(random_state=0).fit(X, y)
        refreshed._learner.roll_back(refreshed._learner.checkpoint())  # sums anew all that follows from the weights
        for one in (model, refreshed):
            one.partial_fit(X, y)
        np.testing.assert_array_equal(model.decision_function(X), refreshed.decision_function(X))


def test_certificates_say_where_theory_ends(noisy):
    X, y = noisy
    model = wk.Winnow2(random_state=0).fit(X, y)
    assert model.certificate(k=3, attribute_errors=40).bound < np.inf  # ten epochs are one sequence of examples
    model.partial_fit(X, y)
    assert "went on from the mean over several epochs" in model.certificate(k=3).theorem
    last = wk.Winnow2(random_state=0, average=False).fit(X, y).partial_fit(X, y)
    assert last.certificate(k=3).bound < np.inf
    assert wk.Winnow2(random_state=0).fit(X, y, sample_weight=np.full(300, 2.0)).certificate(k=3).bound < np.inf
    parts = wk.Winnow2(random_state=0).fit(X, y, sample_weight=np.full(300, 0.5))
    assert "some weights were fractions" in parts.certificate(k=3).theorem
    assert parts.fit(X, y).certificate(k=3).bound < np.inf  # a new start


@pytest.mark.parametrize("max_epochs", [0, -1, 2.5, None, "many"])
def test_epochs_that_make_no_sense(max_epochs):
    with pytest.raises(ValueError, match="max_epochs must be an integer >= 1"):
        wk.Winnow2(max_epochs=max_epochs).begin(3, [0, 1])
