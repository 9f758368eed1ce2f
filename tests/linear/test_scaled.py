"""AROW, CoinBetting and AdaptiveWinnow: their twins, weights, passes, probabilities and growth."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.special import expit, softmax
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from naive_scaled import scores_of_trials
from winnowkit import AROW, AdaptiveWinnow, CoinBetting, load, save
from winnowkit.core.csr import Trials
from winnowkit.core.encoded_rows import REAL, encode_rows
from winnowkit.linear.scaled_learner import check_scaled

RULES = {"arow": AROW, "coin": CoinBetting, "adaptive winnow": AdaptiveWinnow}
each = pytest.mark.parametrize("name", RULES)


def example_set(seed, n_classes=2, rows=120, n=9):
    """Real values of several sizes and signs, with many zeros and some wrong labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, n)) * 10.0 ** rng.integers(-2, 3, size=n) * (rng.random((rows, n)) < 0.6)
    codes = (X / np.abs(X).max(axis=0) @ rng.normal(size=(n, n_classes))).argmax(axis=1)
    wrong = rng.random(rows) < 0.1
    codes[wrong] = rng.integers(0, n_classes, wrong.sum())
    return X, codes


def recorded(model, X, codes, weights=None):
    """Scores before each trial."""
    scores = np.full((len(X), len(np.unique(codes)) if len(np.unique(codes)) > 2 else 1), np.nan)
    model.begin(X.shape[1], np.unique(codes))
    model._learner.learn(Trials(encode_rows(X, REAL), codes, weights=weights), scores)
    return scores


