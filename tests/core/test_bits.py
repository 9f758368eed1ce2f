import numba
import numpy as np
import pytest

from winnowkit.core import bits
from winnowkit.core.deferred import Deferred


def by_machine(operation):
    made = operation.made() if isinstance(operation, Deferred) else operation

    @numba.njit
    def call(word):
        return made(word)

    return call


@pytest.mark.parametrize(("name", "plain"), [("popcount", int.bit_count), ("bit_length", int.bit_length)])
def test_instructions_and_their_twins_are_about_words_of_64_bits(name, plain):
    instruction, twin = by_machine(getattr(bits, name)), getattr(bits, f"_{name}")
    words = [0, 1, 2, 3, 2**31, 2**62 - 1, 2**62, 2**63 - 1, -1, -2, -(2**31), -(2**62), -(2**63)]
    words += np.random.default_rng(0).integers(-(2**63), 2**63, 50).tolist()
    for word in words:
        assert instruction(np.int64(word)) == twin(np.int64(word)) == plain(word % 2**64)
