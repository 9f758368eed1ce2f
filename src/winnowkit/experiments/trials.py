"""Folds and trials of Winnow over all terms, as in section 6 of Tao & Scott (2004)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

from winnowkit.data import load_dataset, streams
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf import Agreement, Exact, MistakeLog

ALPHA = 1.5
ROWS = 50
"""Training rows of a simulated set, and as many to test (section 6)."""

FOLDS = {"iris": 5, "car": 10, "breast-cancer": 9, "voting": 10, "auto": 6, "annealing": 10}
"""Section 6: ten blocks, or fewer if they would have less than thirty examples."""

ROUNDS = {"voting": 20}
"""Most epochs where the paper says (section 6.1; voting's learners never have a clean one); elsewhere MOST_ROUNDS."""
MOST_ROUNDS = 100

SIZES = (10, 15, 20, 25, 30, 35, 40)
"""Attributes of the simulated data."""

SAMPLERS = {
    "M": ("metropolis", 0.0),
    "G": ("gibbs", 0.0),
    "MG": ("metropolized-gibbs", 0.0),
    "M+PT": ("metropolis", 0.9),
    "G+PT": ("gibbs", 0.9),
    "MG+PT": ("metropolized-gibbs", 0.9),
}
"""Section 6: Metropolis, Gibbs, Metropolised Gibbs, and each with parallel tempering, swaps tried 9 times in 10."""

Codes = npt.NDArray[np.int32]


class Fold(NamedTuple):
    """Rows to train on, in a random order, and rows to test."""

    X: Any
    y: npt.NDArray[Any]
    X_test: Any
    y_test: npt.NDArray[Any]


class Task(NamedTuple):
    """One binary learner's training rows: codes, labels, and the logarithm of theta."""

    X: Codes
    y: npt.NDArray[np.int64]
    log_theta: float


class Trial(NamedTuple):
    """One prediction: the row, the example against the log, and the logarithm of its exact sum."""

    row: int
    agreement: Agreement
    log_sum: float


@cache
def fold(name: str, number: int, seed: int = 0) -> Fold:
    """One of the folds of a bundled set; the paper does not say how it partitioned: here at random, by class."""
    X, y = load_dataset(name, return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # auto and annealing have classes of fewer rows than folds
        splits = list(StratifiedKFold(FOLDS[name], shuffle=True, random_state=seed).split(X, y))
    train, test = splits[number]
    train = np.random.default_rng([seed, number]).permutation(train)
    return Fold(X[train], y[train], X[test], y[test])


def missing(name: str) -> str:
    """Annealing's "?" is a value: without it, columns are almost empty (section 5.2 leaves both open)."""
    return "value" if name == "annealing" else "ignore"


def n_classes(name: str) -> int:
    """Classes of a bundled set."""
    return len(np.unique(load_dataset(name, return_X_y=True)[1]))


def task(name: str, label: int, number: int = 0, seed: int = 0) -> Task:
    """One class against the rest: the training rows of one fold of a bundled set."""
    X, y, _, _ = fold(name, number, seed)
    encoder = CategoryEncoder(missing=missing(name))
    codes = encoder.fit_transform(X, y)
    log_theta = math.log(math.prod(int(k) + 1 for k in encoder.n_categories_))
    positive = np.unique(load_dataset(name, return_X_y=True)[1])[label]
    return Task(codes, (y == positive).astype(np.int64), log_theta)


def simulated(n: int, rows: int, seed: int) -> Task:
    """Rows of a random monotone formula of five terms: 0 is unspecified, theta = 2^n (section 6)."""
    X, y = streams.monotone_dnf(n=n, seed=seed).take(rows)
    return Task(X.toarray().astype(np.int32), y, n * math.log(2))


def run_trials(learner: Task, max_epochs: int) -> Iterator[Trial]:
    """Present the rows in order, epoch by epoch, until one has no mistake; each trial before its update."""
    log, engine = MistakeLog(learner.X.shape[1]), Exact()
    for _ in range(max_epochs):
        mistakes = 0
        for row, (x, label) in enumerate(zip(learner.X, learner.y, strict=True)):
            agreement = Agreement.of(log, x)
            log_sum = engine.log_sum(agreement, ALPHA).log_sum
            yield Trial(row, agreement, log_sum)
            if (log_sum >= learner.log_theta - 1e-12) != label:
                log.append(x, 1 if label else -1)
                mistakes += 1
        if mistakes == 0:
            return
