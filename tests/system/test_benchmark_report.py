"""The benchmark's driver and report, on results that are made up, and each cheap part at a tiny size."""

import doctest
import importlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
pytestmark = pytest.mark.usefixtures("benchmarks")


@pytest.fixture
def parts():
    from results import Part, Plot, Table  # noqa: PLC0415

    speed = Part(
        "linear",
        "Linear <learners>",
        "About `them`.",
        "quick",
        12.3,
        "2 cores",
        records=[{"who": "a", "us": 1.5}],
        tables=[Table("Times & more", ["", "n = 10"], [["ours|x", "1.5"], ["peer", "2.0"]], "medians")],
        verdicts=["**n = 10**: peer wins: it is lazy.", "n = 20: ours wins."],
        absent=["tmu: not installed"],
    )
    scaling = Part(
        "scaling",
        "Scaling",
        "",
        "quick",
        plots=[Plot("time", "rows", "ms", {"m": [[1, 2.0], [10, 20.0], [100, 200.0]]}, {"m": 1.0})],
        text="what a <script> printed",
    )
    return [speed, scaling]


def test_parts_survive_their_files(parts, tmp_path):
    from results import Part  # noqa: PLC0415

    for part in parts:
        part.save(tmp_path)
        assert Part.load(tmp_path / f"{part.name}.json") == part
    assert json.loads((tmp_path / "linear.json").read_text())["records"] == [{"who": "a", "us": 1.5}]


@pytest.mark.parametrize("name", ["results", "report", "drawing", "part_scaling"])
def test_examples_in_docstrings(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0 == found.failed


def test_markdown(parts):
    import report  # noqa: PLC0415

    text = report.markdown(parts)
    assert "- Linear <learners>: **n = 10**: peer wins: it is lazy." in text.split("###")[0]
    assert "ours wins" not in text.split("###")[0]
    for piece in (
        "| ours\\|x |    1.5 |",
        "- absent: tmu: not installed",
        "```text\nwhat a <script> printed\n```",
        "12 s",
    ):
        assert piece in text


def test_the_markers_of_the_page():
    import report  # noqa: PLC0415

    page = report.put_between("# By hand\n\nkept\n", "first")
    again = report.put_between(page + "\nkept too\n", "second")
    assert again.startswith("# By hand\n\nkept\n")
    assert "kept too" in again
    assert "second" in again
    assert "first" not in again
    assert report.put_between(again, "second") == again
    with pytest.raises(ValueError, match="put it back"):
        report.put_between(again.replace(report.END, ""), "third")


class Checker(HTMLParser):
    """Every element that is opened is closed, and nothing is fetched from elsewhere."""

    EMPTY = ("meta", "line", "circle", "polyline")

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.points = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        assert not {"src", "srcset"} & dict(attrs).keys()
        assert dict(attrs).get("href", "#").startswith("#")
        if tag == "polyline":
            self.points.append(dict(attrs)["points"])
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(parts):
    import report  # noqa: PLC0415

    text = report.page(parts)
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    assert checker.seen.count("table") == 1
    assert checker.seen.count("svg") == 1
    assert "Linear &lt;learners&gt;" in text
    assert "what a &lt;script&gt; printed" in text
    assert "<strong>n = 10</strong>" in text
    assert "exponent 1.00" in text
    assert not re.search(r"https?://", text)
    xs, ys = zip(*(map(float, point.split(",")) for point in checker.points[0].split()), strict=True)
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.2)  # a power law is a line on log axes
    assert ys[0] - ys[1] == pytest.approx(ys[1] - ys[2], abs=0.2)


def test_the_driver_reports_a_part_that_fails_and_goes_on(parts, tmp_path, monkeypatch, capsys):
    import run  # noqa: PLC0415

    def measure_of(name):
        if name == "memory":
            return lambda *_: 1 / 0
        return lambda _scale, _data, say: (say("hm"), parts[0])[1]

    monkeypatch.setattr(run, "measure_of", measure_of)
    docs = tmp_path / "benchmarks.md"
    docs.write_text("# By hand\n")
    folder = tmp_path / "out"
    assert run.main(["memory", "linear", "--scale", "tiny", "--output", str(folder), "--docs", str(docs)]) == 0
    assert "absent: the whole part: ZeroDivisionError" in docs.read_text()
    assert "Linear <learners>" in docs.read_text()
    assert "Linear &lt;learners&gt;" in (folder / "index.html").read_text()
    assert sorted(p.name for p in folder.iterdir()) == ["index.html", "linear.json", "memory.json"]
    assert "ZeroDivisionError" in capsys.readouterr().err
    before = docs.read_text()
    assert run.main(["--report-only", "--output", str(folder), "--docs", str(docs)]) == 0
    assert docs.read_text() == before
    assert run.main(["--report-only", "--output", str(folder), "--docs", str(docs), "--note", "A `busy` day."]) == 0
    assert "A `busy` day." in docs.read_text()
    assert "A <code>busy</code> day." in (folder / "index.html").read_text()
    assert run.main(["--report-only", "--output", str(tmp_path / "none"), "--docs", str(docs)]) == 1
    with pytest.raises(SystemExit):
        run.main(["nothing"])
    assert "there is no part 'nothing'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["linear", "river", "dnf-peers", "parsing", "scaling", "chains"])
