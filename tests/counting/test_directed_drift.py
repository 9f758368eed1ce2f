"""DirectedDrift does what its naive twin does, trial by trial, however the examples come."""

import math
import pickle
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import naive_drift as naive
from winnowkit import DirectedDrift
from winnowkit.counting.directed_drift_kernel import draw
from winnowkit.counting.directed_drift_learner import DriftLearner, directed_drift, least_error, pack, unpack
from winnowkit.data import streams

MODES = [("online", "paper"), ("single", "paper"), ("multiple", "paper"), ("multiple", "majority")]
every_mode = pytest.mark.parametrize(("mode", "flips"), MODES)


def signs(X, negations=False):
    """What the learner makes of X: lists of -1 and 1, complements behind."""
    U = np.where(np.asarray(X) > 0, 1, -1)
    return (np.hstack([U, -U]) if negations else U).tolist()


def begun(n, classes=(0, 1), **parameters):
    return DirectedDrift(random_state=parameters.pop("seed", 0), **parameters).begin(n, classes)


def twins(model, negations=False):
    """Naive learners with the same weights and seeds as a learner that has just begun."""
    arrays = model._learner.arrays()
    n = model.n_features_in_
    blocks = unpack(pack_words(arrays["weights"], n), n)
    weights = signs(blocks.reshape(len(arrays["seeds"]), -1))
    assert all(len(w) == n * (1 + negations) for w in weights)
    settings_ = {name: getattr(model, name) for name in ("mode", "flips", "batch", "delta", "stop")}
    return [naive.Drift(w, seed=int(s), **settings_) for w, s in zip(weights, arrays["seeds"], strict=True)]


