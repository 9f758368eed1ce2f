import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline

from winnowkit.data import MultisplitDiscretizer, discretize, load_dataset

NAN = float("nan")
STEPS = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]


def fitted(X, y, **parameters):
    return MultisplitDiscretizer(stop=None, **parameters).fit(X, y)


def test_cuts_are_midway_between_neighbouring_values():
    assert fitted([[1.0], [2.0], [4.0], [10.0]], [0, 0, 1, 1]).cuts_[0].tolist() == [3.0]


def test_a_cut_belongs_to_the_interval_above():
    discretizer = fitted(STEPS, [0, 0, 0, 1, 1, 1])
    assert discretizer.transform([[3.49], [3.5], [3.51], [-1e300], [1e300]]).ravel().tolist() == [0, 1, 1, 0, 1]


def test_intervals_have_readable_names():
    X, y = load_dataset("iris", return_X_y=True, as_frame=True)
    discretizer = MultisplitDiscretizer(encode="interval").fit(X, y)
    assert discretizer.interval_names_[2] == [
        "petal-length < 2.45",
        "2.45 <= petal-length < 4.75",
        "petal-length >= 4.75",
    ]
    assert discretizer.transform(X)[0, 2] == "petal-length < 2.45"


def test_cuts_that_differ_only_in_late_digits_keep_their_names_apart():
    step = 1e-14
    names = fitted([[1.0], [1.0 + step], [1.0 + 2 * step]], [0, 1, 0]).interval_names_[0]
    assert len(set(names)) == 3
    assert names[0].removeprefix("x0 < ") != names[2].removeprefix("x0 >= ")


def test_neighbouring_floats_are_told_apart():
    low = 1.0
    high = np.nextafter(low, 2.0)
    discretizer = fitted([[low], [high]], ["a", "b"])
    assert discretizer.transform([[low], [high]]).ravel().tolist() == [0.0, 1.0]
    huge = np.finfo(float).max
    assert fitted([[-huge], [huge]], [0, 1]).cuts_[0].tolist() == [0.0]


def test_missing_values_stay_missing_and_do_not_matter_to_the_cuts():
    X = [[1.0], [NAN], [2.0], [3.0], [NAN], [4.0]]
    y = [0, 1, 0, 1, 0, 1]
    discretizer = fitted(X, y)
    assert discretizer.cuts_[0].tolist() == [2.5]
    np.testing.assert_array_equal(discretizer.transform(X).ravel(), [0, NAN, 0, 1, NAN, 1])
    assert discretizer.set_params(encode="interval").transform([[NAN]]).tolist() == [[None]]
    np.testing.assert_array_equal(discretizer.set_params(encode="threshold").transform([[NAN], [9]]), [[NAN], [1]])


@pytest.mark.parametrize("encode", ["ordinal", "interval", "threshold"])
def test_columns_that_tell_nothing_are_not_cut(encode):
    X = np.array([[7.0, NAN, 1.0], [7.0, NAN, 2.0], [7.0, NAN, 3.0], [7.0, NAN, 4.0]])
    discretizer = MultisplitDiscretizer(encode=encode).fit(X, [0, 0, 0, 0])
    assert [len(cuts) for cuts in discretizer.cuts_] == [0, 0, 0]
    assert discretizer.interval_names_ == [["any x0"], ["any x1"], ["any x2"]]
    assert discretizer.transform(X).shape == ((4, 0) if encode == "threshold" else (4, 3))
    if encode == "ordinal":
        np.testing.assert_array_equal(discretizer.transform(X), [[0, NAN, 0]] * 4)


def test_one_row():
    assert MultisplitDiscretizer().fit([[3.0]], ["only"]).transform([[1.0], [5.0]]).tolist() == [[0.0], [0.0]]


def test_max_intervals_is_kept():
    y = [0, 1, 0, 1, 0, 1]
    for most in range(1, 9):
        assert len(fitted(STEPS, y, max_intervals=most).cuts_[0]) == min(most, 6) - 1


@pytest.mark.parametrize("labels", [["a", "b"], [False, True], [-3, 17], [b"x", b"y"], [1.0, 2.0]])
def test_labels_of_any_type(labels):
    discretizer = fitted(STEPS, np.repeat(np.array(labels, dtype=object), 3))
    assert discretizer.cuts_[0].tolist() == [3.5]
    assert discretizer.classes_.tolist() == labels


