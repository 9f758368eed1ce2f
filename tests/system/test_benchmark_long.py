"""The long runs see rows and flipped labels that do not repeat, so that learners cannot learn them by heart."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import long


@pytest.mark.parametrize("kind", [long.sparse, long.dense])
def test_blocks_of_a_stream_are_different(kind):
    block = kind(0)
    (X, _), (other, _) = block(0), block(1)
    assert abs(X - other).sum() > 0.5 * X.sum()


def test_flipped_labels_of_a_repeated_block_are_different():
    block = long.sparse(0)
    (X, y), (same, other) = block(0), block(20)
    assert X is same
    assert np.mean(y != other) == pytest.approx(2 * 0.01 * 0.99, abs=0.004)  # 6 standard errors
    assert (block(0)[1] == y).all()
