"""Rules chosen by rows: the search beside one that lists every term, limits, constraints, and the curve."""

import time
from itertools import combinations, product

import numpy as np
import pytest

from winnowkit import DNFWinnow
from winnowkit.data import CategoryEncoder, load_dataset
from winnowkit.dnf.kernels.rule_search import ABOVE, AT_MOST, EQUAL
from winnowkit.dnf.rule_choice.local_search import LocalSearch, RuleLimits, RulePath, Shape
from winnowkit.dnf.rule_choice.merged_rows import RuleColumns, RuleTable
from winnowkit.dnf.rule_choice.trust import MIXED_PER_ROW, NEAREST, Teacher, counts_of, mixed
from winnowkit.rulesets import TradeOff


def columns_of(n_ordered, n_other, monotonic=None):
    n_ordered, n_other = np.array(n_ordered, dtype=np.int64), np.array(n_other, dtype=np.int64)
    none = np.zeros(len(n_ordered), dtype=np.int64)
    return RuleColumns(n_ordered, n_ordered + n_other, none if monotonic is None else np.array(monotonic))


def all_terms(columns, max_literals):
    """List every term, naively; of the conditions on one column only a range has two."""
    literals = []
    for j, (ordered, cells) in enumerate(zip(columns.n_ordered.tolist(), columns.n_cells.tolist(), strict=True)):
        literals += [(j, AT_MOST, cut) for cut in range(1, ordered)]
        literals += [(j, ABOVE, cut) for cut in range(1, ordered)]
        literals += [(j, EQUAL, cell) for cell in range(ordered + 1, cells + 1)]
    for size in range(1, max_literals + 1):
        for term in combinations(literals, size):
            kinds = [(j, kind) for j, kind, _ in term]
            with_equal = {j for j, kind in kinds if kind == EQUAL}
            if len(set(kinds)) == size and all(sum(j == k for k, _ in kinds) == 1 for j in with_equal):
                yield term


def naive_covers(term, row, columns):
    tests = {
        AT_MOST: lambda cell, cut, _: 1 <= cell <= cut,
        ABOVE: lambda cell, cut, ordered: cut < cell <= ordered,
        EQUAL: lambda cell, wanted, _: cell == wanted,
    }
    return all(tests[kind](row[j], code, columns.n_ordered[j]) for j, kind, code in term)


def random_table(seed, n_ordered, n_other, n_rows=60):
    rng = np.random.default_rng(seed)
    columns = columns_of(n_ordered, n_other)
    cells = np.stack([rng.integers(0, n + 1, n_rows) for n in columns.n_cells], axis=1).astype(np.int32)
    classes = rng.integers(0, 2, n_rows)
    return RuleTable(cells, np.stack([classes == 0, classes == 1]).astype(float), columns), cells


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n_ordered", "n_other", "longest"), [([0] * 4, [3] * 4, 2), ([4, 3, 0], [0, 1, 2], 1)])
def test_the_search_finds_what_listing_every_term_finds(seed, n_ordered, n_other, longest):
    table, _ = random_table(seed, n_ordered, n_other)
    gains = table.weights[1] - table.weights[0]
    worths = {}
    for term in all_terms(table.columns, longest):
        covered = np.array([naive_covers(term, row, table.columns) for row in table.codes])
        assert np.array_equal(table.covers(term), covered)
        worths[term] = gains[covered].sum() - 0.3 * (1 + len(term))
    found = table.best(gains, 1, price=0.3, max_literals=longest)
    assert found is not None
    assert worths[found] == pytest.approx(max(worths.values()))
    assert table.best(gains, 1, price=60.0, max_literals=longest) is None


@pytest.mark.parametrize("seed", range(3))
def test_a_long_search_finds_a_planted_term(seed):
    _, cells = random_table(seed, [6, 5, 0, 0], [0, 1, 3, 2], n_rows=600)
    columns = columns_of([6, 5, 0, 0], [0, 1, 3, 2])
    term = ((0, ABOVE, 2), (1, AT_MOST, 3), (2, EQUAL, 2))
    classes = np.array([naive_covers(term, row, columns) for row in cells])
    table = RuleTable(cells, np.stack([~classes, classes]).astype(float), columns)
    assert table.best(table.weights[1] - table.weights[0], 1, price=0.2, max_literals=4) == term


def test_identical_rows_are_merged_and_count_as_often_as_they_occur():
    columns = columns_of([0], [2])
    table = RuleTable(np.array([[1], [1], [2], [1]]), np.array([[1.0, 0, 1, 0], [0, 1, 0, 2]]), columns)
    assert table.n_rows == 2
    assert table.weights.tolist() == [[1, 1], [3, 0]]


