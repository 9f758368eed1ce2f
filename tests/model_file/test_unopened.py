"""Linear models from files before scikit-learn is imported: they predict, and are estimators when asked for more."""

import copy
import pickle
import sys
import threading
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone

import winnowkit
from winnowkit import load, save
from winnowkit.core.unopened import Unopened
from winnowkit.model_file import ModelFileError

NAMES = [
    "Winnow1",
    "BalancedWinnow",
    "ThresholdedBEG",
    "BayesBEG",
    "AROW",
    "CoinBetting",
    "AdaptiveWinnow",
    "Committee",
]
X = np.random.default_rng(0).integers(0, 2, size=(60, 3)).astype(float)
OPENING = {
    "an attribute": lambda model: model.n_trials_,
    "what it is": lambda model: isinstance(model, BaseEstimator),
    "probabilities": lambda model: model.predict_proba(X),
    "a parameter": lambda model: setattr(model, "n_jobs", 1),
    "a frame": lambda model: model.predict(pd.DataFrame(X)),
    "a list of texts": lambda model: model.predict([["1", "0", "1"]]),
    "a clone": clone,
    "a pickle": pickle.dumps,
    "a copy": copy.deepcopy,
    "its state": lambda model: model.__getstate__(),
    "its text": repr,
    "its names": dir,
    "an attribute that it has not": lambda model: hasattr(model, "coefficients_"),
}


@pytest.fixture
def load_early(tmp_path, monkeypatch):
    """Save a model, and load it as a process that has not imported scikit-learn."""

    def reloaded(model):
        save(model, tmp_path / "a.winnow")
        with monkeypatch.context() as early:
            early.delitem(sys.modules, "sklearn")
            return load(tmp_path / "a.winnow")

    return reloaded


PROGRAM = """
import sys
from winnowkit import load

model = load(sys.argv[1])
labels, decisions = model.predict([[1, 0, 1], [0, 1, 0]]).tolist(), model.decision_function([[1, 0, 1]]).tolist()
print([name for name in ("numba", "scipy", "sklearn") if name in sys.modules])
print(labels, decisions, type(model.fit([[0], [1]], ["no", "yes"])).__name__, model.predict([[1]]).tolist())
"""


@pytest.mark.parametrize("name", ["Winnow2", "Committee"])
def test_a_few_rows_take_numpy_alone(name, python, tmp_path):
    model = getattr(winnowkit, name)().fit(X, X[:, 1])
    save(model, tmp_path / "a.winnow")
    modules, found = python(PROGRAM, tmp_path / "a.winnow").splitlines()
    labels, decisions = model.predict([[1, 0, 1], [0, 1, 0]]).tolist(), model.decision_function([[1, 0, 1]]).tolist()
    assert modules == "[]"
    assert found == f"{labels} {decisions} {name} ['yes']"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_predictions_are_those_of_the_model(name, n_classes, load_early):
    labels = np.array(["a", "b", "c"])[((X[:, 0] + X[:, 1]) % n_classes).astype(int)]
    model = getattr(winnowkit, name)().fit(X, labels)
    unopened = load_early(model)
    for rows in (X, X[:2].tolist(), X.astype(bool), X.astype(np.int8)):
        assert unopened.predict(rows).tolist() == model.predict(rows).tolist()
        assert unopened.decision_function(rows).tolist() == model.decision_function(rows).tolist()
    assert type(unopened) is Unopened
    assert unopened.n_trials_ == model.n_trials_
    assert type(unopened) is type(model)
    assert unopened.predict(X).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("ask", OPENING.values(), ids=OPENING)
def test_asked_for_more_it_becomes_the_model(ask, load_early):
    model = winnowkit.Committee().fit(X, X[:, 0])
    unopened = load_early(model)
    assert unopened.predict(X[:1]).tolist() == model.predict(X[:1]).tolist()
    ask(unopened)
    assert type(unopened) is winnowkit.Committee
    assert vars(unopened).keys() == vars(model).keys()


def test_it_learns_on_as_the_saved_model_does(load_early):
    model = winnowkit.Winnow2().partial_fit(X, X[:, 1], classes=[0, 1])
    again = load_early(model)
    again.predict(X)
    for one in (model, again):
        one.partial_fit(X, X[:, 2])
    assert again.decision_function(X).tolist() == model.decision_function(X).tolist()
    assert again.n_mistakes_ == model.n_mistakes_


def test_copies_pickles_and_files_are_those_of_the_model(load_early, tmp_path):
    model = winnowkit.AROW().fit(X, X[:, 1])
    for made in (copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        made_of = made(load_early(model))
        assert type(made_of) is winnowkit.AROW
        assert made_of.predict(X).tolist() == model.predict(X).tolist()
    save(load_early(model), tmp_path / "again.winnow")
    assert (tmp_path / "again.winnow").read_bytes() == (tmp_path / "a.winnow").read_bytes()


@pytest.mark.parametrize(
    "wrong", [[[1, np.nan, 0]], [[1, 0]], [[1], [1, 0]], [1, 0, 1], np.empty((0, 3)), [["x", 1, 0]]]
)
def test_wrong_rows_are_refused_as_by_the_model(wrong, load_early):
    model = winnowkit.Winnow2().fit(X, X[:, 1])
    expected = refusal(model, wrong)
    assert expected is not None
    assert refusal(load_early(model), wrong) == expected


def refusal(model, rows):
    """The message of the error that these rows lead to."""
    try:
        model.predict(rows)
    except ValueError as error:
        return str(error)
    return None


OTHERS = {
    "not fitted": winnowkit.Winnow2,
    "threads": lambda: winnowkit.Winnow2(n_jobs=2).fit([[0], [1]], [0, 1]),
    "names": lambda: winnowkit.Winnow2().fit(pd.DataFrame({"a": [0, 1]}), [0, 1]),
    "SBSB": lambda: winnowkit.SBSB().fit([[0], [1]], [0, 1]),
    "members": lambda: winnowkit.Committee(members=[winnowkit.Winnow2(), winnowkit.AROW()]).fit([[0], [1]], [0, 1]),
    "DNFWinnow": winnowkit.DNFWinnow,
}


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_all_else_is_read_at_once(make, load_early):
    model = make()
    assert type(load_early(model)) is type(model)


@pytest.mark.parametrize(
    "damage",
    [
        lambda model: setattr(model, "classes_", np.array([0, 1, 2])),
        lambda model: setattr(model, "classes_", np.array([1, 0])),
        lambda model: setattr(model, "n_features_in_", 4),
        lambda model: setattr(model, "binarize", "often"),
    ],
)
def test_parts_that_do_not_fit_together_are_not_predicted_with(damage, load_early):
    model = winnowkit.Winnow2().fit(X, X[:, 1])
    damage(model)
    with suppress(ModelFileError):
        assert type(load_early(model)) is winnowkit.Winnow2


def test_threads_may_open_it_while_others_predict(load_early):
    model = winnowkit.Winnow2().fit(X, X[:, 1])
    unopened, found = load_early(model), []
    calls = [lambda: unopened.predict(X).tolist(), lambda: unopened.n_trials_] * 8
    threads = [threading.Thread(target=lambda call=call: found.append(call())) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(threads)
    assert all(one in (model.predict(X).tolist(), model.n_trials_) for one in found)
