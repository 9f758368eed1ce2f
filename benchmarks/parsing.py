"""Reading libsvm's text: winnowkit beside scikit-learn and xgboost, megabytes a second by the wall clock, one thread.

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
from sklearn.datasets import load_svmlight_file

from winnowkit.data import open_table, read_libsvm

KINDS = {"boolean": "1", "six digits": "{:.6g}", "sixteen digits": "{:.16g}"}


def write(path: Path, kind: str, megabytes: int, seed: int = 0) -> None:
    """Rows of 65 of 100,000 attributes."""
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
    """Every reader by name."""
    found: dict[str, Callable[[str], Any]] = {
        "winnowkit read_libsvm": read_libsvm,
        "winnowkit open_table, in chunks": chunked,
        "scikit-learn load_svmlight_file": load_svmlight_file,
    }
    try:
        import xgboost  # noqa: PLC0415 - a peer that may be missing
    except ImportError:
        print("xgboost is not installed: left out")
    else:
        warnings.filterwarnings("ignore", message=".*Text file input has been deprecated", module="xgboost")
        found["xgboost DMatrix"] = lambda path: xgboost.DMatrix(f"{path}?format=libsvm", nthread=1, silent=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    contenders = readers()
    speeds: dict[str, dict[str, float]] = {name: {} for name in contenders}
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            path = Path(folder) / "rows.libsvm"
            write(path, kind, options.megabytes)
            size = path.stat().st_size / 1e6
            read_libsvm(path)  # compile
            for _ in range(options.repeats):
                for name, read in contenders.items():
                    start = time.perf_counter()
                    read(str(path))
                    speed = size / (time.perf_counter() - start)
                    speeds[name][kind] = max(speeds[name].get(kind, 0.0), speed)
    print(f"| MB a second | {' | '.join(KINDS)} |")
    print(f"| --- |{' ---: |' * len(KINDS)}")
    for name, by_kind in speeds.items():
        print(f"| {name} | {' | '.join(f'{speed:.0f}' for speed in by_kind.values())} |")


if __name__ == "__main__":
    main()
