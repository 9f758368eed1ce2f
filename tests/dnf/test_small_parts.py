"""Small parts of DNFWinnow, each against what it says it is."""

import itertools
import math
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from winnowkit import DNFWinnow
from winnowkit.data import CategoryEncoder
from winnowkit.dnf import (
    Agreement,
    Ladder,
    MistakeDriven,
    MistakeLog,
    Soft,
    bound_literals,
    choose,
    pair_choice,
    table_fit,
)
from winnowkit.dnf.bound_literals import BoundLiterals, encode_for_mistakes
from winnowkit.dnf.bound_search import MOST_LOG2, Search
from winnowkit.dnf.explain import flips_of
from winnowkit.dnf.kernels.pair_gains import pair_gains
from winnowkit.dnf.kernels.rule_search import ABOVE, AT_MOST, EQUAL
from winnowkit.dnf.mistake_driven import PAPER
from winnowkit.dnf.pair_choice import rank_pairs
from winnowkit.dnf.rule_choice import rules_of_model
from winnowkit.dnf.rule_choice.local_search import LocalSearch, RuleLimits, Shape
from winnowkit.dnf.rule_choice.merged_rows import RuleColumns, RuleTable
from winnowkit.dnf.rule_choice.rules_of_model import _part, encoded
from winnowkit.dnf.rule_choice.trust import Teacher, counts_of
from winnowkit.dnf.short_term_tables import MOST_LITERALS, check_size
from winnowkit.dnf.soft_learners import SoftLearners, calibration, losses_of
from winnowkit.dnf.soft_training import FLAT, Course
from winnowkit.rulesets import RuleSet, TradeOff, TradeOffPoint


def kinds(*allowed):
    return sum(1 << kind for kind in allowed)


def test_which_conditions_a_monotonic_constraint_leaves():
    """A column of numbers that may rise, one that may fall, a free one, one with special values, and categories."""
    columns = RuleColumns(np.array([5, 5, 5, 5, 0]), np.array([5, 5, 5, 7, 3]), np.array([1, -1, 0, 0, 0]))
    free = [kinds(AT_MOST, ABOVE), kinds(AT_MOST, ABOVE, EQUAL), kinds(EQUAL)]
    assert columns.allowed(1).tolist() == [kinds(ABOVE), kinds(AT_MOST), *free]
    assert columns.allowed(0).tolist() == [kinds(AT_MOST), kinds(ABOVE), *free]


class Steps:
    """Predicts by the code of the first column: 0 up to code 2, 1 up to code 5, then 2."""

    def predict(self, X, *_):
        return np.searchsorted([2, 5], X[:, 0])


def test_neighbouring_values_with_one_label_are_one_flip():
    numbers = np.arange(80.0)[:, None] / 2
    encoder = CategoryEncoder(numbers="bounds").fit(numbers, (numbers[:, 0] > 30).astype(int), max_cuts=6)
    cuts = encoder.cuts_[0].tolist()
    assert len(cuts) == 6
    x = np.array([4], dtype=np.int32)
    flips = flips_of(Steps(), encoder, np.array(["low", "middle", "high"]), x, 1)
    assert [(flip.label, [str(condition) for condition in flip.conditions]) for flip in flips] == [
        ("low", [f"x0 <= {cuts[1]:g}"]),
        ("high", [f"x0 > {cuts[4]:g}"]),
    ]


def test_rules_have_cuts_of_their_own_for_numbers_alone():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    words = rng.choice(["a", "b", "c"], (200, 2)).astype(object)
    encoder = CategoryEncoder().fit(words, labels)
    same, cells = encoded(encoder, words, labels)
    assert same is encoder
    assert np.array_equal(cells, encoder.transform(words))
    numbers = rng.random((200, 1))
    encoder = CategoryEncoder(numbers="intervals").fit(numbers, (numbers[:, 0] > 0.5).astype(int))
    own, cells = encoded(encoder, numbers, (numbers[:, 0] > 0.5).astype(int))
    assert own.numbers == "bounds"
    assert len(own.cuts_[0]) > len(encoder.cuts_[0])
    assert cells.max() == len(own.cuts_[0]) + 1


