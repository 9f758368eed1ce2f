"""Long runs that check whether memory and speed stay flat and weights stay finite.

python benchmarks/long.py                     # all runs, some minutes on 2 cores
python benchmarks/long.py --scale 0.01 sasb   # a hundredth of one run
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from winnowkit import SASB, Committee, DNFWinnow, Winnow2
from winnowkit.data import streams
from winnowkit.dnf import MistakeDriven

PARTS = 10


class Run(NamedTuple):
    """A learner, the number of rows in total and per block, and what must stay finite."""

    learner: Any
    rows: int
    block: Callable[[int], tuple[Any, Any]]
    size: int
    weights: Callable[[Any], Any]
    classes: tuple[int, ...] = (0, 1)


def sparse(seed: int) -> Callable[[int], tuple[Any, Any]]:
    """Return blocks of a disjunction of 3 of 10,000 attributes, 20 active: 20 blocks repeat, with other labels flipped.

    If flipped labels repeated, they would be learned by heart, and updates would end.
    """
    chunks = streams.disjunction(n=10_000, k=3, active=20, seed=seed).chunks(50_000)
    blocks = [next(chunks) for _ in range(20)]

    def block(i: int) -> tuple[Any, Any]:
        X, y = blocks[i % len(blocks)]
        flipped = np.random.default_rng([seed, i]).random(len(y)) < 0.01
        return X, np.where(flipped, 1 - y, y)

    return block


def frequent(seed: int, n_classes: int) -> Callable[[int], tuple[Any, Any]]:
    """Return blocks with three of 1,000 attributes active, the first of them one of four: labels by linear functions.

    Each of the four is active in a quarter of all rows, 25 of 100 million, which is more than 2^24. A fifth of the
    labels is drawn anew each time, so that updates do not end.
    """
    rng, n, size, repeated = np.random.default_rng(seed), 1_000, 50_000, 20
    functions = rng.normal(size=(n, n_classes))
    blocks = []
    for _ in range(repeated):
        columns = np.column_stack(
            [rng.integers(0, 4, size), rng.integers(4, n // 2, size), rng.integers(n // 2, n, size)]
        )
        X = csr_matrix((np.ones(3 * size), columns.ravel(), np.arange(0, 3 * size + 1, 3)), shape=(size, n))
        blocks.append((X, np.argmax(X @ functions, axis=1)))

    def block(i: int) -> tuple[Any, Any]:
        X, y = blocks[i % repeated]
        drawn = np.random.default_rng([seed, 1, i])
        return X, np.where(drawn.random(size) < 0.2, drawn.integers(0, n_classes, size), y)

    return block


def dense(seed: int) -> Callable[[int], tuple[Any, Any]]:
    """Return blocks of a noisy disjunction of 3 of 200 attributes."""
    chunks = streams.disjunction(n=200, k=3, active=40, label_noise=0.05, seed=seed).chunks(5_000)
    return lambda i: next(chunks)  # noqa: ARG005 - the stream continues


def table(seed: int) -> Callable[[int], tuple[Any, Any]]:
    """Return blocks of rows with 12 columns of 3 categories, labelled by two terms and 5% of noise."""
    rng = np.random.default_rng(seed)

    def block(i: int) -> tuple[Any, Any]:  # noqa: ARG001 - rows are new each time
        X = rng.integers(0, 3, (1_000, 12))
        y = ((X[:, 0] == 1) & (X[:, 1] == 2)) | ((X[:, 3] == 0) & (X[:, 5] == 1) & (X[:, 7] == 2))
        return X.astype(str), (y ^ (rng.random(len(y)) < 0.05)).astype(int)

    return block


RUNS: dict[str, Callable[[], Run]] = {
    "winnow2": lambda: Run(Winnow2(), 100_000_000, sparse(0), 50_000, lambda m: m._learner.state.coef),
    "committee": lambda: Run(Committee(), 100_000_000, sparse(1), 50_000, lambda m: m.attribute_weights_),
    "two": lambda: Run(Committee(), 100_000_000, frequent(4, 2), 50_000, lambda m: m.attribute_weights_),
    "three": lambda: Run(Committee(), 100_000_000, frequent(5, 3), 50_000, lambda m: m.attribute_weights_, (0, 1, 2)),
    "sasb": lambda: Run(SASB(), 1_000_000, dense(2), 5_000, lambda m: m.decision_function(np.ones((1, 200)))),
    "dnf": lambda: Run(
        DNFWinnow(training=MistakeDriven(max_mistakes=200)),
        100_000,
        table(3),
        1_000,
        lambda m: m.log_weighted_sum(np.ones((1, 12), dtype=int)),
    ),
}


def megabytes() -> float:
    """Return the current memory of this process in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("there is no VmRSS in /proc/self/status")


def lines(name: str, run: Run, scale: float) -> Iterator[tuple[Any, ...]]:
    """Yield one line per tenth of the run: rows so far, megabytes, rows per second, mistakes, whether all is finite."""
    blocks = max(PARTS, round(run.rows * scale / run.size))
    seconds, rows, mistakes = 0.0, 0, 0
    for i in range(blocks):
        X, y = run.block(i)
        begun = time.process_time()
        run.learner.partial_fit(X, y, classes=run.classes)
        seconds += time.process_time() - begun
        rows += len(y)
        if (i + 1) * PARTS // blocks > i * PARTS // blocks:
            finite = bool(np.isfinite(run.weights(run.learner)).all())
            made = run.learner.n_mistakes_ - mistakes
            yield name, run.learner.n_trials_, megabytes(), rows / seconds, made / rows, finite
            seconds, rows, mistakes = 0.0, 0, run.learner.n_mistakes_


def main() -> int:
    """Print a table; the exit code says whether memory grew, or a weight ceased to be finite."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("runs", nargs="*", choices=[*RUNS, []], help="runs (default: all)")
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the full length")
    arguments = parser.parse_args()
    good = True
    print(f"{'run':<10} {'trials':>12} {'MB':>7} {'rows/s':>11} {'mistakes':>9}  finite")
    for name in arguments.runs or RUNS:
        table_of_run = []
        for line in lines(name, RUNS[name](), arguments.scale):
            print("{:<10} {:>12,} {:>7.0f} {:>11,.0f} {:>9.3%}  {}".format(*line), flush=True)
            table_of_run.append(line)
        grown = table_of_run[-1][2] - table_of_run[1][2]
        slower = table_of_run[-1][3] / table_of_run[1][3]
        finite = all(line[5] for line in table_of_run)
        good &= finite and grown < 20
        print(f"{name}: memory grew by {grown:.1f} MB and speed by {slower - 1:+.0%} since the second tenth; ", end="")
        print("all weights finite" if finite else "WEIGHTS ARE NOT FINITE", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
