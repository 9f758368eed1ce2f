"""Tao & Scott (2004), Table V: errors on six UCI sets, by six samplers and brute force.

On one core, the quick scale takes 3 minutes and the paper's scale about 11 days.

The folds are the paper's, with T_0 = n^2 and T_s = 10 n^2, one learner per class and the largest sum, trained until an
epoch has no mistake or for 100 epochs (voting: 20). Brute force on auto and annealing, blank in the paper, takes
seconds by exact branching, and runs in full at either scale. What sampling changes is judged by noise injected into
exact sums, on random training sets of 100 rows, 5 rounds each, of the four sets that have a brute force in the paper;
the paper's scale runs the samplers themselves, too.
"""

from __future__ import annotations

import numpy as np

from winnowkit.experiments import injected
from winnowkit.experiments import prediction_errors as shared
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Result, Scale, Summary
from winnowkit.experiments.injected import Injections
from winnowkit.experiments.trials import (
    FOLDS,
    MOST_ROUNDS,
    ROUNDS,
    SAMPLERS,
    fold,
    missing,
    n_classes,
    random_split,
)

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
WITH_BRUTE_FORCE = ("iris", "car", "breast-cancer", "voting")
NOISE = {"rows": 100, "rounds": 5, "effort": 10}


def cells(scale: Scale, seed: int) -> list[Cell]:
    """Return one cell per data set, fold and method, and one per random training set for noise."""
    found: list[Cell] = []
    for name, folds in FOLDS.items():
        full = {"kind": "fold", "data": name, "rounds": ROUNDS.get(name, MOST_ROUNDS), "effort": 10, "seed": seed}
        methods = (*SAMPLERS, "BF") if scale == "paper" else ("BF",)
        found += [{**full, "method": method, "fold": number} for number in range(folds) for method in methods]
    return found + [
        {"kind": "noise", "data": name, "set": i, **NOISE, "seed": seed}
        for name in WITH_BRUTE_FORCE
        for i in range(100 if scale == "quick" else 200)
    ]


def run(cell: Cell) -> Result:
    """Train and test one fold, or one random training set with noise."""
    name, n = cell["data"], COLUMNS[cell["data"]]
    if cell["kind"] == "noise":
        seed = 1000 * cell["seed"] + cell["set"]
        train, X_test, y_test = random_split(name, cell["rows"], seed)
        probe = train._replace(y=(train.y == train.y[0]).astype(np.int64))
        rng = np.random.default_rng(seed)
        sigma = injected.sigma_of(probe, cell["effort"] * n * n, n * n, cell["rounds"], rng)
        learners, rounds = n_classes(name), cell["rounds"]
        return injected.errors(train, X_test, y_test, n_learners=learners, sigma=sigma, max_epochs=rounds, seed=seed)
    part = fold(name, cell["fold"], cell["seed"])
    engine = shared.engine_of(cell["method"], cell["effort"] * n * n, n * n)
    way = missing(name)
    return shared.errors(part, cell["method"], engine, cell["rounds"], cell["seed"], missing=way, two_class="pair")


def seconds(cell: Cell) -> float:
    """Return times as measured: samplers run millions of chains, as many as ours are in Table IX, of 11 n^2 steps."""
    name, n = cell["data"], COLUMNS[cell["data"]]
    if cell["kind"] == "noise":
        return 0.25
    if cell["method"] not in SAMPLERS:
        return {"car": 0.8, "auto": 1.2, "annealing": 4.0}.get(name, 0.5)
    chains = {"iris": 3.1, "car": 38.6, "breast-cancer": 34.4, "voting": 1.3, "auto": 16.4, "annealing": 15.3}[name]
    return chains * 11 * n * n * 0.045


def summarize(outcomes: list[CellResult]) -> Summary:
    """Return the table and judge the claims of section 6.2."""
    full = [outcome for outcome in outcomes if outcome.cell["kind"] == "fold"]
    noise = Injections([outcome for outcome in outcomes if outcome.cell["kind"] == "noise"], "data")
    theirs, grid = shared.paper_grid(PAPER, FOLDS), shared.grid(full, "data")
    verdicts = [
        noise.alike(
            "all samplers err alike: within a point, for errors of their sums a third apart", "more noise", "noise"
        ),
        noise.chance("samplers often err less than with parallel tempering", 0.6, 10),
        noise.less(
            "sampling errs less than brute force on iris and car",
            "sampling",
            "exact",
            ("iris", "car"),
            noise.ten_sets(),
        ),
        noise.less(
            "ours, a cause tested: so do exact sums of the paper's last rung, whose bias needs no noise",
            "last rung",
            "exact",
            ("iris", "car"),
            "the noise alone makes the difference",
        ),
        noise.no_advantage("errors of the sums cost more than a point"),
        shared.as_the_papers(grid, theirs, 3.0, shared.UNKNOWN),
    ]
    caption = "Errors on UCI sets"
    return Summary(
        shared.records(grid, theirs, "data"),
        [
            shared.table(grid, theirs, caption, ""),
            noise.table("Noise injected into exact sums, 100 training rows, 5 rounds"),
            shared.table(theirs, {}, f"{caption}, as in the paper", ""),
        ],
        [shared.plot(grid, caption, "")],
        verdicts,
    )


EXPERIMENT = Experiment(
    "tao-scott-table-5",
    "Tao & Scott (2004), Table V: errors on UCI data sets",
    __doc__,
    cells,
    run,
    summarize,
    seconds,
)