@pytest.mark.parametrize(("rules", "literals", "complexity"), [(1, 6, 99), (99, 1, 99), (99, 6, 7)])
def test_lists_keep_to_their_limits(rules, literals, complexity):
    table, _ = random_table(0, [6, 5, 0, 0], [0, 1, 3, 2], n_rows=200)
    path = RulePath(table, RuleLimits(rules, literals, complexity, np.inf))
    for price in (8.0, 2.0, 0.5):
        chosen = path.at(price)
        assert len(chosen.rules) <= rules
        assert max((len(rule.term) for rule in chosen.rules), default=0) <= literals
        assert chosen.complexity <= complexity
    assert chosen.rules


def test_a_rule_that_is_worth_exactly_its_price_is_not_added_and_is_dropped():
    weights = np.array([[0.0, 5.0], [2.0, 0.0]])  # a rule of one condition gains 2
    table = RuleTable(np.array([[1], [2]]), weights, columns_of([0], [2]))
    search = LocalSearch(table, Shape(0, (1,)), 1.0, RuleLimits(9, 9, 99, np.inf))
    assert [len(search.at(price).rules) for price in (1.0, 0.99, 1.0)] == [0, 1, 0]


def test_a_list_of_several_classes_may_end_with_another_class_than_the_most_frequent_one():
    """No for a = 1 or b = 1, else maybe for c = 1, else yes: the other way round, it takes four rules for yes alone."""
    cells = np.array(list(product([1, 2, 3], repeat=3)), dtype=np.int32)
    a, b, c = (cells == 1).T
    classes = np.where(a | b, 0, np.where(c, 2, 1))
    table = RuleTable(cells, (classes == np.arange(3)[:, None]).astype(float), columns_of([0] * 3, [3] * 3))
    chosen = RulePath(table, RuleLimits(99, 6, 99, np.inf)).at(0.1)
    assert (chosen.default, chosen.complexity, chosen.wrong(table)) == (1, 6, 0.0)


# --- the curve --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def boards():
    data = load_dataset("tic-tac-toe", as_frame=True)
    return data.data, data.target, DNFWinnow(max_literals=3, random_state=0).fit(data.data, data.target)


def test_the_curve_of_tic_tac_toe_ends_with_the_eight_lines(boards):
    X, y, model = boards
    curve = model.trade_off(X, y)
    assert isinstance(curve, TradeOff)
    best = curve.best
    assert (best.complexity, len(best.rules)) == (32, 8)
    assert best.accuracy == pytest.approx(1.0)
    assert max(point.accuracy for point in curve) <= 1.0
    assert all(rule.label == "positive" and {c.value for c in rule.conditions} == {"x"} for rule in best.rules)
    assert (best.rules.predict(X) == y).all()
    assert [point.complexity for point in curve] == sorted({point.rules.complexity for point in curve})


def test_limits_of_the_curve(boards):
    X, y, model = boards
    assert all(point.complexity <= 9 for point in model.trade_off(X, y, max_complexity=9))
    assert all(len(point.rules) <= 2 for point in model.trade_off(X, y, max_rules=2))
    short = model.trade_off(X, y, max_time=1e-9)
    assert len(short) == 1
    assert not short.best.rules.complete
    for name, value in [("max_complexity", -1), ("max_rules", 1.5), ("max_literals", 0), ("max_time", 0)]:
        with pytest.raises(ValueError, match=f"{name} must be"):
            model.trade_off(X, y, **{name: value})
    with pytest.raises(ValueError, match="no rows"):
        model.trade_off(X[:0], y[:0])


def test_lists_of_several_classes():
    X, y = load_dataset("iris", return_X_y=True)
    model = DNFWinnow(max_literals=1, max_epochs=2, random_state=0).fit(X, y)
    best = model.trade_off(X, y).best
    assert best.accuracy > 0.9
    assert set(best.rules.predict(X)) == set(y)
    assert best.complexity <= 8


def risks(seed, n_rows=200):
    """Debt and income: the risk rises with the one and falls with the other, and debts of 20 to 35 are a risk."""
    rng = np.random.default_rng(seed)
    X = np.stack([rng.uniform(0, 100, n_rows), rng.uniform(0, 100, n_rows)], axis=1).round(1)
    noisy = X[:, 0] - X[:, 1] + rng.normal(0, 10, n_rows) > 0
    return X, (noisy | ((X[:, 0] > 20) & (X[:, 0] < 35))).astype(int)


def violations(rules, column, direction):
    """Count the steps of a grid at which the label moves against the constraint."""
    grid = np.array(list(product(np.linspace(0, 100, 41), repeat=2)))
    said = rules.predict(grid).reshape(41, 41)
    return int((direction * np.diff(said, axis=column) < 0).sum())


