"""ONNX graphs of linear models and committees say what the models say."""

import numpy as np
import onnxruntime
import pytest
from sklearn.exceptions import NotFittedError

import winnowkit
from winnowkit.data import streams
from winnowkit.onnx import to_onnx

X, Y = streams.disjunction(n=40, k=3, active=9, label_noise=0.1, seed=0).take(400)
X = X.toarray()
LINEAR = ("Elimination", "Winnow1", "Winnow2", "BalancedWinnow", "NormalizedWinnow", "ThresholdedBEG", "BayesBEG")
OPTIONS = ({}, {"negations": True}, {"binarize": 0.3}, {"binarize": None}, {"binarize": None, "negations": True})
MODELS = [(name, options) for name in LINEAR for options in OPTIONS]
MODELS += [("DirectedDrift", {"random_state": 0}), ("DirectedDrift", {"random_state": 0, "negations": True})]


def run(model, path, X):
    to_onnx(model, path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(["label", "decision"], {"X": X.astype(np.float64)})


@pytest.mark.parametrize(("name", "options"), MODELS)
@pytest.mark.parametrize("kind", ["two strings", "three integers"])
def test_labels_and_decisions(name, options, kind, tmp_path):
    rng = np.random.default_rng(0)
    values = X * rng.uniform(0, 1, X.shape) if "binarize" in options else X
    if kind == "two strings":
        y = np.array(["no", "yes"])[Y]
    else:
        y = np.array([-1, 0, 7])[(values[:, :3] @ [1, 1, 2]).astype(int) % 3]
    model = getattr(winnowkit, name)(**options).fit(values, y)
    label, decision = run(model, tmp_path / "model.onnx", values)
    np.testing.assert_array_equal(label, model.predict(values))
    assert label.dtype.kind == model.classes_.dtype.kind or label.dtype == object
    expected = model.decision_function(values)
    np.testing.assert_allclose(decision, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    np.testing.assert_array_equal(np.asarray(decision) > 0, expected > 0)


def test_ties_are_decided_alike(tmp_path):
    """Scores of exactly theta, which single precision would lose: 1 by Winnow's rule, 0 by BEG's."""
    alpha, theta = 1.1, 3 * 1.1**5
    model = winnowkit.Winnow2(alpha=alpha, theta=theta).begin(3, [0, 1])
    for _ in range(5):
        model.learn_active([0, 1, 2], 1)
    rows = np.array([[1.0, 1, 1], [1, 1, 0]])
    assert model.predict(rows).tolist() == [1, 0]
    label, decision = run(model, tmp_path / "model.onnx", rows)
    assert label.tolist() == [1, 0]
    assert 0 < decision[0] < 1e-300
    strict = winnowkit.ThresholdedBEG(theta=0.5, initial=0.25).begin(4, [0, 1])
    label, decision = run(strict, tmp_path / "model.onnx", np.array([[1.0, 1, 0, 0], [1, 1, 1, 0]]))
    assert label.tolist() == strict.predict([[1, 1, 0, 0], [1, 1, 1, 0]]).tolist() == [0, 1]
    assert decision[0] == 0


def test_many_rows_and_none_need_no_new_graph(tmp_path):
    model = winnowkit.Winnow2(random_state=0).fit(X, Y == 1)
    for rows in (X, X[:1], X[:0]):
        label, _ = run(model, tmp_path / "model.onnx", rows)
        assert label.shape == (len(rows),)


@pytest.mark.parametrize("n_classes", [2, 4, 9])
@pytest.mark.parametrize("kind", ["real", "positive", "boolean", "wide"])
@pytest.mark.parametrize("share", [0.0, 0.05])
def test_a_committee_is_one_graph(n_classes, kind, share, tmp_path):
    """Also where the vote overrules the mix, and on values larger than any before."""
    rng = np.random.default_rng(0)
    n = 80 if kind == "wide" else 12
    values = rng.standard_normal((300, n)) * (rng.random((300, n)) < 0.5)
    if kind == "positive":
        values = np.abs(values)
    elif kind == "boolean":
        values = (values > 0).astype(float)
    y = np.array(list("abcdefghi"))[(values @ rng.standard_normal((n, n_classes))).argmax(axis=1)]
    model = winnowkit.Committee(share=share, random_state=0).fit(values[:200], y[:200])
    overruled = winnowkit.Committee(share=share, random_state=0).fit(values[:200], y[:200])
    overruled._learner.mix.votes[:] = 1e-3
    overruled._learner.mix.votes[6] = 1.0
    assert (overruled.predict(values) != model.predict(values)).any()
    new = np.vstack([values, 5 * values, np.zeros((1, n))])
    for each in (model, overruled):
        label, decision = run(each, tmp_path / "model.onnx", new)
        expected = each.decision_function(new)
        np.testing.assert_array_equal(label, each.predict(new))
        close = 2e-6 if n_classes == 2 else 1e-5  # kernels have 32 bits
        np.testing.assert_allclose(decision, expected, rtol=close, atol=close)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("name", ["AROW", "CoinBetting", "AdaptiveWinnow"])
@pytest.mark.parametrize("scale", [1.0, 1e-6])
def test_learners_of_real_values(name, n_classes, scale, tmp_path):
    """Also on values larger than any before, rows of zeros, and columns that were always 0."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal((300, 12)) * (rng.random((300, 12)) < 0.5) * scale
    values[:200, 5] = 0.0
    y = np.array([4, 2, 9, 7])[(values @ rng.standard_normal((12, n_classes))).argmax(axis=1)]
    new = np.vstack([values, 5 * values, np.zeros((1, 12))])
    for model in (
        getattr(winnowkit, name)(random_state=0).fit(values[:200], y[:200]),
        getattr(winnowkit, name)().partial_fit(values[:9], y[:9], classes=np.unique(y)),
        getattr(winnowkit, name)().begin(12, np.unique(y)),
    ):
        label, decision = run(model, tmp_path / "model.onnx", new)
        np.testing.assert_array_equal(label, model.predict(new))
        np.testing.assert_allclose(decision, model.decision_function(new), rtol=1e-9, atol=1e-9)


def test_a_begun_committee_has_a_graph(tmp_path):
    model = winnowkit.Committee().begin(3, [0, 1])
    label, decision = run(model, tmp_path / "model.onnx", np.eye(3))
    np.testing.assert_array_equal(label, model.predict(np.eye(3)))
    np.testing.assert_allclose(decision, model.decision_function(np.eye(3)), rtol=1e-6)


def test_what_has_no_onnx_form(tmp_path):
    with pytest.raises(TypeError, match="only linear models can be exported to ONNX, got SASB"):
        to_onnx(winnowkit.SASB().fit(X, Y), tmp_path / "model.onnx")
    members = winnowkit.Committee(members=[winnowkit.Winnow2(), winnowkit.AROW()]).fit(X, Y)
    with pytest.raises(TypeError, match="only a committee of the built-in experts"):
        to_onnx(members, tmp_path / "model.onnx")
    with pytest.raises(NotFittedError):
        to_onnx(winnowkit.Winnow2(), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("labels", [[2**63, 2**64 - 1], ["\ud800", "x"]], ids=["too long", "no Unicode"])
def test_labels_that_onnx_cannot_hold(labels, tmp_path):
    model = winnowkit.Winnow2().fit(np.eye(4), np.array(labels)[[0, 1, 0, 1]])
    with pytest.raises(ValueError, match="labels in ONNX must be"):
        to_onnx(model, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_the_longest_labels(tmp_path):
    model = winnowkit.Winnow2().fit(np.eye(4), np.array([-(2**63), 2**63 - 1])[[0, 1, 0, 1]])
    assert run(model, tmp_path / "model.onnx", np.eye(4))[0].tolist() == model.predict(np.eye(4)).tolist()


@pytest.mark.parametrize("name", ["Winnow2", "DirectedDrift", "AROW", "Committee"])
def test_values_that_the_model_refuses_do_not_stop_the_graph(name, tmp_path):
    """A graph cannot refuse: boolean learners take NaN for 0, those of real values say that they do not know."""
    X = np.array([[1.0, 0.0], [0.0, 1.0]] * 10)
    model = getattr(winnowkit, name)(random_state=0).fit(X, [0, 1] * 10)
    _, decision = run(model, tmp_path / "model.onnx", np.array([[np.nan, 1.0], [0.0, 1.0], [0.0, np.inf]]))
    if name in ("Winnow2", "DirectedDrift"):
        assert decision[0] == decision[1] == decision[2]
    else:
        assert np.isnan(decision[[0, 2]]).all()
        assert decision[1] > 0
