"""Tao & Scott (2004), Table V: errors on six UCI sets, by six samplers and brute force.

On one core, the quick scale takes 6 minutes and the paper's scale about 6 days.

The folds are the paper's, with T_0 = n^2 and T_s = 10 n^2, one learner per class and the largest sum, trained until an
epoch has no mistake or for 100 epochs (voting: 20). Brute force on auto and annealing, blank in the paper, takes
seconds by exact branching. The quick scale runs exact sums in full. It reduces the samplers to 3 folds, 100 training
rows, 3 rounds (annealing: 6) and T_s = 2 n^2, and brute force likewise: enough to compare them, but not to reach the
errors of the paper.
"""

from __future__ import annotations

from typing import Any

from winnowkit.experiments import prediction_errors as shared
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Result, Scale, Summary
from winnowkit.experiments.trials import FOLDS, MOST_ROUNDS, ROUNDS, SAMPLERS, fold, missing

COLUMNS = {"iris": 4, "car": 6, "breast-cancer": 9, "voting": 16, "auto": 25, "annealing": 38}
PAPER = {
    "M": ["5.3 2.1", "1.7 0.8", "31.5 5.0", "5.0 2.1", "12.8 7.5", "1.0 0.7"],
    "G": ["6.7 3.8", "1.9 0.8", "30.9 5.5", "5.0 2.4", "15.6 7.8", "0.6 0.5"],
    "MG": ["6.0 1.7", "1.5 0.8", "31.7 5.0", "5.0 2.1", "16.6 5.5", "0.4 0.4"],
    "M+PT": ["6.0 3.2", "1.7 0.9", "32.7 4.7", "5.0 1.6", "18.6 5.1", "0.9 0.7"],
    "G+PT": ["6.7 2.7", "1.5 0.8", "31.5 3.8", "5.9 2.5", "18.4 4.7", "1.3 0.9"],
    "MG+PT": ["6.0 3.2", "1.6 0.7", "31.8 5.8", "5.4 2.5", "18.1 4.3", "0.7 0.5"],
    "BF": ["7.3 3.2", "3.3 1.1", "33.3 4.9", "5.0 2.0", "-", "-"],
}
CUT: dict[str, Any] = {"folds": 3, "rows": 100, "rounds": 3}


def cells(scale: Scale, seed: int) -> list[Cell]:
    """Return one cell per data set, fold and method; the quick scale is reduced, but also runs exact sums in full."""
    found = []
    for name, folds in FOLDS.items():
        full = {"data": name, "rows": None, "rounds": ROUNDS.get(name, MOST_ROUNDS), "effort": 10, "seed": seed}
        methods = shared.METHODS if scale == "paper" else ("BF", shared.POCKET)
        found += [{**full, "method": method, "fold": fold} for fold in range(folds) for method in methods]
        if scale == "quick":
            rounds = CUT["rounds"] * (
                2 if name == "annealing" else 1
            )  # after 3 rounds it predicts only the largest class
            cut = {**full, "rows": CUT["rows"], "rounds": rounds, "effort": 2}
            found += [
                {**cut, "method": method, "fold": fold} for fold in range(CUT["folds"]) for method in (*SAMPLERS, "BF")
            ]
    return found


def run(cell: Cell) -> Result:
    """Train and test one fold."""
    name, n = cell["data"], COLUMNS[cell["data"]]
    part = fold(name, cell["fold"], cell["seed"])
    part = part._replace(X=part.X[: cell["rows"]], y=part.y[: cell["rows"]])
    engine = shared.engine_of(cell["method"], cell["effort"] * n * n, n * n)
    way = missing(name)
    return shared.errors(part, cell["method"], engine, cell["rounds"], cell["seed"], missing=way, two_class="pair")


def seconds(cell: Cell) -> float:
    """Return times as measured: samplers in full run millions of chains (Table IX) of 11 n^2 steps."""
    name, n = cell["data"], COLUMNS[cell["data"]]
    if cell["method"] not in SAMPLERS:
        return {"car": 0.8, "auto": 1.0, "annealing": 3.4}.get(name, 0.3) if cell["rows"] is None else 0.05
    if cell["rows"] is None:
        chains = {"iris": 0.22, "car": 14, "breast-cancer": 45, "voting": 1.2, "auto": 14, "annealing": 5}[name]
        return chains * 11 * n * n * 0.045
    return {"car": 0.6, "breast-cancer": 0.5, "voting": 0.7, "auto": 2.0, "annealing": 12.0}.get(name, 0.3)


def summarize(outcomes: list[CellResult]) -> Summary:
    """Return the table and judge the claims of section 6.2."""
    full = [outcome for outcome in outcomes if outcome.cell["rows"] is None]
    cut = [outcome for outcome in outcomes if outcome.cell["rows"] is not None]
    theirs, sampled = shared.paper_grid(PAPER, FOLDS), cut or full
    exact, grid = shared.grid(full, "data"), shared.grid(sampled, "data")
    sets = [name for name in ("iris", "car") if name in grid]
    plain, tempered = ("M", "G", "MG"), ("M+PT", "G+PT", "MG+PT")
    verdicts = [
        shared.overlap(grid, "all confidence intervals of each data set overlap"),
        shared.higher(
            "samplers often err less than with parallel tempering", sampled, tempered, plain, "data", list(grid)
        ),
        shared.higher(
            "sampling errs less than brute force on iris and car", sampled, ["BF"], tuple(SAMPLERS), "data", sets
        ),
        shared.brute_force_not_better(grid),
        shared.within_the_papers(exact, theirs, shared.UNKNOWN),
    ]
    caption = "Errors on UCI sets"
    tables = [shared.table(exact, theirs, caption if not cut else f"{caption}, exact sums in full", "")]
    plots = [shared.plot(exact, f"{caption}, in full", "")]
    if cut:
        about = f"{caption}, all methods cut to {CUT['rows']} rows, {CUT['folds']} folds and few rounds"
        tables += [shared.table(grid, {}, about, ""), shared.table(theirs, {}, f"{caption}, as in the paper", "")]
        plots.append(shared.plot(grid, about, ""))
    records = [{**row, "cut": False} for row in shared.records(exact, theirs, "data")]
    records += [{**row, "cut": True} for row in shared.records(grid, {}, "data")] if cut else []
    return Summary(records, tables, plots, verdicts)


EXPERIMENT = Experiment(
    "tao-scott-table-5",
    "Tao & Scott (2004), Table V: errors on UCI data sets",
    __doc__,
    cells,
    run,
    summarize,
    seconds,
)