def test_monotonic_constraints_hold_everywhere_and_free_rules_break_them():
    broken = 0
    for seed in range(2):
        X, y = risks(seed)
        model = DNFWinnow(max_literals=1, max_epochs=2, random_state=0).fit(X, y)
        for point in model.trade_off(X, y, monotonic_cst=[1, -1], max_complexity=12):
            assert violations(point.rules, 0, 1) == violations(point.rules, 1, -1) == 0
        assert point.rules
        broken += sum(violations(point.rules, 0, 1) for point in model.trade_off(X, y, max_complexity=12))
    named = model.trade_off(X, y, monotonic_cst={"x0": 1, "x1": -1}, max_complexity=12)
    assert named[-1].rules == point.rules
    assert broken  # the control: without constraints some rules are not monotonic


@pytest.mark.parametrize(
    ("constraints", "message"),
    [([1], "must have 2 numbers"), ({"debt": 1}, "which is none of"), ([2, 0], "must be -1, 0 or 1")],
)
def test_constraints_that_make_no_sense(constraints, message):
    X, y = risks(0)
    model = DNFWinnow(max_literals=1, max_epochs=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.trade_off(X, y, monotonic_cst=constraints)


def test_class_weights_of_the_model_count():
    X, y = risks(1)
    plain = DNFWinnow(max_literals=1, max_epochs=2, random_state=0).fit(X, y)
    heavy = DNFWinnow(max_literals=1, max_epochs=2, class_weight={0: 1, 1: 10}, random_state=0).fit(X, y)
    few, many = (model.trade_off(X, y, max_complexity=12).best.rules.predict(X) for model in (plain, heavy))
    assert np.mean(many[y == 1] == 1) > 0.95
    assert np.mean(many[y == 1] == 1) > np.mean(few[y == 1] == 1)


@pytest.mark.parametrize(
    ("by_label", "by_code"), [({"low": 1, "risk": 10}, {0: 1, 1: 10}), ({"risk": 10}, {1: 10}), ("balanced",) * 2]
)
def test_class_weights_go_by_label(by_label, by_code):
    X, y = risks(1)
    labels, models = np.array(["low", "risk"])[y], []
    for given, weights in ((labels, by_label), (y, by_code)):
        models.append(DNFWinnow(max_literals=1, max_epochs=2, class_weight=weights, random_state=0).fit(X, given))
    named, coded = models
    rules, twin = named.compact(X, labels, max_complexity=12), coded.compact(X, y, max_complexity=12)
    assert ((rules.predict(X) == "risk") == twin.predict(X)).all()
    low = X[y == 0]
    assert set(named.compact(low, labels[y == 0]).predict(low)) == {"low"}  # though no row has the other class


def test_identifiers_and_constants_are_never_conditions_nor_is_a_present_value():
    rng = np.random.default_rng(0)
    size = rng.uniform(0, 10, 120).round(1)
    rows = [[f"customer {i}", "EUR", value] for i, value in enumerate(size)]
    with pytest.warns(UserWarning, match="left out"):
        model = DNFWinnow(max_literals=1, max_epochs=2, random_state=0).fit(rows, (size > 5).astype(int))
    conditions = [
        condition
        for point in model.trade_off(rows, (size > 5) ^ (rng.random(120) < 0.1))
        for rule in point.rules
        for condition in rule.conditions
    ]
    assert conditions
    assert {condition.column for condition in conditions} == {"x2"}
    assert {condition.operator for condition in conditions} <= {">", "<="}


def test_the_accuracy_on_rows_held_out_is_no_better_than_chance_on_noise():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 6)), rng.integers(0, 2, 400)
    model = DNFWinnow(max_literals=1, max_epochs=2, random_state=0).fit(X, y)
    last = model.trade_off(X, y)[-1]
    assert np.mean(last.rules.predict(X) == y) > 0.57  # the control: rules do fit the rows that they are chosen by
    assert last.accuracy < 0.5 + 4 * last.standard_error  # z = 4, one side: false alarms 3e-5


# --- trust ------------------------------------------------------------------------------------------------------------


def noisy_table(n_rows=400):
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, 2)).round(3)
    wrong = rng.random(n_rows) < 0.15
    return X, (X[:, 0] > 0.5) ^ wrong, wrong


def taught(X, targets, labels_are_right=False):
    """Return the cells of the rows, and what a teacher makes of them: cells, and counts for both classes."""
    encoder = CategoryEncoder(numbers="bounds")
    cells = encoder.fit_transform(X, targets, max_cuts=15)
    teacher = Teacher.like(encoder, 2, 2, 1, len(X))._replace(labels_are_right=labels_are_right)
    return cells, *teacher.taught(X, targets, np.ones(len(X)), cells, encoder.n_ordered_)


