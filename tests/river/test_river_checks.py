"""RiverClassifier passes river's own checks, and works where river's classifiers do."""

import copy
import pickle
import warnings

import pytest

import winnowkit as wk
from river import checks, compose, evaluate, feature_extraction, metrics, preprocessing
from winnowkit.data import CategoryEncoder, streams
from winnowkit.dnf import MistakeDriven
from winnowkit.river import RiverClassifier

LEARNERS = [
    wk.Elimination(),
    wk.Winnow1(),
    wk.Winnow2(),
    wk.Winnow2(negations=True, floor=0.01),
    wk.BalancedWinnow(),
    wk.BalancedWinnow(negations=True, margin=0.5),
    wk.NormalizedWinnow(),
    wk.NormalizedWinnow(negations=True, policy="always"),
    wk.ThresholdedBEG(),
    wk.ThresholdedBEG(preset="noise-free", negations=True),
    wk.BayesBEG(policy="always"),
    wk.BayesBEG(preset="theorem-3"),
    wk.AROW(),
    wk.CoinBetting(),
    wk.AdaptiveWinnow(),
    wk.Committee(),
    wk.Committee(share=0.01),
    wk.SBSB(),
    wk.SBSB(policy="mistake", voting=3),
    wk.SASB(voting=5),
    wk.DirectBayes(),
    wk.DirectBayes(k=1, negations=True, policy="mistake"),
    wk.DirectBayes(prediction="probability", max_disjunctions=20, random_state=0),
    wk.DirectedDrift(random_state=0),
    wk.DirectedDrift(mode="online", negations=True, random_state=0),
    wk.DirectedDrift(flips="majority", batch=10, random_state=0),
    wk.DNFWinnow(max_literals=None),
    wk.DNFWinnow(training=MistakeDriven(two_class="pair", max_mistakes=30), encoder=CategoryEncoder(missing="value")),
    wk.DNFWinnow(max_literals=None, encoder=CategoryEncoder(missing="most_frequent"), theta=50.0),
]


def test_every_class_is_here():
    classes = {name for name in wk.__all__ if isinstance(getattr(wk, name), type)}
    assert {type(learner).__name__ for learner in LEARNERS} == classes


FIRST = {type(learner).__name__: learner for learner in reversed(LEARNERS)}
LONG = "check_bounded_memory_growth"  # seconds each, so only three kinds of learners have it in the fast tests


def is_slow(learner, check):
    name = type(learner).__name__
    return learner is not FIRST[name] or (name not in {"Winnow2", "Committee", "DNFWinnow"} and check.__name__ == LONG)


CASES = [
    pytest.param(
        learner,
        check,
        id=f"{learner!r}-{i}-{check.__name__}",
        marks=pytest.mark.slow if is_slow(learner, check) else [],
    )
    for learner in LEARNERS
    for i, check in enumerate(checks.yield_checks(RiverClassifier(learner)))
]


@pytest.mark.parametrize(("learner", "check"), CASES)
def test_river_check(learner, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # river leaves the files of its data sets open
        check(RiverClassifier(learner, warm_up=50))


@pytest.fixture(scope="module")
def rows():
    X, y = streams.disjunction(n=1000, k=3, active=20, seed=0).take(1000)
    return [
        (dict.fromkeys(X.indices[X.indptr[i] : X.indptr[i + 1]].tolist(), 1), bool(label)) for i, label in enumerate(y)
    ]


def test_progressive_validation_counts_the_learner_s_own_mistakes(rows):
    model = RiverClassifier(wk.Winnow2())
    accuracy = evaluate.progressive_val_score(rows, model, metrics.Accuracy())
    assert model.n_trials == 1000
    assert round((1 - accuracy.get()) * 1000) == model.n_mistakes < 100


def test_scores_rank(rows):
    model = RiverClassifier(wk.ThresholdedBEG())
    assert evaluate.progressive_val_score(rows[500:], model, metrics.ROCAUC()).get() > 0.9


def test_pipelines():
    texts = [("win money now", True), ("lunch at noon", False), ("money money", True), ("noon then", False)] * 20
    model = feature_extraction.BagOfWords() | RiverClassifier(wk.Winnow2())
    assert evaluate.progressive_val_score(texts, model, metrics.Accuracy()).get() > 0.8
    rows = [({"from": sender, "length": 7.0}, sender == "ann") for sender in ("ann", "bob", "eve")] * 20
    # not a pipeline in a pipeline: river 0.21 learns from what went into the inner one
    encoded = compose.SelectType(str) | preprocessing.OneHotEncoder() | RiverClassifier(wk.Winnow2(negations=True))
    for model in (encoded, RiverClassifier(wk.Winnow2())):
        assert evaluate.progressive_val_score(rows, model, metrics.Accuracy()).get() > 0.8


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_copy_goes_on_alike(learner, rows):
    if isinstance(learner, wk.DNFWinnow):  # a thousand columns of one category are no table for all terms
        rows = [(dict.fromkeys((key % 20 for key in x), 1), y) for x, y in rows]
    model = RiverClassifier(learner)
    for x, y in rows[:200]:
        model.learn_one(x, y)
    others = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    blank = model.clone()
    assert (blank.n_trials, blank.predict_proba_one(rows[0][0])) == (0, {})
    for x, y in rows[200:300]:
        expected = model.predict_proba_one(x)
        model.learn_one(x, y)
        for other in others:
            assert other.predict_proba_one(x) == pytest.approx(expected, rel=1e-12)
            other.learn_one(x, y)
    for other in others:
        assert (other.n_trials, other.n_mistakes) == (model.n_trials, model.n_mistakes)
        assert other.predict_one(rows[300][0]) == model.predict_one(rows[300][0])
