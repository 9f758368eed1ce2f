"""Chains and ladders by their statistics. False alarms: 1e-6 a chi-square test, 1e-6 a family of z-scores."""

import itertools
import math

import numba
import numpy as np
import pytest
from scipy import stats

from winnowkit.dnf import Agreement, Exact, Ladder, MistakeLog
from winnowkit.dnf.mcmc import chains as kernel
from winnowkit.dnf.mcmc.chains import Sampler
from winnowkit.dnf.mcmc.ladder_kernel import Plan, Record, tick

ALARM = 1e-6


def problem_of(seed, n):
    rng = np.random.default_rng(seed)
    log = MistakeLog(n)
    for sign in rng.choice([1, -1], 12, p=[0.7, 0.3]):
        log.append(rng.choice([1, 1, 2], n), int(sign))
    agreement = Agreement.of(log, np.ones(n))
    return kernel.pack_problem(agreement.sets, agreement.nets, (agreement.n_live, agreement.n_dead, agreement.n_free))


def distribution(problem, n, rate):
    states = np.array(list(itertools.product((0, 1), repeat=n)), dtype=np.uint8)
    chains = kernel.make_chains(1, n, problem.weights.size)
    nets = []
    for state in states:
        kernel.put(problem, chains, 0, state)
        nets.append(int(chains.net[0]))
    weights = np.exp(rate * np.array(nets, dtype=float))
    return states, weights / weights.sum()


@numba.njit
def one_step(problem, chains, accept, sampler, starts, states):
    """Count where one sample leads from each start."""
    counts = np.zeros(len(states), dtype=np.int64)
    for k in starts:
        kernel.put(problem, chains, 0, states[k])
        kernel.advance(problem, chains, 0, accept, sampler)
        index = 0
        for p in chains.chosen[0]:
            index = 2 * index + p
        counts[index] += 1
    return counts


@pytest.mark.parametrize("sampler", list(Sampler))
def test_one_step_from_the_stationary_distribution_stays_in_it(sampler):
    n, rate, draws = 4, math.log(1.4), 200_000
    problem = problem_of(0, n)
    states, pi = distribution(problem, n, rate)
    rng = np.random.default_rng(int(sampler))
    p_values = []
    for used in (rate, 2 * rate):  # the second is the control
        accept = np.empty(2 * problem.reach + 1)
        kernel.fill_accept(accept, used, sampler, n)
        chains = kernel.make_chains(1, n, problem.weights.size)
        chains.streams[:] = rng.integers(0, 2**64, (1, 4), dtype=np.uint64)
        starts = rng.choice(len(states), draws, p=pi)
        counts = one_step(problem, chains, accept, int(sampler), starts, states)
        p_values.append(stats.chisquare(counts, draws * pi).pvalue)
    assert p_values[0] > ALARM
    assert p_values[1] < ALARM


@numba.njit
def one_tick(problem, chains, plan, accept, record, starts, states):
    counts = np.zeros((len(states), len(states)), dtype=np.int64)
    at = np.empty(2, dtype=np.int64)
    for first, second in starts:
        at[0], at[1] = 0, 1
        kernel.put(problem, chains, 0, states[first])
        kernel.put(problem, chains, 1, states[second])
        tick(problem, chains, plan, accept, at, record, 0)
        index = np.zeros(2, dtype=np.int64)
        for g in range(2):
            for p in chains.chosen[at[g]]:
                index[g] = 2 * index[g] + p
        counts[index[0], index[1]] += 1
    return counts


@pytest.mark.parametrize("sampler", list(Sampler))
def test_tempering_leaves_the_joint_distribution_in_place(sampler):
    """Two rungs; as a control, swaps that take the ratio of other rungs."""
    n, step, draws = 3, math.log(1.5), 300_000
    problem = problem_of(1, n)
    states, low = distribution(problem, n, step)
    _, high = distribution(problem, n, 2 * step)
    rng = np.random.default_rng(10 + int(sampler))
    accept = np.empty((2, 2 * problem.reach + 1))
    kernel.fill_accept(accept[0], step, sampler, n)
    kernel.fill_accept(accept[1], 2 * step, sampler, n)
    p_values, swapped = [], []
    for used in (step, -step):
        chains = kernel.make_chains(2, n, problem.weights.size)
        chains.streams[:] = rng.integers(0, 2**64, (2, 4), dtype=np.uint64)
        counters = np.zeros((3, 2), dtype=np.int64)
        record = Record(np.ones(2), np.ones((2, 1)), *counters, chains.streams)
        plan = Plan(int(sampler), used, 0, 1, False, 2, 0.9)
        starts = np.column_stack([rng.choice(len(states), draws, p=pi) for pi in (low, high)])
        counts = one_tick(problem, chains, plan, accept, record, starts, states)
        p_values.append(stats.chisquare(counts.ravel(), draws * np.outer(low, high).ravel()).pvalue)
        swapped.append(record.swaps.sum() / record.swaps_tried.sum())
        assert abs(record.swaps_tried.sum() / draws - 0.9) < 0.01
    assert p_values[0] > ALARM
    assert p_values[1] < ALARM
    assert 0.05 < swapped[0] < 1


def learned_agreement(rng, n, size):
    """Mistakes of a planted formula, so that some terms are heavy."""
    log = MistakeLog(n)
    for _ in range(size):
        z = rng.integers(1, 3, n)
        log.append(z, 1 if (z[:2] == 1).all() or (z[2:5] == 1).all() else -1)
    return Agreement.of(log, np.where(rng.random(n) < 0.3, rng.integers(1, 3, n), 1))


def z_scores(ladder, n_logs, *, shrink=1.0):
    rng = np.random.default_rng(42)
    scores = []
    for k in range(n_logs):
        agreement = learned_agreement(rng, int(rng.integers(6, 13)), int(rng.integers(10, 60)))
        estimate = ladder.log_sum(agreement, 1.5, rng=k)
        if not estimate.exact:
            truth = Exact().log_sum(agreement, 1.5).log_sum
            scores.append((estimate.log_sum - truth) / (shrink * estimate.std_err))
    return np.array(scores)


@pytest.mark.parametrize("sampler", ["gibbs", "metropolis", "metropolized-gibbs"])
@pytest.mark.parametrize("tempering", [0.0, 0.9])
def test_errors_of_hundreds_of_estimates_are_what_their_standard_errors_say(sampler, tempering):
    """The spread of z-scores is 1 to a tenth or so; a standard error half as large must not pass."""
    scores = z_scores(Ladder(sampler=sampler, tempering=tempering, steps=4000), 300)
    spread = np.sqrt(np.mean(scores**2))
    assert 0.8 < spread < 1.25, spread
    assert np.abs(scores).max() < 6
    assert abs(scores.mean()) < 5 * 1.25 / math.sqrt(len(scores))
    assert np.sqrt(np.mean((2 * scores) ** 2)) > 1.25
