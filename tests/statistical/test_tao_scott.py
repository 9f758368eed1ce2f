"""Tao & Scott's claims about samplers and early stops, at a fraction of their size."""

import numpy as np
import pytest

from winnowkit.experiments import chains_saved, guess_error
from winnowkit.experiments.trials import one_fold, run_trials, simulated


@pytest.mark.slow
def test_figures_1_and_2_show_what_the_paper_says():
    """What a few hundred trials can tell; the order of G and MG is a matter of per cents and left to the experiment."""
    voting = guess_error.figure_1(0.006, n_jobs=2, steps=(800, 6400))
    sizes = guess_error.figure_2(0.04, n_jobs=2, sizes=(10, 25, 40))
    shown = {verdict.claim: verdict for verdict in guess_error.verdicts(voting, sizes)}
    claims = [
        "Figure 1: Guess Error falls with the steps",
        "Figure 2: Guess Error rises with the attributes",
        "Figure 2: G errs less than M",
        "Figure 2: MG errs less than M",
        "tempering makes little difference to G",
    ]
    for claim in claims:
        assert shown[claim].shows, shown[claim]


@pytest.mark.slow
def test_early_stops_save_what_theorem_7_promises_and_more():
    rows = [*chains_saved.table_viii(0.2, sizes=(10, 20)), *chains_saved.table_ix(0.01, ["iris", "voting"])]
    for row in rows:
        assert 0.2 < row.savings < 22
        assert row.by_theory <= row.savings < row.tighter
    assert 0.5 < rows[1].chains / 20_800 < 2  # Table VIII, n = 20


def test_exact_training_makes_the_trials_that_samplers_are_asked_about():
    task = simulated(10, 50, seed=0)
    trials = list(run_trials(task, 100))
    epochs, rest = divmod(len(trials), 50)
    assert rest == 0
    assert epochs > 1
    last = [trial.log_sum >= task.log_theta - 1e-12 for trial in trials[-50:]]
    assert np.array_equal(last, task.y == 1)
    assert [len(tasks.y) for tasks in one_fold("iris")] == [120] * 3


def test_rung_ratios_multiply_to_the_sum():
    trial = list(run_trials(simulated(12, 50, seed=1), 3))[-1]
    ratios = chains_saved.rung_ratios(trial.agreement, 30)
    assert trial.agreement.n_attributes * np.log(2) + ratios.sum() == pytest.approx(trial.log_sum, rel=1e-12)
    assert (np.diff(ratios) >= -1e-12).all()  # Theorem 6's inequality
