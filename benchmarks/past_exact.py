"""Weighted sums beyond the reach of exact ones: Descent and Population compared with the paper's Gibbs ladder.

Usage: python benchmarks/past_exact.py [errors] [sides] [intervals] [dense-intervals] [dense] [dense-training]
[training]; no argument runs all (half an hour). `errors` and `sides` take rows of tables with a planted DNF of five
terms, and logs trained on them with labels partly flipped; the reference is a search without a budget, whose bounds
are within 1e-6 of the sum. `dense` are tables of mostly equal attributes, where bounds are loose; the references are
exact sums at 30 attributes, and larger populations beyond. Times are processor times of one thread.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from winnowkit import DNFWinnow
from winnowkit.dnf import Agreement, Descent, Exact, Ladder, MistakeLog, Population, Threshold
from winnowkit.dnf.bound_search import Search
from winnowkit.dnf.training import IncrementalTraining

ALPHA = 1.5
LADDER = Ladder(sampler="gibbs", early_stop=True)
R = TypeVar("R")
Table = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


class Kind(NamedTuple):
    """A log: rows and attributes of the table it was trained on, flipped labels, epochs, how often a cell is true."""

    n_rows: int
    n_attributes: int
    noise: float
    epochs: int
    p: float = 0.5


KINDS = {
    "planted, n = 80": Kind(600, 80, 0.0, 4),
    "planted, n = 100": Kind(600, 100, 0.0, 4),
    "noisy, n = 50": Kind(800, 50, 0.2, 3),
    "noisy, n = 80, thousands": Kind(2000, 80, 0.2, 2),
}
DENSE = {
    "n = 30, p = 0.2": Kind(400, 30, 0.1, 4, 0.2),
    "n = 60, p = 0.15": Kind(400, 60, 0.1, 3, 0.15),
    "n = 100, p = 0.2": Kind(500, 100, 0.1, 3, 0.2),
}


def planted(n_rows: int, n_attributes: int, seed: int, noise: float = 0.0, p: float = 0.5) -> Table:
    """A boolean table, coded 1 and 2 (true, with probability `p`); labels by a DNF of five terms of 3 or 4 literals."""
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 3, (n_rows, n_attributes)) if p == 0.5 else 1 + (rng.random((n_rows, n_attributes)) < p)
    y = np.zeros(n_rows, dtype=bool)
    for _ in range(5):
        size = int(rng.integers(3, 5))
        y |= (X[:, rng.choice(n_attributes, size, replace=False)] == rng.integers(1, 3, size)).all(axis=1)
    return X, (y ^ (rng.random(n_rows) < noise)).astype(np.int64)


def trained(kind: Kind, seed: int) -> tuple[MistakeLog, npt.NDArray[np.int64], float]:
    """Return a log, unseen rows of the same kind, and log theta."""
    X, y = planted(kind.n_rows + 20, kind.n_attributes, seed, kind.noise, kind.p)
    log_theta, log = kind.n_attributes * math.log(3), MistakeLog(kind.n_attributes)
    numbers = {x.tobytes(): row for row, x in enumerate(X.astype(np.int32))}
    training = IncrementalTraining(
        Descent(),
        X[:-20],
        y[:-20],
        Threshold(ALPHA, log_theta),
        100_000,
        log=log,
        rng_of=lambda x: numbers[x.tobytes()],
    )
    for _ in range(kind.epochs):
        training.epoch()
    return log, X[-20:], log_theta


def timed(call: Callable[..., R], *arguments: Any, **named: Any) -> tuple[R, float]:
    start = time.process_time()
    result = call(*arguments, **named)
    return result, time.process_time() - start


def head(*names: str) -> None:
    print(f"| {' | '.join(names)} |\n{'|---' * len(names)}|")


def judge(agreement: Agreement) -> float:
    """Return the logarithm of the sum, to 1e-6."""
    search = Search(agreement, ALPHA)
    search.narrow_to(share=1e-6, max_nodes=500_000_000)
    return search.log_estimate if search.gap <= 1e-6 * search.lower else math.nan


def errors(n_rows: int = 6) -> None:
    """Print Guess Error and time per sum."""
    descent = Descent(max_nodes=250_000)
    head("log", "mistakes", "Guess Error, ladder", "descent", "seconds, ladder", "descent", "judged")
    for name, kind in KINDS.items():
        log, X, _ = trained(kind, seed=1)
        found = []
        for i, x in enumerate(X[:n_rows]):
            agreement = Agreement.of(log, x)
            exact = judge(agreement)
            for engine in (LADDER, descent):
                estimate, seconds = timed(engine.log_sum, agreement, ALPHA, rng=i)
                found.append((abs(math.expm1(estimate.log_sum - exact)), seconds))
        error, seconds = np.array(found).reshape(-1, 2, 2).transpose(2, 0, 1)
        judged = ~np.isnan(error[:, 0])
        means = error[judged].mean(axis=0)
        print(
            f"| {name} | {log.n_mistakes} | {means[0]:.3g} | {means[1]:.2g} | {seconds[:, 0].mean():.2f} | "
            f"{seconds[:, 1].mean():.3f} | {judged.sum()} of {n_rows} |",
            flush=True,
        )


def sides(n_rows: int = 10) -> None:
    """Print wrong sides of theta and time per decision: the paper's early stop, the search, and its bets."""
    head("log", "wrong, ladder", "descent", "certain", "seconds, ladder", "descent", "times fewer")
    for name, kind in KINDS.items():
        log, X, log_theta = trained(kind, seed=2)
        found = []
        for i, x in enumerate(X[:n_rows]):
            agreement = Agreement.of(log, x)
            right = Exact().decide(agreement, Threshold(ALPHA, log_theta)).label
            ladder, slow = timed(LADDER.decide, agreement, ALPHA, log_theta, rng=i)
            quick, fast = timed(Descent().decide, agreement, ALPHA, log_theta, rng=i)
            found.append((ladder.label != right, quick.label != right, quick.certain, slow, fast))
        wrong, ours, certain, slow, fast = np.array(found, dtype=float).mean(axis=0)
        print(
            f"| {name} | {wrong:.2f} | {ours:.2f} | {certain:.2f} | {slow:.2f} | {fast:.4f} | {slow / fast:.0f} |",
            flush=True,
        )


