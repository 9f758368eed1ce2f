"""Tao & Scott's claims about samplers and early stops, at a fraction of their size."""

import warnings

import numpy as np
import pytest
from scipy.stats import norm

from winnowkit.dnf import Agreement, Exact, Ladder, MistakeLog
from winnowkit.experiments import chains_saved, injected, prediction_errors, sampler_errors, tao_scott_figure_2
from winnowkit.experiments.frame import CellResult
from winnowkit.experiments.trials import ALPHA, FOLDS, fold, last_rung, run_trials, simulated, task


def summary(experiment, cells):
    return experiment.summarize([CellResult(cell, experiment.run(cell)) for cell in cells])


@pytest.mark.slow
def test_figure_2_shows_what_the_paper_says():
    """What exact errors at a few trials can tell, and a few samples of tempering."""
    cells = [
        {"kind": "sampled", "n": n, "formula": i, "share": 0.02, "seed": 0} for n in (10, 20) for i in range(4)
    ] + [{"kind": "exact", "n": n, "formula": i, "count": 6, "seed": 0} for n in (10, 15, 30) for i in range(4)]
    shown = {
        v.claim: v
        for v in summary(tao_scott_figure_2, [c | {"count": 1} if c["n"] == 30 else c for c in cells]).verdicts
    }
    for claim in ("Gibbs errs less than Metropolis", "Metropolised Gibbs errs less than Metropolis"):
        assert shown[claim].shows, shown[claim]
    few = shown["Metropolised Gibbs errs less than Gibbs up to n = 25"]  # four formulas cannot tell a tenth
    assert str(few).startswith("[no power]"), few


@pytest.mark.slow
def test_early_stops_save_what_theorem_7_promises_and_more():
    learners = [simulated(10, 50, 0), simulated(20, 50, 0), task("iris", 1), task("voting", 0)]
    for learner in learners:
        row = chains_saved.merge([chains_saved.count(learner, 0.1, 20, [0])])
        assert 0.2 < row["savings"] < 22
        assert row["promised"] <= row["theory"]
        assert row["promised"] <= row["savings"] < row["tighter"]


def test_exact_training_makes_the_trials_that_samplers_are_asked_about():
    learner = simulated(10, 50, seed=0)
    trials = list(run_trials(learner, 100))
    epochs, rest = divmod(len(trials), 50)
    assert rest == 0
    assert epochs > 1
    last = [trial.log_sum >= learner.log_theta - 1e-12 for trial in trials[-50:]]
    assert np.array_equal(last, learner.y == 1)


def test_training_ends_after_the_rounds_of_the_paper_without_a_warning():
    whole = fold("voting", 0)
    part = whole._replace(X=whole.X[:60], y=whole.y[:60])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [prediction_errors.errors(part, "BF", Exact(), rounds, seed=0) for rounds in (1, 3, 200)]
    assert [result["epochs"] for result in found[:2]] == [1, 3]
    assert 3 < found[2]["epochs"] < 200  # until a round had no mistake
    assert found[0]["mistakes"] < found[1]["mistakes"] < found[2]["mistakes"]


def test_folds_are_the_papers():
    for name, n_folds in FOLDS.items():
        parts = [fold(name, number) for number in range(n_folds)]
        sizes = [len(part.y_test) for part in parts]
        rows = len(parts[0].y) + sizes[0]
        assert sum(sizes) == rows  # a partition
        assert n_folds == 10 or rows // (n_folds + 1) < 30 <= rows // n_folds  # section 6
    assert [int(task("iris", label).y.sum()) for label in range(3)] == [40] * 3


def test_training_by_the_last_rung_goes_by_larger_sums():
    learner = simulated(10, 50, seed=0)
    trial, printed = (
        next(t for t in run_trials(learner, 100, as_printed=way) if t.agreement.n_mistakes == 7)
        for way in (False, True)
    )
    assert last_rung(printed.agreement) > ALPHA
    assert printed.log_sum == pytest.approx(
        Exact().log_sum(printed.agreement, last_rung(printed.agreement)).log_sum, rel=1e-12
    )
    assert trial.log_sum == pytest.approx(Exact().log_sum(trial.agreement, ALPHA).log_sum, rel=1e-12)


def test_savings_up_to_a_number_of_chains():
    trainings = [[[10, 10, 5.0], [10, 10, 0.0]], [[10, 10, 5.0]]]  # chains, asked and saved, by epoch
    assert chains_saved.savings_so_far(trainings, 20) == 50.0
    assert chains_saved.savings_so_far(trainings, np.inf) == pytest.approx(100 / 3)


