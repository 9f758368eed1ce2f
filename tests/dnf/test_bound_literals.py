"""Mistake-driven training over bounds of numbers, against an enumeration of all terms on the raw values."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from naive_short_terms import NaiveShortTerms
from winnowkit import DNFWinnow, load, save
from winnowkit.data import CategoryEncoder
from winnowkit.dnf import MistakeDriven
from winnowkit.dnf.bound_literals import BoundLiterals, encode_for_mistakes

PLAIN = MistakeDriven(margin=0, max_updates=None, two_class="single", keep="last", shuffle=False)


def over_bounds(max_literals=2, training=PLAIN, **encoder):
    return DNFWinnow(
        max_literals=max_literals,
        training=training,
        random_state=0,
        encoder=CategoryEncoder(**{"missing": "ignore", "numbers": "bounds"} | encoder),
    )


def literals_of(row, cuts, special):
    """The literals that a row satisfies, on its raw values: a number has a bound on one side of each cut."""
    found = []
    for name, value in row.items():
        if value is None or pd.isna(value):
            continue
        if name not in cuts or value in special.get(name, ()):
            found.append((name, "=", value))
        else:
            found += [(name, "<=" if value <= cut else ">", cut) for cut in cuts[name]]
    return found


def naive_bounds(cuts, special, theta, max_literals):
    return NaiveShortTerms(lambda row: literals_of(row, cuts, special), theta, max_literals)


def rows_with_everything(seed, n_rows=60):
    rng = np.random.default_rng(seed)
    age, job = rng.integers(18, 80, n_rows).astype(float), rng.choice(["cook", "nurse", "clerk"], n_rows)
    score = rng.integers(0, 9, n_rows).astype(float)
    X = pd.DataFrame({"age": age, "job": job, "score": score})
    y = ((age > 40) & (age <= 60) | (job == "cook") & (score > 5)).astype(int)
    X.loc[rng.random(n_rows) < 0.1, "age"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "score"] = -9
    return X, y


@settings(deadline=None, max_examples=6, derandomize=True)
@example(4231, 1)  # a value between the special one and the least that was seen
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_trials_are_those_of_an_enumeration_of_terms_on_raw_values(seed, k):
    X, y = rows_with_everything(seed)
    model = over_bounds(k, special={"score": [-9]})
    predicted = model.partial_fit(X[:30], y[:30], classes=[0, 1]).n_mistakes_
    cuts = {name: model.encoder_.cuts_[j].tolist() for j, name in enumerate(X) if name != "job"}
    naive = naive_bounds(cuts, {"score": [-9]}, model.theta_, k)
    rows = X.to_dict("records")
    expected = [naive.trial(row, label) for row, label in zip(rows, y.tolist(), strict=True)]
    assert predicted == sum(np.array(expected[:30]) != y[:30])
    assert [model.learn_one(row, label) for row, label in zip(rows[30:], y[30:].tolist(), strict=True)] == expected[30:]
    sums = [float(naive.sum(row)) for row in rows]
    np.testing.assert_allclose(np.exp(model.log_weighted_sum(X)[:, 0]), sums, rtol=1e-9)


def test_before_any_mistake_a_number_at_the_edge_weighs_as_much_as_one_in_the_middle():
    X = np.linspace(0, 1, 200)[:, None]
    encoder = CategoryEncoder(numbers="bounds", missing="ignore")
    codes = BoundLiterals(encoder.fit(X)).codes(encoder.transform(X))
    assert set((codes > 0).sum(axis=1).tolist()) == {31}
    assert encoder.n_ordered_.tolist() == [32]  # with one weight per range: 32 ranges at the edge, 272 in the middle


def test_a_range_is_learned_and_shown_as_a_range(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(18, 80, 400), "job": rng.choice(["cook", "nurse"], 400)})
    y = np.where(X.age.between(41, 52) & (X.job == "cook"), "yes", "no")
    model = over_bounds(3).fit(X, y)
    assert (model.predict(X) == y).all()
    precise = [str(rule) for rule in model.rules(X, y, min_precision=1.0)]
    assert any("40 < age <= 4" in rule and "job = cook" in rule for rule in precise), precise
    why = model.explain({"age": 45, "job": "cook"})
    assert why.label == "yes"
    assert any("age > " in str(flip) or "age <= " in str(flip) for flip in why.flips)
    assert sum(share.share for share in why.terms) + why.rest == pytest.approx(1)
    save(model, tmp_path / "model")
    for twin in (load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(twin.decision_function(X), model.decision_function(X))


def test_a_number_beyond_the_range_is_in_the_outermost_cell_and_a_missing_one_satisfies_no_bound():
    X = pd.DataFrame({"age": np.arange(20.0, 80.0).repeat(2)})
    y = (X.age > 50).astype(int)
    model = over_bounds().fit(X, y)
    assert model.predict(pd.DataFrame({"age": [1000.0, -1000.0]})).tolist() == [1, 0]
    assert model.log_weighted_sum(pd.DataFrame({"age": [np.nan]}))[0, 0] == model.logs_[0].nets.sum() * np.log(1.5)


def test_all_terms_over_bounds_are_those_of_any_number_of_literals():
    X, y = rows_with_everything(1)
    X = X[["score", "job"]]
    whole = over_bounds(None, special={"score": [-9]}).fit(X, y)
    cuts = {"score": whole.encoder_.cuts_[0].tolist()}
    naive = naive_bounds(cuts, {"score": [-9]}, whole.theta_, len(cuts["score"]) + 1)
    for codes, net in zip(whole.logs_[0].codes, whole.logs_[0].nets.tolist(), strict=True):
        same = (whole._encoded(X) == codes).all(axis=1)
        for term in naive.terms(X[same].iloc[0].to_dict()):
            naive.nets[term] = naive.nets.get(term, 0) + net
    sums = [float(naive.sum(row)) for row in X.head(8).to_dict("records")]
    np.testing.assert_allclose(np.exp(whole.log_weighted_sum(X.head(8))[:, 0]), sums, rtol=1e-9)


def test_cuts_are_fewer_where_terms_would_be_too_many():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 12)), rng.integers(0, 2, 400)
    n_cuts = [len(encode_for_mistakes(over_bounds().encoder, X, y, k)[0].cuts_[0]) for k in (1, 2, None)]
    assert n_cuts == [31, 15, 3]


def test_a_rule_known_beforehand_may_ask_for_categories_only():
    X, y = rows_with_everything(2)
    X = X[["age", "job"]]
    expert = MistakeDriven(experts=[({"job": "cook"}, 1, "theta")])
    model = over_bounds(training=expert).partial_fit(X, y, classes=[0, 1])
    assert model.logs_[0].codes.shape[1] == len(BoundLiterals(model.encoder_).cut)
    with pytest.raises(ValueError, match="cannot ask for numbers used with bounds"):
        over_bounds(training=MistakeDriven(experts=[({"age": 45}, 1, 3)])).partial_fit(X, y, classes=[0, 1])
