"""Every experiment, from the command line to its files, with one small cell of each form run and the rest filled in."""

import csv
import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from winnowkit.cli import main
from winnowkit.experiments import reproduce, sudden_change

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


@pytest.mark.parametrize("name", reproduce.NAMES)
def test_an_experiment_is_run_summarised_and_written(name, tmp_path, monkeypatch, capsys):
    experiment, results = hasty(reproduce.find(name))
    monkeypatch.setattr("winnowkit.experiments.reproduce.find", lambda _: experiment)
    assert main(["reproduce", name, "--quiet", "--output", str(tmp_path)]) == 0
    assert results
    place = tmp_path / "quick" / name
    whole = json.loads((place / "summary.json").read_text(), parse_constant=pytest.fail)  # no NaN, no infinity
    with (place / "table.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(whole["records"]) > 0
    assert all(len(row) == len(table["header"]) for table in whole["tables"] for row in table["rows"])
    assert {verdict["found"] for verdict in whole["verdicts"]} <= {"shows", "differs", "undecided", "no power"}
    assert all(verdict["power"] for verdict in whole["verdicts"])
    plots = list(place.glob("plot-*.svg"))
    assert all(ElementTree.parse(plot).getroot().tag.endswith("svg") for plot in plots)
    page = (tmp_path / "quick" / "report.html").read_text()
    assert page.count("data:image/svg") == len(plots) > 0
    assert len(whole["verdicts"]) > 0
    assert capsys.readouterr().err == ""


def test_drift_prints_its_table_and_draws(tmp_path, capsys):
    sizes = {"--n": 80, "--every": 300, "--changes": 1, "--window": 150, "--seeds": 2, "--output": tmp_path}
    sudden_change.main([str(word) for pair in sizes.items() for word in pair])
    lines = capsys.readouterr().out.splitlines()
    shown = {line[:22].strip(): line[22:].split() for line in lines}
    first, later, ratio = map(float, shown["Winnow2()"])
    assert first > 0
    assert ratio == pytest.approx(later / first, abs=0.006)
    assert (tmp_path / "drift.png").stat().st_size > 10_000
