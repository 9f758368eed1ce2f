"""What Helmbold, Panizza & Warmuth say of direct and indirect algorithms, on random examples.

A mean of paired differences over runs counts as clear if Student's t gives it less than RATE = 5e-7 to come by chance
when there is no difference. Seeds are fixed. Each test has a control, on which the same test must fail.
"""

import numpy as np
import pytest
from scipy import stats

from winnowkit import bounds
from winnowkit.experiments import helmbold_panizza_warmuth_bounds as experiment
from winnowkit.experiments.frame import CellResult
from winnowkit.experiments.helmbold_panizza_warmuth_bounds import Setting, tuned_alpha, tuned_beta

RATE = 5e-7


@pytest.fixture(scope="module")
def noisy():
    setting = Setting(2, 60, 0.05)
    cells = [{"panel": "attribute_noise", **setting._asdict(), "run": run, "seed": 0} for run in range(15)]
    points = experiment.collect([CellResult(cell, experiment.run(cell)) for cell in cells])
    return {name: point for (_, _, name), point in points.items()}


def test_with_attribute_noise_the_direct_algorithm_errs_least(noisy):
    direct = noisy["DirectBayes"].mistakes
    for name, cell in noisy.items():
        if not name.startswith("Direct"):
            assert stats.ttest_rel(cell.mistakes, direct, alternative="greater").pvalue < RATE
            assert not stats.ttest_rel(direct, cell.mistakes, alternative="greater").pvalue < RATE  # control: reversed


def test_no_run_breaks_its_bound(noisy):
    for cell in noisy.values():
        assert (cell.mistakes <= cell.bounds).all()
    assert (noisy["Winnow2"].mistakes > 0.4 * noisy["Winnow2"].bounds).any()  # control: less would not do


@pytest.mark.parametrize("errors", [0, 3, 50, 2000])
def test_tuned_parameters_make_the_bounds_least(errors):
    grid = np.exp(np.linspace(0.002, 2.3, 2000))
    best = min(bounds.thresholded_beg_disjunction(3, 500, alpha, attribute_errors=errors) for alpha in grid)
    tuned = tuned_alpha(3, 500, errors)
    assert bounds.thresholded_beg_disjunction(3, 500, tuned, attribute_errors=errors) <= best * (1 + 1e-6)
    if errors:
        best = min(bounds.weighted_majority(beta, 900, errors) for beta in np.linspace(0.001, 0.95, 2000))
        assert bounds.weighted_majority(tuned_beta(900, errors), 900, errors) <= best * (1 + 1e-6)


@pytest.mark.parametrize(
    ("grows", "found"), [(np.log, "shows"), (np.sqrt, "differs"), (lambda n: n**0.25 * np.sqrt(n), "differs")]
)
def test_growth_faster_than_log_n_is_noticed(grows, found):
    rng, outcomes = np.random.default_rng(0), []
    for cell in experiment.cells("quick", 0):
        made = {name: round(3 * grows(cell["n"]) + rng.normal()) for name in experiment.LEARNERS}
        result = {name: {"mistakes": mistakes, "late": 0, "bound": 1000.0} for name, mistakes in made.items()}
        outcomes.append(CellResult(cell, result))
    (verdict,) = [v for v in experiment.summarize(outcomes).verdicts if "O(k log n)" in v.claim]
    assert verdict.found == found
