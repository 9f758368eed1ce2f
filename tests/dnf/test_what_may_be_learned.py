"""max_literals, forbid and experts of DNFWinnow."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import naive_dnf
from naive_short_terms import NaiveShortTerms
from winnowkit import DNFWinnow
from winnowkit.data import CategoryEncoder, load_dataset
from winnowkit.dnf import Exact, Ladder, MistakeDriven


def planted(seed, n_rows=400, n=12):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n))
    return X, (X[:, 0] & X[:, 1] & (1 - X[:, 2]) | X[:, 3] & X[:, 4]).astype(int)


@pytest.mark.parametrize("two_class", ["single", "pair"])
def test_short_terms_find_a_planted_formula(two_class):
    X, y = planted(0)
    model = DNFWinnow(training=MistakeDriven(two_class=two_class), max_literals=3, random_state=0).fit(X, y)
    assert (model.predict(X) == y).all()
    top = [str(rule) for rule in model.rules(max_rules=4) if rule.label == 1]
    assert set(top[:2]) == {"if x0 = 1 and x1 = 1 and x2 = 0 then 1", "if x3 = 1 and x4 = 1 then 1"}
    assert model.theta_ == 1 + 2 * 12 + 4 * 66 + 8 * 220
    twin = pickle.loads(pickle.dumps(model))
    assert (twin.decision_function(X[:20]) == model.decision_function(X[:20])).all()


def test_as_long_as_the_row_short_terms_are_all_terms():
    X, y = load_dataset("monks-2", return_X_y=True)
    every, short = (
        DNFWinnow(training=MistakeDriven(keep="last"), max_literals=k, random_state=0, max_epochs=5).fit(X, y)
        for k in (None, 6)
    )
    assert every.theta_ == short.theta_
    assert every.logs_[0] == short.logs_[0]
    np.testing.assert_allclose(every.decision_function(X), short.decision_function(X), rtol=0, atol=1e-9)


def test_short_terms_learn_on_line_and_many_classes():
    X, y = load_dataset("iris", return_X_y=True)
    model = DNFWinnow(max_literals=2, training=MistakeDriven())
    model.partial_fit(X, y, classes=np.unique(y))
    model.learn_one(X[0], y[0])
    assert model.predict(X[:2]).tolist() == [model.predict_one(row) for row in X[:2]]
    assert model.estimate(X[:1])[0][0].exact


def test_monotone_ties_are_decided_exactly():
    X = np.ones((4, 5), dtype=int)
    X[:2, 0] = 0
    model = DNFWinnow(
        training=MistakeDriven(margin=0, shuffle=False, keep="last"),
        encoder=CategoryEncoder(monotone=True),
        max_literals=2,
        max_epochs=1,
    ).fit(X, [0, 0, 1, 1])
    assert model.theta_ == 16
    assert model.n_mistakes_ == 0  # the row of ones has a sum of exactly 16


@pytest.mark.parametrize("wrong", [0, 1.5, True])
def test_max_literals_is_checked(wrong):
    with pytest.raises(ValueError, match="max_literals must be an integer >= 1"):
        DNFWinnow(max_literals=wrong).fit(*planted(0))


def test_max_literals_sums_by_tables_only():
    with pytest.raises(ValueError, match="engine must be 'auto' with max_literals"):
        DNFWinnow(max_literals=2, engine=Exact(), training=MistakeDriven()).fit(*planted(0))
    with pytest.raises(ValueError, match="leave engine=None"):
        DNFWinnow(max_literals=2, training=MistakeDriven()).fit(*planted(0)).log_weighted_sum(
            planted(0)[0], engine=Exact()
        )


# --- forbid -----------------------------------------------------------------------------------------------------------


def test_a_forbidden_column_might_as_well_not_be_there():
    X, y = planted(1)
    model = DNFWinnow(max_literals=None, encoder=CategoryEncoder(forbid=["x3", 4]), random_state=0, max_epochs=3).fit(
        X, y
    )
    without = DNFWinnow(max_literals=None, random_state=0, max_epochs=3).fit(np.delete(X, [3, 4], axis=1), y)
    assert model.theta_ == without.theta_ == 3**10
    assert (model.predict(X) == without.predict(np.delete(X, [3, 4], axis=1))).all()
    assert not {"x3", "x4"} & {c.column for rule in model.rules() for c in rule.conditions}
    assert not {"x3", "x4"} & {flip.conditions[0].column for flip in model.explain(X[0]).flips}


def test_a_forbidden_value_is_in_no_rule():
    X, y = planted(2)
    model = DNFWinnow(
        max_literals=None, encoder=CategoryEncoder(forbid=[("x2", 0), ("x5", 1)]), random_state=0, max_epochs=3
    ).fit(X, y)
    conditions = {(c.column, c.value) for rule in model.rules(max_rules=200) for c in rule.conditions}
    assert ("x2", 1) in conditions
    assert not {("x2", 0), ("x5", 1)} & conditions
    assert model.theta_ == 3**10 * 2**2
    one = X[0].copy()
    assert model.predict_one(one) == model.predict(X[:1])[0]


def test_what_cannot_be_forbidden_is_refused():
    X, y = planted(0)
    with pytest.raises(ValueError, match="no column 'age'"):
        DNFWinnow(max_literals=None, encoder=CategoryEncoder(forbid=["age"])).fit(X, y)
    with pytest.raises(ValueError, match="column 'x0' has no category 7; it has 0, 1"):
        DNFWinnow(max_literals=None, encoder=CategoryEncoder(forbid=[("x0", 7)])).fit(X, y)
    with pytest.raises(ValueError, match="forbid excludes every column"):
        DNFWinnow(max_literals=None, encoder=CategoryEncoder(forbid=list(range(12)))).fit(X, y)


# --- experts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_literals", [None, 3])
def test_an_expert_changes_the_weight_of_its_term_alone(max_literals):
    X, y = planted(3, n=5)
    rule = {"x0": 1, "x1": 1, "x2": 0}
    model = DNFWinnow(training=MistakeDriven(experts=[(rule, 1, 7)]), max_literals=max_literals)
    model.partial_fit(X[y == 0], y[y == 0], classes=[0, 1])
    assert model.n_mistakes_ == 0  # all is as at the start
    x = model.encoder_.transform_one([1, 1, 0, 0, 1]).tolist()
    given = list(zip(model.logs_[0].codes.tolist(), model.logs_[0].nets.tolist(), strict=True))
    for term in naive_dnf.subsets(range(5)):
        assert naive_dnf.net(term, x, given) == (7 if term == (0, 1, 2) else 0)
    n_terms = sum(1 for term in naive_dnf.subsets(range(5)) if len(term) <= (max_literals or 5))
    assert np.exp(model.log_weighted_sum([[1, 1, 0, 0, 1]])[0, 0]) == pytest.approx(n_terms - 1 + 1.5**7)
    assert np.exp(model.log_weighted_sum([[1, 1, 1, 0, 1]])[0, 0]) == pytest.approx(n_terms)


def test_an_expert_that_is_right_spares_mistakes():
    X, y = planted(4)
    plain = DNFWinnow(max_literals=None, random_state=0).fit(X, y)
    experts = [({"x0": 1, "x1": 1, "x2": 0}, 1, "theta"), ({3: 1, 4: 1}, 1, "theta")]
    told = DNFWinnow(training=MistakeDriven(experts=experts), random_state=0)
    assert clone(told).get_params()["training__experts"] == experts
    told.fit(X, y)
    assert told.n_mistakes_ == 0 < plain.n_mistakes_
    assert (told.predict(X) == y).all()


def test_an_expert_that_is_wrong_is_overruled():
    X, y = planted(5)
    model = DNFWinnow(training=MistakeDriven(experts=[({"x9": 1}, 1, "theta")]), random_state=0).fit(X, y)
    assert (model.predict(X) == y).all()
    assert model.n_mistakes_ > 0


def test_experts_survive_the_choice_of_the_longest_run():
    X, y = planted(6)
    noisy = np.where(np.random.default_rng(0).random(len(y)) < 0.2, 1 - y, y)
    model = DNFWinnow(
        training=MistakeDriven(experts=[({"x9": 1, "x8": 1}, 1, 500)]),
        random_state=0,
        max_epochs=2,
        max_literals=2,
    )
    rules = model.fit(X, noisy).rules(max_rules=1)
    assert str(rules[0]) == "if x8 = 1 and x9 = 1 then 1"


@pytest.mark.parametrize(
    ("experts", "message"),
    [
        ([({"x0": 1}, 0, 3)], 'two_class="pair"'),
        ([({"x0": 1}, 2, 3)], "label must be one of"),
        ([({"x0": 1}, 1, 0.5)], "promotions must be an integer or 'theta'"),
        ([({}, 1, 3)], "from 1 to 8 conditions"),
        ([("x0", 1)], "experts must be triples"),
        ([({"x0": 9}, 1, 3)], "has no category 9"),
        ([({"x3": 1}, 1, 3)], "which is forbidden"),
    ],
)
def test_experts_are_checked(experts, message):
    with pytest.raises(ValueError, match=message):
        DNFWinnow(training=MistakeDriven(experts=experts), encoder=CategoryEncoder(forbid=["x3"])).fit(*planted(0))


def test_experts_are_known_to_engines_that_sample():
    X, y = [["a", "b"], ["b", "a"], ["b", "b"]] * 2, [1, 0, 0] * 2
    experts = [({0: "a"}, 1, "theta")]
    model = DNFWinnow(training=MistakeDriven(experts=experts), engine=Ladder(), max_epochs=3, random_state=0).fit(X, y)
    assert model.predict([["a", "a"], ["b", "b"]]).tolist() == [1, 0]
    sums = [model.estimate([["a", "b"]], engine=engine)[0][0].log_sum for engine in (Exact(), Ladder(bounds="totals"))]
    assert sums[0] == pytest.approx(sums[1], abs=0.2)


# --- all of them against an enumeration -------------------------------------------------------------------------------


def allowed_literals(row, monotone, forbidden):
    """The literals of a row of zeros and ones that terms may have."""
    literals = [(j, value) for j, value in enumerate(row) if value or not monotone]
    return [pair for pair in literals if pair not in forbidden and pair[0] not in forbidden]


@settings(deadline=None, max_examples=20, derandomize=True)
@given(
    seed=st.integers(0, 10_000),
    monotone=st.booleans(),
    forbidden=st.sampled_from([[], [2], [(1, 1)], [0, (3, 1)], [(1, 0), (4, 1)]]),
    experts=st.sampled_from([[], [({0: 1, 3: 1}, 4)], [({3: 1}, 2), ({2: 1, 4: 1}, 5)]]),
    max_literals=st.sampled_from([None, 1, 2, 3]),
)
def test_trials_are_those_of_an_enumeration_of_what_may_be_learned(seed, monotone, forbidden, experts, max_literals):
    forbidden = [entry for entry in forbidden if not monotone or not isinstance(entry, tuple) or entry[1]]
    experts = [
        (term, net)
        for term, net in experts
        if not any(column in forbidden or (column, value) in forbidden for column, value in term.items())
        and len(term) <= (max_literals or 5)
    ]
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (45, 5))
    X[0], X[1] = 0, 1  # both values of every column
    y = X[:, 0] & X[:, 3] | X[:, 2] & (rng.random(45) < 0.7)
    training = MistakeDriven(
        margin=0, max_updates=None, two_class="single", keep="last", shuffle=False,
        experts=[(term, 1, net) for term, net in experts],
    )  # fmt: skip
    encoder = CategoryEncoder(monotone=monotone, forbid=forbidden)
    model = DNFWinnow(max_literals=max_literals, training=training, encoder=encoder, random_state=0)
    mistakes = model.partial_fit(X[:10], y[:10], classes=[0, 1]).n_mistakes_
    nets = {tuple(sorted(term.items())): net for term, net in experts}
    naive = NaiveShortTerms(
        lambda row: allowed_literals(row, monotone, forbidden), model.theta_, max_literals or X.shape[1], nets
    )
    expected = [naive.trial(row, label) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    assert mistakes == np.sum(expected[:10] != y[:10])
    assert [model.learn_one(row, label) for row, label in zip(X[10:], y[10:].tolist(), strict=True)] == expected[10:]
    sums = [float(naive.sum(row)) for row in X.tolist()]
    np.testing.assert_allclose(np.exp(model.log_weighted_sum(X)[:, 0]), sums, rtol=1e-9)
