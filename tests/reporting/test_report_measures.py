import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, roc_auc_score, roc_curve

from winnowkit.report.measures import calibration, confusion, error, expected_calibration_error, log_loss, roc
from winnowkit.rulesets.intervals import wilson


@pytest.fixture
def scored():
    rng = np.random.default_rng(1)
    truth = rng.integers(2, size=800)
    return truth, np.round(truth + rng.normal(size=800), 1)  # with ties


def test_roc_is_that_of_scikit_learn(scored):
    truth, scores = scored
    curve = roc(truth == 1, scores, np.random.default_rng(0))
    x, y, _ = roc_curve(truth, scores)
    assert curve.area == pytest.approx(roc_auc_score(truth, scores))
    assert curve.y == pytest.approx(np.interp(curve.x, x, y))
    assert curve.area_low < curve.area < curve.area_high
    assert (curve.low <= curve.high).all()


def test_the_interval_of_the_area_holds_about_as_often_as_it_says():
    """z = 4: of 100 intervals at 95%, fewer than 86 would be a false alarm with probability 3e-5."""
    held = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        truth = rng.random(300) < 0.4
        scores = truth + rng.normal(size=300)
        curve = roc(truth, scores, rng)
        held += curve.area_low <= 0.7602499389065233 <= curve.area_high  # Phi(1 / sqrt 2)
    assert held >= 86


def test_one_class_alone_has_no_curve():
    assert roc(np.ones(5, dtype=bool), np.arange(5.0), np.random.default_rng(0)) is None


def test_errors_and_confusion():
    truth, predicted = np.array([0, 1, 2, 2, 1]), np.array([0, 2, 2, 1, 1])
    found = error(truth, predicted)
    assert (found.hits, found.total, found.value) == (2, 5, 0.4)
    assert (found.low, found.high) == wilson(2, 5)
    assert (confusion(truth, predicted, 3) == confusion_matrix(truth, predicted)).all()


def test_calibrated_probabilities_are_found_calibrated_and_others_not():
    rng = np.random.default_rng(2)
    chance = rng.random(20_000)
    happened = rng.random(20_000) < chance
    assert expected_calibration_error(calibration(happened, chance)) < 0.03
    assert expected_calibration_error(calibration(happened, chance**3)) > 0.1
    inside = [found.observed.low <= found.predicted <= found.observed.high for found in calibration(happened, chance)]
    assert sum(inside) >= 7  # of ten 95% intervals


def test_log_loss():
    assert log_loss(np.array([0, 1]), np.array([[0.5, 0.5], [0.75, 0.25]])) == pytest.approx(np.log(2) * 1.5)
