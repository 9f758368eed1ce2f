"""Committees of given members: the fused family as members, weights, growth, model files, refusals."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from winnowkit import (
    AROW,
    SASB,
    AdaptiveWinnow,
    BalancedWinnow,
    BayesBEG,
    CoinBetting,
    Committee,
    ThresholdedBEG,
    Winnow2,
    load,
    save,
)
from winnowkit.core.csr import Trials
from winnowkit.core.encoded_rows import REAL, encode_rows
from winnowkit.data import streams
from winnowkit.linear import family, family_lanes, family_scores
from winnowkit.linear.members import _in_units
from winnowkit.linear.mixing import new_room
from winnowkit.linear.scaling import load as load_row
from winnowkit.linear.scaling import new_example, typical

ALIKE = [0, 1, 2, 3, family.AROW_QUICK, family.AROW_SLOW, family.COIN, family.HYPENTROPY]
N = 83
"""Attributes. Among 80 the first BEG's scores are often just at its margin, where rounding decides on an update."""
OTHERS = [family.GRADIENT, family.FULL_AROW]


def as_members(n):
    """Return the built-in experts that exist as learners of their own."""
    begs = [
        ThresholdedBEG(
            beta0=family.BETA0[e],
            beta1=family.BETA1[e],
            theta=family.THETA,
            initial=min(0.5, family.INITIAL[e] / n),
            margin=family.MARGINS[e] * family.THETA,
        )
        for e in range(4)
    ]
    return [*begs, AROW(r=family.R_QUICK), AROW(r=family.R_SLOW), CoinBetting(), AdaptiveWinnow()]


def real_set(seed, n_classes, rows, n=N):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, n)) * (rng.random((rows, n)) < 0.3)
    return X, (X @ rng.normal(size=(n, n_classes))).argmax(axis=1)


def fused_scores(model, X):
    """Scores of all experts of the built-in family, (rows, learners, experts)."""
    learner, rows = model._learner, encode_rows(X, REAL)
    example = new_example(X.shape[1], learner.family.full_weights.shape[1])
    room = new_room(learner.n_learners, learner.limits)
    found, rate = [], typical(learner.family.scale)
    resting = np.zeros_like(learner.mix.resting)
    for r in range(len(X)):
        size = load_row(learner.family.largest, rows, r, False, example)
        if learner.n_learners == 1:
            family_scores.score_single(learner.family, example, size, rate, resting[0], room.scores)
        else:
            family_lanes.score_several(learner.family, example, size, rate, resting, room)
        found.append(room.scores.T.copy())
    return np.array(found)


def member_scores(model, X):
    """Scores of all members, (rows, learners, members)."""
    views = model._learner._views(encode_rows(X, REAL))
    return np.stack([_in_units(m, m.decide(rows, 0, len(X))) for m, rows in views], axis=2)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_members_score_as_the_fused_experts(n_classes):
    """So few rows that nobody rests: those at rest learn no more in the fused kernel."""
    X, codes = real_set(0, n_classes, rows=400)
    classes = range(n_classes)
    fused, given = Committee(), Committee(members=as_members(N))
    for first in range(0, 60, 20):
        here = slice(first, first + 20)
        for model in (fused, given):
            model.partial_fit(X[here], codes[here], classes=classes)
        assert not fused._learner.mix.resting[:, ALIKE].any()
        ours, theirs = fused_scores(fused, X)[:, :, ALIKE], member_scores(given, X)
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)
        assert np.abs(theirs).max(axis=(0, 1)).min() > 0.1  # a control: no score is trivially 0


def set_of(case):
    """Return rows, codes and the number of classes."""
    if case == "boolean":
        X, y = streams.disjunction(n=N, k=5, label_noise=0.05, seed=1).take(3000)
        return X, np.asarray(y), 2
    n_classes = {"real": 2, "several classes": 4}[case]
    return *real_set(1, n_classes, rows=3000), n_classes


