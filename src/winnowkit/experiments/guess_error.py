"""Tao & Scott (2004), Figures 1 and 2: Guess Error of six samplers against steps (voting) and attributes (simulated).

Run ``python -m winnowkit.experiments.guess_error``; it takes some ten minutes on two cores, and writes tables, a plot
and a verdict on each claim into a folder. ``--share 1`` asks every sampler at every trial, as the paper did (days).

Winnow is trained with exact sums, and at a share of its trials, the same for all, each sampler estimates the sum. Guess
Error is the mean of ``|estimate - W| / W``. Figure 1: voting, T_0 = 256, T_s from 800 to 16,000, 20 rounds. Figure 2:
formulas of five terms over n = 10 ... 40 attributes, 50 training rows, T_0 = n^2, T_s = 10,000. Steps are counted as in
the paper: Metropolis keeps every state, the others one in n_t.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.dnf import Ladder
from winnowkit.experiments.report import Verdict, arguments, write_table, write_verdicts, z_score
from winnowkit.experiments.trials import ALPHA, Trial, one_fold, run_trials, simulated

STEPS = (800, 1600, 3200, 6400, 9600, 12800, 16000)
SIZES = (10, 15, 20, 25, 30, 35, 40)
SAMPLERS = {
    "M": ("metropolis", 0.0),
    "G": ("gibbs", 0.0),
    "MG": ("metropolized-gibbs", 0.0),
    "M+PT": ("metropolis", 0.9),
    "G+PT": ("gibbs", 0.9),
    "MG+PT": ("metropolized-gibbs", 0.9),
}
ROUNDS = 20
ROWS = 50
CLEAR = 3.0  # standard errors that a mean of paired differences must be from 0

Errors = dict[str, NDArray[np.float64]]  # of each sampler at each trial asked about


class Curve(NamedTuple):
    """A figure: what its horizontal axis is, and at each place the errors of each sampler."""

    axis: str
    places: Sequence[int]
    errors: list[Errors]

    def mean(self, name: str) -> NDArray[np.float64]:
        """Guess Error of a sampler at each place."""
        return np.array([errors[name].mean() for errors in self.errors])


def errors_of(trials: Sequence[Trial], steps: int, burn_in: int, n_jobs: int) -> Errors:
    """Relative errors of each sampler at each trial."""

    def error(name: str, index: int) -> float:
        sampler, tempering = SAMPLERS[name]
        ladder = Ladder(sampler=sampler, tempering=tempering, steps=steps, burn_in=burn_in)  # type: ignore[arg-type]
        trial = trials[index]
        seed = [steps, index, list(SAMPLERS).index(name)]
        return abs(math.expm1(ladder.log_sum(trial.agreement, ALPHA, seed).log_sum - trial.log_sum))

    with ThreadPoolExecutor(n_jobs) as pool:
        return {
            name: np.fromiter(pool.map(error, [name] * len(trials), range(len(trials))), dtype=np.float64)
            for name in SAMPLERS
        }


def figure_1(share: float, n_jobs: int = 1, steps: Sequence[int] = STEPS) -> Curve:
    """Guess Error on voting against sampling steps."""
    rng = np.random.default_rng(1)
    asked = [trial for task in one_fold("voting") for trial in _some(run_trials(task, ROUNDS), share, rng)]
    return Curve("T_s", steps, [errors_of(asked, T_s, 256, n_jobs) for T_s in steps])


def figure_2(share: float, formulas: int = 10, n_jobs: int = 1, sizes: Sequence[int] = SIZES) -> Curve:
    """Guess Error on simulated data against attributes."""
    errors = []
    for n in sizes:
        rng = np.random.default_rng(n)
        runs = [run_trials(simulated(n, ROWS, seed), 100) for seed in range(formulas)]
        errors.append(errors_of([trial for run in runs for trial in _some(run, share, rng)], 10_000, n * n, n_jobs))
    return Curve("n", sizes, errors)


def _some(trials: Iterator[Trial], share: float, rng: np.random.Generator) -> list[Trial]:
    """A random share of the trials that need sampling at all."""
    return [trial for trial in trials if len(trial.agreement.nets) and rng.random() < share]


def verdicts(voting: Curve, sizes: Curve) -> list[Verdict]:
    """What the paper says of its figures, on differences paired by trial."""

    def less(claim: str, curve: Curve, a: str, b: str, places: Sequence[int]) -> Verdict:
        chosen = [errors for place, errors in zip(curve.places, curve.errors, strict=True) if place in places]
        first, second = (np.concatenate([errors[name] for errors in chosen]) for name in (a, b))
        z = z_score(second - first)
        return Verdict(claim, z > CLEAR, f"{first.mean():.4f} and {second.mean():.4f}, z = {z:.1f}")

    def change(claim: str, curve: Curve, sign: int) -> Verdict:
        shows = all(np.sign(curve.mean(name)[-1] - curve.mean(name)[0]) == sign for name in SAMPLERS)
        ends = ", ".join(f"{name} {curve.mean(name)[0]:.3f} to {curve.mean(name)[-1]:.3f}" for name in SAMPLERS)
        return Verdict(claim, shows, ends)

    small, large = [n for n in sizes.places if n <= 25], [n for n in sizes.places if n > 25]
    found = [
        change("Figure 1: Guess Error falls with the steps", voting, -1),
        change("Figure 2: Guess Error rises with the attributes", sizes, 1),
    ]
    found += [
        less(f"{where}: {a} errs less than M", curve, a, "M", curve.places)
        for where, curve in (("Figure 1", voting), ("Figure 2", sizes))
        for a in ("G", "MG")
    ]
    found += [
        less("Figure 1: MG errs less than G", voting, "MG", "G", voting.places),
        less("Figure 2: MG errs less than G up to n = 25", sizes, "MG", "G", small),
        less("Figure 2: G errs less than MG past n = 25", sizes, "G", "MG", large),
    ]
    for name in ("M", "G", "MG"):
        ratio = [curve.mean(f"{name}+PT").mean() / curve.mean(name).mean() for curve in (voting, sizes)]
        shows = all(0.7 < value < 1.4 for value in ratio)
        found.append(
            Verdict(f"tempering makes little difference to {name}", shows, "ratios {:.2f}, {:.2f}".format(*ratio))
        )
    return found


def plot(curves: Sequence[Curve], path: Path) -> None:
    """Guess Error of the six samplers."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - only a plot needs it

    fig, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    for axis, curve in zip(axes, curves, strict=True):
        for name in SAMPLERS:
            axis.plot(curve.places, curve.mean(name), "--" if "PT" in name else "-", marker="o", ms=3, label=name)
        axis.set(xlabel=curve.axis, ylabel="Guess Error", ylim=(0, None))
        axis.legend()
    fig.savefig(path, dpi=150)
    plt.close(fig)


def main() -> None:
    """Draw the figures, print and keep their tables and verdicts."""
    given = arguments(__doc__, "guess_error", 10, share=0.01, jobs=2)
    curves = [figure_1(given.share, given.jobs), figure_2(4 * given.share, given.runs, given.jobs)]
    rows = [
        (f"figure {k}", curve.axis, place, name, len(errors[name]), round(float(errors[name].mean()), 5))
        for k, curve in enumerate(curves, start=1)
        for place, errors in zip(curve.places, curve.errors, strict=True)
        for name in SAMPLERS
    ]
    write_table(given.output / "guess_error.csv", ["figure", "axis", "place", "sampler", "trials", "error"], rows)
    for curve in curves:
        print(f"{curve.axis:>6} " + " ".join(f"{name:>8}" for name in SAMPLERS))
        for place, errors in zip(curve.places, curve.errors, strict=True):
            print(f"{place:>6} " + " ".join(f"{errors[name].mean():8.4f}" for name in SAMPLERS))
    write_verdicts(given.output / "verdicts.txt", verdicts(*curves))
    if not given.no_plot:
        plot(curves, given.output / "figures.png")
    print(f"table, verdicts and plot are in {given.output}")


if __name__ == "__main__":
    main()
