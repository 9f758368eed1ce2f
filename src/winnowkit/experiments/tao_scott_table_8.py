"""Tao & Scott (2004), Table VIII: chains saved by early stops on simulated data.

Either scale takes one minute on one core.

There are ten random monotone formulas of five terms for each number n of attributes, with 50 training rows, trained
until an epoch has no mistake; chains are means over the formulas. Early stops are followed at every trial. The smaller
formulas are also trained by the sums of the paper's last rung.
"""

from __future__ import annotations

from winnowkit.experiments import chains_saved, chains_verdicts
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Result, Scale, Summary
from winnowkit.experiments.tao_scott_table_7 import GENERATOR
from winnowkit.experiments.trials import MOST_ROUNDS, ROWS, SIZES, simulated

FORMULAS, STEPS = 10, 10_000
PRINTED = (10, 15, 20)
"""Numbers of attributes of the formulas that are also trained by sums of the paper's last rung."""
PAPER: chains_verdicts.Paper = {
    "n = 10": (0.351, 4.6, 11.3, 6.4),
    "n = 15": (0.365, 11.9, 6.3, 3.9),
    "n = 20": (0.340, 20.8, 10.0, 7.0),
    "n = 25": (0.454, 23.5, 9.7, 6.8),
    "n = 30": (0.363, 40.8, 8.1, 5.1),
    "n = 35": (0.421, 58.7, 9.7, 6.2),
    "n = 40": (0.294, 60.9, 12.7, 6.8),
}


def cells(scale: Scale, seed: int) -> list[Cell]:  # noqa: ARG001 - the paper's size is quick
    """Return one cell per size and formula, and another where it is also trained by sums of the paper's last rung."""
    return [
        {"n": n, "formula": i, "printed": printed, "seed": seed}
        for printed, sizes in ((False, SIZES), (True, PRINTED))
        for n in sizes
        for i in range(FORMULAS)
    ]


def run(cell: Cell) -> Result:
    """Count the chains of one training."""
    n, printed = cell["n"], cell["printed"]
    learner, seed = simulated(n, ROWS, 1000 * cell["seed"] + cell["formula"]), [cell["seed"], n, cell["formula"]]
    steps = 0 if printed else STEPS
    return chains_saved.count(learner, 1.0, MOST_ROUNDS, seed, steps=steps, burn_in=n * n, as_printed=printed)


def seconds(cell: Cell) -> float:
    """Return the approximate time, as measured."""
    return float(0.2 + cell["n"] / 50)


def summarize(outcomes: list[CellResult]) -> Summary:
    """Return the table and judge the claims of section 6.3."""
    found = {(o.cell["n"], o.cell["formula"], o.cell["printed"]): o.result for o in outcomes}
    exact = {n: [found[n, i, False] for i in range(FORMULAS)] for n in SIZES}
    rows = {f"n = {n}": chains_saved.merge(own, FORMULAS, most=1000 * PAPER[f"n = {n}"][1]) for n, own in exact.items()}
    pairs = [(found[n, i, False], found[n, i, True]) for n in PRINTED for i in range(FORMULAS)]
    trainings = [result for own in exact.values() for result in own]
    caption = "Chains saved on simulated data"
    return Summary(
        chains_verdicts.records(rows, PAPER),
        [chains_verdicts.table(rows, PAPER, caption)],
        [chains_verdicts.plot(rows, PAPER, caption)],
        [
            *chains_verdicts.verdicts(rows, PAPER, trainings, GENERATOR),
            *chains_verdicts.causes(rows, PAPER, pairs),
        ],
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
