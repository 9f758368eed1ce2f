"""Tao & Scott (2004), Figure 1: Guess Error on voting against sampling steps.

On one core, the quick scale takes 3 minutes and the paper's scale 2 days.

Winnow is trained with exact sums, one learner per class, 20 rounds; at a sample of the trials (paper: all of them) each
of the six samplers estimates the sum with T_0 = 256 and T_s steps. Guess Error is the mean of |estimate - W| / W.
Steps are counted as in the paper: Metropolis keeps every state, the others one in n_t. The paper's figure is a drawing
without numbers; its text says what it shows. Quick: 2 of 10 partitions, 4 of 7 numbers of steps, one trial in 300.
"""

from __future__ import annotations

from winnowkit.experiments import guess_error
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Result, Scale, Summary, Verdict
from winnowkit.experiments.trials import run_trials, task

STEPS = (800, 1600, 3200, 6400, 9600, 12800, 16000)
BURN_IN = 256


def cells(scale: Scale, seed: int) -> list[Cell]:
    """Return one cell per partition, class and number of steps."""
    quick = scale == "quick"
    steps = (800, 3200, 9600, 16000) if quick else STEPS
    shape: Cell = {"rounds": 20, "share": 0.0033 if quick else 1.0, "seed": seed}
    return [
        {"fold": fold, "label": label, "steps": T_s, **shape}
        for fold in range(2 if quick else 10)
        for label in range(2)
        for T_s in steps
    ]


def run(cell: Cell) -> Result:
    """Measure the errors of all samplers at the same trials."""
    seed = [cell["seed"], cell["fold"], cell["label"]]
    learner = task("voting", cell["label"], cell["fold"], cell["seed"])
    asked = guess_error.some(run_trials(learner, cell["rounds"]), cell["share"], seed)
    return guess_error.errors_of(asked, cell["steps"], BURN_IN, seed).result()


def seconds(cell: Cell) -> float:
    """Estimate the time of training and of six samplers with about 75 chains per trial."""
    trials = cell["share"] * cell["rounds"] * 392
    return float(4.0 + 6 * trials * 75 * (cell["steps"] + BURN_IN) * guess_error.NANOSECONDS * 1e-9)


def summarize(outcomes: list[CellResult]) -> Summary:
    """Draw the curve and judge the claims of section 6.1."""
    curve = guess_error.by_place(outcomes, "steps")
    first, last = min(curve), max(curve)
    falls = curve[last].mean / curve[first].mean
    high = {place: moments for place, moments in curve.items() if place >= 9600}
    mean = {place: float(moments.mean.mean()) for place, moments in curve.items()}
    knee = min(high)
    early, late = mean[first] - mean[knee], mean[knee] - mean[last]
    verdicts = [
        Verdict.of(
            "Guess Error falls as steps grow",
            bool((falls < 0.7).all()),
            f"from T_s = {first:,} to {last:,} it falls to " + ", ".join(f"{f:.0%}" for f in falls),
        ),
        Verdict.of(
            "most of the fall comes before T_s = 9,600; after it T_s has much less effect",
            early > 5 * late,
            f"over all samplers {mean[first]:.3f} at T_s = {first:,}, {mean[knee]:.3f} at {knee:,}, {mean[last]:.3f} "
            f"at {last:,}: about like 1 / sqrt(T_s) throughout",
        ),
        guess_error.tempering(curve),
        guess_error.gibbs(curve),
        guess_error.less("Gibbs errs less than Metropolis", curve, "G", "M"),
        guess_error.less("Metropolised Gibbs errs less than Metropolis", curve, "MG", "M"),
        guess_error.less(
            "Metropolised Gibbs errs less than Gibbs, though by very little",
            curve,
            "MG",
            "G",
            "the paper itself calls the difference very small; --scale paper uses every trial",
        ),
    ]
    caption = "Guess Error on voting, by sampling steps (PT: parallel tempering)"
    return Summary(
        guess_error.records(curve, "steps"),
        [guess_error.table(curve, "T_s", caption)],
        [guess_error.plot(curve, "sampling steps T_s", caption)],
        verdicts,
    )


EXPERIMENT = Experiment(
    "tao-scott-figure-1",
    "Tao & Scott (2004), Figure 1: Guess Error against sampling steps",
    __doc__,
    cells,
    run,
    summarize,
    seconds,
)
