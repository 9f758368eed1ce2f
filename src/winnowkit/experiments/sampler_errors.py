"""Errors of the samplers without sampling, and of the paper's last rung, for Figures 1 and 2 of Tao & Scott (2004).

At trials of exact training, the mean square error of a sum is computed over all terms (:mod:`exact_chains`), for the
samplers as printed, from their real start, with the real numbers of steps. This is possible where few attributes are
left, MOST of them; the share of such trials is reported. Independent of it, the paper's estimates are of W(alpha_r)
with alpha_r >= alpha: the *bias* of the last rung is W(alpha_r) / W(alpha) - 1, however many samples are taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.dnf import Agreement, Exact
from winnowkit.dnf.mcmc.chains import Sampler
from winnowkit.dnf.mcmc.rungs import count_rungs, rung_step
from winnowkit.experiments.exact_chains import chain_error
from winnowkit.experiments.frame import CellResult, ReportTable, Result, Verdict
from winnowkit.experiments.frame.judge import alike, less
from winnowkit.experiments.trials import ALPHA, SummedTrial, last_rung

MOST = 12
"""The most attributes of a trial whose errors are computed."""
MOST_METROPOLIS = 9
"""The same for Metropolis, each sample of which costs as much as a sweep of the others."""


CHAINS = {
    "M": Sampler.METROPOLIS,
    "G": Sampler.GIBBS,
    "MG": Sampler.METROPOLIZED_GIBBS_PRINTED,
    "MG, held": Sampler.METROPOLIZED_GIBBS,
}
"""The samplers as printed, and our Metropolised Gibbs, which is held back now and then."""


def attributes(trial: SummedTrial) -> int:
    """Return how many attributes matter to the nets of terms."""
    return trial.agreement.n_live + trial.agreement.n_dead


def measure(trials: Sequence[SummedTrial], count: int, steps: int, burn_in: int, seed: Sequence[int]) -> Result:
    """Return the errors of the samplers at `count` trials with few attributes, and the bias of the last rung at more.

    An error is the root of the mean square of a sum's relative error.
    """
    rng = np.random.default_rng(seed)
    trials = [trial for trial in trials if len(trial.agreement.nets) and attributes(trial) > 0]
    small = [trial for trial in trials if attributes(trial) <= MOST]
    smaller = [trial for trial in small if attributes(trial) <= MOST_METROPOLIS]
    errors: dict[str, list[list[float]]] = {"four": [], "three": []}
    for chosen, names, kept in ((smaller, list(CHAINS), "four"), (small, list(CHAINS)[1:], "three")):
        for i in rng.permutation(len(chosen))[:count]:
            errors[kept].append([error(chosen[i].agreement, CHAINS[name], steps, burn_in) for name in names])
    asked = rng.permutation(len(trials))[: 10 * count]
    bias = [last_rung_bias(trials[i]) for i in asked]
    return {"trials": len(trials), "small": len(small), "smaller": len(smaller), "bias": bias, **errors}


def error(agreement: Agreement, sampler: Sampler, steps: int, burn_in: int) -> float:
    """Return the error of a sum estimated by a ladder with the rungs of the paper."""
    n_rungs = count_rungs(agreement, ALPHA, 1.0, "sum") - 1
    step = rung_step(agreement, ALPHA, 1.0, "sum", as_printed=True)
    update = 1 if sampler == Sampler.METROPOLIS else agreement.n_attributes
    found = chain_error(agreement, step, n_rungs, sampler, max(1, steps // update), burn_in // update)
    return math.sqrt(found.mean_square)


def last_rung_bias(trial: SummedTrial) -> float:
    """Return W(alpha_r) / W(alpha) - 1 for the paper's last rung."""
    return math.expm1(Exact().log_sum(trial.agreement, last_rung(trial.agreement)).log_sum - trial.log_sum)