def random_instance(rng: np.random.Generator) -> Agreement:
    """Return a log within reach of exact sums, with random labels or those of a planted DNF."""
    n, m = int(rng.integers(18, 30)), int(rng.integers(60, 250))
    X, y = planted(m, n, int(rng.integers(2**31)))
    if rng.random() < 0.5:
        y = rng.integers(0, 2, m)
    log = MistakeLog(n)
    for row, label in zip(X, y, strict=True):
        log.append(row, 1 if label else -1)
    return Agreement.of(log, rng.integers(1, 3, n))


def intervals(n_instances: int = 400, delta: float = 0.05) -> None:
    """Print how often 95% intervals contain the sum, and how often a side decided by bets is wrong close to the sum."""
    rng, inside, won, wrong, proved = np.random.default_rng(0), [], 0, 0, 0
    for i in range(n_instances):
        agreement = random_instance(rng)
        exact = Exact().log_sum(agreement, ALPHA).log_sum
        search = Search(agreement, ALPHA)
        search.narrow_to(share=0.0, max_nodes=int(rng.choice([2000, 8000])))
        engine = Descent(max_nodes=max(search.nodes - 1, 1), max_descents=1000, delta=delta, widest=math.inf)
        if search.gap > 1e-9 * search.lower and search.gap <= Descent().widest * search.lower:
            search.descend(i, 1000, 10**9)
            inside.append(abs(search.log_estimate - exact) < 1.96 * search.std_err)
            low = search.log_bounds[0]
            for log_theta in (exact + 0.3 * (exact - low), exact - 0.3 * (exact - low)):
                decision = engine.decide(agreement, Threshold(ALPHA, log_theta), rng=i)
                bet = decision.certain and decision.doubt > 0
                won += bet
                proved += decision.certain and not bet
                wrong += bet and decision.label != int(exact >= log_theta)
    print(f"{len(inside)} sums sampled: {np.mean(inside):.1%} of the 95% intervals hold the sum")
    print(f"sides close to the sum: {proved} proved, {won} won by bets at delta {delta:.0%}, {wrong} of these wrong")


