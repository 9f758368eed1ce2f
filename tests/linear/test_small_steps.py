"""Small steps of the kernels of linear learners, each against what it says it is."""

import math
import pickle

import numpy as np
import pytest
from scipy import sparse

import winnowkit as wk
from naive_committee import NaiveCommittee
from winnowkit.core.csr import NOT_FINITE, BadRowsError, Rows, Trials
from winnowkit.linear.committee_learner import CommitteeLearner
from winnowkit.linear.family import N_EXPERTS
from winnowkit.linear.mixing import new_limits, new_room, softmax
from winnowkit.linear.rule import LinearRule, Prediction, Update
from winnowkit.linear.state import begun_state, parameters_of
from winnowkit.linear.steps import cosh_and_sinh
from winnowkit.linear.weights import FRESH, TOTAL, Link, contribution, is_complement, is_negative

X = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1], [0, 1, 1, 0]])
Y = np.array([1, 0, 1, 2, 2, 0])


def parameters(negations=False, link=Link.WEIGHT, **update):
    rule = LinearRule(Prediction(theta=2.0, link=link), Update(up=2.0, down=2.0, **update))
    return parameters_of([rule], negations)[0]


@pytest.mark.parametrize("d", [-0.5, -0.37, 0.0, 0.25, 0.5])
def test_hyperbolic_functions_are_right_to_1e_12(d):
    cosh, sinh = cosh_and_sinh(d)
    assert abs(cosh - math.cosh(d)) < 1e-12
    assert abs(sinh - math.sinh(d)) < 1e-12


def test_which_weights_count_against_class_1_and_which_are_of_complements():
    assert [bool(is_negative(parameters(balanced=True), block)) for block in range(4)] == [False, True, False, True]
    assert not any(is_negative(parameters(), block) for block in range(4))
    both = parameters(balanced=True, negations=True)
    assert [bool(is_complement(both, block, 4)) for block in range(4)] == [False, False, True, True]
    assert [bool(is_complement(parameters(negations=True), block, 2)) for block in range(2)] == [False, True]
    assert not any(is_complement(parameters(balanced=True), block, 2) for block in range(2))


def test_what_a_weight_far_down_adds():
    weight = parameters(link=Link.PROBABILITY, initial=0.25)
    assert contribution(weight, -599.5) > 0.0
    assert contribution(weight, -600.5) == 0.0
    assert contribution(weight, 0.0) == pytest.approx(0.25)
    assert contribution(weight, 700.0) == 1.0


def test_a_balanced_learner_begins_with_two_and_one():
    rule = LinearRule(Prediction(theta=2.0), Update(up=2.0, down=2.0, balanced=True))
    state = begun_state([rule], 1, 3, negations=True)
    assert state.weights.tolist() == [[[2.0] * 3, [1.0] * 3, [2.0] * 3, [1.0] * 3]]
    assert state.totals[0, FRESH:].tolist() == [2.0, 1.0, 2.0, 1.0]
    assert state.coef.tolist() == [[0.0, 0.0, 0.0]]  # 2 - 1 for the attribute, and as much for its complement


@pytest.mark.parametrize(
    "name", ["Winnow2", "BalancedWinnow", "BayesBEG", "NormalizedWinnow", "Elimination", "Committee", "AROW", "SBSB"]
)
def test_counts_are_those_of_single_trials(name):
    """However examples are shown, so many labels were wrong, and so many learners asked for an update."""
    whole = getattr(wk, name)(random_state=0).begin(4, [0, 1, 2])
    single, active = pickle.loads(pickle.dumps(whole)), pickle.loads(pickle.dumps(whole))
    predicted = whole.partial_fit_predict(X, Y)
    assert [single.learn_one(x, y) for x, y in zip(X, Y, strict=True)] == predicted.tolist()
    assert [active.learn_active(np.flatnonzero(x), y) for x, y in zip(X, Y, strict=True)] == predicted.tolist()
    assert whole.n_mistakes_ == np.sum(predicted != Y)
    for other in (single, active):
        assert np.array_equal(other._learner.counts, whole._learner.counts)
        assert np.array_equal(other.decision_function(X), whole.decision_function(X))


