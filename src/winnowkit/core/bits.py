"""Bit counts by the machine's own instructions, each with a plain-Python twin for runs without the JIT.

A set of at most :data:`MAX_BITS` attributes is a non-negative ``int64``: signed, because numba turns the sum of an
unsigned and a signed integer into a float. numba is loaded when something is to be compiled.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from winnowkit.core.deferred import Deferred

MAX_BITS = 62
"""Attributes a set can hold: counts of its subsets, up to ``2**62``, still fit an ``int64``."""


def _popcount(bits: int) -> int:
    """Count the ones in `bits`, a word of 64; Python itself would count those of the absolute value."""
    return (int(bits) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()


def _bit_length(bits: int) -> int:
    """Position of the highest one in `bits`, a word of 64, plus one; 0 for 0."""
    return (int(bits) & 0xFFFF_FFFF_FFFF_FFFF).bit_length()


def _popcount_instruction(typing_context: Any, bits: Any) -> Any:  # noqa: ARG001 - numba's protocol
    from numba import types  # noqa: PLC0415

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(context.cast(builder, arguments[0], signature.args[0], types.int64))

    return types.int64(bits), generate


def _bit_length_instruction(typing_context: Any, bits: Any) -> Any:  # noqa: ARG001 - numba's protocol
    from numba import types  # noqa: PLC0415

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = context.cast(builder, arguments[0], signature.args[0], types.int64)
        zeros = builder.ctlz(wide, context.get_constant(types.boolean, 0))
        return builder.sub(context.get_constant(types.int64, 64), zeros)

    return types.int64(bits), generate


def _operation(twin: Callable[[int], int], instruction: Callable[..., Any]) -> Any:
    def make() -> Any:
        from numba import config  # noqa: PLC0415
        from numba.extending import intrinsic  # noqa: PLC0415

        if config.DISABLE_JIT:
            return twin
        operation = intrinsic(instruction)
        operation.py_func = twin  # what the interpreter calls
        return operation

    return make() if "numba" in sys.modules else Deferred(twin, make)


popcount = _operation(_popcount, _popcount_instruction)
bit_length = _operation(_bit_length, _bit_length_instruction)