def dense(n_rows: int = 6) -> None:
    """Print Guess Error, wrong sides and times where agreement is dense."""
    head(
        "log",
        "mistakes",
        "Guess Error, ladder",
        "ours",
        "seconds, ladder",
        "ours",
        "wrong sides, ladder",
        "ours",
        "s",
        "s",
    )
    for name, kind in DENSE.items():
        log, X, log_theta = trained(kind, seed=1)
        found = []
        for i, x in enumerate(X[:n_rows]):
            agreement = Agreement.of(log, x)
            narrow = kind.n_attributes <= 30  # exact sums are fast
            judge = Exact() if narrow else Population(size=1000, error=0.003)
            right = judge.log_sum(agreement, ALPHA, rng=1000 + i).log_sum
            for engine in (LADDER, Descent()):
                estimate, seconds = timed(engine.log_sum, agreement, ALPHA, rng=i)
                decision, more = timed(engine.decide, agreement, ALPHA, log_theta, rng=i)
                mistaken = decision.label != int(right >= log_theta)
                found.append((abs(math.expm1(estimate.log_sum - right)), seconds, mistaken, more))
        errors, sums, wrong, sides = np.array(found, dtype=float).reshape(-1, 2, 4).mean(axis=0).T
        print(
            f"| {name} | {log.n_mistakes} | {errors[0]:.2g} | {errors[1]:.2g} | {sums[0]:.2f} | {sums[1]:.3f} | "
            f"{wrong[0]:.0%} | {wrong[1]:.0%} | {sides[0]:.2f} | {sides[1]:.3f} |",
            flush=True,
        )


def population_intervals(n_instances: int = 300, delta: float = 0.05) -> None:
    """Print how often intervals and sides of populations are right, on dense logs within reach of exact sums."""
    rng, inside, certain, wrong = np.random.default_rng(1), [], 0, 0
    engine = Population(delta=delta)
    for i in range(n_instances):
        n, m, p = int(rng.integers(16, 26)), int(rng.integers(60, 250)), float(rng.choice([0.1, 0.2, 0.3]))
        X, y = planted(m, n, int(rng.integers(2**31)), 0.2, p)
        log = MistakeLog(n)
        for row, label in zip(X, y, strict=True):
            log.append(row, 1 if label else -1)
        agreement = Agreement.of(log, 1 + (rng.random(n) < p))
        exact = Exact().log_sum(agreement, ALPHA).log_sum
        estimate = engine.log_sum(agreement, ALPHA, rng=i)
        inside.append(abs(estimate.log_sum - exact) <= 1.96 * estimate.std_err + 1e-9)
        for off in (-0.1, -0.02, 0.02, 0.1):
            decision = engine.decide(agreement, Threshold(ALPHA, exact + off), rng=i)
            certain += decision.certain
            wrong += decision.certain and decision.label != int(off < 0)
    print(f"{n_instances} dense sums by populations: {np.mean(inside):.1%} of the 95% intervals hold the sum")
    print(f"sides 2% and 10% from the sum: {certain} decided at delta {delta:.0%}, {wrong} of these wrong")


def dense_training() -> None:
    """Train DNFWinnow with its defaults on a planted DNF over mostly false attributes."""
    training(1000, 100, 0.15)


def training(n_rows: int = 2000, n_attributes: int = 100, p: float = 0.5) -> None:
    """Train DNFWinnow with its defaults on a planted DNF."""
    X, y = planted(2 * n_rows, n_attributes, seed=1, p=p)
    model, seconds = timed(DNFWinnow(max_literals=None, random_state=0).fit, X[:n_rows], y[:n_rows])
    predicted, more = timed(model.predict, X[n_rows:])
    error = float(np.mean(predicted != y[n_rows:]))
    print(
        f"{n_rows} rows of {n_attributes} attributes: {model.n_epochs_} epochs, {model.n_mistakes_} mistakes, "
        f"{seconds:.0f} s of processor time; {n_rows} predictions {more:.0f} s, error {error:.2%}"
    )


if __name__ == "__main__":
    parts: dict[str, Callable[[], None]] = {
        "errors": errors,
        "sides": sides,
        "intervals": intervals,
        "dense-intervals": population_intervals,
        "dense": dense,
        "dense-training": dense_training,
        "training": training,
    }
    for chosen in sys.argv[1:] or parts:
        parts[chosen]()
