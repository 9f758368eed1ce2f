"""Verdicts turn with the numbers they are given: made-up results, no run."""

import numpy as np
import pytest

from winnowkit.experiments import prediction_errors, sampler_errors, tao_scott_figure_1, tao_scott_table_9
from winnowkit.experiments.frame import CellResult
from winnowkit.experiments.reproduce import find

ROWS = 1000
TABLES = ["tao-scott-table-5", "tao-scott-table-6", "tao-scott-table-7"]


def verdicts(name, scale="quick", noise=0.0, more=0.0, brute_force=0.05, spread=1.0, bias=0.0):
    """Verdicts of a table of errors: what noise and bias add to the error in points, and the error of brute force."""
    rng, other = np.random.default_rng(0), np.random.default_rng(1)
    outcomes = []
    for cell in find(name).cells(scale, 0):
        if cell["kind"] == "noise":
            exact = 10 + rng.normal()
            wobble = spread * rng.normal(size=3)
            result = {"sigma": 0.1, "exact": exact, "last rung": exact + bias + spread * other.normal()}
            result |= {
                method: exact + noise + extra + z
                for method, extra, z in zip(("noise", "noise again", "more noise"), (0, 0, more), wobble, strict=True)
            }
        else:
            share = brute_force + 0.01 * rng.normal()
            result = {"rows": ROWS, "wrong": max(0, round(ROWS * share)), "epochs": 1, "mistakes": 1}
        outcomes.append(CellResult(cell, result))
    return {verdict.claim: verdict for verdict in find(name).summarize(outcomes).verdicts}


def one(found, words):
    (verdict,) = [verdict for claim, verdict in found.items() if words in claim]
    return verdict


@pytest.mark.parametrize("name", TABLES)
def test_noise_that_costs_much_is_noticed(name):
    assert one(verdicts(name), "no significant advantage over").shows
    assert one(verdicts(name, noise=3.0), "no significant advantage over").found == "differs"
    assert one(verdicts(name, noise=1.0, spread=30.0), "no significant advantage over").found == "no power"


@pytest.mark.parametrize("name", TABLES)
def test_samplers_that_differ_are_noticed(name):
    words = {"5": "err alike", "6": "advantage: within", "7": "differ little"}[name[-1]]
    assert one(verdicts(name), words).shows
    assert one(verdicts(name, more=4.0), words).found == "differs"
    assert one(verdicts(name, spread=8.0), words).found == "no power"


@pytest.mark.parametrize("name", TABLES[1:])
def test_a_last_rung_that_costs_much_is_noticed(name):
    assert one(verdicts(name), "paper's last rung").shows
    assert one(verdicts(name, bias=3.0), "paper's last rung").found == "differs"
    assert one(verdicts(name, spread=30.0), "paper's last rung").found == "no power"


def test_a_last_rung_that_helps_is_noticed():
    for bias, spread, found in ((-3.0, 1.0, "shows"), (0.0, 1.0, "differs"), (-1.0, 30.0, "no power")):
        assert one(verdicts(TABLES[0], bias=bias, spread=spread), "paper's last rung").found == found


def test_no_training_set_counts_twice():
    for name in TABLES:
        cells = [cell for cell in find(name).cells("quick", 0) if cell["kind"] == "noise"]
        sets = [(cell.get("data"), cell.get("n"), cell["set"]) for cell in cells]
        assert len(set(sets)) == len(sets) > 100


@pytest.mark.parametrize("name", TABLES)
def test_claims_within_chance_have_no_power(name):
    chance = [verdict for verdict in verdicts(name).values() if "same noise differ" in verdict.figures]
    assert chance
    assert all(verdict.found == "no power" and "sets notice" in verdict.power for verdict in chance)
    steady = verdicts(name, spread=0.05)  # ten sets could then have told, but nothing here decides
    assert all(steady[verdict.claim].found == "undecided" for verdict in chance)


@pytest.mark.parametrize(
    ("name", "words"), [("tao-scott-table-5", "iris and car"), ("tao-scott-table-7", "below n = 20")]
)
def test_sampling_ahead_of_brute_force_is_noticed(name, words):
    assert one(verdicts(name, noise=-2.0), words).shows
    assert one(verdicts(name, noise=2.0), words).found == "differs"
    assert one(verdicts(name, noise=0.0), words).found == "differs"  # a difference of a point is excluded


def test_the_papers_numbers_stand_beside_ours():
    rng = np.random.default_rng(0)
    cells = [cell for cell in find("tao-scott-table-5").cells("paper", 0) if cell["kind"] == "fold"]
    noise = {"sigma": 0.1, "exact": 1.0, "noise": 1.0, "noise again": 1.1, "more noise": 1.0, "last rung": 1.0}
    results = [
        CellResult(cell, {"rows": ROWS, "wrong": int(rng.integers(40, 60)), "epochs": 1, "mistakes": 1})
        for cell in cells
    ]
    results += [CellResult({"kind": "noise", "data": name}, noise) for name in ("iris", "car") for _ in range(3)]
    summary = find("tao-scott-table-5").summarize(results)
    rows = {row[0]: row[1:] for row in summary.tables[0].rows}
    assert rows["M"][0].endswith("(5.3 ± 2.1)")
    assert rows["BF"][-1].endswith("(-)")  # blank in the paper
    assert not rows["BF"][-1].startswith("-")  # not here
    record = next(r for r in summary.records if r["data"] == "car" and r["method"] == "BF")
    assert (record["paper_error"], record["paper_half"]) == (3.3, 1.1)


