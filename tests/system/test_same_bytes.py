"""Same seed, same bytes: across processes, threads, input layouts, orders of columns; and from many threads at once."""

import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

import winnowkit
from winnowkit import DNFWinnow
from winnowkit.cli import main
from winnowkit.data import Frame, load_dataset, streams, write_table
from winnowkit.dnf import Ladder, MistakeDriven

N = 150
X, Y = streams.disjunction(n=N, k=3, active=30, label_noise=0.1, seed=0).take(400)
THREE = np.array(["a", "b", "c"])[np.asarray(X[:, :2].toarray() @ [1, 2]).astype(int) % 3]
VOTING = load_dataset("voting", return_X_y=True)
LINEAR = [name for name in winnowkit.__all__ if name[0].isupper() and name != "DNFWinnow"]
OPTIONS = {
    "Committee": {"share": 0.01},
    "DirectBayes": {"k": 1, "prediction": "probability"},
    "SASB": {"voting": 5},
    "DirectedDrift": {"batch": 50},
}


def learner(name, **options):
    return getattr(winnowkit, name)(random_state=7, shuffle=True, max_epochs=2, **OPTIONS.get(name, {}), **options)


def digest(model, rows):
    answer = model.predict(rows).tobytes() + np.ascontiguousarray(model.decision_function(rows)).tobytes()
    return hashlib.sha256(answer).hexdigest()


def columns(matrix, order):
    dense = matrix.toarray()
    return {f"c{j}": dense[:, j] for j in order}


LAYOUTS = {
    "CSR": lambda m: m,
    "CSC": sparse.csc_matrix,
    "COO": sparse.coo_array,
    "dense": lambda m: m.toarray(),
    "Fortran": lambda m: np.asfortranarray(m.toarray()),
    "float32": lambda m: m.toarray().astype(np.float32),
    "bool": lambda m: m.toarray() > 0,
    "strided": lambda m: np.repeat(m.toarray(), 2, axis=1)[:, ::2],
    "long indices": lambda m: sparse.csr_array(
        (m.data, m.indices.astype(np.int64), m.indptr.astype(np.int64)), m.shape
    ),
}
FRAMES = {
    "Frame": lambda m: Frame(columns(m, range(N))),
    "pandas": lambda m: pd.DataFrame(columns(m, range(N))),
}


@pytest.mark.parametrize("name", LINEAR)
def test_layouts(name):
    expected = digest(learner(name).fit(X, Y), X[:100])
    for make in LAYOUTS.values():
        assert digest(learner(name).fit(make(X), Y), make(X[:100])) == expected
    for make in FRAMES.values():
        assert digest(learner(name).fit(make(X), Y), make(X[:100])) == expected


@pytest.mark.parametrize("name", LINEAR)
def test_threads(name):
    expected = digest(learner(name).fit(X, THREE), X)
    for n_jobs in (2, 3, 8):
        assert digest(learner(name, n_jobs=n_jobs).fit(X, THREE), X) == expected


TABLE_MODELS = {
    "exact": {},
    "sampled": {"engine": Ladder(steps=200, burn_in=50), "max_epochs": 2},
    "pair": {"training": MistakeDriven(two_class="pair"), "max_epochs": 3},
    "short": {"max_literals": 2, "training": MistakeDriven(), "max_epochs": 3},
    "soft": {"max_literals": 2, "max_epochs": 20},
}


def table_model(options, **further):
    rows, labels = VOTING
    usual = {"max_literals": None, "max_epochs": 4, "random_state": 7, "verbose": False}
    return DNFWinnow(**usual | options | further).fit(as_frame(rows[:150]), labels[:150])


def as_frame(rows, order=None):
    return pd.DataFrame({f"c{j}": rows[:, j] for j in (range(rows.shape[1]) if order is None else order)})


@pytest.mark.parametrize("name", TABLE_MODELS)
def test_tables(name):
    rows = VOTING[0][150:220]
    model = table_model(TABLE_MODELS[name])
    expected = digest(model, as_frame(rows))
    assert digest(model, Frame({f"c{j}": rows[:, j] for j in range(rows.shape[1])})) == expected
    for n_jobs in (2, 5):
        assert digest(table_model(TABLE_MODELS[name], n_jobs=n_jobs), as_frame(rows)) == expected


@pytest.mark.parametrize("name", TABLE_MODELS)
def test_a_row_is_predicted_alike_alone_and_among_others(name):
    rows = as_frame(VOTING[0][150:190])
    model = table_model(TABLE_MODELS[name])
    together = model.decision_function(rows)
    alone = np.concatenate([model.decision_function(rows[i : i + 1]) for i in range(len(rows))])
    assert together.tobytes() == alone.tobytes()