def pack_words(weights, n):
    return pack(np.zeros((1, n), dtype=bool))._replace(words=weights.reshape(-1, -(-n // 64)))


def assert_same(model, learners):
    weights = [np.array(learner.w) for learner in learners]
    n = model.n_features_in_
    coef = [w[:n] - w[n:] if len(w) > n else w for w in weights]
    assert model.coef_.tolist() == [c.tolist() for c in coef]
    assert model.n_mistakes_ == sum(learner.mistakes for learner in learners)
    assert model.n_epochs_ == sum(learner.epochs for learner in learners)
    assert model.n_updates_.tolist() == [learner.epochs for learner in learners]
    assert model.converged_ == all(learner.ended for learner in learners)


examples = st.tuples(st.integers(1, 9) | st.sampled_from([63, 64, 65, 130]), st.integers(0, 2**32 - 1))


@every_mode
@settings(max_examples=60, deadline=None)
@given(
    example=examples,
    batch=st.sampled_from(["auto", 1, 2, 3, 8, 21]),
    delta=st.sampled_from([0.9, 0.05, 1e-9]),
    stop=st.sampled_from(["valid", "paper"]),
    noise=st.sampled_from([0.0, 0.3, 1.0]),
    negations=st.booleans(),
)
def test_every_trial_is_the_naive_twins(mode, flips, example, batch, delta, stop, noise, negations):
    n, seed = example
    rng = np.random.default_rng(seed)
    model = begun(n, mode=mode, flips=flips, batch=batch, delta=delta, stop=stop, negations=negations, seed=seed)
    (learner,) = twins(model, negations)
    target = rng.choice([-1, 1], n)
    X = rng.choice([-1, 1], (80, n))
    y = np.where(rng.random(80) < noise, rng.integers(0, 2, 80), X @ target >= 0).astype(int)
    for x, u, label in zip(X, signs(X, negations), y.tolist(), strict=True):
        assert model.learn_one(x, label) == learner.trial(u, label)
        assert_same(model, [learner])
    assert model.n_trials_ == 80


@every_mode
def test_long_runs_are_the_naive_twins(mode, flips):
    # long enough for full batches of the paper's size, both labels and the confidence stop
    n = 9 if mode == "online" else 21  # on line, it takes exponentially many
    stream = streams.half_spaces(n, labels="both", seed=4)
    X, y = stream.take(6000)
    model = begun(n, mode=mode, flips=flips, seed=2)
    (learner,) = twins(model)
    predicted = [learner.trial(u, label) for u, label in zip(signs(X), y.tolist(), strict=True)]
    assert model.partial_fit_predict(X, y).tolist() == predicted
    assert_same(model, [learner])
    assert learner.epochs > 0
    assert learner.ended


@every_mode
@pytest.mark.parametrize("n_classes", [3, 5])
def test_many_classes_are_naive_twins_one_a_class(mode, flips, n_classes):
    rng = np.random.default_rng(n_classes)
    X = rng.choice([-1, 1], (600, 10))  # even: products tie
    y = (X[:, :4] @ [1, 2, 4, 8] % n_classes).astype(int)
    model = begun(10, range(n_classes), mode=mode, flips=flips, batch=12)
    learners = twins(model)
    predicted = [naive.one_vs_rest(learners, u, label) for u, label in zip(signs(X), y.tolist(), strict=True)]
    assert model.partial_fit_predict(X, y).tolist() == predicted
    assert_same(model, learners)
    assert len({tuple(learner.w) for learner in learners}) == n_classes


def everything(model):
    return {name: array.tolist() for name, array in model._learner.arrays().items()}


@every_mode
@pytest.mark.parametrize("form", ["array", "sparse", "rows", "active", "pickle"])
def test_how_the_examples_come_does_not_matter(mode, flips, form):
    X, y = streams.half_spaces(70, labels="both", seed=1).take(900)
    start = begun(70, mode=mode, flips=flips, batch=100, delta=1e-9)
    whole = pickle.loads(pickle.dumps(start))
    predicted = whole.partial_fit_predict(X, y)
    model = pickle.loads(pickle.dumps(start))
    boolean = (X > 0).astype(float)
    table = sp.csr_array(boolean) if form == "sparse" else boolean if form == "array" else X
    if form == "rows":
        labels = [model.learn_one(x, label) for x, label in zip(X, y, strict=True)]
    elif form == "active":
        labels = [model.learn_active(np.flatnonzero(x > 0), label) for x, label in zip(X, y, strict=True)]
    else:
        labels = []
        for first in range(0, 900, 77):  # no divisor of the batch: every cut falls within one
            labels += model.partial_fit_predict(table[first : first + 77], y[first : first + 77]).tolist()
            if form == "pickle":
                model = pickle.loads(pickle.dumps(model))
    assert list(labels) == predicted.tolist()
    assert everything(model) == everything(whole)
    assert whole.n_epochs_ > 3


def test_a_batch_left_open_has_no_effect_yet():
    X, y = streams.half_spaces(21, seed=0).take(300)
    model = begun(21, batch=150, delta=1e-9, seed=3)
    before = model.coef_
    opening = int(np.flatnonzero(X @ before[0] < 0)[0])
    model.partial_fit(X[: opening + 149], y[: opening + 149])
    assert (model.n_mistakes_, model.n_epochs_, model.n_trials_) == (1, 0, opening + 149)
    assert (model.coef_ == before).all()
    model.partial_fit(X[opening + 149 : opening + 150], y[:1])
    assert (model.n_mistakes_, model.n_epochs_) == (1, 1)
    assert (model.coef_ != before).any()


def with_weights(model, weights):
    """Put weights of our choice into a learner of one block."""
    model._learner.state.weights[:] = pack(np.atleast_2d(weights) > 0).words
    return model


@pytest.mark.parametrize(("flips", "expected"), [("paper", [-1, -1, 1, 1, 1]), ("majority", [-1, -1, -1, -1, 1])])
def test_ties_of_votes_go_to_the_lowest_index(flips, expected):
    # The one example of the batch votes for indices 0 to 3, Y = -3: two flips put it right.
    model = with_weights(begun(5, flips=flips, batch=1), [1, 1, 1, 1, 1])
    model.learn_one([-1, -1, -1, -1, 1], 1)
    assert model.coef_[0].tolist() == expected


def test_a_negative_example_on_the_edge_is_a_mistake_and_a_positive_one_is_not():
    for label, mistakes in ((1, 0), (0, 1)):
        model = with_weights(begun(4, batch=1), [1, 1, 1, 1])
        assert model.learn_one([1, 1, -1, -1], label) == 1
        assert model.n_mistakes_ == mistakes
        assert model.n_epochs_ == mistakes
        # its mirror image differs at 0 and 1: the lowest is flipped, though the printed floor((1 - 0)/2) is 0
        assert model.coef_[0].tolist() == ([-1, 1, 1, 1] if mistakes else [1, 1, 1, 1])


def test_decisions_are_products_and_ties_are_positive():
    model = with_weights(begun(4), [1, 1, 1, -1])
    X = np.array([[1, 1, 0, 0], [1, 0, 0, 1], [0, 1, 0, 0]])
    assert model.decision_function(X).tolist() == [2, -2, 5e-324]
    assert model.predict(X).tolist() == [1, 0, 1]
    assert (model.decision_function(2 * X - 1) == model.decision_function(X)).all()
    assert ((2 * X - 1) @ model.coef_[0] + model.intercept_[0]).tolist() == [2, -2, 0]
    assert [model.predict_one(x) for x in X] == [1, 0, 1]
    assert [model.predict_active(np.flatnonzero(x)) for x in X] == [1, 0, 1]


@every_mode
def test_after_the_confidence_stop_nothing_changes(mode, flips):
    n = 9 if mode == "online" else 21
    X, y = streams.half_spaces(n, labels="both", seed=4).take(6000)
    model = begun(n, mode=mode, flips=flips, delta=0.5, seed=2).partial_fit(X, y)
    assert model.converged_
    coef, mistakes, epochs = model.coef_, model.n_mistakes_, model.n_epochs_
    model.partial_fit(X, 1 - y)  # every example is a mistake now
    assert (model.coef_ == coef).all()
    assert (model.n_mistakes_, model.n_epochs_, model.n_trials_) == (mistakes, epochs, 12_000)
    assert model.converged_
    # control: before the stop, the same examples do change it
    other = begun(n, mode=mode, flips=flips, delta=1e-9, seed=2).partial_fit(X, 1 - y)
    assert other.n_mistakes_ > 0


def test_the_stop_comes_exactly_at_the_papers_count():
    # sqrt(pi 21 / 2) ln 20 = 17.2
    X, y = streams.half_spaces(21, seed=0).take(18)
    model = with_weights(begun(21, stop="paper"), streams.half_spaces(21, seed=0).target.weights)
    assert not model.partial_fit(X[:17], y[:17]).converged_
    assert model.partial_fit(X[17:], y[17:]).converged_


def test_a_valid_stop_waits_longer_after_every_hypothesis():
    n, delta = 21, 0.05
    target = np.array(streams.half_spaces(n, seed=0).target.weights)
    X, y = streams.half_spaces(n, seed=0).take(200)
    waited = []
    for tried in range(4):
        model = with_weights(begun(n, delta=delta), target)
        model._learner.state.progress[0, 0] = tried  # epochs opened before
        waited.append(next(t for t in range(1, 201) if model.partial_fit(X[t - 1 : t], y[t - 1 : t]).converged_))
    rate = -math.log(1 - math.comb(20, 10) / 2**20)
    assert waited == [math.ceil(math.log(k * (k + 1) / delta) / rate) for k in (1, 2, 3, 4)]
    assert waited == sorted(set(waited))


@pytest.mark.parametrize("n", range(2, 13))
def test_one_wrong_weight_shows_least_often(n):
    vertices = np.array(list(product((-1, 1), repeat=n)))
    sums = vertices.sum(axis=1)  # w* = (1, ..., 1)
    errors, both = [], []
    for wrong in range(1, n + 1):
        w = np.r_[-np.ones(wrong), np.ones(n - wrong)]
        missed = (vertices @ w < 0) & (sums >= 0)
        errors.append(missed.sum() / (sums >= 0).sum())
        both.append(((vertices @ w >= 0) != (sums >= 0)).mean())
    assert errors[0] == pytest.approx(least_error(n))
    assert min(errors) >= least_error(n) - 1e-12
    assert min(both) >= least_error(n) - 1e-12  # examples with both labels show it no less often


def share_at_target(stop, mode, n, runs=150, delta=0.2):
    at = 0
    for seed in range(runs):
        stream = streams.half_spaces(n, labels="both", seed=seed)
        model = begun(n, mode=mode, delta=delta, stop=stop, seed=seed)
        for _ in range(2000):
            X, y = stream.take(200)
            if model.partial_fit(X, y).converged_:
                break
        assert model.converged_
        at += tuple(model.coef_[0]) == stream.target.weights
    return at / runs


def test_a_valid_stop_keeps_its_confidence_where_the_papers_does_not():
    # one-sided: 5 standard errors below 80% would be a false alarm in 3e-7 of all runs
    runs = 150
    assert share_at_target("valid", "online", 7, runs) > 0.8 - 5 * math.sqrt(0.8 * 0.2 / runs)
    assert share_at_target("paper", "online", 7, runs) < 0.8 - 5 * math.sqrt(0.8 * 0.2 / runs)  # the control


def test_parameters_are_the_papers():
    assert directed_drift(101, "single", "paper", "auto", 0.05, "paper")[1:3] == (733, 38)
    assert directed_drift(101, "multiple", "paper", "auto", 0.05, "paper")[1:3] == (1465, 38)
    assert directed_drift(101, "online", "paper", "auto", 0.05, "paper")[1:3] == (1, 38)
    one, two = (begun(n)._learner.state.parameters for n in (1, 2))
    assert one[["batch", "stop"]] == two[["batch", "stop"]]
    assert begun(3, negations=True)._learner.state.parameters["batch"] == begun(6)._learner.state.parameters["batch"]


@pytest.mark.parametrize("n", [1, 64, 65, 1000, 100_000])
def test_on_line_it_keeps_two_bits_an_attribute_and_a_few_counters(n):
    X = np.random.default_rng(0).choice([-1.0, 1.0], (20, n))
    model = begun(n, mode="online").partial_fit(X, [0, 1] * 10)
    state = model._learner.state._asdict()
    words = -(-n // 64)
    assert state.pop("weights").nbytes == 8 * words
    assert state.pop("example").nbytes == 8 * words
    counters = sum(array.nbytes for array in state.values())
    assert counters == sum(
        a.nbytes for name, a in begun(1, mode="online")._learner.arrays().items() if name != "weights"
    )
    assert counters < 136
    assert vars(model._learner).keys() == {"state", "_n_features"}
    assert len(pickle.dumps(model)) < n / 8 + 2000  # nor does the estimator keep anything else


def test_draws_are_the_twins_and_even():
    for size in (1, 2, 3, 21, 10**6):
        drawn = [draw(np.uint64(2**64 - 7), np.int64(t), size) for t in range(300)]
        assert drawn == [naive.draw(2**64 - 7, t, size) for t in range(300)]
    counts = np.bincount([naive.draw(12345, t, 5) for t in range(20_000)], minlength=5)
    # chi-square of 4 degrees of freedom: above 45 with probability 4e-9
    assert ((counts - 4000) ** 2 / 4000).sum() < 45
    # control: draws of which one in fifty is always 0 fail
    assert (((counts * 0.98 + [400, 0, 0, 0, 0]) - 4000) ** 2 / 4000).sum() > 20


def test_begins_with_random_weights():
    coef = begun(2000, range(3)).coef_
    assert set(coef.ravel().tolist()) == {-1, 1}
    assert (coef == begun(2000, range(3)).coef_).all()
    assert (coef != begun(2000, range(3), seed=1).coef_).any()
    assert (abs(coef @ coef.T - 2000 * np.eye(3)) < 5.5 * np.sqrt(2000)).all()  # 5.5 standard errors: 1e-7
    assert (abs(coef.mean(axis=1)) < 5.5 / np.sqrt(2000)).all()


def test_fit_is_partial_fit_from_a_fresh_start():
    X, y = streams.half_spaces(31, labels="both", seed=2).take(3000)
    fitted = DirectedDrift(random_state=7, shuffle=False).fit(X, y)
    assert everything(fitted) == everything(DirectedDrift(random_state=7).partial_fit(X, y, classes=[0, 1]))
    assert everything(clone(fitted).fit(X, y)) == everything(fitted)
    assert everything(fitted.fit(X, y)) == everything(clone(fitted).fit(X, y))


def test_a_batch_longer_than_the_table_goes_on_in_the_next_pass():
    X, y = streams.half_spaces(31, labels="both", seed=2).take(100)  # a batch takes 168
    model = DirectedDrift(mode="single", max_epochs=50, shuffle=False, random_state=7, delta=1e-9)
    (learner,) = twins(model.begin(31, [0, 1]))
    for _ in range(50):
        predicted = [learner.trial(u, label) for u, label in zip(signs(X), y.tolist(), strict=True)]
        if predicted == y.tolist():
            break
    assert_same(model.fit(X, y), [learner])
    assert learner.epochs > 5


def test_repeated_sparse_entries_add_up_and_bad_ones_change_nothing():
    model = begun(4, batch=1)
    table = sp.csr_array((np.array([1.0, -1.0, 1.0]), np.array([2, 2, 0]), np.array([0, 3])), shape=(1, 4))
    assert model.decision_function(table)[0] == model.decision_function([[1, 0, 0, 0]])[0]
    before = everything(model)
    broken = sp.csr_array((np.ones(2), np.array([1, 1]), np.array([0, 1, 2])), shape=(2, 4))
    broken.indices[1] = 9
    for bad in (broken, sp.csr_array([[np.nan, 0, 0, 0], [1, 0, 0, 0]]), np.array([[np.inf, 0, 0, 0], [1, 0, 0, 0]])):
        with pytest.raises(ValueError, match=r"broken|NaN|infinity"):
            model.partial_fit(bad, [0, 1])
    with pytest.raises(IndexError, match=r"0 \.\.\. 3"):
        model.learn_active(np.array([0, 4]), 1)
    assert everything(model) == before
    model.learn_active(np.array([3, 1, 3]), 1)  # neither order nor repetition matters
    twin = begun(4, batch=1)
    twin.learn_one([0, 1, 0, 1], 1)
    assert everything(model) == everything(twin)


def test_threads_agree():
    X, y = streams.half_spaces(130, labels="both", seed=2).take(500)
    model = DirectedDrift(random_state=7).fit(X, y)
    one = model.decision_function(X)
    assert (model.set_params(n_jobs=3).decision_function(X) == one).all()
    assert (model.decision_function(sp.csr_array(X > 0)) == one).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"mode": "batch"}, "mode must be 'multiple', 'online' or 'single', got 'batch'"),
        ({"flips": "all"}, "flips must be 'paper' or 'majority', got 'all'"),
        ({"batch": 0}, "batch must be an integer >= 1 or 'auto', got 0"),
        ({"batch": 2.5}, "batch must be an integer >= 1 or 'auto', got 2.5"),
        ({"batch": "large"}, "batch must be an integer >= 1 or 'auto', got 'large'"),
        ({"stop": "soon"}, "stop must be 'valid' or 'paper', got 'soon'"),
        ({"delta": 0}, r"delta must be in \(0, 1\), got 0"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1.0"),
        ({"binarize": None}, "binarize must be a number, got None"),
    ],
)
def test_nonsense_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        begun(3, **parameters)
    with pytest.raises(ValueError, match=message):
        DirectedDrift(**parameters).fit([[0, 1], [1, 0]], [0, 1])
    with pytest.raises(NotFittedError):
        DirectedDrift().learn_one([0, 1], 1)


def test_the_kernels_do_the_same_without_the_jit(python):
    code = """
import numpy as np, warnings
warnings.simplefilter("error")
from winnowkit.core.csr import Trials
from winnowkit.counting.directed_drift_learner import DriftLearner, directed_drift, pack
rng = np.random.default_rng(1)
for mode, flips in [("online", "paper"), ("single", "paper"), ("multiple", "paper"), ("multiple", "majority")]:
    for negations in (False, True):
        rule = directed_drift(70, mode, flips, 9, 1e-9)
        learner = DriftLearner.begin(rule, 70, 1, negations, rng)
        X = rng.integers(0, 2, (60, 70), dtype=bool)
        learner.learn(Trials(pack(X), (X.sum(axis=1) > 35).astype(np.int64)))
        learner.trial_active(np.array([1, 69]), 1)
        print({name: array.tolist() for name, array in learner.arrays().items()})
"""
    outputs = [python(code, NUMBA_DISABLE_JIT=off) for off in ("0", "1")]
    assert outputs[0] == outputs[1]
    assert outputs[0].count("weights") == 8


def test_packing_is_undone():
    bits = np.random.default_rng(0).integers(0, 2, (5, 130), dtype=bool)
    assert pack(bits).words.shape == (5, 3)
    assert (unpack(pack(bits), 130) == bits).all()
    assert DriftLearner.begin(directed_drift(2, "online", "paper", "auto", 0.5), 1, 1, False, np.random.default_rng(0))