@pytest.mark.parametrize("case", ["boolean", "real", "several classes"])
def test_members_predict_as_the_fused_family(case):
    X, codes, n_classes = set_of(case)
    fused = Committee().begin(N, range(n_classes))
    fused._learner.mix.resting[:, OTHERS] = True  # they are no learners of their own
    one = fused.partial_fit_predict(X, codes)
    other = Committee(members=as_members(N)).partial_fit_predict(X, codes, classes=range(n_classes))
    assert (one == other).mean() > 0.99
    control = Committee(members=[Winnow2()]).partial_fit_predict(X, codes, classes=range(n_classes))
    assert (one == control).mean() < 0.97  # so that the first assertion says something


MEMBERS = [AROW(), Winnow2(), BalancedWinnow(binarize=0.2), BayesBEG(negations=True), CoinBetting()]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_blocks_sparse_rows_and_single_examples(n_classes):
    X, codes = real_set(2, n_classes, rows=1500, n=12)
    whole = Committee(members=MEMBERS)
    predicted = whole.partial_fit_predict(X, codes, classes=range(n_classes))
    pieces = Committee(members=MEMBERS)
    for first in range(0, 1500, 333):
        here = slice(first, first + 333)
        pieces.partial_fit(csr_matrix(X[here]), codes[here], classes=range(n_classes))
    assert np.array_equal(whole.decision_function(X), pieces.decision_function(csr_matrix(X)))
    assert whole.n_mistakes_ == (predicted != codes).sum()
    assert np.array_equal(whole.predict_proba(X).argmax(axis=1), whole.predict(X))
    single = Committee(members=MEMBERS).begin(12, range(n_classes))
    assert [single.learn_one(x, y) for x, y in zip(X[:50], codes[:50], strict=True)] == predicted[:50].tolist()


def test_boolean_members_see_what_is_above_their_threshold():
    X, codes = real_set(3, 2, rows=300, n=12)
    alone = BalancedWinnow(binarize=0.2).partial_fit(X, codes, classes=[0, 1])
    members = [AROW(), BalancedWinnow(binarize=0.2)]
    model = Committee(members=members, share=0.01).partial_fit(X, codes, classes=[0, 1])  # so that nobody rests
    assert np.array_equal(model._learner.members[0].coef, alone.coef_)
    assert model.expert_names_ == ("BalancedWinnow(binarize=0.2)", "AROW()")
    assert model.expert_mistakes_[0] == alone.n_mistakes_ > 0
    assert model.attribute_weights_.shape == (1, 12)


def test_weights_are_presentations():
    X, codes = real_set(4, 2, rows=200, n=12)
    times = np.random.default_rng(0).integers(0, 4, 200)
    members = [AROW(), Winnow2(), CoinBetting()]
    one = Committee(members=members).partial_fit(X, codes, classes=[0, 1], sample_weight=times)
    other = Committee(members=members).partial_fit(np.repeat(X, times, axis=0), np.repeat(codes, times), classes=[0, 1])
    assert np.array_equal(one.decision_function(X), other.decision_function(X))
    assert np.array_equal(one._learner.counts, other._learner.counts)
    part = Committee(members=members).partial_fit(X, codes, classes=[0, 1], sample_weight=times + 0.5)
    assert not np.array_equal(part.decision_function(X), one.decision_function(X))


def test_fit_makes_one_shuffled_pass():
    X, codes = real_set(5, 2, rows=600, n=12)
    by_class = np.argsort(codes, kind="stable")
    model = Committee(members=[AROW(), Winnow2()], random_state=0).fit(X[by_class], codes[by_class])
    assert model.n_trials_ == 600
    assert model.score(X, codes) > 0.85


