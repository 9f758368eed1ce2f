"""Committee: the fused kernel does what its naive twin does, and a trial is a trial, however the rows arrive."""

import pickle
import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score

import winnowkit as wk
from naive_committee import NaiveCommittee
from winnowkit.core.csr import Trials
from winnowkit.core.multiclass import chosen
from winnowkit.data import streams
from winnowkit.linear import committee_kernel, committee_learner
from winnowkit.linear.committee_learner import CommitteeLearner
from winnowkit.linear.family import COIN, COIN_G, LIMIT, N_BEGS, N_EXPERTS
from winnowkit.linear.steps import coin_step

KINDS = ("real", "positive", "boolean", "wide", "very different columns")


def rows(kind, n_classes, size=300, seed=0):
    """Sparse rows of some kind with labels of a noisy linear target."""
    rng = np.random.default_rng(seed)
    n = 90 if kind == "wide" else 20  # above 64 attributes no expert has a whole matrix
    X = rng.standard_normal((size, n)) * (rng.random((size, n)) < 0.3)
    if kind == "positive":
        X = np.abs(X)
    elif kind == "boolean":
        X = (X != 0).astype(float)
    elif kind == "very different columns":
        X *= 10.0 ** rng.integers(-9, 9, n)
    target = rng.standard_normal((n, n_classes)) / (np.abs(X).max(axis=0)[:, None] + 1e-300)
    return X, (X @ target + 0.3 * rng.standard_normal((size, n_classes))).argmax(axis=1)


def state_of(model):
    return {name: array.tobytes() for name, array in model._learner.arrays().items()}


# --- the twin ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.02])
@pytest.mark.parametrize("n_classes", [2, 4, 11])
@pytest.mark.parametrize("kind", KINDS)
def test_each_trial_is_that_of_the_naive_twin(kind, n_classes, share):
    equals_its_twin(kind, n_classes, share)


@pytest.mark.parametrize("n_classes", [3, 9])  # in one set of lanes, and in two that overlap
@pytest.mark.parametrize(("kind", "share"), [("real", 0.02), ("boolean", 0.0)])
def test_the_first_trials_of_several_classes_are_those_of_the_naive_twin(kind, n_classes, share):
    """A few rows, so that the interpreter can run it in a second: without the JIT, too, it notices what changes."""
    equals_its_twin(kind, n_classes, share, size=20)


def equals_its_twin(kind, n_classes, share, size=300):
    """Records have 24 bits, so that scores agree to about 1e-6; labels may differ where log-odds are that small."""
    X, y = rows(kind, n_classes, size)
    weights = np.random.default_rng(1).choice([1.0, 1.0, 0.0, 0.3, 2.0, 1.7], len(y))
    learner = CommitteeLearner.begin(X.shape[1], 1 if n_classes == 2 else n_classes, share)
    twin = NaiveCommittee(X.shape[1], n_classes, share)
    for x, label, weight in zip(X, y, weights, strict=True):
        line = wk.Committee()._rows(sparse.csr_array(x[None]))
        predicted = learner.learn(Trials(line, np.array([label]), weights=np.array([weight])))[0]
        expected = twin.learn(x, label, weight)
        if weight == 0:
            assert predicted == -1
            continue
        room = learner._rooms[1]
        np.testing.assert_array_equal(learner.mix.resting, twin.resting)
        np.testing.assert_allclose(room.scores.T, twin.scores, rtol=2e-5, atol=2e-5)
        np.testing.assert_allclose(room.log_odds, twin.log_odds, rtol=1e-4, atol=1e-4)
        assert predicted == expected or np.ptp(np.append(twin.log_odds, 0)) < 1e-4
    awake = np.append(~twin.resting.all(axis=0), n_classes == 2)
    np.testing.assert_allclose(learner.mix.weights[awake], twin.weights[awake], rtol=1e-3, atol=1e-3)
    # an expert that scores two classes alike may name either
    np.testing.assert_allclose(learner.mix.votes, twin.votes / twin.votes.max(), rtol=1e-2 if n_classes == 2 else 0.1)
    np.testing.assert_array_equal(learner.mix.label_mistakes[-1], twin.label_mistakes[-1])
    assert learner.counts[0].tolist() == [twin.n_trials, twin.n_mistakes]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_experts_far_behind_the_best_rest(n_classes):
    """Labels of a conjunction suit no BEG; the twin rests the same experts at the same trials."""
    X, y = rows("real", n_classes, size=1500)
    twin, model = NaiveCommittee(20, n_classes), wk.Committee().begin(20, range(n_classes))
    for x, label in zip(X, y, strict=True):
        twin.learn(x, label)
        model.learn_one(x, label)
    assert twin.resting.any()
    assert not twin.resting.all(axis=1).any()
    np.testing.assert_array_equal(model._learner.mix.resting, twin.resting)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_mistakes_of_experts_at_rest_are_counted_no_more(n_classes):
    X, y = rows("real", n_classes, size=1500)
    y[1400:] = np.random.default_rng(0).integers(n_classes, size=100)  # everybody errs while some are at rest
    twin, model = NaiveCommittee(20, n_classes), wk.Committee().begin(20, range(n_classes))
    for x, label in zip(X, y, strict=True):
        twin.learn(x, label)
        model.learn_one(x, label)
    asleep, mix = twin.resting.all(axis=0), model._learner.mix
    assert 0 < asleep.sum() < len(asleep)
    assert (model.expert_mistakes_[asleep] < mix.label_mistakes[:-1][asleep]).all()
    np.testing.assert_array_equal(model.expert_mistakes_[~asleep], mix.label_mistakes[:-1][~asleep])
    # an expert that scores two classes alike may name either
    np.testing.assert_allclose(model.expert_mistakes_, twin.awake_mistakes, atol=0 if n_classes == 2 else 5)
    one, two = (wk.Committee(max_epochs=passes, random_state=0).fit(X, y) for passes in (1, 2))
    np.testing.assert_array_equal(one.expert_mistakes_, two.expert_mistakes_)  # further passes predict nothing


