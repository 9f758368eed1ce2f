"""Time against rows, attributes, mistakes and threads, on log axes, with the exponent of the best power law."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from environments import ours
from results import Part, Plot, Record, Table, distinct, quartiles, rows_of, short

import winnowkit as wk
from winnowkit.data import streams
from winnowkit.dnf import Exact, MistakeLog

POWERS = {"tiny": 2, "quick": 4, "full": 6}  # number of doublings or quadruplings
REPEATS = {"tiny": 1, "quick": 3, "full": 7}
CLASSES = [0, 1]


def matrix(rows: int, n: int) -> tuple[Any, Any]:
    return streams.disjunction(n=n, k=5, active=65, seed=0).take(rows)


def by_rows(powers: int) -> list[tuple[float, Callable[[], Any]]]:
    """Time one pass over 8,000 rows, and over four times, sixteen times, ... as many."""
    found = []
    for k in range(powers):
        X, y = matrix(8_000 * 4**k if powers > 2 else 500 * 4**k, 10_000)
        found.append((float(X.shape[0]), lambda X=X, y=y: wk.Winnow2().partial_fit(X, y, classes=CLASSES)))
    return found


def by_attributes(powers: int) -> list[tuple[float, Callable[[], Any]]]:
    """Time one pass over 20,000 rows of n attributes, 65 of them active: the cost of n alone."""
    found = []
    for k in range(powers):
        X, y = matrix(20_000 if powers > 2 else 500, 1_000 * 8**k)
        found.append((float(X.shape[1]), lambda X=X, y=y: wk.Winnow2().partial_fit(X, y, classes=CLASSES)))
    return found


def log_of(n: int, size: int, seed: int = 0) -> MistakeLog:
    """Return a log of mistakes on random rows of three values."""
    rng = np.random.default_rng(seed)
    log = MistakeLog(n)
    while len(log) < size:
        log.append(rng.integers(1, 4, n), int(rng.choice([-1, 1])))
    return log


def by_mistakes(powers: int) -> list[tuple[float, Callable[[], Any]]]:
    """Time exact sums over all terms of 16 attributes for 100 rows, by the number of mistakes."""
    rows = np.random.default_rng(1).integers(1, 4, (100, 16)).astype(np.int32)
    found = []
    for k in range(powers):
        log = log_of(16, 100 * 2**k)
        found.append((float(len(log)), lambda log=log: Exact().log_sums(log, rows, 1.5)))
    return found


def by_columns(powers: int) -> list[tuple[float, Callable[[], Any]]]:
    """Time exact sums for 100 rows after 200 mistakes, by the number of attributes."""
    found = []
    for n in (8, 12, 16, 20, 24, 28)[:powers]:
        log, rows = log_of(n, 200), np.random.default_rng(1).integers(1, 4, (100, n)).astype(np.int32)
        found.append((float(n), lambda log=log, rows=rows: Exact().log_sums(log, rows, 1.5)))
    return found


def by_threads(powers: int) -> list[tuple[float, Callable[[], Any]]]:
    """Time decisions on 400,000 rows, by n_jobs."""
    X, y = matrix(2_000 if powers <= 2 else 400_000, 10_000)
    found = []
    for jobs in (1, 2):
        model = wk.Committee(n_jobs=jobs).partial_fit(X[:1000], y[:1000], classes=CLASSES)
        found.append((float(jobs), lambda model=model: model.decision_function(X)))
    return found


SWEEPS: dict[str, tuple[Callable[[int], list[tuple[float, Callable[[], Any]]]], str]] = {
    "a pass of Winnow2, by rows": (by_rows, "rows"),
    "a pass of Winnow2, by attributes": (by_attributes, "attributes"),
    "exact sums over all terms, by mistakes": (by_mistakes, "mistakes"),
    "exact sums over all terms, by attributes": (by_columns, "attributes"),
    "decisions of a Committee, by threads": (by_threads, "threads"),
}
EXPECTED = {
    "a pass of Winnow2, by rows": "1: the time of a row is that of its active attributes",
    "a pass of Winnow2, by attributes": "0: absent attributes cost nothing but cache misses, and memory to begin with",
    "exact sums over all terms, by mistakes": "1 or less: mistakes that agree alike with a row merge",
    "exact sums over all terms, by attributes": "no power law: the worst case doubles with every attribute",
    "decisions of a Committee, by threads": "-1, if there are as many cores and nobody else wants them",
}


def exponent(points: list[tuple[float, float]]) -> float:
    """Return the slope of the line that fits the logarithms best.

    Examples
    --------
    >>> round(exponent([(1.0, 5.0), (2.0, 20.0), (4.0, 80.0)]), 9)
    2.0
    """
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def measure(scale: str, data: Path | None, say: Callable[[str], None]) -> Part:  # noqa: ARG001
    """Run all sweeps."""
    part = Part("scaling", "Scaling", __doc__.splitlines()[0], scale, environment=ours())
    for name, (sweep, _) in SWEEPS.items():
        say(name)
        runs = sweep(POWERS[scale])
        clock = time.perf_counter if sweep is by_threads else time.process_time  # other processes may be busy
        runs[0][1]()  # compile
        for turn in range(REPEATS[scale]):
            for x, call in runs:
                start = clock()
                call()
                part.records.append({"what": name, "x": x, "turn": turn, "ms": 1e3 * (clock() - start)})
    part.plots = plots(part.records)
    part.tables = [table(part.plots)]
    for plot in part.plots:
        fitted = plot.exponents["measured"]
        part.verdicts.append(f"{plot.title}: exponent {fitted:.2f}; expected {EXPECTED[plot.title]}.")
    return part


def plots(records: list[Record]) -> list[Plot]:
    found = []
    for name in distinct(records, "what"):
        rows = rows_of(records, what=name)
        points = [(x, quartiles([r["ms"] for r in rows_of(rows, x=x)])[1]) for x in sorted(set(distinct(rows, "x")))]
        lines = {"measured": [list(point) for point in points]}
        found.append(Plot(name, SWEEPS[name][1], "milliseconds", lines, {"measured": exponent(points)}))
    return found


def table(drawn: list[Plot]) -> Table:
    body = []
    for plot in drawn:
        points = ", ".join(f"{short(x)}: {short(y)}" for x, y in plot.lines["measured"])
        body.append([plot.title, points, f"{plot.exponents['measured']:.2f}"])
    note = "processor time; by threads the wall clock"
    return Table("Milliseconds (medians), and fitted exponents", ["", "x: ms", "exponent"], body, note)
