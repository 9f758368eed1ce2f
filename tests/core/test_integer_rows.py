"""Rows of tables of whole numbers: the same as of the numbers as floats, whatever the types and the order in memory."""

import numpy as np
import pytest

from winnowkit.core import integer_rows as module
from winnowkit.core.encoded_rows import encode_rows
from winnowkit.core.integer_rows import integer_rows, integers_of

TYPES = ["bool", "int8", "uint8", "int16", "uint32", "int64"]


def table(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    low = -2 if np.dtype(dtype).kind == "i" else 0
    values = rng.integers(low, 2 if dtype == "bool" else 4, shape) * (rng.random(shape) < 0.4)
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("binarize", [0.0, 1.0, 0.5, -1.0, "real"])
def test_rows_are_those_of_floats(dtype, order, binarize, monkeypatch):
    monkeypatch.setattr(module, "TILE", 7)
    for shape in [(1, 1), (20, 64), (21, 130)]:
        X = np.asarray(table(dtype, shape), order=order)
        found, wanted = integer_rows(integers_of(X), binarize), encode_rows(X.astype(np.float64), binarize)
        assert found.binarize == wanted.binarize
        for ours, theirs in zip(found[:3], wanted[:3], strict=True):
            assert ours.dtype == theirs.dtype
            assert np.array_equal(ours, theirs)


def test_values_beyond_the_unit_interval_are_refused_without_a_threshold():
    assert integer_rows(np.eye(3, dtype=np.int8), None).data.tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(ValueError, match=r"must be in \[0, 1\], got 0 ... 2"):
        integer_rows(2 * np.eye(3, dtype=np.int8), None)


def test_frames_of_several_types_become_one_array():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": table("bool", 9), "b": table("int8", 9, 1), "c": table("uint32", 9, 2)})
    assert np.array_equal(integers_of(frame), frame.to_numpy(dtype=np.float64))
    assert integers_of(frame[["a"]]).dtype == np.uint8


def test_what_may_hold_other_numbers_is_left_alone():
    pd = pytest.importorskip("pandas")
    whole = pd.DataFrame({"a": table("int8", 9)})
    for column in ([0.5] * 9, ["x"] * 9, pd.array([1, None] * 4 + [0], dtype="Int8"), table("int8", 9).astype("M8[s]")):
        assert integers_of(whole.assign(b=column)) is None
    assert integers_of(whole.assign(b=np.uint64(1), c=np.int64(1))) is None  # no whole number holds both
    assert integers_of(np.zeros((0, 2), np.int8)) is None
    assert integers_of([[1, 2]]) is None