# --- a trial is a trial -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_layouts_rows_and_pickles_do_not_matter(kind, n_classes):
    X, y = rows(kind, n_classes)
    at_once, in_parts, from_sparse, by_row = (wk.Committee() for _ in range(4))
    predicted = at_once.partial_fit_predict(X, y, classes=range(n_classes))
    parts = []
    for part in np.array_split(np.arange(len(y)), 9):
        parts.extend(in_parts.partial_fit_predict(X[part], y[part], classes=range(n_classes)))
        in_parts = pickle.loads(pickle.dumps(in_parts))
    csr = from_sparse.partial_fit_predict(sparse.csr_array(X), y, classes=range(n_classes))
    by_row.begin(X.shape[1], range(n_classes))
    singly = [by_row.learn_one(x, label) for x, label in zip(X, y, strict=True)]
    assert predicted.tolist() == parts == csr.tolist() == singly
    for other in (in_parts, from_sparse, by_row):
        assert state_of(other) == state_of(at_once)
        assert np.array_equal(other.decision_function(X), at_once.decision_function(X))
    assert [by_row.predict_one(x) for x in X[:40]] == at_once.predict(X[:40]).tolist()


def test_active_indices_are_rows_of_ones():
    X, y = rows("boolean", 3)
    rowwise, active = (wk.Committee().begin(20, range(3)) for _ in range(2))
    for x, label in zip(X, y, strict=True):
        assert active.predict_active(np.flatnonzero(x)) == rowwise.predict_one(x)
        assert active.learn_active(np.flatnonzero(x), label) == rowwise.learn_one(x, label)
    assert state_of(active) == state_of(rowwise)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_prediction_is_what_a_trial_predicts_first(n_classes):
    X, y = rows("real", n_classes)
    model = wk.Committee().begin(20, range(n_classes))
    for x, label in zip(X, y, strict=True):
        assert model.predict_one(x) == model.learn_one(x, label)


# --- weights ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3, 9])
def test_whole_weights_are_presentations_in_a_row(n_classes):
    X, y = rows("real", n_classes)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weighted, repeated = wk.Committee(), wk.Committee()
    weighted.partial_fit(X, y, classes=range(n_classes), sample_weight=weights)
    repeated.partial_fit(X.repeat(weights, axis=0), y.repeat(weights), classes=range(n_classes))
    assert state_of(weighted) == state_of(repeated)
    assert weighted.n_trials_ == weights.sum()


def test_fractions_are_between_whole_weights():
    """A label that is presented by a part moves the log-odds by more than by a smaller part."""
    X, y = rows("real", 2, size=100)
    model = wk.Committee().partial_fit(X[:99], y[:99], classes=[0, 1])
    wrong = 1 - model.predict(X[99:])
    moved = []
    for weight in (0.0, 0.01, 0.5, 0.9, 1.0, 1.3, 2.0):
        other = pickle.loads(pickle.dumps(model)).partial_fit(X[99:], wrong, sample_weight=[weight])
        moved.append(float((2 * wrong[0] - 1) * other.decision_function(X[99:])[0]))
    assert moved == sorted(moved)
    assert moved[0] == (2 * wrong[0] - 1) * model.decision_function(X[99:])[0]
    assert len(set(moved)) == len(moved)


