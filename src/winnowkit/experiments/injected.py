"""Errors of Winnow over all terms with sampled sums, without running the samplers (section 6.2 of Tao & Scott 2004).

A sampler gives W e^(sigma z) in place of W, z being normal and independent at every trial. So sigma is measured, as the
standard error of Gibbs sampler at a few trials, and noise of that size is injected into exact sums. That costs
microseconds where chains cost milliseconds, and hundreds of training sets can be afforded where the paper has ten. Each
set is trained with exact sums, and three times with noise: that of Gibbs, the same again (what differs between these
two is chance alone), and a third more, as of Metropolis. The paper's sums are also biased, since its last rung lies
above alpha; so each set is trained once more with the exact sums of that rung, W(alpha_r), which tells what the bias
alone does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from winnowkit.dnf import Ladder, MistakeLog
from winnowkit.experiments.frame import CellResult, ReportTable, Result, Verdict
from winnowkit.experiments.frame.judge import alike, at_most, less, power_of_difference, undecided
from winnowkit.experiments.trials import ALPHA, Codes, Floats, Task, epoch, log_sums, run_trials

METHODS = {"exact": 0.0, "noise": 1.0, "noise again": 1.0, "more noise": 4 / 3, "last rung": 0.0}
"""How many times the measured error is injected."""
NOISY = [name for name, times in METHODS.items() if times]

PROBES = 4  # trials at which the error of Gibbs sampler is measured
POINT = 1.0  # of per cent: the difference of errors that matters


def sigma_of(learner: Task, steps: int, burn_in: int, max_epochs: int, rng: np.random.Generator) -> float:
    """Return the standard error of the logarithm of a sum by Gibbs sampler, at random trials of exact training."""
    trials = [trial for trial in run_trials(learner, max_epochs) if len(trial.agreement.nets)]
    if not trials:
        return 0.0
    ladder = Ladder(steps=steps, burn_in=burn_in)
    chosen = rng.permutation(len(trials))[:PROBES]
    errors = [ladder.log_sum(trials[i].agreement, ALPHA, rng).std_err for i in chosen]
    return float(np.mean(errors))


class NoisyWinnow:
    """Winnow over all terms, one learner per class or a single one, whose sums are W e^(sigma z).

    With `as_printed`, W is that of the paper's last rung.
    """

    def __init__(
        self,
        n: int,
        n_learners: int,
        log_theta: float,
        sigma: float,
        rng: np.random.Generator,
        *,
        as_printed: bool = False,
    ) -> None:
        self.logs = [MistakeLog(n) for _ in range(n_learners)]
        self.log_theta, self.sigma, self.rng, self.as_printed = log_theta, sigma, rng, as_printed

    def fit(self, X: Codes, y: npt.NDArray[np.int64], max_epochs: int) -> None:
        """Train each learner until an epoch has no mistake; a single learner learns class 1."""
        for k, log in enumerate(self.logs):
            positive = y == (k if len(self.logs) > 1 else 1)
            learner = Task(X, positive.astype(np.int64), self.log_theta)
            for _ in range(max_epochs):
                before = log.n_mistakes
                noise = self.sigma * self.rng.standard_normal(len(X))

                def sums(rows: slice, log: MistakeLog = log, noise: Floats = noise) -> Floats:
                    return log_sums(log, X[rows], as_printed=self.as_printed) + noise[rows]

                for _ in epoch(learner, log, sums):
                    pass
                if log.n_mistakes == before:
                    break

    def predict(self, X: Codes) -> npt.NDArray[np.int64]:
        """Return the side of theta for a single learner, and else the class with the largest sum."""
        exact = np.column_stack([log_sums(log, X, as_printed=self.as_printed) for log in self.logs])
        sums = exact + self.sigma * self.rng.standard_normal(exact.shape)
        return (sums[:, 0] >= self.log_theta - 1e-12).astype(np.int64) if len(self.logs) == 1 else sums.argmax(axis=1)


def errors(
    train: Task,
    X_test: Codes,
    y_test: npt.NDArray[np.int64],
    *,
    n_learners: int,
    sigma: float,
    max_epochs: int,
    seed: int,
) -> Result:
    """Return the errors of each method in per cent, on one training set."""
    found: Result = {"sigma": sigma}
    for i, (name, times) in enumerate(METHODS.items()):
        rng = np.random.default_rng([seed, i])
        printed = name == "last rung"
        model = NoisyWinnow(train.X.shape[1], n_learners, train.log_theta, times * sigma, rng, as_printed=printed)
        model.fit(train.X, train.y, max_epochs)
        found[name] = 100 * float(np.mean(model.predict(X_test) != y_test))
    return found


def of(result: Result, name: str) -> float:
    """Return the error of a method; "sampling" is the mean of the three with noise."""
    return float(np.mean([result[m] for m in NOISY])) if name == "sampling" else float(result[name])


class Injections:
    """The errors of all training sets, by place (data set, steps or size)."""

    def __init__(self, outcomes: Sequence[CellResult], axis: str) -> None:
        self.outcomes, self.axis = list(outcomes), axis

    def gains(self, worse: str, better: str, places: Sequence[object] | None = None) -> npt.NDArray[np.float64]:
        """Return how many points more one method errs than another, one number per training set."""
        chosen = [o.result for o in self.outcomes if places is None or o.cell[self.axis] in places]
        return np.array([of(result, worse) - of(result, better) for result in chosen])

    def less(
        self, claim: str, better: str, worse: str, places: Sequence[object] | None = None, why: str = ""
    ) -> Verdict:
        """Judge whether a method errs less than another."""
        return less(claim, self.gains(worse, better, places), POINT, self.means(places), why, " points")

    def alike(self, claim: str, a: str, b: str) -> Verdict:
        """Judge whether two methods err alike, within a point."""
        return alike(claim, self.gains(a, b), POINT, self.means(), unit=" points")

    def last_rung(self) -> Verdict:
        """Judge whether the bias of the paper's last rung alone leaves errors as they are, within a point."""
        claim = "ours: sums of the paper's last rung, too large by nature, change errors by less than a point"
        return alike(
            claim,
            self.gains("last rung", "exact"),
            POINT,
            self.means(),
            "the bias is not the same for all classes and moments of training",
            " points",
        )

    def no_advantage(self, why: str) -> Verdict:
        """Judge whether exact sums have no advantage over noisy ones: at most a point."""
        gains = self.gains("sampling", "exact")
        std_err = float(gains.std(ddof=1) / math.sqrt(len(gains)))
        claim = "brute force has no significant advantage over sampling: at most a point"
        return at_most(claim, float(gains.mean()), std_err, 0.0, POINT, self.means(), why)

    def ten_sets(self) -> str:
        """Return what ten sets show by chance alone, measured with two trainings that have the same noise."""
        spread = float(self.gains("noise", "noise again").std(ddof=1)) / math.sqrt(10)
        return (
            f"two trainings with the same noise differ by {1.96 * spread:.1f} points or more on ten sets in one of "
            "twenty cases: the paper's ten sets can show either by chance"
        )

    def chance(self, claim: str, difference: float, sets: int) -> Verdict:
        """Say whether the paper's sets could have told a difference that the same sampler may show against itself.

        Nothing is run here that could decide the claim: it stays undecided, or has no power.
        """
        spread = float(self.gains("noise", "noise again").std(ddof=1))
        power = power_of_difference(spread / math.sqrt(sets), sets - 1, difference)
        figures = f"two runs with the same noise differ by {spread:.1f} points a set (standard deviation)"
        design = (
            f"the paper's {sets} sets notice its difference of {difference:.1f} points with probability {power:.0%}"
        )
        why = "sums with and without tempering have the same error, so that only chance could tell them apart"
        return Verdict(claim, undecided(power), figures, design, why)

    def means(self, places: Sequence[object] | None = None) -> str:
        """Return the mean error of each method as text."""
        chosen = [o.result for o in self.outcomes if places is None or o.cell[self.axis] in places]
        return ", ".join(f"{name} {np.mean([result[name] for result in chosen]):.1f}%" for name in METHODS)

    def table(self, caption: str) -> ReportTable:
        """Return the mean errors by place."""
        rows = []
        for place in dict.fromkeys(o.cell[self.axis] for o in self.outcomes):
            own = [o.result for o in self.outcomes if o.cell[self.axis] == place]
            sigma = f"{np.mean([result['sigma'] for result in own]):.3f}"
            rows.append([str(place), str(len(own)), sigma, *(f"{np.mean([r[m] for r in own]):.1f}" for m in METHODS)])
        return ReportTable(f"{caption}: errors in %", [self.axis, "sets", "sigma", *METHODS], rows)
