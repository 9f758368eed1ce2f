"""Speed and mistakes of the linear learners beside their peers: ``make bench-linear``, about ten minutes.

Every table is measured in this one run. Contenders take turns, round after round, so that a busy moment of the machine
hits all of them; the fastest round of each counts.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections import defaultdict
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import Any

import peers
from peers import BARE, REFERENCE, Contender, Data, data_of

from winnowkit.experiments.cells import SIZES, Cell, cells

WARM_UP = 100  # rows that compile whatever has to be compiled
Table = dict[str, dict[str, Any]]  # contender, column: entry


def main() -> None:
    options = arguments()
    print(environment())
    for name in peers.missing():
        print(f"{name} is not installed and left out (pip install -r benchmarks/requirements.txt)")
    results: dict[str, Any] = {"environment": environment()}
    for name in ("speed", "single", "mistakes"):
        if options.only in (None, name):
            results[name] = globals()[name](options)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["speed", "single", "mistakes"], help="one table instead of three")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, few rounds, one seed: for trying")
    parser.add_argument("--rounds", type=int, help="rounds of timing (11)")
    parser.add_argument("--seeds", type=int, help="streams a cell in the table of mistakes (10)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there too")
    options = parser.parse_args()
    options.share = 10 if options.quick else 1
    options.rounds = options.rounds or (3 if options.quick else 11)
    options.seeds = options.seeds or (1 if options.quick else 10)
    return options


def environment() -> str:
    packages = ["numpy", "scipy", "scikit-learn", "numba", *sorted({"vowpalwabbit", "river"} - set(peers.missing()))]
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{os.cpu_count()} cores; Python {platform.python_version()}, {versions}"


# --- the tables -------------------------------------------------------------------------------------------------------


def speed(options: argparse.Namespace) -> Table:
    rows = 200_000 // options.share
    print(
        f"\n## One pass of partial_fit over {rows:,} rows of 65 active attributes (best of {options.rounds} rounds)\n"
    )
    table: Table = defaultdict(dict)
    for n in SIZES:
        (X, y), _ = Cell(n).draw(rows, seed=0)
        with data_of(X, y) as data:
            seconds = race(peers.passes(), data, options.rounds)
        for name, (time, _) in seconds.items():
            table[name][f"{n:,}"] = {
                "ms": 1000 * time * rows,
                "rows/s": 1 / time,
                "x Winnow2": time / seconds[REFERENCE][0],
                "x bare": time / seconds[BARE][0],
            }
        show_speed(f"n = {n:,}", {name: columns[f"{n:,}"] for name, columns in table.items()}, seconds, rows)
    return table


def show_speed(title: str, entries: dict[str, dict[str, float]], measured: dict[str, Any], rows: int) -> None:
    lines = [[title, "milliseconds", "rows a second", "time / Winnow2", "time / bare loop"]]
    for name, entry in entries.items():
        few = "" if measured[name][1] == rows else f" ({measured[name][1]:,} rows, extrapolated)"
        ratios = [f"{entry['x Winnow2']:.2f}", f"{entry['x bare']:.2f}"]
        lines.append([name + few, f"{entry['ms']:,.0f}", f"{entry['rows/s']:,.0f}", *ratios])
    show(lines)


def single(options: argparse.Namespace) -> Table:
    print(f"\n## Examples a second, learned one at a time (best of {options.rounds} rounds)\n")
    table: Table = defaultdict(dict)
    for n in SIZES:
        (X, y), _ = Cell(n).draw(50_000 // options.share, seed=0)
        with data_of(X, y) as data:
            for name, (time, _) in race(peers.singles(), data, options.rounds).items():
                table[name][f"{n:,}"] = 1 / time
    columns = [f"{n:,}" for n in SIZES]
    show([["n", *columns], *([name, *(f"{row[c]:,.0f}" for c in columns)] for name, row in table.items())])
    return table


def mistakes(options: argparse.Namespace) -> Table:
    rows = 100_000 // options.share
    print(f"\n## Progressive mistakes in {rows:,} rows (mean of {options.seeds} seeds)")
    print("\nfloor: the number of flipped labels. perceptron: a plain loop. river is left out: too slow.")
    table: Table = defaultdict(dict)
    for attributes, kind in groupby(cells(), key=lambda cell: cell.attributes):
        group = list(kind)
        for cell in group:
            for name, count in mean_mistakes(cell, rows, options.seeds).items():
                table[name][str(cell)] = count
        header = [f"{attributes} attributes", *(f"n = {c.n:,}, {c.label_noise:.0%} noise" for c in group)]
        print()
        show([header, *([name, *(f"{row[str(c)]:,.1f}" for c in group)] for name, row in table.items())])
    return table


def mean_mistakes(cell: Cell, rows: int, seeds: int) -> dict[str, float]:
    counts: dict[str, list[int]] = defaultdict(list)
    for seed in range(seeds):
        (X, y), flipped = cell.draw(rows, seed)
        counts["floor"].append(int(flipped.sum()))
        with data_of(X, y) as data:
            for contender in peers.mistake_makers():
                counts[contender.name].append(contender.start(data)())
    return {name: sum(found) / seeds for name, found in counts.items()}


# --- timing and printing ----------------------------------------------------------------------------------------------


def race(contenders: list[Contender], data: Data, rounds: int) -> dict[str, tuple[float, int]]:
    """Seconds a row in the best round of each contender, and how many rows it was given."""
    return {name: (min(times), rows) for name, (times, rows) in all_rounds(contenders, data, rounds).items()}


def all_rounds(contenders: list[Contender], data: Data, rounds: int) -> dict[str, tuple[list[float], int]]:
    """Seconds a row in each round of each contender, and how many rows it was given."""
    found: dict[str, tuple[list[float], int]] = {}
    for turn in range(rounds):
        for contender in contenders:
            if turn >= (contender.rounds or rounds):
                continue
            if turn == 0:
                contender.start(contender.part(data.head(WARM_UP)))()
            part = contender.part(data)
            run = contender.start(part)
            start = perf_counter()
            run()
            time = (perf_counter() - start) / len(part.y)
            found.setdefault(contender.name, ([], len(part.y)))[0].append(time)
    return found


def show(lines: list[list[str]]) -> None:
    """Print a Markdown table, its first column to the left."""
    widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    for line in [lines[0], rule, *lines[1:]]:
        first, *others = (
            entry.ljust(w) if c == 0 else entry.rjust(w) for c, (entry, w) in enumerate(zip(line, widths, strict=True))
        )
        print("| " + " | ".join([first, *others]) + " |", flush=True)
    print()


if __name__ == "__main__":
    main()