def test_the_error_of_savings_is_that_of_a_ratio():
    rng = np.random.default_rng(0)
    seen = rng.integers(50, 150, (4000, 12))
    saved = rng.binomial(seen, 0.1)
    ratios = 100 * saved.sum(axis=1) / seen.sum(axis=1)
    errors = [chains_saved.ratio_error(list(zip(a, b, strict=True))) for a, b in zip(seen, saved, strict=True)]
    assert np.mean(np.square(errors)) == pytest.approx(ratios.var(ddof=1), rel=0.15)


def test_rung_ratios_multiply_to_the_sum():
    trial = list(run_trials(simulated(12, 50, seed=1), 3))[-1]
    ratios = chains_saved.rung_ratios(chains_saved.net_counts(trial.agreement), 30, np.log(ALPHA) / 29)
    assert trial.agreement.n_attributes * np.log(2) + ratios.sum() == pytest.approx(trial.log_sum, rel=1e-12)
    assert (np.diff(ratios) >= -1e-12).all()  # Theorem 6's inequality


def test_errors_are_computed_at_trials_with_few_attributes():
    trials = list(run_trials(simulated(15, 50, seed=2), 100))
    found = sampler_errors.measure(trials, 3, 2000, 225, [0])
    assert len(found["three"]) == len(found["four"]) == 3
    assert found["smaller"] <= found["small"] <= found["trials"]
    assert all(0 < error < 1 for errors in found["four"] for error in errors)
    assert len(found["bias"]) == 30
    assert min(found["bias"]) > -1e-9  # the last rung is never below alpha here, and most nets are positive
    assert sampler_errors.measure(trials, 3, 2000, 225, [0]) == found


def test_the_bias_of_the_last_rung_is_that_of_a_long_run():
    trial = [t for t in run_trials(simulated(10, 50, seed=0), 100) if len(t.agreement.nets)][-1]
    bias = sampler_errors.last_rung_bias(trial)
    printed = Ladder(as_printed=True, steps=200_000).log_sum(trial.agreement, ALPHA, 0)
    assert np.expm1(printed.log_sum - trial.log_sum) == pytest.approx(bias, abs=0.03)


def test_guess_error_of_a_biased_rung_is_its_mean():
    z = np.random.default_rng(0).standard_normal(200_000)
    for bias, spread in ((0.0, 0.2), (0.3, 0.1), (0.13, 0.08)):
        sampled = np.abs(np.expm1(np.log1p(bias) + spread * z))
        assert sampler_errors.guess_error(bias, spread) == pytest.approx(sampled.mean(), abs=5 * sampled.std() / 447)


def test_injected_noise_is_what_it_says():
    task = simulated(12, 50, seed=3)
    model = injected.NoisyWinnow(12, 1, task.log_theta, 0.3, np.random.default_rng(0))
    exact = np.count_nonzero(task.X[0]) * np.log(2)
    for above in (0.0, 0.3):  # theta in sigmas below a sum that has learned nothing
        model.log_theta = exact - above
        share = model.predict(np.repeat(task.X[:1], 4000, axis=0)).mean()
        assert share == pytest.approx(norm.cdf(above / 0.3), abs=5 * 0.5 / 63)


def test_without_noise_it_is_exact_training():
    task = simulated(12, 50, seed=3)
    model = injected.NoisyWinnow(12, 1, task.log_theta, 0.0, np.random.default_rng(0))
    model.fit(task.X, task.y, 100)
    mistakes = sum((t.log_sum >= task.log_theta - 1e-12) != task.y[t.row] for t in run_trials(task, 100))
    assert model.logs[0].n_mistakes == mistakes
    assert model.predict(task.X).tolist() == task.y.tolist()


@pytest.mark.parametrize("as_printed", [False, True])
def test_rows_summed_several_at_a_time_are_learned_one_by_one(as_printed):
    """The twin asks for one sum after another."""
    task, sigma = simulated(12, 50, seed=4), 0.3
    model = injected.NoisyWinnow(12, 1, task.log_theta, sigma, np.random.default_rng(1), as_printed=as_printed)
    model.fit(task.X, task.y, 8)
    log, rng = MistakeLog(12), np.random.default_rng(1)
    for _ in range(8):
        before = log.n_mistakes
        for x, label in zip(task.X, task.y, strict=True):
            agreement = Agreement.of(log, x)
            alpha = last_rung(agreement) if as_printed else ALPHA
            noisy = Exact().log_sum(agreement, alpha).log_sum + sigma * rng.standard_normal()
            if (noisy >= task.log_theta - 1e-12) != label:
                log.append(x, 1 if label else -1)
        if log.n_mistakes == before:
            break
    assert model.logs[0] == log
    assert log.n_mistakes > 20


def test_the_injected_error_is_that_of_gibbs_sampler():
    task = simulated(12, 50, seed=3)
    few, many = (injected.sigma_of(task, steps, 144, 100, np.random.default_rng(0)) for steps in (2000, 32_000))
    assert many == pytest.approx(few / 4, rel=0.3)
