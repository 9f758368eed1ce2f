"""Ways to estimate weighted sums that were tried for winnowkit.dnf, in the same processor time, judged by exact sums.

Usage: python benchmarks/rivals.py [seconds per sum, default 0.2]. Prints the median of |estimate - W| / W over twelve
sums within reach of exact ones: boolean tables of n attributes, true with probability p, a planted DNF of five
terms, a tenth of the labels flipped. The library has only `Descent`, `Population` and the paper's `Ladder`; the
others are only here:

- MBAR: all samples of the ladder's rungs weighed together (Shirts & Chodera 2008; the weights of a term depend on its
  net alone, so that this is a histogram by net, iterated).
- warm start: the ladder's chains begin where those of the same example ended ten mistakes ago, without burn-in.
- blocked Gibbs: six attributes are drawn at once, from a table of the nets of their subsets, and the ratio of a rung is
  the mean of the ratios of the sums over such blocks (Rao & Blackwell).
- tempered SMC: a population of terms from alpha = 1 up, on rungs chosen so that half of its effective size is left,
  with a Gibbs sweep after every resampling (Del Moral, Doucet & Jasra 2006).
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from past_exact import ALPHA, planted
from scipy.special import logsumexp

from winnowkit.core.jit import jit
from winnowkit.core.random_streams import uniform
from winnowkit.dnf import Agreement, Descent, Exact, MistakeLog, Population, Threshold
from winnowkit.dnf.agreement import log_add
from winnowkit.dnf.kernels.problem import Floats, Ints
from winnowkit.dnf.mcmc.chains import (
    Chains,
    Sampler,
    SlicedMistakes,
    advance,
    fill_accept,
    flip,
    gain,
    make_chains,
    pack_problem,
    put,
    start,
)

RATE = math.log(ALPHA)
BLOCK = 6
Rng = np.random.Generator


Clock = Callable[[], float]


def clock_of(seconds: float) -> Clock:
    """Return a function that tells the processor time left."""
    end = time.process_time() + seconds
    return lambda: end - time.process_time()


def prepared(agreement: Agreement, n_chains: int, rng: Rng) -> tuple[SlicedMistakes, Chains, Floats]:
    """The live part of a problem, chains in random states, and room for probabilities of flips."""
    problem = pack_problem(agreement.sets, agreement.nets, (agreement.n_live, 0, 0))
    chains = make_chains(n_chains, agreement.n_live, problem.weights.size)
    chains.streams[:] = rng.integers(0, 2**64, chains.streams.shape, dtype=np.uint64)
    for c in range(n_chains):
        start(problem, chains, c)
    return problem, chains, np.empty(2 * problem.reach + 1)


@jit
def sweep_all(problem: SlicedMistakes, chains: Chains, accept: Floats, rates: Floats, sweeps: int, nets: Ints) -> None:
    """Run Gibbs sweeps of every chain at its own rate, and store the nets after each, (chains, sweeps)."""
    for c in range(rates.size):
        fill_accept(accept, rates[c], Sampler.GIBBS, chains.chosen.shape[1])
        for s in range(sweeps):
            advance(problem, chains, c, accept, Sampler.GIBBS)
            nets[c, s] = chains.net[c]


def whole(agreement: Agreement, log_live: float) -> float:
    """Return the logarithm of the whole sum, given the sum over the live attributes."""
    parts = [log_live]
    if agreement.n_dead:
        parts.append(agreement.n_live * math.log(2) + math.log(2**agreement.n_dead - 1))
    return log_add(parts) + agreement.n_free * math.log(2)


def ladder_nets(agreement: Agreement, clock: Clock, rng: Rng, warm: bool = False) -> tuple[Floats, Ints]:
    """Return the rates of the paper's rungs, and the nets that their chains visit until the time is over."""
    n_rungs = max(2, math.ceil(RATE * agreement.n_mistakes))
    rates = np.arange(n_rungs) * (RATE / n_rungs)
    problem, chains, accept = prepared(agreement, n_rungs, rng)
    nets, n = [], agreement.n_live
    batch = np.empty((n_rungs, n), dtype=np.int64)
    if warm:
        earlier = Agreement(
            agreement.sets[10:],
            agreement.nets[10:],
            n,
            agreement.n_dead,
            agreement.n_free,
            agreement.n_promotions,
            agreement.n_demotions,
            agreement.n_columns,
        )
        before, old, room = prepared(earlier, n_rungs, rng)
        sweep_all(before, old, room, rates, 11 * n, np.empty((n_rungs, 11 * n), dtype=np.int64))
        clock = clock_of(clock())  # the last visit is not counted
        for c in range(n_rungs):
            put(problem, chains, c, old.chosen[c])
    else:
        sweep_all(problem, chains, accept, rates, n, batch)  # T_0 = n^2 updates
    while clock() > 0:
        sweep_all(problem, chains, accept, rates, n, batch)
        nets.append(batch.copy())
    return rates, np.concatenate(nets or [batch], axis=1)


