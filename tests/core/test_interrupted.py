"""Ctrl-C: `partial_fit` takes back what it had begun, `fit` keeps its complete epochs; both raise KeyboardInterrupt."""

import numpy as np
import pytest
from sklearn.base import clone

import winnowkit as wk
from winnowkit.data import streams
from winnowkit.linear import committee_kernel, kernel

N = 40
LEARNERS = [
    wk.Winnow2(),
    wk.NormalizedWinnow(k=3),
    wk.BalancedWinnow(negations=True),
    wk.ThresholdedBEG(),
    wk.Committee(share=0.01),
]


@pytest.fixture(scope="module")
def data():
    return streams.disjunction(n=N, k=3, active=6, label_noise=0.2, seed=1).take(300)


def interrupt_after(monkeypatch, calls):
    """Let the kernels of linear learners run as often, and raise KeyboardInterrupt when the last one returns."""
    made = []

    def interrupted(learn):
        def run(*arguments):
            flags = learn(*arguments)
            made.append(flags)
            if len(made) == calls:
                raise KeyboardInterrupt
            return flags

        return run

    for module in (kernel, committee_kernel):
        monkeypatch.setattr(module, "learn", interrupted(module.learn))


def state_of(model):
    return {name: array.copy() for name, array in model._learner.arrays().items()}


def assert_same(state, other):
    assert state.keys() == other.keys()
    for name, array in state.items():
        np.testing.assert_array_equal(array, other[name], err_msg=name)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("n_rows", [1, 250])
def test_partial_fit_takes_everything_back(learner, n_rows, data, monkeypatch):
    X, y = data
    model = clone(learner).partial_fit(X[:50], y[:50], classes=[0, 1])
    before, predicted = state_of(model), model.predict(X)
    with monkeypatch.context() as patch:
        interrupt_after(patch, calls=1)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X[50 : 50 + n_rows], 1 - y[50 : 50 + n_rows])
    assert_same(state_of(model), before)
    np.testing.assert_array_equal(model.predict(X), predicted)
    model.partial_fit(X[50:], 1 - y[50:])  # the control: without an interrupt, something is learned
    assert model.n_trials_ == 300


def test_the_first_partial_fit_leaves_nothing(data, monkeypatch):
    X, y = data
    model = wk.Winnow2()
    interrupt_after(monkeypatch, calls=1)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.__getstate__() == wk.Winnow2().__getstate__()  # all but the lock, which each object has for itself


@pytest.mark.parametrize(("learner", "shuffle"), [(wk.Winnow2, False), (wk.Winnow2, True), (wk.Committee, True)])
def test_fit_keeps_its_complete_epochs(learner, shuffle, data, monkeypatch):
    X, y = data
    model = learner(max_epochs=5, shuffle=shuffle, random_state=0)
    with monkeypatch.context() as patch:
        interrupt_after(patch, calls=3)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    expected = learner(max_epochs=2, shuffle=shuffle, random_state=0).fit(X, y)
    n_counted = 1 if learner is wk.Committee else 2  # further passes of a committee train its experts only
    assert model.n_trials_ == expected.n_trials_ == 300 * n_counted
    assert_same(state_of(model), state_of(expected))


def test_fit_interrupted_in_its_first_epoch_keeps_the_model_before(data, monkeypatch):
    X, y = data
    model = wk.Winnow2(random_state=0).fit(X[:100, :20], y[:100])
    before = vars(model).copy()
    interrupt_after(monkeypatch, calls=1)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert vars(model) == before
    assert model.n_features_in_ == 20
