"""Learners that are not linear, and committees, take in attributes, categories and classes over time."""

import math

import numpy as np
import pytest
from sklearn.base import clone

import winnowkit as wk
from naive_dnf import PlainDNFWinnow
from winnowkit.counting import directed_drift_kernel as drift
from winnowkit.data import CategoryEncoder, streams
from winnowkit.river import RiverClassifier

NAMES = [f"a{j:02}" for j in range(24)]
# their state is that of all examples, whatever was predicted
ALWAYS = [wk.SBSB(), wk.DirectBayes(k=2), wk.DirectBayes(k=3, noise=0.2), wk.DirectBayes(k=2, negations=True)]
OTHERS = [
    wk.SBSB(voting=4),
    wk.SASB(),
    wk.SASB(voting=4),
    wk.DirectBayes(k=2, policy="mistake"),
    wk.Committee(),
    wk.Committee(share=0.01),
]
DRIFTS = [
    wk.DirectedDrift(random_state=1),
    wk.DirectedDrift(mode="online", negations=True, random_state=1),
    wk.DirectedDrift(mode="single", batch=7, random_state=1),
]


@pytest.fixture(scope="module")
def data():
    X, y = streams.disjunction(n=24, k=2, active=3, label_noise=0.1, seed=5).take(150)
    return X.toarray(), y


def full(row):
    return dict(zip(NAMES, row.tolist(), strict=True))


def only_active(row):
    return {name: 1 for name, value in zip(NAMES, row, strict=True) if value}


@pytest.mark.parametrize("learner", [*ALWAYS, *OTHERS, *DRIFTS], ids=repr)
def test_with_all_keys_known_it_is_the_estimator(learner, data):
    X, y = data
    estimator = clone(learner).begin(24, [0, 1])
    model = RiverClassifier(learner, classes=(0, 1))
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        example = only_active(x) if i else full(x)
        assert model.predict_one(example) == estimator.learn_one(x, label)
        model.learn_one(example, label)
    if hasattr(estimator, "predict_proba"):
        expected = estimator.predict_proba(X[:9])[:, 1]
        assert [model.predict_proba_one(full(x))[1] for x in X[:9]] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("learner", ALWAYS, ids=repr)
def test_late_keys_are_as_columns_that_were_zero_from_the_start(learner, data):
    X, y = data
    model, seen = RiverClassifier(learner, classes=(0, 1)), []
    for i in range(60):
        seen += [j for j in np.flatnonzero(X[i]) if j not in seen]
        if i in (3, 9, 20, 59):
            twin = clone(learner).begin(len(seen), [0, 1])
            for x, label in zip(X[:i, seen], y[:i], strict=True):
                twin.learn_one(x, label)
            expected = twin.predict_proba(X[i : i + 1, seen])[0]
            assert list(model.predict_proba_one(only_active(X[i])).values()) == pytest.approx(expected, rel=1e-9)
        model.learn_one(only_active(X[i]), y[i])


@pytest.mark.parametrize("learner", [*ALWAYS, *OTHERS], ids=repr)
def test_a_late_key_is_as_an_early_one_that_was_always_zero(learner, data):
    X, y = data
    model = RiverClassifier(learner, classes=(0, 1))
    told_apart = False
    close = 1e-6 if isinstance(learner, wk.Committee) else 1e-12  # it adds in 32 bits, in the order of the columns
    for i in range(120):
        model.learn_one({"early": 0} | only_active(X[i]), y[i])
        if i % 40 == 20:
            late = f"late {i}"
            for other in ({}, {"a00": 1}, only_active(X[i + 1])):
                foreseen = model.predict_proba_one({late: 1, "early": 0} | other)
                assert foreseen == pytest.approx(model.predict_proba_one({late: 0, "early": 1} | other), rel=close)
            model.learn_one({late: 0}, 0)
            early_one, late_one, known = (model.predict_proba_one({key: 1}) for key in ("early", late, "a00"))
            assert late_one == pytest.approx(early_one, rel=close)
            told_apart |= known != early_one
    assert told_apart


@pytest.mark.parametrize("learner", [*ALWAYS, *OTHERS, *DRIFTS], ids=repr)
def test_a_prediction_is_what_learning_would_predict_first(learner, data):
    X, y = data
    model = RiverClassifier(learner)
    labels = ["no", "yes", "maybe"]
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        code = 2 if i > 80 and x[0] else int(label)
        predicted = model.predict_one(only_active(x))
        scores = model.predict_proba_one(only_active(x))
        if scores and max(scores.values()) > sorted(scores.values())[-2 % len(scores)]:
            assert max(scores, key=scores.get) == predicted
        assert model.predict_one(only_active(x)) == predicted
        before, n_classes = model.n_mistakes, len(scores)
        model.learn_one(only_active(x), labels[code])
        if n_classes > 1 and labels[code] in scores and not isinstance(learner, wk.DirectedDrift):
            assert model.n_mistakes - before == (predicted != labels[code])
    assert model.n_trials == 150
    assert set(scores) == set(labels)