def ladder(agreement: Agreement, clock: Clock, rng: Rng) -> float:
    return whole(agreement, by_ratios(agreement, *ladder_nets(agreement, clock, rng)))


def warm_start(agreement: Agreement, clock: Clock, rng: Rng) -> float:
    return whole(agreement, by_ratios(agreement, *ladder_nets(agreement, clock, rng, warm=True)))


def by_ratios(agreement: Agreement, rates: Floats, nets: Ints) -> float:
    """Return the product of the ratios of the rungs."""
    steps = np.diff(np.append(rates, RATE))
    logs = logsumexp(steps[:, None] * nets, axis=1) - math.log(nets.shape[1])
    return agreement.n_live * math.log(2) + float(logs.sum())


def mbar(agreement: Agreement, clock: Clock, rng: Rng) -> float:
    rates, nets = ladder_nets(agreement, clock_of(0.8 * clock()), rng)
    values, counts = np.unique(nets, return_counts=True)
    bias = rates[:, None] * values  # (rungs, nets)
    log_sums = agreement.n_live * math.log(2) + np.concatenate(
        [[0.0], np.cumsum(np.diff(rates) * nets[:-1].mean(axis=1))]
    )
    while clock() > 0:
        log_density = np.log(counts) - logsumexp(bias - log_sums[:, None], axis=0) - math.log(nets.shape[1])
        after = logsumexp(bias + log_density, axis=1)
        after += agreement.n_live * math.log(2) - after[0]
        moved, log_sums = np.abs(after - log_sums).max(), after
        if moved < 1e-6:
            break
    log_density = np.log(counts) - logsumexp(bias - log_sums[:, None], axis=0) - math.log(nets.shape[1])
    base = float(logsumexp(log_density))
    return whole(agreement, float(logsumexp(RATE * values + log_density)) - base + agreement.n_live * math.log(2))


@jit
def fill_cells(problem: SlicedMistakes, zero: Ints, block: Ints, cells: Ints) -> int:
    """Fill in, for each subset of the block, the net of the mistakes that lack nothing else of it; and that of all."""
    cells[:] = 0
    net = 0
    for w in range(problem.weights.size):
        some = 0
        for i in block:
            some |= problem.lacks[i, w]
        left = zero[w] & some  # the others stay whatever is chosen
        while left:
            bit, lacks = left & -left, 0
            for i in range(block.size):
                lacks |= np.int64(problem.lacks[block[i], w] & bit != 0) << i
            cells[lacks] += problem.weights[w]
            net += problem.weights[w]
            left ^= bit
    step = 1
    while step < cells.size:
        for i in range(cells.size):
            if i & step:
                cells[i] += cells[i ^ step]
        step *= 2
    return net


@jit
def block_ratios(problem: SlicedMistakes, chains: Chains, c: int, rates: tuple[float, float], ratios: Floats) -> None:
    """Draw blocks of attributes of chain c anew; in `ratios`, those of the blocks' sums at the two rates."""
    n, size = chains.chosen.shape[1], min(BLOCK, chains.chosen.shape[1])
    order, cells, weights = np.arange(n), np.zeros(1 << size, dtype=np.int64), np.zeros(1 << size)
    for r in range(ratios.size):
        for i in range(size):
            other = i + int(uniform(chains.streams, c) * (n - i))
            order[i], order[other] = order[other], order[i]
            if chains.chosen[c, order[i]]:
                flip(problem, chains, c, order[i], gain(problem, chains, c, order[i]))
        net = fill_cells(problem, chains.zero[c], order[:size], cells)
        rest, top = chains.net[c] - net, cells.max()
        low = high = 0.0
        for i in range(cells.size):
            weights[i] = math.exp(rates[0] * (cells[i] - top))
            low += weights[i]
            high += math.exp(rates[1] * (cells[i] - top))
        ratios[r] = high / low * math.exp((rates[1] - rates[0]) * (rest + top))
        at, drawn = low * uniform(chains.streams, c), 0
        for i in range(cells.size):
            at -= weights[i]
            drawn = i
            if at < 0.0:
                break
        for i in range(size):  # drawn has the attributes that are not chosen
            if not (drawn >> i) & 1:
                flip(problem, chains, c, order[i], gain(problem, chains, c, order[i]))


