"""Soft training of DNFWinnow: its face, its choice of terms, and what is shown of it."""

import copy
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss

from winnowkit import DNFWinnow, load, save
from winnowkit.data import ColumnWarning, load_dataset
from winnowkit.dnf import Exact, MistakeDriven, Soft, soft_training
from winnowkit.dnf.choose import is_better
from winnowkit.dnf.soft_interpretation import SoftExplanation


def people(n_rows=600, seed=0):
    """Ages, incomes and jobs; who is asked depends on the age being within a range, or on income and job together."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n_rows),
            "income": rng.normal(50_000, 15_000, n_rows).round(),
            "job": rng.choice(["nurse", "cook", "clerk"], n_rows),
        }
    )
    asked = ((frame.age > 40) & (frame.age <= 52)) | ((frame.income > 60_000) & (frame.job == "cook"))
    return frame, np.where(asked, "yes", "no")


@pytest.fixture(scope="module")
def model():
    return DNFWinnow(max_literals=2, random_state=0).fit(*people())


def test_bounds_of_numbers_and_pairs_are_learned(model):
    X, y = people(seed=1)
    assert (model.predict(X) != y).mean() < 0.06
    assert model.chosen_["training"] == "soft"
    assert model.chosen_["max_literals"] == 2


def crossed(n_rows=400, seed=0):
    """Two numbers of which exactly one must be large, with every tenth label wrong: no single condition helps."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 2))
    return X, ((X[:, 0] > 0.5) != (X[:, 1] > 0.5)) ^ (rng.random(n_rows) < 0.1)


def test_the_length_of_terms_is_chosen_on_rows_held_out():
    model = DNFWinnow(training=Soft(), random_state=0).fit(*crossed())
    tried = model.chosen_["tried"]
    assert [entry["max_literals"] for entry in tried] == [1, 2, 3]
    assert tried[1]["log_loss"] < tried[0]["log_loss"] - 0.1
    assert model.chosen_["max_literals"] in (2, 3)
    assert tried[0]["error"] > 0.3 > tried[1]["error"]


def test_one_literal_is_not_enough():
    X, y = crossed(seed=1)
    errors = [(DNFWinnow(max_literals=k, random_state=0).fit(*crossed()).predict(X) != y).mean() for k in (1, 2)]
    assert errors[0] > 0.35
    assert errors[1] < 0.25


def test_probabilities_agree_with_labels_and_are_calibrated(model):
    X, y = people(seed=2)
    shares = model.predict_proba(X)
    assert shares.shape == (600, 2)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (model.classes_[shares.argmax(axis=1)] == model.predict(X)).all()
    assert log_loss(y, shares) < 0.25
    decisions = model.decision_function(X)
    np.testing.assert_allclose(shares[:, 1], 1 / (1 + np.exp(-decisions)))


def test_probabilities_of_noisy_labels_are_honest():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.random(4000), "noise": rng.random(4000)})
    y = rng.random(4000) < np.where(X.x > 0.5, 0.8, 0.3)
    new = pd.DataFrame({"x": rng.random(1000), "noise": rng.random(1000)})
    shares = DNFWinnow(random_state=0).fit(X, y).predict_proba(new)[:, 1]
    halves = [shares[new.x <= 0.5].mean(), shares[new.x > 0.5].mean()]
    np.testing.assert_allclose(halves, [0.3, 0.8], atol=0.04)  # four standard errors of a half's rate
    assert shares[new.x <= 0.5].std() < 0.08


