"""Guess Error (section 6.1 of Tao & Scott 2004): how far samplers are from the exact sum, at trials of exact training.

The errors of all samplers at the same trials are stored as moments, which suffice for means and paired differences.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.dnf import Ladder
from winnowkit.experiments.frame import CellResult, Plot, ReportTable, Result, Verdict, by_z
from winnowkit.experiments.trials import ALPHA, SAMPLERS, Trial

NANOSECONDS = 45.0
"""The approximate time of one step of a chain, to estimate the time left."""


class Moments:
    """Sums of the samplers' errors over trials, and of the products of each pair.

    Examples
    --------
    >>> moments = Moments(2, np.array([3.0, 5.0]), np.array([[5.0, 8.0], [8.0, 13.0]]))  # errors (1, 2) and (2, 3)
    >>> moments.mean, moments.z(0, 1)
    (array([1.5, 2.5]), -inf)
    """

    def __init__(self, count: int, sums: NDArray[np.float64], products: NDArray[np.float64]) -> None:
        self.count, self.sums, self.products = count, sums, products

    @classmethod
    def of(cls, errors: NDArray[np.float64]) -> Moments:
        """Return the moments of a table with one row per trial."""
        return cls(len(errors), errors.sum(axis=0), errors.T @ errors)

    @classmethod
    def total(cls, results: Iterable[Result]) -> Moments:
        """Return the moments of several cells together."""
        parts = list(results)
        return cls(
            sum(part["trials"] for part in parts),
            np.sum([part["sums"] for part in parts], axis=0),
            np.sum([part["products"] for part in parts], axis=0),
        )

    def result(self) -> Result:
        """Return the moments as the result of a cell."""
        return {"trials": self.count, "sums": self.sums.tolist(), "products": self.products.tolist()}

    @property
    def mean(self) -> NDArray[np.float64]:
        """The Guess Error of each sampler."""
        return self.sums / self.count

    def std_err(self, i: int) -> float:
        """Return the standard error of a sampler's mean, taking trials as independent."""
        variance = self.products[i, i] / self.count - self.mean[i] ** 2
        return math.sqrt(max(0.0, variance) / (self.count - 1))

    def z(self, i: int, j: int) -> float:
        """Return how many standard errors the mean of error i minus error j, paired by trial, lies above 0."""
        mean = self.mean[i] - self.mean[j]
        square = self.products[i, i] - 2 * self.products[i, j] + self.products[j, j]
        variance = (square / self.count - mean**2) / (self.count - 1)
        if variance <= 1e-12 * mean**2:
            return math.copysign(math.inf, mean) if mean else 0.0
        return float(mean / math.sqrt(variance))


def some(trials: Iterable[Trial], share: float, seed: Sequence[int]) -> list[Trial]:
    """Return a random sample of the trials that need sampling at all."""
    rng = np.random.default_rng(seed)
    return [trial for trial in trials if len(trial.agreement.nets) and rng.random() < share]


def errors_of(trials: Sequence[Trial], steps: int, burn_in: int, seed: Sequence[int]) -> Moments:
    """Return the relative errors |estimate - W| / W of each sampler at each trial."""
    errors = np.zeros((len(trials), len(SAMPLERS)))
    for s, (sampler, tempering) in enumerate(SAMPLERS.values()):
        ladder = Ladder(sampler=sampler, tempering=tempering, steps=steps, burn_in=burn_in)  # type: ignore[arg-type]
        for i, trial in enumerate(trials):
            estimate = ladder.log_sum(trial.agreement, ALPHA, [*seed, steps, i, s])
            errors[i, s] = abs(math.expm1(estimate.log_sum - trial.log_sum))
    return Moments.of(errors)


def by_place(outcomes: Sequence[CellResult], axis: str) -> dict[int, Moments]:
    """Combine all cells at each place of the horizontal axis."""
    places = sorted({outcome.cell[axis] for outcome in outcomes})
    return {place: Moments.total(o.result for o in outcomes if o.cell[axis] == place) for place in places}


def records(curve: dict[int, Moments], axis: str) -> list[dict[str, Any]]:
    """Return the rows of the tidy table."""
    return [
        {
            axis: place,
            "sampler": name,
            "trials": moments.count,
            "guess_error": round(float(moments.mean[i]), 6),
            "std_err": round(moments.std_err(i), 6),
        }
        for place, moments in curve.items()
        for i, name in enumerate(SAMPLERS)
    ]


def table(curve: dict[int, Moments], axis: str, caption: str) -> ReportTable:
    """Return a table of Guess Error by place and sampler."""
    rows = [[f"{place:,}", *(f"{error:.4f}" for error in moments.mean)] for place, moments in curve.items()]
    return ReportTable(caption, [axis, *SAMPLERS], rows)


def plot(curve: dict[int, Moments], axis: str, caption: str) -> Plot:
    """Plot the Guess Error of the six samplers."""

    def draw(axes: Any) -> None:
        for i, name in enumerate(SAMPLERS):
            style = {"linestyle": "--" if "PT" in name else "-", "marker": "os^"[i % 3], "color": f"C{i % 3}"}
            axes.plot(list(curve), [moments.mean[i] for moments in curve.values()], markersize=4, label=name, **style)
        axes.set(xlabel=axis, ylabel="Guess Error", ylim=(0, None))

    return Plot(caption, draw)


def less(claim: str, curve: dict[int, Moments], a: str, b: str, why: str = "") -> Verdict:
    """Whether one sampler errs less than another, over all places, by paired differences."""
    names = list(SAMPLERS)
    i, j = names.index(a), names.index(b)
    together = Moments.total(moments.result() for moments in curve.values())
    return by_z(claim, together.z(j, i), f"{together.mean[i]:.4f} and {together.mean[j]:.4f}", why)


def gibbs(curve: dict[int, Moments]) -> Verdict:
    """Whether Gibbs is as good a choice as any: the paper calls it best on average over both figures."""
    mean = Moments.total(moments.result() for moments in curve.values()).mean
    return Verdict.of(
        "Gibbs is the best choice on average over both figures (here: best, or within a tenth of it)",
        bool(mean[1] <= 1.1 * mean[:3].min()),
        "mean Guess Error " + ", ".join(f"{name} {mean[i]:.4f}" for i, name in enumerate(("M", "G", "MG"))),
    )


def tempering(curve: dict[int, Moments]) -> Verdict:
    """Whether parallel tempering makes little difference."""
    mean = Moments.total(moments.result() for moments in curve.values()).mean
    ratios = mean[3:] / mean[:3]
    return Verdict.of(
        "parallel tempering has little effect",
        bool((np.abs(np.log(ratios)) < math.log(1.25)).all()),
        "Guess Error with tempering divided by without: " + ", ".join(f"{r:.2f}" for r in ratios) + " (M, G, MG)",
        "there are few swaps compared with the number of chains, so chance plays a part",
    )