def test_class_weights_are_sample_weights():
    X, y = rows("real", 3)
    given = wk.Committee(class_weight={0: 2, 1: 0.5, 2: 1}, random_state=0).fit(X, y)
    by_row = wk.Committee(random_state=0).fit(X, y, sample_weight=np.array([2, 0.5, 1])[y])
    assert state_of(given) == state_of(by_row)
    both = wk.Committee(class_weight={0: 2.0, 1: 1.0, 2: 1.0}).partial_fit(
        X, y, range(3), sample_weight=np.full(300, 2)
    )
    assert both.n_trials_ == 2 * (300 + (y == 0).sum())
    balanced = wk.Committee(class_weight="balanced", random_state=0).fit(X, y)
    expected = wk.Committee(random_state=0).fit(X, y, sample_weight=(300 / 3 / np.bincount(y))[y])
    assert state_of(balanced) == state_of(expected)
    with pytest.raises(ValueError, match="class_weight='balanced' needs all labels at once"):
        wk.Committee(class_weight="balanced").partial_fit(X, y, classes=range(3))


def test_negative_weights_are_refused():
    X, y = rows("real", 2)
    with pytest.raises(ValueError, match="sample_weight must be >= 0"):
        wk.Committee().fit(X, y, sample_weight=np.full(300, -1.0))


# --- passes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["real", "boolean", "wide"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_scores_of_the_mean_are_the_means_of_the_scores(kind, n_classes):
    X, y = rows(kind, n_classes)
    singles = [CommitteeLearner.begin(X.shape[1], 1 if n_classes == 2 else 3) for _ in range(3)]
    data = wk.Committee()._rows(X)
    for seed, learner in enumerate(singles):
        learner.learn(Trials(data, y, np.random.default_rng(seed).permutation(len(y))))

    def scores(learner):
        found = []
        for r in range(20):
            example, room = learner._new_rooms(X.shape[1])
            size = committee_kernel.load(learner.family.largest, data, r, False, example)
            committee_kernel.ask(learner.family, learner.mix, example, size, room)
            found.append(room.scores.T.copy())
        return np.array(found)

    for learner in singles:
        learner.mix.resting[:, : N_EXPERTS - 1] = False  # those at rest have scores of 0, and the same records
    expected = np.mean([scores(learner) for learner in singles], axis=0)
    mean = pickle.loads(pickle.dumps(singles[0]))
    for i, other in enumerate(singles[1:]):
        mean.fold(other, 1 / (i + 2), slice(0, mean.n_learners))
    found = scores(mean)
    coin = found[..., COIN], expected[..., COIN]
    np.testing.assert_allclose(*coin, rtol=0.05, atol=0.05)  # its weight also follows from the |z| of the example
    np.testing.assert_allclose(np.delete(found, COIN, -1), np.delete(expected, COIN, -1), rtol=1e-4, atol=1e-4)
    assert mean.counts[0, 0] == 300  # the counts and the mix are those of the first pass
    assert mean.mix.weights.tobytes() == singles[0].mix.weights.tobytes()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_who_rests_is_decided_in_the_first_pass(n_classes):
    """Of several classes, all use the experts that one of them uses. The mix, the votes and the counts stay as well."""
    X, y = rows("real", n_classes, size=1500)
    one, several = (wk.Committee(max_epochs=epochs, random_state=0).fit(X, y)._learner for epochs in (1, 4))
    assert one.mix.resting.all(axis=0)[:N_BEGS].any()
    assert (several.mix.resting == one.mix.resting.all(axis=0)).all()
    for name, array in one.mix._replace(resting=several.mix.resting)._asdict().items():
        assert array.tobytes() == getattr(several.mix, name).tobytes(), name
    assert one.counts.tobytes() == several.counts.tobytes()
    assert (one.family.records != several.family.records).any()  # the control


def test_a_large_model_makes_further_passes_a_few_classes_at_a_time(monkeypatch):
    """Experts of a class learn whatever the others do, so that the blocks change nothing but rounding."""
    X, y = rows("real", 19, size=400)
    whole = wk.Committee(max_epochs=3, random_state=0).fit(X, y)
    monkeypatch.setattr(committee_learner, "LARGE", 0)
    in_blocks = wk.Committee(max_epochs=3, random_state=0, n_jobs=2).fit(X, y)
    assert [block.stop - block.start for block in in_blocks._learner.blocks()] == [6, 6, 7]
    for name, array in whole._learner.arrays().items():
        np.testing.assert_allclose(in_blocks._learner.arrays()[name], array, rtol=1e-3, atol=1e-4, err_msg=name)
    one_pass = wk.Committee(max_epochs=1, random_state=0).fit(X, y)
    assert not np.allclose(one_pass._learner.family.records, whole._learner.family.records)  # the control