def test_several_classes():
    rng = np.random.default_rng(0)
    X = rng.random((600, 3))
    y = np.digitize(X[:, 0], [0.3, 0.6])
    model = DNFWinnow(random_state=0).fit(X[:400], y[:400])
    shares = model.predict_proba(X[400:])
    assert shares.shape == (200, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (model.predict(X[400:]) == shares.argmax(axis=1)).all()
    assert (model.predict(X[400:]) != y[400:]).mean() < 0.06
    assert model.decision_function(X[400:]).shape == (200, 3)


def test_rules_are_ranges_of_numbers(model):
    X, y = people()
    rules = model.rules(X, y, max_rules=5, min_precision=0.9)
    texts = [str(rule) for rule in rules if rule.label == "yes"]
    assert any("age" in text for text in texts)
    assert all(rule.precision >= 0.9 for rule in rules)
    chosen = model.compact(X, y)
    assert (chosen.predict(X) != y).mean() < 0.03
    ranges = [rule for rule in chosen if [c.operator for c in rule.conditions if c.column == "age"] == [">", "<="]]
    assert ranges
    assert " < age <= " in str(ranges[0])
    low, high = (condition.value for condition in ranges[0].conditions if condition.column == "age")
    assert 38 <= low <= 42
    assert 50 <= high <= 54


def test_rules_for_both_labels_come_from_one_score(model):
    rules = model.rules(max_rules=3)
    assert str(rules).startswith("6 rules, the heaviest first; the weights of all terms that hold multiply the odds")
    labels = {rule.label for rule in rules}
    assert labels == {"yes", "no"}


@pytest.mark.parametrize("label", ["no", "yes"])
def test_an_explanation_adds_up_and_its_flips_flip(model, label):
    X, _ = people(seed=3)
    X = X[model.predict(X) == label]
    row = X.iloc[0]
    why = model.explain(row.tolist(), max_terms=4)
    assert isinstance(why, SoftExplanation)
    assert why.label == model.predict(X[:1])[0]
    assert sum(part.added for part in why.terms) + why.rest == pytest.approx(why.score)
    assert why.score == pytest.approx(abs(model.decision_function(X[:1])[0]))
    assert f"; the score for {label} is +" in str(why)
    assert why.probability == pytest.approx(model.predict_proba(X[:1]).max())
    assert "predicted" in str(why)
    assert "because" in why._repr_html_()
    for flip in why.flips:
        changed = row.copy()
        for condition in flip.conditions:
            if condition.operator == "=":
                changed[condition.column] = condition.value
            elif condition.operator == ">":
                changed[condition.column] = condition.value + 1
            else:
                changed[condition.column] = condition.value
        assert model.predict(changed.to_frame().T.astype(X.dtypes))[0] == flip.label


def test_files_keep_every_bit(model, tmp_path):
    X, _ = people(seed=4)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert again.chosen_ == model.chosen_


def test_threads_change_nothing():
    X, y = people(200)
    one, two = (DNFWinnow(max_literals=2, random_state=0, n_jobs=n).fit(X, y).predict_proba(X) for n in (1, 2))
    assert one.tobytes() == two.tobytes()


def test_a_weight_of_0_is_the_rows_absence():
    X, y = people(300)
    weights = np.tile([1.0, 0.0, 2.5], 100)
    model = DNFWinnow(max_literals=2, random_state=0).fit(X, y, sample_weight=weights)
    present = weights > 0
    same = clone(model).fit(X[present], y[present], sample_weight=weights[present])
    assert model.predict_proba(X).tobytes() == same.predict_proba(X).tobytes()
    other = clone(model).fit(X[present], y[present])
    assert model.predict_proba(X).tobytes() != other.predict_proba(X).tobytes()


def test_class_weights_move_the_odds():
    rng = np.random.default_rng(0)
    X, y = rng.random((2000, 1)).round(1), (rng.random(2000) < 0.2).astype(int)
    plain = DNFWinnow(random_state=0).fit(X, y).predict_proba(X)[:, 1].mean()
    heavy = DNFWinnow(class_weight={1: 4.0}, random_state=0).fit(X, y).predict_proba(X)[:, 1].mean()
    assert plain == pytest.approx(0.2, abs=0.03)
    assert heavy == pytest.approx(0.5, abs=0.05)
    balanced = DNFWinnow(class_weight="balanced", random_state=0).fit(X, y).predict_proba(X)[:, 1].mean()
    assert balanced == pytest.approx(0.5, abs=0.05)


def test_mistake_driven_training_takes_whole_weights_only():
    X, y = people(60)
    learner = DNFWinnow(training=MistakeDriven(), random_state=0)
    with pytest.raises(ValueError, match="whole numbers as weights"):
        learner.fit(X, y, sample_weight=np.full(60, 0.5))
    learner.fit(X, y, sample_weight=np.full(60, 2.0))
    assert learner.n_trials_ >= 120


def test_what_soft_training_cannot_do_is_told(model):
    X, y = people(60)
    with pytest.raises(ValueError, match="max_literals must be a number or 'auto' with training=Soft"):
        DNFWinnow(max_literals=None, training=Soft()).fit(X, y)
    with pytest.raises(ValueError, match="engine must be 'auto'"):
        DNFWinnow(engine=Exact(), training=Soft()).fit(X, y)
    with pytest.raises(AttributeError, match="no log of mistakes"):
        model.logs_  # noqa: B018 - it raises
    with pytest.raises(AttributeError, match="predict_proba"):
        DNFWinnow(training=MistakeDriven(), random_state=0).fit(X, y).predict_proba(X)
    with pytest.raises(ValueError, match="gives more than"):
        DNFWinnow(max_literals=3).fit(np.random.default_rng(0).random((300, 200)), np.arange(300) % 2)


def test_learning_goes_on_line_row_by_row_or_in_batches():
    X, y = people(3000)
    model = DNFWinnow(training=Soft())
    early = (model.partial_fit_predict(X[:1000], y[:1000], classes=["no", "yes"]) != y[:1000]).mean()
    for first in range(1000, 3000, 50):
        model.partial_fit(X[first : first + 50], y[first : first + 50])
    assert model.n_trials_ == 3000
    new, labels = people(seed=9)
    late = (model.predict(new) != labels).mean()
    assert late < early
    before = model.predict_proba(new)
    assert model.learn_one(new.iloc[0].tolist(), labels[0]) == model.classes_[before[0].argmax()]
    assert model.predict_proba(new[:1])[0, list(model.classes_).index(labels[0])] > before[0].max() - 0.5
    assert (model.predict_proba(new) != before).any()


def test_a_batch_that_fails_changes_nothing(monkeypatch):
    X, y = people(300)
    model = DNFWinnow(training=Soft()).partial_fit(X, y, classes=["no", "yes"])
    before = model.predict_proba(X)

    def fails(*_):
        raise MemoryError

    monkeypatch.setattr("winnowkit.dnf.soft_learners.learn_batches", fails)
    with pytest.raises(MemoryError):
        model.partial_fit(X, y)
    assert model.predict_proba(X).tobytes() == before.tobytes()
    assert model.n_trials_ == 300


def test_a_fitted_model_goes_on_from_where_it_is(model):
    other = copy.deepcopy(model)
    X, y = people(200, seed=5)
    assert (other.partial_fit_predict(X, y) == model.predict(X)).all()
    assert (other.decision_function(X) != model.decision_function(X)).any()


def test_time_and_epochs_end_training_with_a_warning():
    X, y = people()
    with pytest.warns(ConvergenceWarning, match=r"max_epochs=2 before the loss on rows held out"):
        model = DNFWinnow(max_literals=1, max_epochs=2, random_state=0).fit(X, y)
    assert model.n_epochs_ <= 2
    with pytest.warns(ConvergenceWarning, match=r"max_time=1e-06"):
        brief = DNFWinnow(max_time=1e-6, random_state=0).fit(X, y)
    assert set(brief.predict(X)) <= {"yes", "no"}


def test_an_interrupt_keeps_the_best_model_and_is_raised(monkeypatch):
    X, y = people()
    epochs, epoch = [], soft_training._Fold.epoch

    def interrupted(fold, *limits):
        epochs.append(None)
        if len(epochs) > 40:
            raise KeyboardInterrupt
        return epoch(fold, *limits)

    monkeypatch.setattr(soft_training._Fold, "epoch", interrupted)
    model = DNFWinnow(max_literals=1, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert 0 < model.n_epochs_ < 10
    assert (model.predict(X) == "yes").any()


def test_all_terms_are_tried_where_three_literals_leave_errors():
    """Terms of four literals that no shorter ones stand for: parity of four columns."""
    rng = np.random.default_rng(0)
    X = np.hstack([rng.integers(0, 2, (700, 6)), np.ones((700, 1), dtype=int)]).astype(str)
    four = (X[:, :4] == "1").sum(axis=1) % 2 == 0
    three = (X[:, :3] == "1").all(axis=1)
    y = np.where(X[:, 5] == "1", four, three)
    model = DNFWinnow(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        with pytest.warns(ColumnWarning, match="constant: 'x6'") as caught:
            model.fit(X, y)
    assert len(caught) == 1  # although the table is encoded for each attempt
    tried = model.chosen_["tried"]
    assert [entry["max_literals"] for entry in tried] == [1, 2, 3, None]
    if model.chosen_["training"] == "mistake-driven":
        shares = model.predict_proba(X)
        assert (model.classes_[shares.argmax(axis=1)] == model.predict(X)).all()
        assert (model.predict(X) == y).all()


def test_a_mean_must_be_better_by_a_standard_error():
    rng = np.random.default_rng(0)
    old, ones = rng.random(400), np.ones(400)
    assert is_better(old - 0.01, old, ones)
    assert not is_better(old + 0.01, old, ones)
    assert not is_better(old + rng.normal(-0.001, 1.0, 400), old, ones)


def test_missing_values_and_unseen_categories(model):
    X = pd.DataFrame({"age": [None, 45.0], "income": [1e9, None], "job": ["pilot", None]})
    shares = model.predict_proba(X)
    assert np.isfinite(shares).all()
    assert model.predict(X)[1] == "yes"


@pytest.mark.parametrize(
    "forged",
    [
        {"max_literals": 0},
        {"max_literals": 10**6},
        {"n_ordered": np.array([-1, 2, 0])},
        {"n_ordered": np.array([10**6, 2, 0])},
        {"weights": np.zeros((1, 3))},
        {"weights": np.zeros((2, 3))},
        {"bias": np.array([np.nan])},
        {"bias": np.zeros(0)},
    ],
)
def test_forged_states_are_refused(model, forged):
    learners = model._soft
    state = learners.__getstate__() | forged
    with pytest.raises(ValueError, match="soft tables"):
        type(learners).__new__(type(learners)).__setstate__(state)


@pytest.mark.parametrize("n_rows", [2, 3, 5, 12, 30])
def test_a_tiny_table_is_learned_without_a_warning(n_rows):
    rng = np.random.default_rng(n_rows)
    X = [
        [float(age), str(job)]
        for age, job in zip(rng.normal(50, 10, n_rows), rng.choice(list("abc"), n_rows), strict=True)
    ]
    y = np.arange(n_rows) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = DNFWinnow(random_state=0, verbose=False).fit(X, y)
    assert model.predict_proba([[np.nan, None]]).sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ["heart", "monks-1", "monks-3"])
def test_the_defaults_come_to_an_end_on_bundled_tables(name):
    table = load_dataset(name, as_frame=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        DNFWinnow(random_state=0, verbose=False).fit(table.data, table.target)
