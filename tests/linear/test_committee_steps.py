"""Single steps of a committee, where they change: at margins, at limits of sums, and where blocks and tiles end."""

import numpy as np
import pytest
from scipy import sparse

import winnowkit as wk
from naive_committee import LIMIT, NaiveCommittee
from winnowkit.core.csr import Trials
from winnowkit.core.growing import one_row
from winnowkit.linear.committee_learner import CommitteeLearner
from winnowkit.linear.family import (
    COIN,
    COIN_G,
    COIN_L,
    COIN_T,
    FULL_AROW,
    G_GRADIENT,
    G_HYPENTROPY,
    N_BEGS,
    N_EXPERTS,
    W_GRADIENT,
    W_HYPENTROPY,
)
from winnowkit.linear.family_lanes import first_lane
from winnowkit.linear.mixing import new_mix, slot_of
from winnowkit.linear.plain_lanes import WIDTH
from winnowkit.linear.voting import let_rest


def line(x):
    return wk.Committee()._rows(sparse.csr_array(np.asarray(x, dtype=float)[None]))


@pytest.mark.parametrize("n_learners", [1, 3])
def test_sums_of_a_coin_are_halved_at_their_limit(n_learners):
    """Its weight, which their quotient makes, stays; the next outcomes count for twice as much beside them."""
    learner = CommitteeLearner.begin(2, n_learners)
    records = learner.family.records
    records[:, COIN_T], records[:, COIN_G], records[:, COIN_L] = LIMIT / 4, LIMIT, 1.0
    learner.learn(Trials(line([1.0, 0.0]), np.array([1])))
    for place in (0, 1):  # the bias, and the attribute that is active
        assert (records[place, COIN_G, :n_learners] == (LIMIT + 1) / 2).all()
        signs = [1] if n_learners == 1 else [-1, 1, -1]
        assert records[place, COIN_T, :n_learners].tolist() == [(LIMIT / 4 + sign) / 2 for sign in signs]
    assert (records[2, COIN_G, :n_learners] == LIMIT).all()
    np.testing.assert_allclose(learner._rooms[1].scores[COIN], 0.5, rtol=1e-5)
    records[:, COIN_G] = LIMIT - 1
    learner.learn(Trials(line([1.0, 0.0]), np.array([1])))
    assert (records[:2, COIN_G, :n_learners] == LIMIT).all()  # not beyond it


@pytest.mark.parametrize("n_learners", [1, 3])
@pytest.mark.parametrize("weight", [-2.0, -0.5, 0.5, 2.0])
def test_sums_of_squares_are_those_of_the_squared_loss(n_learners, weight):
    """For the adaptive gradient those of its score cut at 1."""
    learner = CommitteeLearner.begin(2, n_learners)
    learner.family.records[1, [W_GRADIENT, W_HYPENTROPY]] = weight
    learner.learn(Trials(line([1.0, 0.0]), np.array([1])))
    signs = np.array([1.0] if n_learners == 1 else [-1.0, 1.0, -1.0])
    asked = signs * weight < 1.0
    expected = np.where(asked, 4.0 * (np.clip(weight, -1.0, 1.0) - signs) ** 2, 0.0)
    np.testing.assert_allclose(learner.family.records[1, G_GRADIENT, :n_learners], expected, rtol=1e-6)
    expected = np.where(asked, (2.0 * (weight - signs)) ** 2, 0.0)
    np.testing.assert_allclose(learner.family.records[1, G_HYPENTROPY, :n_learners], expected, rtol=1e-6)


@pytest.mark.parametrize("n_learners", [1, 3])
def test_a_value_too_small_to_be_told_from_0_is_none(n_learners):
    """Divided by the largest of its column it is 0, and no disjunction learns from it."""
    learner = CommitteeLearner.begin(2, n_learners)
    learner.learn(Trials(line([1e300, 1.0]), np.array([1])))
    before = learner.family.records[1:, :N_BEGS, :n_learners].copy()
    for label in (0, 1, 0):
        learner.learn(Trials(line([1e-300, 1.0]), np.array([label])))
    after = learner.family.records[1:, :N_BEGS, :n_learners]
    assert np.array_equal(after[0], before[0])
    assert (after[1] != before[1]).any()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_mistakes_are_counted_for_experts_that_do_not_rest(n_classes):
    rng = np.random.default_rng(1)
    n_learners = 1 if n_classes == 2 else n_classes
    learner, twin = CommitteeLearner.begin(6, n_learners), NaiveCommittee(6, n_classes)
    for resting in (learner.mix.resting, twin.resting):
        resting[0, 3:6] = True
        resting[-1, 5:8] = True
    for _ in range(10):
        x, label = rng.normal(size=6), rng.integers(n_classes)
        learner.learn(Trials(line(x), np.array([label])))
        twin.learn(x, label)
    np.testing.assert_array_equal(learner.mix.mistakes, twin.mistakes)
    assert (learner.mix.mistakes > 0).sum() >= 3 * n_learners
    assert not learner.mix.mistakes[learner.mix.resting].any()


