"""Times exact weighted sums and decisions, and a naive enumeration in the same run (about ten minutes).

Usage: python benchmarks/dnf.py [uci] [folds] [sizes] [dense] [cuts]; no argument runs all. One thread;
tables are encoded as DNFWinnow does; alpha = 1.5, theta = prod(k_j + 1), one learner per class. Errors: dnf_errors.py.
"""

from __future__ import annotations

import math
import resource
import sys
import time

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

from winnowkit import DNFWinnow
from winnowkit.core.jit import jit
from winnowkit.data import MultisplitDiscretizer, load_dataset
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf import Exact, MistakeDriven, MistakeLog, Threshold

SETS = [
    ("iris", "ignore"),
    ("car", "ignore"),
    ("breast-cancer", "ignore"),
    ("voting", "ignore"),
    ("auto", "ignore"),
    ("annealing", "ignore"),
    ("annealing", "value"),
]
ALPHA = 1.5
MAX_EPOCHS = 100


def load(name: str, missing: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.str_], int]:
    """Return codes from 1 (0 is unspecified), labels, and theta."""
    X, y = load_dataset(name, return_X_y=True)
    encoder = CategoryEncoder(missing=missing)
    return encoder.fit_transform(X, y), y, math.prod((encoder.n_categories_ + 1).tolist())


def train(
    X: npt.NDArray[np.int32], y: npt.NDArray[np.bool_], log_theta: float, max_epochs: int
) -> tuple[MistakeLog, int]:
    training = Exact().training(X, y, Threshold(ALPHA, log_theta))
    for epoch in range(max_epochs):  # noqa: B007 - used after the loop
        if training.epoch() == 0:
            break
    return training.log, epoch + 1


@jit
def enumerate_terms(sets: npt.NDArray[np.int64], nets: npt.NDArray[np.int64], n_attributes: int, alpha: float) -> float:
    """Compare every term with every mistake: the brute force of the paper."""
    total = 0.0
    for term in range(1 << n_attributes):
        net = 0
        for k in range(sets.size):
            if term & ~sets[k] == 0:
                net += nets[k]
        total += alpha**net
    return total


def naive_log_sum(log: MistakeLog, x: npt.NDArray[np.int32]) -> float:
    specified = np.flatnonzero(x)
    sets = ((log.codes[:, specified] == x[specified]) << np.arange(len(specified))).sum(axis=1)
    return math.log(enumerate_terms(sets, log.nets.copy(), len(specified), ALPHA))


def microseconds(call, rows: npt.NDArray[np.int32], repeats: int = 32) -> tuple[float, float]:
    """Return the median and mean over rows of the processor time of `call`, the best of three times `repeats` calls."""
    times = []
    for x in rows:
        batch, best = np.repeat(x[None], repeats, axis=0), math.inf
        for _ in range(3):
            start = time.process_time()
            call(batch)
            best = min(best, time.process_time() - start)
        times.append(best / repeats * 1e6)
    return float(np.median(times)), float(np.mean(times))


def bench_uci() -> None:
    print("\nExact sums and decisions with the log of a trained learner, microseconds per row (median, mean over rows)")
    heads = f"{'set':>22} {'class':>12} {'epochs':>6} {'wrong':>6} {'log':>5}"
    print(f"{heads} {'sum':>16} {'decision':>16} {'naive':>9} {'fit s':>6}")
    rng, engine = np.random.default_rng(0), Exact()
    for name, missing in SETS:
        X, labels, theta = load(name, missing)
        log_theta = math.log(theta)
        for label in np.unique(labels)[:4]:
            start = time.perf_counter()
            log, epochs = train(X, labels == label, log_theta, MAX_EPOCHS)
            took = time.perf_counter() - start
            rows = X[rng.choice(len(X), 60, replace=False)]
            sums = microseconds(lambda batch, log=log: engine.log_sums(log, batch, ALPHA), rows)
            sides = microseconds(
                lambda batch, log=log, t=log_theta: engine.labels(log, batch, Threshold(ALPHA, t)), rows
            )
            naive = math.nan
            if X.shape[1] <= 16:
                naive, _ = microseconds(
                    lambda batch, log=log: [naive_log_sum(log, x) for x in batch], rows[:5], repeats=1
                )
            print(
                f"{name + ' ? ' + missing:>22} {label[:12]:>12} {epochs:6} {log.n_mistakes:6} {len(log):5} "
                f"{sums[0]:7.1f} {sums[1]:8.1f} {sides[0]:7.1f} {sides[1]:8.1f} {naive:9.0f} {took:6.2f}"
            )


