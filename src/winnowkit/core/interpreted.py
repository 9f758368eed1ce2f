"""Kernels in Python's own interpreter, for the few rows of a first call that are done long before a compiler would be.

A kernel says how long the interpreter would take (:func:`briefly`). As long as all its calls together take less than
compiling does, and the machine code is not on disk yet, calls are interpreted: the same source with the same results,
to the last bit. Once it is compiled nothing is asked any more, so that calls cost what they would without this module.

Only kernels whose work can be told from their arguments may say so, and only if their caller can undo what an interrupt
leaves behind, as machine code is never interrupted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from types import FunctionType
from typing import Any, ClassVar, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., object])


def briefly(seconds: Callable[..., float], twin: Callable[..., Any] | None = None) -> Callable[[F], F]:
    """Return a decorator for a kernel that the interpreter may run; `seconds` tells how long, given its arguments.

    A `twin`, which does the same by numpy's functions, is run in place of the kernel's own source.
    """

    def decorate(kernel: F) -> F:
        if not isinstance(kernel, FunctionType):  # without a compiler everything is interpreted
            kernel.takes = seconds  # type: ignore[attr-defined]
            if twin is not None:
                kernel._interpreted.copy = twin  # type: ignore[attr-defined]
        return kernel

    return decorate


def compile_at_once() -> None:
    """Have every kernel of this process compiled by its first call."""
    import_module("numba")  # so that none is deferred
    Interpreted.patience = 0.0


class Interpreted:
    """One kernel for the interpreter, and how long its calls took so far."""

    patience: ClassVar[float] = 0.5
    """Seconds in the interpreter that a kernel may take in all before it is compiled."""

    asking: ClassVar[float] = 3e-4
    """Seconds that it takes to ask, at each of these calls, whether there is machine code by now."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._spent = 0.0

    unloaded: ClassVar[float] = 0.1
    """Seconds that it may take before numba is loaded."""

    def affords(self, seconds: float, *, loaded: bool = True) -> bool:
        """Whether there is patience for a call that takes so long; if so, it is counted."""
        spent = self._spent + seconds + self.asking
        if spent > (self.patience if loaded else min(self.patience, self.unloaded)):
            return False
        self._spent = spent
        return True

    @cached_property
    def copy(self) -> Callable[..., Any]:
        """The function, which calls interpreted functions instead of kernels."""
        return np.errstate(all="ignore")(_interpreted(self._function))


_names: dict[int, dict[str, Any]] = {}


def _interpreted(function: Any) -> Any:
    """Return a copy of a function that sees functions where the original sees kernels."""
    copy = FunctionType(function.__code__, _names_of(function.__globals__), function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _names_of(module: dict[str, Any]) -> dict[str, Any]:
    """Return the names of a module, with functions in place of kernels."""
    if id(module) not in _names:
        names = _names[id(module)] = dict(module)  # kept before it is complete: modules may refer to each other
        for name, value in module.items():
            if hasattr(value, "py_func"):
                names[name] = _interpreted(value.py_func)
    return _names[id(module)]