@pytest.mark.parametrize("learner", DRIFTS, ids=repr)
def test_a_late_weight_has_the_votes_of_the_open_batch(learner, data):
    X, y = data
    model = RiverClassifier(clone(learner).set_params(negations=False), classes=(0, 1))
    for i in range(60):
        model.learn_one({"early": 0} | only_active(X[i]), y[i])
        model.learn_one({f"late {i}": 0, "early": 0}, y[i])
        state = model._adapter.learner.state
        called, votes = state.progress[0, drift.CALLED], drift.tally(state, 0)
        early, late = (model._adapter.vocabulary[key] for key in ("early", f"late {i}"))
        agree = model.weights["early"] == model.weights[f"late {i}"]
        assert votes[late] == (votes[early] if agree else called - votes[early]) or not called
    assert {model.weights[key] for key in model.weights} == {1.0, -1.0}


def test_disjunctions_past_the_limit_are_left_out(data):
    X, y = data
    model = RiverClassifier(wk.DirectBayes(k=2, max_disjunctions=20), classes=(0, 1))
    for x, label in zip(X, y, strict=True):
        model.learn_one(only_active(x), label)
    kept, *_, last = list(model._adapter.vocabulary)
    assert model._adapter.learner.n_used == 5
    assert model.predict_proba_one({last: 1}) == model.predict_proba_one({}) != model.predict_proba_one({kept: 1})


def test_many_classes_keep_tallies_in_step():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (150, 5)), rng.integers(0, 4, 150)
    model = wk.DirectBayes(k=2).begin(5, range(4))
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
    learner = model._learner.state
    for errors, tally, lowest in zip(learner.errors, learner.tallies, learner.lowest, strict=True):
        np.testing.assert_array_equal(np.bincount(errors - lowest, minlength=tally.size), tally)


@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.parametrize("theta", ["auto", 12])
def test_tables_grow(missing, theta):
    """The twin knows all columns and categories beforehand; only theta follows what was seen."""
    rng = np.random.default_rng(2)
    keys = ["p", "q", "r", "s"]
    encoder = CategoryEncoder(missing=missing, categorical=keys)
    model = RiverClassifier(wk.DNFWinnow(max_literals=None, encoder=encoder, theta=theta), classes=(0, 1))
    twin, seen, n_mistakes = PlainDNFWinnow(1, theta), {key: set() for key in keys}, 0
    for i in range(70):
        some = [k for k in keys[: 1 + i // 10] if rng.random() < 0.8] or ["p"]
        x = {key: int(rng.integers(3)) for key in some}
        label = int(x.get("p") == 1 or (x.get("q") == 2 and x.get("r", 0) == 0))
        absent = 9 if missing == "value" else 0
        row = [x.get(key, -1) + 1 or absent for key in keys]
        for key, code in zip(keys, row, strict=True):
            seen[key].add(code)
        shown = [codes for codes in seen.values() if codes - {0, 9}]
        if theta == "auto":
            twin.theta = math.prod(1 + len(codes - {0}) for codes in shown)
        # a column that nobody has seen a value of is no column yet
        row = [c if seen[key] - {0, 9} else 0 for key, c in zip(keys, row, strict=True)]
        if missing == "value":  # and was missing before it turned up
            twin.mistakes = [
                [(tuple(c or (9 if seen[k] - {0, 9} else 0) for k, c in zip(keys, z, strict=True)), s) for z, s in m]
                for m in twin.mistakes
            ]
        expected = twin.predict(row)
        assert model.predict_one(x) == expected
        twin.learn(row, label)
        model.learn_one(x, label)
        n_mistakes += expected != label
    assert 0 < n_mistakes == model.n_mistakes < 50


@pytest.mark.parametrize("number", [float, lambda v: 2 + int(1000 * v)])
def test_numbers_are_cut_after_the_warm_up(number):
    rng = np.random.default_rng(0)
    model = RiverClassifier(wk.DNFWinnow(max_literals=None), warm_up=40)
    rows = [({"x": number(v), "noise": "a"}, bool(v > 0.3)) for v in rng.random(200)]
    right = []
    for x, y in rows:
        right.append(model.predict_one(x) == y)
        model.learn_one(x, y)
    assert np.mean(right[100:]) > 0.95
    with pytest.raises(ValueError, match="warm_up must be an integer >= 1, got 0"):
        RiverClassifier(wk.DNFWinnow(max_literals=None), warm_up=0)


@pytest.mark.parametrize(("values", "categorical"), [((0, 1), ()), ((3, 7), ("x",))])
def test_flags_and_declared_codes_are_categories_from_the_start(values, categorical):
    model = RiverClassifier(
        wk.DNFWinnow(max_literals=None, encoder=CategoryEncoder(categorical=categorical)), warm_up=1000
    )
    for i in range(40):
        model.learn_one({"x": values[i % 2], "noise": "a"}, i % 2)
    assert [model.predict_one({"x": value, "noise": "a"}) for value in values] == [0, 1]
