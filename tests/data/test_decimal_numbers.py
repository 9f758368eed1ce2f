"""Numbers in text, read by the kernel, against Python's float."""

import io
import random

import numpy as np
import pytest

from winnowkit.data import DataError, read_libsvm
from winnowkit.data.formats.decimal_kernel import BAD, HARD, OK, exact_product, number

MIDPOINTS = [  # halfway between two doubles: one more digit of precision would not decide
    "535983389974637950e-2", "302261985260577340e-1", "347498586653323020e-1", "616395383208312120e-1",
    "5217915135238334.00e1", "521791513523833400e-1",
]  # fmt: skip


def read(text):
    value, end, status = number(np.frombuffer(text.encode() + b"\n", dtype=np.uint8), 0)
    return float(value), int(end), int(status)


def numbers(count):
    rng = random.Random(0)
    for _ in range(count):
        digits = str(rng.randrange(10 ** rng.randrange(1, 19)))
        place = rng.randrange(len(digits) + 1)
        mark, sign = rng.choice(["", "e", "E"]), rng.choice(["", "", "-", "+"])
        exponent = f"{mark}{rng.choice(['', '-', '+'])}{rng.randrange(25)}" if mark else ""
        yield sign + rng.choice(["", "0", "00"]) + digits[:place] + rng.choice(["", "."]) + digits[place:] + exponent


def test_numbers_are_those_of_python_or_left_to_it():
    hard = 0
    for text in numbers(1500):
        value, end, status = read(text)
        assert end == len(text), text
        assert status in (OK, HARD), text
        hard += status == HARD
        assert status == HARD or (value == float(text) and np.signbit(value) == np.signbit(float(text))), text
    assert hard < 300  # only exponents beyond 22, and far more digits than a double has


@pytest.mark.parametrize("text", MIDPOINTS)
def test_halfway_between_two_doubles_python_decides(text):
    value, end, status = read(text)
    assert end == len(text)
    assert status == HARD or value == float(text)
    assert read_libsvm(io.BytesIO(f"1 1:{text}\n".encode()))[0].data.tolist() == [float(text)]


def test_some_halves_are_left_to_python():
    assert read(MIDPOINTS[0])[2] == HARD
    assert read("1" * 19)[2] == HARD
    assert read("1" * 18)[2] == OK
    assert [read(f"1{'0' * 16}7e{exponent}")[2] for exponent in (-23, -22, 22, 23)] == [HARD, OK, HARD, HARD]
    assert [read(f"7e{exponent}")[2] for exponent in (-23, -22, 22, 23)] == [HARD, OK, OK, HARD]
    assert [read(f"{2**53 + more}e1")[2] for more in (0, 1)] == [OK, HARD]


@pytest.mark.parametrize("text", ["", ".", "-", "+.", "e5", "1e", "1e+", "-.e1", "x"])
def test_what_is_no_number(text):
    assert read(text)[2] == BAD


def test_numbers_with_more_digits_than_an_integer_holds_are_python_s():
    texts = ["0.1234567890123456789012", "123456789012345678901234567890", "4.9e-324", "1e23", "-2.5e-30"]
    text = " ".join(f"{j}:{value}" for j, value in enumerate(texts, 1))
    assert read_libsvm(io.BytesIO(f"1 {text}\n".encode()))[0].data.tolist() == [float(value) for value in texts]


def test_a_product_and_its_error_are_exact():
    rng = random.Random(1)
    for _ in range(200):
        a, b = rng.uniform(-1e8, 1e8), 10.0 ** rng.randrange(1, 23)
        product, error = exact_product(a, b)
        n, d = a.as_integer_ratio()
        whole, parts = product.as_integer_ratio(), float(error).as_integer_ratio()
        assert n * int(b) * whole[1] * parts[1] == d * (whole[0] * parts[1] + parts[0] * whole[1])


@pytest.mark.parametrize("qid", ["qid:", "qid:x", "qid"])
def test_a_query_has_a_number(qid):
    assert read_libsvm(io.BytesIO(b"1 qid:7 1:2\n"))[0].data.tolist() == [2.0]
    with pytest.raises(DataError):
        read_libsvm(io.BytesIO(f"1 {qid} 1:2\n".encode()))


@pytest.mark.parametrize("zeros", [99_999, 100_030])
def test_an_exponent_that_makes_up_for_very_many_zeros(zeros):
    """Each alone is far beyond a double, and together they are 10^20."""
    text = f"0.{'0' * zeros}1e{zeros + 21}"
    assert read(text) == (1e20, len(text), OK)
    X, y = read_libsvm(io.BytesIO(f"-{text} 1:{text}\n".encode()))
    assert (X.data.tolist(), y.tolist()) == ([1e20], [-1e20])


def test_an_exponent_of_very_many_digits():
    for exponent in ("9" * 15, "9" * 30, f"-{'9' * 30}"):
        assert read(f"0e{exponent}")[::2] == (0.0, OK)
        assert read(f"1e{exponent}")[2] == HARD
