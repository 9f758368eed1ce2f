"""A machine that calls a learner's methods in any order, on any sound or unsound data, beside a twin."""

import pickle
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from numba import config
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from winnowkit import DNFWinnow, load, save
from winnowkit.data import Frame

CLASSES = [[0, 1], ["no", "yes"], [False, True], [-1, 3], ["a", "b", "c"], [2.0, 5.0, 7.0]]
NUMBERS = [0.0, 1.0, -1.0, 0.5, 5e-324, 1e-300, 1e300, -0.0, 2.0, 127.0]
CATEGORIES = ["red", "blue", "", " ", "?", None, "\x00", "1", "Ü" * 50, "true"]


def same(array):
    return array


def _read_only(X):
    X.flags.writeable = False
    return X


def _long_indices(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def _with_zeros(X):
    rows, columns = X.shape
    indptr = np.arange(0, rows * columns + 1, columns)
    return sparse.csr_matrix((X.ravel(), np.tile(np.arange(columns), rows), indptr), shape=X.shape)


LAYOUTS = {
    "dense": same,
    "Fortran": np.asfortranarray,
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda X: _read_only(X.copy()),
    "list": lambda X: X.tolist(),
    "float32": lambda X: np.clip(X, -1e30, 1e30).astype(np.float32),
    "float16": lambda X: np.clip(X, -1e4, 1e4).astype(np.float16),
    "big-endian": lambda X: X.astype(">f8"),
    "int8": lambda X: np.clip(X, -100, 100).astype(np.int8),
    "uint64": lambda X: (X > 0).astype(np.uint64),
    "bool": lambda X: X > 0,
    "object": lambda X: X.astype(object),
    "CSR": sparse.csr_matrix,
    "CSC": sparse.csc_array,
    "COO": sparse.coo_matrix,
    "CSR with long indices": lambda X: _long_indices(sparse.csr_array(X)),
    "CSR with zeros kept": _with_zeros,
    "frame": lambda X: Frame({f"c{j}": X[:, j] for j in range(X.shape[1])}),
    "pandas": lambda X: pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]),
}
TABLES = {name: LAYOUTS[name] for name in ("dense", "Fortran", "every second row", "list")}
TABLES["frame"], TABLES["pandas"] = LAYOUTS["frame"], LAYOUTS["pandas"]


