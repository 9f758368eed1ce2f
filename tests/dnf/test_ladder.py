import math
import threading
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_dnf as naive
from logs import log_of, random_agreement
from winnowkit import DNFWinnow
from winnowkit.data import load_dataset
from winnowkit.dnf import Agreement, Auto, BudgetExceeded, Exact, Ladder, MistakeDriven, MistakeLog, Threshold
from winnowkit.dnf.agreement import log_of_counts
from winnowkit.dnf.engine import in_order
from winnowkit.dnf.mcmc.chains import pack_problem
from winnowkit.dnf.mcmc.ladder_kernel import Walk
from winnowkit.dnf.mcmc.rungs import count_rungs, net_limits, promised_savings, rung_step, stop_early
from winnowkit.dnf.training import Guesses

SAMPLERS = ("gibbs", "metropolis", "metropolized-gibbs")


def rung_ratios(agreement, alpha, n_rungs):
    """Exact logarithms of W(alpha_i) / W(alpha_(i-1))."""
    counts = Exact().counts(agreement)
    logs = [agreement.n_attributes * math.log(2)]
    logs += [log_of_counts(counts, alpha ** (i / (n_rungs - 1))) for i in range(1, n_rungs)]
    return np.diff(logs).tolist(), logs[-1]


def walk_of(agreement, guess, alpha, log_theta, n_rungs, bounds):
    problem = pack_problem(agreement.sets, agreement.nets, (agreement.n_live, agreement.n_dead, agreement.n_free))
    bound = net_limits(agreement, problem, bounds)[1 - guess] * math.log(alpha) / (n_rungs - 1)
    return Walk(guess, agreement.n_attributes * math.log(2) + (n_rungs - 1) * bound, -bound, log_theta)


def test_rungs_are_the_fewest_that_reach_alpha():
    for size in (1, 7, 40, 100):
        agreement = random_agreement(size, size=size)
        for kappa, m in ((1.0, "sum"), (2.5, "sum"), (0.5, "max")):
            u, v = agreement.n_promotions, agreement.n_demotions
            largest = u + v if m == "sum" else max(u, v)
            rungs = count_rungs(agreement, 1.5, kappa, m)
            assert (1 + kappa / largest) ** (rungs - 1) >= 1.5
            assert rungs == 2 or (1 + kappa / largest) ** (rungs - 2) < 1.5


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(1, 60),
    promoted=st.floats(0, 1),
    distance=st.floats(-6, 6).filter(lambda d: abs(d) > 1e-9),
    guess=st.sampled_from([0, 1]),
    bounds=st.sampled_from(["totals", "pairs"]),
    kappa=st.sampled_from([0.5, 1.0, 3.0]),
)
def test_with_exact_ratios_an_early_stop_always_agrees_with_the_exact_side(
    seed, size, promoted, distance, guess, bounds, kappa
):
    """Theorem 5; and Theorem 7's promise, for m = u + v, kappa = 1 and the right guess."""
    agreement = random_agreement(seed, n=7, size=size, promoted=promoted)
    if len(agreement.nets) == 0:
        return
    n_rungs = count_rungs(agreement, 1.5, kappa, "sum")
    ratios, log_sum = rung_ratios(agreement, 1.5, n_rungs)
    log_theta = log_sum - distance
    label, run = stop_early(ratios, walk_of(agreement, guess, 1.5, log_theta, n_rungs, bounds))
    assert label == int(log_sum >= log_theta)
    assert 0 <= run <= n_rungs - 1
    if label == guess and kappa == 1.0:
        assert run <= max(0, n_rungs - 1 - promised_savings(log_sum, log_theta))
    walk = walk_of(agreement, guess, 1.5, log_theta, n_rungs, bounds)
    assert stop_early(ratios, walk, as_printed=True) == (label, max(run, 1))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(1, 12),
    distance=st.floats(-1, 1),
    bounds=st.sampled_from(["totals", "pairs"]),
    as_printed=st.booleans(),
)
def test_an_early_stop_never_changes_the_label_that_all_chains_give(seed, size, distance, bounds, as_printed):
    """The abstract's "exactly the same classifications": also where ratios are sampled so badly that they mislead."""
    agreement = random_agreement(seed, n=4, size=size)
    threshold = Threshold(1.5, Exact().log_sum(agreement, 1.5).log_sum + distance)
    few = {"steps": 8, "burn_in": 0, "bounds": bounds, "as_printed": as_printed}
    every = Ladder(early_stop=False, **few).decide(agreement, threshold, rng=seed)
    stopped = [Ladder(**few).decide(agreement, threshold, guess=guess, rng=seed) for guess in (0, 1)]
    assert [decision.label for decision in stopped] == [every.label] * 2
    assert all(decision.chains + decision.chains_saved == every.chains for decision in stopped)


