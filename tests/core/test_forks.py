"""Forks while other threads learn, predict or compile: a child answers rightly or says why not, and never hangs."""

import os
import pickle
import signal
import threading
import time
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

from winnowkit import Committee, DNFWinnow, Winnow2
from winnowkit.data import load_dataset, streams

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
X, y = streams.disjunction(n=100, k=2, seed=0).take(200)
SECONDS = 60  # after which a child counts as one that hangs


def in_a_child(work):
    """Do some work in a forked process and return its result, or the exception that it raised."""
    ours, theirs = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks where there are threads, which is the point
        child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        try:
            try:
                result = work()
            except Exception as error:
                result = error
            os.write(theirs, pickle.dumps(result))
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        answer = pipe.read()
    assert os.waitpid(child, 0)[1] == 0, "the child hung or died"
    return pickle.loads(answer)


@contextmanager
def held(context):
    """Hold a lock in another thread."""
    inside, leave = threading.Event(), threading.Event()

    def hold():
        with context:
            inside.set()
            leave.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    try:
        yield
    finally:
        leave.set()
        thread.join()


def test_a_model_that_another_thread_was_teaching_says_so_and_others_serve():
    model, other = Winnow2().fit(X, y), Winnow2().fit(X, y)
    with held(model._lock.writing):
        for use in (
            lambda: model.predict(X),
            lambda: model.partial_fit(X, y),
            lambda: model.predict_active(np.array([1])),
            lambda: model.learn_active(np.array([1]), 0),
            lambda: model.coef_,
        ):
            error = in_a_child(use)
            assert isinstance(error, RuntimeError)
            assert "forked while another thread was learning" in str(error)
        assert np.array_equal(in_a_child(lambda: other.partial_fit(X, y).predict(X)), other.predict(X))
    model.partial_fit(X, y)  # the parent goes on


def test_readers_in_other_threads_are_not_waited_for_in_the_child():
    model = Winnow2().partial_fit(X, y, [0, 1])
    with held(model._lock.reading):
        assert in_a_child(lambda: model.partial_fit(X, y).n_trials_) == 400


def test_a_fork_within_a_call_of_the_same_thread_keeps_what_that_thread_has():
    model = Winnow2().partial_fit(X, y, [0, 1])
    with model._lock.writing:
        assert in_a_child(lambda: model.partial_fit(X, y).n_trials_) == 400
    with model._lock.reading:
        assert in_a_child(lambda: len(model.predict(X))) == 200
    model.partial_fit(X, y)


def test_forks_amid_short_trials():
    """Calls of microseconds are waited for: every child has a whole model."""
    model, active, stop = Winnow2().begin(100, [0, 1]), np.array([1, 2, 3]), threading.Event()

    def learn():
        while not stop.is_set():
            model.learn_active(active, 1)
            model.predict_active(active)

    threads = [threading.Thread(target=learn) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            seen = model.n_trials_
            before, after = in_a_child(lambda: (model.n_trials_, model.learn_active(active, 1), model.n_trials_)[::2])
            assert after == before + 1
            assert before >= seen
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_fork_waits_for_the_compiler():
    inside, done = threading.Event(), []

    def compile_for_a_while():
        with global_compiler_lock:
            inside.set()
            time.sleep(0.5)
            done.append(True)

    thread = threading.Thread(target=compile_for_a_while)
    thread.start()
    inside.wait()

    def compile_in_the_child():
        with global_compiler_lock:
            return done

    assert in_a_child(compile_in_the_child) == [True]
    thread.join()


@pytest.mark.parametrize(
    "model", [Winnow2(n_jobs=2), Committee(n_jobs=2), DNFWinnow(n_jobs=2, random_state=0)], ids=repr
)
def test_a_child_learns_and_predicts_in_threads_of_its_own(model):
    table, labels = X, y
    if isinstance(model, DNFWinnow):
        table, labels = (part[:100] for part in load_dataset("voting", return_X_y=True))
    expected = model.fit(table, labels).predict(table)
    assert np.array_equal(in_a_child(lambda: model.predict(table)), expected)
    assert np.array_equal(in_a_child(lambda: model.fit(table, labels).predict(table)), expected)
