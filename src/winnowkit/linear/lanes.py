"""Eight numbers of 32 bits at once, for kernels that do the same for several classes.

Compilers vectorise loops over few classes badly or not at all: they cannot know that there are as many as the processor
takes at once, nor that arrays do not overlap. Here a kernel says it: ``load`` takes eight neighbours from an array,
``+ - * /``, :func:`larger`, :func:`smaller`, :func:`root` and :func:`where` do the same to each of them, and ``store``
puts them back. A number among them counts for all eight. ``load_records`` takes eight neighbouring fields of eight
records that may lie anywhere, each field as lanes, and ``store_records`` puts them back. Any processor has instructions
for this: with eight lanes, with four in two steps, or with one in eight. Results do not depend on that, as each
operation is rounded by itself.

The interpreter takes :mod:`winnowkit.linear.plain_lanes` instead, where each operation is documented.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from winnowkit.core.deferred import Deferred
from winnowkit.core.jit import jit_in_place
from winnowkit.linear import plain_lanes as plain

WIDTH = plain.WIDTH
"""How many lanes there are."""


def _operation(name: str) -> Any:
    """Return an operation: instructions for the compiler, with the twin that the interpreter takes."""
    twin = getattr(plain, name)

    def make() -> Any:
        from numba import config  # noqa: PLC0415 - numba is loaded when something is to be compiled

        if config.DISABLE_JIT:
            return twin
        operation = import_module("winnowkit.linear.lane_instructions").INSTRUCTIONS[name]
        operation.py_func = twin
        return operation

    return make() if "numba" in sys.modules else Deferred(twin, make)


load = _operation("load")
load_mask = _operation("load_mask")
store = _operation("store")
spread = _operation("spread")
where = _operation("where")
root = _operation("root")
of_one_learner = _operation("of_one_learner")
load_records = _operation("load_records")
store_records = _operation("store_records")
load_field = _operation("load_field")
added_up = _operation("added_up")
numbered = _operation("numbered")
is_any = _operation("is_any")
prefetch = _operation("prefetch")


@jit_in_place
def larger(lanes: Any, other: Any) -> Any:
    """The larger of two, in each lane."""
    return where(lanes > other, lanes, other)


@jit_in_place
def smaller(lanes: Any, other: Any) -> Any:
    """The smaller of two, in each lane."""
    return where(lanes < other, lanes, other)


@jit_in_place
def size_of(lanes: Any) -> Any:
    """Absolute value, in each lane."""
    return larger(lanes, 0.0 - lanes)
