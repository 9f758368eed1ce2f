"""Every experiment, from the command line to its files, with one small cell of each form run and the rest filled in."""

import csv
import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from winnowkit.cli import main
from winnowkit.dnf import Agreement, MistakeLog
from winnowkit.experiments import catalogue, drift
from winnowkit.experiments.brute_force import BruteForce

FORM = ("kind", "panel", "mode", "flips", "p", "method")  # what a result looks like depends on these
CUT = {"rows": 30, "rounds": 2, "steps": 60, "effort": 1, "trials": 100, "runs": 3}


def small(cell):
    """The same cell, cut."""
    cut = {**cell, **{key: value for key, value in CUT.items() if key in cell}}
    return cut | ({"share": 0.2} if "share" in cell else {})


def hasty(experiment):
    """The experiment, all cells of a form having the result of its quickest, cut; and what was run."""
    results = {}

    def form(cell):
        return (*(str(cell.get(key)) for key in FORM), cell.get("attribute_noise", 0) > 0)

    def run(cell):
        if form(cell) not in results:
            alike = [other for other in experiment.cells("quick", 0) if form(other) == form(cell)]
            results[form(cell)] = experiment.run(small(min(alike, key=experiment.seconds)))
        return results[form(cell)]

    return replace(experiment, run=run), results


@pytest.mark.parametrize("name", catalogue.NAMES)
def test_an_experiment_is_run_summarised_and_written(name, tmp_path, monkeypatch, capsys):
    experiment, results = hasty(catalogue.find(name))
    for module in ("frame.runner", "reproduce"):
        monkeypatch.setattr(f"winnowkit.experiments.{module}.find", lambda _: experiment)
    assert main(["reproduce", name, "--quiet", "--output", str(tmp_path)]) == 0
    assert results
    place = tmp_path / "quick" / name
    whole = json.loads((place / "summary.json").read_text(), parse_constant=pytest.fail)  # no NaN, no infinity
    with (place / "table.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(whole["records"]) > 0
    assert all(len(row) == len(table["header"]) for table in whole["tables"] for row in table["rows"])
    assert {verdict["found"] for verdict in whole["verdicts"]} <= {"shows", "undecided", "differs"}
    plots = list(place.glob("plot-*.svg"))
    assert all(ElementTree.parse(plot).getroot().tag.endswith("svg") for plot in plots)
    page = (tmp_path / "quick" / "report.html").read_text()
    assert page.count("data:image/svg") == len(plots) > 0
    assert len(whole["verdicts"]) > 0
    assert capsys.readouterr().err == ""


def test_drift_prints_its_table_and_draws(tmp_path, capsys):
    sizes = {"--n": 80, "--every": 300, "--changes": 1, "--window": 150, "--seeds": 2, "--output": tmp_path}
    drift.main([str(word) for pair in sizes.items() for word in pair])
    lines = capsys.readouterr().out.splitlines()
    shown = {line[:22].strip(): line[22:].split() for line in lines}
    first, later, ratio = map(float, shown["Winnow2()"])
    assert first > 0
    assert ratio == pytest.approx(later / first, abs=0.006)
    assert (tmp_path / "drift.png").stat().st_size > 10_000


def test_brute_force_refuses_what_would_take_hours():
    with pytest.raises(ValueError, match=r"max_attributes must be in 1 \.\.\. 62, got 63"):
        BruteForce(63)
    assert repr(BruteForce(3)) == "BruteForce(max_attributes=3)"
    agreement = Agreement.of(MistakeLog(4), [1, 1, 1, 1])
    assert BruteForce(4).counts(agreement) == {0: 2**4}
    with pytest.raises(ValueError, match=r"2\^4 terms is more than max_attributes=3 allows; use Exact\(\)"):
        BruteForce(3).counts(agreement)
