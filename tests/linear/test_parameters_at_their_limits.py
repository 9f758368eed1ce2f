"""Parameters of linear learners: the last value that is taken, and the first that is refused."""

import math

import numpy as np
import pytest

import winnowkit as wk
from winnowkit import bounds
from winnowkit.core.csr import Trials
from winnowkit.linear import committee_kernel, scaled_kernel
from winnowkit.linear.attributes import Attribute, _condition, heaviest_attributes, heaviest_rows
from winnowkit.rulesets import Condition

X = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]])
Y = [1, 0, 1, 0]
NEXT, BEFORE = np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0)


@pytest.mark.parametrize(
    ("make", "taken", "refused", "message"),
    [
        (lambda v: wk.Winnow2(alpha=v), [NEXT, 1e300], [1.0, math.inf], "alpha must be"),
        (lambda v: wk.Winnow2(theta=v), [1e-300], [0.0, -1.0, math.inf], "theta must be"),
        (lambda v: wk.Winnow2(delta=v), [1e-9, 1.0], [0.0, -1.0, NEXT, 2.0], r"delta must be in \(0, 1\]"),
        (lambda v: wk.NormalizedWinnow(k=v), [1], [0], "k must be at least 1"),
        (lambda v: wk.BalancedWinnow(margin=v), [0.0], [-1e-9, math.inf], "margin must be"),
        (lambda v: wk.ThresholdedBEG(beta0=v, beta1=2.0, theta=0.4), [0.0, BEFORE], [1.0, -1e-9], "beta0 must be in"),
        (lambda v: wk.ThresholdedBEG(beta0=0.5, beta1=v, theta=0.4), [NEXT], [1.0, math.inf], "beta1 must be > 1"),
        (lambda v: wk.ThresholdedBEG(initial=v), [1e-300, BEFORE], [0.0, 1.0], r"initial must be in \(0, 1\)"),
        (lambda v: wk.AROW(r=v), [1e-300, 1e300], [0.0, math.inf], "r must be > 0"),
        (lambda v: wk.Committee(share=v), [0.0, BEFORE], [1.0, -1e-9], "share must be in"),
        (lambda v: wk.Winnow2(max_epochs=v), [1], [0], "max_epochs must be"),
    ],
)
def test_values_that_are_taken_and_refused(make, taken, refused, message):
    for value in taken:
        assert make(value).fit(X, Y).predict(X).shape == (4,)
    for value in refused:
        with pytest.raises(ValueError, match=message):
            make(value).fit(X, Y)


