"""Kernels in the interpreter: the same results to the last bit, and machine code once there is more to do."""

from math import inf

import numpy as np
import pytest

import winnowkit
from winnowkit.core import csr, interpreted
from winnowkit.core.interpreted import Interpreted
from winnowkit.core.jit import jit
from winnowkit.linear import committee_kernel, kernel, scaled_kernel, weights

KERNELS = [
    (csr, "check"),
    (weights, "begin"),
    (weights, "refresh"),
    (kernel, "learn"),
    (kernel, "decide"),
    (committee_kernel, "learn"),
    (committee_kernel, "decide"),
    (scaled_kernel, "decide"),
]
LEARNERS = [
    ("Winnow1", {}),
    ("Winnow2", {}),
    ("Winnow2", {"negations": True}),
    ("BalancedWinnow", {"negations": True}),
    ("NormalizedWinnow", {"alpha": 64.0}),
    ("NormalizedWinnow", {"negations": True}),
    ("ThresholdedBEG", {}),
    ("BayesBEG", {"negations": True}),
    ("AROW", {}),
    ("CoinBetting", {}),
    ("AdaptiveWinnow", {}),
]
skip_without_compiler = pytest.mark.skipif(not hasattr(kernel.learn, "py_func"), reason="everything is interpreted")


@pytest.fixture
def interpret(monkeypatch):
    """Return a function after which linear learners are interpreted."""

    def switch():
        for module, name in KERNELS:
            monkeypatch.setattr(module, name, getattr(module, name)._interpreted.copy)

    return switch


def learned(name, options, n_classes):
    """Everything that a learner knows after some rows, and its decisions: values, labels and weights of all kinds."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, size=(60, 12)) * rng.choice([1.0, 1.0, 0.37], size=(60, 12))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0) * (n_classes - 2)
    model = getattr(winnowkit, name)(**options).partial_fit(X, y, classes=range(n_classes))
    model.partial_fit(X, y, sample_weight=rng.choice([0.0, 0.3, 1.0, 2.5], size=60))
    return {**model._learner.arrays(), "coef": model._learner.coef, "decisions": model.decision_function(X)}


@skip_without_compiler
@pytest.mark.parametrize(("name", "options"), LEARNERS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_interpreter_gives_the_same_bits(name, options, n_classes, interpret):
    compiled = learned(name, options, n_classes)
    interpret()
    for field, array in learned(name, options, n_classes).items():
        assert array.tobytes() == compiled[field].tobytes(), field


def committee(seed, n_columns, **options):
    """Everything that a committee knows after some rows of real values, and its decisions."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, n_columns)) * rng.integers(0, 2, size=(60, n_columns)) * 10.0 ** rng.integers(-3, 3)
    y = X[:, 0] + 0.1 * rng.normal(size=60) > 0.0
    model = winnowkit.Committee(**options).partial_fit(X, y, classes=[False, True])
    model.partial_fit(X, y, sample_weight=rng.choice([0.0, 0.3, 1.0, 2.5], size=60))
    return {**model._learner.arrays(), "decisions": model.decision_function(X)}


@skip_without_compiler
@pytest.mark.parametrize("options", [{}, {"share": 0.01}])
@pytest.mark.parametrize(("n_columns", "n_seeds"), [(3, 3), (21, 3), (70, 1)])
def test_so_it_does_for_committees(n_columns, n_seeds, options, interpret):
    compiled = [committee(seed, n_columns, **options) for seed in range(n_seeds)]
    interpret()
    for seed, expected in enumerate(compiled):
        for field, array in committee(seed, n_columns, **options).items():
            assert array.tobytes() == expected[field].tobytes(), (field, seed)


@pytest.fixture
def patient(monkeypatch):
    monkeypatch.setattr(Interpreted, "patience", 1.0)


@skip_without_compiler
@pytest.mark.usefixtures("patient")
def test_a_kernel_is_compiled_once_its_calls_add_up():
    @interpreted.briefly(lambda seconds: seconds)
    @jit
    def twice(x):
        return 2 * x

    twice._cache._folders = []
    assert twice(0.25) == 0.5
    assert twice(inf) == inf  # too long for the interpreter
    assert len(twice.overloads) == 1
    assert twice(np.float32(0.5)) == 1.0
    assert twice(np.int32(1)) == 2
    assert len(twice.overloads) == 2  # 0.25 + 0.5 + 1 seconds would be too long


@skip_without_compiler
@pytest.mark.usefixtures("patient")
def test_so_it_is_once_it_is_called_often_however_brief_the_calls():
    @interpreted.briefly(lambda _: 0.0)
    @jit
    def twice(x):
        return 2 * x

    twice._cache._folders = []
    for _ in range(int(Interpreted.patience / Interpreted.asking) + 1):
        assert twice(0.25) == 0.5
    assert len(twice.overloads) == 1


def test_rows_are_checked_alike_by_numpy():
    """Rows of all kinds: sound, unsorted, with wild values, columns out of range, and ends that cannot be followed."""
    rng, found = np.random.default_rng(5), set()
    for _ in range(3000):
        ends = np.concatenate([[0], rng.integers(0, 3, size=4).cumsum()])
        indices = np.concatenate([np.sort(rng.permutation(4)[:size]) for size in np.diff(ends)]).astype(np.int64)
        data = rng.normal(size=indices.size)
        match rng.integers(6):
            case 0 if data.size:
                data[rng.integers(data.size)] = rng.choice([np.nan, np.inf, -np.inf])
            case 1:
                rng.shuffle(indices)
                data *= rng.choice([1.0, np.nan])
            case 2 if data.size:
                indices[rng.integers(indices.size)] += rng.choice([-4, 4])
            case 3:
                ends[rng.integers(5)] += rng.choice([-1, 1])
        rows = csr.Rows(data, indices, ends, None)
        first, last = sorted(rng.integers(0, 5, size=2))
        flags = csr.check(rows, first, last, 4)
        assert csr.check_by_numpy(rows, first, last, 4) == flags, (rows, first, last)
        found.add(flags)
    assert found == {0, csr.UNSORTED, csr.NOT_FINITE, csr.BROKEN, csr.UNSORTED | csr.NOT_FINITE}


PROGRAM = """
import numpy as np
from winnowkit import Winnow2
from winnowkit.core.jit import cache_folder

X = np.random.default_rng(0).integers(0, 2, size=(20, 10))
print((Winnow2().fit(X, X[:, 0]).predict(X) == X[:, 0]).all(), len(list(cache_folder().glob("*.kernel"))))
"""


@skip_without_compiler
def test_a_first_call_on_few_rows_compiles_nothing(python, tmp_path):
    """That many rows do compile, and leave files there, is shown by test_kernels_compile_once_for_good."""
    assert python(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path)) == "True 0"


LOADED = """
import sys
import numpy as np
from winnowkit import load
from winnowkit.core.jit import cache_folder

for path in sys.argv[1:]:
    print(load(path).predict(np.eye(3)).tolist(), "numba" in sys.modules)
print(len(list(cache_folder().glob("*.kernel"))))
"""


@skip_without_compiler
def test_models_from_files_predict_a_few_rows_without_numba(python, tmp_path):
    X = np.random.default_rng(0).integers(0, 2, size=(50, 3))
    names = ["Winnow2", "BayesBEG", "AROW", "Committee"]
    for name in names:
        winnowkit.save(getattr(winnowkit, name)().fit(X, X[:, 1]), tmp_path / name)
    said = python(LOADED, *(tmp_path / name for name in names), NUMBA_CACHE_DIR=str(tmp_path)).splitlines()
    assert said == ["[0, 1, 0] False"] * 4 + ["0"]