def test_no_set_of_rungs_is_smaller_than_the_one_taken_in_order():
    """Theorem 6, against all sets of rungs; and Cauchy's inequality behind it."""
    saved = 0
    for seed in range(20):
        agreement = random_agreement(seed, n=6, size=14)
        n_rungs = count_rungs(agreement, 1.5, 1.0, "sum")
        ratios, log_sum = rung_ratios(agreement, 1.5, n_rungs)
        assert (np.diff(ratios) > -1e-12).all()
        for guess, sign in ((1, 1), (0, -1)):
            log_theta = log_sum - 1.3 * sign
            walk = walk_of(agreement, guess, 1.5, log_theta, n_rungs, "totals")
            gains = [walk.per_rung + ratio for ratio in ratios]
            enough = (
                size
                for size in range(n_rungs)
                for chosen in combinations(gains, size)
                if sign * (walk.log_sum + sum(chosen) - log_theta) > 0
            )
            label, run = stop_early(ratios, walk)
            assert (label, run) == (guess, next(enough))
            saved += n_rungs - 1 - run
    assert saved > 0


def one_attribute(promotions):
    """An attribute that was promoted so often, in the log of which another value was demoted once."""
    return Agreement.of(log_of([([1], +1)] * promotions + [([2], -1)], 1), [1])


def test_bounds_alone_may_settle_the_side():
    agreement = one_attribute(8)  # four chains
    n_rungs = count_rungs(agreement, 1.5, 1.0, "sum")
    ratios, log_sum = rung_ratios(agreement, 1.5, n_rungs)
    walk = walk_of(agreement, 1, 1.5, log_sum - 4.5, n_rungs, "totals")
    assert promised_savings(log_sum, log_sum - 4.5) == n_rungs - 1 == 4
    assert stop_early(ratios, walk) == (1, 0)
    assert stop_early(ratios, walk, as_printed=True) == (1, 1)  # Table I looks after a chain only: it saves three
    decision = Ladder(bounds="totals").decide(agreement, Threshold(1.5, log_sum - 4.5), 1, rng=0)
    assert (decision.label, decision.certain, decision.chains, decision.chains_saved) == (1, True, 0, 4)
    printed = Ladder(bounds="totals", as_printed=True).decide(agreement, Threshold(1.5, log_sum - 4.5), 1, rng=0)
    assert (printed.label, printed.certain, printed.chains, printed.chains_saved) == (1, False, 1, 3)


def test_theorem_7_without_its_floor_is_false_by_rounding():
    agreement = one_attribute(9)  # five chains
    counts = Exact().counts(agreement)
    step = rung_step(agreement, 1.5, 1.0, "sum", as_printed=True)
    n_rungs = count_rungs(agreement, 1.5, 1.0, "sum")
    logs = [log_of_counts(counts, math.exp(step * i)) for i in range(n_rungs)]
    log_theta = logs[-1] - 0.9  # W = e^0.9 theta
    low, _ = net_limits(agreement, None, "totals")
    walk = Walk(1, agreement.n_attributes * math.log(2) + (n_rungs - 1) * low * step, -low * step, log_theta)
    label, run = stop_early(np.diff(logs).tolist(), walk)
    assert (label, n_rungs - 1, run) == (1, 5, 5)
    assert run > n_rungs - 1 - 0.9  # the paper: at most this many chains
    assert run <= n_rungs - 1 - promised_savings(logs[-1], log_theta)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_printed_rungs_end_above_alpha(sampler):
    agreement = random_agreement(5, n=6, size=12)
    n_rungs = count_rungs(agreement, 1.5, 1.0, "sum")
    top = math.exp(rung_step(agreement, 1.5, 1.0, "sum", as_printed=True) * (n_rungs - 1))
    ours = math.exp(rung_step(agreement, 1.5, 1.0, "sum", as_printed=False) * (n_rungs - 1))
    m = agreement.n_promotions + agreement.n_demotions
    assert top == pytest.approx((1 + 1 / m) ** (n_rungs - 1))
    assert top > 1.5 == pytest.approx(ours)
    estimate = Ladder(sampler=sampler, as_printed=True, steps=200_000).log_sum(agreement, 1.5, 0)
    biased, unbiased = (log_of_counts(Exact().counts(agreement), alpha) for alpha in (top, 1.5))
    assert biased - unbiased > 0.05
    assert estimate.log_sum == pytest.approx(biased, abs=0.02)  # far from the sum itself


