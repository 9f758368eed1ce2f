"""Models of a single attribute, and saved states that are nearly sound."""

import pickle

import numpy as np
import pytest

import winnowkit as wk
from naive_linear import BalancedWinnow
from winnowkit.linear.committee_learner import check_committee
from winnowkit.linear.scaled_learner import check_scaled

X = np.array([[1.0], [0.0], [1.0], [0.0], [1.0]])
Y = [1, 0, 1, 1, 0]
LEARNERS = ["Winnow2", "NormalizedWinnow", "BalancedWinnow", "ThresholdedBEG", "BayesBEG", "AROW", "Committee"]


@pytest.mark.parametrize("name", LEARNERS)
def test_a_model_of_one_attribute_is_kept(name):
    model = getattr(wk, name)(random_state=0).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert np.array_equal(again.partial_fit(X, Y).decision_function(X), model.partial_fit(X, Y).decision_function(X))


@pytest.mark.parametrize(("name", "numbers"), [("AROW", 2), ("CoinBetting", 4), ("AdaptiveWinnow", 2)])
def test_files_have_the_numbers_of_each_attribute_and_no_others(name, numbers):
    assert getattr(wk, name)().fit(X, Y)._learner.arrays()["records"].shape == (2, 1, numbers)


def test_two_weights_of_one_attribute_are_those_of_the_twin():
    model, twin = wk.BalancedWinnow(alpha=1.5, theta=2.0).begin(1, [0, 1]), BalancedWinnow(1, 1.5, 2.0)
    for x, y in zip(X, Y, strict=True):
        said = twin.predict(x)
        assert model.learn_one(x, y) == said
        if said != y:
            twin.update(x, y)
        assert model.coef_[0, 0] == pytest.approx(float(twin.u[0] - twin.v[0]))


def test_states_of_no_attributes_are_refused():
    learner = wk.AROW().fit(X, Y)._learner
    state = learner.arrays()
    with pytest.raises(ValueError, match="it has no weights"):
        check_scaled(state | {"records": state["records"][:1], "largest": state["largest"][:0]})
    with pytest.raises(ValueError, match="it has no weights"):
        check_scaled(state | {"records": np.ascontiguousarray(state["records"][:, :0]), "counts": state["counts"][:1]})


@pytest.mark.parametrize("name", ["weights", "covariance", "votes", "scale"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_of_a_committee_are_finite(name, value):
    state = wk.Committee().fit(X, Y)._learner.arrays()
    key = name if name in state else f"mix_{name}"
    forged = state[key].copy()
    forged[..., -1] = value
    with pytest.raises(ValueError, match="must be finite"):
        check_committee(state | {key: forged})


def test_a_mix_belongs_to_as_many_experts_as_there_are():
    state = wk.Committee().fit(X, Y)._learner.arrays()
    check_committee(state)
    longer = {
        "mix_weights": np.append(state["mix_weights"], 0.0),
        "mix_votes": np.append(state["mix_votes"], 1.0),
        "mix_label_mistakes": np.append(state["mix_label_mistakes"], 0),
        "mix_covariance": np.eye(len(state["mix_weights"]) + 1),
    }
    with pytest.raises(ValueError, match="experts"):
        check_committee(state | longer)
    shorter = {
        name: np.ascontiguousarray(state[name][..., :-1])
        for name in ("mix_resting", "mix_mistakes", "mix_awake_mistakes")
    }
    with pytest.raises(ValueError, match="experts"):
        check_committee(state | shorter)
    for share in (1.0, -0.5):
        with pytest.raises(ValueError, match="settings"):
            check_committee(state | {"mix_settings": np.array([share])})