def test_threshold_coding_has_a_column_a_cut():
    X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    discretizer = fitted(X, [0, 1, 0], encode="threshold")
    assert discretizer.transform(X).tolist() == [[0, 0], [1, 0], [1, 1]]
    assert discretizer.get_feature_names_out().tolist() == ["x0 >= 1.5", "x0 >= 2.5"]
    assert discretizer.get_feature_names_out(["a", "b"]).tolist() == ["a >= 1.5", "a >= 2.5"]


def test_frames_in_and_out():
    X, y = load_dataset("iris", return_X_y=True, as_frame=True)
    out = MultisplitDiscretizer().set_output(transform="pandas").fit(X, y).transform(X)
    assert isinstance(out, pd.DataFrame)
    assert out.columns.tolist() == X.columns.tolist()
    named = MultisplitDiscretizer(encode="interval").set_output(transform="pandas").fit(X, y).transform(X)
    assert named.iloc[0, 3] == "petal-width < 0.8"
    out = MultisplitDiscretizer(encode="threshold").set_output(transform="polars").fit(X, y).transform(X)
    assert isinstance(out, pl.DataFrame)
    assert "petal-width >= 0.8" in out.columns


def test_nullable_columns():
    X = pd.DataFrame(
        {"a": pd.array([1, None, 3, 4], dtype="Int64"), "b": pd.array([1.0, 2.0, None, 4.0], dtype="Float64")}
    )
    codes = fitted(X, [0, 0, 1, 1]).transform(X)
    np.testing.assert_array_equal(codes, [[0, 0], [NAN, 0], [1, NAN], [1, 1]])


def test_it_stands_in_a_pipeline():
    X, y = load_dataset("iris", return_X_y=True)
    assert make_pipeline(MultisplitDiscretizer(), CategoricalNB()).fit(X, y).score(X, y) > 0.93


@pytest.mark.parametrize("stop", ["bic", "mdl"])
def test_noise_is_rarely_cut_and_a_signal_always(stop):
    # 2.7% of noise columns are cut at 200 examples of two classes ("mdl": 0.3%): 20 of 100 has odds below 1e-9.
    rng = np.random.default_rng(4)
    y = rng.integers(2, size=200)
    noise = rng.random((200, 100))
    assert sum(len(cuts) > 0 for cuts in MultisplitDiscretizer(stop=stop).fit(noise, y).cuts_) < 20
    assert sum(len(cuts) > 0 for cuts in fitted(noise, y).cuts_) == 100  # without a rule, all of them
    signal = np.where(rng.random(200) < 0.1, 1 - y, y)[:, None] + 0.5 * rng.random((200, 1))
    cuts = MultisplitDiscretizer(stop=stop).fit(signal, y).cuts_[0]
    assert len(cuts) == 1
    assert 0.5 < cuts[0] < 1.0


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_refused(value):
    with pytest.raises(ValueError, match="infinity"):
        MultisplitDiscretizer().fit([[1.0], [value]], [0, 1])
    with pytest.raises(ValueError, match="infinity"):
        fitted(STEPS, [0, 0, 0, 1, 1, 1]).transform([[value]])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_intervals": 0}, r"max_intervals must be an integer >= 1, got 0"),
        ({"max_intervals": 2.5}, r"max_intervals must be an integer >= 1, got 2.5"),
        ({"stop": "aic"}, r"stop must be one of 'mdl', 'bic', None; got 'aic'"),
        ({"encode": "onehot"}, r"encode must be one of 'ordinal', 'interval', 'threshold'; got 'onehot'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        MultisplitDiscretizer(**parameters).fit(STEPS, [0, 0, 0, 1, 1, 1])


def test_a_continuous_target_is_refused():
    with pytest.raises(ValueError, match="Unknown label type"):
        MultisplitDiscretizer().fit(STEPS, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


def test_more_blocks_than_the_most_are_grouped(monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.random((2_000, 1))
    y = (X[:, 0] > 0.3).astype(int) ^ (rng.random(2_000) < 0.2)
    exact = MultisplitDiscretizer(max_intervals=2).fit(X, y).cuts_[0]
    monkeypatch.setattr(discretize, "MAX_BLOCKS", 100)
    assert len(discretize._blocks(X[:, 0], y).first) <= 100
    grouped = MultisplitDiscretizer(max_intervals=2).fit(X, y).cuts_[0]
    assert abs(grouped - exact) < 0.02
