"""Kernels of a process that has not loaded numba yet."""

import sys
from math import inf
from types import ModuleType

import numpy as np
import pytest
from numba import njit

import winnowkit
from winnowkit.core.deferred import Deferred, settle
from winnowkit.core.interpreted import Interpreted
from winnowkit.linear import kernel

skip_without_compiler = pytest.mark.skipif(not hasattr(kernel.learn, "py_func"), reason="everything is interpreted")


@pytest.fixture
def deferred(monkeypatch):
    """A function in a module, which says what is called."""
    module, said = ModuleType("winnowkit.imaginary"), []

    def make():
        said.append("made")

        def compiled(seconds):
            said.append("compiled")
            return seconds

        return compiled

    def slow(seconds):
        return seconds

    module.slow = module.again = Deferred(slow, make)
    module.slow.takes = lambda seconds: seconds
    monkeypatch.setitem(sys.modules, "winnowkit.imaginary", module)
    monkeypatch.setattr(Interpreted, "patience", 1.0)
    return module, said


def test_brief_calls_are_interpreted_until_they_add_up(deferred):
    module, said = deferred
    assert module.slow(0.4 * Interpreted.unloaded) == 0.4 * Interpreted.unloaded
    assert module.slow(0.4 * Interpreted.unloaded) == 0.4 * Interpreted.unloaded
    assert said == []
    assert module.slow(0.4 * Interpreted.unloaded) == 0.4 * Interpreted.unloaded
    assert said == ["made", "compiled"]


def test_a_kernel_takes_the_place_of_all_names(deferred):
    module, said = deferred
    before = module.slow
    assert before(inf) == inf
    assert module.slow is module.again is before.made()
    assert before(0.0) == 0.0  # whoever kept it is served by the kernel too
    settle()
    assert said == ["made", "compiled", "compiled"]


def test_a_call_makes_no_other_kernels(deferred):
    module, said = deferred
    module.other = Deferred(lambda: None, lambda: said.append("other made") or (lambda: None))
    assert module.slow(inf) == inf
    assert said == ["made", "compiled"]
    assert isinstance(module.other, Deferred)
    settle()  # before anything is compiled
    assert said == ["made", "compiled", "other made"]
    assert not isinstance(module.other, Deferred)


IMPORTS = """
import sys
from winnowkit import Committee, DNFWinnow, Winnow2

print([name for name in sys.modules if name == "numba" or name.startswith("winnowkit.report")])
print([name for name in ("trade_off", "rule_list", "exports") if f"winnowkit.rulesets.{name}" in sys.modules])
print([name for name in ("descent", "population", "mcmc", "rule_choice") if f"winnowkit.dnf.{name}" in sys.modules])
"""


def test_learners_import_neither_numba_nor_what_explains_them(python):
    assert python(IMPORTS).split() == ["[]", "[]", "[]"]


PROGRAM = """
import sys
import numpy as np
from winnowkit import Winnow2, Committee

X = np.random.default_rng(0).integers(0, 2, size=(20_000, 10))
y = X[:, 0] | X[:, 1]
models = Winnow2(), Committee(max_epochs=1)
for model in models:
    model.partial_fit(X[:9], y[:9], classes=[0, 1])
print("numba" in sys.modules)
for model in models:
    model.partial_fit(X[9:], y[9:])
print("numba" in sys.modules)
for model in models:
    print(model.decision_function(X[:100]).sum().hex())
"""


@skip_without_compiler
def test_what_is_learned_does_not_depend_on_when_numba_is_loaded(python):
    X = np.random.default_rng(0).integers(0, 2, size=(20_000, 10))
    y = X[:, 0] | X[:, 1]
    models = winnowkit.Winnow2(), winnowkit.Committee(max_epochs=1)
    sums = [model.partial_fit(X, y, classes=[0, 1]).decision_function(X[:100]).sum().hex() for model in models]
    assert python(PROGRAM).split() == ["False", "True", *sums]


@skip_without_compiler
def test_functions_compiled_by_others_may_call_it():
    def twice(x):
        return 2.0 * x

    part = Deferred(twice, lambda: njit(twice))
    assert njit(lambda x: part(x) + 1.0)(1.0) == 3.0


@skip_without_compiler
def test_the_first_kernel_of_a_process_may_count_bits(python, tmp_path):
    code = """
import numpy as np
from winnowkit.dnf.mcmc.chains import pack_problem
print(pack_problem(np.array([[1]]), np.array([3]), (1, 0, 0)).weights.tolist())
"""
    assert python(code, NUMBA_CACHE_DIR=str(tmp_path)) == "[1, 2]"
