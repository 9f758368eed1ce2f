"""Fang & Venkatesh, "On batch learning in a binary weight setting": expected mistakes of Directed Drift against n.

The abstract's three claims: exponential on line, O(n) with single-bit batches, constant with multiple-bit batches. The
last does not show with the update as printed; it does if every index with more than half the votes is flipped.

Run ``python -m winnowkit.experiments.fang_venkatesh``; it takes about two minutes, and writes a table and a plot.

A mistake is an epoch opened by a misclassified example (footnote 2). Examples are uniform vertices labelled by a random
w*: for odd n the mirror images of the negative ones make them uniform on the positive half-space. A run ends at w*,
where no example is misclassified, or at the confidence stop. Mistakes are counted in runs without the stop, which is
what the claims are about, and in others with it, of which the share that ended at w* is reported.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterable
from math import comb, exp
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.rules.drift import DriftLearner, Flips, Mode, Packed, directed_drift

NO_STOP = 1e-300  # a delta whose run of consistent examples never comes by chance
CHUNK = 2048  # examples drawn at once
LOWER_BOUND = 0.139  # the paper's: on line, mistakes grow at least like exp(0.139 n)

SERIES: list[tuple[Mode, Flips, tuple[int, ...]]] = [
    ("online", "paper", tuple(range(5, 27, 2))),
    ("single", "paper", (21, 51, 101, 201, 401)),
    ("multiple", "paper", (21, 51, 101, 201, 401)),
    ("multiple", "majority", (21, 51, 101, 201, 401)),
]


class Run(NamedTuple):
    """How one run ended."""

    mistakes: int
    at_target: bool


class Point(NamedTuple):
    """Means over runs, with standard errors."""

    mode: Mode
    flips: Flips
    n: int
    runs: int
    mistakes: float  # until w*, without the confidence stop
    std_err: float
    stopped_mistakes: float  # until the confidence stop
    stopped_std_err: float
    at_target: float  # share of those runs that ended at w*


def vertices(rng: np.random.Generator, rows: int, n: int) -> Packed:
    """Uniform vertices of the n-cube."""
    words = rng.integers(2**64, size=(rows, -(-n // 64)), dtype=np.uint64)
    if n % 64:
        words[:, -1] &= np.uint64(2 ** (n % 64) - 1)
    return Packed(words)


def run(n: int, mode: Mode, flips: Flips, delta: float, rng: np.random.Generator) -> Run:
    """Learn a random w* until it is found, or until the confidence stop.

    Examples
    --------
    >>> run(51, "multiple", "majority", NO_STOP, np.random.default_rng(0)).at_target
    True
    """
    rule = directed_drift(n, mode, flips, "auto", delta)
    target, learner = (DriftLearner.begin(rule, n, 1, False, rng) for _ in range(2))
    while not learner.converged[0] and (learner.state.weights != target.state.weights).any():
        examples = vertices(rng, CHUNK, n)
        labels = (target.decide(examples, 0, CHUNK)[:, 0] > 0).astype(np.int64)
        learner.learn(examples, labels)
    at_target = bool((learner.state.weights == target.state.weights).all())
    return Run(int(learner.opened[0]), at_target)


def runs_of(n: int, mode: Mode, flips: Flips, delta: float, runs: int, seed: int) -> list[Run]:
    """Independent runs, each with a stream of its own."""
    children = np.random.SeedSequence((seed, n)).spawn(runs)
    return [run(n, mode, flips, delta, np.random.default_rng(child)) for child in children]


def measure(n: int, mode: Mode, flips: Flips, runs: int, seed: int, delta: float = 0.05) -> Point:
    """Means over runs without the confidence stop, and over others with it."""
    free = runs_of(n, mode, flips, NO_STOP, runs, 2 * seed)
    stopped = runs_of(n, mode, flips, delta, runs, 2 * seed + 1)
    share = float(np.mean([r.at_target for r in stopped]))
    counts = (*mean_of(r.mistakes for r in free), *mean_of(r.mistakes for r in stopped))
    return Point(mode, flips, n, runs, *counts, share)


def mean_of(values: Iterable[int]) -> tuple[float, float]:
    """Mean and its standard error."""
    array = np.fromiter(values, dtype=np.float64)
    return float(array.mean()), float(array.std(ddof=1) / np.sqrt(array.size))


def exact_online_mistakes(n: int) -> float:
    """Expected mistakes of Algorithm D from random weights until w*, for odd n, from its Markov chain.

    Only the number d of wrong weights matters. Of the vertices, C(n - d, a) C(d, b) differ from w at a right and b
    wrong weights, that is from w* at a + d - b. Such a vertex is a positive example if 2 (a + d - b) < n, misclassified
    if 2 (a + b) > n, and an update on it lowers d with probability b / (a + b), else raises it.

    Examples
    --------
    >>> [round(exact_online_mistakes(n), 1) for n in (3, 5, 11)]
    [3.8, 12.6, 218.8]
    """
    expected = 0.0
    passage = 0.0  # expected mistakes from d wrong weights to d - 1: 1 + P(up) (passage from d + 1 + passage from d)
    starts = 0  # initial weights of which at least d are wrong: they all pass from d to d - 1
    for d in range(n, 0, -1):
        cases = lowered = 0.0
        for a in range(n - d + 1):
            for b in range(d + 1):
                if 2 * (a + d - b) < n < 2 * (a + b):
                    count = comb(n - d, a) * comb(d, b)
                    cases += count
                    lowered += count * b / (a + b)
        passage = (cases + (cases - lowered) * passage) / lowered
        starts += comb(n, d)
        expected += passage * starts / 2**n
    return expected


def slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Slope of the least-squares line."""
    return float(np.polyfit(x, y, 1)[0])


