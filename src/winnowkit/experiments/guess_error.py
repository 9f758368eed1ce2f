"""Guess Error (section 6.1 of Tao & Scott 2004): how far samplers are from the exact sum, at trials of exact training.

The samplers and rungs are those of the paper, as printed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.dnf import Ladder
from winnowkit.experiments.frame import CellResult, Plot, ReportTable, Result, Verdict
from winnowkit.experiments.frame.judge import alike
from winnowkit.experiments.trials import ALPHA, SAMPLERS, SummedTrial

NANOSECONDS = 45.0
"""The approximate time of one step of a chain, to estimate the time left."""

Curve = dict[int, NDArray[np.float64]]
"""Guess Error by place and sampler."""


def some(trials: Iterable[SummedTrial], share: float, seed: Sequence[int]) -> list[SummedTrial]:
    """Return a random sample of the trials that need sampling at all."""
    rng = np.random.default_rng(seed)
    return [trial for trial in trials if len(trial.agreement.nets) and rng.random() < share]


def errors_of(trials: Sequence[SummedTrial], steps: int, burn_in: int, seed: Sequence[int]) -> Result:
    """Return the sums of the relative errors |estimate - W| / W of each sampler over the trials."""
    errors = np.zeros((len(trials), len(SAMPLERS)))
    for s, (sampler, tempering) in enumerate(SAMPLERS.values()):
        ladder = Ladder(
            sampler=sampler,  # type: ignore[arg-type]
            tempering=tempering,
            steps=steps,
            burn_in=burn_in,
            as_printed=True,
        )
        for i, trial in enumerate(trials):
            estimate = ladder.log_sum(trial.agreement, ALPHA, [*seed, steps, i, s])
            errors[i, s] = abs(math.expm1(estimate.log_sum - trial.log_sum))
    return {"trials": len(trials), "sums": errors.sum(axis=0).tolist()}


def by_place(outcomes: Sequence[CellResult], axis: str) -> Curve:
    """Return the Guess Error of each sampler at each place of the horizontal axis."""
    curve = {}
    for place in sorted({outcome.cell[axis] for outcome in outcomes}):
        own = [o.result for o in outcomes if o.cell[axis] == place]
        curve[place] = np.sum([r["sums"] for r in own], axis=0) / max(1, sum(r["trials"] for r in own))
    return curve


def records(curve: Curve, axis: str) -> list[dict[str, Any]]:
    """Return the rows of the tidy table."""
    return [
        {axis: place, "sampler": name, "guess_error": round(float(errors[i]), 6)}
        for place, errors in curve.items()
        for i, name in enumerate(SAMPLERS)
    ]


def table(curve: Curve, axis: str, caption: str) -> ReportTable:
    """Return a table of Guess Error by place and sampler."""
    rows = [[f"{place:,}", *(f"{error:.4f}" for error in errors)] for place, errors in curve.items()]
    return ReportTable(caption, [axis, *SAMPLERS], rows)


def plot(curve: Curve, axis: str, caption: str) -> Plot:
    """Plot the Guess Error of the six samplers."""

    def draw(axes: Any) -> None:
        for i, name in enumerate(SAMPLERS):
            style = {"linestyle": "--" if "PT" in name else "-", "marker": "os^"[i % 3], "color": f"C{i % 3}"}
            axes.plot(list(curve), [errors[i] for errors in curve.values()], markersize=4, label=name, **style)
        axes.set(xlabel=axis, ylabel="Guess Error", ylim=(0, None))

    return Plot(caption, draw)


def tempering(outcomes: Sequence[CellResult]) -> Verdict:
    """Judge whether parallel tempering makes little difference, by the ratio of errors in each cell."""
    sums = np.array([o.result["sums"] for o in outcomes if o.result["trials"]])
    ratios = np.log(sums[:, 3:] / sums[:, :3])
    return alike(
        "parallel tempering has little effect",
        ratios.mean(axis=1),
        math.log(1.25),
        "Guess Error with tempering divided by without: "
        + ", ".join(f"{r:.2f}" for r in np.exp(ratios.mean(axis=0)))
        + " (M, G, MG)",
        "there are few swaps compared with the number of chains, so chance plays a part",
        " in ln of the errors",
    )
