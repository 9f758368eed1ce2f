"""Committee keeps its bound, whatever the labels are: adversaries, several classes, several passes, sharing."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import winnowkit as wk
from winnowkit import bounds
from winnowkit.data import streams
from winnowkit.linear.voting import BETA

WORLDS = st.fixed_dictionaries(
    {
        "n": st.sampled_from([1, 3, 70]),
        "n_classes": st.integers(2, 4),
        "share": st.sampled_from([0.0, 0.01, 0.3]),
        "hostile": st.floats(0, 1),  # how often the label is not the one predicted
        "rows": st.integers(1, 120),
        "seed": st.integers(0, 2**32 - 1),
    }
)


def adversarial(model, n, n_classes, hostile, rows, seed):
    """Labels that the committee does not predict, mostly; returns the rows and the labels."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (rows, n)) * rng.choice([1.0, 0.5], (rows, n))
    labels = []
    for x in X:
        predicted = int(model.predict_one(x))
        label = (predicted + int(rng.integers(1, n_classes))) % n_classes if rng.random() < hostile else predicted
        model.learn_one(x, label)
        labels.append(label)
    return X, np.array(labels)


def assert_kept(model):
    """Against each voter that was counted, not only the best one."""
    mix = model._learner.mix
    assert model.certificate().kept
    assert model.certificate().bound < math.inf
    n_experts = len(mix.votes) - 1
    for voter, made in enumerate(mix.label_mistakes.tolist()):
        inverse_prior = 2 if voter == n_experts else 2 * n_experts
        lost = math.log(inverse_prior) + made * math.log(1 / BETA)
        lost += (model.n_trials_ - 1) * math.log(1 / (1 - model.share))
        assert model.n_mistakes_ <= lost / math.log(2 / (1 + BETA)) + 1e-9


@settings(max_examples=40, deadline=None)
@given(world=WORLDS)
def test_an_adversary_cannot_break_the_bound(world):
    model = wk.Committee(share=world.pop("share")).begin(world["n"], range(world["n_classes"]))
    adversarial(model, **world)
    assert_kept(model)


@settings(max_examples=15, deadline=None)
@given(world=WORLDS, max_epochs=st.integers(1, 4))
def test_several_passes_keep_it_and_so_does_going_on(world, max_epochs):
    share = world.pop("share")
    enemy = wk.Committee(share=share).begin(world["n"], range(world["n_classes"]))
    X, y = adversarial(enemy, **world)
    if len(np.unique(y)) < 2:
        return
    model = wk.Committee(share=share, max_epochs=max_epochs, random_state=0).fit(X, y)
    assert_kept(model)
    model.partial_fit(X, y)
    assert_kept(model)


def test_the_vote_is_what_keeps_the_bound():
    """The control: a mix that nobody may outvote errs more often than the bound of the best expert allows.

    Each expert in turn is right while the mix is made to say the opposite.
    """
    X, y = streams.disjunction(n=30, k=2, active=6, seed=0).take(800)
    model, wrong = wk.Committee().begin(30, [0, 1]), 0
    for x, label in zip(X.toarray(), y, strict=True):
        model._learner.mix.weights[:] = -5.0  # against all experts
        wrong += model.learn_one(x, label) != label
    assert model._learner.mix.label_mistakes[-1] > 400
    assert_kept(model)
    assert wrong < 100


def test_certificates_say_what_they_assume():
    X, y = streams.disjunction(n=100, k=3, active=15, label_noise=0.1, seed=1).take(2000)
    model = wk.Committee(shuffle=False).fit(X, y)
    certificate = model.certificate()
    mistakes = model._learner.mix.label_mistakes.min()
    assert certificate.mistakes == model.n_mistakes_
    known = (
        r"mistakes; at most \d+ were possible, whatever the rows are, as the best of its voters, .*, made \d+ \(Litt"
    )
    assert re.search(known, str(certificate))
    assert certificate.bound <= bounds.weighted_majority(BETA, 20, int(mistakes))
    assumed = model.certificate(mistakes=5)
    assert assumed.bound == bounds.weighted_majority(BETA, 20, 5)
    assert not assumed.kept
    assert "such that a voter makes at most 5 mistakes, which it is not" in str(assumed)
    with pytest.raises(ValueError, match="changes need share > 0"):
        model.certificate(changes=2)


def test_certificates_of_a_target_that_changes():
    X, y = streams.disjunction(n=1000, k=5, drift_every=2000, seed=0).take(8000)
    model = wk.Committee(share=0.01, shuffle=False).fit(X, y)
    single = model.certificate()
    assert single.kept
    assert "Herbster & Warmuth 1998" in str(single)
    assert single.bound < model.certificate(changes=3).bound  # a change costs something, if nothing else is known
    followed = model.certificate(changes=3, mistakes=60)
    assert followed.bound == bounds.fixed_share(BETA, 0.01, 20, 8000, 3, 60)
    assert "a sequence of voters with 3 changes makes at most 60 mistakes" in str(followed)
    for bad in (-1, 0.5):
        with pytest.raises(ValueError, match="changes must be an integer >= 0"):
            model.certificate(changes=bad)


@settings(max_examples=60, deadline=None)
@given(
    share=st.sampled_from([0.001, 0.05, 0.5]),
    beta=st.sampled_from([0.1, 0.5, 0.9]),
    seed=st.integers(0, 2**32 - 1),
    changes=st.integers(0, 5),
    n_experts=st.integers(2, 6),
)
def test_fixed_share_keeps_its_bound_against_any_sequence(share, beta, seed, changes, n_experts):
    """Weighted Majority in plain Python, against the best sequence of voters with so many changes."""
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.ones(n_experts)) * 0.5 + 0.5 / n_experts
    said = rng.integers(0, 2, (80, n_experts))
    weights, mistakes = prior.copy(), 0
    fewest = np.zeros((changes + 1, n_experts))  # of sequences that end with this voter after so many changes
    for t, votes in enumerate(said):
        label = int(weights[votes == 1].sum() <= weights[votes == 0].sum())  # never what the vote says
        mistakes += 1
        wrong = votes != label
        if t:
            change = np.vstack([np.full(n_experts, np.inf), np.repeat(fewest.min(axis=1)[:-1, None], n_experts, 1)])
            fewest = np.minimum(fewest, change)
        fewest = fewest + wrong
        weights[wrong] *= beta
        weights = (1 - share) * weights + share * weights.sum() * prior
    bound = bounds.fixed_share(beta, share, 1 / prior.min(), 80, changes, float(fewest[changes].min()))
    assert mistakes <= bound + 1e-9
