"""Weighted sums estimated by Markov chains: the engine of Tao & Scott (2004), sections 2.2, 3 and 4."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.answers import Decision, Estimate, Threshold
from winnowkit.dnf.engine import Engine, in_parts
from winnowkit.dnf.mcmc.chains import Sampler, SlicedMistakes, make_chains, pack_problem
from winnowkit.dnf.mcmc.ladder_kernel import NO_GUESS, Plan, Record, Walk, climb, stops, variance_of_mean
from winnowkit.dnf.mcmc.rungs import count_rungs, first_guess, net_limits, rung_step, samples_for
from winnowkit.dnf.training import GUESSES

SAMPLERS = {
    "metropolis": Sampler.METROPOLIS,
    "gibbs": Sampler.GIBBS,
    "metropolized-gibbs": Sampler.METROPOLIZED_GIBBS,
}
_MOST_BLOCKS = 4096  # means kept of each chain, for its error


@dataclass(frozen=True)
class Ladder(Engine):
    """Weighted sums as a product of ratios, each estimated by a Markov chain over the terms that an example satisfies.

    Parameters
    ----------
    sampler : {"gibbs", "metropolis", "metropolized-gibbs"}
        Tables III and II, and section 4.3.
    steps : int or "auto"
        T_s, updates of single attributes that each chain samples; "auto" is 10 n^2, n being the number of columns.
        Metropolis keeps every state, the others one per sweep over the attributes.
    burn_in : int or "auto"
        T_0, updates before the first sample; "auto" is n^2.
    kappa : float
        Rungs lie a factor of about 1 + kappa/m apart: more chains below 1, fewer above (section 3.2).
    size : {"sum", "max"}
        m is all mistakes, u + v (Chawla et al.), or the greater of promotions and demotions, max(u, v) (Theorem 4).
    tempering : float
        Probability of trying to swap the states of two neighbouring chains in each round (Table IV); 0 runs chains
        one by one. The paper's is 0.9.
    group : int
        Chains that are run together when there is tempering and a side is wanted (section 4.4).
    early_stop : bool
        Whether `decide` stops when bounds for the chains not yet run settle the side (Table I).
    bounds : {"pairs", "totals"}
        How the nets of terms are bounded: by what pairs of attributes share or, as in the paper, by u and -v.
    guess : {"last", "label", "one", "start"}
        The side that a learner expects, and so the order of chains (section 3.3): its last prediction for the same row
        (at first, whether 2^n_t is at least theta), the true label (in training), always 1, or always what the start
        says.
    restart : bool
        Whether every sample is drawn by a run of its own with its own burn-in (section 2.2).
    as_printed : bool
        Whether to follow the paper where it is not followed by default: Metropolised Gibbs is never held back, so that
        its chains need not mix; the last rung may lie above alpha, so that sums are too large; and one chain is run
        even if bounds alone settle the side.
    accuracy : float, optional
        Take as many samples as Theorems 1 and 4 ask for this eps, instead of `steps`; see :meth:`from_accuracy`.
    n_jobs : int
        Threads, over the chains of a sum without tempering; results do not depend on it.

    See Also
    --------
    Exact : Exact sums.
    Auto : Exact up to a budget, sampled past it.
    winnowkit.diagnose.diagnose : Diagnostics of its chains.

    Examples
    --------
    >>> from winnowkit.dnf import Exact, MistakeLog
    >>> log = MistakeLog(12)
    >>> rng = np.random.default_rng(0)
    >>> for sign in rng.choice([-1, 1], 40):
    ...     log.append(rng.integers(0, 3, 12), sign)
    >>> agreement = Agreement.of(log, np.ones(12))
    >>> estimate = Ladder().log_sum(agreement, alpha=1.5, rng=0)
    >>> estimate.exact, estimate.chains, estimate.steps
    (False, 17, 26928)
    >>> truth = Exact().log_sum(agreement, alpha=1.5).log_sum
    >>> abs(estimate.log_sum - truth) < 4 * estimate.std_err
    True
    >>> Ladder().decide(agreement, Threshold(1.5, math.log(3**12)), rng=0).label
    0
    """

    sampler: Literal["gibbs", "metropolis", "metropolized-gibbs"] = "gibbs"
    steps: int | Literal["auto"] = "auto"
    burn_in: int | Literal["auto"] = "auto"
    kappa: float = 1.0
    size: Literal["sum", "max"] = "sum"
    tempering: float = 0.0
    group: int = 8
    early_stop: bool = True
    bounds: Literal["pairs", "totals"] = "pairs"
    guess: Literal["last", "label", "one", "start"] = "last"
    restart: bool = False
    as_printed: bool = False
    accuracy: float | None = None
    n_jobs: int = 1

    def __post_init__(self) -> None:
        _require(self.sampler in SAMPLERS, f"sampler must be one of {', '.join(SAMPLERS)}", self.sampler)
        _require(self.steps == "auto" or self.steps >= 1, "steps must be an integer >= 1 or 'auto'", self.steps)
        _require(self.burn_in == "auto" or self.burn_in >= 0, "burn_in must be an integer >= 0 or 'auto'", self.burn_in)
        _require(0 < self.kappa < math.inf, "kappa must be > 0 and finite", self.kappa)
        _require(self.size in ("sum", "max"), "size must be 'sum' or 'max'", self.size)
        _require(0 <= self.tempering <= 1, "tempering must be a probability", self.tempering)
        _require(self.group >= 2, "group must be an integer >= 2", self.group)
        _require(self.bounds in ("pairs", "totals"), "bounds must be 'pairs' or 'totals'", self.bounds)
        _require(self.guess in GUESSES, f"guess must be one of {', '.join(GUESSES)}", self.guess)
        _require(self.accuracy is None or 0 < self.accuracy < 1, "accuracy must be in (0, 1) or None", self.accuracy)
        _require(self.n_jobs >= 1, "n_jobs must be an integer >= 1", self.n_jobs)

    @classmethod
    def from_accuracy(cls, eps: float, **parameters: object) -> Self:
        """Make a ladder that takes the samples Theorems 1 and 4 ask for: ceil(130 r e^(2 kappa) / eps^2) per chain.

        With these, an estimate is within a factor 1 +- eps of W with a fixed probability, such as 3/4, if the samples
        are independent (`restart`) and each one's distribution is within eps / (5 r e^(2 kappa)) of the chain's
        stationary one. How long that takes is not known: `burn_in` is as ever. The theorems say "with probability
        1 - delta for any delta", which cannot be, as the number of samples does not depend on delta.

        Examples
        --------
        >>> Ladder.from_accuracy(0.1, sampler="metropolis").accuracy
        0.1
        """
        return cls(accuracy=eps, **parameters)  # type: ignore[arg-type]

    def log_sum(self, agreement: Agreement, alpha: float, rng: object = None) -> Estimate:
        """Estimate the logarithm of the weighted sum."""
        if (known := _known(agreement, alpha)) is not None:
            return Estimate(known)
        problem, plan, record = self.prepare(agreement, alpha, rng, together=True)
        walk = Walk(NO_GUESS, 0.0, 0.0, 0.0)

        def run(part: slice) -> None:
            self.climb(problem, plan, walk, record, (part.start, min(part.stop, len(record.means))))

        in_parts(run, len(record.means), 1 if self.tempering else self.n_jobs)
        value = agreement.n_attributes * math.log(2) - float(np.log(record.means).sum())
        variance, ess = variance_of_mean(_influence(record))
        steps = len(record.means) * self._steps_of_chain(plan, agreement)
        tried = int(record.swaps_tried.sum())
        return Estimate(
            value,
            math.sqrt(variance),
            exact=False,
            chains=len(record.means),
            steps=steps,
            ess=ess * plan.samples / record.blocks.shape[1],
            acceptance=float(record.flips.sum() / steps),
            swap_rate=float(record.swaps.sum() / tried) if tried else math.nan,
        )

    def decide(
        self, agreement: Agreement, threshold: Threshold, guess: int | None = None, rng: object = None
    ) -> Decision:
        """Estimate whether the weighted sum is at least theta, by no more chains than that takes (Table I)."""
        alpha, log_theta, _ = threshold
        if (known := _known(agreement, alpha)) is not None:
            return Decision(int(known >= log_theta))
        problem, plan, record = self.prepare(agreement, alpha, rng, together=not self.early_stop)
        n_rungs, start = len(record.means), agreement.n_attributes * math.log(2)
        if self.early_stop:
            guess = first_guess(agreement.n_attributes, log_theta) if guess is None else guess
            bound = net_limits(agreement, problem, self.bounds)[1 - guess] * plan.step
            walk = Walk(guess, start + n_rungs * bound, -bound, log_theta)
            if not self.as_printed and stops(walk, walk.log_sum):
                return Decision(guess, chains_saved=n_rungs)
        else:
            walk = Walk(NO_GUESS, start, 0.0, log_theta)
        run = self.climb(problem, plan, walk, record, (0, n_rungs))
        used = slice(n_rungs - run, n_rungs) if guess == 1 and self.early_stop else slice(0, run)
        means = record.means[used]
        value = walk.log_sum + run * walk.per_rung - float(np.log(means).sum())
        seen = record._replace(means=means, blocks=record.blocks[used])
        error = math.sqrt(variance_of_mean(_influence(seen))[0])
        return Decision(
            int(value >= log_theta),
            certain=False,
            chains=run,
            chains_saved=n_rungs - run,
            steps=run * self._steps_of_chain(plan, agreement),
            doubt=0.5 * math.erfc(abs(value - log_theta) / error / math.sqrt(2)) if error else 0.0,
        )

    def prepare(
        self, agreement: Agreement, alpha: float, rng: Any, *, together: bool
    ) -> tuple[SlicedMistakes, Plan, Record]:
        """Lay out the ladder of a sum: its mistakes in bits, the plan of each chain, and room for the results.

        With `together`, tempering swaps over all chains at once rather than in groups.
        """
        if not 1 < alpha < math.inf:
            raise ValueError(f"alpha must be > 1 and finite, got {alpha}")
        n = agreement.n_attributes
        problem = pack_problem(agreement.sets, agreement.nets, (agreement.n_live, agreement.n_dead, agreement.n_free))
        n_rungs = count_rungs(agreement, alpha, self.kappa, self.size) - 1
        update = 1 if self.sampler == "metropolis" else n
        columns = agreement.n_columns**2
        if self.accuracy is None:
            samples = max(1, (10 * columns if self.steps == "auto" else self.steps) // update)
        else:
            samples = samples_for(self.accuracy, n_rungs + 1, self.kappa)
        burn_in = (columns if self.burn_in == "auto" else self.burn_in) // update
        group = 1 if not self.tempering else n_rungs if together else min(self.group, n_rungs)
        step = rung_step(agreement, alpha, self.kappa, self.size, as_printed=self.as_printed)
        plan = Plan(self._sampler, step, burn_in, samples, self.restart, group, self.tempering)
        n_blocks = min(max(1, samples * update // n), _MOST_BLOCKS)
        streams = np.random.default_rng(rng).integers(0, 2**64, (n_rungs, 4), dtype=np.uint64)
        flips, swaps, tried = np.zeros((3, n_rungs), dtype=np.int64)
        record = Record(np.ones(n_rungs), np.zeros((n_rungs, n_blocks)), flips, swaps, tried, streams)
        return problem, plan, record

    def climb(self, problem: SlicedMistakes, plan: Plan, walk: Walk, record: Record, part: tuple[int, int]) -> int:
        """Run rungs `part` of a ladder laid out by :meth:`prepare`, until `walk` stops; return how many were run."""
        chains = make_chains(plan.group, problem.lacks.shape[0], problem.weights.size)
        room = np.empty((plan.group, 2 * problem.reach + 1)), np.empty(plan.group, dtype=np.int64)
        run: int = climb(problem, chains, plan, walk, record, part, room)
        return run

    @property
    def _sampler(self) -> Sampler:
        if self.as_printed and self.sampler == "metropolized-gibbs":
            return Sampler.METROPOLIZED_GIBBS_PRINTED
        return SAMPLERS[self.sampler]

    def _steps_of_chain(self, plan: Plan, agreement: Agreement) -> int:
        update = 1 if self.sampler == "metropolis" else agreement.n_attributes
        return update * (plan.samples * plan.burn_in if self.restart else plan.samples + plan.burn_in)


def _known(agreement: Agreement, alpha: float) -> float | None:
    """Compute the logarithm of a sum that needs no chain, as all terms weigh the same; None if they do not."""
    if agreement.n_attributes == 0 or len(agreement.nets) == 0:
        return agreement.n_attributes * math.log(2) + int(agreement.nets.sum()) * math.log(alpha)
    return None


def _influence(record: Record) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Compute how far each block of samples moves the log of the product: -log W is the sum of the logs of the means.

    Summed over chains, so that what swaps make them share is counted.
    """
    influence: np.ndarray[tuple[int], np.dtype[np.float64]] = (record.blocks / record.means[:, None] - 1).sum(axis=0)
    return influence


def _require(met: bool, rule: str, got: object) -> None:
    if not met:
        raise ValueError(f"{rule}, got {got!r}")