def test_arguments_of_certificates():
    model = wk.Winnow2().fit(X, Y)
    assert model.certificate(1, attribute_errors=0, changes=0).mistakes == model.n_mistakes_
    for arguments, message in [
        ({"k": 0}, "k must be an integer >= 1"),
        ({"k": 1.0}, "k must be an integer >= 1"),
        ({"k": 1, "attribute_errors": -1}, "attribute_errors must be >= 0"),
        ({"k": 1, "changes": -1}, "changes must be an integer >= 0"),
        ({"k": 1, "changes": 0.5}, "changes must be an integer >= 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.certificate(**arguments)
    for arguments in ({"changes": -1}, {"changes": 0.5}):
        with pytest.raises(ValueError, match="changes must be an integer >= 0"):
            wk.Committee().fit(X, Y).certificate(**arguments)
    with pytest.raises(ValueError, match="changes need share > 0"):
        wk.Committee(share=0.0).fit(X, Y).certificate(changes=1)
    with pytest.raises(ValueError, match="mistakes must be >= 0"):
        wk.Committee().fit(X, Y).certificate(mistakes=-1)
    assert "makes at most 0 mistakes" in str(wk.Committee().fit(X, Y).certificate(mistakes=0))


def test_the_theorem_of_winnow1_begins_at_one_over_alpha():
    for theta, holds in ((0.5, True), (np.nextafter(0.5, 0.0), False)):
        model = wk.Winnow1(alpha=2.0, theta=theta).fit(X[:, :1], Y)
        assert math.isfinite(model.certificate(1).bound) == holds


def test_a_target_of_several_attributes_has_a_delta_of_one_over_their_number():
    model = wk.Winnow2(delta=0.25, theta=4.0, average=False).fit(np.tile(X, 2), Y)
    assert "at least 4 of 5" in model.certificate(5).assumes
    assert model.certificate(5).bound == bounds.winnow2_threshold(4, 5, 6, 4.0)
    assert model.certificate(3).bound == math.inf
    for theta, holds in ((1.0, True), (BEFORE, False)):
        model = wk.Winnow2(delta=0.25, theta=theta, average=False).fit(np.tile(X, 2), Y)
        assert math.isfinite(model.certificate(5).bound) == holds


def test_certificates_say_how_often_a_target_changes_and_of_how_many_classes():
    two, three = (wk.Winnow2(floor=0.1, average=False).fit(X, y) for y in (Y, [0, 1, 2, 1]))
    assert two.certificate(1).assumes == "a disjunction of at most 1 of 3 attributes"
    assert two.certificate(1, changes=1).assumes.endswith("of 3 attributes that changes 1 time")
    assert two.certificate(1, changes=2).assumes.endswith("of 3 attributes that changes 2 times")
    assert three.certificate(1).assumes.endswith("of 3 attributes, for each class against the rest")


@pytest.mark.parametrize(
    ("theta", "floor", "holds"), [(2.0, 0.3, True), (2.0, 0.5, False), (1.0, 0.2, True), (BEFORE, 0.2, False)]
)
def test_the_theorem_on_targets_that_change_needs_a_low_floor_and_a_theta_of_one(theta, floor, holds):
    model = wk.Winnow2(theta=theta, floor=floor, average=False).fit(np.tile(X, 2)[:, :4], Y)
    assert math.isfinite(model.certificate(1, changes=1).bound) == holds


def test_a_view_of_a_model_has_five_attributes_or_two_for_each_of_several_classes():
    wide = np.tile(X, 4)
    assert [len(heaviest_rows(wk.AROW().fit(wide, y))) for y in (Y, [0, 1, 2, 1])] == [1 + 5, 1 + 3 * 2]
    assert len(heaviest_rows(wk.Committee().fit(wide, Y))) == 1 + 5


def test_an_attribute_decides_from_the_whole_threshold_on():
    condition = Condition("a", ">", 0)
    assert str(Attribute(condition, 1, 2.0, 1.0)) == "a > 0: decides for class 1 on its own"
    assert str(Attribute(condition, 1, 2.0, BEFORE)) == "a > 0: 100.0% of the decision threshold for class 1"


def test_an_attribute_decides_alone_where_the_decision_without_evidence_is_0():
    model = wk.Winnow2(alpha=2.0, theta=1.0, negations=True).begin(2, [0, 1])
    model.learn_one([1, 0], 0)  # w = 1/2, 1 and 1, 1/2 for the complements: whatever x is, the score is at least 1
    assert [(str(a), a.weight) for a in model.top_attributes()] == [
        ("x0 <= 0: decides for class 1 on its own", 0.5),
        ("x1 > 0: decides for class 1 on its own", 0.5),
    ]


def test_one_attribute_or_more():
    model = wk.Winnow2().fit(X, Y)
    assert len(heaviest_attributes(model, 1)) >= 1
    with pytest.raises(ValueError, match="max_attributes must be at least 1, got 0"):
        heaviest_attributes(model, 0)


@pytest.mark.parametrize(("on", "part", "bound"), [(True, 4.0, 0.25), (False, 4.0, 0.75), (True, 0.5, 1.0)])
def test_from_which_value_an_attribute_decides_alone(on, part, bound):
    assert _condition(None, "a", on, part) == Condition("a", ">=" if on else "<=", bound)


def test_the_curve_of_rules_ends_at_their_error():
    rng = np.random.default_rng(0)
    many = rng.integers(0, 2, (300, 6))
    y = many[:, 0] | many[:, 2]
    rules = wk.Winnow2(random_state=0).fit(many, y).rules(X=many, y=y, max_rules=6)
    assert len(rules.report.curve) == len(rules) + 1
    assert rules.report.curve[-1] == rules.report.error == np.mean(rules.predict(many) != y)


def test_top_attributes_of_a_committee():
    rng = np.random.default_rng(0)
    many = rng.integers(0, 2, (300, 12))
    model = wk.Committee(random_state=0).fit(many, many[:, 0] | many[:, 2])
    assert model.attribute_weights_.shape == (1, 12)
    assert set(np.argsort(-model.attribute_weights_[0])[:2].tolist()) == {0, 2}
    assert len(model.top_attributes()) == 10
    assert len(wk.Winnow2().fit(many, many[:, 0]).top_attributes()) == 10


def test_experts_at_rest_add_nothing():
    model = wk.Committee().fit(X, Y)
    assert sorted(a.name for a in model.top_attributes()) == ["x0", "x1", "x2"]
    model._learner.mix.resting[:] = True
    assert not model.attribute_weights_.any()
    assert len(model.top_attributes()) == 0  # what adds nothing is no evidence for either label


def test_passes_that_are_averaged_freeze_no_learner():
    rows = wk.AROW()._rows(X[:1])
    for model in (wk.AROW(), wk.Committee(), wk.Committee(members=[wk.Winnow2(), wk.AROW()])):
        learner = model._begin(3, 1)
        assert learner.learn(Trials(rows, np.array([1]), frozen=np.array([False]))).shape == (1,)
        with pytest.raises(ValueError, match="frozen must be None"):
            learner.learn(Trials(rows, np.array([1]), frozen=np.array([True])))


@pytest.mark.parametrize(("make", "kernel"), [(wk.AROW, scaled_kernel), (wk.Committee, committee_kernel)])
def test_what_is_interrupted_is_undone_where_a_copy_is_small(make, kernel, monkeypatch):
    model = make().fit(X, Y)
    before = {name: array.copy() for name, array in model._learner.arrays().items()}

    def interrupted(family, *_):
        family[0][:] += 1.0
        raise KeyboardInterrupt

    monkeypatch.setattr(kernel, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model._learner.learn(Trials(model._rows(X), np.array([1, 0, 1, 0])))
    for name, array in model._learner.arrays().items():
        assert np.array_equal(array, before[name]), name


def test_states_without_weights_are_refused():
    learner = wk.AROW().fit(X, Y)._learner
    for r in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="the rule"):
            type(learner).__new__(type(learner)).__setstate__(
                learner.arrays() | {"settings": np.array([*learner.state.settings[:2], r])}
            )
    committee = wk.Committee().fit(X, Y)._learner
    state = committee.arrays()
    empty = {
        "records": state["records"][:1],
        "largest": state["largest"][:0],
        "full_weights": state["full_weights"][:, :1],
        "full_covariance": state["full_covariance"][:, :1, :1],
    }
    with pytest.raises(ValueError, match="it has no weights"):
        type(committee).__new__(type(committee)).__setstate__(
            {name: np.ascontiguousarray(array) for name, array in (state | empty).items()}
        )