def bench_folds() -> None:
    X, y = load_dataset("voting", return_X_y=True)
    start, busy, wrong = time.perf_counter(), time.process_time(), 0
    for train_rows, test_rows in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        plain = DNFWinnow(
            max_literals=None,
            training=MistakeDriven(two_class="pair", margin=0, max_updates=None),
            encoder=CategoryEncoder(missing="ignore"),
            max_epochs=20,
            random_state=0,
        )
        model = plain.fit(X[train_rows], y[train_rows])
        wrong += int(np.sum(model.predict(X[test_rows]) != y[test_rows]))
    took, busy = time.perf_counter() - start, time.process_time() - busy
    print(f"\nvoting, 10 folds, up to 20 epochs, both classes: {took:.1f} s ({busy:.1f} s of processor time), ", end="")
    print(f"error {wrong / len(X):.1%}")


def bench_sizes() -> None:
    print("\nSums per second, boolean rows of n_t attributes against random logs (agreement on half of them)")
    sizes = (50, 100, 200, 500, 1000, 2000)
    print(f"{'n_t':>4} " + " ".join(f"{size:>10}" for size in sizes))
    rng = np.random.default_rng(0)
    for n in (10, 15, 20, 25, 30, 35, 40, 50, 60):
        line, slow = [], False
        for size in sizes:
            log, X = MistakeLog(n), rng.integers(1, 3, (2000, n))
            for z, sign in zip(rng.integers(1, 3, (size, n)), rng.choice([-1, 1], size), strict=True):
                log.append(z, int(sign))
            rate = math.nan if slow else sums_a_second(log, X)
            slow = slow or rate < 0.3
            line.append("         -" if slow else f"{rate:10.4g}")
        print(f"{n:4} " + " ".join(line), flush=True)


def sums_a_second(log: MistakeLog, X: npt.NDArray[np.int64]) -> float:
    count, start = 0, time.perf_counter()
    batch = 1
    while time.perf_counter() - start < 0.3:
        Exact().log_sums(log, X[:batch], ALPHA)
        count += len(X[:batch])
        batch *= 2
    return count / (time.perf_counter() - start)


def bench_dense() -> None:
    n, n_rows = 36, 1500
    print(f"\nDense boolean tables: {n_rows} rows, {n} attributes, 5 terms of 4 literals; all terms, 5,000 new rows")
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.integers(1, 3, (n_rows + 5000, n))
        y = np.zeros(len(X), dtype=bool)
        for _ in range(5):
            y |= (X[:, rng.choice(n, 4, replace=False)] == rng.integers(1, 3, 4)).all(axis=1)
        X = X == 2
        start, busy = time.perf_counter(), time.process_time()
        model = DNFWinnow(max_literals=None, random_state=seed).fit(X[:n_rows], y[:n_rows])
        took, busy = time.perf_counter() - start, time.process_time() - busy
        start = time.perf_counter()
        wrong = np.mean(model.predict(X[n_rows:]) != y[n_rows:])
        print(
            f"  seed {seed}, {y.mean():.0%} positive: {model.n_epochs_} epochs, {model.n_mistakes_} mistakes, "
            f"{took:.1f} s ({busy:.1f} s of processor time); error {wrong:.2%}, "
            f"{(time.perf_counter() - start) / 5:.2f} ms a prediction",
            flush=True,
        )


def bench_cuts() -> None:
    print("\nMultisplitDiscretizer, one column, 5,000 blocks (neighbours differ): processor time, best of three")
    MultisplitDiscretizer().fit([[0.0], [1.0]], [0, 1])  # compile first
    for n_classes, max_intervals in ((2, 10), (6, 10), (2, 40), (6, 40)):
        y = np.cumsum(np.random.default_rng(0).integers(1, n_classes, 5000)) % n_classes
        times = []
        for _ in range(3):
            start = time.process_time()
            MultisplitDiscretizer(max_intervals=max_intervals).fit(np.arange(5000.0)[:, None], y)
            times.append(time.process_time() - start)
        print(f"  {n_classes} classes, at most {max_intervals} intervals: {min(times):.2f} s", flush=True)


def main(which: list[str]) -> None:
    benches = {"uci": bench_uci, "folds": bench_folds, "sizes": bench_sizes, "dense": bench_dense, "cuts": bench_cuts}
    Exact().labels(MistakeLog(1), [[1]], Threshold(ALPHA, 0.0))  # compile first
    for name, bench in benches.items():
        if not which or name in which:
            bench()
            print(f"(peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB)", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
