"""Several threads learn and predict with one river classifier."""

import copy
import pickle
import random
import sys

import numpy as np
import pandas as pd
import pytest

from racing import run
from winnowkit import SBSB, Committee, DirectBayes, DNFWinnow, Winnow2
from winnowkit.dnf import MistakeDriven
from winnowkit.river import RiverClassifier

TABLE = DNFWinnow(max_literals=2, training=MistakeDriven(max_mistakes=50))


@pytest.fixture(autouse=True)
def switching():
    """Let threads take turns far more often than they would."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def examples(seed, prefix):
    """Yield examples whose attributes become more all the time, with labels that follow one of them."""
    rng = random.Random(seed)
    n = 3
    while True:
        x = {f"{prefix}{i}": rng.random() < 0.5 for i in range(n)}
        n = min(n + (rng.random() < 0.05), 12)
        yield x, x[f"{prefix}0"]


@pytest.mark.parametrize("learner", [Winnow2(), Committee(), SBSB(), DirectBayes(k=1), TABLE])
def test_writers_and_readers(learner):
    model = RiverClassifier(learner)
    ours, theirs, asked = examples(0, "a"), examples(1, "b"), examples(2, "a")
    frame = pd.DataFrame(np.eye(3, dtype=bool), columns=["a0", "b0", "c0"])

    def read_one():
        x, _ = next(asked)
        scores = model.predict_proba_one(x)
        assert sum(scores.values()) == pytest.approx(1.0)
        assert model.predict_one(x) in (True, False)

    def read_many():
        assert len(model.predict_many(frame)) == len(model.predict_proba_many(frame)) == 3
        if learner is not TABLE and not isinstance(learner, SBSB | DirectBayes):
            assert len(model.weights) >= 3
        assert model.n_mistakes <= model.n_trials

    model.learn_many(frame, pd.Series([True, False, False]))
    calls = run(
        [
            lambda: model.learn_one(*next(ours)),
            lambda: model.learn_one(*next(theirs)),
            lambda: model.learn_many(frame, pd.Series([True, False, False])),
            read_one,
            read_many,
        ]
    )
    assert min(calls) > 0
    assert model.n_trials == calls[0] + calls[1] + 3 * (calls[2] + 1)


def test_no_update_is_lost():
    """Updates of disjoint attributes commute: all orders end alike, if none is lost."""
    model = RiverClassifier(Winnow2(alpha=2.0, theta=1e140), classes=(False, True))
    done = [0, 0, 0]

    def learn(i):
        if done[i] < 400:  # weights stay finite
            model.learn_one({f"a{i}": 1, f"new {i} {done[i]}": 0}, True)
            done[i] += 1

    run([lambda i=i: learn(i) for i in range(3)] + [lambda: model.predict_one({"a0": 1, "unknown": 1})], 0.5)
    assert model.n_trials == model.n_mistakes == sum(done)
    assert [np.log2(model.weights[f"a{i}"]) for i in range(3)] == done
    assert len(model.weights) == 3 + sum(done)


def test_the_lock_is_no_part_of_the_state():
    model = RiverClassifier(Winnow2())
    model.learn_one({"a": 1}, True)
    with model._lock.writing:
        copies = [copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model.clone()]
    assert "_lock" not in model.__getstate__()
    assert len({id(each._lock) for each in (model, *copies)}) == 5
    assert [each.n_trials for each in copies] == [1, 1, 1, 0]


@pytest.mark.parametrize("x", [{"a": "b", "d": object()}, 7])
def test_an_error_releases_the_lock(x):
    model = RiverClassifier(Winnow2())
    model.learn_one({"a": 1}, True)
    for call in (lambda: model.learn_one(x, True), lambda: model.predict_one(x), lambda: model.predict_proba_one(x)):
        with pytest.raises(TypeError):
            call()
    calls = run([lambda: model.learn_one({"a": 1}, False)], 0.1)
    assert model.n_trials == 1 + calls[0] > 1
