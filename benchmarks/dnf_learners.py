"""Tables with their folds, and the learners that run in our own environment."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from results import Record
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.tree import DecisionTreeClassifier

from winnowkit import DNFWinnow
from winnowkit.data import load_dataset
from winnowkit.data.encode import CategoryEncoder
from winnowkit.data.indicators import indicators

SETS = ["iris", "car", "breast-cancer", "voting", "auto", "annealing", "tic-tac-toe", "monks-1", "monks-3"]
OURS, COMPACT = "DNFWinnow", "DNFWinnow, compact rules"


class Task:
    """A table with its folds."""

    def __init__(
        self, name: str, X: Any, y: Any, columns: list[str], types: list[str], folds: int, seed: int = 0
    ) -> None:
        self.name, self.X, self.y, self.columns, self.types = name, X, np.asarray(y), columns, types
        self.splits = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, self.y))

    def job(self) -> dict[str, Any]:
        """Return the job for a worker in another environment."""
        splits = [[train.tolist(), test.tolist()] for train, test in self.splits]
        return {
            "columns": self.columns,
            "types": self.types,
            "X": self.X.tolist(),
            "y": self.y.tolist(),
            "splits": splits,
        }


def bundled(name: str, folds: int, seed: int = 0) -> Task:
    data = load_dataset(name)
    types = [data.types[c] for c in data.feature_names]
    return Task(name, data.data, data.target, data.feature_names, types, folds, seed)


def planted(seed: int, folds: int, n_rows: int = 1500, n: int = 25) -> Task:
    """Return a table labelled by five terms of 3 or 4 literals over boolean attributes."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (n_rows, n)), np.zeros(n_rows, dtype=bool)
    for _ in range(5):
        term = rng.choice(n, int(rng.integers(3, 5)), replace=False)
        y |= (X[:, term] == rng.integers(0, 2, term.size)).all(axis=1)
    labels = np.where(y, "1", "0")
    return Task(
        f"planted DNF {seed}", X.astype(str).astype(object), labels, [f"x{j}" for j in range(n)], ["nominal"] * n, folds
    )


# --- learners: each fits a training table and returns a function that predicts ---

Fitted = tuple[Callable[[Any], Any], Record]


def dnf_winnow(task: Task, X: Any, y: Any) -> Fitted:  # noqa: ARG001
    model = DNFWinnow(max_literals=None, random_state=0, verbose=False).fit(X, y)
    return model.predict, {}


def compact(task: Task, X: Any, y: Any) -> Fitted:  # noqa: ARG001
    rules = DNFWinnow(max_literals=None, random_state=0, verbose=False).fit(X, y).compact(X, y)
    return rules.predict, {"rules": len(rules), "literals": sum(len(rule.conditions) for rule in rules)}


def decision_tree(task: Task, X: Any, y: Any) -> Fitted:
    numeric = [j for j, kind in enumerate(task.types) if kind == "numeric"]
    nominal = [j for j, kind in enumerate(task.types) if kind == "nominal"]
    encoder = CategoryEncoder(missing="ignore").fit(X[:, nominal], y) if nominal else None

    def table(rows: Any) -> Any:
        parts = [rows[:, numeric].astype(float)]
        if encoder is not None:
            parts.append(indicators(encoder.transform(rows[:, nominal]), encoder.n_categories_).toarray())
        return np.hstack(parts)

    model = DecisionTreeClassifier(random_state=0).fit(table(X), y)
    return (lambda rows: model.predict(table(rows))), {"rules": int(model.get_n_leaves())}


def naive_bayes(task: Task, X: Any, y: Any) -> Fitted:  # noqa: ARG001
    """Fit naive Bayes over the same categories and cuts as ours; a missing value is a category."""
    encoder = CategoryEncoder(missing="ignore").fit(X, y)
    model = CategoricalNB(min_categories=encoder.n_categories_ + 1).fit(encoder.transform(X), y)
    return (lambda rows: model.predict(encoder.transform(rows))), {}


def kernel_perceptron(task: Task, X: Any, y: Any, epochs: int = 30) -> Fitted:  # noqa: ARG001
    """Fit one perceptron per class over all terms, kernel 2^(values in common) (Khardon, Roth & Servedio 2005)."""
    encoder = CategoryEncoder(missing="ignore").fit(X, y)
    codes, classes = encoder.transform(X), np.unique(y)
    gram = kernel(codes, codes)
    targets = np.where(y[:, None] == classes, 1.0, -1.0)
    weights = np.zeros(targets.shape)
    for _ in range(epochs):
        clean = True
        for i in range(len(y)):
            wrong = targets[i] * (gram[i] @ weights) <= 0.0
            if wrong.any():
                weights[i, wrong] += targets[i, wrong]
                clean = False
        if clean:
            break
    used = np.flatnonzero(weights.any(axis=1))
    return (lambda rows: classes[(kernel(encoder.transform(rows), codes[used]) @ weights[used]).argmax(axis=1)]), {}


def kernel(a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return 2^(values in common - columns)."""
    common = sum((x[:, None] == z[None]) & (x[:, None] > 0) for x, z in zip(a.T, b.T, strict=True))
    return np.exp2(np.asarray(common, dtype=float) - a.shape[1])


LOCAL = {
    OURS: dnf_winnow,
    COMPACT: compact,
    "decision tree": decision_tree,
    "naive Bayes": naive_bayes,
    "DNF-kernel perceptron": kernel_perceptron,
}


def in_process(learner: str, task: Task) -> list[Record]:
    folds = []
    for train, test in task.splits:
        start = time.process_time()
        predict, facts = LOCAL[learner](task, task.X[train], task.y[train])
        fitted = time.process_time()
        predicted = predict(task.X[test])
        folds.append({"predicted": predicted, "fit": fitted - start, "predict": time.process_time() - fitted, **facts})
    return folds
