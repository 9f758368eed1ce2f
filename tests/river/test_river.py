"""The learner inside a RiverClassifier is, at every moment, that of the attributes seen so far."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import winnowkit as wk
from winnowkit.data import streams
from winnowkit.river import RiverClassifier

LEARNERS = [
    wk.Elimination(),
    wk.Winnow1(),
    wk.Winnow2(),
    wk.Winnow2(floor=0.01),
    wk.BalancedWinnow(margin=0.5),
    wk.NormalizedWinnow(k=3),
    wk.NormalizedWinnow(k=3, policy="always"),
    wk.ThresholdedBEG(),
    wk.ThresholdedBEG(preset="noise-free"),
    wk.BayesBEG(policy="always"),
    wk.BayesBEG(preset="theorem-3"),
]
# theta and initial weights given: the learner of few attributes is that of many, whose others were 0 so far
FIXED = [
    wk.Elimination(),
    wk.Winnow1(theta=20),
    wk.Winnow2(theta=20),
    wk.Winnow2(theta=20, floor=0.1),
    wk.BalancedWinnow(theta=20, margin=0.5),
    wk.ThresholdedBEG(initial=0.02),
    wk.ThresholdedBEG(initial=0.02, policy="always"),
]
negations = pytest.mark.parametrize("negations", [False, True])
NAMES = np.array([f"a{j:02}" for j in range(60)])  # by name as by number, so that sums round alike


@pytest.fixture(scope="module")
def data():
    X, y = streams.disjunction(n=60, k=3, active=8, label_noise=0.05, seed=3).take(400)
    return X.toarray(), y


def full(row):
    return dict(zip(NAMES.tolist(), row.tolist(), strict=True))


def only_active(row):
    return dict.fromkeys(NAMES[row > 0].tolist(), True)


@negations
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("form", [full, only_active])
def test_with_all_keys_known_it_is_the_estimator(learner, negations, form, data):
    X, y = data
    learner = clone(learner).set_params(negations=negations)
    estimator = clone(learner).begin(60, [0, 1])
    estimator.learn_one(X[0], y[0])
    model = RiverClassifier(learner, classes=(0, 1))
    model.learn_one(full(X[0]), y[0])  # shows all keys
    for x, label in zip(X[1:], y[1:], strict=True):
        expected = estimator.learn_one(x, label)
        assert model.predict_one(form(x)) == expected
        model.learn_one(form(x), label)
    assert (model.n_trials, model.n_mistakes) == (estimator.n_trials_, estimator.n_mistakes_)
    np.testing.assert_array_equal([model.weights[key] for key in NAMES], estimator.coef_[0])


@pytest.mark.parametrize("learner", FIXED, ids=repr)
def test_a_new_key_has_the_weight_of_one_that_was_zero(learner, data):
    X, y = data
    estimator = clone(learner).begin(60, [0, 1])
    model = RiverClassifier(learner, classes=(0, 1))
    for x, label in zip(X, y, strict=True):
        expected = estimator.learn_one(x, label)
        assert model.predict_one(only_active(x)) == expected
        model.learn_one(only_active(x), label)
        coef = dict(zip(NAMES, estimator.coef_[0], strict=True))
        assert model.weights == pytest.approx({key: coef[key] for key in model.weights}, rel=1e-12)


@negations
@pytest.mark.parametrize("learner", [*FIXED, *LEARNERS], ids=repr)
def test_a_late_key_weighs_what_an_early_one_does_that_was_always_zero(learner, negations, data):
    X, y = data
    model = RiverClassifier(clone(learner).set_params(negations=negations), classes=(0, 1))
    for i in range(len(y)):
        model.learn_one({"early": 0} | only_active(X[i]), y[i])
        if i % 100 == 50:
            model.learn_one({f"late {i}": 0}, 0)
            assert model.weights[f"late {i}"] == model.weights["early"] != model.weights["a00"]


@negations
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_prediction_is_what_learning_would_predict_first(learner, negations, data):
    X, y = data
    model = RiverClassifier(clone(learner).set_params(negations=negations), classes=(0, 1))
    for x, label in zip(X, y, strict=True):
        before = model.n_mistakes
        predicted, scores = model.predict_one(only_active(x)), model.predict_proba_one(only_active(x))
        n_keys = len(model.weights)
        assert max(scores, key=scores.get) == predicted
        assert model.predict_one(only_active(x)) == predicted
        assert len(model.weights) == n_keys
        model.learn_one(only_active(x), label)
        assert model.n_mistakes - before == (predicted != label)


def test_theta_follows_the_number_of_keys():
    model = RiverClassifier(wk.Winnow2())
    model.learn_one({"a": 1, "b": 0, "c": True}, True)  # 2 < 3: a mistake
    assert model.weights == {"a": 1.5, "b": 1.0, "c": 1.5}
    assert model.predict_one({"a": 1, "c": 1})  # 3 >= 3
    assert not model.predict_one({"a": 1, "c": 1, "d": 0, "e": 0})  # 3 < 5
    assert model.predict_one({"a": 1, "c": 1, "d": 1})  # 4 >= 4
    model.learn_one({"a": 1, "c": 1, "d": 1, "e": 0}, True)  # 4 < 5
    assert model.weights == {"a": 2.25, "b": 1.0, "c": 2.25, "d": 1.5, "e": 1.0}


def test_initial_weights_follow_the_number_of_keys():
    model = RiverClassifier(wk.ThresholdedBEG(alpha=2.0))
    model.learn_one({"a": 1, "b": 0, "c": 0, "d": 0}, True)
    assert model.weights == pytest.approx({"a": 2 / 5, "b": 1 / 4, "c": 1 / 4, "d": 1 / 4})
    model.learn_one({"e": 0}, False)
    assert model.weights == pytest.approx({"a": 1 / 3, **dict.fromkeys("bcde", 1 / 5)})  # odds 2 * (1/4)


def test_weights_brought_back_by_a_power_of_two_stay_in_step():
    model = RiverClassifier(wk.NormalizedWinnow(k=1, theta=0.999, policy="always"))
    for _ in range(300):
        model.learn_one({"a": 1, "b": 0}, True)
    ratio = model.weights["b"]
    model.learn_one({"c": 0}, False)
    assert 0 < model.weights["c"] == model.weights["b"] == pytest.approx(ratio)


@negations
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_frames_are_the_same_as_rows(learner, negations, data):
    X, y = data
    learner = clone(learner).set_params(negations=negations)
    one, many, thin = (RiverClassifier(learner) for _ in range(3))
    labels = pd.Series(np.where(y == 1, "yes", "no"))
    labels[300:] = np.where(X[300:, 0] > 0, "maybe", labels[300:])
    columns = np.random.default_rng(0).permutation(60)
    table = pd.DataFrame(X[:, columns], columns=NAMES[columns])
    for start in range(0, 400, 80):
        part, target = table[start : start + 80], labels[start : start + 80]
        part = part.iloc[:, : 30 + start // 10]
        predicted, scores = many.predict_many(part), many.predict_proba_many(part)
        records = part.to_dict("records")
        if start:
            assert predicted.tolist() == [one.predict_one(x) for x in records]
            assert predicted.index.equals(part.index)
            expected = pd.DataFrame([one.predict_proba_one(x) for x in records], index=part.index)
            pd.testing.assert_frame_equal(scores, expected, rtol=1e-9)
        else:
            assert predicted.empty
            assert scores.empty
        for x, label in zip(records, target, strict=True):
            one.learn_one(x, label)
        many.learn_many(part, target)
        thin.learn_many(part.astype(pd.SparseDtype(float, 0.0)), target)
    assert one.n_trials == many.n_trials == thin.n_trials == 400
    assert one.n_mistakes == many.n_mistakes == thin.n_mistakes
    for label in ("no", "yes", "maybe"):
        assert many.weights[label] == pytest.approx(one.weights[label], rel=1e-12)
        assert thin.weights[label] == pytest.approx(one.weights[label], rel=1e-12)


def test_frames_with_strings():
    table = pd.DataFrame({"from": ["ann", "bob", None, "ann"], "n": [1.0, 2.0, np.nan, 0.0]})
    model, other = RiverClassifier(wk.Winnow2()), RiverClassifier(wk.Winnow2())
    model.learn_many(table, pd.Series([True, False, False, True]))
    for x, label in zip(table.to_dict("records"), [True, False, False, True], strict=True):
        other.learn_one(x, label)
    assert model.weights == other.weights
    assert model.predict_many(table).tolist() == [other.predict_one(x) for x in table.to_dict("records")]


def test_strings_are_categories():
    model = RiverClassifier(wk.Winnow2())
    model.learn_one({"from": "ann", "n": 0}, True)
    model.learn_one({"from": "bob", "n": 3.5}, False)
    assert list(model.weights) == ["n", ("from", "ann"), ("from", "bob")]
    with pytest.raises(TypeError, match=r"feature 'n' must be a number, a boolean or a string, got \[1\]"):
        model.learn_one({"n": [1]}, True)


@pytest.mark.parametrize("nothing", [{}, {"a": 0}, {"a": None}, {"a": float("nan")}, {"b": 1, "a": float("nan")}])
def test_zero_none_and_nan_are_inactive(nothing):
    model = RiverClassifier(wk.Winnow2(theta=1.5))
    model.learn_one({"a": 1, "b": 0}, True)
    model.learn_one({"b": 1}, False)
    assert not model.predict_one(nothing)
    assert model.predict_one({**nothing, "a": 1})


def test_values_in_the_unit_interval():
    model = RiverClassifier(wk.Winnow2(binarize=None, theta=2))
    model.learn_one({"a": 0.5, "b": 0, "c": 1.0}, True)
    assert model.weights == pytest.approx({"a": 1.5**0.5, "b": 1.0, "c": 1.5})
    assert model.predict_proba_one({"a": 0.5, "d": 0.25})[True] == pytest.approx(
        1 / (1 + np.exp(-(0.5 * 1.5**0.5 + 0.25 - 2) / 2))
    )
    with pytest.raises(ValueError, match=r"feature 'a' must be in \[0, 1\], got 2"):
        model.learn_one({"a": 2}, True)


def test_classes_turn_up():
    model = RiverClassifier(wk.Winnow2(theta=2))
    x = {"a": 1, "b": 1, "c": 0}
    assert (model.predict_one(x), model.predict_proba_one(x)) == (None, {})
    model.learn_one(x, "no")
    assert (model.predict_one(x), model.predict_proba_one(x), model.weights) == ("no", {"no": 1.0}, {})
    model.learn_one({"a": 1}, "yes")  # 1 < 2
    assert model.weights == {"a": 1.5, "b": 1.0, "c": 1.0}
    model.learn_one({"c": 1, "b": 1}, "maybe")
    assert model.weights == {
        "no": {"a": 1.0, "b": 1 / 1.5, "c": 1 / 1.5},
        "yes": {"a": 1.5, "b": 1 / 1.5, "c": 1 / 1.5},
        "maybe": {"a": 1.0, "b": 1.0, "c": 1.0},
    }
    model.learn_one({"c": 1}, "never")
    assert list(model.weights) == list(model.predict_proba_one(x)) == ["no", "yes", "maybe", "never"]
    assert sum(model.predict_proba_one(x).values()) == pytest.approx(1)
    assert model.n_trials == 4


def test_a_boolean_stands_for_both():
    model = RiverClassifier(wk.Winnow2())
    model.learn_one({"a": 1, "b": 1}, np.bool_(False))
    assert list(model.predict_proba_one({"a": 1})) == [False, True]
    assert model.predict_one({"a": 1}) is False
    assert model.n_mistakes == 1


def test_higher_decisions_have_higher_scores():
    model = RiverClassifier(wk.Winnow2())
    for _ in range(10):
        model.learn_one({"a": 1, "b": 1, "c": 0}, True)
        model.learn_one({"b": 1, "c": 1}, False)
    weights = model.weights
    examples = [{key: bits >> i & 1 for i, key in enumerate(weights)} for bits in range(8)]
    sums = [sum(weights[key] for key in x if x[key]) for x in examples]
    scores = [model.predict_proba_one(x)[True] for x in examples]
    assert np.array_equal(np.argsort(sums, kind="stable"), np.argsort(scores, kind="stable"))


def test_other_learners_are_refused():
    with pytest.raises(TypeError, match="learner must be a classifier of winnowkit"):
        RiverClassifier(LogisticRegression())


def test_without_river_the_message_says_what_to_install():
    code = "import sys; sys.modules['river'] = None; sys.modules['river.base'] = None; import winnowkit.river"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'winnowkit[river]'" in result.stderr
