"""The DNF peers at the sizes of the report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dnf_learners import COMPACT, LOCAL, OURS, SETS
from dnf_peers import measure as measure_tasks
from dnf_peers import tasks_of
from environments import PEERS
from results import Part

QUICK = ["iris", "voting", "tic-tac-toe", "monks-1", "monks-3"]
SCALES = {  # sets, folds, planted formulas, learners, seconds per peer and table
    "tiny": (["monks-1"], 2, 0, [OURS, "naive Bayes"], 60.0),
    "quick": (QUICK, 10, 0, [*(name for name in LOCAL if name != COMPACT), *PEERS], 120.0),
    "full": (SETS, 10, 3, [*LOCAL, *PEERS], 3600.0),
}


def measure(scale: str, data: Path | None, say: Callable[[str], None]) -> Part:  # noqa: ARG001
    """Measure the sets, folds and learners of a scale."""
    sets, folds, planted, learners, timeout = SCALES[scale]
    part = measure_tasks(tasks_of(sets, folds, planted), learners, timeout, say)
    part.scale = scale
    return part
