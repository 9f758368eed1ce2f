"""Fast learners equal their slow twins, trial by trial, ties included."""

from fractions import Fraction
from math import e, log

import numpy as np
import pytest
from scipy.sparse import csr_array

import naive_linear as naive
import winnowkit as wk


def random_examples(rng, n, rows, noise):
    """Boolean examples of a random disjunction, some labels flipped: small enough for ties to be frequent."""
    X = (rng.random((rows, n)) < rng.uniform(0.2, 0.8)).astype(float)
    target = rng.random(n) < 0.4
    y = (X[:, target] > 0).any(axis=1) ^ (rng.random(rows) < noise)
    return X, y.astype(int)


def tuned(alpha):
    return alpha * log(alpha) / (alpha**2 - 1)


# name -> (fast learner, its twin for n weights). Twins of Winnows are exact (Fractions): alpha = 2 and 3/2 round
# nothing as long as weights stay moderate, so that every tie is a true one.
WINNOWS = {
    "elimination": (wk.Elimination, naive.Elimination),
    "winnow1": (wk.Winnow1, lambda n: naive.Winnow(n, 2, n, eliminate=True)),
    "winnow1 low theta": (lambda: wk.Winnow1(theta=2.0), lambda n: naive.Winnow(n, 2, 2, eliminate=True)),
    "winnow2": (wk.Winnow2, lambda n: naive.Winnow(n, Fraction(3, 2), n)),
    "winnow2 alpha 2": (lambda: wk.Winnow2(alpha=2.0, theta=3.0), lambda n: naive.Winnow(n, 2, 3)),
    "winnow2 delta": (lambda: wk.Winnow2(delta=0.5, theta=4.0), lambda n: naive.Winnow(n, Fraction(5, 4), 4)),
    "winnow2 floor": (
        lambda: wk.Winnow2(alpha=2.0, floor=0.25),
        lambda n: naive.Winnow(n, 2, n, floor=Fraction(1, 4)),
    ),
    "normalized": (
        lambda: wk.NormalizedWinnow(alpha=2.0, theta=0.5),
        lambda n: naive.NormalizedWinnow(n, 2, Fraction(1, 2)),
    ),
    "balanced": (wk.BalancedWinnow, lambda n: naive.BalancedWinnow(n, Fraction(3, 2), n)),
    "balanced margin": (
        lambda: wk.BalancedWinnow(alpha=2.0, margin=1.0, theta=2.0),
        lambda n: naive.BalancedWinnow(n, 2, 2, margin=1),
    ),
}


def always(twin):
    twin.policy = "always"
    return twin


WINNOWS["normalized always"] = (
    lambda: wk.NormalizedWinnow(alpha=2.0, theta=0.5, policy="always"),
    lambda n: always(naive.NormalizedWinnow(n, 2, Fraction(1, 2))),
)


@pytest.mark.parametrize("negations", [False, True])
@pytest.mark.parametrize("name", WINNOWS)
def test_winnows_equal_exact_twins(name, negations):
    make, twin = WINNOWS[name]
    rng = np.random.default_rng(sum(map(ord, name)) + negations)
    ties = 0
    for _ in range(30):
        n = int(rng.integers(2, 9))
        X, y = random_examples(rng, n, 120, noise=rng.choice([0.0, 0.2]))
        slow = twin(2 * n if negations else n)
        examples = [(naive.with_negations(x) if negations else list(x), label) for x, label in zip(X, y, strict=True)]
        expected = naive.run(slow, examples)
        fast = make().set_params(negations=negations)
        assert fast.partial_fit_predict(X, y, classes=[0, 1]).tolist() == expected
        ties += slow.ties
    assert ties > 0


BEGS = {
    "thresholded": (
        wk.ThresholdedBEG,
        lambda n: naive.ThresholdedBEG(n, 1 / 1.5, 1.5, tuned(1.5), 1 / n),
    ),
    "thresholded always": (
        lambda: wk.ThresholdedBEG(policy="always"),
        lambda n: naive.ThresholdedBEG(n, 1 / 1.5, 1.5, tuned(1.5), 1 / n, "always"),
    ),
    "thresholded free": (
        lambda: wk.ThresholdedBEG(beta0=0.3, beta1=4.0, theta=0.9, initial=0.2),
        lambda n: naive.ThresholdedBEG(n, 0.3, 4.0, 0.9, 0.2),
    ),
    "noise-free": (
        lambda: wk.ThresholdedBEG(preset="noise-free"),
        lambda n: naive.ThresholdedBEG(n, 0.0, e, 1 / e, 1 / n),
    ),
    "bayes theorem 4": (wk.BayesBEG, lambda n: naive.BayesBEG(n, **naive.theorem4(n))),
    "bayes theorem 4 always": (
        lambda: wk.BayesBEG(policy="always"),
        lambda n: naive.BayesBEG(n, **naive.theorem4(n), policy="always"),
    ),
    "bayes theorem 3": (lambda: wk.BayesBEG(preset="theorem-3"), lambda n: naive.BayesBEG(n, **naive.theorem3(n))),
    "bayes free": (
        lambda: wk.BayesBEG(preset=None, beta0=0.5, beta1=3.0, gamma=0.6, initial=0.1),
        lambda n: naive.BayesBEG(n, 0.5, 3.0, 0.6, 0.1),
    ),
}


def run_beside(fast, slow, X, y, to_twin):
    """Trial by trial: equal decisions up to rounding, equal labels where rounding cannot matter."""
    for x, label in zip(X, y, strict=True):
        expected = slow.margin(to_twin(x))
        predicted = fast.learn_one(x, label)
        if abs(expected) > 1e-9:
            assert predicted == (expected > 0)
        if slow.wants_update(x, label, predicted):
            slow.update(to_twin(x), label)


