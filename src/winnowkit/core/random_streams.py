"""Random numbers inside kernels: streams of xoshiro256++ (Blackman & Vigna 2021), and splitmix64 (Steele et al. 2014).

A stream is one row of four words. Seeds come from :class:`numpy.random.SeedSequence`. Creating a
:class:`numpy.random.Generator` for each of a ladder's hundreds of chains would take longer than running the chains.
Where a random number must follow from a seed and a counter or an example alone, :func:`scramble` makes it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

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


@jit_in_place
def scramble(word: Any) -> Any:
    """Scramble 64 bits by the last steps of splitmix64.

    The scrambled multiples of an odd number are a random sequence. In Python the word is an `int`, as numpy would warn
    about the overflow of its own integers; in a kernel it is an unsigned word, and the masks cost nothing.
    """
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return word ^ (word >> 31)
