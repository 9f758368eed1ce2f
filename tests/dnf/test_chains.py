"""The chains' kernels on small problems, where every state and every transition can be written down."""

import itertools

import numba
import numpy as np
import pytest

import naive_dnf as naive
from logs import agreement_of
from winnowkit.core.random_streams import below, uniform
from winnowkit.dnf import Agreement, MistakeLog
from winnowkit.dnf.mcmc import chains as kernel
from winnowkit.dnf.mcmc.chains import Sampler
from winnowkit.dnf.mcmc.ladder_kernel import net_bounds

N = 4
STATES = list(itertools.product((0, 1), repeat=N))
# Asymmetric: promotions and demotions of different sizes, nets of several units, a free and a dead attribute.
MISTAKES = [((1, 1, 2, 1), 1)] * 5 + [((1, 2, 1, 1), -1)] * 3 + [((1, 1, 1, 2), 1), ((2, 1, 1, 1), -1)]
ASYMMETRIC = MISTAKES + [((2, 2, 1, 1), -1)] * 2
RATE = np.log(1.7)
ONES = (1,) * N


def problem_of(agreement):
    return kernel.pack_problem(agreement.sets, agreement.nets, (agreement.n_live, agreement.n_dead, agreement.n_free))


def chain_of(problem, state, seed=0):
    chains = kernel.make_chains(1, len(state), problem.weights.size)
    chains.streams[:] = np.random.default_rng(seed).integers(0, 2**64, (1, 4), dtype=np.uint64)
    kernel.put(problem, chains, 0, np.array(state, dtype=np.uint8))
    return chains


def net_of(problem, state):
    return int(chain_of(problem, state).net[0])


def stationary(problem, rate=RATE):
    weights = np.exp([rate * net_of(problem, state) for state in STATES])
    return weights / weights.sum()


def table(problem, sampler, rate=RATE):
    accept = np.empty(2 * problem.reach + 1)
    kernel.fill_accept(accept, rate, sampler, N)
    return accept


def update_matrix(problem, i, accept):
    """Transitions of one update of attribute i, from the kernel's own gains."""
    matrix = np.zeros((len(STATES), len(STATES)))
    for k, state in enumerate(STATES):
        flipped = tuple(p ^ (j == i) for j, p in enumerate(state))
        change = kernel.gain(problem, chain_of(problem, state), 0, i)
        matrix[k, STATES.index(flipped)] = accept[problem.reach + change]
        matrix[k, k] = 1 - accept[problem.reach + change]
    return matrix


def sample_matrix(problem, sampler, accept):
    """Transitions from one sample to the next."""
    updates = [update_matrix(problem, i, accept) for i in range(N)]
    return sum(updates) / N if sampler == Sampler.METROPOLIS else np.linalg.multi_dot(updates)


@pytest.fixture(scope="module")
def problem():
    return problem_of(agreement_of(ASYMMETRIC, ONES))


def test_nets_of_all_states_are_those_of_the_terms(problem):
    """Attributes are renumbered inside, so the nets are compared as a collection."""
    expected = sorted(naive.net(term, (1,) * N, ASYMMETRIC) for term in naive.subsets(range(N)))
    assert sorted(net_of(problem, state) for state in STATES) == expected
    assert len(set(expected)) > 4


