"""Markov chains saved by stopping early (section 6.3 of Tao & Scott 2004), for Tables VIII and IX.

Winnow is trained with exact sums. "MCMC" counts the chains of Chawla et al.'s ladder at all trials, r_t - 1 each. At a
sample of the trials, Table I is followed with exact ratios of rungs, where the guess is the last prediction of the same
row: this gives the chains saved with the paper's bounds u and -v on the nets of terms, and with our tighter ones.
Epsilon is the mean of |W - theta| / theta; savings by theory are the paper's sum of |ln(1 +- epsilon)|; Theorem 7
promises the integer part of each. "One side" is the sum of ln(1 + epsilon) on both sides of theta, which the column of
Table IX fits better than the formula that the paper gives for it. "As printed" takes the paper's rungs, whose last one
lies above alpha, and looks at the side only after a chain; "sampled" is the same with ratios by Metropolis, with the
paper's numbers of steps, at some of the trials.

Errors of savings are by the ratio of sums over blocks: one training each in Table VIII, one epoch of one learner each
in Table IX, whose trainings are one each. Claims about all rows are judged by Student's t over the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.dnf import Agreement, Exact, Ladder, MistakeLog
from winnowkit.dnf.answers import Threshold
from winnowkit.dnf.mcmc.chains import pack_problem
from winnowkit.dnf.mcmc.ladder_kernel import Walk
from winnowkit.dnf.mcmc.rungs import (
    count_rungs,
    first_guess,
    net_limits,
    promised_savings,
    rung_step,
    stop_early,
)
from winnowkit.dnf.training import Guesses
from winnowkit.experiments.frame import Result
from winnowkit.experiments.trials import ALPHA, Task, train

SAVED = ("savings", "theory", "promised", "tighter", "printed", "one_side")
NANOSECONDS = 45e-9
"""The approximate time of one step of a chain, in seconds."""
SOLD = 5e-4
"""The mean time in seconds that sampled ratios may take at a trial: the more chains, the fewer trials are sampled."""

Row = dict[str, float]
"""The numbers of one row of a table, by name."""

Counts = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Nets of terms, and the logarithms of how many terms have each."""


def net_counts(agreement: Agreement) -> Counts:
    """Return the nets of all terms with the logarithms of their numbers."""
    counts = Exact().counts(agreement)
    return np.array([float(net) for net in counts]), np.array([math.log(count) for count in counts.values()])


def rung_ratios(counts: Counts, n_rungs: int, step: float) -> NDArray[np.float64]:
    """Return the exact logarithms of W(alpha_i) / W(alpha_(i - 1)), starting with rung 2; `step` is ln(1 + 1/m)."""
    nets, logs = counts
    terms = logs + (np.arange(n_rungs) * step)[:, None] * nets
    largest = terms.max(axis=1)
    return np.diff(largest + np.log(np.exp(terms - largest[:, None]).sum(axis=1)))


class AskedTrial(NamedTuple):
    """One trial that is asked: where it stands, and which side is guessed."""

    agreement: Agreement
    log_sum: float
    log_theta: float
    n_rungs: int
    guess: int


def count(
    learner: Task,
    share: float,
    max_epochs: int,
    seed: Sequence[int],
    *,
    steps: int = 0,
    burn_in: int = 0,
    as_printed: bool = False,
) -> Result:
    """Count chains over the training of one learner; sums are over the sampled trials.

    Parameters
    ----------
    learner : Task
        What to learn.
    share : float
        The share of trials that are asked.
    max_epochs : int
        The most epochs.
    seed : sequence of int
        The seed of the trials that are asked, and of the samples.
    steps, burn_in : int
        T_s and T_0 of sampled ratios; none are sampled if T_s is 0.
    as_printed : bool
        Whether training goes by sums of the paper's last rung. Then only savings as printed are counted.
    """
    rng = np.random.default_rng(seed)
    guesses = Guesses("last", learner.y.tolist())
    ladder = Ladder(sampler="metropolis", steps=max(1, steps), burn_in=burn_in, bounds="totals", as_printed=True)
    total = {"trials": 0, "chains": 0, "asked": 0, "seen": 0, "sampled_seen": 0.0, "sampled": 0.0, "epsilon": 0.0}
    total |= dict.fromkeys(SAVED, 0.0)
    epochs: list[list[float]] = []
    log, n_rungs, counted = MistakeLog(learner.X.shape[1]), 1, 0
    for row, log_sum in train(learner, log, max_epochs, as_printed=as_printed):
        if row == 0:
            epochs.append([0, 0, 0.0])  # chains, chains at trials that were asked, and how many of these are saved
        total["trials"] += 1
        guess = guesses[row]
        if guess is None:
            guess = first_guess(int(np.count_nonzero(learner.X[row])), learner.log_theta)
        guesses.predicted(row, int(log_sum >= learner.log_theta))
        if log.n_mistakes == 0:
            continue
        if log.n_mistakes > counted:  # the rungs are the same for every example
            n_rungs, counted = count_rungs(Agreement.of(log, learner.X[row]), ALPHA, 1.0, "sum"), log.n_mistakes
        total["chains"] += n_rungs - 1
        epochs[-1][0] += n_rungs - 1
        if rng.random() >= share:
            continue
        agreement = Agreement.of(log, learner.X[row])
        asked = AskedTrial(agreement, log_sum, learner.log_theta, n_rungs, guess)
        found = savings_at(asked, ("printed",) if as_printed else SAVED)
        for name, value in found.items():
            total[name] += value
        total["asked"] += 1
        total["seen"] += n_rungs - 1
        total["epsilon"] += abs(math.expm1(log_sum - learner.log_theta))
        epochs[-1][1] += n_rungs - 1
        epochs[-1][2] += found["printed" if as_printed else "savings"]
        chance = min(1.0, SOLD / ((n_rungs - 1) * (steps + burn_in) * NANOSECONDS)) if steps else 0.0
        if rng.random() < chance:  # fewer of the longer ones, so each counts for more
            decision = ladder.decide(agreement, Threshold(ALPHA, learner.log_theta), guess, rng)
            total["sampled_seen"] += (n_rungs - 1) / chance
            total["sampled"] += (n_rungs - 1 - decision.chains) / chance
    return {**total, "epochs": epochs}


