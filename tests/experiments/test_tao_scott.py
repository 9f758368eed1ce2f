"""Tao & Scott's claims about samplers and early stops, at a fraction of their size."""

import warnings

import numpy as np
import pytest

from winnowkit.dnf import Exact
from winnowkit.experiments import chains_saved, guess_error, prediction_errors, tao_scott_figure_1, tao_scott_figure_2
from winnowkit.experiments.frame import CellResult
from winnowkit.experiments.trials import FOLDS, SAMPLERS, fold, run_trials, simulated, task


def summary(experiment, cells):
    return experiment.summarize([CellResult(cell, experiment.run(cell)) for cell in cells])


@pytest.mark.slow
def test_figures_1_and_2_show_what_the_paper_says():
    """What a few hundred trials can tell; the order of G and MG is a matter of per cents and left to the experiment."""
    voting = [
        {"fold": 0, "label": label, "steps": steps, "rounds": 20, "share": 0.006, "seed": 0}
        for label in (0, 1)
        for steps in (800, 9600)
    ]
    sizes = [{"n": n, "formula": i, "share": 0.04, "seed": 0} for n in (10, 25, 40) for i in range(5)]
    shown = [*summary(tao_scott_figure_1, voting).verdicts, *summary(tao_scott_figure_2, sizes).verdicts]
    claims = [
        "Guess Error falls as steps grow",
        "Guess Error rises with the attributes",
        "Gibbs errs less than Metropolis",
        "Metropolised Gibbs errs less than Metropolis",
        "parallel tempering has little effect",
    ]
    for claim in claims:
        last = [verdict for verdict in shown if verdict.claim == claim][-1]
        assert last.shows, last


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


def test_rung_ratios_multiply_to_the_sum():
    trial = list(run_trials(simulated(12, 50, seed=1), 3))[-1]
    ratios = chains_saved.rung_ratios(trial.agreement, 30)
    assert trial.agreement.n_attributes * np.log(2) + ratios.sum() == pytest.approx(trial.log_sum, rel=1e-12)
    assert (np.diff(ratios) >= -1e-12).all()  # Theorem 6's inequality


def test_moments_give_the_means_and_paired_z_scores_of_the_errors_themselves():
    errors = np.random.default_rng(0).random((40, len(SAMPLERS)))
    parts = [guess_error.Moments.of(part).result() for part in (errors[:25], errors[25:])]
    together = guess_error.Moments.total(parts)
    assert together.mean == pytest.approx(errors.mean(axis=0))
    difference = errors[:, 0] - errors[:, 3]
    assert together.z(0, 3) == pytest.approx(difference.mean() / (difference.std(ddof=1) / np.sqrt(40)))
    assert together.z(0, 3) == -together.z(3, 0)
