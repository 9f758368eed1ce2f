"""An experiment: its cells at a scale, a pure function from one cell to a result, and a summary of all results."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

from winnowkit.experiments.frame.verdict import Verdict

Scale = Literal["quick", "paper"]
SCALES: tuple[Scale, ...] = ("quick", "paper")

Cell = dict[str, Any]
"""Parameters of one unit of work, seed included: what JSON can hold."""

Result = dict[str, Any]
"""What a cell gave: what JSON can hold, no NaN; the same cell always gives the same."""


class Outcome(NamedTuple):
    """A cell and its result."""

    cell: Cell
    result: Result


class Table(NamedTuple):
    """A table for people, the paper's numbers beside ours."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class Plot(NamedTuple):
    """One panel: `draw` gets matplotlib's Axes."""

    caption: str
    draw: Callable[[Any], None]


@dataclass(frozen=True)
class Summary:
    """What an experiment shows.

    Parameters
    ----------
    records : list of dict
        The tidy table: one row a measured quantity, with the paper's number where it has one.
    tables, plots, verdicts : list
        The same for people.
    """

    records: list[dict[str, Any]]
    tables: list[Table]
    plots: list[Plot]
    verdicts: list[Verdict]


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper.

    Parameters
    ----------
    name : str
        What the command line calls it.
    title : str
        The paper, and what in it.
    about : str
        How it is done here; the module's docstring.
    cells : callable
        From a scale and a seed to the cells.
    run : callable
        From a cell to its result: pure, and importable where a worker runs.
    summarize : callable
        From the outcomes of all cells, in their order, to a `Summary`.
    seconds : callable
        About how long a cell takes on one core: for the order of the cells and the time left.

    Examples
    --------
    >>> experiment = Experiment("squares", "Squares", "", lambda scale, seed: [{"n": seed}], lambda cell: cell, None)
    >>> experiment.cells("quick", 3), experiment.key({"n": 3})
    ([{'n': 3}], 'ac29ba196eac0473')
    """

    name: str
    title: str
    about: str
    cells: Callable[[Scale, int], list[Cell]]
    run: Callable[[Cell], Result]
    summarize: Callable[[list[Outcome]], Summary]
    seconds: Callable[[Cell], float] = field(default=lambda cell: 1.0)  # noqa: ARG005

    def key(self, cell: Cell) -> str:
        """Name of a cell: a digest of its parameters."""
        return blake2b(json.dumps(cell, sort_keys=True).encode(), digest_size=8).hexdigest()