@pytest.mark.parametrize("n_learners", [1, 3])
def test_disjunctions_on_their_margin_learn_nothing(n_learners):
    """In 25 attributes 19 fresh weights of 1/25 have a score of 0.9, which is the margin of the last two BEGs."""
    for n_active, learn in ((19, False), (18, True)):
        learner = CommitteeLearner.begin(25, n_learners)
        learner.trial_active(np.arange(n_active), 1)
        own = 0 if n_learners == 1 else 1  # the learner of the label
        assert (learner.family.records[1:, 2:N_BEGS, own] != 1.0).any() == learn


@pytest.mark.parametrize("n_classes", [2, 3])
def test_experts_at_rest_make_no_updates(n_classes):
    model = wk.Committee().begin(3, range(n_classes)).partial_fit(np.eye(3), [0, 1, 1])
    updates, trials = model.n_updates_.copy(), model.n_trials_
    assert updates.all()
    model._learner.mix.resting[:] = True
    model.partial_fit(np.eye(3), [0, 1, 1])
    assert model.n_trials_ == trials + 3
    assert np.array_equal(model.n_updates_, updates)


@pytest.mark.parametrize("n_lanes", [3, 8, 9, 16, 17, 19, 25])
def test_each_learner_has_the_slot_of_its_lane(n_lanes):
    """Eight slots stand for eight neighbouring lanes; the last ones may stand for lanes of the block before."""
    slots = [slot_of(k, max(WIDTH, n_lanes)) for k in range(n_lanes)]
    assert len(set(slots)) == n_lanes
    for k, slot in enumerate(slots):
        begin = slot // WIDTH * WIDTH
        assert first_lane(begin, max(WIDTH, n_lanes)) + slot - begin == k


@pytest.mark.parametrize(("n_learners", "most"), [(1, 51), (3, 60)])
def test_experts_rest_beyond_40_mistakes_and_a_tenth_or_all_of_the_best(n_learners, most):
    mix = new_mix(n_learners, N_BEGS, N_EXPERTS, 0.0)
    mix.mistakes[:] = 10
    mix.mistakes[:, 1], mix.mistakes[:, 2] = most, most + 1
    let_rest(mix)
    assert np.flatnonzero(mix.resting.all(axis=0)).tolist() == np.flatnonzero(mix.resting.any(axis=0)).tolist() == [2]
    mix.mistakes[:] = np.where(mix.resting, 0, 70)
    let_rest(mix)  # who is at rest is no longer the best
    assert mix.resting.any(axis=0).sum() == 1


def test_many_active_attributes_of_several_classes_score_as_the_naive_ones():
    """More of them than a tile has."""
    rng = np.random.default_rng(0)
    learner, twin = CommitteeLearner.begin(70, 3), NaiveCommittee(70, 3)
    for label in (0, 1, 2, 1):
        x = rng.normal(size=70)
        learner.learn(Trials(line(x), np.array([label])))
        twin.learn(x, label)
        np.testing.assert_allclose(learner._rooms[1].scores.T, twin.scores, rtol=2e-5, atol=2e-5)
    assert len(np.unique(twin.scores[:, :N_BEGS])) > N_BEGS


@pytest.mark.parametrize("n_classes", [2, 3, 9])
def test_a_row_is_not_learned_from_again_with_the_next(n_classes):
    """A row of seven attributes and the bias fill a block of eight places; behind it are those of a longer row."""
    rng = np.random.default_rng(0)
    long, short = rng.random(20) + 0.1, (rng.random(20) + 0.1) * (np.arange(20) < 7)
    together = wk.Committee().begin(20, range(n_classes)).partial_fit([long], [0])
    room_of_its_own = wk.Committee().begin(20, range(n_classes)).partial_fit([long], [0])
    room_of_its_own._learner._rooms = None
    for model in (together, room_of_its_own):
        model.partial_fit([short], [1])
    for name, array in together._learner.arrays().items():
        assert np.array_equal(array, room_of_its_own._learner.arrays()[name]), name


@pytest.mark.parametrize("n_features", [64, 65])
def test_what_a_committee_foresees_is_what_growing_gives(n_features):
    """Beyond 64 attributes the expert with a whole matrix is left out, which has learned here."""
    rng = np.random.default_rng(0)
    learner = CommitteeLearner.begin(10, 1)
    for label in (0, 1, 1, 0, 1):
        learner.trial_active(np.flatnonzero(rng.random(10) < 0.5), label)
    assert learner.family.full_weights.any()
    indices = np.array([0, 3, n_features - 1])
    foreseen = learner.foresee(indices, None, n_features, ranking=False)
    before = learner.mix.weights[-2]
    learner.grow(n_features)
    found = learner.decide(one_row(indices, None, None), 0, 1)[0]
    assert foreseen == pytest.approx(found, rel=1e-6)
    assert before != 0.0
    assert learner.mix.resting[0, FULL_AROW] == (n_features == 65)
