"""Tao & Scott (2004), Figure 2: Guess Error on simulated data against attributes.

On one core, the quick scale takes 2 minutes and the paper's scale 2 hours.

Random monotone formulas of five terms over n attributes, ten of them, 50 training rows each; Winnow is trained with
exact sums, and at a sample of its trials (paper: all) each sampler estimates the sum with T_0 = n^2 and T_s = 10,000,
samplers and rungs as printed. The paper's figure is a drawing without numbers. Quick: 3 formulas, one trial in 80.

Which sampler errs least is decided by errors that are computed over all terms, at trials with few attributes; for n =
35 and 40 these are rare, and easier than most.
"""

from __future__ import annotations

import math

import numpy as np

from winnowkit.experiments import guess_error
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Result, Scale, Summary, Verdict
from winnowkit.experiments.frame.judge import less
from winnowkit.experiments.sampler_errors import Ranking, measure
from winnowkit.experiments.trials import MOST_ROUNDS, ROWS, SIZES, run_trials, simulated

STEPS = 10_000
THOUSAND_CHAINS = {10: 4.6, 15: 11.9, 20: 20.8, 25: 23.5, 30: 40.8, 35: 58.7, 40: 60.9}  # Table VIII, per formula
QUICK = {10: 8, 15: 6, 20: 2, 25: 1, 30: 1, 35: 1, 40: 1}  # trials per formula whose errors are computed
PERIODIC = (
    "where flips change no weight, the printed sampler always makes them, and mixes slowly or not at all; with many "
    "attributes there are many such flips"
)


def cells(scale: Scale, seed: int) -> list[Cell]:
    """Return one cell per size and formula, for samples and for exact errors."""
    quick = scale == "quick"
    sampled: Cell = {"kind": "sampled", "share": 0.0125 if quick else 1.0, "seed": seed}
    computed: Cell = {"kind": "exact", "seed": seed}
    return [{"n": n, "formula": i, **sampled} for n in SIZES for i in range(3 if quick else 10)] + [
        {"n": n, "formula": i, "count": QUICK[n] if quick else 10 * QUICK[n], **computed}
        for n in SIZES
        for i in range(10)
    ]


def run(cell: Cell) -> Result:
    """Measure the errors of all samplers at the same trials, or compute them."""
    n, seed = cell["n"], [cell["seed"], cell["n"], cell["formula"]]
    trials = run_trials(simulated(n, ROWS, 1000 * cell["seed"] + cell["formula"]), MOST_ROUNDS)
    if cell["kind"] == "exact":
        return measure(list(trials), cell["count"], STEPS, n * n, seed)
    return guess_error.errors_of(guess_error.some(trials, cell["share"], seed), STEPS, n * n, seed)


def seconds(cell: Cell) -> float:
    """Estimate the time of six samplers over the chains of Table VIII, or of exact errors."""
    if cell["kind"] == "exact":
        return 0.3 + cell["count"] * (0.1 if cell["n"] < 20 else 0.7 if cell["n"] < 35 else 1.5)
    steps = STEPS + cell["n"] ** 2
    return float(0.5 + 6 * cell["share"] * 1000 * THOUSAND_CHAINS[cell["n"]] * steps * guess_error.NANOSECONDS * 1e-9)


def summarize(outcomes: list[CellResult]) -> Summary:
    """Draw the curve and judge the claims of section 6.1."""
    sampled = [o for o in outcomes if o.cell["kind"] == "sampled"]
    ranking = Ranking([o for o in outcomes if o.cell["kind"] == "exact"], ("formula",), "n")
    curve = guess_error.by_place(sampled, "n")
    caption = "Guess Error on simulated data, by number of attributes"
    about = "Errors of sums on simulated data, computed over all terms, and the bias of the paper's last rung"
    return Summary(
        guess_error.records(curve, "n"),
        [guess_error.table(curve, "n", caption), ranking.table(SIZES, about)],
        [guess_error.plot(curve, "attributes n", caption)],
        verdicts(sampled, ranking),
    )


def verdicts(sampled: list[CellResult], ranking: Ranking) -> list[Verdict]:
    """Judge the claims of section 6.1."""
    few, many = [n for n in SIZES if n <= 25], [n for n in SIZES if n > 25]
    rise = np.log(ranking.errors("G", SIZES[4])) - np.log(ranking.errors("G", SIZES[0]))
    return [
        less(
            f"Guess Error rises with the attributes: Gibbs' more than doubles from n = {SIZES[0]} to {SIZES[4]}",
            rise - math.log(2),
            math.log(1.5),
            f"by a factor of {np.exp(rise.mean()):.1f}",
            unit=" in ln of the errors",
        ),
        ranking.less("Gibbs errs less than Metropolis", "G", "M"),
        ranking.less("Metropolised Gibbs errs less than Metropolis", "MG", "M", few),
        ranking.less("Metropolised Gibbs errs less than Gibbs up to n = 25", "MG", "G", few),
        ranking.less("Gibbs errs less than Metropolised Gibbs past n = 25", "G", "MG", many, PERIODIC),
        ranking.alike(
            "ours: Metropolised Gibbs held back now and then errs as Gibbs does, within a tenth", "MG, held", "G"
        ),
        guess_error.tempering(sampled),
    ]


EXPERIMENT = Experiment(
    "tao-scott-figure-2",
    "Tao & Scott (2004), Figure 2: Guess Error against attributes",
    __doc__,
    cells,
    run,
    summarize,
    seconds,
)
