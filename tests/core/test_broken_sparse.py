"""Sparse matrices whose public arrays were replaced by others are refused, in a child process that may crash."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from confined import confined
from winnowkit import Winnow2
from winnowkit.core.sparse import check_sparse
from winnowkit.rulesets import Condition, Rule, RuleSet

Y = np.array([0, 1, 0, 1])


def sound(kind="csr"):
    return sp.random(4, 6, density=0.5, format=kind, random_state=0)


BROKEN = {
    "indptr too short": ("csr", {"indptr": lambda X: X.indptr[:2]}),
    "indptr too long": ("csr", {"indptr": lambda X: np.append(X.indptr, X.indptr[-1])}),
    "indptr from 1": ("csr", {"indptr": lambda X: np.maximum(X.indptr, 1)}),
    "indptr negative": ("csr", {"indptr": lambda X: X.indptr - 10**6}),
    "indptr falls": ("csr", {"indptr": lambda X: X.indptr[[0, 3, 1, 2, 4]]}),
    "indptr beyond": ("csr", {"indptr": lambda X: X.indptr * 10**6}),
    "indptr of floats": ("csr", {"indptr": lambda X: X.indptr.astype(float)}),
    "indptr in two dimensions": ("csr", {"indptr": lambda X: X.indptr[None]}),
    "indices in two dimensions": ("csr", {"indices": lambda X: X.indices[:, None]}),
    "indices of floats": ("csr", {"indices": lambda X: X.indices.astype(float)}),
    "indices too short": ("csr", {"indices": lambda X: X.indices[:1]}),
    "indices outside": ("csr", {"indices": lambda X: X.indices + 10**9}),
    "indices negative": ("csr", {"indices": lambda X: X.indices - 10**6}),
    "data too short": ("csr", {"data": lambda X: X.data[:1]}),
    "data in two dimensions": ("csr", {"data": lambda X: X.data[:, None]}),
    "data of objects": ("csr", {"data": lambda X: X.data.astype(object)}),
    "CSC, indptr too short": ("csc", {"indptr": lambda X: X.indptr[:2]}),
    "CSC, indices outside": ("csc", {"indices": lambda X: X.indices + 10**9}),
    "CSC, indices negative": ("csc", {"indices": lambda X: X.indices - 10**6}),
    "BSR, indices outside": ("bsr", {"indices": lambda X: X.indices + 10**9}),
    "BSR, indptr too short": ("bsr", {"indptr": lambda X: X.indptr[:2]}),
    "BSR, data too short": ("bsr", {"data": lambda X: X.data[:1]}),
    "COO, row outside": ("coo", {"row": lambda X: X.row + 10**9}),
    "COO, col negative": ("coo", {"col": lambda X: X.col - 10**6}),
    "COO, row too short": ("coo", {"row": lambda X: X.row[:1]}),
}


def broken(name):
    format_, changes = BROKEN[name]
    X = sound(format_)
    for attribute, change in changes.items():
        setattr(X, attribute, change(X))
    return X


@pytest.mark.parametrize("format_", ["csr", "csc", "bsr", "coo", "lil", "dok", "dia"])
def test_sound_matrices_are_taken(format_):
    check_sparse(sound(format_))
    expected = Winnow2(random_state=0).fit(sound().toarray(), Y).coef_
    np.testing.assert_array_equal(Winnow2(random_state=0).fit(sound(format_), Y).coef_, expected)


def test_spare_entries_and_empty_matrices_are_sound():
    X = sound()
    X.indices, X.data = np.append(X.indices, [99]), np.append(X.data, [1.0])
    check_sparse(X)
    check_sparse(sp.csr_matrix((0, 5)))
    check_sparse(sp.csr_array((5, 0)))


CALLS = """
sys.path[:0] = [sys.argv[2], str(Path(sys.argv[2]).parent)]
from winnowkit import SBSB, Committee, Winnow2
from winnowkit.data import write_table
from test_broken_sparse import BROKEN, Y, broken, sound, rules
models = [Winnow2(random_state=0), Committee(random_state=0), SBSB()]
for model in models:
    model.fit(sound(), Y)
found = {}
for name in BROKEN:
    X = broken(name)
    calls = [lambda: rules().predict(X), lambda: write_table(X, Y, Path(sys.argv[1]) / "x.libsvm")]
    for model in models:
        calls += [lambda m=model: m.predict(X), lambda m=model: m.partial_fit(X, Y), lambda m=model: m.fit(X, Y)]
    found[name] = [outcome(call) for call in calls]
print(json.dumps(found))
"""


def rules():
    return RuleSet([Rule((Condition("x1", ">", 0.0),), 1)], default=0, columns=[f"x{j}" for j in range(6)])


def test_broken_matrices_are_refused_wherever_they_enter(tmp_path):
    found = confined(CALLS, tmp_path, Path(__file__).parent)
    wrong = {
        (name, i): outcome
        for name, outcomes in found.items()
        for i, outcome in enumerate(outcomes)
        if outcome[0] not in ("ValueError", "DataError") or "broken sparse matrix" not in outcome[1]
    }
    assert not wrong


def test_the_reported_crash():
    code = """
import numpy as np, scipy.sparse as sp
from winnowkit import Winnow2
model = Winnow2().begin(n_features=50, classes=[0, 1])
X = sp.csr_matrix((60_000_000, 50)); X.indptr = np.zeros(5, np.int32)
print(json.dumps(outcome(model.predict, X)))
"""
    assert confined(code) == [
        "ValueError",
        "X is a broken sparse matrix: indptr must have 60000001 entries, got 5",
    ]