# --- columns in another order -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LINEAR)
def test_columns_in_another_order_are_refused_by_estimators_as_scikit_learn_wants(name):
    model = learner(name).fit(pd.DataFrame(columns(X, range(N))), Y)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(pd.DataFrame(columns(X, range(N)[::-1])))


@pytest.mark.parametrize("name", sorted(set(LINEAR) - {"DirectedDrift"}))  # it starts from random weights
def test_learning_does_not_depend_on_the_order_of_columns(name):
    turned = np.random.default_rng(0).permutation(N)
    plain = learner(name).fit(X, Y).predict(X)
    assert learner(name).fit(X[:, turned], Y).predict(X[:, turned]).tobytes() == plain.tobytes()


@pytest.mark.parametrize("name", ["exact", "pair", "short"])  # sampled sums depend on the numbers of attributes
def test_learning_tables_does_not_depend_on_the_order_of_columns(name):
    rows, labels = VOTING
    turned = np.random.default_rng(0).permutation(rows.shape[1])
    plain = table_model(TABLE_MODELS[name])
    other = clone(plain).fit(as_frame(rows[:150], turned), labels[:150])
    assert other.predict(as_frame(rows[150:], turned)).tobytes() == plain.predict(as_frame(rows[150:])).tobytes()


@pytest.mark.parametrize("name", ["DNFWinnow", "Winnow2", "Committee"])
def test_the_command_line_finds_columns_by_their_names(name, tmp_path):
    rows, labels = VOTING
    turned = np.random.default_rng(0).permutation(rows.shape[1])
    write_table(as_frame(rows[:150]), labels[:150], tmp_path / "rows.csv")
    write_table(as_frame(rows[150:]), None, tmp_path / "plain.csv")
    write_table(as_frame(rows[150:], turned), None, tmp_path / "turned.csv")
    model = str(tmp_path / "model")
    assert main(["fit", str(tmp_path / "rows.csv"), "--output", model, "--learner", name, "--seed", "1", "-q"]) == 0
    for which in ("plain", "turned"):
        words = ["predict", model, str(tmp_path / f"{which}.csv"), "--scores", "--output", str(tmp_path / which), "-q"]
        assert main(words) == 0
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "turned").read_bytes()


IN_A_PROCESS = """
import sys
sys.path[:0] = sys.argv[1].split("|")
import test_same_bytes as t
for name in t.LINEAR:
    print(t.digest(t.learner(name).fit(t.X, t.THREE), t.X))
for options in t.TABLE_MODELS.values():
    print(t.digest(t.table_model(options), t.as_frame(t.VOTING[0][150:220])))
"""


def test_processes(monkeypatch):
    here = [digest(learner(name).fit(X, THREE), X) for name in LINEAR]
    here += [digest(table_model(options), as_frame(VOTING[0][150:220])) for options in TABLE_MODELS.values()]
    for seed, threads in (("1", "1"), ("2", "4")):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        paths = "|".join([*sys.path, str(Path(__file__).parent)])
        done = subprocess.run([sys.executable, "-c", IN_A_PROCESS, paths], capture_output=True, text=True, check=True)
        assert done.stdout.split() == here


# --- many threads on one model ----------------------------------------------------------------------------------------


def ask(model, rows, parts):
    return [model.predict(rows[part]).tobytes() + model.decision_function(rows[part]).tobytes() for part in parts]


@pytest.mark.parametrize("name", LINEAR)
def test_predictions_from_many_threads(name):
    model = learner(name).fit(X, THREE)
    parts = [slice(i, i + 23) for i in range(0, 360, 40)]
    serial = ask(model, X, parts)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda k: ask(model, X, parts[k:] + parts[:k]), range(9)))
    for k, answer in enumerate(answers):
        assert answer == serial[k:] + serial[:k]


@pytest.mark.parametrize("name", TABLE_MODELS)
def test_predictions_on_tables_from_many_threads(name):
    model, rows = table_model(TABLE_MODELS[name], n_jobs=2), as_frame(VOTING[0][150:230])
    parts = [slice(i, i + 9) for i in range(0, 70, 10)]
    serial = ask(model, rows, parts)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda k: ask(model, rows, parts[k:] + parts[:k]), range(7)))
    for k, answer in enumerate(answers):
        assert answer == serial[k:] + serial[:k]
