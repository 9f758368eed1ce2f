"""Tao & Scott (2004), Table VI: errors on voting by sampling steps.

On one core, the quick scale takes one minute and the paper's scale 2 days.

There are ten folds, 20 rounds, one learner per class, T_0 = 256 and T_s from 800 to 16,000. Brute force, one number in
the paper, does not depend on T_s, and runs in full at either scale. What sampling changes is judged by noise injected
into exact sums, on random training sets of 100 rows, 5 rounds each; the paper's scale runs the samplers, too.
"""

from __future__ import annotations

import numpy as np

from winnowkit.experiments import injected
from winnowkit.experiments import prediction_errors as shared
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Result, Scale, Summary
from winnowkit.experiments.injected import Injections
from winnowkit.experiments.trials import FOLDS, ROUNDS, SAMPLERS, fold, random_split

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
NOISE = {"rows": 100, "rounds": 5}
NOISE_STEPS = (800, 9600)


def cells(scale: Scale, seed: int) -> list[Cell]:
    """Return one cell per number of steps, fold and method, and one per random training set for noise."""
    full = {"kind": "fold", "rounds": ROUNDS["voting"], "seed": seed}
    folds = range(FOLDS["voting"])
    found = [{**full, "steps": 0, "method": "BF", "fold": fold} for fold in folds]
    if scale == "paper":
        found += [
            {**full, "steps": T_s, "method": method, "fold": fold}
            for T_s in STEPS
            for fold in folds
            for method in SAMPLERS
        ]
    sets = 60 if scale == "quick" else 300
    return found + [
        {"kind": "noise", "steps": T_s, "set": first * sets + i, **NOISE, "seed": seed}
        for first, T_s in enumerate(NOISE_STEPS)  # no set twice, so that all are independent
        for i in range(sets)
    ]


def run(cell: Cell) -> Result:
    """Train and test one fold, or one random training set with noise."""
    if cell["kind"] == "noise":
        seed = 1000 * cell["seed"] + cell["set"]
        train, X_test, y_test = random_split("voting", cell["rows"], seed)
        rng = np.random.default_rng(seed)
        sigma = injected.sigma_of(train, cell["steps"], BURN_IN, cell["rounds"], rng)
        return injected.errors(train, X_test, y_test, n_learners=2, sigma=sigma, max_epochs=cell["rounds"], seed=seed)
    part = fold("voting", cell["fold"], cell["seed"])
    engine = shared.engine_of(cell["method"], cell["steps"], BURN_IN)
    return shared.errors(part, cell["method"], engine, cell["rounds"], cell["seed"], two_class="pair")


def seconds(cell: Cell) -> float:
    """Return times as measured: samplers run 1.2 million chains per fold."""
    if cell["kind"] == "noise":
        return 0.3
    return 0.5 if cell["method"] not in SAMPLERS else float(1.2 * (cell["steps"] + BURN_IN) * 0.045)


def summarize(outcomes: list[CellResult]) -> Summary:
    """Return the table and judge the claims of section 6.2."""
    full = [o for o in outcomes if o.cell["kind"] == "fold"]
    noise = Injections([o for o in outcomes if o.cell["kind"] == "noise"], "steps")
    theirs, exact = shared.paper_grid(PAPER, STEPS), shared.grid([o for o in full if o.cell["steps"] == 0], "steps")[0]
    sampled = shared.grid([o for o in full if o.cell["steps"]], "steps")
    grid = {T_s: {**own, **exact} for T_s, own in sampled.items()} or {STEPS[-1]: exact}
    verdicts = [
        noise.alike(
            "no sampler has a significant advantage: within a point, for errors of sums a third apart",
            "more noise",
            "noise",
        ),
        noise.chance("with parallel tempering errors are higher below T_s = 9,600 (but 1,600)", 0.4, 10),
        noise.chance("past T_s = 9,600 they are equal or lower", 0.5, 10),
        noise.chance("of the samplers without tempering Gibbs errs least, of those with it Metropolis", 0.2, 10),
        noise.no_advantage("errors of the sums cost more than a point"),
        noise.last_rung(),
        noise.less("brute force is often worse than sampling", "sampling", "exact", why=noise.ten_sets()),
        shared.as_the_papers({STEPS[-1]: exact}, {STEPS[-1]: theirs[STEPS[-1]]}, 3.0, shared.UNKNOWN),
    ]
    caption = "Errors on voting"
    return Summary(
        shared.records(grid, theirs, "steps"),
        [
            shared.table(grid, {T_s: theirs[T_s] for T_s in grid}, caption, "T_s"),
            noise.table("Noise injected into exact sums, 100 training rows, 5 rounds"),
            shared.table(theirs, {}, f"{caption}, as in the paper", "T_s"),
        ],
        [shared.plot(grid, caption, "T_s")],
        verdicts,
    )


EXPERIMENT = Experiment(
    "tao-scott-table-6",
    "Tao & Scott (2004), Table VI: errors on voting by sampling steps",
    __doc__,
    cells,
    run,
    summarize,
    seconds,
)