def test_labels_that_a_model_takes_for_noise_are_trusted_less():
    X, y, wrong = noisy_table()
    cells, rows, counts = taught(X, y.astype(np.int64))
    trust = counts[y.astype(np.int64), np.arange(len(y))]
    assert rows is cells
    assert (counts.sum(axis=0) == trust).all()
    assert trust[wrong].mean() < 0.35
    assert trust[~wrong].mean() > 0.65


def test_every_label_is_trusted_where_a_class_is_absent():
    X, y, _ = noisy_table()
    _, _, counts = taught(X, np.zeros(len(y), dtype=np.int64))
    assert (counts == [[1.0], [0.0]]).all()


def test_every_label_is_trusted_where_there_is_no_time_to_train():
    X, y, _ = noisy_table()
    encoder = CategoryEncoder(numbers="bounds")
    cells = encoder.fit_transform(X, y, max_cuts=15)
    targets = (y | (X[:, 1] < 0.5)).astype(np.int64)
    teacher = Teacher.like(encoder, 2, 2, 1, len(X))
    _, counts = teacher.taught(X, targets, np.ones(len(X)), cells, encoder.n_ordered_, deadline=time.monotonic())
    assert (counts == [targets == 0, targets == 1]).all()


def test_half_of_the_time_is_left_for_the_search(monkeypatch):
    deadlines = []

    def taught(self, *given):
        _, targets, weights, cells, _, deadline = given
        deadlines.append(deadline)
        return cells, counts_of(targets, weights, self.n_classes)

    monkeypatch.setattr(Teacher, "taught", taught)
    X, y, _ = noisy_table()
    DNFWinnow(max_literals=1, max_epochs=2, random_state=0).fit(X, y).trade_off(X, y, max_time=10_000)
    assert len(deadlines) == 11  # all rows, and ten parts
    assert max(deadlines) <= time.monotonic() + 5_000


def test_where_labels_are_right_a_model_labels_mixtures_of_neighbours():
    X, *_ = noisy_table()
    y = (X[:, 0] > 0.5).astype(np.int64)
    cells, rows, counts = taught(X, y, labels_are_right=True)
    n = len(cells)
    assert len(rows) == (1 + MIXED_PER_ROW) * n
    assert (rows[:n] == cells).all()
    assert (counts[y, np.arange(n)] == 1.0).all()
    first = np.repeat(np.arange(n), MIXED_PER_ROW)
    assert (np.abs(rows[n:] - cells[first]) <= 4).all()  # of 400 rows in a square, the 10 nearest are in 16 x 16 cells
    assert (rows[n:] != cells[first]).any(axis=1).mean() > 0.25
    lies_right = rows[n:, 0] > np.bincount(y, cells[:, 0])[0] / np.bincount(y)[0] * 2 + 1  # well past the middle
    assert (counts[1, n:][lies_right] > 0.5).all()
    np.testing.assert_allclose(counts[:, n:].sum(axis=0), 1.0, atol=1 / 128)


def test_a_teacher_that_errs_labels_no_mixtures():
    X, y, _ = noisy_table()
    cells, rows, counts = taught(X, y.astype(np.int64), labels_are_right=True)
    assert rows is cells
    assert (counts.sum(axis=0) == 1.0).all()


def test_mixtures_take_each_value_from_one_of_two_near_rows():
    rng = np.random.default_rng(0)
    cells = np.stack([rng.integers(1, 9, 40), rng.integers(1, 4, 40), rng.integers(0, 3, 40)], axis=1).astype(np.int32)
    n_ordered = np.array([8, 0, 2])
    first, sources = mixed(cells, n_ordered, np.random.default_rng(1))

    def distance(a, b):  # naively
        far = 0.0
        for x, z, most in zip(a.tolist(), b.tolist(), n_ordered.tolist(), strict=True):
            numbers = 1 <= x <= most and 1 <= z <= most
            far += abs(x - z) / (most - 1) if numbers else float(x != z)
        return far

    for i, row in zip(first.tolist(), sources.tolist(), strict=True):
        others = set(row) - {i}
        assert len(others) <= 1
        for other in others:
            nearer = sum(distance(cells[i], cells[k]) < distance(cells[i], cells[other]) - 1e-6 for k in range(40))
            assert nearer <= NEAREST  # the row itself is one of them


def test_a_teacher_has_shorter_terms_where_long_ones_would_be_many():
    X = np.random.default_rng(0).random((300, 12))
    encoder = CategoryEncoder(numbers="bounds")
    encoder.fit_transform(X, X[:, 0] > 0.5, max_cuts=31)
    assert Teacher.like(encoder, 3, 2, 1, len(X)).max_literals == 1
    assert Teacher.like(encoder, 2, 2, 1, 10**9).max_literals == 2
    assert Teacher.like(encoder, 3, 2, 1, 10**9).max_literals == 2
