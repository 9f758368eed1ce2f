"""Trials of Winnow over all terms, trained with exact sums: what Tao & Scott (2004) asked their samplers about."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold

from winnowkit.data import load_dataset, streams
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf import Agreement, Exact, MistakeLog

ALPHA = 1.5
Codes = npt.NDArray[np.int32]

FOLDS = {"iris": 5, "car": 10, "breast-cancer": 9, "voting": 10, "auto": 6, "annealing": 10}
"""Section 6: ten blocks, or fewer if they would have less than thirty examples."""


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


def simulated(n: int, rows: int, seed: int) -> Task:
    """Rows of a random monotone formula of five terms: 0 is unspecified, theta = 2^n (section 6)."""
    X, y = streams.monotone_dnf(n=n, seed=seed).take(rows)
    return Task(X.toarray().astype(np.int32), y, n * math.log(2))


def one_fold(name: str, seed: int = 0) -> list[Task]:
    """One task a class: the training rows of one fold of a bundled data set, annealing's "?" being a value."""
    X, y = load_dataset(name, return_X_y=True)
    train, _ = next(KFold(FOLDS[name], shuffle=True, random_state=seed).split(X))
    encoder = CategoryEncoder(missing="value" if name == "annealing" else "ignore")
    codes = encoder.fit_transform(X[train], y[train])
    log_theta = math.log(math.prod(int(k) + 1 for k in encoder.n_categories_))
    return [Task(codes, (y[train] == label).astype(np.int64), log_theta) for label in np.unique(y)]


def run_trials(task: Task, max_epochs: int) -> Iterator[Trial]:
    """Present the rows in order, epoch by epoch, until one has no mistake; each trial before its update."""
    log, engine = MistakeLog(task.X.shape[1]), Exact()
    for _ in range(max_epochs):
        mistakes = 0
        for row, (x, label) in enumerate(zip(task.X, task.y, strict=True)):
            agreement = Agreement.of(log, x)
            log_sum = engine.log_sum(agreement, ALPHA).log_sum
            yield Trial(row, agreement, log_sum)
            if (log_sum >= task.log_theta - 1e-12) != label:
                log.append(x, 1 if label else -1)
                mistakes += 1
        if mistakes == 0:
            return