@pytest.mark.parametrize(("theta", "promotions"), [(1.2, 1), (1.5, 2), (2.2, 2), (3.3, 3)])
def test_an_expert_of_weight_theta_has_the_fewest_promotions_that_exceed_it(theta, promotions):
    X = np.array([[0, 1], [1, 0], [0, 0], [1, 1]])
    training = MistakeDriven(experts=[({"x0": 1}, 1, "theta")])
    model = DNFWinnow(max_literals=None, theta=theta, training=training)
    model.partial_fit(X, [1, 1, 1, 1], classes=[0, 1])
    *_, (term, net) = model.logs_[0]._given  # the term itself comes last, after its parts
    assert np.count_nonzero(term) == 1
    assert net == promotions


@pytest.mark.parametrize(
    ("alpha", "theta", "theorem"),
    [
        (1.5, "auto", "Tao & Scott 2004"),
        (1.5, 7, "Auer & Warmuth 1998"),
        (1.4, "auto", "Auer & Warmuth 1998"),
        (1.4, 9, "Auer & Warmuth 1998"),
    ],
)
def test_which_theorem_covers_which_parameters(alpha, theta, theorem):
    X = [["a", "x"], ["b", "y"], ["a", "y"], ["b", "x"]]
    training = MistakeDriven(margin=0, max_updates=None, two_class="single", keep="last")
    model = DNFWinnow(max_literals=None, alpha=alpha, theta=theta, training=training)
    assert model.partial_fit(X, [0, 1, 1, 0], classes=[0, 1]).certificate(1).theorem.startswith(theorem)


@pytest.mark.parametrize("sign", [1, -1])
def test_thresholds_that_a_search_in_floats_takes(sign):
    log = MistakeLog(3)  # the threshold is divided by 2^3 for its free attributes
    log.append([1, 2, 1], +1)
    agreement = Agreement.of(log, np.array([1, 2, 1], dtype=np.int32))
    for share, taken in ((0.999, True), (1.001, False)):
        assert Search.takes(agreement, (sign * share * MOST_LOG2 + 3) * np.log(2)) == taken


def test_as_many_categories_as_tables_of_short_terms_may_have():
    check_size([MOST_LITERALS - 5, 5], 1)
    with pytest.raises(ValueError, match="drop such columns or merge categories"):
        check_size([MOST_LITERALS - 5, 6], 1)


# --- the table -------------------------------------------------------------------------------------------------------

ROWS, LABELS = [["a", "x"], ["b", "y"], ["a", "y"], ["b", "x"]] * 3, [0, 1, 1, 0] * 3


@pytest.mark.parametrize("training", [Soft(), MistakeDriven()])
def test_a_prediction_leaves_the_columns_of_the_model_as_they_are(training):
    model = DNFWinnow(max_literals=None if isinstance(training, MistakeDriven) else 1, training=training)
    model.partial_fit(np.array(ROWS), LABELS, classes=[0, 1])
    for wrong in (np.array(ROWS)[:, :1], np.hstack([ROWS, ROWS])):
        with pytest.raises(ValueError, match=f"X has {wrong.shape[1]} features"):
            model.predict(wrong)
        assert model.n_features_in_ == 2


def test_rows_by_name_may_lack_names():
    named = [{"first": first, "second": second} for first, second in ROWS]
    model = DNFWinnow(max_literals=None).partial_fit(named, LABELS, classes=[0, 1])
    plain = DNFWinnow(max_literals=None).partial_fit(ROWS, LABELS, classes=[0, 1])
    some = [{"second": "y"}, {"second": "x", "first": "b"}, {"first": "a"}]
    assert model.predict(some).tolist() == plain.predict([[None, "y"], ["b", "x"], ["a", None]]).tolist()


def test_a_model_of_a_frame_predicts_rows_by_name():
    frame = pd.DataFrame(ROWS, columns=["first", "second"])
    for model in (DNFWinnow(max_literals=None), DNFWinnow(max_literals=1, training=Soft())):
        model.partial_fit(frame, LABELS, classes=[0, 1])
        expected = model.predict(frame).tolist()
        assert model.predict(frame.to_dict("records")).tolist() == expected


class OnlyAnArray:
    """A table of a library that says no more than how it becomes an array."""

    def __init__(self, rows):
        self.rows, self.shape = np.array(rows), (len(rows), len(rows[0]))

    def __array__(self, dtype=None, copy=None):
        return self.rows


def test_tables_that_only_become_arrays_are_predicted():
    model = DNFWinnow(max_literals=None).partial_fit(ROWS, LABELS, classes=[0, 1])
    assert model.predict(OnlyAnArray(ROWS)).tolist() == model.predict(ROWS).tolist()


