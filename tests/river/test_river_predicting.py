"""Predictions leave a RiverClassifier as it was, whatever is predicted before which example is learned."""

import pickle
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import winnowkit as wk
from winnowkit.data import streams
from winnowkit.river import RiverClassifier
from winnowkit.river.vocabulary import Vocabulary

LEARNERS = [
    wk.Winnow1(),
    wk.Winnow2(),
    wk.Winnow2(negations=True),
    wk.BalancedWinnow(margin=0.5),
    wk.NormalizedWinnow(k=3, policy="always"),
    wk.ThresholdedBEG(),
    wk.Committee(),
    wk.SASB(),
    wk.DirectBayes(k=2, policy="mistake"),
]


@pytest.fixture(scope="module")
def rows():
    X, y = streams.disjunction(n=40, k=2, active=4, label_noise=0.1, seed=1).take(120)
    return [({f"a{j}": 1 for j in X[[i]].indices}, int(y[i])) for i in range(len(y))]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_who_predicts_learns_the_same(learner, n_classes, rows):
    labels = [y if n_classes == 2 or i % 3 else 2 for i, (_, y) in enumerate(rows)]
    quiet, talkative = (RiverClassifier(clone(learner), classes=tuple(range(n_classes))) for _ in range(2))
    for i, (x, _) in enumerate(rows):
        quiet.learn_one(x, labels[i])
        talkative.predict_one(x)
        if i % 4 == 1:  # another example, with keys of its own, comes between
            talkative.predict_one(rows[-i][0] | {f"never learned {i}": 1})
        if i % 4 == 2:
            talkative.predict_proba_one(x)
        talkative.learn_one(x, labels[i])
        assert (talkative.n_trials, talkative.n_mistakes) == (quiet.n_trials, quiet.n_mistakes)
    probe = {f"a{j}": 1 for j in range(0, 40, 7)}
    assert talkative.predict_proba_one(probe) == quiet.predict_proba_one(probe)
    if not isinstance(learner, wk.SASB | wk.DirectBayes):
        assert talkative.weights == quiet.weights


def test_an_example_changed_in_place_is_another():
    model, other = (RiverClassifier(wk.Winnow2(), classes=(0, 1)) for _ in range(2))
    x = {"a": 1, "b": 1}
    model.predict_one(x)
    x["c"] = 1
    x["a"] = 0
    model.learn_one(x, 0)
    other.learn_one({"a": 0, "b": 1, "c": 1}, 0)
    assert model.weights == other.weights


def test_an_example_of_nothing_but_new_keys_is_not_registered():
    model = RiverClassifier(wk.Winnow2(theta=2), classes=(0, 1))
    model.learn_one({"a": 1}, 1)
    for i in range(50):
        model.predict_one({f"new {i}": 1, f"newer {i}": 1})
    assert list(model.weights) == ["a"]
    copied = pickle.loads(pickle.dumps(model))
    model.predict_one({"b": 1})
    copied_in_between = pickle.loads(pickle.dumps(model))
    for each in (model, copied, copied_in_between):
        each.learn_one({"c": 1, "b": 1}, 1)
        assert list(each.weights) == ["a", "b", "c"]


def test_columns_without_rows_are_attributes():
    model = RiverClassifier(wk.Winnow2(theta=1), classes=(0, 1))
    model.learn_one({"a": 1}, 0)  # 1 >= 1
    model.learn_many(pd.DataFrame({"b": np.empty(0)}), pd.Series([], dtype=int))
    assert model.weights == pytest.approx({"a": 1 / 1.5, "b": 1.0})
    assert model.predict_one({"b": 1}) == 1
    model.learn_one({"b": 1}, 0)
    assert model.weights == pytest.approx({"a": 1 / 1.5, "b": 1 / 1.5})


def test_a_copied_vocabulary_has_the_same_numbers():
    vocabulary = Vocabulary(binarize=0.0)
    for key in ("z", "a", "m"):
        vocabulary.add({key: 1})
    vocabulary.look({"q": 1})
    for other in (pickle.loads(pickle.dumps(vocabulary)), deepcopy(vocabulary)):
        assert dict(other) == {"z": 0, "a": 1, "m": 2}
        assert other.binarize == 0.0


def test_a_late_key_of_normalized_winnow_weighs_what_an_early_one_does():
    model = RiverClassifier(wk.NormalizedWinnow(k=2), classes=(0, 1))
    model.learn_one({"a": 1, "early": 0}, 0)
    model.learn_one({"a": 1, "late": 0}, 1)
    assert model.weights["late"] == model.weights["early"] > 0.0


def test_the_order_of_keys_does_not_matter():
    examples = [dict.fromkeys(keys, 1) for keys in (["b", 10, ("a", "x"), 9], ["c", "b", "a"])]
    one, other = Vocabulary(binarize=0.0), Vocabulary(binarize=0.0)
    for x in examples:
        one.add(x)
        other.add(dict(reversed(x.items())))
    assert dict(one) == dict(other) == {10: 0, 9: 1, "b": 2, ("a", "x"): 3, "a": 4, "c": 5}


@pytest.mark.parametrize("learner", [wk.NormalizedWinnow(), wk.ThresholdedBEG(), wk.Committee()], ids=repr)
def test_shuffled_keys_predict_the_same_bytes(learner):
    rng = np.random.default_rng(0)
    model, shuffled = RiverClassifier(learner), RiverClassifier(learner)
    for row in rng.integers(0, 2, (150, 12)):
        x = {f"k{i}": int(value) for i, value in enumerate(row)}
        keys = rng.permutation(list(x)).tolist()
        same = {key: x[key] for key in keys}
        assert model.predict_proba_one(x) == shuffled.predict_proba_one(same)
        label = int(row[0] + row[1])
        model.learn_one(x, label)
        shuffled.learn_one(same, label)


def test_a_vocabulary_keeps_only_what_is_added():
    vocabulary = Vocabulary(binarize=0.0)
    assert vocabulary.look({"a": 1, "b": 2}).indices.tolist() == [0, 1]
    assert (len(vocabulary), dict(vocabulary)) == (0, {})
    assert vocabulary.add({"b": 1}).indices.tolist() == [0]
    assert vocabulary.look({"a": 1, "b": 2}).n == 2
    vocabulary.add_all(["c", "b"])
    assert dict(vocabulary) == {"b": 0, "c": 1}
    assert vocabulary.look({}).n == 2
    with pytest.raises(KeyError):
        vocabulary["a"]