def test_each_winnow_is_updated_on_its_own_mistakes():
    model = wk.Winnow2(alpha=2.0, theta=2.0, average=False).begin(4, [0, 1, 2])
    weights, updates = np.ones((3, 4)), np.zeros(3, dtype=int)
    for x, y in zip(X, Y, strict=True):
        for k in range(3):
            said, right = weights[k] @ x >= 2.0, y == k
            if said != right:
                weights[k, x == 1] *= 2.0 if right else 0.5
                updates[k] += 1
        model.learn_one(x, y)
    np.testing.assert_allclose(model.coef_, weights)
    assert model.n_updates_.tolist() == updates.tolist()


def test_a_fraction_of_an_example_is_a_power_of_the_factor():
    model = wk.Winnow2(alpha=2.0, theta=4.0, average=False).begin(4, [0, 1])
    model.partial_fit([[1, 1, 0, 0]], [1], sample_weight=[0.5])
    np.testing.assert_allclose(model.coef_, [[2**0.5, 2**0.5, 1.0, 1.0]])
    model.partial_fit([[1, 0, 1, 0]], [1], sample_weight=[2.25])  # predicted rightly from the second one on
    np.testing.assert_allclose(model.coef_, [[2**0.5 * 2.0, 2**0.5, 2.0, 1.0]])


def test_a_score_of_0_is_on_the_side_of_0():
    """A tie of a rule that predicts 1 above theta alone is a mistake of its learner iff the label is 1."""
    for label in (0, 1):
        model = wk.Elimination().begin(2, [0, 1])
        assert model.learn_active(np.array([], dtype=np.int64), label) == 0
        assert model._learner.counts[1, 1] == model.n_mistakes_ == label


@pytest.mark.parametrize("label", [0, 1])
def test_before_the_first_trial_members_say_0(label):
    model = wk.Committee(members=[wk.AROW(), wk.CoinBetting()]).begin(2, [0, 1])
    assert model.learn_one([1.0, 0.0], label) == 0
    assert model._learner.counts[1:, 1].tolist() == [label]