@pytest.mark.parametrize("seed", range(6))
def test_gains_and_counters_on_large_problems_match_plain_sets(seed):
    """Hundreds of mistakes, nets of many digits, more attributes than a word has bits: a random walk of flips."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([5, 20, 70, 130]))
    log = MistakeLog(n)
    for _ in range(int(rng.integers(1, 300))):
        z, sign = rng.choice([0, 1, 1, 1, 2], n), int(rng.choice([-1, 1]))
        for _ in range(int(rng.integers(1, 12))):
            log.append(z, sign)
    agreement = Agreement.of(log, np.ones(n))
    live = agreement.n_live
    has = np.array([[(int(word[i // 62]) >> (i % 62)) & 1 for i in range(live)] for word in agreement.sets], dtype=bool)
    has = np.column_stack([has, np.zeros((len(has), agreement.n_dead)), np.ones((len(has), agreement.n_free))])
    packed = problem_of(agreement)
    chains, state = chain_of(packed, [0] * n), np.zeros(n, dtype=bool)
    for i in rng.integers(0, n, 200):
        before = agreement.nets[has[:, state].all(axis=1)].sum()
        state[i] ^= True
        after = agreement.nets[has[:, state].all(axis=1)].sum()
        change = kernel.gain(packed, chains, 0, i)
        assert (chains.net[0], change) == (before, after - before)
        kernel.flip(packed, chains, 0, i, change)
    assert np.array_equal(chains.chosen[0], state)


def test_an_update_flips_with_exactly_the_probability_of_its_table(problem):
    accept = table(problem, Sampler.GIBBS)
    seen = set()
    for k, state in enumerate(STATES):
        for i, seed in itertools.product(range(N), range(10)):
            chains = chain_of(problem, state, seed=1000 * k + seed)
            drawn = uniform(chains.streams.copy(), 0)
            change = kernel.gain(problem, chains, 0, i)
            flips = kernel.update(problem, chains, 0, i, accept)
            assert flips == (drawn < accept[problem.reach + change])
            seen.add(flips)
    assert seen == {0, 1}


@pytest.mark.parametrize("sampler", list(Sampler))
def test_transitions_leave_the_stationary_distribution_in_place(problem, sampler):
    pi = stationary(problem)
    matrix = sample_matrix(problem, sampler, table(problem, sampler))
    assert np.allclose(matrix.sum(axis=1), 1)
    assert np.allclose(pi @ matrix, pi, atol=1e-14)


@pytest.mark.parametrize("sampler", list(Sampler))
def test_a_wrong_rule_does_not_leave_it_in_place(problem, sampler):
    """Controls: the reciprocal ratio, the square of the ratio, and Table III read literally."""
    pi = stationary(problem)
    for wrong in (table(problem, sampler, -RATE), table(problem, sampler, 2 * RATE)):
        assert np.abs(pi @ sample_matrix(problem, sampler, wrong) - pi).max() > 1e-3
    if sampler == Sampler.METROPOLIS:
        return
    literal = np.eye(len(STATES))  # a sweep whose acceptance looks at the state before it
    accept = table(problem, sampler)
    for k, state in enumerate(STATES):
        changes = [kernel.gain(problem, chain_of(problem, state), 0, i) for i in range(N)]
        flip = [accept[problem.reach + change] for change in changes]
        for m, other in enumerate(STATES):
            literal[k, m] = np.prod([p if a != b else 1 - p for p, a, b in zip(flip, state, other, strict=True)])
    assert np.abs(pi @ literal - pi).max() > 1e-3


@pytest.mark.parametrize("sampler", [s for s in Sampler if s != Sampler.METROPOLIZED_GIBBS_PRINTED])
@pytest.mark.parametrize("mistakes", [ASYMMETRIC, [((2,) * N, 1)]], ids=["asymmetric", "flat"])
def test_every_state_can_be_reached_from_every_other(sampler, mistakes):
    small = problem_of(agreement_of(mistakes, ONES))
    matrix = sample_matrix(small, sampler, table(small, sampler))
    assert (np.linalg.matrix_power(matrix, 64) > 0).all()


def test_as_printed_the_metropolized_sweep_is_reducible():
    """Control: on equal weights a sweep flips everything, and the chain has two states for ever."""
    flat = problem_of(agreement_of([((2,) * N, 1), ((2, 2, 2, 1), -1)], ONES))
    printed = Sampler.METROPOLIZED_GIBBS_PRINTED
    assert (np.linalg.matrix_power(sample_matrix(flat, printed, table(flat, printed)), 64) == 0).any()


def test_as_printed_the_metropolized_sweep_is_ours_never_held_back():
    problem = problem_of(agreement_of(ASYMMETRIC, ONES))
    ours, printed = (table(problem, s) for s in (Sampler.METROPOLIZED_GIBBS, Sampler.METROPOLIZED_GIBBS_PRINTED))
    assert printed == pytest.approx(ours / (1 - 1 / N), rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_bounds_on_nets_hold_and_are_no_wider_than_promotions_and_demotions(seed):
    rng = np.random.default_rng(seed)
    mistakes = [(tuple(rng.integers(0, 3, 6).tolist()), int(rng.choice([-1, 1]))) for _ in range(rng.integers(1, 25))]
    agreement = agreement_of(mistakes, (1,) * 6)
    low, high = net_bounds(problem_of(agreement))
    nets = naive.counts((1,) * 6, mistakes)
    assert -agreement.n_demotions <= low <= min(nets)
    assert max(nets) <= high <= agreement.n_promotions


@numba.njit
def draw(streams, n):
    values, indices = np.empty(n), np.empty(n, dtype=np.int64)
    for k in range(n):
        values[k] = uniform(streams, 0)
        indices[k] = below(streams, 0, 7)
    return values, indices


def test_the_random_stream_is_xoshiro256_plus_plus():
    """Against the generator's definition in plain integers; and its numbers are in range."""

    def turn(word, by):
        return ((word << by) | (word >> (64 - by))) & (2**64 - 1)

    s = [1, 2, 3, 4]
    streams = np.array([s], dtype=np.uint64)
    for _ in range(50):
        word = (turn((s[0] + s[3]) % 2**64, 23) + s[0]) % 2**64
        moved = (s[1] << 17) % 2**64
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= moved
        s[3] = turn(s[3], 45)
        assert uniform(streams, 0) == (word >> 11) / 2**53
    assert streams.tolist() == [s]
    values, indices = draw(streams, 70_000)
    assert 0 <= values.min() < 1e-3
    assert 0.999 < values.max() < 1
    assert np.abs(np.bincount(indices, minlength=7) - 10_000).max() < 5 * np.sqrt(10_000)
