"""The exact error of a ladder, against matrices over all terms and against the ladder itself."""

import math
from itertools import product

import numpy as np
import pytest

from winnowkit.dnf import Agreement, Exact, Ladder, MistakeLog
from winnowkit.dnf.agreement import log_of_counts
from winnowkit.dnf.mcmc.chains import Sampler
from winnowkit.dnf.mcmc.rungs import count_rungs, rung_step
from winnowkit.experiments import exact_chains
from winnowkit.experiments.exact_chains import MOST_ATTRIBUTES, all_nets, chain_error

NAMES = {
    Sampler.METROPOLIS: "metropolis",
    Sampler.GIBBS: "gibbs",
    Sampler.METROPOLIZED_GIBBS: "metropolized-gibbs",
    Sampler.METROPOLIZED_GIBBS_PRINTED: "metropolized-gibbs",
}


def agreement_of(seed, n=4, size=14):
    rng = np.random.default_rng(seed)
    log = MistakeLog(n)
    for _ in range(size):
        log.append(rng.integers(1, 3, n), 1 if rng.random() < 0.6 else -1)
    return Agreement.of(log, np.ones(n))


def flips(nets, i, rate, sampler, n):
    """The transitions of an update of attribute i, from section 4 of the paper."""
    matrix = np.eye(len(nets))
    for x in range(len(nets)):
        y = x ^ (1 << i)
        ratio = math.exp(rate * (nets[y] - nets[x]))
        accept = ratio / (1 + ratio) if sampler == Sampler.GIBBS else min(1.0, ratio)
        if sampler in (Sampler.METROPOLIS, Sampler.METROPOLIZED_GIBBS):
            accept *= 1 - 1 / n
        matrix[x, y], matrix[x, x] = accept, 1 - accept
    return matrix


def by_matrices(agreement, step, n_rungs, sampler, samples, burn_in):
    """Mean square and bias by powers of the transition matrix, sample by sample."""
    nets, n = all_nets(agreement), agreement.n_attributes
    variance = bias = 0.0
    for rung in range(1, n_rungs + 1):
        updates = [flips(nets, i, step * rung, sampler, n) for i in range(int(math.log2(len(nets))))]
        if sampler == Sampler.METROPOLIS:
            matrix = sum(updates) / n + (n - len(updates)) / n * np.eye(len(nets))
        else:
            matrix = np.linalg.multi_dot([np.eye(len(nets)), *updates])
        weights = np.exp(step * rung * nets)
        f = np.exp(-step * nets)
        h = f / ((weights * f).sum() / weights.sum()) - 1
        powers = [np.eye(len(nets))]
        for _ in range(samples + burn_in):
            powers.append(powers[-1] @ matrix)
        at = [np.full(len(nets), 1 / len(nets)) @ powers[burn_in + 1 + s] for s in range(samples)]
        mean = np.mean([mu @ h for mu in at])
        square = sum(at[min(s, t)] @ (h * (powers[abs(s - t)] @ h)) for s, t in product(range(samples), repeat=2)) / (
            samples**2
        )
        variance += square - mean**2
        bias -= mean
    return variance, bias


@pytest.mark.parametrize("sampler", list(Sampler))
@pytest.mark.parametrize(("samples", "burn_in"), [(1, 0), (2, 1), (30, 3)])
def test_errors_are_those_of_the_transition_matrix(sampler, samples, burn_in):
    agreement = agreement_of(samples, n=3)
    step = rung_step(agreement, 1.5, 1.0, "sum", as_printed=False)
    error = chain_error(agreement, step, 3, sampler, samples, burn_in)
    assert (error.variance, error.bias) == pytest.approx(
        by_matrices(agreement, step, 3, sampler, samples, burn_in), rel=1e-4, abs=1e-9
    )
    assert error.mean_square == error.variance + error.bias**2


@pytest.mark.parametrize("sampler", list(Sampler))
def test_a_polynomial_stands_for_the_chains_of_a_long_ladder(sampler, monkeypatch):
    agreement, step = agreement_of(3, n=5, size=90), 0.02
    errors = {}
    for nodes in (3, exact_chains.NODES, 60):
        monkeypatch.setattr(exact_chains, "NODES", nodes)
        errors[nodes] = chain_error(agreement, step, 60, sampler, 40, 5).mean_square
    few, some, every = errors.values()
    assert some == pytest.approx(every, rel=2e-3)
    assert few != pytest.approx(every, rel=2e-3)  # the control


@pytest.mark.parametrize("sampler", list(Sampler))
def test_errors_are_those_of_the_ladder(sampler):
    agreement = agreement_of(7, n=6, size=20)
    printed = sampler == Sampler.METROPOLIZED_GIBBS_PRINTED
    n_rungs = count_rungs(agreement, 1.5, 1.0, "sum") - 1
    step = rung_step(agreement, 1.5, 1.0, "sum", as_printed=printed)
    truth = log_of_counts(Exact().counts(agreement), math.exp(step * n_rungs))
    ladder = Ladder(sampler=NAMES[sampler], as_printed=printed, steps=600, burn_in=12)
    update = 1 if sampler == Sampler.METROPOLIS else 6
    exact = chain_error(agreement, step, n_rungs, sampler, 600 // update, 12 // update).mean_square
    squares = [(ladder.log_sum(agreement, 1.5, seed).log_sum - truth) ** 2 for seed in range(800)]
    std_err = np.std(squares) / math.sqrt(800)
    assert abs(np.mean(squares) - exact) < 5 * std_err + 0.05 * exact  # a mean square of logs, to first order
    assert abs(np.mean(squares) - 1.5 * exact) > 5 * std_err  # the control


def test_a_sampler_that_never_mixes_keeps_its_error():
    log = MistakeLog(4)
    for _ in range(4):
        log.append([2] * 4, +1)
    agreement = Agreement.of(log, [1] * 4)  # all terms but the empty one have a net of 0
    few, many = (
        {s: chain_error(agreement, 0.1, 4, s, samples, 10).mean_square for s in Sampler} for samples in (100, 10_000)
    )
    printed = Sampler.METROPOLIZED_GIBBS_PRINTED
    assert many[printed] > 0.9 * few[printed]  # where it starts decides where it stays
    for sampler in set(Sampler) - {printed}:
        assert many[sampler] == pytest.approx(few[sampler] / 100, rel=0.1)


def test_attributes_past_the_cap_are_refused():
    with pytest.raises(ValueError, match="at most"):
        all_nets(agreement_of(0, n=MOST_ATTRIBUTES + 1))