def test_sorted_rows_give_what_shuffled_rows_give():
    """Held-out errors of five splits agree within two paired standard errors; a pass in sorted order is far worse."""
    X, y = load_digits(return_X_y=True)
    rng, in_order, shuffled, one_pass = np.random.default_rng(0), [], [], []
    for _ in range(5):
        order = rng.permutation(len(y))
        train, test = order[:1200], order[1200:]
        by_class = train[np.argsort(y[train], kind="stable")]
        for rows_, errors in ((train, shuffled), (by_class, in_order)):
            model = wk.Committee(max_epochs=2, random_state=0).fit(X[rows_], y[rows_])
            errors.append(np.mean(model.predict(X[test]) != y[test]))
        model = wk.Committee(shuffle=False).fit(X[by_class], y[by_class])
        one_pass.append(np.mean(model.predict(X[test]) != y[test]))
    apart = np.array(in_order) - shuffled
    assert abs(apart.mean()) < 2 * apart.std(ddof=1) / np.sqrt(5) + 0.005
    assert np.mean(one_pass) > np.mean(shuffled) + 0.02  # the control


def test_several_threads_fit_the_same():
    X, y = rows("real", 3)
    one = wk.Committee(random_state=0, n_jobs=1).fit(X, y)
    for n_jobs in (2, 3):
        assert state_of(wk.Committee(random_state=0, n_jobs=n_jobs).fit(X, y)) == state_of(one)
    model = wk.Committee(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), model.set_params(n_jobs=1).decision_function(X))


def test_a_bad_batch_changes_nothing():
    X, y = rows("real", 2, size=400)
    spoilt = sparse.csr_array(X)
    spoilt.data[-1] = np.nan
    fresh, learned = wk.Committee().begin(20, [0, 1]), wk.Committee().fit(X, y)
    for model in (fresh, learned):
        before = state_of(model)
        for bad in (spoilt, spoilt.toarray()):
            with pytest.raises(ValueError, match="contains NaN"):
                model.partial_fit(bad, 1 - y)
        with pytest.raises(ValueError, match="label 2 is not among the classes"):
            model.partial_fit(X, np.full(400, 2))
        assert state_of(model) == before


# --- probabilities ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_largest_probability_is_that_of_the_prediction(n_classes):
    """Also when the vote overrules the mix, which the votes here are made to do."""
    X, y = rows("real", n_classes)
    model = wk.Committee().fit(X, y)
    overruled = pickle.loads(pickle.dumps(model))
    overruled._learner.mix.votes[:] = 1e-9
    overruled._learner.mix.votes[COIN] = 1.0
    assert (overruled.predict(X) != model.predict(X)).any()
    for each in (model, overruled):
        chances = each.predict_proba(X)
        assert chances.shape == (300, n_classes)
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        np.testing.assert_array_equal(each.classes_[chances.argmax(axis=1)], each.predict(X))


def test_probabilities_are_calibrated_on_line():
    """Their progressive log-loss is below that of the frequencies in hindsight, and close to their own entropy."""
    X, y = streams.disjunction(n=500, k=3, active=20, label_noise=0.1, seed=0).take(8000)
    model, chances = wk.Committee().begin(500, [0, 1]), []
    for first in range(0, 8000, 50):
        chances.append(model.predict_proba(X[first : first + 50]))
        model.partial_fit(X[first : first + 50], y[first : first + 50])
    late = np.concatenate(chances)[2000:]
    ideal = -0.9 * np.log(0.9) - 0.1 * np.log(0.1)
    assert log_loss(y[2000:], late) < ideal + 0.03
    assert np.mean(np.max(late, axis=1)) == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize(
    ("load", "at_least"),
    [(load_iris, 0.9), (load_breast_cancer, 0.95), (load_digits, 0.92)],
    ids=["iris", "breast cancer", "digits"],
)
def test_data_of_new_users(load, at_least):
    X, y = load(return_X_y=True)
    assert cross_val_score(wk.Committee(random_state=0), X, y, cv=3).mean() > at_least
    assert cross_val_score(wk.Committee(random_state=0), X, y, cv=3, scoring="neg_log_loss").mean() > -0.4


# --- drift, and what has been learned ---------------------------------------------------------------------------------