@pytest.mark.parametrize("negations", [False, True])
@pytest.mark.parametrize("name", BEGS)
def test_begs_equal_twins(name, negations):
    make, twin = BEGS[name]
    rng = np.random.default_rng(sum(map(ord, name)) + negations)
    for _ in range(30):
        n = int(rng.integers(2, 9))
        X, y = random_examples(rng, n, 60, noise=0.0 if "noise-free" in name or "3" in name else 0.1)
        slow = twin(2 * n if negations else n)
        fast = make().set_params(negations=negations).begin(n, [0, 1])
        run_beside(fast, slow, X, y, naive.with_negations if negations else list)
        final = [slow.margin(naive.with_negations(x) if negations else list(x)) for x in X]
        assert fast.decision_function(X) == pytest.approx(final, abs=1e-9)


def test_a_beg_tie_predicts_0():
    # two of four weights of 1/4 are exactly theta, and still are after one update up and one down
    model = wk.ThresholdedBEG(initial=0.25, theta=0.5).begin(4, [0, 1])
    tie = np.array([1.0, 1, 0, 0])
    assert model.predict_one(tie) == 0
    assert model.decision_function([tie]) == [0.0]
    model.learn_one(tie, 1)
    assert model.predict_one(tie) == 1
    model.learn_one(tie, 0)
    assert model.predict_one(tie) == 0
    assert model.n_mistakes_ == 2


@pytest.mark.parametrize(
    ("make", "twin"),
    [
        (lambda: wk.Winnow2(binarize=None), lambda n: GradedWinnow(n, 1.5)),
        (
            lambda: wk.ThresholdedBEG(binarize=None),
            lambda n: naive.ThresholdedBEG(n, 1 / 1.5, 1.5, tuned(1.5), 1 / n),
        ),
        (lambda: wk.BayesBEG(binarize=None), lambda n: naive.BayesBEG(n, **naive.theorem4(n))),
    ],
)
@pytest.mark.parametrize("negations", [False, True])
def test_values_between_0_and_1(make, twin, negations):
    rng = np.random.default_rng(5)
    to_twin = naive.with_negations if negations else list
    for _ in range(20):
        n = int(rng.integers(2, 9))
        X = np.where(rng.random((60, n)) < 0.5, rng.random((60, n)), 0.0)
        y = (X[:, 0] > 0.5).astype(int)
        slow = twin(2 * n if negations else n)
        fast = make().set_params(negations=negations).begin(n, [0, 1])
        run_beside(fast, slow, X, y, to_twin)
        assert fast.decision_function(X) == pytest.approx([slow.margin(to_twin(x)) for x in X], abs=1e-9)
        sparse = make().set_params(negations=negations)
        sparse.partial_fit(csr_array(X), y, classes=[0, 1])
        assert np.array_equal(sparse.decision_function(X), fast.decision_function(X))


class GradedWinnow(naive.Naive):
    def __init__(self, n, alpha):
        self.weights, self.alpha, self.theta = [1.0] * n, alpha, n

    def margin(self, x):
        return sum(w * value for w, value in zip(self.weights, x, strict=True)) - self.theta

    def update(self, x, y):
        for i, value in enumerate(x):
            self.weights[i] *= self.alpha ** (value if y == 1 else -value)


@pytest.mark.parametrize("name", ["Winnow2", "ThresholdedBEG", "BalancedWinnow", "NormalizedWinnow", "Elimination"])
@pytest.mark.parametrize("negations", [False, True])
def test_one_vs_rest_is_one_learner_a_class(name, negations):
    rng = np.random.default_rng(3)
    X = (rng.random((500, 12)) < 0.3).astype(float)
    y = rng.integers(0, 4, 500)
    many = getattr(wk, name)(negations=negations)
    predicted = many.partial_fit_predict(csr_array(X), y, classes=range(4))
    single = [getattr(wk, name)(negations=negations).begin(12, [0, 1]) for _ in range(4)]
    expected = []
    for x, label in zip(X, y, strict=True):
        expected.append(int(np.argmax([model.decision_function([x])[0] for model in single])))
        for k, model in enumerate(single):
            model.learn_one(x, int(label == k))
    assert predicted.tolist() == expected
    assert many.n_updates_.tolist() == [model.n_updates_[0] for model in single]
    assert many.n_mistakes_ == np.sum(predicted != y)
    assert np.array_equal(many.coef_, np.concatenate([model.coef_ for model in single]))


@pytest.mark.parametrize(("policy", "n", "rows"), [("always", 2000, 300), ("mistake", 3000, 400)])
def test_a_total_that_grows_and_shrinks_keeps_its_small_weights(policy, n, rows):
    """Attribute 0 outweighs all others by far, then falls: what is left must be the others' exact sum."""
    labels = [1] * (rows // 2) + [0] * (rows // 2 - 10) + [0, 1] * 60
    model = wk.NormalizedWinnow(k=1, policy=policy).begin(n, [0, 1])
    twin = naive.NormalizedWinnow(n, Fraction(3, 2), Fraction(tuned(1.5)))
    weight, others = Fraction(1), n - 1  # of attribute 0, the only one ever active; the others keep weight 1
    for label in labels:
        expected = int(weight / (weight + others) >= twin.theta)
        assert model.learn_active([0], label) == expected
        if policy == "always" or expected != label:
            weight = weight * Fraction(3, 2) if label else weight / Fraction(3, 2)
