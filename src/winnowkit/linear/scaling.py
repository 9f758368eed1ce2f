"""Examples of real values as learners see them: each value divided by the largest of its column so far.

An example has the values x = value / (largest absolute value of its column so far), and z = x / ||x||. A bias, whose x
and z are 1, has a place before those of the attributes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows
from winnowkit.core.interpreted import briefly
from winnowkit.core.jit import jit_in_place
from winnowkit.linear.plain_lanes import WIDTH


class Example(NamedTuple):
    """One example, scaled: places of its records, x and z at each; the bias is the last.

    Kernels that take eight places at a time see the place of the bias again behind it, with x = z = 0.
    """

    places: NDArray[np.int64]
    x: NDArray[np.float64]
    z: NDArray[np.float64]
    squares: NDArray[np.float64]  # (1,): the sum of the squares of x, without the bias
    steps: NDArray[np.float32]  # room for the steps of the adaptive gradient at each place, of eight learners
    direction: NDArray[np.float64]  # room for n + 1 numbers of the expert with a whole matrix


def new_example(longest: int, full: int = 0) -> Example:
    """Return room for examples of at most `longest` attributes that are not 0."""
    size = longest + WIDTH  # the bias, and up to seven places more
    steps = np.zeros(size * WIDTH, np.float32)
    return Example(np.zeros(size, np.int64), np.zeros(size), np.zeros(size), np.zeros(1), steps, np.zeros(full))


def has_room(example: Example, longest: int) -> bool:
    """Whether examples of `longest` attributes fit in."""
    return example.x.size >= longest + WIDTH


@jit_in_place
def load(largest: NDArray[np.float64], rows: Rows, r: int, learning: bool, example: Example) -> int:
    """Scale row r; with `learning`, the largest values of its columns are kept. Returns its size with the bias."""
    size, squares = 0, 0.0
    for p in range(rows.indptr[r], rows.indptr[r + 1]):
        value, column = rows.data[p], rows.indices[p]
        if value != 0.0:
            high = max(largest[column], abs(value))
            if learning:
                largest[column] = high
            x = 1.0 if value == high else value / high
            example.places[size], example.x[size] = column + 1, x
            squares += x * x
            size += 1
    return finish(size, squares, example)


@jit_in_place
def load_active(largest: NDArray[np.float64], indices: NDArray[Any], learning: bool, example: Example) -> int:
    """Scale an example whose active attributes are 1; otherwise as :func:`load`."""
    squares = 0.0
    for p in range(indices.size):
        column = indices[p]
        high = max(largest[column], 1.0)
        if learning:
            largest[column] = high
        example.places[p], example.x[p] = column + 1, 1.0 / high
        squares += example.x[p] * example.x[p]
    return finish(indices.size, squares, example)


@jit_in_place
def finish(size: int, squares: float, example: Example) -> int:
    """Fill in z and the bias of an example whose x have this sum of squares; returns its size with the bias."""
    scale = 1.0 / math.sqrt(squares) if squares > 0.0 else 0.0  # squares of tiny values are 0
    example.squares[0] = squares
    for p in range(size):
        example.z[p] = scale * example.x[p]
    example.places[size] = 0
    example.x[size] = example.z[size] = 1.0
    for p in range(size + 1, (size // WIDTH + 1) * WIDTH):
        example.places[p], example.x[p], example.z[p] = 0, 0.0, 0.0
    return size + 1


@jit_in_place
def count_example(scale: NDArray[np.float64], part: float, example: Example) -> None:
    """Add an example to the number of trials and to the sum of 1 + ||x||^2."""
    scale[0] += part
    scale[1] += part * (1.0 + example.squares[0])


@briefly(lambda _: 1e-6)
@jit_in_place
def typical(scale: NDArray[np.float64]) -> float:
    """Size of a typical z: the root of the number of trials divided by the sum of 1 + ||x||^2."""
    return math.sqrt(max(scale[0], 1.0) / max(scale[1], 1.0))
