"""Kernels that are compiled once, inside the kernel that Python calls."""

import math

import numba
import numpy as np
import pytest

from winnowkit.core import compiler
from winnowkit.core.compiler import Kernel
from winnowkit.core.jit import jit, jit_in_place, jit_uncounted

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def softplus(x):
    return math.log1p(math.exp(x))


def total(values, n_left):
    """Recursive, with an array made on the way."""
    if n_left == 0:
        return 0.0
    here = np.empty(2)
    here[:] = 0.5 * part(values[n_left - 1])  # noqa: F821
    return here[0] + here[1] + total(values, n_left - 1)


def compiled(decorate):
    """The two functions above, decorated; `total` sees the decorated names."""
    names = {"np": np, "part": decorate(softplus)}
    recursive = type(total)(total.__code__, names, "total")
    names["total"] = decorate(recursive)
    return names["part"], names["total"]


def uncached(function):
    return Kernel(function, targetoptions={"nopython": True, "error_model": "numpy"})


VALUES = np.random.default_rng(0).normal(size=50)


def test_results_are_those_of_numba_bit_for_bit():
    _, ours = compiled(uncached)
    _, theirs = compiled(numba.njit(error_model="numpy"))
    assert ours(VALUES, VALUES.size) == theirs(VALUES, VALUES.size)


def test_what_another_kernel_calls_becomes_no_machine_code_of_its_own():
    part, whole = compiled(uncached)
    whole(VALUES, VALUES.size)
    assert len(whole.signatures) == 1
    assert part.signatures == []
    assert part(1.0) == softplus(1.0)  # and Python can still call it, before or after
    assert len(part.signatures) == 1


def test_types_that_differ_are_compiled_apart():
    part, whole = compiled(uncached)
    assert part(np.float32(1.0)) == pytest.approx(softplus(1.0))
    assert whole(VALUES.astype(np.float32), 3) == pytest.approx(whole(VALUES, 3))


@pytest.mark.parametrize("decorate", [jit, jit_in_place, jit_uncounted])
def test_the_decorators_make_such_kernels(decorate):
    assert isinstance(decorate(softplus), Kernel)


def test_a_numba_without_the_private_methods_compiles_in_its_own_way(monkeypatch):
    monkeypatch.setattr(compiler, "_PRIVATE", ("_a_method_that_is_gone",))
    part, whole = compiled(uncached)
    _, theirs = compiled(numba.njit(error_model="numpy"))
    assert whole(VALUES, VALUES.size) == theirs(VALUES, VALUES.size)
    assert len(part.signatures) == 1
