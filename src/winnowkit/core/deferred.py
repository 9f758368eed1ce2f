"""Kernels of a process that has not loaded numba yet, which takes a quarter of a second.

While there is little to do, they are interpreted (:mod:`winnowkit.core.interpreted`), and a model that predicts a
few rows never needs numba. The first call that takes longer makes a kernel of the function, which takes its place in
all modules, so that later calls cost what they would without this module. Other functions become kernels when they
are called, or all at once when something is to be compiled: to make one takes half a millisecond, and there are many.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from winnowkit.core.interpreted import Interpreted
from winnowkit.core.uninterrupted import uninterrupted


class Deferred:
    """A function that becomes a kernel once it is worth loading numba."""

    takes: Callable[..., float] | None = None
    """How many seconds the interpreter would take for given arguments, if it may be interpreted at all."""

    def __init__(self, function: Callable[..., Any], make: Callable[[], Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._make = make
        self._interpreted = Interpreted(function)

    def __call__(self, *args: Any) -> Any:
        """Run it: in the interpreter if that is brief."""
        if "kernel" not in self.__dict__:
            if self.takes is not None and self._interpreted.affords(self.takes(*args), loaded=False):
                return self._interpreted.copy(*args)
            settle(self)
        return self.made()(*args)

    def made(self) -> Any:
        """Return the kernel, made at the first time; it goes on counting how long it was interpreted."""
        if "kernel" not in self.__dict__:
            kernel = self._make()
            if self.takes is not None and kernel is not self.py_func:  # without a compiler it is that
                kernel.takes, kernel._interpreted = self.takes, self._interpreted
            self.__dict__.setdefault("kernel", kernel)  # at once, if several threads are here
        return self.__dict__["kernel"]

    @property
    def _numba_type_(self) -> Any:
        """The type of the kernel, for functions of others that are compiled and call it."""
        return self.made()._numba_type_


def settle(*which: Deferred) -> None:
    """Put kernels in the places of these functions in all modules; by default of all that are deferred."""
    with uninterrupted():
        for name, module in list(sys.modules.items()):
            if name.startswith("winnowkit."):
                names = vars(module)
                for key, value in list(names.items()):
                    if isinstance(value, Deferred) and (not which or value in which):
                        names[key] = value.made()
