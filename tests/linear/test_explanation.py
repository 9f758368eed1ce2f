"""explain: exact contributions that add up to the decision; names of attributes wherever they come from."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

import winnowkit as wk
from winnowkit.core.frame import Frame

LEARNERS = [
    wk.Committee(random_state=0),
    wk.Committee(share=0.02, shuffle=False),
    wk.Winnow2(),
    wk.Winnow2(negations=True),
    wk.BalancedWinnow(),
    wk.ThresholdedBEG(),
    wk.BayesBEG(binarize=None),
    wk.AROW(r=0.5, random_state=0),
    wk.CoinBetting(random_state=0),
    wk.AdaptiveWinnow(max_epochs=1),
]
REAL = wk.Committee | wk.AROW | wk.CoinBetting | wk.AdaptiveWinnow


def data(kind, n_classes, n=15):
    rng = np.random.default_rng(3)
    X = rng.random((200, n)) * (rng.random((200, n)) < 0.4)
    if kind == "signed":
        X *= rng.choice([-1.0, 1.0], X.shape)
    return X, (X @ rng.standard_normal((n, n_classes))).argmax(axis=1)


@pytest.mark.filterwarnings("ignore:.*binarize")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_contributions_add_up_to_the_decision(learner, n_classes):
    signed = isinstance(learner, REAL)
    X, y = data("signed" if signed else "positive", n_classes, n=80 if signed and n_classes == 3 else 15)
    model = learner.fit(X, y)
    X[0] *= 3 if signed else 1  # larger than any value that it has learned from
    decisions = model.decision_function(X).reshape(len(X), -1)
    for x, decision in zip(X[:30], decisions, strict=False):
        for k in range(len(decision)):
            label = 1 if n_classes == 2 else k
            found = model.explain(x, label=label)
            assert found.evidence_for == label
            assert found.label == model.predict_one(x)
            amounts = [c.amount for c in found.contributions]
            assert found.base + sum(amounts) == pytest.approx(found.decision, rel=1e-9, abs=1e-9)
            assert found.decision == pytest.approx(decision[k], rel=1e-5, abs=1e-5)
            assert np.abs(amounts).tolist() == sorted(np.abs(amounts), reverse=True)
            assert {c.name for c in found.contributions} <= {f"x{i}" for i in np.flatnonzero(x)}


def test_names_come_from_columns_from_the_call_or_from_a_pipeline():
    X, y = data("positive", 2)
    columns = [f"column {i}" for i in range(15)]
    named = wk.Committee(random_state=0).fit(Frame(dict(zip(columns, X.T, strict=True))), y)
    assert {c.name for c in named.explain(X[0]).contributions} <= set(columns)
    plain = wk.Committee(random_state=0).fit(X, y)
    assert str(plain.explain(X[0], names=columns)) == str(named.explain(X[0]))
    assert str(plain.top_attributes(4, names=columns)) == str(named.top_attributes(4))
    texts = ["winner takes all", "lunch at noon", "winner winner", "noon again"] * 10
    pipeline = make_pipeline(CountVectorizer(), wk.Winnow2(random_state=0)).fit(texts, [1, 0, 1, 0] * 10)
    words = pipeline[:-1].get_feature_names_out()
    assert "winner > 0" in {str(a.condition) for a in pipeline[-1].top_attributes(2, names=words)}
    explained = pipeline[-1].explain(pipeline[:-1].transform(["winner at noon"]), names=words)
    assert {c.name for c in explained.contributions} == {"winner", "at", "noon"}
    for call in (plain.explain, plain.top_attributes):
        with pytest.raises(ValueError, match="names must have one name per attribute, 15, got 2"):
            call(*([X[0]] if call == plain.explain else []), names=["a", "b"])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_top_attributes_of_a_committee(n_classes):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 20))
    y = (X[:, 3] > 0).astype(int) if n_classes == 2 else np.argmax(X[:, [3, 7, 11]], axis=1)
    model = wk.Committee(random_state=0).fit(X, y)
    if n_classes == 2:
        (top,) = model.top_attributes(1)
        assert (top.name, top.label) == ("x3", 1)
        (against,) = wk.Committee(random_state=0).fit(-X, y).top_attributes(1)
        assert (against.name, against.label) == ("x3", 0)
    else:
        assert {(a.name, a.label) for a in model.top_attributes(1)} == {("x3", 0), ("x7", 1), ("x11", 2)}
    assert "log-odds for class 1" in str(model.top_attributes(2))
    assert "<table" in model.top_attributes(2)._repr_html_()


def test_the_decision_is_that_for_the_predicted_label_unless_another_is_asked_for():
    model = wk.Winnow2(theta=2.0).begin(4, ["no", "yes"])
    assert str(model.explain([1, 0, 0, 0])).split("\n") == [
        "predicted no; the decision for no is +1",
        "        -1  x0 = 1",
        "        +2  without any attribute",
    ]
    asked = model.explain([1, 0, 0, 0], label="yes")
    assert (asked.label, asked.evidence_for, asked.decision, asked.base) == ("no", "yes", -1.0, -2.0)
    assert [c.amount for c in asked.contributions] == [1.0]
    assert repr(asked) == "<LinearExplanation: predicted no; the decision for yes is -1; print it to read it>"


def test_text():
    model = wk.Winnow2(theta=2.0).begin(4, ["no", "yes"])
    assert str(model.explain([1, 1, 0, 1], max_attributes=2)).split("\n") == [
        "predicted yes; the decision for yes is +1",
        "        +1  x0 = 1",
        "        +1  x1 = 1",
        "        +1  1 other attribute",
        "        -2  without any attribute",
    ]
    assert "<table" in model.explain([1, 1, 0, 1])._repr_html_()


def test_what_cannot_be_explained():
    X, y = data("positive", 2)
    with pytest.raises(NotFittedError):
        wk.Committee().explain(X[0])
    model = wk.Committee(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="1-d array of 15 attributes"):
        model.explain(X[0, :3])
    with pytest.raises(ValueError, match="max_attributes must be at least 1, got 0"):
        model.explain(X[0], max_attributes=0)
    with pytest.raises(ValueError, match="label 7 is not among the classes"):
        wk.Committee(random_state=0).fit(X, np.arange(200) % 3).explain(X[0], label=7)
    members = wk.Committee(members=[wk.AROW(), wk.CoinBetting()]).fit(X, y)
    with pytest.raises(TypeError, match="explain needs the built-in experts"):
        members.explain(X[0])
    assert model.explain(sparse.csr_array(X[[0]])) == model.explain(X[0])