def test_metropolised_gibbs_as_printed_may_never_mix():
    # four attributes in no mistake: all flips but those of the empty term have a ratio of 1, and are made
    agreement = Agreement.of(log_of([([2] * 4, +1)] * 4, 4), [1] * 4)
    top = math.exp(rung_step(agreement, 1.5, 1.0, "sum", as_printed=True) * 2)
    truth = log_of_counts(Exact().counts(agreement), top)
    spread = {
        sampler: np.ptp([ladder.log_sum(agreement, 1.5, seed).log_sum - truth for seed in range(6)])
        for sampler in ("gibbs", "metropolized-gibbs")
        for ladder in [Ladder(sampler=sampler, as_printed=True, steps=20_000)]
    }
    assert spread["gibbs"] < 0.05
    assert spread["metropolized-gibbs"] > 0.2  # where a chain starts decides where it stays
    ours = Ladder(sampler="metropolized-gibbs", steps=20_000).log_sum(agreement, 1.5, 0).log_sum
    assert abs(ours - Exact().log_sum(agreement, 1.5).log_sum) < 0.05


def test_tighter_bounds_never_need_more_rungs():
    saved = 0
    for seed in range(30):
        agreement = random_agreement(seed, size=50)
        n_rungs = count_rungs(agreement, 1.5, 1.0, "sum")
        ratios, log_sum = rung_ratios(agreement, 1.5, n_rungs)
        for guess, log_theta in ((1, log_sum - 1), (0, log_sum + 1)):
            runs = [
                stop_early(ratios, walk_of(agreement, guess, 1.5, log_theta, n_rungs, bounds))[1]
                for bounds in ("pairs", "totals")
            ]
            assert runs[0] <= runs[1]
            saved += runs[1] - runs[0]
    assert saved > 30


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("tempering", [0.0, 0.9])
def test_steps_chains_and_rates_are_reported(sampler, tempering):
    agreement = random_agreement(1, n=10, size=30)
    ladder = Ladder(sampler=sampler, tempering=tempering, steps=1000, burn_in=100)
    estimate = ladder.log_sum(agreement, 1.5, rng=0)
    assert estimate.chains == count_rungs(agreement, 1.5, 1.0, "sum") - 1 == 13
    assert estimate.steps == 13 * 1100
    assert not estimate.exact
    assert 0 < estimate.acceptance < 1
    assert 1 < estimate.ess <= (1000 if sampler == "metropolis" else 100)
    assert 0 < estimate.swap_rate <= 1 if tempering else math.isnan(estimate.swap_rate)
    truth = Exact().log_sum(agreement, 1.5).log_sum
    assert abs(estimate.log_sum - truth) < 5 * estimate.std_err + 1e-12
    decision = ladder.decide(agreement, Threshold(1.5, truth + 2.0), 0, rng=0)
    assert decision.chains + decision.chains_saved == 13
    assert decision.steps == decision.chains * 1100


