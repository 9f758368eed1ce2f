"""DNFWinnow as scikit-learn sees it: nested parameters, the paper's learner, and how a fit ends."""

import time
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score

from winnowkit import DNFWinnow
from winnowkit.core.progress import Progress
from winnowkit.data import CategoryEncoder, load_dataset
from winnowkit.dnf import PAPER, MistakeDriven
from winnowkit.dnf.learners import Learners


@pytest.fixture(scope="module")
def voting():
    X, y = load_dataset("voting", return_X_y=True)
    return X[::2], y[::2]


def interrupt_after(monkeypatch, n_calls):
    """Raise KeyboardInterrupt when progress is reported for the last of so many times."""
    calls, rows = [], Progress.rows

    def counted(self, n):
        calls.append(n)
        if len(calls) == n_calls:
            raise KeyboardInterrupt
        return rows(self, n)

    monkeypatch.setattr(Progress, "rows", counted)


def test_there_are_at_most_twelve_parameters():
    assert len(DNFWinnow(max_literals=None).get_params(deep=False)) <= 12


def test_nested_parameters_can_be_set_cloned_and_searched(voting):
    model = DNFWinnow(encoder=CategoryEncoder(), training=MistakeDriven(), random_state=0, max_epochs=5)
    model.set_params(encoder__missing="value", training__margin=0.5)
    other = clone(model)
    assert repr(other) == repr(model)
    assert other.encoder is not model.encoder
    assert (other.encoder.missing, other.training.margin) == ("value", 0.5)
    search = GridSearchCV(model, {"training__margin": [0, 0.1], "encoder__missing": ["ignore"]}, cv=2).fit(*voting)
    assert search.best_estimator_.encoder_.missing == "ignore"
    assert model.encoder.missing == "value"


def test_fit_changes_no_parameter(voting):
    encoder = CategoryEncoder(missing="value")
    model = DNFWinnow(max_literals=None, encoder=encoder, random_state=0, max_epochs=2).fit(*voting)
    assert model.encoder is encoder
    assert not hasattr(encoder, "n_categories_")
    assert model.training is None


def test_models_of_the_paper_share_no_parameters():
    model = DNFWinnow(**PAPER).set_params(training__margin=2.0, encoder__missing="value")
    assert (model.training.margin, model.encoder.missing) == (2.0, "value")
    other = DNFWinnow(**PAPER)
    assert (other.training.margin, other.encoder.missing) == (0, "ignore")
    assert list(PAPER) == ["encoder", "training"]
    assert len(PAPER) == 2


def test_the_papers_learner():
    X, y = load_dataset("monks-1", return_X_y=True)
    papers = DNFWinnow(**PAPER, max_epochs=20).fit(X, y)
    training = MistakeDriven(two_class="pair", margin=0, max_updates=None, keep="last", shuffle=False)
    same = DNFWinnow(encoder=CategoryEncoder(missing="ignore"), training=training, max_epochs=20).fit(X, y)
    assert papers.logs_ == same.logs_
    assert papers.chosen_["two_class"] == "pair"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"encoder": "ignore"}, "encoder must be a CategoryEncoder"),
        ({"training": "mistakes"}, "training must be MistakeDriven"),
        ({"max_time": 0}, "max_time must be a number of seconds > 0"),
        ({"max_time": "long"}, "max_time must be a number of seconds > 0"),
    ],
)
def test_wrong_objects_are_refused(parameters, message, voting):
    with pytest.raises(ValueError, match=message):
        DNFWinnow(max_literals=None, **parameters).fit(*voting)


# --- how a fit ends ---------------------------------------------------------------------------------------------------


def test_defaults_end_without_a_warning(voting):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DNFWinnow(max_literals=None, random_state=0).fit(*voting)


def test_too_few_epochs_are_told(voting):
    with pytest.warns(ConvergenceWarning, match="fit ended at max_epochs=1 before every learner had an epoch without"):
        DNFWinnow(max_literals=None, random_state=0, max_epochs=1).fit(*voting)


def test_max_time_holds_within_an_epoch():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (3000, 30)), rng.integers(0, 2, 3000)
    model = DNFWinnow(max_literals=None, random_state=0, max_time=1.0)
    DNFWinnow(max_literals=None, random_state=0, max_epochs=1).fit(X[:50], y[:50])  # compiles
    start = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match=r"fit ended at max_time=1\.0"):
        model.fit(X, y)
    assert time.perf_counter() - start < 30  # to the end it takes minutes
    assert model.n_epochs_ == 0 < model.n_trials_
    assert set(model.predict(X[:20])) <= {0, 1}


def test_an_interrupt_is_raised_and_the_model_stays(voting, monkeypatch):
    interrupt_after(monkeypatch, 60)
    model = DNFWinnow(max_literals=None, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*voting)
    assert model.n_trials_ > 0
    assert model.score(*voting) > 0.6


def test_an_interrupt_ends_a_cross_validation(voting, monkeypatch):
    interrupt_after(monkeypatch, 60)
    with pytest.raises(KeyboardInterrupt):
        cross_val_score(DNFWinnow(max_literals=None, random_state=0), *voting, cv=3)


def test_an_interrupted_pair_leaves_the_finished_single_learner(voting, monkeypatch):
    single = DNFWinnow(training=MistakeDriven(two_class="single"), random_state=0).fit(*voting)
    begun, fit = [], Learners.fit

    def second_is_interrupted(learners, *rows, **options):
        begun.append(len(learners.logs))
        if len(learners.logs) == 2:
            interrupt_after(monkeypatch, 1)
        return fit(learners, *rows, **options)

    monkeypatch.setattr(Learners, "fit", second_is_interrupted)
    model = DNFWinnow(max_literals=None, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*voting)
    assert begun == [1, 2]
    assert model.logs_ == single.logs_
    assert model.chosen_["two_class"] == "single"


def test_tables_too_large_name_the_columns_to_blame():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, most, 2000) for most in (3, 200, 180, *[150] * 10)]).astype(str)
    with pytest.raises(ValueError, match=r"columns with the most categories are 'x1' \(200\), 'x2' .*: drop such"):
        DNFWinnow(max_literals=3, training=MistakeDriven()).fit(X, rng.integers(0, 2, 2000))