@pytest.mark.parametrize("awake", range(N_EXPERTS))
def test_an_expert_that_is_alone_awake_scores_as_the_naive_one(awake):
    rng = np.random.default_rng(awake)
    rows, labels = rng.random((8, 5)) * (rng.random((8, 5)) < 0.7), rng.integers(0, 2, 8)
    learner, twin = CommitteeLearner.begin(5, 1, 0.0), NaiveCommittee(5, 2, 0.0)
    for resting in (learner.mix.resting, twin.resting):
        resting[:] = True
        resting[:, awake] = False
    for x, label in zip(rows, labels, strict=True):
        line = wk.Committee()._rows(sparse.csr_array(x[None]))
        learner.learn(Trials(line, np.array([label])))
        twin.learn(x, label, 1.0)
        np.testing.assert_allclose(learner._rooms[1].scores.T, twin.scores, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", ["AROW", "CoinBetting", "AdaptiveWinnow", "Committee"])
def test_a_short_row_after_a_long_one_is_as_if_alone(name):
    rng = np.random.default_rng(0)
    rows = rng.random((4, 40)) * (np.arange(40) < np.array([40, 19, 7, 1])[:, None])
    model = getattr(wk, name)().begin(40, [0, 1]).partial_fit(rows, [1, 0, 1, 0])
    together = model.decision_function(rows)
    assert [pickle.loads(pickle.dumps(model)).decision_function(row[None])[0] for row in rows] == together.tolist()
    alone = [pickle.loads(pickle.dumps(model)) for _ in range(2)]
    alone[0].learn_one(rows[0], 1)
    alone[0].learn_one(rows[3], 0)
    alone[1].learn_one(rows[0], 1)
    pickle.loads(pickle.dumps(alone[1])).learn_one(rows[1], 1)
    fresh = pickle.loads(pickle.dumps(alone[1]))  # has seen no long row in this process
    fresh.learn_one(rows[3], 0)
    assert np.array_equal(fresh.decision_function(rows), alone[0].decision_function(rows))


@pytest.mark.parametrize("margin", [0.0, 1.0, 2.5])
def test_a_prediction_before_a_trial_changes_nothing(margin):
    """With a margin, an example that is predicted rightly may be learned from, too."""
    asked, plain = (wk.BalancedWinnow(margin=margin, average=False).begin(4, [0, 1]) for _ in range(2))
    for x, y in zip(np.tile(X, (3, 1)), np.tile(Y > 0, 3).astype(int), strict=True):
        active = np.flatnonzero(x)
        said = asked.predict_active(active)
        assert asked.learn_active(active, y) == plain.learn_active(active, y) == said
    assert np.array_equal(asked.coef_, plain.coef_)
    assert asked.n_updates_.tolist() == plain.n_updates_.tolist()


@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_what_was_predicted_rightly_is_learned_from_inside_the_margin(margin):
    """A learner that grows may be asked first, as river does, and remembers what it said."""
    asked, plain = (wk.BalancedWinnow(theta=3.5, margin=margin)._begin_growing(4, 1) for _ in range(2))
    for active, label, updates in ([0, 1, 2, 3], 1, margin > 0.5), ([3], 0, False):
        indices, before = np.array(active), asked.counts[1, 0]
        said = asked.predict_active(indices, 4)
        assert asked.trial_active(indices, label) == plain.trial_active(np.array(active), label) == said == label
        assert asked.counts[1, 0] - before == updates
        assert np.array_equal(asked.coef, plain.coef)
        assert np.array_equal(asked.counts, plain.counts)


def test_a_committee_that_grows_keeps_what_it_knows():
    model = wk.Committee().begin(4, [0, 1]).partial_fit(X, np.minimum(Y, 1))
    learner = model._learner
    before = {name: array.copy() for name, array in learner.arrays().items()}
    learner.grow(6)
    after = learner.arrays()
    assert np.array_equal(after["records"][:5], before["records"])
    assert np.array_equal(after["full_covariance"][:, :5, :5], before["full_covariance"])
    assert (np.diagonal(before["full_covariance"][0]) < 1.0).all()  # all of it was learned from
    assert np.array_equal(after["full_covariance"][0, 5:], np.eye(7)[5:])


def test_a_committee_that_grows_knows_nothing_of_new_attributes():
    grown, whole = CommitteeLearner.begin(3, 1, 0.0), CommitteeLearner.begin(5, 1, 0.0)
    grown.grow(5)
    assert grown.n_features == 5
    for name, array in whole.arrays().items():
        assert np.array_equal(grown.arrays()[name], array), name


@pytest.mark.parametrize("n_learners", [1, 3])
@pytest.mark.parametrize(
    "make",
    [wk.Winnow2, wk.NormalizedWinnow, wk.BayesBEG, lambda **how: wk.BalancedWinnow(margin=0.5, **how)],
    ids=["winnow", "normalized", "bayes", "balanced"],
)
@pytest.mark.parametrize("negations", [False, True])
def test_what_is_foreseen_is_what_growing_gives(make, negations, n_learners):
    learner = make(negations=negations)._begin_growing(4, n_learners)
    for x, y in zip(X, Y, strict=True):
        learner.trial_active(np.flatnonzero(x), min(y, 1) if n_learners == 1 else y)
    indices = np.array([0, 2, 5])
    foreseen = learner.foresee(indices, None, 6, ranking=False)
    predicted = learner.predict_active(indices, 6)
    learner.grow(6)
    decided = learner.decide(Rows(np.ones(3), indices, np.array([0, 3]), None), 0, 1)[0]
    np.testing.assert_allclose(foreseen, decided, rtol=1e-12, atol=1e-12)
    assert predicted == learner.predict_active(indices, 6)


@pytest.mark.parametrize("make", [wk.Winnow2, wk.NormalizedWinnow, wk.ThresholdedBEG, wk.BayesBEG, wk.BalancedWinnow])
@pytest.mark.parametrize("negations", [False, True])
def test_who_has_grown_before_learning_is_as_if_begun_with_all_attributes(make, negations):
    grown, whole = (make(negations=negations)._begin_growing(n, 1) for n in (3, 7))
    grown.grow(7)
    np.testing.assert_allclose(grown.coef, whole.coef, rtol=1e-12)
    np.testing.assert_allclose(grown.intercept, whole.intercept, rtol=1e-12)


@pytest.mark.parametrize(
    "make", [lambda **how: wk.NormalizedWinnow(policy="always", **how), wk.BalancedWinnow, wk.Winnow2]
)
@pytest.mark.parametrize("alpha", [2.0, 2.0**60])  # with the larger one shares of a sum are brought back from 2^100
@pytest.mark.parametrize("negations", [False, True])
def test_a_new_attribute_is_one_that_has_been_0_so_far(make, alpha, negations):
    learner = make(alpha=alpha, negations=negations)._begin_growing(3, 1)
    for indices, label in (([0], 1), ([0, 1], 1), ([0], 1), ([1], 1), ([0], 0), ([0, 1], 0), ([0], 1)):
        learner.trial_active(np.array(indices), label)
    if learner.state.parameters["normalized"].all():
        assert learner.counts[1, 0] == 7
        assert learner.state.totals[0, TOTAL] < 2.0**100  # four promotions by 2^60 are more
    weights = learner.state.weights.copy()
    learner.grow(4)
    assert np.array_equal(learner.state.weights[:, :, 3], weights[:, :, 2])
    assert np.array_equal(learner.coef[:, 3], learner.coef[:, 2])


def test_the_matrix_of_the_mean_is_the_mean_of_the_matrices():
    first, second = CommitteeLearner.begin(4, 1, 0.0), CommitteeLearner.begin(4, 1, 0.0)
    for learner, order in ((first, slice(None)), (second, slice(None, None, -1))):
        for x, y in zip(X[order], np.minimum(Y, 1)[order], strict=True):
            learner.trial_active(np.flatnonzero(x), y)
    one, other = first.family.full_covariance.copy(), second.family.full_covariance.copy()
    first.fold(second, 0.25, slice(0, 1))
    np.testing.assert_allclose(first.family.full_covariance, 0.75 * one + 0.25 * other, rtol=1e-12)
    assert not np.allclose(one, other)


def test_a_weight_that_is_divided_very_often_does_not_vanish():
    """Whatever the factor, it stays above 0, so that promotions can bring it back."""
    model = wk.Winnow2(alpha=1e200, theta=1.0).begin(2, [0, 1])
    model.learn_one([1, 0], 0)
    for _ in range(3):
        model._learner.state.parameters["theta"] = 1e-250  # so that every example with the label 0 is a mistake
        model.learn_one([1, 0], 0)
    assert model.coef_[0, 0] == 2.0**-500
    model._learner.state.parameters["theta"] = 1.0
    model.learn_one([1, 0], 1)
    assert model.coef_[0, 0] == 2.0**-500 * 1e200


def test_scores_of_a_rule_without_a_threshold_are_compared_as_they_are():
    """Elimination has theta = 0, which is no unit."""
    model = wk.Elimination().begin(4, [0, 1, 2]).partial_fit(X[:2], Y[:2])
    rows = Rows(np.ones(2), np.array([0, 3], dtype=np.int32), np.array([0, 2], dtype=np.int32), None)
    ranks = model._learner.rank(rows, 0, 1)
    assert np.array_equal(ranks, model._learner.decide(rows, 0, 1))
    assert ranks.any()


def test_members_count_all_their_updates():
    model = wk.Committee(members=[wk.Winnow2(), wk.AROW()]).begin(4, [0, 1, 2]).partial_fit(X, Y)
    alone = [wk.Winnow2().begin(4, [0, 1, 2]).partial_fit(X, Y), wk.AROW().begin(4, [0, 1, 2]).partial_fit(X, Y)]
    assert model.n_updates_.tolist() == (alone[0].n_updates_ + alone[1].n_updates_).tolist()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_members_count_the_mistakes_of_their_mix(n_classes):
    """A learner errs if its log-odds are above 0 and the label is another one, or the other way round."""
    model = wk.Committee(members=[wk.Winnow2(), wk.AROW()]).begin(4, range(n_classes))
    wrong, close = np.zeros(1 if n_classes == 2 else n_classes, dtype=int), 0
    for x, y in zip(np.tile(X, (3, 1)), np.minimum(np.tile(Y, 3), n_classes - 1), strict=True):
        model._learner.mix.votes[:-1] = 1e-9  # so that decisions are what the mix says
        decisions = np.atleast_1d(model.decision_function([x])[0])
        wrong += (decisions > 0.0) != (np.arange(n_classes)[-len(decisions) :] == y)
        close += ((decisions > 0.0) & (decisions < 1.0)).sum()
        model.learn_one(x, y)
    assert model._learner.counts[1:, 1].tolist() == wrong.tolist()
    assert close > 0


def test_trials_without_mistakes_are_not_forgotten_with_a_bad_batch():
    model = wk.Winnow2().begin(4, [0, 1])
    model.learn_one([0, 0, 0, 1], 0)
    assert (model.n_trials_, model.n_mistakes_) == (1, 0)
    indices, indptr = np.array([0, 1, 2, 3, 0], dtype=np.int32), np.array([0, 4, 5], dtype=np.int32)
    spoilt = Rows(np.array([1.0, 1.0, 1.0, 1.0, math.nan]), indices, indptr, None)
    with pytest.raises(BadRowsError, match=f"^{NOT_FINITE}$"):
        model._learner.learn(Trials(spoilt, np.array([0, 0])))
    assert (model.n_trials_, model.n_mistakes_) == (1, 0)
    assert model.coef_.tolist() == [[1.0, 1.0, 1.0, 1.0]]


@pytest.mark.parametrize("name", ["AROW", "CoinBetting", "AdaptiveWinnow", "Committee", "Winnow2"])
def test_a_prediction_of_an_example_with_new_attributes_is_that_after_growing(name):
    model = getattr(wk, name)()
    learner = model._begin_growing(4, 3)
    learner.learn(Trials(model._rows(X), Y))
    examples = [np.array(indices) for indices in ([0, 2, 5], [1, 4], [5], [0, 1, 2, 3])]
    before = [learner.predict_active(indices, 6) for indices in examples]
    learner.grow(6)
    assert before == [learner.predict_active(indices, 6) for indices in examples]
    assert min(before) >= 0
    assert len(set(before)) > 1


@pytest.mark.parametrize("name", ["Winnow2", "NormalizedWinnow", "BayesBEG", "AROW", "Committee"])
def test_a_class_that_is_new_is_as_if_nothing_was_learned_and_the_others_stay(name):
    model = getattr(wk, name)()
    learner, blank, rows = model._begin_growing(4, 3), model._begin_growing(4, 3), model._rows(X)
    learner.learn(Trials(rows, Y))
    changed = learner.with_learners([2, None, 0, 1])
    if name == "Committee":  # whose experts share what they know of the columns, and the mix
        found, of_blank, of_learned = (each.family.records for each in (changed, blank, learner))
        learners = -1
    else:
        found, of_blank, of_learned = (each.decide(rows, 0, len(X)) for each in (changed, blank, learner))
        learners = 1
    for place, source in enumerate([2, None, 0, 1]):
        expected = of_blank.take(0, learners) if source is None else of_learned.take(source, learners)
        np.testing.assert_allclose(found.take(place, learners), expected, rtol=1e-12)
    assert changed.counts[1:].tolist() == [learner.counts[3].tolist(), [0, 0], *learner.counts[1:3].tolist()]


def test_probabilities_of_large_log_odds_are_finite():
    room = new_room(3, new_limits(0, 1))
    room.log_odds[:] = [900.0, 899.0, -900.0]
    softmax(room)
    np.testing.assert_allclose(room.probabilities, [1 / (1 + math.exp(-1)), 1 / (1 + math.e), 0.0], atol=1e-15)


@pytest.mark.parametrize("classes", [[0, 1], [0, 1, 2]])
@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("place", [0, 3])
def test_a_value_that_is_no_number_is_refused_and_nothing_learned(classes, value, place):
    model = wk.Winnow2(binarize=None).begin(2, classes)
    values = np.full(4, 0.5)
    values[place] = value
    rows = Rows(values, np.array([0, 1, 0, 1]), np.array([0, 1, 2, 3, 4]), None)
    before = {name: array.copy() for name, array in model._learner.arrays().items()}
    with pytest.raises(BadRowsError, match=f"^{NOT_FINITE}$"):
        model._learner.learn(Trials(rows, np.array([1, 0, 1, 0])))
    assert all(np.array_equal(array, before[name]) for name, array in model._learner.arrays().items())
