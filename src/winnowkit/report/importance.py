"""Importance of columns: the exact share of each column of the model's sums, beside permutation importance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from winnowkit.report.held_out import HeldOutRows, Tell
from winnowkit.report.measures import Floats

REPEATS = 5
MOST_COLUMNS = 25
"""Columns that are shuffled: those with the largest shares."""
MOST_ROWS = 4_000
"""Held-out rows whose columns are shuffled, at random."""


class Importance(NamedTuple):
    """A column, its exact share, and how much the error rises if its values are shuffled, with the standard error."""

    name: str
    share: float
    permuted: float | None
    standard_error: float


def importance(shares: Floats, held: HeldOutRows, rng: np.random.Generator, tell: Tell) -> list[Importance]:
    """Return the columns, the most important first."""
    order = np.argsort(-shares, kind="stable")
    names, rises = held.data.table.names, {}
    for done, j in enumerate(order[:MOST_COLUMNS].tolist()):
        if shares[j] > 0:
            tell(done / min(MOST_COLUMNS, len(order)), "shuffling columns")
            rises[j] = _permuted(j, held, rng)
    found = []
    for j in order.tolist():
        mean, error = rises.get(j, (None, 0.0))
        found.append(Importance(names[j], float(shares[j]), mean, error))
    return found


def _permuted(column: int, held: HeldOutRows, rng: np.random.Generator) -> tuple[float, float]:
    """Return the mean rise of the error when a column of the held-out rows is shuffled, and its standard error."""
    share = min(1.0, MOST_ROWS / held.data.table.n_rows)
    rises = np.zeros(REPEATS)
    total = 0
    for part in held.parts:
        some = np.sort(rng.permutation(len(part.rows))[: max(1, int(share * len(part.rows)))])
        rows = part.rows[some]
        table, truth = held.data.table.take(rows), held.truth[rows]
        before = int(np.sum(held.predicted[rows] != truth))
        places = [held.classes.index(label) for label in part.subject.classes]
        total += len(rows)
        for r in range(REPEATS):
            after = np.array(places)[part.subject.predicted(table.shuffled(column, rng))]
            rises[r] += int(np.sum(after != truth)) - before
    rises /= total
    return float(rises.mean()), float(rises.std(ddof=1) / np.sqrt(REPEATS))