def test_default_steps_follow_the_number_of_columns():
    log = MistakeLog(20)
    log.append(np.ones(20), 1)
    log.append(np.r_[np.ones(10), np.zeros(10)], -1)
    x = np.r_[np.zeros(12), np.ones(8)]  # 8 of 20 specified
    metropolis, gibbs = (Ladder(sampler=s).log_sum(Agreement.of(log, x), 1.5, 0) for s in ("metropolis", "gibbs"))
    assert metropolis.steps == metropolis.chains * (400 + 4000)
    assert gibbs.steps == gibbs.chains * 8 * (400 // 8 + 4000 // 8)


def test_accuracy_asks_for_the_samples_of_theorems_1_and_4():
    agreement = random_agreement(2, n=4, size=10)
    for kappa, size in ((1.0, "sum"), (0.5, "max")):
        rungs = count_rungs(agreement, 1.5, kappa, size)
        estimate = Ladder.from_accuracy(0.9, sampler="metropolis", kappa=kappa, size=size).log_sum(agreement, 1.5, 0)
        samples = math.ceil(130 * rungs * math.exp(2 * kappa) / 0.9**2)
        assert estimate.steps == (rungs - 1) * (samples + 16)
    truth = Exact().log_sum(agreement, 1.5).log_sum
    assert abs(math.expm1(estimate.log_sum - truth)) < 0.9


@pytest.mark.parametrize("tempering", [0.0, 0.9])
def test_the_same_seed_gives_the_same_estimate_for_any_number_of_threads(tempering):
    agreement = random_agreement(3, size=80)
    estimates = [Ladder(tempering=tempering, n_jobs=n_jobs).log_sum(agreement, 1.5, 7) for n_jobs in (1, 2, 5)]
    assert estimates[0].log_sum == estimates[1].log_sum == estimates[2].log_sum
    assert Ladder(tempering=tempering).log_sum(agreement, 1.5, 8).log_sum != estimates[0].log_sum


def test_restarting_for_each_sample_estimates_the_same_sum():
    agreement = random_agreement(4, n=6, size=12)
    estimate = Ladder(restart=True, steps=3000, burn_in=60).log_sum(agreement, 1.5, 0)
    assert estimate.steps == estimate.chains * 6 * (500 * 10)
    assert abs(estimate.log_sum - Exact().log_sum(agreement, 1.5).log_sum) < 5 * estimate.std_err


def test_sums_whose_terms_all_weigh_the_same_need_no_chain():
    log = MistakeLog(3)
    assert Ladder().log_sum(Agreement.of(log, [1, 1, 0]), 1.5).log_sum == 2 * math.log(2)
    log.append([1, 1, 2], 1)
    nothing_specified = Ladder().log_sum(Agreement.of(log, [0, 0, 0]), 1.5)
    assert (nothing_specified.log_sum, nothing_specified.exact) == (math.log(1.5), True)
    log.append([1, 1, 2], -1)
    assert Ladder().decide(Agreement.of(log, [1, 1, 1]), Threshold(1.5, 3 * math.log(2))).label == 1


@pytest.mark.parametrize("tempering", [0.0, 0.9])
@pytest.mark.parametrize("early_stop", [True, False])
def test_decisions_far_from_theta_are_right_and_count_their_chains(tempering, early_stop):
    saved = 0
    for seed in range(10):
        agreement = random_agreement(seed, size=60)
        truth = Exact().log_sum(agreement, 1.5).log_sum
        rungs = count_rungs(agreement, 1.5, 1.0, "sum")
        for distance in (-2, 2):
            ladder = Ladder(tempering=tempering, early_stop=early_stop)
            decision = ladder.decide(agreement, Threshold(1.5, truth - distance), guess=int(distance > 0), rng=seed)
            assert decision.label == int(distance > 0)
            assert not decision.certain
            assert decision.doubt < (0.5 if early_stop else 0.01)  # early: the bound has only just crossed
            assert decision.chains + decision.chains_saved == rungs - 1
            saved += decision.chains_saved
    assert (saved > 0) == early_stop


def test_a_decision_at_theta_is_doubtful():
    agreement = random_agreement(5, size=60)
    truth = Exact().log_sum(agreement, 1.5).log_sum
    doubts = [Ladder(early_stop=False).decide(agreement, Threshold(1.5, truth), rng=seed).doubt for seed in range(20)]
    assert np.mean(doubts) > 0.1


def test_guesses_in_four_ways():
    labels = [1, 0]
    assert [Guesses("label", labels)[row] for row in (0, 1)] == [1, 0]
    assert [Guesses("one", labels)[row] for row in (0, 1)] == [1, 1]
    assert [Guesses("start", labels)[row] for row in (0, 1)] == [None, None]
    last = Guesses("last", labels)
    last.predicted(1, 1)
    assert [last[row] for row in (0, 1)] == [None, 1]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sampler": "slice"}, "sampler must be one of metropolis, gibbs, metropolized-gibbs, got 'slice'"),
        ({"steps": 0}, "steps must be"),
        ({"burn_in": -1}, "burn_in must be"),
        ({"kappa": 0}, "kappa must be"),
        ({"size": "min"}, "size must be"),
        ({"tempering": 1.5}, "tempering must be a probability, got 1.5"),
        ({"group": 1}, "group must be"),
        ({"bounds": "loose"}, "bounds must be"),
        ({"guess": "two"}, "guess must be"),
        ({"accuracy": 0.0}, "accuracy must be"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        Ladder(**parameters)


def test_a_ladder_learns_voting_and_repeats_itself_in_any_number_of_threads():
    X, y = load_dataset("voting", return_X_y=True)
    X, y = X[:120], y[:120]
    parameters = {"engine": Ladder(steps=400, burn_in=100), "max_epochs": 3, "random_state": 0}
    models = [DNFWinnow(max_literals=None, **parameters, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 3)]
    assert models[0].logs_ == models[1].logs_
    assert np.array_equal(models[0].predict(X), models[1].predict(X))
    assert np.array_equal(models[0].predict(X)[40:50], models[0].predict(X[40:50]))
    assert models[0].score(X, y) > 0.9
    sums = models[0].estimate(X[:5])
    exact = models[0].log_weighted_sum(X[:5], engine=Exact())[:, 0]
    assert all(abs(row[0].log_sum - truth) < 6 * row[0].std_err for row, truth in zip(sums, exact, strict=True))


def test_auto_is_exact_within_its_budget_and_samples_past_it():
    X, y = load_dataset("voting", return_X_y=True)
    X, y = X[:100], y[:100]
    exact = DNFWinnow(engine=Exact(), random_state=0).fit(X, y)
    auto = DNFWinnow(max_literals=None, random_state=0).fit(X, y)
    assert auto.logs_ == exact.logs_
    assert all(row[0].exact for row in auto.estimate(X))
    half = int(np.median([row[0].steps for row in exact.estimate(X)]))
    sampler = Ladder(steps=600, burn_in=200)
    with pytest.raises(BudgetExceeded):
        exact.log_weighted_sum(X, engine=Exact(max_nodes=half))
    assert {row[0].exact for row in exact.estimate(X, engine=Auto(Exact(half), sampler))} == {True, False}
    with pytest.raises(BudgetExceeded):
        DNFWinnow(engine=Exact(max_nodes=1), random_state=0).fit(X, y)
    for two_class in ("single", "pair"):
        training, engine = MistakeDriven(two_class=two_class), Auto(Exact(max_nodes=1), sampler)
        model = DNFWinnow(training=training, engine=engine, max_epochs=5, random_state=0).fit(X, y)
        assert model.score(X, y) > 0.9
        assert np.array_equal(model.predict(X), model.classes_[(model.decision_function(X) > 0).astype(int)])


def test_an_interrupted_fit_leaves_a_usable_model(monkeypatch):
    X, y = load_dataset("tic-tac-toe", return_X_y=True)
    calls = []

    def rows(_, n):
        calls.append(n)
        if len(calls) == 300:
            raise KeyboardInterrupt

    monkeypatch.setattr("winnowkit.core.progress.Progress.rows", rows)
    model = DNFWinnow(max_literals=None, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert 0 < model.logs_[0].n_mistakes <= model.n_updates_[0]
    assert model.n_trials_ > 0
    assert model.score(X, y) > 0.5
    assert model.partial_fit(X[:10], y[:10]).n_trials_ > model.n_epochs_ * len(X)


def test_an_interrupt_stops_the_other_threads_too():
    stopped, started = threading.Event(), threading.Event()

    def call(item):
        if item == 0:
            started.wait(10)
            raise KeyboardInterrupt
        started.set()
        assert stopped.wait(10)

    with pytest.raises(KeyboardInterrupt):
        in_order(call, [0, 1], 2, on_interrupt=stopped.set)


def test_the_naive_sum_agrees_with_what_the_ladder_is_judged_by():
    mistakes = [((1, 1, 2), 1), ((1, 2, 1), -1)]
    log = log_of(mistakes, 3)
    truth = naive.log(naive.weighted_sum((1, 1, 1), mistakes, 1.5))
    estimate = Ladder(steps=100_000).log_sum(Agreement.of(log, (1, 1, 1)), 1.5, 0)
    assert abs(estimate.log_sum - truth) < 5 * estimate.std_err