def blocked(agreement: Agreement, clock: Clock, rng: Rng) -> float:
    n_rungs = max(2, math.ceil(RATE * agreement.n_mistakes / 4))
    rates = np.append(np.arange(n_rungs) * (RATE / n_rungs), RATE)
    problem, chains, _ = prepared(agreement, n_rungs, rng)
    batch, found = np.empty((n_rungs, 4)), []
    burn_in = 2 + agreement.n_live // BLOCK
    while clock() > 0 or len(found) <= burn_in:
        for c in range(n_rungs):
            block_ratios(problem, chains, c, (rates[c], rates[c + 1]), batch[c])
        found.append(batch.copy())
    ratios = np.concatenate(found[burn_in:], axis=1).mean(axis=1)
    return whole(agreement, agreement.n_live * math.log(2) + float(np.log(ratios).sum()))


def tempered(agreement: Agreement, clock: Clock, rng: Rng, size: int = 400) -> float:
    """Run populations one after the other until the time is over; return the mean of their estimates."""
    sums = []
    while not sums or clock() > 0:
        problem, chains, accept = prepared(agreement, size, rng)
        nets, rate, total = np.empty((size, 1), dtype=np.int64), 0.0, agreement.n_live * math.log(2)
        while rate < RATE:
            step = next_step(chains.net, RATE - rate)
            logs = step * chains.net
            total += float(logsumexp(logs)) - math.log(size)
            kept = np.searchsorted(np.cumsum(np.exp(logs - logsumexp(logs))), (rng.random() + np.arange(size)) / size)
            for state in (chains.chosen, chains.planes, chains.zero, chains.one, chains.net):
                state[:] = state[np.minimum(kept, size - 1)]
            rate += step
            sweep_all(problem, chains, accept, np.full(size, rate), 1, nets)
        sums.append(total)
    return whole(agreement, float(logsumexp(sums)) - math.log(len(sums)))


def next_step(nets: Ints, most: float) -> float:
    """Return how much the rate may rise until half of the effective size is left."""
    low, high = 0.0, most
    for _ in range(30):
        step = 0.5 * (low + high) if low or high < most else most
        logs = step * nets
        enough = 2 * logsumexp(logs) - logsumexp(2 * logs) >= math.log(len(nets) / 2)
        if enough and step == most:
            return most
        low, high = (step, high) if enough else (low, step)
    return max(low, 1e-4 * most)


def descent(agreement: Agreement, clock: Clock, rng: Rng) -> float:
    seconds = clock()
    return Descent(max_nodes=max(1, int(4e6 * seconds)), widest=math.inf).log_sum(agreement, ALPHA, rng).log_sum


def population(agreement: Agreement, clock: Clock, rng: Rng) -> float:
    sums = []
    while not sums or clock() > 0:
        sums.append(Population(min_populations=8, max_populations=8).log_sum(agreement, ALPHA, rng).log_sum)
    return float(logsumexp(sums)) - math.log(len(sums))


WAYS: dict[str, Callable[[Agreement, Clock, Rng], float]] = {
    "ladder": ladder,
    "MBAR": mbar,
    "warm start": warm_start,
    "blocked Gibbs": blocked,
    "tempered SMC": tempered,
    "Descent": descent,
    "Population": population,
}


def trained(n_rows: int, n: int, p: float, seed: int) -> tuple[MistakeLog, npt.NDArray[np.int64]]:
    X, y = planted(n_rows + 20, n, seed, noise=0.1, p=p)
    training = Exact().training(X[:-20], y[:-20], Threshold(ALPHA, n * math.log(3)))
    for _ in range(3):
        training.epoch()
    return training.log, X[-20:]


def run(agreement: Agreement, seconds: float, seed: list[int]) -> list[float]:
    return [way(agreement, clock_of(seconds), np.random.default_rng(seed)) for way in WAYS.values()]


if __name__ == "__main__":
    run(Agreement.of((first := trained(50, 10, 0.5, 0))[0], first[1][0]), 0.01, [0])  # compiles
    SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 0.2
    print(f"| log, {SECONDS} s per sum | mistakes | {' | '.join(WAYS)} |\n{'|---' * (len(WAYS) + 2)}|")
    for n, p, n_rows in ((24, 0.5, 500), (28, 0.5, 600), (28, 0.3, 400), (22, 0.15, 300)):
        errors = []
        for seed in range(3):
            log, X = trained(n_rows, n, p, seed)
            for i, x in enumerate(X[:4]):
                agreement = Agreement.of(log, x)
                exact = Exact().log_sum(agreement, ALPHA).log_sum
                errors.append(
                    [abs(math.expm1(min(20.0, log_sum - exact))) for log_sum in run(agreement, SECONDS, [seed, i])]
                )
        medians = np.median(errors, axis=0)
        print(
            f"| n = {n}, p = {p} | {log.n_mistakes} | {' | '.join(f'{value:.2g}' for value in medians)} |", flush=True
        )