def test_growing_equals_knowing_all_attributes():
    X, codes = real_set(6, 3, rows=200, n=6)
    X[:80, 3:] = 0.0
    members = [Winnow2(theta=5.0), AROW(), CoinBetting(), AdaptiveWinnow()]
    known = Committee(members=members)._begin_growing(6, 3)
    grown = Committee(members=members)._begin_growing(3, 3)
    known.learn(Trials(encode_rows(X, REAL), codes))
    grown.learn(Trials(encode_rows(X[:80, :3], REAL), codes[:80]))
    row = X[100]
    indices = np.flatnonzero(row)
    foreseen = grown.foresee(indices, row[indices], 6, ranking=False)
    grown.grow(6)
    assert np.array_equal(foreseen, grown.decide(encode_rows(X[100:101], REAL), 0, 1)[0])
    grown.learn(Trials(encode_rows(X[80:], REAL), codes[80:]))
    rows = encode_rows(X, REAL)
    np.testing.assert_allclose(known.decide(rows, 0, 200), grown.decide(rows, 0, 200), rtol=1e-9)
    more = grown.with_learners([0, 1, 2, None])
    assert more.n_learners == 4
    for old, new in zip(grown.members, more.members, strict=True):
        assert np.array_equal(old.coef, new.coef[:3])
    assert np.array_equal(more.mix.weights, grown.mix.weights)
    assert (more.mix.mistakes[3] == 0).all()


@pytest.mark.parametrize("share", [0.0, 0.01])
def test_models_are_saved_and_loaded(share, tmp_path):
    X, codes = real_set(7, 3, rows=200, n=12)
    model = Committee(members=MEMBERS, share=share, random_state=0).fit(X, codes)
    save(model, tmp_path / "model.winnow")
    for same in (load(tmp_path / "model.winnow"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(same.decision_function(X), model.decision_function(X))
        again = same.partial_fit(X, codes).decision_function(X)
    assert np.array_equal(again, model.partial_fit(X, codes).decision_function(X))
    assert clone(model).get_params()["share"] == share


def test_forged_states_are_refused():
    X, codes = real_set(8, 2, rows=50, n=12)
    learner = Committee(members=[Winnow2(), AROW()]).fit(X, codes)._learner
    state = learner.__getstate__()
    others = Committee(members=[Winnow2(), AROW()]).fit(X[:, :5], codes)._learner.members
    forgeries = [
        {"members": []},
        {"members": None},
        {"members": learner.members[::-1]},
        {"members": [learner.members[0], others[1]]},
        {"members": [learner.members[0], 3]},
        {"thresholds": []},
        {"thresholds": [np.nan]},
        {"thresholds": ["0"]},
        {"counts": state["counts"][:1]},
        {"mix_settings": np.array([2.0])},
        *({name: array[..., :-1]} for name, array in state.items() if name.startswith("mix_")),
    ]
    blank = type(learner).__new__(type(learner))
    blank.__setstate__(state)
    for forged in forgeries:
        with pytest.raises(ValueError, match=r"must|inconsistent|expected"):
            blank.__setstate__(state | forged)


def test_bad_rows_change_nothing():
    X, codes = real_set(9, 2, rows=50, n=12)
    model = Committee(members=[Winnow2(), AROW()]).fit(X, codes)
    before = model.decision_function(X)
    bad = csr_matrix(X)
    bad.data[-1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.partial_fit(bad, codes)
    assert np.array_equal(model.decision_function(X), before)


def test_the_bound_holds_for_any_labels():
    """An adversary says the opposite of every prediction."""
    rng = np.random.default_rng(0)
    model = Committee(members=[Winnow2(), AROW(), CoinBetting()]).begin(8, [0, 1])
    for _ in range(150):
        x = rng.normal(size=8)
        model.learn_one(x, 1 - model.predict_one(x))
    certificate = model.certificate()
    assert model.n_mistakes_ == 150
    assert certificate.kept
    assert certificate.bound < 3 * 150


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ("all", "members must be 'family' or a list of linear learners"),
        ([], "members must be 'family' or a list of linear learners"),
        ([SASB()], "members must be 'family' or a list of linear learners"),
        ([Committee()], "members must be 'family' or a list of linear learners"),
        ([Winnow2(binarize=None)], "binarize of the member Winnow2 must be a number >= 0"),
        ([Winnow2(binarize=-1.0)], "binarize of the member Winnow2 must be a number >= 0"),
        ([AROW(r=0.0)], "r must be > 0"),
    ],
)
def test_unsuitable_members_are_refused(members, message):
    X, codes = real_set(10, 2, rows=20, n=12)
    with pytest.raises(ValueError, match=message):
        Committee(members=members).fit(X, codes)
