"""Tao & Scott (2004), Table VIII: chains saved by early stops on simulated data.

Either scale takes one minute on one core.

There are ten random monotone formulas of five terms for each number n of attributes, with 50 training rows, trained
until an epoch has no mistake; chains are means over the formulas. Early stops are followed at every trial.
"""

from __future__ import annotations

from winnowkit.experiments import chains_saved
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Result, Scale, Summary
from winnowkit.experiments.tao_scott_table_7 import GENERATOR
from winnowkit.experiments.trials import MOST_ROUNDS, ROWS, SIZES, simulated

FORMULAS = 10
PAPER: chains_saved.Paper = {
    "n = 10": (0.351, 4.6, 11.3, 6.4),
    "n = 15": (0.365, 11.9, 6.3, 3.9),
    "n = 20": (0.340, 20.8, 10.0, 7.0),
    "n = 25": (0.454, 23.5, 9.7, 6.8),
    "n = 30": (0.363, 40.8, 8.1, 5.1),
    "n = 35": (0.421, 58.7, 9.7, 6.2),
    "n = 40": (0.294, 60.9, 12.7, 6.8),
}


def cells(scale: Scale, seed: int) -> list[Cell]:  # noqa: ARG001 - the paper's size is quick
    """Return one cell per size and formula."""
    return [{"n": n, "formula": i, "seed": seed} for n in SIZES for i in range(FORMULAS)]


def run(cell: Cell) -> Result:
    """Count the chains of one training."""
    learner = simulated(cell["n"], ROWS, 1000 * cell["seed"] + cell["formula"])
    return chains_saved.count(learner, 1.0, MOST_ROUNDS, [cell["seed"], cell["n"], cell["formula"]])


def seconds(cell: Cell) -> float:
    """Return the approximate time, as measured."""
    return float(0.2 + cell["n"] / 100)


def summarize(outcomes: list[CellResult]) -> Summary:
    """Return the table and judge the claims of section 6.3."""
    rows = {f"n = {n}": chains_saved.merge([o.result for o in outcomes if o.cell["n"] == n], FORMULAS) for n in SIZES}
    caption = "Chains saved on simulated data"
    return Summary(
        chains_saved.records(rows, PAPER),
        [chains_saved.table(rows, PAPER, caption)],
        [chains_saved.plot(rows, PAPER, caption)],
        chains_saved.verdicts(rows, PAPER, GENERATOR),
    )


EXPERIMENT = Experiment(
    "tao-scott-table-8",
    "Tao & Scott (2004), Table VIII: Markov chains saved on simulated data",
    __doc__,
    cells,
    run,
    summarize,
    seconds,
)
