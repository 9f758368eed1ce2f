"""The operations on eight numbers at once: machine code gives the bits that the interpreter gives."""

import numba
import numpy as np
import pytest

from winnowkit.core.deferred import settle
from winnowkit.linear import lanes as compiled
from winnowkit.linear import plain_lanes as interpreted

WIDTH = interpreted.WIDTH
pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="without the compiler there is one version only")


def sums(lanes):
    def operate(numbers, mask, _records, _places, out):
        a, b = lanes.load(numbers, 1), lanes.load(numbers, WIDTH + 2)
        lanes.store(out, 0, a + b)
        lanes.store(out, WIDTH, a - b)
        lanes.store(out, 2 * WIDTH, 2 - a)
        lanes.store(out, 3 * WIDTH, a + 0.1)
        lanes.store(out, 4 * WIDTH, lanes.where(lanes.load_mask(mask, 3), a, b))
        lanes.store(out, 5 * WIDTH, lanes.where(lanes.load_mask(mask, 4), 0.1, b))
        return 0.0

    return operate


def products(lanes):
    def operate(numbers, _mask, _records, _places, out):
        a, b = lanes.load(numbers, 1), lanes.load(numbers, WIDTH + 2)
        lanes.store(out, 0, a * b)
        lanes.store(out, WIDTH, a / b)
        lanes.store(out, 2 * WIDTH, 1 / a)
        lanes.store(out, 3 * WIDTH, 0.1 * a)
        lanes.store(out, 4 * WIDTH, lanes.root(a * a + 1.0))
        lanes.store(out, 5 * WIDTH, lanes.spread(0.1) + lanes.numbered())
        return lanes.added_up(a)

    return operate


def comparisons(lanes):
    def operate(numbers, mask, _records, _places, out):
        a, b = lanes.load(numbers, 1), lanes.load(numbers, WIDTH + 2)
        lanes.store(out, 0, lanes.where(a < b, 1.0, 0.0))
        lanes.store(out, WIDTH, lanes.where(a > b, 1.0, 0.0))
        lanes.store(out, 2 * WIDTH, lanes.where(a > 0.5, a, lanes.spread(7)))
        found = 0.0
        for lane in range(WIDTH + 1):  # the mask is true in its last place alone: the eighth lane of the last block
            found = 2.0 * found + (1.0 if lanes.is_any(lanes.load_mask(mask, lane)) else 0.0)
        return found

    return operate


def records(lanes):
    def operate(numbers, _mask, records_, places, out):
        fields = lanes.of_one_learner(records_)
        lanes.prefetch(fields, 3)
        found = lanes.load_records(fields, places, 1, 5)
        lanes.store(out, 0, found[0])
        lanes.store(out, WIDTH, found[3])
        lanes.store(out, 2 * WIDTH, found[7])
        lanes.store(out, 3 * WIDTH, lanes.load_field(fields, places, 2, 15))
        a = lanes.load(numbers, 0)
        more = found[0] * a, found[1] + 1.0, found[2] + 2.0, found[3] + 3.0, found[4], found[5], found[6] + 6.0, a
        lanes.store_records(fields, places, 1, 5, more)
        out[4 * WIDTH] = fields[3, 2]
        return fields.size + 0.5 * fields.shape[1]

    return operate


@pytest.mark.parametrize("kind", [np.float32, np.float64], ids=["32 bits", "64 bits"])
@pytest.mark.parametrize("make", [sums, products, comparisons, records], ids=lambda make: make.__name__)
def test_machine_code_gives_the_bits_of_the_interpreter(make, kind):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=3 * WIDTH).astype(kind)
    numbers[WIDTH + 4] = numbers[3]  # equal numbers in the same lane
    mask = np.arange(2 * WIDTH) == 2 * WIDTH - 1
    if make is sums:
        mask = rng.random(2 * WIDTH) < 0.5
    places = np.array([4, 2, 0, 5, 5, 1, 3, 2, 2, 4])  # several lanes with the same place: the first one counts
    given = rng.normal(size=(6, 2 * WIDTH, 1)).astype(np.float32)
    found = []
    settle()  # operations that were imported before the compiler become its instructions
    for operate in (numba.njit(make(compiled)), make(interpreted)):
        own, out = given.copy(), np.zeros(6 * WIDTH, dtype=np.float32)
        found.append((float(operate(numbers, mask, own, places, out)), out.tobytes(), own.tobytes()))
    assert found[0] == found[1]
    assert (found[0][2] != given.tobytes()) == (make is records)  # only these are written to