def test_a_sharing_committee_recovers():
    """Mistakes after a change, in which the old target is unlearned too, beside those after the start."""
    wrong = {0.0: 0, 0.01: 0}
    for seed in range(4):
        X, y = streams.disjunction(n=1000, k=5, drift_every=3000, seed=seed).take(12_000)
        for share in wrong:
            predicted = wk.Committee(share=share).partial_fit_predict(X, y, classes=[0, 1])
            wrong[share] += (predicted != y).reshape(4, 3000).sum(axis=1)
    start, *changes = wrong[0.01]
    assert np.mean(changes) < 2.5 * start
    assert np.mean(wrong[0.0][1:]) > 1.5 * np.mean(changes)  # the control


def test_the_weights_of_attributes_can_be_read():
    stream = streams.disjunction(n=5000, k=4, label_noise=0.02, seed=6)
    model = wk.Committee(shuffle=False).fit(*stream.take(5000))
    assert sorted(model.attribute_weights_[0].argsort()[-4:].tolist()) == list(stream.target.variables)
    assert len(model.expert_names_) == len(model.expert_weights_) == len(model.expert_mistakes_) == 10


def test_tiny_values_beside_huge_ones_do_no_harm():
    """Squares of 1e-30 of a column's largest value are 0 in 32 bits."""
    X = np.array([[1e300, 0.0, 1.0], [1e-300, 0.0, 0.0], [1e270, 1e-200, 1e-30], [5e-324, 5e-324, 1e-25]] * 20)
    model = wk.Committee(shuffle=False).fit(X, [0, 1, 1, 0] * 20)
    for array in model._learner.arrays().values():
        assert np.isfinite(array).all()
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("share", [-0.1, 1.0, np.nan])
def test_bad_parameters_are_refused(share):
    with pytest.raises(ValueError, match=re.escape(f"share must be in [0, 1), got {share}")):
        clone(wk.Committee(share=share)).fit([[0, 1], [1, 0]], [0, 1])


@pytest.mark.parametrize("z", [1.0, 0.1, 0.003])
def test_bets_of_any_size_go_on_counting(z):
    """After very many rounds that were won, rounds that are lost still lower T; without a limit, 32 bits lose them."""

    def after_losses(limit):
        record = np.array([1.5 * 2.0**25 * z, 1.5 * 2.0**25 * z, 0.0, z], dtype=np.float32)
        for _ in range(64):  # halved until it fits, as it would have been all along
            coin_step(record, np.float32(0.0), record[3], limit)
        first = record.copy()
        for _ in range(1000):
            coin_step(record, np.float32(-z), record[3], limit)
        return float(first[0] - record[0]), float(first[1])

    fallen, bets = after_losses(LIMIT)
    assert bets <= LIMIT * z * 1.0001
    assert fallen == pytest.approx(1000 * z, rel=0.3)
    record = np.array([1.5 * 2.0**25 * z, 1.5 * 2.0**25 * z, 0.0, z], dtype=np.float32)  # the control
    before = record.copy()
    for _ in range(1000):
        coin_step(record, np.float32(-z), record[3], np.inf)
    assert record[0] == before[0]


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
def test_twenty_million_trials_of_one_attribute(n_classes):
    """Sums in 32 bits stop growing at 2^24 additions; here they are halved or kept before, and learning goes on.

    Labels are noisy, so that experts update for ever, until the target is the opposite.
    """
    learner = CommitteeLearner.begin(3, 1 if n_classes == 2 else n_classes, share=1e-4)  # nobody rests
    rng = np.random.default_rng(0)
    block = 100_000
    X = np.ones((block, 3))
    X[:, 1] = rng.random(block) < 0.5
    rows_ = wk.Committee()._rows(X)
    for turn in range(240):
        opposite = turn >= 220
        y = np.where(rng.random(block) < 0.3, rng.integers(0, n_classes, block), (X[:, 1] == 1) ^ opposite)
        learner.learn(Trials(rows_, y.astype(np.int64)))
        if turn == 219:
            before = learner.decide(wk.Committee()._rows(X[:100]), 0, 100)
    after = learner.decide(wk.Committee()._rows(X[:100]), 0, 100)
    assert learner.counts[0, 0] == 24_000_000
    for array in learner.arrays().values():
        assert np.isfinite(array).all()
    active = X[:100, 1] == 1
    for decisions, truth in ((before, active), (after, ~active)):
        assert (chosen(decisions) == truth).all()
    coin = learner.family.records[:, COIN_G]
    assert coin.max() > 2**18
    assert coin.max() <= LIMIT
