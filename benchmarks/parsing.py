"""Reads libsvm files with winnowkit, scikit-learn and xgboost: megabytes per second of wall-clock time, one thread.

Usage: python benchmarks/parsing.py [--megabytes 50] [--repeats 3]; about a minute. xgboost is left out if missing.

Three kinds of text: boolean attributes (``17:1``), numbers of six digits, and numbers of sixteen, as scikit-learn
writes them. Readers take turns on the same file; the fastest of --repeats runs counts.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from environments import ours
from results import Part, Record, Table, distinct, quartiles, rows_of, spread
from sklearn.datasets import load_svmlight_file

from winnowkit.data import open_table, read_libsvm

OURS = "winnowkit read_libsvm"
SCALES = {"tiny": (1, 1), "quick": (15, 5), "full": (50, 11)}  # megabytes, repeats
WHY = "its parser takes more threads than it is told to, or reads numbers of many digits with less care"
KINDS = {"boolean": "1", "six digits": "{:.6g}", "sixteen digits": "{:.16g}"}


def write(path: Path, kind: str, megabytes: int, seed: int = 0) -> None:
    """Return rows with 65 of 100,000 attributes."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(2000):
        indices = np.unique(rng.integers(1, 100_001, size=65)).tolist()
        values = rng.normal(size=65).tolist()
        entries = " ".join(f"{i}:{KINDS[kind].format(v)}" for i, v in zip(indices, values, strict=False))
        lines.append(f"{rng.integers(2)} {entries}\n")
    block = "".join(lines).encode()
    with path.open("wb") as file:
        for _ in range(max(1, megabytes * 1_000_000 // len(block))):
            file.write(block)


def chunked(path: str) -> None:
    with open_table(path, format="libsvm", n_features=100_000, zero_based=False) as reader:
        for _ in reader:
            pass


def readers() -> dict[str, Callable[[str], Any]]:
    """Return every reader by name."""
    found: dict[str, Callable[[str], Any]] = {
        OURS: read_libsvm,
        "winnowkit open_table, in chunks": chunked,
        "scikit-learn load_svmlight_file": load_svmlight_file,
    }
    try:
        import xgboost  # noqa: PLC0415 - a peer that may be missing
    except ImportError:
        print("xgboost is not installed and is left out")
    else:
        warnings.filterwarnings("ignore", message=".*Text file input has been deprecated", module="xgboost")
        found["xgboost DMatrix"] = lambda path: xgboost.DMatrix(f"{path}?format=libsvm", nthread=1, silent=True)
    return found


def speeds(megabytes: int, repeats: int) -> list[Record]:
    """Measure megabytes per second of every reader, kind of text and turn."""
    contenders, records = readers(), []
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            path = Path(folder) / "rows.libsvm"
            write(path, kind, megabytes)
            size = path.stat().st_size / 1e6
            read_libsvm(path)  # compile
            for turn in range(repeats):
                for name, read in contenders.items():
                    start = time.perf_counter()
                    read(str(path))
                    speed = size / (time.perf_counter() - start)
                    records.append({"who": name, "kind": kind, "turn": turn, "mb_per_s": speed})
    return records


def measure(scale: str, data: Path | None, say: Callable[[str], None]) -> Part:  # noqa: ARG001
    """Return medians and their ratio to ours, for the report."""
    part = Part("parsing", "Reading libsvm's text", __doc__.splitlines()[0], scale, environment=ours("xgboost"))
    say("reading")
    part.records = speeds(*SCALES[scale])
    body = []
    for who in distinct(part.records, "who"):
        row = [who]
        for kind in KINDS:
            found, mine = ([r["mb_per_s"] for r in rows_of(part.records, who=name, kind=kind)] for name in (who, OURS))
            row.append(f"{spread(found)}, x{quartiles(found)[1] / quartiles(mine)[1]:.2f}")
        body.append(row)
    note = f"median (quartiles), and its ratio to that of {OURS}"
    part.tables = [Table("Megabytes per second by the wall clock", ["", *KINDS], body, note)]
    for kind in KINDS:
        medians = {
            who: quartiles([r["mb_per_s"] for r in rows_of(part.records, who=who, kind=kind)])[1]
            for who in distinct(part.records, "who")
        }
        best = max(medians, key=medians.__getitem__)
        if "winnowkit" in best:
            part.verdicts.append(f"{kind}: {best} is the fastest.")
        else:
            ratio = medians[best] / medians[OURS]
            part.verdicts.append(f"**{kind}**: {best} is {ratio:.2f} times as fast as ours: {WHY}.")
    return part


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    records = speeds(options.megabytes, options.repeats)
    print(f"| MB per second | {' | '.join(KINDS)} |")
    print(f"| --- |{' ---: |' * len(KINDS)}")
    for who in distinct(records, "who"):
        best = [max(r["mb_per_s"] for r in rows_of(records, who=who, kind=kind)) for kind in KINDS]
        print(f"| {who} | {' | '.join(f'{speed:.0f}' for speed in best)} |")


if __name__ == "__main__":
    main()
