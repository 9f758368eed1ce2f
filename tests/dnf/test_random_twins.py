"""Chains, ladders and populations beside twins that draw the same random numbers: the results are the same."""

import itertools
import math

import numpy as np
import pytest

from logs import agreement_of
from naive_chains import Group, Stream, Terms, grown
from winnowkit.dnf import Exact, Ladder
from winnowkit.dnf.kernels.breeding import grow, make_room
from winnowkit.dnf.mcmc.chains import pack_problem
from winnowkit.dnf.mcmc.ladder_kernel import NO_GUESS, Walk, net_bounds, variance_of_mean

N = 7


def agreement(seed, most=3, always=0):
    """Make an agreement with free and dead attributes, nets of several units, and mistakes that agree on everything."""
    rng = np.random.default_rng(seed)
    mistakes = []
    for _ in range(9):
        z = np.where(rng.random(N) < rng.choice([0.3, 0.8]), 1, 2)
        z[0], z[1] = 1, 2
        mistakes += [(z.tolist(), int(rng.choice([-1, 1])))] * int(rng.integers(1, most + 1))
    mistakes += [([1] * N, int(np.sign(always)))] * abs(always)
    return agreement_of(mistakes, [1] * N)


def groups_of(ladder, terms, plan, streams, order):
    """Run the twin's groups of rungs in this order; yield each with its lowest rung and its samples."""
    for low, size in order:
        group = Group(terms, ladder.sampler, plan, low, [Stream(words) for words in streams[low : low + size]])
        yield low, group, group.samples()


