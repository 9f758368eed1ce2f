"""Tables and verdicts of an experiment, into a folder and onto the screen."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Verdict(NamedTuple):
    """A claim of a paper, whether it shows here, and in what figures."""

    claim: str
    shows: bool
    figures: str

    def __str__(self) -> str:
        return f"[{'shows' if self.shows else 'DOES NOT SHOW'}] {self.claim}: {self.figures}"


def z_score(differences: ArrayLike) -> float:
    """Mean over its standard error: how many of the latter a mean of paired differences is above 0.

    Examples
    --------
    >>> round(z_score([1.0, 2.0, 3.0]), 3)
    3.464
    """
    d = np.asarray(differences, dtype=np.float64)
    mean, error = float(d.mean()), float(d.std(ddof=1) / np.sqrt(len(d)))
    if error == 0.0:
        return float(np.sign(mean)) * float("inf") if mean else 0.0
    return mean / error


def arguments(text: str | None, folder: str, runs: int, **more: float) -> argparse.Namespace:
    """Command line of an experiment: `--output`, `--runs` and `--no-plot`; `more` numbers by name, with defaults."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("output") / folder, help="folder of the results")
    parser.add_argument("--runs", type=int, default=runs, help="runs to average (default: %(default)s)")
    parser.add_argument("--no-plot", action="store_true", help="do without matplotlib")
    for name, default in more.items():
        parser.add_argument(f"--{name}", type=type(default), default=default, help="(default: %(default)s)")
    return parser.parse_args()


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table as CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def write_verdicts(path: Path, verdicts: Sequence[Verdict]) -> None:
    """Print the verdicts, and keep them."""
    text = "\n".join(map(str, verdicts))
    print(text)
    path.write_text(text + "\n")
