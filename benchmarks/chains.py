"""Times a step of each sampler and of a plain NumPy sampler in the same run, with threads and growing sizes (a minute).

Usage: python benchmarks/chains.py. Mistakes are random rows of 20 attributes with three values; the example is all
ones. Steps are updates of single attributes at alpha = 1.2; the best of five runs counts.
"""

from __future__ import annotations

import math
import time

import numpy as np
import numpy.typing as npt

from winnowkit.core.jit import jit
from winnowkit.dnf import Agreement, Ladder, MistakeLog
from winnowkit.dnf.mcmc.chains import (
    Chains,
    Sampler,
    SlicedMistakes,
    advance,
    fill_accept,
    make_chains,
    pack_problem,
    start,
)
from winnowkit.experiments.trials import run_trials, task

RATE = math.log(1.2)
SIZES = (100, 400, 1600)
STEPS = 200_000


def agreement_of(n: int, size: int, seed: int = 0) -> Agreement:
    rng = np.random.default_rng(seed)
    log = MistakeLog(n)
    while len(log) < size:
        log.append(rng.integers(0, 3, n), int(rng.choice([-1, 1])))
    return Agreement.of(log, np.ones(n))


@jit
def move(problem: SlicedMistakes, chains: Chains, accept: npt.NDArray[np.float64], sampler: int, samples: int) -> int:
    flips = 0
    for _ in range(samples):
        flips += advance(problem, chains, 0, accept, sampler)
    return flips


def nanoseconds(agreement: Agreement, sampler: Sampler) -> float:
    """Return the time of one step."""
    n = agreement.n_attributes
    problem = pack_problem(agreement.sets, agreement.nets, (agreement.n_live, agreement.n_dead, agreement.n_free))
    accept = np.empty(2 * problem.reach + 1)
    fill_accept(accept, RATE, sampler, n)
    chains = make_chains(1, n, problem.weights.size)
    chains.streams[:] = 1, 2, 3, 4
    start(problem, chains, 0)
    samples = STEPS if sampler == Sampler.METROPOLIS else STEPS // n
    move(problem, chains, accept, sampler, samples // 10)
    best = math.inf
    for _ in range(5):
        begun = time.perf_counter()
        move(problem, chains, accept, sampler, samples)
        best = min(best, time.perf_counter() - begun)
    return best / samples / (1 if sampler == Sampler.METROPOLIS else n) * 1e9


def numpy_nanoseconds(agreement: Agreement, steps: int = 4000) -> float:
    """Time a Gibbs step in plain NumPy: counters of violations, one vector operation over all mistakes per step."""
    rng, n = np.random.default_rng(0), agreement.n_attributes
    live = [[(int(g[0]) >> i) & 1 for i in range(agreement.n_live)] for g in agreement.sets]
    lacks = np.column_stack([1 - np.array(live), np.ones((len(live), agreement.n_dead), dtype=int)]).T.copy()
    lacks = np.concatenate([lacks, np.zeros((agreement.n_free, len(live)), dtype=int)])
    state, violations = np.zeros(n, dtype=int), np.zeros(len(live), dtype=int)
    begun = time.perf_counter()
    for step in range(steps):
        i = step % n
        others = violations - state[i] * lacks[i]
        loses = agreement.nets[(others == 0) & (lacks[i] == 1)].sum()
        chosen = int(rng.random() < 1 / (1 + math.exp(RATE * loses)))
        violations, state[i] = others + chosen * lacks[i], chosen
    return (time.perf_counter() - begun) / steps * 1e9


def main() -> None:
    print("nanoseconds per step, n = 20")
    print(f"{'mistakes':>9} {'Gibbs':>7} {'Metropolis':>11} {'Metropolized':>13} {'NumPy, Gibbs':>13} {'ratio':>6}")
    for size in SIZES:
        agreement = agreement_of(20, size)
        ours = [nanoseconds(agreement, s) for s in (Sampler.GIBBS, Sampler.METROPOLIS, Sampler.METROPOLIZED_GIBBS)]
        plain = numpy_nanoseconds(agreement)
        print(f"{size:9} {ours[0]:7.1f} {ours[1]:11.1f} {ours[2]:13.1f} {plain:13.0f} {plain / ours[0]:6.0f}")
    print("the same at the end of voting's training (one fold, the harder class)")
    agreement = max((trial.agreement for trial in run_trials(task("voting", 0), 5)), key=lambda a: len(a.nets))
    times = [nanoseconds(agreement, s) for s in (Sampler.GIBBS, Sampler.METROPOLIS, Sampler.METROPOLIZED_GIBBS)]
    print(f"{agreement.n_mistakes:9} {times[0]:7.1f} {times[1]:11.1f} {times[2]:13.1f}")
    print("Gibbs, nanoseconds per step: mistakes down, attributes across")
    widths = (10, 20, 40, 80, 160)
    print(f"{'':9} " + " ".join(f"{n:7}" for n in widths))
    for size in (50, 200, 800, 3200):
        cells = " ".join(f"{nanoseconds(agreement_of(n, size), Sampler.GIBBS):7.1f}" for n in widths)
        print(f"{size:9} {cells}")
    agreement, times = agreement_of(20, 800), []
    for n_jobs in (1, 2):
        ladder = Ladder(steps=20_000, n_jobs=n_jobs)
        best = math.inf
        for seed in range(5):
            begun = time.perf_counter()
            ladder.log_sum(agreement, 1.5, seed)
            best = min(best, time.perf_counter() - begun)
        times.append(best)
    print(
        f"a ladder of 800 mistakes: {times[0]:.2f} s with one thread, {times[0] / times[1]:.2f} times as fast with two"
    )


if __name__ == "__main__":
    main()
