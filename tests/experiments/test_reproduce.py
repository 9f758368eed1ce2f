"""The frame of the experiments: cells are kept, resumed and summarised; errors say what to do."""

import json

import pytest

from winnowkit.cli import main
from winnowkit.experiments.frame import Cell, Experiment, Plot, ReportTable, Summary, Verdict
from winnowkit.experiments.frame.experiment import SCALES
from winnowkit.experiments.frame.results import ReportedExperiment, page, svg
from winnowkit.experiments.frame.runner import CellError, Store, by_dask, by_joblib, run, run_job
from winnowkit.experiments.reproduce import NAMES, find


def square(cell: Cell):
    if cell["n"] < 0:
        raise ValueError("no negative n")
    return {"square": cell["n"] ** 2}


def squares(numbers):
    def summarize(outcomes):
        return Summary([{**cell, **result} for cell, result in outcomes], [], [], [])

    return Experiment("squares", "Squares", "", lambda *_: [{"n": n} for n in numbers], square, summarize)


@pytest.fixture
def found(monkeypatch):
    """Run cells of `squares` here, and note which."""
    seen = []

    plain = square

    def noted(cell):
        seen.append(cell["n"])
        return plain(cell)

    monkeypatch.setitem(globals(), "square", noted)
    return seen


def test_finished_cells_are_not_run_again(tmp_path, found):
    first = run([squares([1, 2])], "quick", 0, Store(tmp_path), by_joblib(1), show=False)
    assert [outcome.result["square"] for outcome in first[0]] == [1, 4]
    again = run([squares([2, 3, 1])], "quick", 0, Store(tmp_path), by_joblib(1), show=False)
    assert [outcome.result["square"] for outcome in again[0]] == [4, 9, 1]
    assert found == [1, 2, 3]


def test_a_cell_of_another_version_or_cut_short_is_run_again(tmp_path, found, monkeypatch):
    store, toy = Store(tmp_path), squares([1, 2])
    run([toy], "quick", 0, store, by_joblib(1), show=False)
    path = store.path(toy, {"n": 1})
    path.write_bytes(path.read_bytes()[:-10])
    run([toy], "quick", 0, store, by_joblib(1), show=False)
    assert found == [1, 2, 1]
    monkeypatch.setattr("winnowkit.experiments.frame.runner.__version__", "99")
    run([toy], "quick", 0, store, by_joblib(1), show=False)
    assert found == [1, 2, 1, 1, 2]


def test_a_cell_that_fails_is_named_and_the_others_stay(tmp_path, found):
    store, toy = Store(tmp_path), squares([5, -1])
    with pytest.raises(CellError, match=r"squares, cell \{'n': -1\}: ValueError: no negative n"):
        run([toy], "quick", 0, store, by_joblib(1), show=False)
    assert store.find(toy, {"n": 5}) == {"square": 25}
    assert found == [5, -1]


def test_the_longest_cells_are_first(tmp_path, found):
    toy = squares([1, 5, 3])
    slow = Experiment(toy.name, toy.title, "", toy.cells, toy.run, toy.summarize, lambda cell: cell["n"])
    outcomes = run([slow], "quick", 0, Store(tmp_path), by_joblib(1), show=False)
    assert found == [5, 3, 1]
    assert [outcome.cell["n"] for outcome in outcomes[0]] == [1, 5, 3]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", SCALES)
def test_cells_are_distinct_plain_and_seeded(name, scale):
    experiment = find(name)
    cells = experiment.cells(scale, 7)
    assert len({experiment.key(cell) for cell in cells}) == len(cells) > 0
    assert all(json.loads(json.dumps(cell)) == cell and cell["seed"] == 7 for cell in cells)
    assert all(experiment.seconds(cell) > 0 for cell in cells)
    assert experiment.name == name


def test_a_cell_gives_the_same_twice():
    experiment = find("lecture-bounds")
    cell = experiment.cells("quick", 0)[0]
    job = type("Job", (), {"experiment": "lecture-bounds", "cell": cell, "run": experiment.run})
    first, second = run_job(job)[1], run_job(job)[1]
    assert json.dumps(first) == json.dumps(second)


def test_without_dask_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "dask.distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'winnowkit\[dask\]'"):
        by_dask("tcp://127.0.0.1:1")


def test_the_page_shows_everything_and_escapes_it():
    table = ReportTable("A <b>old</b> table", ["x", "y & z"], [["1", "<2>"]])
    verdict = Verdict("x < y", "differs", "1 & 2", "power 90%", "chance")
    plot = Plot('a "plot"', lambda axes: axes.plot([1, 2]))
    experiment = Experiment("toy", "Toys & tables", "One line.\n\nAbout :class:`winnowkit.SASB`.", None, None, None)
    text = page([ReportedExperiment(experiment, Summary([], [table], [plot], [verdict]), [svg(plot)], 3)], "quick", 0)
    for shown in (
        "Toys &amp; tables",
        "&lt;2&gt;",
        "X &lt; y.",
        "Why: chance",
        "About SASB.",
        "3 cells",
        "data:image/svg",
    ):
        assert shown in text
    assert "<b>old</b>" not in text
    assert "http" not in text.split("</style>")[1]  # nothing to fetch
    assert svg(plot) == svg(plot)


def test_the_command_line_lists_and_refuses(capsys):
    assert main(["reproduce", "--list", "lecture", "--quiet"]) == 0
    assert "lecture-bounds" in capsys.readouterr().out
    assert main(["reproduce", "lectures"]) == 2
    assert "Unknown experiment 'lectures'. Did you mean lecture-bounds?" in capsys.readouterr().err
    assert main(["reproduce", "lecture", "--dask", "tcp://127.0.0.1:1", "--jobs", "2"]) == 2
    assert "--jobs applies to this machine" in capsys.readouterr().err