def test_brute_force_far_from_the_papers_is_noticed():
    assert one(verdicts("tao-scott-table-7"), "as the paper's does").shows
    assert one(verdicts("tao-scott-table-7", brute_force=0.4), "as the paper's does").found == "differs"


def test_intervals_are_students():
    mean, half = prediction_errors.interval([0.1, 0.2, 0.3, 0.4])
    assert mean == pytest.approx(25)
    assert half == pytest.approx(3.182446 * np.std([10, 20, 30, 40], ddof=1) / 2, rel=1e-6)


def chains_saved_verdicts(savings=8.0, spread=0.1, last_rung=0.0, promised=10.0):
    """Verdicts of Table IX: savings as a multiple of the paper's, and what the paper's last rung adds in points."""
    rng = np.random.default_rng(0)
    made = []
    for cell in tao_scott_table_9.cells("quick", 0):
        saved = 10 * savings * tao_scott_table_9.PAPER[cell["data"]][2] * np.exp(spread * rng.normal())
        epochs = [[250.0, 250.0, saved / 4]] * 4
        result = {"trials": 9, "epochs": epochs, "chains": 1000, "asked": 9, "seen": 1000, "epsilon": 4.5}
        result |= {"savings": saved, "theory": saved / 2, "promised": promised, "tighter": 50.0, "one_side": 3.0}
        result |= {
            "printed": 9.0 + (10 * last_rung if cell["printed"] else 0.0),
            "sampled": saved,
            "sampled_seen": 1000.0,
        }
        made.append(CellResult(cell, result))
    return {verdict.claim: verdict for verdict in tao_scott_table_9.summarize(made).verdicts}


def test_chains_saved_below_the_promise_are_noticed():
    assert one(chains_saved_verdicts(promised=0.1), "Theorem 7").shows
    assert one(chains_saved_verdicts(promised=2000.0), "Theorem 7").found == "differs"


@pytest.mark.parametrize("words", ["as large as the paper's", "up to the paper's number", "sampled as in the paper"])
def test_savings_far_from_the_papers_are_noticed(words):
    assert one(chains_saved_verdicts(savings=1.0), words).shows
    assert one(chains_saved_verdicts(savings=0.2), words).found == "differs"
    assert one(chains_saved_verdicts(savings=0.7, spread=3.0), words).found == "no power"


def test_training_by_the_last_rung_that_saves_more_is_noticed():
    assert one(chains_saved_verdicts(), "sums of the paper's last rung").shows
    assert one(chains_saved_verdicts(last_rung=2.0), "sums of the paper's last rung").found == "differs"


def test_savings_follow_theory_over_trainings():
    assert one(chains_saved_verdicts(spread=1.0), "savings by theory are large").shows


def figure_1(power=-0.5, bias=0.2, printed=1.0):
    """Verdicts of Figure 1 on errors that fall like a power of the steps, and on a bias of the last rung."""
    rng = np.random.default_rng(0)
    made = []
    for cell in tao_scott_figure_1.cells("quick", 0):
        if cell["kind"] == "sampled":
            sums = 50 * (1 + 0.05 * rng.random(6)) * (cell["steps"] / 800) ** power
            made.append(CellResult(cell, {"trials": 50, "sums": sums.tolist()}))
        else:
            four = [0.13, 0.1, 0.1 * printed, 0.1] * (1 + 0.02 * rng.random((2, 4)))
            result = {"trials": 90, "small": 9, "smaller": 5, "four": four.tolist(), "three": four[:, 1:].tolist()}
            made.append(CellResult(cell, result | {"bias": [bias, bias / 2]}))
    return {v.claim: v for v in tao_scott_figure_1.summarize(made).verdicts}


def test_guess_error_that_rises_with_steps_is_noticed():
    assert one(figure_1(-0.5), "falls as steps grow").shows
    assert one(figure_1(0.5), "falls as steps grow").found == "differs"


def test_a_plateau_comes_from_the_bias_of_the_last_rung():
    biased, unbiased = figure_1(bias=0.5), figure_1(bias=0.0)
    assert one(biased, "much less effect").shows
    assert one(unbiased, "much less effect").found == "differs"
    assert one(biased, "no plateau").shows


def test_the_ranking_of_samplers_turns_with_their_errors():
    assert one(figure_1(printed=0.8), "less than Gibbs").shows
    assert one(figure_1(printed=1.3), "less than Gibbs").found == "differs"
    assert figure_1()["Gibbs errs less than Metropolis"].shows


def test_rankings_are_paired_by_unit():
    outcomes = [
        CellResult({"n": n, "formula": f}, {"three": [[f + 1.0, 2.0 * (f + 1), 1.0]], "four": [], "bias": []})
        for n in (10, 20)
        for f in range(4)
    ]
    ratios = sampler_errors.Ranking(outcomes, ("formula",), "n").log_ratios("MG", "G", (10,))
    assert ratios == pytest.approx([np.log(2)] * 4)
    outcomes[0].result["three"].append([0.0, 0.0, 0.0])  # nothing to estimate
    assert sampler_errors.Ranking(outcomes, ("formula",), "n").log_ratios("MG", "G", (10,)) == pytest.approx(ratios)
