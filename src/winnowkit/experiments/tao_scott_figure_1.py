"""Tao & Scott (2004), Figure 1: Guess Error on voting against sampling steps.

On one core, the quick scale takes 4 minutes and the paper's scale 2 days.

Winnow is trained with exact sums, one learner per class, 20 rounds; at a sample of the trials (paper: all of them) each
of the six samplers estimates the sum with T_0 = 256 and T_s steps. Guess Error is the mean of |estimate - W| / W.
Steps are counted as in the paper: Metropolis keeps every state, the others one in n_t. Samplers and rungs are as
printed. The paper's figure is a drawing without numbers; its text says what it shows. Quick: 6 of 10 partitions for the
least and most steps, 2 for two other numbers of steps, one trial in 500.

Which sampler errs least is not decided by samples of samplers, but by errors that are computed over all terms, at
trials with few attributes (T_s = 9,600). So is the plateau: the last rung of the paper lies above alpha, and no number
of steps makes up for that.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from winnowkit.experiments import guess_error
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Result, Scale, Summary, Verdict
from winnowkit.experiments.frame.judge import exact, less
from winnowkit.experiments.sampler_errors import Ranking, measure
from winnowkit.experiments.sampler_errors import guess_error as biased_error
from winnowkit.experiments.trials import run_trials, task

STEPS = (800, 1600, 3200, 6400, 9600, 12800, 16000)
BURN_IN = 256
KNEE = 9600
UNIT = ("fold", "label")


def cells(scale: Scale, seed: int) -> list[Cell]:
    """Return one cell per partition, class and number of steps, and one per partition and class for exact errors."""
    quick = scale == "quick"
    steps = (800, 3200, 9600, 16000) if quick else STEPS
    sampled: Cell = {"kind": "sampled", "rounds": 20, "share": 0.002 if quick else 1.0, "seed": seed}
    computed: Cell = {"kind": "exact", "rounds": 20, "count": 6 if quick else 20, "seed": seed}
    folds = range(6 if quick else 10)
    return [
        {"fold": fold, "label": label, "steps": T_s, **sampled}
        for fold in folds
        for label in range(2)
        for T_s in (steps if not quick or fold < 2 else (steps[0], steps[-1]))
    ] + [{"fold": fold, "label": label, **computed} for fold in folds for label in range(2)]


def run(cell: Cell) -> Result:
    """Measure the errors of all samplers at the same trials, or compute them."""
    seed = [cell["seed"], cell["fold"], cell["label"]]
    trials = run_trials(task("voting", cell["label"], cell["fold"], cell["seed"]), cell["rounds"])
    if cell["kind"] == "exact":
        return measure(list(trials), cell["count"], KNEE, BURN_IN, seed)
    asked = guess_error.some(trials, cell["share"], seed)
    return guess_error.errors_of(asked, cell["steps"], BURN_IN, seed)


def seconds(cell: Cell) -> float:
    """Estimate the time of training, and of six samplers with about 75 chains per trial."""
    if cell["kind"] == "exact":
        return 1.2 + 0.7 * cell["count"]
    trials = cell["share"] * cell["rounds"] * 392
    return float(1.2 + 6 * trials * 75 * (cell["steps"] + BURN_IN) * guess_error.NANOSECONDS * 1e-9)


def summarize(outcomes: list[CellResult]) -> Summary:
    """Draw the curve and judge the claims of section 6.1."""
    sampled = [o for o in outcomes if o.cell["kind"] == "sampled"]
    ranking = Ranking([o for o in outcomes if o.cell["kind"] == "exact"], UNIT)
    curve = guess_error.by_place(sampled, "steps")
    caption = "Guess Error on voting, by sampling steps (PT: parallel tempering)"
    about = "Errors of sums on voting, computed over all terms (T_s = 9,600), and the bias of the paper's last rung"
    return Summary(
        guess_error.records(curve, "steps"),
        [guess_error.table(curve, "T_s", caption), ranking.table(["voting"], about)],
        [guess_error.plot(curve, "sampling steps T_s", caption)],
        verdicts(sampled, ranking),
    )


def verdicts(sampled: list[CellResult], ranking: Ranking) -> list[Verdict]:
    """Judge the claims of section 6.1."""
    curve = guess_error.by_place(sampled, "steps")
    first, last = min(curve), max(curve)
    errors = {
        T: np.array([np.mean(o.result["sums"]) / max(1, o.result["trials"]) for o in sampled if o.cell["steps"] == T])
        for T in (first, last)
    }
    spread = float(np.median([e[0] for o in ranking.outcomes for e in o.result["three"]]))  # of Gibbs at T_s = 9,600
    biases = ranking.bias()
    fall = np.log(errors[last] / errors[first])

    def late(with_bias: bool) -> float:
        """Return Guess Error at T_s = 16,000 over that at 9,600, over all biases, for the median error of Gibbs."""
        early, later = (
            sum(biased_error(bias * with_bias, times * spread) for bias in biases)
            for times in (1.0, math.sqrt(KNEE / STEPS[-1]))
        )
        return later / early

    plain = math.sqrt(KNEE / STEPS[-1])
    computed = partial(exact, power="errors and biases are computed, at trials drawn at random")
    return [
        less(
            "Guess Error falls as steps grow: by a third or more",
            math.log(0.67) - fall,
            math.log(1.5),
            f"{errors[first].mean():.3f} at T_s = {first:,}, {errors[last].mean():.3f} at {last:,}",
            unit=" in ln of the errors",
        ),
        computed(
            "after T_s = 9,600, T_s has much less effect: less than half of what 1 / sqrt(T_s) would bring",
            1 - late(with_bias=True) < 0.5 * (1 - plain),
            f"from 9,600 to 16,000, it falls to {late(with_bias=True):.3f} of itself, 1 / sqrt(T_s) to {plain:.3f}",
        ),
        computed(
            "ours, the cause: the last rung lies above alpha; with one at alpha there is no plateau",
            1 - late(with_bias=False) > 0.9 * (1 - plain),
            f"the paper's sums are {biases.mean():+.0%} off on average; without this, Guess Error falls to "
            f"{late(with_bias=False):.3f}",
        ),
        guess_error.tempering(sampled),
        ranking.less("Gibbs errs less than Metropolis", "G", "M"),
        ranking.less("Metropolised Gibbs errs less than Metropolis", "MG", "M"),
        ranking.less("Metropolised Gibbs errs less than Gibbs, though by very little", "MG", "G"),
        ranking.alike(
            "ours: Metropolised Gibbs held back now and then errs as Gibbs does, within a tenth", "MG, held", "G"
        ),
    ]


EXPERIMENT = Experiment(
    "tao-scott-figure-1",
    "Tao & Scott (2004), Figure 1: Guess Error against sampling steps",
    __doc__,
    cells,
    run,
    summarize,
    seconds,
)
