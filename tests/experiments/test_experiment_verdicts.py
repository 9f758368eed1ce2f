"""Verdicts of the tables turn with the numbers they are given: made-up results, no run."""

import math

import numpy as np
import pytest

from winnowkit.experiments import prediction_errors, tao_scott_figure_1, tao_scott_table_9
from winnowkit.experiments.frame import CellResult
from winnowkit.experiments.frame.experiment import SCALES
from winnowkit.experiments.guess_error import Moments
from winnowkit.experiments.reproduce import find
from winnowkit.experiments.trials import SAMPLERS

ROWS = 1000


def outcomes(name, scale, share):
    """Results of all cells of a table of errors, as a function of the cell gives the share of errors."""
    cells = find(name).cells(scale, 0)
    return [
        CellResult(cell, {"rows": ROWS, "wrong": round(ROWS * share(cell)), "epochs": 1, "mistakes": 1})
        for cell in cells
    ]


def wobble(cell):
    """An error of about 5%, by fold and method."""
    return 0.05 + 0.01 * math.sin(7 * cell["fold"] + 3 * len(cell["method"]))


def verdicts(name, scale, share):
    return {verdict.claim: verdict for verdict in find(name).summarize(outcomes(name, scale, share)).verdicts}


def one(found, words):
    (verdict,) = [verdict for claim, verdict in found.items() if words in claim]
    return verdict


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", ["tao-scott-table-5", "tao-scott-table-6", "tao-scott-table-7"])
def test_samplers_apart_and_brute_force_ahead_are_noticed(name, scale):
    overlap = "each data set overlap" if name == "tao-scott-table-5" else "overlap at every"
    alike = verdicts(name, scale, wobble)
    assert one(alike, overlap).shows
    assert one(alike, "no significant advantage over").shows
    apart = verdicts(name, scale, lambda cell: 0.5 + wobble(cell) if cell["method"] == "MG" else wobble(cell))
    assert one(apart, overlap).found == "differs"
    ahead = verdicts(name, scale, lambda cell: wobble(cell) + 0.3 * (cell["method"] in SAMPLERS))
    assert one(ahead, "no significant advantage over").found == "differs"


def test_tempering_is_judged_by_paired_differences():
    def tempered_worse(cell):
        return wobble({**cell, "method": ""}) + 0.02 * ("PT" in cell["method"])

    found = verdicts("tao-scott-table-6", "paper", tempered_worse)
    assert one(found, "errors are higher below").shows
    assert one(found, "past T_s").found == "differs"
    undecided = verdicts("tao-scott-table-6", "quick", tempered_worse)
    assert one(undecided, "past T_s").found == "undecided"  # not run at this scale


def test_the_papers_numbers_stand_beside_ours():
    summary = find("tao-scott-table-5").summarize(outcomes("tao-scott-table-5", "paper", wobble))
    assert len(summary.tables) == 1
    rows = {row[0]: row[1:] for row in summary.tables[0].rows}
    assert rows["M"][0].endswith("(5.3 ± 2.1)")
    assert rows["BF"][-1].endswith("(-)")  # blank in the paper
    assert not rows["BF"][-1].startswith("-")  # not here
    record = next(r for r in summary.records if r["data"] == "car" and r["method"] == "BF")
    assert (record["paper_error"], record["paper_half"]) == (3.3, 1.1)


def test_brute_force_far_from_the_papers_is_noticed():
    assert one(verdicts("tao-scott-table-7", "quick", wobble), "as the paper's does").shows
    assert not one(verdicts("tao-scott-table-7", "quick", lambda cell: 0.4 + wobble(cell)), "as the paper's does").shows


def test_intervals_are_students():
    mean, half = prediction_errors.interval([0.1, 0.2, 0.3, 0.4])
    assert mean == pytest.approx(25)
    assert half == pytest.approx(3.182446 * np.std([10, 20, 30, 40], ddof=1) / 2, rel=1e-6)


def test_chains_saved_below_the_promise_are_noticed():
    result = {"trials": 9, "epochs": 1, "chains": 1000, "asked": 9, "seen": 1000, "epsilon": 4.5}
    cells = tao_scott_table_9.cells("quick", 0)

    def first(savings):
        numbers = {"savings": savings, "theory": 30.0, "promised": 10.0, "tighter": 50.0}
        return one(
            {
                v.claim: v
                for v in tao_scott_table_9.summarize([CellResult(c, result | numbers) for c in cells]).verdicts
            },
            "Theorem 7",
        )

    assert first(20.0).shows
    assert first(5.0).found == "differs"


def test_guess_error_that_rises_with_steps_is_noticed():
    rng = np.random.default_rng(0)

    def found(power):
        cells = tao_scott_figure_1.cells("quick", 0)
        made = [CellResult(c, Moments.of(rng.random((50, 6)) * (c["steps"] / 800) ** power).result()) for c in cells]
        return tao_scott_figure_1.summarize(made).verdicts[0]

    assert found(-0.5).shows
    assert found(0.5).found == "differs"