@each
@pytest.mark.parametrize("n_classes", [2, 4])
def test_scores_are_those_of_the_twin(name, n_classes):
    X, codes = example_set(n_classes, n_classes)
    scores = recorded(RULES[name](), X, codes)
    assert np.abs(scores).max() > 0.5
    np.testing.assert_allclose(scores, scores_of_trials(X, codes, n_classes, name), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("r", [0.1, 3.0])
def test_r_is_the_r_of_arow(r):
    X, codes = example_set(0)
    np.testing.assert_allclose(recorded(AROW(r=r), X, codes), scores_of_trials(X, codes, 2, "arow", r), rtol=1e-9)
    assert not np.allclose(recorded(AROW(r=r), X, codes), recorded(AROW(r=1.0), X, codes))


@each
def test_a_weight_is_so_many_presentations(name):
    X, codes = example_set(1)
    weights = np.random.default_rng(0).choice([0.0, 1.0, 2.0, 3.0], size=len(X))
    one = RULES[name](shuffle=False).fit(X, codes, sample_weight=weights)
    times = weights.astype(int)
    other = RULES[name](shuffle=False).fit(np.repeat(X, times, axis=0), np.repeat(codes, times))
    assert pickle.dumps(one._learner) == pickle.dumps(other._learner)


@each
def test_a_fraction_scales_the_step(name):
    X, codes = example_set(2)
    weights = np.random.default_rng(1).uniform(0.1, 2.5, size=len(X))
    scores = recorded(RULES[name](), X, codes, weights)
    np.testing.assert_allclose(scores, scores_of_trials(X, codes, 2, name, weights=weights), rtol=1e-9, atol=1e-11)


@each
def test_class_weights_multiply(name):
    X, codes = example_set(3)
    one = RULES[name](shuffle=False, class_weight={0: 1.0, 1: 2.0}).fit(X, codes)
    other = RULES[name](shuffle=False).fit(X, codes, sample_weight=1.0 + codes)
    assert np.array_equal(one.decision_function(X), other.decision_function(X))


@each
def test_blocks_and_sparse_rows_give_the_same_bits(name):
    X, codes = example_set(4, n_classes=3)
    whole = RULES[name]().partial_fit(X, codes, classes=range(3))
    pieces = RULES[name]()
    for first in range(0, len(X), 17):
        here = slice(first, first + 17)
        pieces.partial_fit(csr_matrix(X[here]), codes[here], classes=range(3))
    assert pickle.dumps(whole._learner) == pickle.dumps(pieces._learner)
    assert np.array_equal(whole.decision_function(X), pieces.decision_function(csr_matrix(X)))


@each
def test_coefficients_are_those_of_scaled_values(name):
    X, codes = example_set(5, n_classes=3)
    model = RULES[name](random_state=0).fit(X, codes)
    x = X / np.maximum(model.largest_, np.abs(X))
    z = x if name == "adaptive winnow" else x / np.linalg.norm(x, axis=1, keepdims=True)
    seen = np.ones(len(X), dtype=bool)
    if name == "coin":  # its weights differ where a value is larger than all that it has learned from
        seen = (np.abs(z) <= model._learner.state.records[1:, :, 3].min(axis=1)).all(axis=1)
        assert seen.mean() > 0.5
    np.testing.assert_allclose(
        model.decision_function(X)[seen], (z @ model.coef_.T + model.intercept_)[seen], rtol=1e-9, atol=1e-9
    )


@each
def test_fit_is_the_mean_of_its_passes(name):
    X, codes = example_set(6)
    model = RULES[name](max_epochs=3, random_state=0).fit(X, codes)
    rng = np.random.default_rng(np.random.RandomState(0).randint(2**31))
    means = []
    for _ in range(3):
        order = rng.permutation(len(X))
        means.append(RULES[name](shuffle=False).fit(X[order], codes[order]).coef_)
    np.testing.assert_allclose(model.coef_, np.mean(means, axis=0), rtol=1e-9)
    assert model.n_trials_ == 3 * len(X)


@each
def test_sorted_rows_are_learned_as_well_as_shuffled_ones(name):
    X, codes = example_set(7, rows=600)
    by_class = np.argsort(codes, kind="stable")
    scores = [RULES[name](random_state=0).fit(X[o], codes[o]).score(X, codes) for o in (by_class, np.arange(600))]
    assert min(scores) > 0.75
    assert abs(scores[0] - scores[1]) < 0.05


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_most_probable_label_is_predicted(n_classes):
    X, codes = example_set(8, n_classes, rows=400)
    model = AROW(random_state=0).fit(X[:300], codes[:300])
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert np.array_equal(chances.argmax(axis=1), model.predict(X))
    assert log_loss(codes[300:], chances[300:]) < 0.8 * np.log(n_classes)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_log_odds_are_those_of_a_logistic_regression_on_line(n_classes):
    """Newton steps on two features, the score above 0 and the score below, both cut at 3; slopes stay positive."""
    X, codes = example_set(5, n_classes, rows=40)
    scores = recorded(model := AROW(), X, codes)
    slopes, covariance = np.full(2, 2.0), np.eye(2)
    for own, label in zip(scores, codes, strict=True):
        features = np.column_stack([np.clip(own, 0.0, 3.0), np.clip(own, -3.0, 0.0)])
        log_odds = features @ slopes
        if n_classes == 2:
            p = expit(log_odds[0])
            counted, centred, step = np.array([max(p * (1 - p), 1e-4)]), features, (label - p) * features[0]
        else:
            chances = softmax(log_odds)
            p = chances[label]
            centred = features - chances @ features
            counted, step = np.where(chances > 1e-3, chances, 0.0), centred[label]
        if abs((label if n_classes == 2 else 1.0) - p) >= 1e-3:
            covariance = np.linalg.inv(np.linalg.inv(covariance) + (centred.T * counted) @ centred)
            slopes = np.maximum(slopes + covariance @ step, 0.01)
    np.testing.assert_allclose(model._learner.state.weights, slopes, rtol=1e-6)
    found = model._learner.log_odds(encode_rows(X[:5], REAL), 0, 5)
    decisions = model._learner.decide(encode_rows(X[:5], REAL), 0, 5)
    np.testing.assert_allclose(found, np.where(decisions > 0.0, slopes[0], slopes[1]) * decisions, rtol=1e-6)


def test_probabilities_are_calibrated():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 5))
    y = (rng.random(20_000) < 1 / (1 + np.exp(-3 * X[:, 0]))).astype(int)
    model = AROW(random_state=0).fit(X[:10_000], y[:10_000])
    X, y = X[10_000:], y[10_000:]
    scores, chances = model.decision_function(X)[:, None], model.predict_proba(X)
    ideal = log_loss(y, LogisticRegression().fit(scores, y).predict_proba(scores))  # in hindsight
    assert log_loss(y, chances) < 1.02 * ideal
    assert log_loss(y, expit(np.hstack([-scores, scores]))) > 1.05 * ideal  # a control: scores are no log-odds


def test_others_have_no_probabilities():
    assert not hasattr(CoinBetting(), "predict_proba")
    assert not hasattr(AdaptiveWinnow(), "predict_proba")