def machine(begin, parameters):
    """A machine for one kind of learner, its parameters drawn from what each is said to take."""

    class AnyOrder(RuleBasedStateMachine):
        @initialize(data=st.data())
        def begin_two(self, data):
            self.width = data.draw(st.integers(1, 6), label="columns")
            self.classes = data.draw(st.sampled_from(CLASSES), label="classes")
            drawn = {name: data.draw(st.sampled_from(values), label=name) for name, values in parameters.items()}
            self.model, self.twin = begin(**drawn), begin(**drawn)
            self.tables = isinstance(self.model, DNFWinnow)

        # --- data -----------------------------------------------------------------------------------------------

        def rows(self, data, most=12):
            """Rows in some layout, with columns that are copies of others or constant; and the labels."""
            n_rows = data.draw(st.integers(0, most), label="rows")
            cells = st.sampled_from(CATEGORIES if self.tables and data.draw(st.booleans(), label="text") else NUMBERS)
            X = np.empty((n_rows, self.width), dtype=object)
            for j in range(self.width):
                way = data.draw(st.sampled_from(["any", "any", "copy", "constant"]), label=f"column {j}")
                if way == "copy" and j:
                    X[:, j] = X[:, 0]
                elif way == "constant":
                    X[:, j] = data.draw(cells)
                else:
                    X[:, j] = data.draw(st.lists(cells, min_size=n_rows, max_size=n_rows))
            if not any(isinstance(value, str | None) for value in X.ravel()):
                X = X.astype(np.float64)
                if getattr(self.model, "binarize", 0.0) is None:
                    X = np.clip(np.abs(X), 0.0, 1.0)
            elif not n_rows:
                X = X.astype(np.float64)
            layout = data.draw(st.sampled_from(sorted(TABLES if self.tables else LAYOUTS)), label="layout")
            labels = data.draw(st.lists(st.sampled_from(self.classes), min_size=n_rows, max_size=n_rows), label="y")
            return (TABLES if self.tables else LAYOUTS)[layout](X), np.array(labels, dtype=np.array(self.classes).dtype)

        def both(self, call):
            """Do the same with both: they answer alike, or refuse alike, and are then as they were."""
            answers = []
            for model in (self.model, self.twin):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    if config.DISABLE_JIT:  # numpy then warns of what kernels compute on purpose: 1e300 squared
                        warnings.simplefilter("ignore", RuntimeWarning)
                    try:
                        answers.append(call(model))
                    except (ValueError, TypeError, NotFittedError) as error:
                        answers.append((type(error), str(error).split("[")[0][:60]))
            first, second = answers
            if isinstance(first, np.ndarray):
                assert isinstance(second, np.ndarray)
                assert first.dtype == second.dtype
                assert first.tobytes() == second.tobytes() or np.array_equal(first, second)
            elif isinstance(first, tuple):
                assert first == second
            return first

        # --- what may be done -----------------------------------------------------------------------------------

        @rule(data=st.data())
        def fit(self, data):
            X, y = self.rows(data)
            self.both(lambda model: model.fit(X, y))

        @rule(data=st.data())
        def partial_fit(self, data):
            X, y = self.rows(data)
            before = self.trials()
            answer = self.both(lambda model: model.partial_fit(X, y, classes=self.classes))
            if not isinstance(answer, tuple):
                assert self.trials() == before + len(y)

        @rule(data=st.data())
        def partial_fit_predict(self, data):
            X, y = self.rows(data)
            answer = self.both(lambda model: model.partial_fit_predict(X, y))
            if isinstance(answer, np.ndarray):
                assert np.isin(answer, self.model.classes_).all()

        @rule(data=st.data())
        def predict(self, data):
            X, _ = self.rows(data)
            answer = self.both(lambda model: model.predict(X))
            decisions = self.both(lambda model: model.decision_function(X))
            if isinstance(answer, np.ndarray):
                assert not np.isnan(decisions).any()
                if decisions.ndim == 1:
                    assert (self.model.classes_[(decisions > 0).astype(int)] == answer).all()

        @rule(data=st.data())
        @precondition(lambda self: not self.tables)
        def learn_one(self, data):
            x = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=self.width, max_size=self.width)))
            y = data.draw(st.sampled_from(self.classes))
            self.both(lambda model: np.array([model.learn_one(x, y)]))

        @rule(data=st.data())
        @precondition(lambda self: self.model.__sklearn_is_fitted__())
        def nonsense(self, data):
            X = np.zeros((2, self.width))
            X[0, 0] = data.draw(st.sampled_from([np.nan, np.inf, -np.inf]))
            wrong = [X[:, :0], X[0], X[None], np.zeros((2, self.width + 1)), "text", None, X.astype(complex)]
            if not self.tables:
                wrong.append(X)
            X = wrong[data.draw(st.integers(0, len(wrong) - 1), label="which")]
            y = np.array([self.classes[0], self.classes[1]])
            answers = [
                self.both(lambda model: model.partial_fit(X, y, classes=self.classes)),
                self.both(lambda model: model.predict(X)),
            ]
            assert all(isinstance(answer, tuple) for answer in answers)

        @rule()
        def save_and_load(self):
            with tempfile.TemporaryDirectory() as folder:
                save(self.model, Path(folder) / "model")
                self.model = load(Path(folder) / "model")

        @rule()
        def pickled(self):
            self.model = pickle.loads(pickle.dumps(self.model))

        @rule()
        def cloned(self):
            self.model, self.twin = clone(self.model), clone(self.twin)

        # --- what always holds ----------------------------------------------------------------------------------

        def trials(self):
            return self.model.n_trials_ if self.model.__sklearn_is_fitted__() else 0

        @invariant()
        def alike(self):
            if hasattr(self, "model") and self.model.__sklearn_is_fitted__():
                assert self.model.n_trials_ == self.twin.n_trials_
                assert self.model.n_mistakes_ == self.twin.n_mistakes_

    AnyOrder.__name__ = AnyOrder.__qualname__ = f"AnyOrder{begin.__name__}"
    return AnyOrder