def guess_error(bias: float, spread: float) -> float:
    """Return the mean of |e^z - 1| for a normal z of this spread about ln(1 + bias): Guess Error with a biased rung.

    Examples
    --------
    >>> round(guess_error(0.0, 0.1), 4), round(guess_error(0.3, 0.001), 4)
    (0.0801, 0.3)
    """
    mean = math.log1p(bias)
    if spread == 0.0:
        return abs(bias)
    above = math.exp(mean + spread**2 / 2) * math.erf((mean / spread + spread) / math.sqrt(2))
    return above - math.erf(mean / spread / math.sqrt(2))


class Ranking:
    """The errors of all cells, by the unit whose runs are independent: a formula, or a fold and class."""

    def __init__(self, outcomes: Sequence[CellResult], unit: Sequence[str], axis: str | None = None) -> None:
        self.outcomes, self.unit, self.axis = list(outcomes), unit, axis

    def log_ratios(self, a: str, b: str, places: Sequence[Any] | None = None) -> NDArray[np.float64]:
        """Return the mean logarithm of error a over error b, one per unit; a sum without any error tells nothing."""
        kind, names = ("four", list(CHAINS)) if "M" in (a, b) else ("three", list(CHAINS)[1:])
        i, j = names.index(a), names.index(b)
        found: dict[Any, list[float]] = {}
        for cell, result in self.outcomes:
            if places is None or cell[self.axis or ""] in places:
                own = found.setdefault(tuple(cell[key] for key in self.unit), [])
                own += [math.log(errors[i] / errors[j]) for errors in result[kind] if min(errors) > 0]
        return np.array([np.mean(own) for own in found.values() if own])

    def errors(self, name: str, place: Any) -> NDArray[np.float64]:
        """Return the mean error of a sampler at one place, one per unit, in their order."""
        i = list(CHAINS)[1:].index(name)
        own = [o for o in self.outcomes if o.cell[self.axis or ""] == place and o.result["three"]]
        return np.array([np.mean([errors[i] for errors in o.result["three"]]) for o in own])

    def less(self, claim: str, a: str, b: str, places: Sequence[Any] | None = None, why: str = "") -> Verdict:
        """Judge whether sampler a errs less than b, by a tenth or more."""
        ratios = self.log_ratios(a, b, places)
        return less(claim, -ratios, 0.1, f"ratio of errors {np.exp(ratios.mean()):.3f}", why, " in ln of the errors")

    def alike(self, claim: str, a: str, b: str) -> Verdict:
        """Judge whether two samplers err alike, within a tenth."""
        ratios = self.log_ratios(a, b)
        return alike(claim, ratios, 0.1, f"ratio of errors {np.exp(ratios.mean()):.3f}", unit=" in ln of the errors")

    def bias(self, places: Sequence[Any] | None = None) -> NDArray[np.float64]:
        """Return the biases of the last rung at all trials asked."""
        chosen = [o.result["bias"] for o in self.outcomes if places is None or o.cell[self.axis or ""] in places]
        return np.array([bias for own in chosen for bias in own])

    def row(self, place: Any) -> list[str]:
        """Return errors at one place: means over trials, the share of trials with few attributes, the bias."""
        own = [o.result for o in self.outcomes if self.axis is None or o.cell[self.axis] == place]
        four, three = ([e for r in own for e in r[kind]] for kind in ("four", "three"))
        shares = [sum(r[name] for r in own) / sum(r["trials"] for r in own) for name in ("smaller", "small")]
        first = [f"{value:.4f}" for value in np.mean(four, axis=0)] if four else ["-"] * 4
        second = [f"{value:.4f}" for value in np.mean(three, axis=0)] if three else ["-"] * 3
        bias = f"{np.mean(self.bias(None if self.axis is None else [place])):+.0%}"
        return [str(place), *first, f"{shares[0]:.0%}", *second, f"{shares[1]:.0%}", bias]

    def table(self, places: Sequence[Any], caption: str) -> ReportTable:
        """Return the errors as a table, for the places that were run."""
        run = places if self.axis is None else {o.cell[self.axis] for o in self.outcomes}
        header = ["", *CHAINS, f"trials of <= {MOST_METROPOLIS}", *list(CHAINS)[1:], f"of <= {MOST}", "last rung"]
        return ReportTable(caption, header, [self.row(place) for place in places if place in run])
