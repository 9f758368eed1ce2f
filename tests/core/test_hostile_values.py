"""Masked arrays and integers of hundreds of digits are refused with a clear ValueError."""

import numpy as np
import pytest

import winnowkit
from winnowkit import DNFWinnow, NormalizedWinnow, ThresholdedBEG, Winnow2
from winnowkit.data import CategoryEncoder
from winnowkit.dnf import Exact, MistakeLog

NAMES = [name for name in winnowkit.__all__ if name[0].isupper()]
BOOLEAN = [name for name in NAMES if name != "DNFWinnow"]
X, Y = np.array([[0, 1], [1, 0], [0, 1], [1, 0]]), np.array([0, 1, 0, 1])
HUGE = 10**400


def made(name):
    return getattr(winnowkit, name)()


@pytest.mark.parametrize("name", NAMES)
def test_masked_arrays_are_refused(name):
    masked = np.ma.array(X, mask=[[True, False]] * 4)
    labels = np.ma.array(Y, mask=[True, False, False, False])
    for rows, y in ((masked, Y), (X, labels)):
        with pytest.raises(ValueError, match="is a masked array"):
            made(name).fit(rows, y)
        with pytest.raises(ValueError, match="is a masked array"):
            made(name).partial_fit(rows, y, classes=[0, 1])
    model = made(name).fit(X, Y)
    with pytest.raises(ValueError, match="X is a masked array"):
        model.predict(masked)
    for call in (model.predict_one, lambda x: model.learn_one(x, 1)):
        with pytest.raises((ValueError, TypeError), match="masked"):
            call(masked[0])


def test_an_encoder_refuses_masked_arrays():
    with pytest.raises(ValueError, match="X is a masked array"):
        CategoryEncoder().fit(np.ma.array(X, mask=X > 0), Y)


@pytest.mark.parametrize("name", BOOLEAN)
def test_integers_that_no_float_can_hold(name):
    rows = [[HUGE, 1], [1, 0], [0, 1], [1, 0]]
    for table in (rows, np.array(rows, dtype=object)):
        with pytest.raises(ValueError, match="X contains an integer that is too large"):
            made(name).fit(table, Y)
    model = made(name).fit(X, Y)
    with pytest.raises(ValueError, match="X contains an integer that is too large"):
        model.predict(rows)
    for call in (model.predict_one, lambda x: model.learn_one(x, 1)):
        with pytest.raises(ValueError, match="x contains an integer that is too large"):
            call([HUGE, 1])
    with pytest.raises(ValueError, match="active indices must be a 1-d array of integers"):
        model.learn_active([HUGE], 1)
    with pytest.raises(ValueError, match=r"label 1000.* is not among the classes"):
        model.learn_one([0, 1], HUGE)
    with pytest.raises(ValueError, match=r"n_features must be at most 1\.8e\+308, got an integer of 1,329 bits"):
        made(name).begin(HUGE, [0, 1])


def test_a_column_of_numbers_with_a_huge_integer():
    with pytest.raises(ValueError, match="column 'x0' is numeric, but the number in row 0 is too large"):
        DNFWinnow(max_literals=None).fit([[HUGE, 1.5], [1.0, 0], [0, 1], [1, 0]], Y)
    as_category = CategoryEncoder(categorical=[0])  # there it is as good as others
    model = DNFWinnow(max_literals=None, encoder=as_category).fit([[HUGE, "a"], [1, "b"], [HUGE, "b"], [1, "a"]], Y)
    assert model.predict([[HUGE, "a"], [1, "b"]]).tolist() == [0, 1]


@pytest.mark.parametrize("name", NAMES)
def test_parameters_that_no_float_can_hold(name):
    for parameter in made(name).get_params(deep=False):
        exact = name == "DNFWinnow" and parameter == "theta"  # it may be an integer of any length
        if parameter in ("n_jobs", "random_state", "verbose") or exact:
            continue
        for value in (HUGE, -HUGE):
            with pytest.raises((ValueError, TypeError)):
                getattr(winnowkit, name)(**{parameter: value}).fit(X, Y)
    if "negations" in made(name).get_params():
        with pytest.raises(ValueError, match="negations must be True or False, got 7"):
            getattr(winnowkit, name)(negations=7).fit(X, Y)


def test_a_parameter_is_named():
    with pytest.raises(ValueError, match=r"alpha must be at most 1\.8e\+308, got an integer of 1,329 bits"):
        Winnow2(alpha=HUGE).fit(X, Y)
    for kind in (NormalizedWinnow, ThresholdedBEG):
        with pytest.raises(ValueError, match=r"^alpha is too large for theta 'auto'.* got 1e\+300"):
            kind(alpha=1e300).fit(X, Y)


@pytest.mark.parametrize("sign", [np.int64(1), np.int8(-1), np.float64(1.0), True])
def test_a_sign_of_numpy_is_as_good_as_one_of_python(sign):
    log, plain = MistakeLog(2), MistakeLog(2)
    for _ in range(2):
        log.append([1, 2], sign)
        plain.append([1, 2], int(sign))
    assert type(log.reach) is int
    x = np.array([[1, 2]], dtype=np.int32)
    assert Exact().log_sums(log, x, 1.5).tolist() == Exact().log_sums(plain, x, 1.5).tolist()
