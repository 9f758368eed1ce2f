"""Tao & Scott (2004), Figure 2: Guess Error on simulated data against attributes.

On one core, the quick scale takes 3 minutes and the paper's scale 2 hours.

Random monotone formulas of five terms over n attributes, ten of them, 50 training rows each; Winnow is trained with
exact sums, and at a sample of its trials (paper: all) each sampler estimates the sum with T_0 = n^2 and T_s = 10,000.
The paper's figure is a drawing without numbers. Quick: 6 formulas, one trial in 40.
"""

from __future__ import annotations

from winnowkit.experiments import guess_error
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Result, Scale, Summary, Verdict
from winnowkit.experiments.trials import MOST_ROUNDS, ROWS, SIZES, run_trials, simulated

STEPS = 10_000
THOUSAND_CHAINS = {10: 4.6, 15: 11.9, 20: 20.8, 25: 23.5, 30: 40.8, 35: 58.7, 40: 60.9}  # Table VIII, per formula


def cells(scale: Scale, seed: int) -> list[Cell]:
    """Return one cell per size and formula."""
    quick = scale == "quick"
    return [
        {"n": n, "formula": formula, "share": 0.025 if quick else 1.0, "seed": seed}
        for n in SIZES
        for formula in range(6 if quick else 10)
    ]


def run(cell: Cell) -> Result:
    """Measure the errors of all samplers at the same trials."""
    n, seed = cell["n"], [cell["seed"], cell["n"], cell["formula"]]
    trials = run_trials(simulated(n, ROWS, 1000 * cell["seed"] + cell["formula"]), MOST_ROUNDS)
    return guess_error.errors_of(guess_error.some(trials, cell["share"], seed), STEPS, n * n, seed).result()


def seconds(cell: Cell) -> float:
    """Estimate the time of six samplers over the chains of Table VIII."""
    steps = STEPS + cell["n"] ** 2
    return float(0.5 + 6 * cell["share"] * 1000 * THOUSAND_CHAINS[cell["n"]] * steps * guess_error.NANOSECONDS * 1e-9)


def summarize(outcomes: list[CellResult]) -> Summary:
    """Draw the curve and judge the claims of section 6.1."""
    curve = guess_error.by_place(outcomes, "n")
    small, large = ({n: m for n, m in curve.items() if (n <= 25) == low} for low in (True, False))
    rise = curve[max(curve)].mean / curve[min(curve)].mean
    close = "the paper's curves nearly touch there, and so do ours; --scale paper uses every trial"
    verdicts = [
        Verdict.of(
            "Guess Error rises with the attributes",
            bool((rise > 2).all()),
            f"from n = {min(curve)} to {max(curve)} by factors of " + ", ".join(f"{r:.0f}" for r in rise),
        ),
        guess_error.less("Gibbs errs less than Metropolis", curve, "G", "M"),
        guess_error.less("Metropolised Gibbs errs less than Metropolis", curve, "MG", "M"),
        guess_error.less("Metropolised Gibbs errs less than Gibbs up to n = 25", small, "MG", "G", close),
        guess_error.less("Gibbs errs less than Metropolised Gibbs past n = 25", large, "G", "MG", close),
        guess_error.tempering(curve),
        guess_error.gibbs(curve),
    ]
    caption = "Guess Error on simulated data, by number of attributes"
    return Summary(
        guess_error.records(curve, "n"),
        [guess_error.table(curve, "n", caption)],
        [guess_error.plot(curve, "attributes n", caption)],
        verdicts,
    )


EXPERIMENT = Experiment(
    "tao-scott-figure-2",
    "Tao & Scott (2004), Figure 2: Guess Error against attributes",
    __doc__,
    cells,
    run,
    summarize,
    seconds,
)
