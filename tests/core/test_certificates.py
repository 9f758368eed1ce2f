"""The learners themselves, not only their naive twins, stay within what their certificates promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import winnowkit as wk

LEARNERS = {
    "Elimination": lambda _: wk.Elimination(),
    "Winnow1": lambda s: wk.Winnow1(alpha=s["alpha"]),
    "Winnow2": lambda s: wk.Winnow2(alpha=s["alpha"]),
    "Winnow2, theta": lambda s: wk.Winnow2(alpha=s["alpha"], theta=s["theta"]),
    "NormalizedWinnow": lambda s: wk.NormalizedWinnow(alpha=s["alpha"], k=s["k"]),
    "ThresholdedBEG": lambda s: wk.ThresholdedBEG(alpha=s["alpha"]),
    "ThresholdedBEG, weights above 1/2": lambda s: wk.ThresholdedBEG(alpha=s["alpha"], initial=0.8),
    "noise-free": lambda _: wk.ThresholdedBEG(preset="noise-free"),
    "theorem 3": lambda _: wk.BayesBEG(preset="theorem-3"),
    "theorem 4": lambda _: wk.BayesBEG(preset="theorem-4"),
}
settings_of = st.fixed_dictionaries(
    {
        "n": st.integers(2, 60),
        "k": st.integers(1, 4),
        "alpha": st.sampled_from([1.1, 1.5, 2.0, 4.0]),
        "theta": st.sampled_from([1.0, 3.0, 40.0]),
        "seed": st.integers(0, 2**20),
        "negations": st.booleans(),
    }
)


def play(model, setting):
    """An adversary that shows, whenever it finds one, an example on which the learner errs."""
    rng = np.random.default_rng(setting["seed"])
    n, k = setting["n"], min(setting["k"], setting["n"])
    target = rng.choice(n, k, replace=False)
    flipped = rng.random(k) < 0.5 if setting["negations"] else np.zeros(k, dtype=bool)
    model.set_params(negations=setting["negations"]).begin(n, [0, 1])
    for _ in range(150):
        X = (rng.random((40, n)) < rng.choice([0.02, 0.1, 0.5, 0.9])).astype(float)
        y = ((X[:, target] > 0) ^ flipped).any(axis=1).astype(int)
        wrong = np.flatnonzero(model.predict(X) != y)
        row = wrong[0] if len(wrong) else 0
        model.learn_one(X[row], y[row])
    return model.certificate(k=k)


@pytest.mark.parametrize("name", LEARNERS)
@settings(max_examples=15, deadline=None)
@given(setting=settings_of)
def test_mistakes_stay_under_the_bound(name, setting):
    certificate = play(LEARNERS[name](setting), setting)
    assert certificate.bound < np.inf
    assert certificate.kept


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("theta", [0.7, 3.0])
def test_a_bound_for_at_most_k_attributes_covers_smaller_targets(name, theta):
    """A learner tuned for ten attributes: small targets may be the harder ones."""
    model = LEARNERS[name]({"alpha": 1.5, "theta": theta, "k": 10}).begin(10, [0, 1])
    found = [model.certificate(k=k).bound for k in range(1, 11)]
    assert found == sorted(found)
    assert found[-1] > 1


def test_the_adversary_breaks_a_smaller_bound():
    """The control: the adversary forces more than a third of the promised mistakes."""
    setting = {"n": 60, "k": 4, "alpha": 1.5, "theta": 1.0, "seed": 0, "negations": False}
    assert all(play(LEARNERS[name](setting), setting).mistakes > 10 for name in LEARNERS)
    certificate = play(LEARNERS["Winnow1"](setting), setting)
    assert certificate.mistakes > certificate.bound / 3


def test_a_broken_assumption_shows():
    model = wk.Winnow2().begin(2, [0, 1])
    for trial in range(300):
        model.learn_active([0, 1], trial % 2)
    certificate = model.certificate(k=1)
    assert not certificate.kept
    assert str(certificate).endswith("a disjunction of at most 1 of 2 attributes, which it is not")
    assert model.certificate(k=1, attribute_errors=300).kept


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (wk.BalancedWinnow(), "no theorem here covers Balanced Winnow"),
        (wk.Winnow2(floor=0.1, theta=1.0), "0 < floor < theta / n"),
        (wk.BayesBEG(policy="always"), "mistake-driven"),
        (wk.BayesBEG(beta1=5.0), "a preset"),
        (wk.ThresholdedBEG(theta=0.7), "Theorem 5 needs"),
        (wk.NormalizedWinnow(k=1, theta=0.9), "theta must be <"),
        (wk.Winnow1(theta=0.1), "theta >= 1 / alpha"),
        (wk.Winnow2(delta=0.3), "whole number"),
    ],
    ids=repr,
)
def test_no_theorem_no_bound(model, reason):
    certificate = model.begin(20, [0, 1]).certificate(k=3)
    assert certificate.bound == np.inf
    assert reason in str(certificate)


def test_thresholds_and_classes_in_certificates():
    model = wk.Winnow2(delta=0.5).begin(20, [0, 1])
    assert "Theorem 4.2.1 if the target is at least 2 of 4 of 20 attributes" in str(model.certificate(k=4))
    many = wk.Winnow2(random_state=0).fit(np.eye(4), [0, 1, 2, 2])
    assert many.certificate(k=2).mistakes == max(many.n_updates_)
    assert "for each class against the rest" in str(many.certificate(k=2))
    assert wk.Winnow1().begin(9, [0, 1]).certificate(k=2, attribute_errors=1).bound == np.inf