def growth(points: list[Point]) -> str:
    """How the mistakes of a series grow: an exponent of e on line, a power of n in batches."""
    n = np.array([p.n for p in points], dtype=np.float64)
    logs = np.log([p.mistakes for p in points])
    if points[0].mode == "online":
        upper = n >= 11
        return (
            f"mistakes ~ exp({slope(n[upper], logs[upper]):.3f} n) from n = 11; the paper's lower bound: {LOWER_BOUND}"
        )
    return f"mistakes ~ n^{slope(np.log(n), logs):.2f}"


def table(series: list[list[Point]]) -> str:
    """The figures as text."""
    lines = ["mode, flips             n      mistakes until w*      exact     with the stop   at w*"]
    for points in series:
        for p in points:
            exact = f"{exact_online_mistakes(p.n):8.0f}" if p.mode == "online" else " " * 8
            lines.append(
                f"{p.mode + ', ' + p.flips:<20} {p.n:4d} {p.mistakes:11.2f} +-{p.std_err:9.2f} {exact}"
                f" {p.stopped_mistakes:8.2f} +-{p.stopped_std_err:7.2f} {p.at_target:6.0%}"
            )
        lines += [f"    {growth(points)}", ""]
    return "\n".join(lines)


def write_csv(series: list[list[Point]], path: Path) -> None:
    """The figures as a file."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(Point._fields)
        writer.writerows(p for points in series for p in points)


def plot(series: list[list[Point]], path: Path) -> None:
    """Mistakes against n: on line beside the exact chain and the lower bound, and in batches."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - needed here only, and optional

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for points in series:
        axes: Any = left if points[0].mode == "online" else right
        n = [p.n for p in points]
        label = points[0].mode + (f", {points[0].flips}" if points[0].mode == "multiple" else "")
        axes.errorbar(n, [p.mistakes for p in points], [2 * p.std_err for p in points], fmt="o-", label=label)
        if points[0].mode == "online":
            axes.plot(n, [exact_online_mistakes(k) for k in n], "k:", label="exact Markov chain")
            axes.plot(n, [exp(LOWER_BOUND * k) for k in n], "k--", label=f"lower bound exp({LOWER_BOUND} n)")
    left.set(title="one example an update", yscale="log")
    right.set(title="a batch an update", xscale="log", yscale="log")
    sizes = sorted({p.n for points in series for p in points if p.mode != "online"})
    right.set_xticks(sizes, labels=map(str, sizes))
    right.set_xticks([], minor=True)
    for axes in (left, right):
        axes.set(xlabel="n", ylabel="mean mistakes until w*")
        axes.legend()
    figure.savefig(path, dpi=150)


def main(arguments: list[str] | None = None) -> None:
    """Run all series and write the table and the plot."""
    parser = argparse.ArgumentParser(description="Expected mistakes of Directed Drift against n (Fang & Venkatesh).")
    parser.add_argument("--runs", type=int, default=100, help="runs of each point (default: 100)")
    parser.add_argument("--largest", type=int, default=401, help="leave out larger n (default: 401)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("output"), help="folder for the table and the plot")
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    series = [
        [measure(n, mode, flips, options.runs, options.seed) for n in sizes if n <= options.largest]
        for mode, flips, sizes in SERIES
    ]
    series = [points for points in series if len(points) > 1]
    print(table(series))
    options.output.mkdir(parents=True, exist_ok=True)
    write_csv(series, options.output / "fang_venkatesh.csv")
    plot(series, options.output / "fang_venkatesh.png")
    print(f"{time.perf_counter() - start:.0f} s; fang_venkatesh.csv and .png are in {options.output}/")


if __name__ == "__main__":
    main()