def test_each_cheap_part_at_a_tiny_size(name, tmp_path):
    import report  # noqa: PLC0415
    import run  # noqa: PLC0415

    if name in ("linear", "river"):
        pytest.importorskip("river")
    part = run.measure_of(name)("tiny", tmp_path, lambda _: None)
    assert (part.name, part.scale) == (name, "tiny")
    assert part.absent if name == "chains" else part.records
    for table in part.tables:
        assert {len(row) for row in table.rows} == {len(table.header)}
    Checker().feed(report.page([part]))
    json.dumps(part.records)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured on Linux")
def test_memory_of_one_contender():
    found = {}
    for n in (1_000, 1_000_000):
        command = [sys.executable, str(BENCHMARKS / "memory_worker.py"), "Winnow2", str(n), "100"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found[n] = json.loads(done.stdout)["mib"]
    assert found[1_000] + 4 < found[1_000_000] < 40  # a million weights are 7.6 MiB


def test_start_up():
    import part_startup  # noqa: PLC0415

    assert part_startup.seconds("pass") >= 0
    assert part_startup.installed_mib("no such package") is None
    assert 0.5 < part_startup.installed_mib("winnowkit") < 20
    records = [{"what": "import", "who": "import winnowkit", "turn": t, "ms": 10.0 + t} for t in range(3)]
    calls = list(part_startup.CALLS)
    records += [{"what": "cached", "who": calls[0], "turn": 0, "ms": 900.0}]
    records += [{"what": "cached", "who": calls[-1], "turn": 0, "ms": 500.0}]
    many = next(name for name in calls if "20,000 rows" in name)
    times = {"cached": 900.0, "compile": 9900.0}
    records += [{"what": what, "who": many, "turn": 0, "ms": ms} for what, ms in times.items()]
    records += [{"what": "size", "who": "x", "mib": 1.0}]
    records += [{"what": "prediction", "who": "load(AROW)", "turn": 0, "ms": 250.0}]
    aims, imports, *_ = part_startup.tables(records)
    assert imports.rows == [["import winnowkit", "11 (10.5-11.5)"]]
    assert aims.rows == [
        [f"first call ever: {many}", "4", "9.90", "missed"],
        [f"later processes, beyond scikit-learn's Perceptron: {many}", "0.3", "0.40", "missed"],
        ["first prediction: load(AROW)", "0.3", "0.25", "met"],
    ]
    slower, compiles = part_startup.verdicts(records)
    assert slower.startswith("**start-up**: scikit-learn's Perceptron answers 400 ms sooner")
    assert "takes 9.0 s more" in compiles


def test_real_data_are_read_where_they_are(tmp_path, monkeypatch):
    import numpy as np  # noqa: PLC0415
    import real_data  # noqa: PLC0415
    from real_data import VARIABLE, folder_of, real  # noqa: PLC0415

    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(real_data, "SHARED", tmp_path / "absent")
    assert folder_of(None) is None
    assert list(real(folder_of(tmp_path))) == []
    (tmp_path / "a9a.libsvm.gz").write_bytes(b"-1 3:1 123:1\n+1 1:1\n")  # packed or not
    arrays = {"indices": np.array([2, 0, 1]), "indptr": np.array([0, 2, 3]), "shape": np.array([2, 5])}
    np.savez(tmp_path / "reuters-r8.npz", y=np.array([1, 0]), classes=np.array(["acq", "earn"]), **arrays)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    a9a, r8 = real(folder_of(None))
    assert (a9a.X.shape, a9a.y.tolist()) == ((2, 123), [0, 1])
    assert (r8.X.toarray()[0].tolist(), r8.y.tolist()) == ([1, 0, 1, 0, 0], [1, 0])