def savings_at(asked: AskedTrial, names: Sequence[str] = SAVED) -> dict[str, float]:
    """Count the chains saved at one trial: one number for each name."""
    agreement, log_sum, log_theta, n_rungs, guess = asked
    problem = pack_problem(agreement.sets, agreement.nets, (agreement.n_live, agreement.n_dead, agreement.n_free))
    counts = net_counts(agreement)

    @cache
    def ladder(as_printed: bool) -> tuple[float, NDArray[np.float64]]:
        step = rung_step(agreement, ALPHA, 1.0, "sum", as_printed=as_printed)
        return step, rung_ratios(counts, n_rungs, step)

    def saved(bounds: str, *, as_printed: bool = False) -> int:
        step, ratios = ladder(as_printed)
        bound = net_limits(agreement, problem, bounds)[1 - guess] * step
        start = agreement.n_attributes * math.log(2) + (n_rungs - 1) * bound
        return n_rungs - 1 - stop_early(ratios, Walk(guess, start, -bound, log_theta), as_printed=as_printed)[1]

    compute: dict[str, Callable[[], float]] = {
        "savings": lambda: saved("totals"),
        "theory": lambda: abs(log_sum - log_theta),
        "promised": lambda: min(n_rungs - 1, promised_savings(log_sum, log_theta)),
        "tighter": lambda: saved("pairs"),
        "printed": lambda: saved("totals", as_printed=True),
        "one_side": lambda: math.log1p(abs(math.expm1(log_sum - log_theta))),
    }
    return {name: compute[name]() for name in names}


def merge(results: Sequence[Result], runs: int = 1, *, blocks: str = "trainings", most: float = math.inf) -> Row:
    """Return one row of a table: chains per run, mean epsilon, savings in per cent, and the error of the savings.

    Parameters
    ----------
    results : sequence of dict
        What :func:`count` found, one per training.
    runs : int
        Over how many runs the chains are averaged.
    blocks : {"trainings", "epochs"}
        The blocks by which the error of the savings is estimated.
    most : float
        The paper's number of chains; "so_far" are the savings of the epochs up to it.
    """
    sums = {name: sum(result[name] for result in results) for name in results[0] if name != "epochs"}
    row = {
        "chains": sums["chains"] / runs,
        "trials": sums["trials"] / runs,
        "epsilon": sums["epsilon"] / sums["asked"],
    }
    row |= {name: 100 * sums[name] / sums["seen"] for name in SAVED}
    if sums["sampled_seen"]:
        row["sampled"] = 100 * sums["sampled"] / sums["sampled_seen"]
    parts = [
        [(seen, saved) for _, seen, saved in result["epochs"]]
        if blocks == "epochs"
        else [(result["seen"], sum(saved for _, _, saved in result["epochs"]))]
        for result in results
    ]
    row["std_err"] = ratio_error([part for own in parts for part in own])
    row["so_far"] = savings_so_far([result["epochs"] for result in results], runs * most)
    return row


def ratio_error(blocks: Sequence[tuple[float, float]]) -> float:
    """Return the standard error, in per cent, of the chains saved divided by all chains, by independent blocks of both.

    Examples
    --------
    >>> round(ratio_error([(100, 5), (100, 7), (200, 12)]), 2)
    0.43
    """
    seen, saved = np.array(blocks, dtype=np.float64).T
    if len(seen) < 2 or not seen.sum():
        return math.inf
    rest = saved - saved.sum() / seen.sum() * seen
    return float(100 * math.sqrt(len(seen) / (len(seen) - 1) * (rest**2).sum()) / seen.sum())


def savings_so_far(trainings: Sequence[Sequence[Sequence[float]]], most: float) -> float:
    """Return the savings in per cent over the first epochs of all trainings, until they have taken `most` chains."""
    chains = seen = saved = 0.0
    for epoch in range(max(map(len, trainings))):
        now = [own[epoch] for own in trainings if epoch < len(own)]
        chains, seen, saved = (a + sum(b) for a, b in zip((chains, seen, saved), zip(*now, strict=True), strict=True))
        if chains >= most:
            break
    return 100 * saved / seen if seen else 0.0