@each
def test_growing_equals_knowing_all_attributes(name):
    X, codes = example_set(9, n_classes=3, n=6)
    X[:40, 3:] = 0.0
    known = RULES[name]().begin(6, range(3))._learner
    grown = RULES[name]().begin(3, range(3))._learner
    known.learn(Trials(encode_rows(X, REAL), codes))
    grown.learn(Trials(encode_rows(X[:40, :3], REAL), codes[:40]))
    row = X[40]
    indices = np.flatnonzero(row)
    foreseen = grown.foresee(indices, row[indices], 6, ranking=False)
    grown.grow(6)
    assert np.array_equal(foreseen, grown.decide(encode_rows(X[40:41], REAL), 0, 1)[0])
    grown.learn(Trials(encode_rows(X[40:], REAL), codes[40:]))
    assert pickle.dumps(known) == pickle.dumps(grown)


@each
def test_models_are_saved_and_loaded(name, tmp_path):
    X, codes = example_set(10, n_classes=3)
    model = RULES[name](random_state=0).fit(X, codes)
    save(model, tmp_path / "model.winnow")
    same = load(tmp_path / "model.winnow")
    assert np.array_equal(same.decision_function(X), model.decision_function(X))
    for again in (same, model):
        again.partial_fit(X, codes)
    assert np.array_equal(same.decision_function(X), model.decision_function(X))


@each
def test_forged_states_are_refused(name):
    X, codes = example_set(11)
    state = RULES[name]().fit(X, codes)._learner.arrays()
    check_scaled(state)
    for key, array in state.items():
        for forged in (array[..., :-1], array.astype(np.float16), array[None]):
            with pytest.raises(ValueError, match=r"must|inconsistent"):
                check_scaled(state | {key: np.ascontiguousarray(forged)})
    for settings in ([0.0, 3.0, 1.0], [0.0, np.nan, 1.0], [0.0, -1.0, 1.0], [0.0, state["settings"][1], np.nan]):
        with pytest.raises(ValueError, match="the rule"):
            check_scaled(state | {"settings": np.array(settings)})


@each
def test_single_examples_are_trials(name):
    rng = np.random.default_rng(0)
    X = (rng.random((100, 8)) < 0.4).astype(float)
    codes = X[:, 0].astype(int)
    batch = RULES[name]().partial_fit(X, codes, classes=[0, 1])
    single = RULES[name]().begin(8, [0, 1])
    told = [
        single.learn_active(np.flatnonzero(row), y) if i % 2 else single.learn_one(row, y)
        for i, (row, y) in enumerate(zip(X, codes, strict=True))
    ]
    assert batch.n_mistakes_ == (np.array(told) != codes).sum()
    assert pickle.dumps(single._learner) == pickle.dumps(batch._learner)
    assert single.predict_active(np.flatnonzero(X[0])) == batch.predict_one(X[0]) == batch.predict(X[:1])[0]


@each
def test_bad_rows_change_nothing(name):
    X, codes = example_set(12)
    model = RULES[name]().fit(X, codes)
    before = pickle.dumps(model._learner)
    bad = csr_matrix(X)
    bad.data[-1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(bad, codes)
    with pytest.raises(ValueError, match="sample_weight must be >= 0"):
        model.partial_fit(X, codes, sample_weight=np.full(len(X), -1.0))
    assert pickle.dumps(model._learner) == before


def test_parameters_are_checked():
    X, codes = example_set(13)
    for r in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="r must be > 0"):
            AROW(r=r).fit(X, codes)
    with pytest.raises(NotFittedError):
        AROW().predict_proba(X)
    with pytest.raises(NotFittedError):
        AROW().certificate()


@each
def test_certificates_say_why_there_is_no_bound(name):
    X, codes = example_set(14)
    model = RULES[name](shuffle=False).fit(X, codes)
    assert str(model.certificate()).startswith(f"{model.n_mistakes_} mistakes; no bound: the ")


@each
@pytest.mark.parametrize("sparse", [False, True])
def test_columns_far_from_zero_are_named(name, sparse, recwarn):
    rng = np.random.default_rng(0)
    heights, counts, codes = rng.normal(170, 10, 300), rng.poisson(3, 300), rng.integers(1, 3, 300)
    X = np.column_stack([counts, heights, codes, rng.normal(size=300)])
    y = heights > 172
    model = RULES[name](max_epochs=1, random_state=0).fit(csr_matrix(X) if sparse else X, y)
    found = [str(warning.message) for warning in recwarn if "far from 0" in str(warning.message)]
    assert [message[: len("the values of x1 are")] for message in found] == ["the values of x1 are"] * (not sparse)
    model.fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    assert len([warning for warning in recwarn if "far from 0" in str(warning.message)]) == len(found)
