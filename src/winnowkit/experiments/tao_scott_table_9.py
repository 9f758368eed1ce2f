"""Tao & Scott (2004), Table IX: chains saved by early stops on UCI data.

On one core, the quick scale takes one minute and the paper's scale a quarter of an hour.

One fold of each set is used, with one learner per class, trained until an epoch has no mistake, for at most 100 epochs
(voting: 20); "?" is a value in annealing. The paper leaves epsilon and savings by theory blank on auto and annealing,
as it could not sum 2^25 and 2^38 terms; here all sums are exact. The quick scale follows early stops at 1 trial in 50.
Iris and voting are also trained by the sums of the paper's last rung.
"""

from __future__ import annotations

from winnowkit.experiments import chains_saved, chains_verdicts
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Result, Scale, Summary
from winnowkit.experiments.frame.judge import exact
from winnowkit.experiments.tao_scott_table_5 import COLUMNS
from winnowkit.experiments.trials import FOLDS, MOST_ROUNDS, ROUNDS, n_classes, task

PAPER: chains_verdicts.Paper = {
    "iris": (0.472, 217.7, 8.0, 1.14),
    "car": (0.529, 14272.7, 1.7, 0.12),
    "breast-cancer": (0.500, 45176.2, 0.2, 0.04),
    "voting": (0.587, 1185.5, 4.5, 0.48),
    "auto": (None, 13822.8, 0.5, None),
    "annealing": (None, 4855.2, 22.1, None),
}


ENDING = (
    "the paper does not give its order of rows, its cuts of numbers or when training ended, and chains grow with the "
    "square of the mistakes; the distance, too, depends on how long training lasts"
)


PRINTED = ("iris", "voting")
"""The sets that are also trained by sums of the paper's last rung, with early stops at more of their trials."""


def cells(scale: Scale, seed: int) -> list[Cell]:
    """Return one cell per data set and class, and another where it is also trained by sums of the paper's last rung."""
    return [
        {
            "data": name,
            "label": label,
            "rounds": ROUNDS.get(name, MOST_ROUNDS),
            "share": 1.0 if scale == "paper" else 0.1 if name in PRINTED else 0.02,
            "printed": printed,
            "seed": seed,
        }
        for printed, names in ((False, tuple(FOLDS)), (True, PRINTED))
        for name in names
        for label in range(n_classes(name))
    ]


def run(cell: Cell) -> Result:
    """Count the chains of one training."""
    learner, printed = task(cell["data"], cell["label"], seed=cell["seed"]), cell["printed"]
    seed, burn_in = [cell["seed"], cell["label"]], COLUMNS[cell["data"]] ** 2
    steps = 0 if printed else 10 * burn_in
    return chains_saved.count(
        learner, cell["share"], cell["rounds"], seed, steps=steps, burn_in=burn_in, as_printed=printed
    )


def seconds(cell: Cell) -> float:
    """Return the approximate time, as measured."""
    training = {"iris": 0.4, "car": 3, "breast-cancer": 2, "voting": 0.5, "auto": 1, "annealing": 2}[cell["data"]]
    return float(training * (1 + 20 * cell["share"]))


def summarize(outcomes: list[CellResult]) -> Summary:
    """Return the table and judge the claims of section 6.3."""
    found = {(o.cell["data"], o.cell["label"], o.cell["printed"]): o.result for o in outcomes}
    exactly = {
        name: [own for (data, _, printed), own in found.items() if data == name and not printed] for name in FOLDS
    }
    rows = {name: chains_saved.merge(own, blocks="epochs", most=1000 * PAPER[name][1]) for name, own in exactly.items()}
    pairs = [(found[name, label, False], own) for (name, label, printed), own in found.items() if printed]
    order = sorted(FOLDS, key=lambda name: rows[name]["savings"])
    theirs = sorted(FOLDS, key=lambda name: PAPER[name][2])
    varies = exact(
        "savings vary widely with the data set: annealing saves most, breast cancer among the least",
        order[-1] == "annealing" and "breast-cancer" in order[:2],
        f"from least to most: {', '.join(order)} (paper: {', '.join(theirs)})",
        "where a training does not end by itself, savings depend on when it is stopped",
        power=chains_verdicts.DRAWN,
    )
    caption = "Chains saved on UCI data"
    trainings = [result for own in exactly.values() for result in own]
    return Summary(
        chains_verdicts.records(rows, PAPER),
        [chains_verdicts.table(rows, PAPER, caption)],
        [chains_verdicts.plot(rows, PAPER, caption)],
        [
            *chains_verdicts.verdicts(rows, PAPER, trainings, ENDING),
            varies,
            *chains_verdicts.causes(rows, PAPER, pairs),
        ],
    )


EXPERIMENT = Experiment(
    "tao-scott-table-9",
    "Tao & Scott (2004), Table IX: Markov chains saved on UCI data",
    __doc__,
    cells,
    run,
    summarize,
    seconds,
)