def test_as_many_attributes_of_bounds_as_sums_may_have(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.random((80, 3))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)

    def n_attributes(most):
        monkeypatch.setattr(bound_literals, "MOST_ATTRIBUTES", most)
        encoder, _ = encode_for_mistakes(CategoryEncoder(numbers="bounds"), X, y, None)
        return int(np.count_nonzero(BoundLiterals(encoder).n_allowed))

    found = n_attributes(10**9)
    assert n_attributes(found) == found
    assert n_attributes(found - 1) < found


def test_soft_training_counts_no_mistakes():
    model = DNFWinnow(max_literals=1, max_epochs=1, random_state=0).fit(ROWS * 4, LABELS * 4)
    assert model.n_mistakes_ == 0
    assert model.n_trials_ == model.n_epochs_ * len(ROWS) * 4


def test_probabilities_are_those_of_the_calibrated_score():
    model = DNFWinnow(max_literals=None).partial_fit(ROWS, LABELS, classes=[0, 1])
    assert not hasattr(model, "predict_proba")  # nobody calibrated it
    model._scale = 0.25
    expected = 1 / (1 + np.exp(-0.25 * model.decision_function(ROWS)))
    assert model.predict_proba(ROWS)[:, 1] == pytest.approx(expected, rel=1e-12)


def test_the_parameters_of_the_paper():
    model = DNFWinnow(**PAPER)
    chosen = {name: getattr(model.training, name) for name in ("two_class", "margin", "max_updates", "keep", "shuffle")}
    assert chosen == {"two_class": "pair", "margin": 0, "max_updates": None, "keep": "last", "shuffle": False}
    assert model.encoder.missing == "ignore"


@pytest.mark.parametrize("eps", [0.0, 1.0, 1.5])
def test_an_accuracy_is_between_0_and_1(eps):
    with pytest.raises(ValueError, match=r"accuracy must be in \(0, 1\) or None"):
        Ladder.from_accuracy(eps)


# --- soft training ---------------------------------------------------------------------------------------------------


def test_when_training_is_over():
    flat, falling, rising = (Course(100, 2.0) for _ in range(3))
    for epoch in range(1, 12):
        flat.add(2.0 - FLAT * epoch / 20)  # less than the share of the first loss in ten epochs
        falling.add(2.0 - 4 * FLAT * epoch)
        rising.add(epoch / 4)
        assert flat.is_over == (epoch >= 10)
        assert not falling.is_over
        assert rising.is_over == (epoch >= 11)
        assert (flat.best_epoch, falling.best_epoch, rising.best_epoch) == (epoch, epoch, 1)
    last = Course(3, 1.0)
    for loss, over in ((0.9, False), (0.5, False), (0.499, False)):
        last.add(loss)
        assert last.is_over == over  # it fell much in the last epochs, though they are the last
    slow = Course(3, 1.0)
    for loss in (0.999, 0.998, 0.997):
        slow.add(loss)
    assert slow.is_over


def test_calibration_without_a_shift_has_none():
    rng = np.random.default_rng(0)
    scores, targets = rng.normal(size=(1, 300)), rng.integers(0, 2, 300)
    scores += 2.0 * targets + 0.5
    weights = rng.integers(1, 4, 300).astype(float)
    scale, shift = calibration(scores, targets, weights, shifted=False)
    assert shift == 0.0
    ends = [np.array([float(np.abs(scores[0]) @ weights / weights.sum())]) * side for side in (1, -1)]

    def loss(factor):
        further = sum(np.logaddexp(0.0, -factor * end[0]) for end in ends)
        return losses_of(factor * scores, targets) @ weights + further

    factors = np.linspace(0.05, 3.0, 2951)
    assert scale == pytest.approx(factors[np.argmin([loss(factor) for factor in factors])], abs=2e-3)
    assert calibration(scores, targets, weights)[1] != 0.0


@pytest.fixture(scope="module")
def soft_state():
    """A soft model of one column of words, as a file has it."""
    tables = DNFWinnow(max_literals=1, training=Soft()).partial_fit([["a"], ["b"]] * 4, [0, 1] * 4, classes=[0, 1])
    return tables._learners.__getstate__()


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_ordered": [0]},
        {"n_other": [2]},
        {"n_ordered": np.array([[0]])},
        {"n_other": np.array([2, 2])},
        {"n_ordered": np.array([0.0])},
        {"n_other": np.array([-2])},
        {"max_literals": 0},
        {"max_literals": 3},
        {"max_literals": 1.0},
        {"pairs": np.array([[0, 1]])},
    ],
)
def test_soft_tables_of_a_file_are_checked(soft_state, wrong):
    SoftLearners.__new__(SoftLearners).__setstate__(soft_state)
    with pytest.raises(ValueError, match="the columns of soft tables do not have these cells"):
        SoftLearners.__new__(SoftLearners).__setstate__({**soft_state, **wrong})


