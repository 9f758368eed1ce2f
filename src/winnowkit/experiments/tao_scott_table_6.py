"""Tao & Scott (2004), Table VI: errors on voting by sampling steps.

On one core, the quick scale takes 3 minutes and the paper's scale 2 days.

There are ten folds, 20 rounds, one learner per class, T_0 = 256 and T_s from 800 to 16,000. Brute force, one number in
the paper, does not depend on T_s. The quick scale runs exact sums in full, and reduces the samplers to 3 folds, 100
training rows, 3 rounds and two numbers of steps, and brute force likewise.
"""

from __future__ import annotations

from typing import Any

from winnowkit.experiments import prediction_errors as shared
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Result, Scale, Summary
from winnowkit.experiments.trials import FOLDS, ROUNDS, SAMPLERS, fold

STEPS = (800, 1600, 3200, 6400, 9600, 12800, 16000)
BURN_IN = 256
PAPER = {
    "M": ["5.1 1.7", "5.3 1.6", "5.0 2.1", "5.3 1.8", "5.0 1.3", "4.8 1.6", "5.5 2.4"],
    "G": ["4.6 2.5", "4.8 1.5", "5.0 2.4", "4.8 2.1", "6.0 2.5", "4.6 1.8", "4.3 2.0"],
    "MG": ["5.1 1.1", "5.0 1.5", "5.0 2.1", "4.6 1.6", "4.8 1.8", "5.0 2.7", "5.9 2.5"],
    "M+PT": ["5.3 1.9", "4.1 0.9", "5.0 1.6", "5.5 1.5", "5.0 1.8", "4.1 2.0", "3.6 1.9"],
    "G+PT": ["5.3 1.4", "4.8 1.8", "5.9 2.8", "5.9 2.5", "5.4 1.8", "4.6 2.2", "4.3 2.0"],
    "MG+PT": ["5.1 1.1", "3.2 0.9", "5.4 2.5", "4.8 2.7", "5.0 2.5", "5.0 2.2", "5.5 2.4"],
    "BF": ["5.0 2.0"] * 7,
}
CUT: dict[str, Any] = {"folds": 3, "rows": 100, "rounds": 3, "steps": (800, 9600)}


def cells(scale: Scale, seed: int) -> list[Cell]:
    """Return one cell per number of steps, fold and method."""
    full = {"rows": None, "rounds": ROUNDS["voting"], "seed": seed}
    folds = range(FOLDS["voting"])
    exact = [{**full, "steps": 0, "method": method, "fold": fold} for fold in folds for method in ("BF", shared.POCKET)]
    if scale == "paper":
        return exact + [
            {**full, "steps": T_s, "method": method, "fold": fold}
            for T_s in STEPS
            for fold in folds
            for method in SAMPLERS
        ]
    cut = {"rows": CUT["rows"], "rounds": CUT["rounds"], "seed": seed}
    return exact + [
        {**cut, "steps": T_s, "method": method, "fold": fold}
        for T_s in (0, *CUT["steps"])
        for fold in range(CUT["folds"])
        for method in (SAMPLERS if T_s else ("BF",))
    ]


def run(cell: Cell) -> Result:
    """Train and test one fold."""
    part = fold("voting", cell["fold"], cell["seed"])
    part = part._replace(X=part.X[: cell["rows"]], y=part.y[: cell["rows"]])
    engine = shared.engine_of(cell["method"], cell["steps"], BURN_IN)
    return shared.errors(part, cell["method"], engine, cell["rounds"], cell["seed"], two_class="pair")


def seconds(cell: Cell) -> float:
    """Return times as measured: samplers in full run 1.2 million chains per fold."""
    if cell["method"] not in SAMPLERS:
        return 0.3
    million = 1.2 if cell["rows"] is None else 0.02
    return float(million * (cell["steps"] + BURN_IN) * 0.045)


def summarize(outcomes: list[CellResult]) -> Summary:
    """Return the table and judge the claims of section 6.2."""
    sampled = [o for o in outcomes if o.cell["method"] in SAMPLERS]
    cut = any(o.cell["rows"] is not None for o in sampled)
    steps = sorted({o.cell["steps"] for o in sampled})

    def everywhere(chosen: list[CellResult]) -> list[CellResult]:
        """Repeat exact sums for every number of steps."""
        return [CellResult({**cell, "steps": T_s}, result) for T_s in steps for cell, result in chosen]

    full = [o for o in outcomes if o.cell["rows"] is None and o.cell["method"] not in SAMPLERS]
    alike = [o for o in outcomes if (o.cell["rows"] is not None) == cut and o.cell["method"] == "BF"]
    everything = sampled + everywhere(alike if cut else full)
    theirs, exact = shared.paper_grid(PAPER, STEPS), shared.grid(everywhere(full), "steps")
    grid = shared.grid(everything, "steps")
    plain, tempered = ("M", "G", "MG"), ("M+PT", "G+PT", "MG+PT")
    few, many = [T for T in steps if T < 9600 and T != 1600], [T for T in steps if T > 9600]
    verdicts = [
        shared.overlap(grid, "no sampler has a significant advantage: intervals overlap at every T_s"),
        shared.higher(
            "with parallel tempering errors are higher below T_s = 9,600 (but 1,600)",
            sampled,
            tempered,
            plain,
            "steps",
            few,
        ),
        shared.higher("past T_s = 9,600 they are equal or lower", sampled, plain, tempered, "steps", many),
        shared.best_of("of the samplers without tempering, Gibbs errs least", sampled, "G", plain, "steps"),
        shared.best_of("of those with tempering, Metropolis errs least", sampled, "M+PT", tempered, "steps"),
        shared.brute_force_not_better(grid),
        shared.often_worse(everything, "steps"),
        shared.within_the_papers({STEPS[-1]: exact[steps[-1]]}, {STEPS[-1]: theirs[STEPS[-1]]}, shared.UNKNOWN),
    ]
    caption = "Errors on voting"
    if not cut:
        tables = [shared.table(grid, theirs, caption, "T_s")]
    else:
        about = f"{caption}, all methods cut to {CUT['rows']} rows, {CUT['rounds']} rounds, {CUT['folds']} folds"
        one = {"all": exact[steps[0]]}
        tables = [
            shared.table(one, {"all": theirs[STEPS[-1]]}, f"{caption}, exact sums in full", "T_s"),
            shared.table(grid, {}, about, "T_s"),
            shared.table(theirs, {}, f"{caption}, as in the paper", "T_s"),
        ]
    records = [{**row, "cut": False} for row in shared.records(exact if cut else grid, theirs, "steps")]
    records += [{**row, "cut": True} for row in shared.records(grid, {}, "steps")] if cut else []
    return Summary(records, tables, [shared.plot(grid, tables[-2 if cut else 0].caption, "T_s")], verdicts)


EXPERIMENT = Experiment(
    "tao-scott-table-6",
    "Tao & Scott (2004), Table VI: errors on voting by sampling steps",
    __doc__,
    cells,
    run,
    summarize,
    seconds,
)
