"""Rules, compact rule sets and explanations of DNFWinnow."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import naive_dnf
from winnowkit import DNFWinnow
from winnowkit.data import CategoryEncoder, load_dataset
from winnowkit.dnf import Ladder, MistakeDriven

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@pytest.fixture(scope="module")
def boards():
    X, y = load_dataset("tic-tac-toe", return_X_y=True)
    return X, y, DNFWinnow(max_literals=None, random_state=0).fit(X, y)


def columns(rule):
    return tuple(int(condition.column[1:]) for condition in rule.conditions)


def test_monks_1_is_read_back_as_its_own_formula():
    X, y = load_dataset("monks-1", return_X_y=True)
    rules = DNFWinnow(max_literals=None, random_state=0).fit(X, y).rules(max_rules=4)
    formula = {"if x4 = 1"} | {f"if x0 = {v} and x1 = {v}" for v in (1, 2, 3)}
    assert {str(rule).replace('"', "").removesuffix(" then 1") for rule in rules} == formula
    assert rules.predict(load_dataset("monks-1-test").data).tolist() == load_dataset("monks-1-test").target.tolist()


def test_the_eight_heaviest_precise_rules_of_tic_tac_toe_are_the_winning_lines(boards):
    X, y, model = boards
    rules = model.rules(X, y, max_rules=8, min_precision=0.9)
    assert rules.complete
    assert {columns(rule) for rule in rules} == set(LINES)
    assert {str(condition.value) for rule in rules for condition in rule.conditions} == {"x"}
    assert {columns(rule) for rule in model.rules(X, y, max_rules=8)} == set(LINES)  # these are the heaviest of all
    with pytest.raises(ValueError, match=r"min_precision=0\.9 is measured on rows and their labels: pass X and y"):
        model.rules(min_precision=0.9)


def test_the_heaviest_rules_of_tic_tac_toe_are_winning_lines(boards):
    X, y, model = boards
    rules = model.rules(X, y, max_rules=6)
    assert {columns(rule) for rule in rules} < set(LINES)
    assert all(rule.precision == 1.0 and rule.support == len(rule.rows) for rule in rules)
    weights = [rule.weight for rule in rules]
    assert weights == sorted(weights, reverse=True)
    alone = f"a rule with a weight of at least {4**9:.3g} decides on its own"
    assert str(rules).startswith(f"6 rules, the heaviest first; {alone}")


def test_a_rule_weighs_what_its_mistakes_made_it(boards):
    _, _, model = boards
    log = model.logs_[0]
    for rule in model.rules(max_rules=5):
        assert rule.support is None
        assert rule.log_weight == pytest.approx(log.nets[list(rule.mistakes)].sum() * math.log(1.5))


def test_the_compact_rules_of_tic_tac_toe_are_the_eight_lines(boards):
    X, y, model = boards
    rules = model.compact(X, y)
    assert {columns(rule) for rule in rules} == set(LINES)
    assert rules.report.agreement == 1.0
    assert rules.report.error == 0.0
    assert len(rules.report.curve) == 9
    assert list(rules.report.curve) == sorted(rules.report.curve, reverse=True)
    assert rules.report.curve[0] == pytest.approx(np.mean(y == "positive"))
    assert (rules.predict(X) == y).all()


@pytest.mark.filterwarnings("ignore:These columns are left out")  # one of annealing is constant
@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.parametrize("name", ["iris", "voting", "annealing"])
def test_what_the_report_says_is_so(name, missing):
    X, y = load_dataset(name, return_X_y=True)
    model = DNFWinnow(max_literals=None, encoder=CategoryEncoder(missing=missing), random_state=0, max_epochs=5).fit(
        X, y
    )
    rules = model.compact(X, y, max_literals=2, max_complexity=12)
    predicted = rules.predict(X)
    assert rules.report.error == pytest.approx(np.mean(predicted != y))
    assert rules.report.agreement == pytest.approx(np.mean(predicted == model.predict(X)))
    assert [rules.predict_one(row) for row in X[:50]] == predicted[:50].tolist()
    likeness = model.compact(X, max_literals=2, max_complexity=12)
    assert likeness.report.error is None
    assert likeness.report.curve[-1] == pytest.approx(1 - likeness.report.agreement)
    assert likeness.report.agreement >= 0.8


def test_noise_in_the_labels_makes_no_rules():
    rng = np.random.default_rng(0)
    X = rng.choice(list("abc"), (300, 6)).astype(object)
    clean = (X[:, 0] == "a") | (X[:, 1] == "b")
    noisy = clean ^ (rng.random(300) < 0.1)
    model = DNFWinnow(max_literals=None, random_state=0, max_epochs=5).fit(X, noisy)
    rules = model.compact(X, noisy)
    assert np.mean(rules.predict(X) == clean) > 0.99
    assert len(rules) == 2
    assert model.compact(X, noisy) == rules
    assert model.compact(X).report.agreement > 0.99


def test_frames_and_arrays_are_predicted_alike():
    frame = load_dataset("voting", as_frame=True)
    model = DNFWinnow(max_literals=None, random_state=0, max_epochs=3).fit(frame.data, frame.target)
    rules = model.compact(frame.data, frame.target)
    assert (rules.predict(frame.data) == rules.predict(load_dataset("voting").data)).all()
    assert (rules.predict(frame.data[frame.data.columns[::-1]]) == rules.predict(frame.data)).all()
    with pytest.raises(ValueError, match="X has no column"):
        rules.predict(pd.DataFrame({"nothing": ["y"]}))
    with pytest.raises(ValueError, match="X has 2 columns, but the rules expect 16"):
        rules.predict([["y", "n"]])


def test_short_rules_are_short(boards):
    X, y, model = boards
    assert max(len(rule.conditions) for rule in model.rules(max_literals=2)) == 2
    assert max(len(rule.conditions) for rule in model.compact(X, y, max_literals=2)) <= 2


def test_the_curve_is_plotted(boards):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y, model = boards
    rules = model.compact(X, y)
    line = rules.plot().get_lines()[0]
    assert line.get_ydata()[-1] == 0.0
    assert len(line.get_xdata()) == 9
    matplotlib.pyplot.close("all")
    with pytest.raises(ValueError, match="nothing to plot"):
        model.rules().plot()


def test_rules_of_a_model_that_has_learned_nothing():
    with pytest.raises(NotFittedError):
        DNFWinnow(max_literals=None).rules()
    model = DNFWinnow(max_literals=None).partial_fit([["a"], ["b"]], [0, 1], classes=[0, 1])
    assert model.rules().default == 0


# --- explanations -----------------------------------------------------------------------------------------------------


def shares(x, mistakes, named, max_literals):
    """Shares of W, by walking through every term of x: those that contain the first term named, the second, ..."""
    specified = [j for j, code in enumerate(x) if code]
    parts = [Fraction(0)] * (len(named) + 1)
    for term in naive_dnf.subsets(specified):
        if len(term) <= max_literals:
            first = next((k for k, one in enumerate(named) if set(one) <= set(term)), len(named))
            parts[first] += Fraction(3, 2) ** naive_dnf.net(term, x, mistakes)
    return [float(part / sum(parts)) for part in parts]


@pytest.mark.parametrize("max_literals", [None, 2, 3])
def test_shares_are_those_of_an_enumeration(max_literals):
    rng = np.random.default_rng(0)
    X = rng.choice(list("abc"), (80, 6)).astype(object)
    y = ((X[:, 0] == "a") & (X[:, 1] == "b") | (X[:, 2] == "c")).astype(int)
    model = DNFWinnow(
        training=MistakeDriven(two_class="single"),
        random_state=0,
        max_epochs=2,
        max_literals=max_literals,
    ).fit(X, y)
    log = model.logs_[0]
    mistakes = [(z, net) for z, net in zip(log.codes.tolist(), log.nets.tolist(), strict=True)]
    for row in X[:12]:
        why = model.explain(row, max_terms=4)
        codes = model.encoder_.transform_one(row).tolist()
        named = [columns(share.rule) for share in why.terms]
        assert [*(share.share for share in why.terms), why.rest] == pytest.approx(
            shares(codes, mistakes, named, max_literals or 6), abs=1e-9
        )
        assert why.exact
        assert why.label == model.predict_one(row)
        assert why.log_ratio == pytest.approx(model.decision_function([row])[0], abs=1e-9)
        assert all(
            rule.holds(dict(zip(model.encoder_.feature_names_, row, strict=True)))
            for rule in (share.rule for share in why.terms)
        )


def test_sampled_shares_are_near_the_exact_ones():
    rng = np.random.default_rng(1)
    X = rng.choice(list("ab"), (150, 12)).astype(object)
    y = ((X[:, 0] == "a") & (X[:, 1] == "b") | (X[:, 2] == "b") & (X[:, 3] == "b")).astype(int)
    model = DNFWinnow(max_literals=None, random_state=0, max_epochs=3).fit(X, y)
    sampled = DNFWinnow(max_literals=None, random_state=0, max_epochs=3).fit(X, y)
    sampled._learners.engine = Ladder(steps=20_000)
    for row in X[:4]:
        exact, near = model.explain(row, max_terms=3), sampled.explain(row, max_terms=3)
        assert exact.exact
        assert not near.exact
        assert "(sampled)" in str(near)
        assert [share.rule for share in near.terms] == [share.rule for share in exact.terms]
        for one, other in zip(exact.terms, near.terms, strict=True):
            assert other.share == pytest.approx(one.share, abs=0.1)
            assert other.alone == pytest.approx(one.alone, rel=0.2)
        assert near.rest == pytest.approx(exact.rest, abs=0.1)
        assert sum(share.share for share in near.terms) + near.rest == pytest.approx(1)
        assert near.log_ratio == pytest.approx(exact.log_ratio, abs=0.2)


def test_flips_are_all_single_changes_that_flip(boards):
    X, _, model = boards
    for row in X[[0, 300, 900]]:
        why = model.explain(row)
        told = {(flip.conditions[0].column, flip.conditions[0].value): flip.label for flip in why.flips}
        for j in range(9):
            for value in "box":
                changed = row.copy()
                changed[j] = value
                label = model.predict_one(changed)
                assert told.get((f"x{j}", value), why.label) == label
    assert "what would flip it" in str(why)
    assert "all other terms" in why._repr_html_()
    assert "&lt;" not in why._repr_html_()


def test_explanations_of_many_classes_are_about_the_predicted_one():
    X, y = load_dataset("iris", return_X_y=True)
    model = DNFWinnow(max_literals=None, random_state=0).fit(X, y)
    why = model.explain(X[0])
    assert why.label == why.evidence_for == model.predict(X[:1])[0]
    assert all(flip.label != why.label for flip in why.flips)
    with pytest.raises(ValueError, match="max_terms must be from 1 to 8, got 9"):
        model.explain(X[0], max_terms=9)


def test_compact_has_a_rule_where_none_would_be_nearly_as_good():
    X, y = load_dataset("breast-cancer", return_X_y=True)
    rules = DNFWinnow(max_literals=None, random_state=0).fit(X, y).compact(X, y)
    assert 1 <= len(rules) <= 5
    assert rules.report.curve[-1] < rules.report.curve[0]


def test_compact_refuses_no_rows(boards):
    X, y, model = boards
    with pytest.raises(ValueError, match="rules are chosen by their errors on rows, and X has no rows"):
        model.compact(X[:0], y[:0])
