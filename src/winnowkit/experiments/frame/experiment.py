"""An experiment: its cells at a scale, a pure function from a cell to a result, and a summary with verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

Scale = Literal["quick", "paper"]
SCALES: tuple[Scale, ...] = ("quick", "paper")

Found = Literal["shows", "differs", "undecided", "no power"]

Cell = dict[str, Any]
"""The parameters of one unit of work, including its seed, as values that JSON can hold."""

Result = dict[str, Any]
"""The result of a cell, as values that JSON can hold (no NaN). The same cell always gives the same result."""


class CellResult(NamedTuple):
    """A cell and its result."""

    cell: Cell
    result: Result


class ReportTable(NamedTuple):
    """A table for the report, with the paper's numbers beside ours."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class Plot(NamedTuple):
    """One panel of a figure; `draw` receives matplotlib's Axes."""

    caption: str
    draw: Callable[[Any], None]


@dataclass(frozen=True)
class Verdict:
    """A claim of a paper, whether it holds here, the figures, the power of the design, the reason for any difference.

    Parameters
    ----------
    claim : str
        The paper's claim.
    found : {"shows", "differs", "undecided", "no power"}
        "no power" means that these runs could not have told; "undecided", that they could, but did not.
    figures : str
        The figures that the verdict rests on.
    power : str
        How likely the design was to notice a difference of a declared size; see
        :mod:`winnowkit.experiments.frame.judge`.
    why : str
        Our explanation if the results differ.

    Examples
    --------
    >>> print(Verdict("savings grow with the distance from theta", "shows", "correlation 0.8", "exact"))
    [shows] savings grow with the distance from theta: correlation 0.8 [exact]
    """

    claim: str
    found: Found
    figures: str
    power: str
    why: str = ""

    @classmethod
    def of(cls, claim: str, shows: bool, figures: str, power: str, why: str = "") -> Verdict:
        """Judge a claim that either holds or does not; `why` is kept only if it does not."""
        return cls(claim, "shows" if shows else "differs", figures, power, "" if shows else why)

    @property
    def shows(self) -> bool:
        """Whether the claim holds here."""
        return self.found == "shows"

    def __str__(self) -> str:
        why = f" ({self.why})" if self.why else ""
        return f"[{self.found}] {self.claim}: {self.figures} [{self.power}]{why}"


@dataclass(frozen=True)
class Summary:
    """The findings of an experiment.

    Parameters
    ----------
    records : list of dict
        The tidy table: one row per measured quantity, with the paper's number where it gives one.
    tables, plots, verdicts : list
        The same findings, presented for the report.
    """

    records: list[dict[str, Any]]
    tables: list[ReportTable]
    plots: list[Plot]
    verdicts: list[Verdict]


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper, as a function of cells.

    Parameters
    ----------
    name : str
        The name used on the command line.
    title : str
        The paper, and which of its tables or figures.
    about : str
        How the experiment is carried out here: the docstring of its module.
    cells : callable
        Returns the cells of a scale and a seed.
    run : callable
        Returns the result of a cell. It must be pure, and importable in the processes of workers.
    summarize : callable
        Returns a `Summary` of the outcomes of all cells, given in the order of the cells.
    seconds : callable
        Estimates how long a cell takes on one core. The estimate orders the cells and predicts the time left.

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
    summarize: Callable[[list[CellResult]], Summary]
    seconds: Callable[[Cell], float] = field(default=lambda cell: 1.0)  # noqa: ARG005

    def key(self, cell: Cell) -> str:
        """Return the key of a cell, a digest of its parameters."""
        return blake2b(json.dumps(cell, sort_keys=True).encode(), digest_size=8).hexdigest()
