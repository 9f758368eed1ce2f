"""Random numbers inside kernels: xoshiro256++ (Blackman & Vigna 2021), one stream a row of four words.

Seeds come from :class:`numpy.random.SeedSequence`. A :class:`numpy.random.Generator` for each of a ladder's hundreds of
chains would take longer to make than the chains to run.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from winnowkit.core.jit import jit_in_place

Streams: TypeAlias = npt.NDArray[np.uint64]

_TO_UNIT = 2.0**-53


@jit_in_place
def _turn(word: np.uint64, by: int) -> np.uint64:
    return (word << np.uint64(by)) | (word >> np.uint64(64 - by))


@jit_in_place
def bits(streams: Streams, c: int) -> np.uint64:
    """Next 64 bits of stream `c`."""
    s0, s1, s2, s3 = streams[c, 0], streams[c, 1], streams[c, 2], streams[c, 3]
    result = _turn(s0 + s3, 23) + s0
    moved = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= moved
    streams[c, 0], streams[c, 1], streams[c, 2], streams[c, 3] = s0, s1, s2, _turn(s3, 45)
    return result


@jit_in_place
def uniform(streams: Streams, c: int) -> float:
    """Next number of stream `c`, uniform in [0, 1)."""
    return np.float64(bits(streams, c) >> np.uint64(11)) * _TO_UNIT


@jit_in_place
def below(streams: Streams, c: int, n: int) -> int:
    """Next index of stream `c`, uniform in 0 ... n - 1 to one part in 2^32 / n."""
    return int(((bits(streams, c) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))
