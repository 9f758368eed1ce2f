"""Folds and trials of Winnow over all terms, as in section 6 of Tao & Scott (2004)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

from winnowkit.core.columns import columns_of
from winnowkit.data import load_dataset, streams
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf import Agreement, Exact, MistakeLog
from winnowkit.dnf.mcmc.rungs import count_rungs, rung_step

ALPHA = 1.5
ROWS = 50
"""The number of training rows of a simulated set, and of its test rows (section 6)."""

FOLDS = {"iris": 5, "car": 10, "breast-cancer": 9, "voting": 10, "auto": 6, "annealing": 10}
"""Section 6: ten blocks, or fewer if they would have less than thirty examples."""

ROUNDS = {"voting": 20}
"""The most epochs where the paper gives them (section 6.1: on voting, no epoch is clean); elsewhere MOST_ROUNDS."""
MOST_ROUNDS = 100

SIZES = (10, 15, 20, 25, 30, 35, 40)
"""Numbers of attributes of the simulated data."""

SAMPLERS = {
    "M": ("metropolis", 0.0),
    "G": ("gibbs", 0.0),
    "MG": ("metropolized-gibbs", 0.0),
    "M+PT": ("metropolis", 0.9),
    "G+PT": ("gibbs", 0.9),
    "MG+PT": ("metropolized-gibbs", 0.9),
}
"""Section 6: Metropolis, Gibbs and Metropolised Gibbs, and each with parallel tempering (swap rate 0.9)."""

Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


class TableFold(NamedTuple):
    """Training rows, in a random order, and test rows."""

    X: Any
    y: npt.NDArray[Any]
    X_test: Any
    y_test: npt.NDArray[Any]


class Task(NamedTuple):
    """The training rows of one binary learner: codes, labels, and the logarithm of theta."""

    X: Codes
    y: npt.NDArray[np.int64]
    log_theta: float


class SummedTrial(NamedTuple):
    """One prediction: the row, the example against the log, and the logarithm of the exact sum that it is made by."""

    row: int
    agreement: Agreement
    log_sum: float


@cache
def fold(name: str, number: int, seed: int = 0) -> TableFold:
    """Return one fold of a bundled set, stratified and random, as the paper does not describe its partition."""
    X, y = load_dataset(name, return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # auto and annealing have classes of fewer rows than folds
        splits = list(StratifiedKFold(FOLDS[name], shuffle=True, random_state=seed).split(X, y))
    train, test = splits[number]
    train = np.random.default_rng([seed, number]).permutation(train)
    return TableFold(X[train], y[train], X[test], y[test])


def missing(name: str) -> str:
    """Return how to treat missing values: as a value in annealing, whose columns would otherwise be almost empty."""
    return "value" if name == "annealing" else "ignore"


def nominal(X: Any) -> list[int]:
    """Return the positions of the columns of categories; named as such they stay, as in the paper, even if constant."""
    return [j for j, column in enumerate(columns_of(X).columns) if column.kind == "category"]


def n_classes(name: str) -> int:
    """Return the number of classes of a bundled set."""
    return len(np.unique(load_dataset(name, return_X_y=True)[1]))


def task(name: str, label: int, number: int = 0, seed: int = 0) -> Task:
    """Return the training rows of one fold of a bundled set, one class against the rest."""
    X, y, _, _ = fold(name, number, seed)
    encoder = CategoryEncoder(missing=missing(name), categorical=nominal(X))
    codes = encoder.fit_transform(X, y)
    log_theta = math.log(math.prod(int(k) + 1 for k in encoder.n_categories_))
    positive = np.unique(load_dataset(name, return_X_y=True)[1])[label]
    return Task(codes, (y == positive).astype(np.int64), log_theta)


def random_split(name: str, rows: int, seed: int) -> tuple[Task, Codes, npt.NDArray[np.int64]]:
    """Return a training set of so many random rows of a bundled set, with classes as numbers, and 200 other rows."""
    X, y = load_dataset(name, return_X_y=True)
    labels = np.unique(y, return_inverse=True)[1]
    order = np.random.default_rng([seed, 1]).permutation(len(y))
    train, test = order[:rows], order[rows : rows + 200]
    encoder = CategoryEncoder(missing=missing(name), categorical=nominal(X))
    codes = encoder.fit_transform(X[train], y[train])
    log_theta = math.log(math.prod(int(k) + 1 for k in encoder.n_categories_))
    return Task(codes, labels[train], log_theta), encoder.transform(X[test]), labels[test]


def simulated(n: int, rows: int, seed: int) -> Task:
    """Return rows of a random monotone formula of five terms: 0 is unspecified, theta = 2^n (section 6)."""
    X, y = streams.monotone_dnf(n=n, seed=seed).take(rows)
    return Task(X.toarray().astype(np.int32), y, n * math.log(2))


def last_rung(agreement: Agreement) -> float:
    """Return the alpha of the last rung as the paper prints it: at least ALPHA, so that its sums are too large.

    It depends on the number of mistakes in the log alone, and is the same for every example.

    Examples
    --------
    >>> log = MistakeLog(1)
    >>> for _ in range(4):
    ...     log.append([1], +1)
    >>> round(last_rung(Agreement.of(log, [1])), 4)
    1.5625
    """
    if agreement.n_mistakes == 0:
        return ALPHA
    chains = count_rungs(agreement, ALPHA, 1.0, "sum") - 1
    return math.exp(chains * rung_step(agreement, ALPHA, 1.0, "sum", as_printed=True))


def log_sums(log: MistakeLog, X: Codes, *, as_printed: bool = False) -> Floats:
    """Return the logarithms of the exact sums of these rows; with `as_printed`, those of the paper's last rung."""
    return Exact().log_sums(log, X, last_rung(Agreement.of(log, X[0])) if as_printed else ALPHA)


def epoch(learner: Task, log: MistakeLog, sums: Callable[[slice], Floats]) -> Iterator[tuple[int, float]]:
    """Present every row once and log mistakes; yield its number and the logarithm of its sum before the update.

    Rows are summed several at a time, as the log stays the same up to the next mistake.

    Parameters
    ----------
    learner : Task
        What to learn.
    log : MistakeLog
        The mistakes so far.
    sums : callable
        Maps a slice of the rows to the logarithms of their sums by the log.
    """
    start, size = 0, 1
    while start < len(learner.X):
        for log_sum in sums(slice(start, start + size)).tolist():
            yield start, log_sum
            label, start = learner.y[start], start + 1
            if (log_sum >= learner.log_theta - 1e-12) != label:
                log.append(learner.X[start - 1], 1 if label else -1)
                size = max(1, size // 2)
                break
        else:
            size *= 2


def train(learner: Task, log: MistakeLog, max_epochs: int, *, as_printed: bool = False) -> Iterator[tuple[int, float]]:
    """Yield the row and the logarithm of the sum of each trial: epoch by epoch, until one has no mistake.

    Until the next trial is asked for, the log is that of the trial. With `as_printed`, sums are those of the paper's
    last rung, and training goes by them.
    """
    for _ in range(max_epochs):
        before = log.n_mistakes
        yield from epoch(learner, log, lambda rows: log_sums(log, learner.X[rows], as_printed=as_printed))
        if log.n_mistakes == before:
            return


def run_trials(learner: Task, max_epochs: int, *, as_printed: bool = False) -> Iterator[SummedTrial]:
    """Yield each trial of :func:`train` with its example against the log."""
    log = MistakeLog(learner.X.shape[1])
    for row, log_sum in train(learner, log, max_epochs, as_printed=as_printed):
        yield SummedTrial(row, Agreement.of(log, learner.X[row]), log_sum)