@pytest.mark.parametrize("sampler", ["gibbs", "metropolis", "metropolized-gibbs"])
@pytest.mark.parametrize(("tempering", "restart"), [(0.0, False), (0.9, False), (0.7, True)])
def test_every_sample_of_a_ladder_is_that_of_its_twin(sampler, tempering, restart):
    ladder = Ladder(sampler=sampler, steps=60, burn_in=7, tempering=tempering, restart=restart, group=3, kappa=1.0)
    for seed in range(2):
        some = agreement(seed)
        problem, plan, record = ladder.prepare(some, 1.5, seed, together=False)
        streams, n_rungs = record.streams.copy(), len(record.means)
        assert n_rungs > 3
        order = [(low, min(plan.group, n_rungs - low)) for low in range(0, n_rungs, plan.group)]
        assert ladder.climb(problem, plan, Walk(NO_GUESS, 0.0, 0.0, 0.0), record, (0, n_rungs)) == n_rungs
        n_blocks = record.blocks.shape[1]
        for low, group, samples in groups_of(ladder, Terms(some), plan, streams, order):
            for g, values in enumerate(samples):
                assert record.means[low + g] == pytest.approx(np.mean(values), rel=1e-12)
                parts = [
                    np.mean(values[b * len(values) // n_blocks : (b + 1) * len(values) // n_blocks])
                    for b in range(n_blocks)
                ]
                assert record.blocks[low + g] == pytest.approx(parts, rel=1e-12)
                assert record.flips[low + g] == group.flips[g]
                assert (record.swaps[low + g], record.swaps_tried[low + g]) == (group.swaps[g], group.tried[g])
        assert (record.swaps_tried.sum() > 0) == (tempering > 0)


@pytest.mark.parametrize("guess", [0, 1])
@pytest.mark.parametrize("tempering", [0.0, 0.9])
def test_a_climb_stops_after_the_group_that_settles_the_side(guess, tempering):
    ladder = Ladder(steps=60, burn_in=6, tempering=tempering, group=2, kappa=0.7)
    some = agreement(3)
    problem, plan, record = ladder.prepare(some, 1.5, 1, together=False)
    streams, n_rungs = record.streams.copy(), len(record.means)
    starts = range(0, n_rungs, plan.group)
    order = [(low, min(plan.group, n_rungs - low)) for low in starts]
    if guess == 1:  # from the last rung down
        order = [(max(0, n_rungs - low - plan.group), min(plan.group, n_rungs - low)) for low in starts]
    log_sums, so_far, done = [], 0.0, 0
    for _, _, samples in groups_of(ladder, Terms(some), plan, streams, order):
        so_far += sum(0.05 - math.log(np.mean(values)) for values in samples)
        done += len(samples)
        log_sums.append((so_far, done))
    for near, _ in log_sums[::2]:
        log_theta = near - 1e-9 if guess == 1 else near + 1e-9
        expected = next(n for value, n in log_sums if (value >= log_theta if guess == 1 else value < log_theta))
        record.streams[:] = streams
        assert ladder.climb(problem, plan, Walk(guess, 0.0, 0.05, log_theta), record, (0, n_rungs)) == expected
    never = math.inf if guess == 1 else -math.inf
    record.streams[:] = streams
    assert ladder.climb(problem, plan, Walk(guess, 0.0, 0.05, never), record, (0, n_rungs)) == n_rungs


def test_net_bounds_are_those_of_single_attributes_and_of_pairs():
    """Of two attributes at least, a term's net is at most the promotions that have both, and so on downwards."""
    for seed in range(12):
        some = agreement(seed)
        terms = Terms(some)
        nets = [terms.net(frozenset()), *(terms.net(frozenset({i})) for i in range(N))]
        low, high = min(nets), max(nets)
        for pair in itertools.combinations(range(N), 2):
            of_pair = [net for members, net in terms.mistakes if set(pair) <= members]
            low = min(low, sum(net for net in of_pair if net < 0))
            high = max(high, sum(net for net in of_pair if net > 0))
        problem = pack_problem(some.sets, some.nets, (some.n_live, some.n_dead, some.n_free))
        assert tuple(net_bounds(problem)) == (low, high)


def plain_variance(values):
    """Geyer's initial monotone sequence, with numpy."""
    n = len(values)
    off = values - values.mean()
    covariances = [float(off[: n - k] @ off[k:]) / n for k in range(n)]
    spread = covariances[0]
    if spread == 0 or n < 4:
        return spread / max(n - 1, 1), n
    pairs = [covariances[k] + covariances[k + 1] for k in range(0, n - 1, 2)]
    kept = list(itertools.takewhile(lambda pair: pair > 0, pairs))
    total = max(spread, 2 * sum(np.minimum.accumulate(kept)) - spread) if kept else spread
    return total / (n - 1), n * spread / total


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 31, 60])
def test_the_variance_of_a_mean_is_that_of_its_definition(n):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        noise = rng.normal(size=n)
        series = [noise, np.cumsum(noise), np.repeat(noise[: -(-n // 3)], 3)[:n], np.zeros(n)]
        for values in series:
            assert variance_of_mean(values) == pytest.approx(plain_variance(values), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("size", "tempers"), [(1, 2), (2, 3), (3, 3), (8, 4)])
def test_a_population_grows_as_its_twin(size, tempers):
    for seed in range(6):
        some = agreement(seed, most=2, always=seed % 3 - 1)
        problem = pack_problem(some.sets, some.nets, (some.n_live, some.n_dead, some.n_free))
        rates = np.linspace(0.0, math.log(1.5), tempers)
        streams = np.random.default_rng(seed).integers(0, 2**64, (2, 4), dtype=np.uint64)
        room, before = make_room(problem, size, len(rates)), [Stream(words) for words in streams]
        for c, stream in enumerate(before):
            expected = grown(Terms(some), size, rates, stream)
            assert grow(problem, room, rates, streams, c) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("size", [1, 2])
def test_small_populations_are_right_in_the_mean(size):
    """Where no mistake contains a member any more, heavier sets of its size must not count for larger ones."""
    some = agreement_of([([1, 1, 2, 2], 1), ([2, 1, 1, 2], 1), ([2, 2, 1, 1], 1)] * 3, [1] * 4)
    problem = pack_problem(some.sets, some.nets, (some.n_live, 0, 0))
    rates = np.linspace(0.0, math.log(1.5), 2)
    streams = np.random.default_rng(0).integers(0, 2**64, (1000, 4), dtype=np.uint64)
    room = make_room(problem, size, len(rates))
    sums = np.exp([grow(problem, room, rates, streams, c) for c in range(len(streams))])
    exact = sum(number * 1.5**net for net, number in Exact().counts(some).items())
    assert abs(sums.mean() - exact) < 4.5 * sums.std() / math.sqrt(len(sums))  # false alarms: 7e-6