@pytest.mark.parametrize("pairs", [[[0, 1], [0, 1]], [[1, 2], [0, 1]], [[1, 0]], [[0, 0]], [[0, 3]]])
def test_pairs_of_a_file_come_once_and_in_order(pairs):
    n_ordered, n_other = np.zeros(3, dtype=np.int64), np.full(3, 2)
    state = {"n_ordered": n_ordered, "n_other": n_other, "max_literals": 2, "bias": np.zeros(1)}
    SoftLearners.__new__(SoftLearners).__setstate__(
        {**state, "pairs": np.array([[0, 1], [0, 2]]), "weights": np.zeros((1, 6 + 8))}
    )
    with pytest.raises(ValueError, match="soft tables"):
        SoftLearners.__new__(SoftLearners).__setstate__(
            {**state, "pairs": np.array(pairs), "weights": np.zeros((1, 6 + 4 * len(pairs)))}
        )


def test_weights_of_a_file_are_finite(soft_state):
    for name in ("weights", "bias"):
        wrong = soft_state[name].copy()
        wrong.flat[0] = np.nan
        with pytest.raises(ValueError, match="weights of soft tables"):
            SoftLearners.__new__(SoftLearners).__setstate__({**soft_state, name: wrong})


def test_precise_rules_of_a_soft_model_need_rows_and_labels():
    model = DNFWinnow(max_literals=1, training=Soft()).partial_fit(ROWS, LABELS, classes=[0, 1])
    for given in ({}, {"X": ROWS}):
        with pytest.raises(ValueError, match="pass X and y"):
            model.rules(min_precision=0.5, **given)


# --- pairs of columns ------------------------------------------------------------------------------------------------


def test_moments_of_the_gain_of_a_pair_that_tells_nothing():
    rng = np.random.default_rng(0)
    cells, prior = rng.integers(0, [[4], [2], [3]], (3, 60)), 2.0
    residuals, variances = rng.normal(size=(2, 60)), rng.random((2, 60))
    found = pair_gains(cells.astype(np.uint16), np.array([4, 2, 3]), residuals, variances, prior)
    for at, (i, j) in enumerate(itertools.combinations(range(3), 2)):
        where, parts = 10 * cells[i] + cells[j], []
        for v in variances:
            sums = np.array([v[where == u].sum() for u in np.unique(where)])
            parts.append(sums / (sums + prior))
        assert found[1, at] == pytest.approx(np.concatenate(parts).sum())
        assert found[2, at] == pytest.approx(2 * (np.concatenate(parts) ** 2).sum())


def test_few_groups_of_many_cells():
    """Nothing specified is a group of its own, and so is each cell without an order."""
    few = pair_choice.GROUPS
    n_ordered, n_other = np.array([0, few + 3, 2 * few, 2]), np.array([3, 2, 0, 1])
    cells = np.zeros((4, 3 * few + 9), dtype=np.uint16)
    for j in range(4):
        cells[j] = np.arange(cells.shape[1]) % (1 + n_ordered[j] + n_other[j])
    groups, n_groups = pair_choice._groups(cells, n_ordered, n_other)
    assert n_groups.tolist() == [4, 1 + few + 2, 1 + few, 4]
    for j in range(4):
        of_cell = dict(zip(cells[j].tolist(), groups[j].tolist(), strict=True))
        assert sorted(set(of_cell.values())) == list(range(n_groups[j]))
        ordered = [of_cell[cell] for cell in range(1, 1 + n_ordered[j])]
        assert of_cell[0] == 0
        assert ordered == sorted(ordered)
        assert set(ordered) == set(range(1, 1 + min(few, n_ordered[j])))
        sizes = np.bincount(ordered)[1:]
        assert max(sizes, default=0) <= min(sizes, default=0) + 1
        assert [of_cell[1 + n_ordered[j] + k] for k in range(n_other[j])] == [
            n_groups[j] - n_other[j] + k for k in range(n_other[j])
        ]


def test_the_pair_that_matters_comes_first_with_three_classes():
    rng = np.random.default_rng(0)
    cells = rng.integers(1, 3, (400, 5))
    targets = np.where(cells[:, 0] == 1, (cells[:, 1] == cells[:, 3]).astype(np.int64), rng.integers(0, 3, 400))
    some = np.full(5, 2), np.zeros(5, dtype=np.int64)
    assert rank_pairs(cells, *some, np.zeros((3, 400)), targets, np.ones(400))[0] == (1, 3)


