"""explain of learners that count: the heaviest hypotheses, whose votes add up to the probability."""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import expit

import winnowkit as wk


def data(n_classes=2, n=9, n_rows=150):
    rng = np.random.default_rng(5)
    X = (rng.random((n_rows, n)) < 0.4).astype(float)
    y = np.where(rng.random(n_rows) < 0.15, rng.integers(n_classes, size=n_rows), X[:, 2] + X[:, 4] * (n_classes > 2))
    return X, y.astype(int)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "learner",
    [
        wk.SBSB(),
        wk.SASB(),
        wk.DirectBayes(k=2),
        wk.DirectBayes(k=3, negations=True, noise=0.2),
        wk.DirectBayes(k=1, policy="mistake"),
    ],
    ids=repr,
)
def test_votes_add_up_to_the_decision(learner, n_classes):
    X, y = data(n_classes)
    model = learner.fit(X, y)
    decisions = model.decision_function(X).reshape(len(X), -1)
    for x, decision in zip(X[:20], decisions, strict=False):
        for k in range(len(decision)):
            label = 1 if n_classes == 2 else k
            found = model.explain(x, label=label, max_attributes=10_000)
            assert (found.label, found.evidence_for) == (model.predict_one(x), label)
            assert len(found.votes) == found.n_hypotheses
            shares = np.array([v.share for v in found.votes])
            assert shares.sum() == pytest.approx(1)
            assert (np.diff(shares) <= 0).all()
            assert sum(v.share * v.says for v in found.votes) == pytest.approx(found.vote)
            assert found.vote == pytest.approx(expit(decision[k]), rel=1e-9)


def test_a_vote_is_that_for_the_predicted_label_unless_another_is_asked_for():
    X, _ = data()
    model = wk.SBSB(random_state=0).fit(X, X[:, 2].astype(int))
    own, other = model.explain(np.zeros(9), max_attributes=2), model.explain(np.zeros(9), label=1, max_attributes=2)
    assert (own.label, own.evidence_for, other.evidence_for) == (0, 0, 1)
    assert own.vote == pytest.approx(1 - other.vote)
    assert own.vote > 0.5
    assert [v.says for v in own.votes] == pytest.approx([1 - v.says for v in other.votes])


def test_the_heaviest_hypothesis_is_the_target_and_is_named():
    X, y = data()
    y = X[:, 2].astype(int)
    names = [f"word {i}" for i in range(9)]
    for learner in (wk.SBSB(random_state=0), wk.SASB(random_state=0), wk.DirectBayes(k=2)):
        found = learner.fit(X, y).explain([0, 0, 1, 0, 0, 0, 0, 0, 0], max_attributes=1, names=names)
        assert found.votes[0].hypothesis.startswith('"word 2"')
        assert found.votes[0].says > 0.8
        head, first, others = str(found).split("\n")
        assert head.startswith("predicted 1; the weighted vote for 1 is ")
        assert "for 1" in first
        assert " other " in others
        assert "<table" in found._repr_html_()


def test_every_disjunction_is_named_once_and_errs_as_often_as_it_says():
    """The twin lists all disjunctions and counts their errors."""
    X, y = data(n=5)
    for negations, k in ((False, 3), (True, 2)):
        model = wk.DirectBayes(k=k, negations=negations, noise=0.25, shuffle=False).partial_fit(X, y, classes=[0, 1])
        literals = np.hstack([X, 1 - X]) if negations else X
        names = [f"x{i}" for i in range(5)] + [f"not x{i}" for i in range(5)]
        errors = {
            " or ".join(names[v] for v in some): int(np.sum(literals[:, some].any(axis=1) != y))
            for size in range(1, k + 1)
            for some in map(list, combinations(range(literals.shape[1]), size))
        }
        total = sum(3.0**-e for e in errors.values())
        found = model.explain(X[0], max_attributes=10_000).votes
        assert {v.hypothesis: pytest.approx(v.share) for v in found} == {
            name: 3.0**-e / total for name, e in errors.items()
        }


def test_directed_drift_adds_up():
    rng = np.random.default_rng(0)
    X = rng.choice([0.0, 1.0], (300, 21))
    y = ((2 * X - 1) @ rng.choice([-1.0, 1.0], 21) > 0).astype(int)
    for negations in (False, True):
        model = wk.DirectedDrift(mode="online", negations=negations, random_state=0).fit(X, y)
        found = model.explain(X[0])
        assert found.decision == pytest.approx(model.decision_function(X[:1])[0], abs=1e-6)
        assert sum(c.amount for c in found.contributions) == found.decision
        assert "without any attribute" in str(found)


def test_a_vote_of_several_hypotheses_has_no_single_explanation():
    X, y = data()
    with pytest.raises(TypeError, match="voting=0"):
        wk.SBSB(voting=3).fit(X, y).explain(X[0])
