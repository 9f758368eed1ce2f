"""Parameters of linear learners: the last value that is taken, and the first that is refused."""

import math

import numpy as np
import pytest

import winnowkit as wk
from winnowkit.linear.attributes import Attribute, heaviest_attributes
from winnowkit.rulesets import Condition

X = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]])
Y = [1, 0, 1, 0]
NEXT, BEFORE = np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0)


@pytest.mark.parametrize(
    ("make", "taken", "refused", "message"),
    [
        (lambda v: wk.Winnow2(alpha=v), [NEXT, 1e300], [1.0, math.inf], "alpha must be"),
        (lambda v: wk.Winnow2(theta=v), [1e-300], [0.0, -1.0, math.inf], "theta must be"),
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


def test_the_theorem_of_winnow1_begins_at_one_over_alpha():
    for theta, holds in ((0.5, True), (np.nextafter(0.5, 0.0), False)):
        model = wk.Winnow1(alpha=2.0, theta=theta).fit(X[:, :1], Y)
        assert math.isfinite(model.certificate(1).bound) == holds


def test_an_attribute_decides_from_the_whole_threshold_on():
    condition = Condition("a", ">", 0)
    assert str(Attribute(condition, 1, 2.0, 1.0)) == "a > 0: decides for class 1 on its own"
    assert str(Attribute(condition, 1, 2.0, BEFORE)) == "a > 0: 100.0% of the decision threshold for class 1"


def test_one_attribute_or_more():
    model = wk.Winnow2().fit(X, Y)
    assert len(heaviest_attributes(model, 1)) >= 1
    with pytest.raises(ValueError, match="max_attributes must be at least 1, got 0"):
        heaviest_attributes(model, 0)