# --- rules that are chosen by rows -----------------------------------------------------------------------------------


def test_rows_held_out_do_not_move_the_cuts():
    rng = np.random.default_rng(0)
    X = rng.random((120, 2))
    labels = (X[:, 0] > 0.5).astype(int)
    held = np.arange(120) % 4 == 0
    monotonic = np.zeros(2, dtype=np.int64)
    found = []
    for far in (1.0, 5.0):
        rows = np.where(held[:, None], far * X, X)
        encoder = CategoryEncoder(numbers="bounds").fit(rows, labels)
        own, cells = encoded(encoder, rows, labels)
        learned, others, columns = _part(own, cells, rows, labels, held, monotonic)
        found.append((learned, columns.n_ordered))
        assert len(others) == held.sum()
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])


def test_a_rule_is_replaced_by_a_better_one_only(monkeypatch):
    columns = RuleColumns(np.array([0, 0]), np.array([2, 2]), np.zeros(2, dtype=np.int64))
    cells = np.array(list(itertools.product([1, 2], repeat=2)), dtype=np.int32)
    table = RuleTable(cells, np.array([[0.0, 0, 5, 5], [9, 3, 0, 0]]), columns)  # class 1 is where column 0 is 1
    search = LocalSearch(table, Shape(0, (1,)), 1.0, RuleLimits(9, 9, 99, math.inf))
    best = search.at(0.25)
    assert [rule.term for rule in best.rules] == [((0, EQUAL, 1),)]
    poorer = ((0, EQUAL, 1), (1, EQUAL, 1))
    monkeypatch.setattr(table, "best", lambda *_, **__: poorer)
    assert [rule.term for rule in search._improved(best, 0.25).rules] == [((0, EQUAL, 1),)]


def test_teachers_take_half_of_the_time_at_most(monkeypatch):
    clock = [time.monotonic()]
    begun = clock[0]

    def taught(self, *given):
        _, targets, weights, cells, _, deadline = given
        clock[0] = deadline  # as if each of them took all of its time
        return cells, counts_of(targets, weights, self.n_classes)

    monkeypatch.setattr(rules_of_model, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(Teacher, "taught", taught)
    X, y = np.array(ROWS * 5), np.random.default_rng(0).integers(0, 2, 60)  # noise: labels are not trusted
    model = DNFWinnow(max_literals=1, max_epochs=1, random_state=0).fit(X, y)
    model.trade_off(X, y, max_time=10_000, max_complexity=2)
    assert clock[0] - begun == pytest.approx(5_000)


def test_without_labels_the_most_accurate_rules_are_chosen(monkeypatch):
    points = [
        TradeOffPoint(
            complexity, accuracy, 0.1, RuleSet.from_text(f"columns: age\nif age > {complexity} then yes\nelse no")
        )
        for complexity, accuracy in ((2, 0.9), (4, 0.95), (6, 0.95))
    ]
    monkeypatch.setattr(rules_of_model, "trade_off", lambda *_: TradeOff(points))
    limits = rules_of_model.ChoiceLimits()
    assert rules_of_model.compact(None, None, [1], None, limits) == points[0].rules  # as good, and simpler
    assert rules_of_model.compact(None, None, None, None, limits) == points[1].rules


def test_a_model_of_all_terms_says_how_long_it_took_and_is_calibrated(monkeypatch):
    def forced(task, mistakes, soft, *_):
        return table_fit.fit_all_terms_if_better(task, mistakes, soft, 60.0, lambda *_: True)

    monkeypatch.setattr(choose, "needs_all_terms", lambda *_: True)
    monkeypatch.setattr(choose, "fit_all_terms_if_better", forced)
    X = np.array(list(itertools.product("ab", repeat=3)) * 6)
    y = (X == "a").sum(axis=1) % 2
    begun = time.monotonic()
    model = DNFWinnow(random_state=0).fit(X, y)
    elapsed = time.monotonic() - begun
    assert model.chosen_["training"] == "mistake-driven"
    assert 0 <= model.chosen_["tried"][-1]["seconds"] <= elapsed
    shares = model.predict_proba(X)
    assert (model.classes_[shares.argmax(axis=1)] == model.predict(X)).all()
    plain = DNFWinnow(max_literals=1, max_epochs=1, random_state=0).fit(X, y)
    assert not hasattr(plain, "_scale")
