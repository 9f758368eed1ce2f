"""Several threads learn and predict with one model: those who learn take turns, readers see before or after."""

import copy
import pickle
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone

import winnowkit
from racing import run
from winnowkit import AROW, SBSB, Committee, DirectBayes, DNFWinnow, Winnow2, load, save
from winnowkit.core.transaction import ReadWriteLock
from winnowkit.data import load_dataset, streams
from winnowkit.dnf import MistakeDriven

ROWS = 40
STREAM = streams.disjunction(n=200, k=3, active=9, label_noise=0.1, seed=0).take(4 * ROWS)
VOTING = load_dataset("voting", return_X_y=True)


def batches(model):
    X, y = (VOTING[0], VOTING[1]) if isinstance(model, DNFWinnow) else STREAM
    return [(X[i * ROWS : (i + 1) * ROWS], y[i * ROWS : (i + 1) * ROWS]) for i in range(3)]


@pytest.mark.parametrize(
    "model",
    [
        DNFWinnow(max_literals=2, training=MistakeDriven()),
        DNFWinnow(),
        Winnow2(),
        SBSB(),
        Committee(),
        AROW(),
        DirectBayes(k=1),
    ],
)
def test_three_writers_and_three_readers(model):
    parts = batches(model)
    model.partial_fit(*parts[0], classes=np.unique(np.concatenate([y for _, y in parts])))
    X = parts[0][0]
    seen = []

    def read():
        if hasattr(model, "n_trials_") and not isinstance(model, DNFWinnow):
            assert model.n_trials_ % ROWS == 0, "a call of partial_fit was seen in its midst"
        with model._lock.reading:  # several calls that see one state
            labels, decisions = model.predict(X), model.decision_function(X)
        assert np.array_equal(labels == model.classes_[1], decisions > 0)
        seen.append(len(labels))

    writers = [lambda part=part: model.partial_fit(*part) for part in parts]
    calls = run([*writers, read, read, read])
    assert model.n_trials_ == ROWS * (1 + sum(calls[:3]))
    assert min(calls) > 0
    assert copy.deepcopy(model).predict(X).tolist() == model.predict(X).tolist()
    if isinstance(model, DNFWinnow):
        for log in model.logs_:
            assert sum(map(abs, log.nets.tolist())) == log.reach
            assert log.n_mistakes == model.n_updates_.sum()


def test_the_end_is_that_of_some_order():
    """The updates of disjoint attributes commute: all orders end alike, if none is lost."""
    model = Winnow2(alpha=2.0, theta=1e140).begin(n_features=3, classes=[0, 1])
    rows = np.eye(3)
    calls = run(
        [
            lambda: model.partial_fit(rows[:1], [1]) if model.coef_[0, 0] < 2.0**400 else time.sleep(0.001),
            lambda: model.learn_active(np.array([1]), 1) if model.coef_[0, 1] < 2.0**400 else time.sleep(0.001),
            lambda: model.learn_one(rows[2], 1) if model.coef_[0, 2] < 2.0**400 else time.sleep(0.001),
            lambda: model.predict(rows),
            lambda: model.predict_active(np.array([0, 2])),
            lambda: model.predict_one(rows[0]),
        ],
        0.5,
    )
    assert min(calls) > 0
    assert np.log2(model.coef_[0]).sum() == model.n_trials_ == model.n_mistakes_ == model.n_updates_[0]


@pytest.mark.parametrize(
    "model",
    [Winnow2(max_epochs=3), SBSB(), DNFWinnow(max_epochs=3, max_literals=1, random_state=0, training=MistakeDriven())],
)
def test_a_reader_never_sees_half_a_fit(model, tmp_path):
    """Each fit changes the classes; a label of the one with the weights of the other would be noticed."""
    X, y = batches(model)[0]
    worlds = [np.where(y == y[0], *names) for names in (("a", "b"), ("c", "d"))]
    expected = {tuple(clone(model).fit(X, world).predict(X).tolist()) for world in worlds}
    model.fit(X, worlds[0])
    turn = iter(range(10**9))

    def read():
        assert tuple(model.predict(X).tolist()) in expected

    def keep():
        path = tmp_path / "model"
        save(model, path)
        assert tuple(load(path).predict(X).tolist()) in expected

    calls = run([lambda: model.fit(X, worlds[next(turn) % 2])] * 2 + [read, read, keep])
    assert min(calls) > 0


def test_long_training_and_single_trials():
    """A single trial keeps the GIL, a long one does not: the lock keeps them apart."""
    X, y = streams.disjunction(n=5000, k=3, active=50, label_noise=0.3, seed=0).take(5000)
    model = Winnow2(alpha=1.1).begin(n_features=5000, classes=[0, 1])
    active, count = np.arange(0, 5000, 5), [0]

    def one():
        model.learn_active(active, count[0] % 2)
        count[0] += 1

    calls = run([lambda: model.partial_fit(X, y), one, lambda: model.predict_active(active)])
    assert model.n_trials_ == calls[0] * 5000 + calls[1]
    np.testing.assert_allclose(model.decision_function(X[:50]), X[:50] @ model.coef_[0] + model.intercept_, rtol=1e-9)


def test_an_error_releases_the_lock():
    model = Winnow2().begin(n_features=3, classes=[0, 1])
    for call in (
        lambda: model.learn_active(np.array([7]), 1),
        lambda: model.learn_active(np.array([1]), 9),
        lambda: model.learn_active(np.array([1]), []),
        lambda: model.predict_active(np.array([7])),
        lambda: model.partial_fit([[1, 2]], [1]),
        lambda: model.predict([[1]]),
        lambda: model.learn_one([1], 1),
        lambda: Winnow2().learn_active(np.array([1]), 1),
        lambda: Winnow2().predict([[1]]),
    ):
        with pytest.raises((ValueError, IndexError)):
            call()
    done = threading.Thread(target=lambda: model.partial_fit(np.eye(3), [0, 1, 1]), daemon=True)
    done.start()
    done.join(20)
    assert not done.is_alive()


@pytest.mark.parametrize("name", [name for name in winnowkit.__all__ if name[0].isupper()])
def test_the_lock_is_no_part_of_the_state(name, tmp_path):
    model = getattr(winnowkit, name)()
    X, y = batches(model)[0]
    model.fit(X, y)
    with model._lock.writing:
        copies = [copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model)), clone(model)]
        save(model, tmp_path / "model")
        copies.append(load(tmp_path / "model"))
    assert "_lock" not in model.__getstate__()
    assert "_lock" in vars(model)
    assert len({id(each._lock) for each in (model, *copies)}) == 6
    for each in copies[:3]:
        each.predict(X)


# --- the lock itself --------------------------------------------------------------------------------------------------


def test_readers_share_and_a_writer_is_alone():
    lock, inside, most = ReadWriteLock(), {"readers": 0, "writers": 0}, [0]
    guard = threading.Lock()

    def note(kind, step):
        with guard:
            inside[kind] += step
            assert inside["writers"] <= 1
            assert not (inside["writers"] and inside["readers"])
            most[0] = max(most[0], inside["readers"])

    def read():
        with lock.reading:
            note("readers", 1)
            time.sleep(0.0005)
            with lock.reading:  # again, perhaps while a writer waits
                note("readers", -1)

    def write():
        with lock.writing, lock.writing, lock.reading:
            note("writers", 1)
            time.sleep(0.0002)
            note("writers", -1)
        time.sleep(0.001)

    calls = run([read] * 4 + [write] * 2, 1.0)
    assert min(calls) > 0
    assert most[0] > 1
    assert not lock.readers
