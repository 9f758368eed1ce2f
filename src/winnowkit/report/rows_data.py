"""The rows that a report shows: mostly wrong ones, with reasons, and examples of every rule."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.report.held_out import HeldOutRows
from winnowkit.report.rules_data import RulesData
from winnowkit.report.subject import Reason

MOST_ROWS = 200
MOST_WRONG = 100
EXAMPLES = 3
"""Examples of a rule: as many that it gets right, and one that it gets wrong."""


class ShownRow(NamedTuple):
    """A row with what was predicted for it, and why."""

    number: int
    values: dict[str, Any]
    truth: int
    predicted: int
    probability: float | None
    reasons: list[Reason]


class ShownRows(NamedTuple):
    """The rows of a report, and which of them are examples of each rule."""

    rows: list[ShownRow]
    examples: list[list[int]]


def shown_rows(held: HeldOutRows, rules: RulesData | None, rng: np.random.Generator) -> ShownRows:
    """Choose the rows to show: the most confident mistakes, examples of each rule, and some others."""
    wrong = np.flatnonzero(held.predicted != held.truth)
    if held.probabilities is not None:
        sure = held.probabilities[wrong, held.predicted[wrong]]
        wrong = wrong[np.argsort(-sure, kind="stable")]
    else:
        wrong = rng.permutation(wrong)
    chosen = dict.fromkeys(wrong[:MOST_WRONG].tolist())
    of_rules: list[list[int]] = []
    for measures in rules.rules if rules is not None else []:
        rows = np.flatnonzero(measures.held)
        right = held.truth[rows] == measures.label
        some = [*_some(rows[right], EXAMPLES, rng), *_some(rows[~right], 1, rng)]
        of_rules.append(some if len(chosen) + len(some) <= MOST_ROWS else [r for r in some if r in chosen])
        chosen |= dict.fromkeys(of_rules[-1])
    for row in _some(np.arange(held.data.table.n_rows), MOST_ROWS, rng):
        if len(chosen) < MOST_ROWS:
            chosen[row] = None
    places = {row: i for i, row in enumerate(chosen)}
    reasons = _reasons(held, np.array(list(chosen), dtype=np.intp))
    shown = [
        ShownRow(
            row,
            held.data.table.row(row),
            int(held.truth[row]),
            int(held.predicted[row]),
            None if held.probabilities is None else float(held.probabilities[row, held.predicted[row]]),
            reasons[row],
        )
        for row in chosen
    ]
    return ShownRows(shown, [[places[row] for row in some] for some in of_rules])


def _some(rows: NDArray[np.intp], most: int, rng: np.random.Generator) -> list[int]:
    return [int(row) for row in rng.permutation(rows)[:most]]


def _reasons(held: HeldOutRows, rows: NDArray[np.intp]) -> dict[int, list[Reason]]:
    """Return the reasons for the wrong rows among these, by the model that predicted them."""
    found: dict[int, list[Reason]] = {int(row): [] for row in rows}
    for part in held.parts:
        mine = np.array([row for row in rows if held.predicted[row] != held.truth[row]], dtype=np.intp)
        mine = mine[np.isin(mine, part.rows)]
        found |= dict(zip(mine.tolist(), part.subject.reasons(held.data.table, mine), strict=True))
    return found
