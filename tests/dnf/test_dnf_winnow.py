import copy
import math
import pickle
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from brute_force import BruteForce
from flat_parameters import dnf
from naive_dnf import PlainDNFWinnow, log
from winnowkit import DNFWinnow
from winnowkit.data import load_dataset
from winnowkit.dnf import BudgetExceeded, Exact, MistakeDriven


def ordered(**parameters):
    """Make a DNFWinnow as the paper's: rows as they come, no limit, the last log; unless told otherwise."""
    papers = {"shuffle": False, "keep": "last", "margin": 0.0, "max_updates": None, "missing": "ignore"}
    return dnf(**papers | {"two_class": "single"} | parameters)


LETTERS = np.array(list("abcd"), dtype=object)


def table(seed, shape=(40, 5), n_values=3, missing=0.0, n_classes=2, noise=0.0):
    """Letters, and labels that two terms decide (and a third column, where there are more classes)."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_values, shape)
    y = ((codes[:, 0] == 0) & (codes[:, 1] != 1) | (codes[:, 2] == 1) & (codes[:, 3] == 0)).astype(int)
    if n_classes > 2:
        y += codes[:, 3] % (n_classes - 1)
    y = np.where(rng.random(shape[0]) < noise, rng.integers(0, n_classes, shape[0]), y)
    X = LETTERS[codes]
    X[rng.random(shape) < missing] = None
    return X, np.array(["no", "yes", "zoo"])[y]


def coded(X, y, way):
    """Naive codes: rows to learn from, rows as a predictor sees them, and the number of terms."""
    values = [sorted({v for v in column if v is not None}) for column in X.T]
    blind = [[0 if v is None else values[j].index(v) + 1 for j, v in enumerate(row)] for row in X]
    sizes = [len(v) for v in values]
    if way == "value":
        for j in range(X.shape[1]):
            if any(row[j] == 0 for row in blind):
                sizes[j] += 1
                for row in blind:
                    row[j] = row[j] or sizes[j]
    seen = copy.deepcopy(blind)
    if way == "most_frequent":
        counts = defaultdict(Counter)
        for row, label in zip(blind, y, strict=True):
            for j, code in enumerate(row):
                counts[label, j][code] += code != 0
        for row, label in zip(seen, y, strict=True):
            for j in range(len(row)):
                best = max(counts[label, j].items(), key=lambda item: (item[1], -item[0]))
                row[j] = row[j] or (best[0] if best[1] else 0)
    return seen, blind, math.prod(k + 1 for k in sizes)


CASES = [
    {"missing": "ignore", "two_class": "single", "n_classes": 2},
    {"missing": "value", "two_class": "single", "n_classes": 2},
    {"missing": "most_frequent", "two_class": "single", "n_classes": 2},
    {"missing": "ignore", "two_class": "pair", "n_classes": 2},
    {"missing": "most_frequent", "two_class": "pair", "n_classes": 2},
    {"missing": "ignore", "two_class": "single", "n_classes": 3},
    {"missing": "value", "two_class": "single", "n_classes": 3},
    {"missing": "most_frequent", "two_class": "single", "n_classes": 3},
]


def case(missing, two_class, n_classes):
    X, y = table(len(missing), missing=0.15, n_classes=n_classes, noise=0.1)
    assert len(np.unique(y)) == n_classes
    seen, blind, theta = coded(X, y, missing)
    plain = PlainDNFWinnow(1 if n_classes == 2 and two_class == "single" else n_classes, Fraction(theta))
    classes, labels = np.unique(y, return_inverse=True)
    return X, y, seen, blind, plain, classes, labels.tolist()


@pytest.mark.parametrize("parameters", CASES, ids=lambda p: "-".join(map(str, p.values())))
def test_fit_is_the_plain_learner_epoch_by_epoch(parameters):
    X, y, seen, blind, plain, classes, labels = case(**parameters)
    model = ordered(missing=parameters["missing"], two_class=parameters["two_class"], max_epochs=6).fit(X, y)
    assert model.n_epochs_ == plain.fit(seen, labels, 6)
    assert model.n_updates_.tolist() == [len(mistakes) for mistakes in plain.mistakes]
    assert model.theta_ == plain.theta
    assert model.n_trials_ == len(X) * model.n_epochs_
    expected = [plain.sums(x) for x in blind]
    np.testing.assert_allclose(model.log_weighted_sum(X), [[log(w) for w in row] for row in expected], rtol=1e-12)
    predicted = [plain.predict(x) for x in blind]
    assert model.predict(X).tolist() == classes[predicted].tolist()
    decisions = model.decision_function(X)
    chosen = decisions.argmax(axis=1) if decisions.ndim == 2 else (decisions > 0).astype(int)
    assert chosen.tolist() == predicted


@pytest.mark.parametrize("parameters", CASES, ids=lambda p: "-".join(map(str, p.values())))
def test_partial_fit_is_the_plain_learner_trial_by_trial(parameters):
    X, y, seen, blind, plain, classes, labels = case(**parameters)
    model = ordered(missing=parameters["missing"], two_class=parameters["two_class"])
    expected = []
    for _ in range(2):
        for x, shown, label in zip(seen, blind, labels, strict=True):
            expected.append(plain.predict(shown))
            plain.learn(x, label)
    predicted = np.concatenate([model.partial_fit_predict(X, y, classes=classes) for _ in range(2)])
    assert predicted.tolist() == classes[expected].tolist()
    assert model.n_updates_.tolist() == [len(mistakes) for mistakes in plain.mistakes]
    assert model.n_mistakes_ == np.sum(np.array(expected) != np.tile(labels, 2)) > 0
    assert model.n_trials_ == 2 * len(X)


@pytest.mark.parametrize("parameters", CASES, ids=lambda p: "-".join(map(str, p.values())))
def test_rows_one_at_a_time_or_all_at_once(parameters):
    X, y, *_, classes, _ = case(**parameters)
    first = ordered(missing=parameters["missing"], two_class=parameters["two_class"]).partial_fit(X, y, classes=classes)
    second = copy.deepcopy(first)
    singly = [second.learn_one(x, label) for x, label in zip(X, y, strict=True)]
    assert first.partial_fit_predict(X, y).tolist() == singly
    assert first.logs_ == second.logs_
    assert (first.n_trials_, first.n_mistakes_) == (second.n_trials_, second.n_mistakes_)
    assert [second.predict_one(x) for x in X] == first.predict(X).tolist()
    assert [second.predict_one(dict(zip(["x0", "x1", "x2", "x3", "x4"], x, strict=True))) for x in X] == (
        first.predict(X).tolist()
    )


def test_monotone_data_have_unspecified_zeros():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 7))
    y = (X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3])
    plain = PlainDNFWinnow(1, Fraction(2**7))
    model = ordered(monotone=True).fit(X, y)
    assert model.n_epochs_ == plain.fit(X.tolist(), y.tolist(), 100) < 100
    assert model.theta_ == 2**7
    assert model.n_mistakes_ == len(plain.mistakes[0])
    np.testing.assert_array_equal(model.predict(X), y)
    with pytest.raises(ValueError, match="monotone columns must hold 0 or 1"):
        model.predict(X + 1)


def test_exact_ties_predict_1_and_the_lower_class():
    # Theta 8 is the sum of every row of three attributes before any mistake.
    X, y = [["a", "a", "a"], ["b", "b", "b"]], [0, 1]
    model = ordered(theta=8).partial_fit(X[:1], y[:1], classes=[0, 1])
    assert model.n_mistakes_ == 1  # the tie predicted 1
    assert model.predict_one(["a", "a", "a"]) == 0
    fresh = ordered(theta=8, max_epochs=1).partial_fit(X[1:], y[1:], classes=[0, 1])
    assert fresh.n_mistakes_ == 0
    assert fresh.predict(X[1:]).tolist() == [1]
    assert fresh.decision_function(X[1:]).tolist() == [5e-324]
    pair = ordered(two_class="pair", theta=1e6).partial_fit(X, y, classes=[0, 1])
    assert pair.predict([["c", "c", "c"]]).tolist() == [0]  # all unspecified: promoted once each, the sums tie
    assert pair.decision_function([["c", "c", "c"]]).tolist() == [0.0]
    three = ordered(theta=1e6).partial_fit(X, y, classes=[0, 1, 2])
    decisions = three.decision_function([["c", "c", "c"]])
    assert decisions[0, 0] == decisions[0, 1] > decisions[0, 2]
    assert three.predict([["c", "c", "c"]]).tolist() == [0]


def test_the_same_table_in_any_form():
    X, y = table(3, missing=0.1)
    expected = ordered().fit(X, y).decision_function(X)
    frame = pd.DataFrame(X, columns=list("pqrst"))
    numbers = np.vectorize({"a": 1, "b": 2, "c": 3, None: 0}.get)(X)
    whole = table(3)[0]
    forms = [
        (X.tolist(), X.tolist()),
        (np.where(np.equal(X, None), "?", X).astype(str),) * 2,
        (frame, frame),
        (frame.astype("category"), frame),
        (pl.DataFrame(dict(zip("pqrst", X.T.tolist(), strict=True))),) * 2,
        (pl.DataFrame(dict(zip("pqrst", X.T.tolist(), strict=True))).cast(pl.Categorical),) * 2,
    ]
    for train, test in forms:
        np.testing.assert_array_equal(ordered().fit(train, y).decision_function(test), expected)
    assert ordered().fit(frame, y).feature_names_in_.tolist() == list("pqrst")
    integers = ordered(missing="value", categorical=range(5)).fit(numbers, y)
    assert integers.theta_ == ordered(missing="value").fit(X, y).theta_
    np.testing.assert_array_equal(
        ordered(categorical=range(5)).fit(np.vectorize(ord)(whole), y).predict(np.vectorize(ord)(whole)),
        ordered().fit(whole, y).predict(whole),
    )


def test_columns_of_numbers_are_cut_inside():
    iris = load_dataset("iris", as_frame=True)
    X, y = iris.data.assign(kind=["odd", "odd", "even"] * 50), iris.target
    model = ordered(shuffle=True, random_state=0).fit(X[::2], y[::2])
    assert (model.predict(X[1::2]) == y[1::2]).mean() > 0.9
    assert model.encoder_.describe("petal-length", 1).startswith("petal-length < ")
    ages = pd.DataFrame({"age": [20, 30, 40, 50] * 5})
    young = ages["age"] < 35
    assert ordered().fit(ages, young).theta_ == 3
    assert ordered(categorical=["age"]).fit(ages, young).theta_ == 5


def test_unseen_categories_are_missing():
    X, y = table(4)
    for way in ("ignore", "value", "most_frequent"):
        model = ordered(missing=way).fit(X, y)
        new, gone = X.copy(), X.copy()
        new[::2, 1], gone[::2, 1] = "never seen", None
        np.testing.assert_array_equal(model.decision_function(new), model.decision_function(gone))
        before = model.theta_
        model.partial_fit(new, y)
        assert model.theta_ == before


@pytest.mark.parametrize(("n_classes", "two_class"), [(2, "single"), (2, "pair"), (3, "single")])
def test_results_do_not_depend_on_n_jobs(n_classes, two_class):
    X, y = table(5, shape=(150, 12), n_classes=n_classes, noise=0.1)
    parameters = {"two_class": two_class, "shuffle": True, "random_state": 3, "max_epochs": 5}
    one, many = (ordered(n_jobs=n_jobs, **parameters).fit(X, y) for n_jobs in (1, 3))
    assert one.logs_ == many.logs_
    assert one.n_mistakes_ == many.n_mistakes_
    np.testing.assert_array_equal(one.decision_function(X), many.decision_function(X))
    np.testing.assert_array_equal(one.predict(X), many.predict(X))
    assert one.logs_ != ordered(**parameters | {"shuffle": False}).fit(X, y).logs_


@pytest.mark.parametrize("engine", [BruteForce(), Exact(max_nodes=10**6)])
@pytest.mark.parametrize(("n_classes", "two_class"), [(2, "single"), (2, "pair"), (3, "single")])
def test_engines_agree(engine, n_classes, two_class):
    X, y = table(6, n_classes=n_classes, missing=0.1, noise=0.1)
    expected = ordered(two_class=two_class, max_epochs=4).fit(X, y)
    model = clone(ordered(two_class=two_class, max_epochs=4, engine=engine)).fit(X, y)
    assert model.logs_ == expected.logs_
    assert model.predict(X).tolist() == expected.predict(X).tolist()
    np.testing.assert_allclose(model.decision_function(X), expected.decision_function(X), atol=1e-12)
    np.testing.assert_allclose(expected.log_weighted_sum(X, engine=engine), expected.log_weighted_sum(X))
    estimates = expected.estimate(X, engine=engine)
    np.testing.assert_allclose([[e.log_sum for e in row] for row in estimates], model.log_weighted_sum(X))
    assert all(e.exact and e.steps for row in estimates for e in row)
    assert model.partial_fit_predict(X, y).tolist() == expected.partial_fit_predict(X, y).tolist()


def test_rows_are_shuffled_anew_for_each_epoch():
    X, y = table(12, noise=0.1)
    model = DNFWinnow(max_literals=None, random_state=7, max_epochs=3).fit(X, y)
    other = DNFWinnow(max_literals=None, random_state=7, max_epochs=3).fit(X, y)
    assert model.logs_ == other.logs_
    assert model.logs_ != DNFWinnow(max_literals=None, random_state=8, max_epochs=3).fit(X, y).logs_


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_a_clean_epoch_the_longest_run_is_kept(n_classes):
    X, y = table(13, n_classes=n_classes, noise=0.2)
    X[1], y[0], y[1] = X[0], "no", "yes"  # never to be learned
    seen, _, theta = coded(X, y, "ignore")
    labels = np.unique(y, return_inverse=True)[1].tolist()
    plain = PlainDNFWinnow(1 if n_classes == 2 else n_classes, Fraction(theta))
    model = ordered(keep="longest", max_epochs=5).fit(X, y)
    last = ordered(max_epochs=5).fit(X, y)
    runs = [[0] for _ in plain.mistakes]  # right predictions after 0, 1, ... mistakes
    active = list(range(len(runs)))
    for _ in range(5):
        wrong = set()
        for x, label in zip(seen, labels, strict=True):
            found = plain.learn(x, label, active)
            wrong.update(found)
            for c in active:
                runs[c].extend([0] if c in found else [])
                runs[c][-1] += c not in found
        active = [c for c in active if c in wrong]
    assert model.n_updates_.tolist() == last.n_updates_.tolist() == [len(m) for m in plain.mistakes]
    for c, (kept, mistakes) in enumerate(zip(model.logs_, plain.mistakes, strict=True)):
        best = max(range(1, len(runs[c])), key=lambda j: (runs[c][j], j)) if c in active else len(mistakes)
        nets = Counter()
        for z, sign in mistakes[:best]:
            nets[z] += sign
        assert {tuple(z): net for z, net in zip(kept.codes.tolist(), kept.nets.tolist(), strict=True)} == {
            z: net for z, net in nets.items() if net
        }
    assert model.logs_ != last.logs_


def test_a_bounded_log_stays_bounded():
    X, y = table(7, shape=(200, 8), noise=0.2)
    model = ordered(max_mistakes=10, max_epochs=3).fit(X, y)
    assert len(model.logs_[0]) == 10
    assert model.logs_[0].n_forgotten > 0
    model.partial_fit(X, y)
    assert len(model.logs_[0]) == 10
    assert model.n_mistakes_ == model.n_updates_[0] == model.logs_[0].n_mistakes


def test_pickles_go_on_exactly():
    X, y = table(8, shape=(120, 8), noise=0.1, missing=0.1)
    model = ordered(missing="most_frequent").partial_fit(X[:60], y[:60], classes=["no", "yes"])
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.partial_fit_predict(X[60:], y[60:]), other.partial_fit_predict(X[60:], y[60:]))
    assert model.logs_ == other.logs_
    assert model.n_mistakes_ == other.n_mistakes_


def test_predictions_of_many_rows_are_those_of_few():
    X, y = table(9)
    model = ordered().fit(X, y)
    many = np.tile(X, (250, 1))
    for rows in (many, pd.DataFrame(many), many.tolist()):
        np.testing.assert_array_equal(model.predict(rows), np.tile(model.predict(X), 250))
    np.testing.assert_array_equal(model.decision_function(many), np.tile(model.decision_function(X), 250))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 1.0}, "alpha must be > 1"),
        ({"theta": 0}, "theta must be a number > 0"),
        ({"theta": "big"}, "theta must be a number > 0"),
        ({"max_epochs": 0}, "max_epochs must be an integer >= 1"),
        ({"training__max_mistakes": 0}, "max_mistakes must be an integer >= 1"),
        ({"encoder__missing": "drop"}, "missing must be one of"),
        ({"training__keep": "best"}, "keep must be 'longest' or 'last'"),
        ({"training__two_class": "both"}, "two_class must be"),
        ({"engine": "magic"}, "an engine must be an instance of winnowkit.dnf.Engine"),
        ({"encoder__categorical": ["age"]}, "no column 'age'"),
    ],
)
def test_wrong_parameters(parameters, message):
    X, y = table(10)
    model = ordered().fit(X, y)
    before = model.decision_function(X)
    model.set_params(**parameters)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_wrong_data_change_nothing():
    X, y = table(11)
    with pytest.raises(NotFittedError):
        ordered().predict(X)
    with pytest.raises(NotFittedError):
        ordered().learn_one(X[0], "no")
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        ordered().partial_fit(X, y)
    with pytest.raises(ValueError, match="y contains only one class"):
        ordered().fit(X, np.full(len(X), "no"))
    model = ordered().fit(X, y)
    state = pickle.dumps(model)
    for wrong in (
        lambda: model.partial_fit(X[:, :3], y),
        lambda: model.partial_fit(X, np.where(y == "no", "perhaps", y)),
        lambda: model.partial_fit(X, y, classes=["no", "yes", "zoo"]),
        lambda: model.partial_fit(X, y[:-1]),
        lambda: model.learn_one(X[0, :3], "no"),
        lambda: model.learn_one(X[0], "perhaps"),
        lambda: model.fit(X, y[:-1]),
        lambda: model.log_weighted_sum(X, engine="exact"),
    ):
        with pytest.raises(ValueError, match=r"."):
            wrong()
        assert pickle.dumps(model) == state


def test_an_exceeded_budget_changes_nothing():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (150, 40))
    y = rng.integers(0, 2, 150)
    model = ordered(engine=Exact(max_nodes=3))
    with pytest.raises(BudgetExceeded):
        model.fit(X, y)
    assert not hasattr(model, "classes_")
    model.partial_fit(X[:5], y[:5], classes=[0, 1])
    before = model.logs_[0].n_mistakes, model.n_trials_
    with pytest.raises(BudgetExceeded):
        model.partial_fit(X, y)
    assert (model.logs_[0].n_mistakes, model.n_trials_) == before


def test_fit_can_be_asked_to_stop_between_epochs():
    X, y = load_dataset("voting", return_X_y=True)
    asked = []

    def stop(epoch):
        asked.append(epoch)
        return epoch == 3

    model = DNFWinnow(max_literals=None, random_state=0)._fit(X, y, stop=stop)
    assert asked == [0, 1, 2, 3]
    assert model.n_epochs_ == 3
    same = DNFWinnow(training=MistakeDriven(two_class="single"), random_state=0, max_epochs=3).fit(X, y)
    assert model.logs_ == same.logs_
    assert DNFWinnow(max_literals=None, random_state=0)._fit(X, y, stop=lambda epoch: True).n_epochs_ == 1  # noqa: ARG005
