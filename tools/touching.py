"""Which tests run which lines, and their processor time: the tests to ask about a mutant.

The record of a test file is kept until the file changes, or a source that its tests run and that mutants are made of.
It does not notice changes of other files: delete the folder `RECORDS` after changing a module that many tests share.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, TypedDict

import pytest
from mutants import ROOT, Mutant

RECORDS = ROOT / "output" / "mutants" / "records"
SOURCES = ROOT / "src" / "winnowkit"
Fixture = tuple[str, int]  # its name, and the number of its parameter


class Record(TypedDict):
    """The tests of a file, the lines of the sources that each of them runs, and its seconds of processor time."""

    digest: str
    sources: dict[str, str]  # digests of the files in `lines`
    tests: list[str]
    lines: dict[str, dict[str, list[int]]]  # by path and line, the numbers of tests that pass
    seconds: dict[str, float]
    failed: list[str]


class Outcomes:
    """A pytest plugin that records which tests do not pass, and what their shared fixtures take."""

    def __init__(self) -> None:
        self.failed: set[str] = set()
        self.unfinished: set[str] = set()
        self.shared: dict[Fixture, float] = {}
        self.made: set[Fixture] = set()  # by the current test

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Any:
        """Record the processor time of a fixture that several tests of a file share."""
        before = _processor_time()
        result = yield
        if fixturedef.scope in ("class", "module", "package"):
            fixture = fixturedef.argname, request.param_index
            self.shared[fixture] = _processor_time() - before
            self.made.add(fixture)
        return result

    def others_made(self, item: Any) -> float:
        """Return the processor time of the fixtures of a test that earlier tests made, as it would have to itself."""
        numbers = item.callspec.indices if hasattr(item, "callspec") else {}
        needed = {(name, numbers.get(name, 0)) for name in getattr(item, "fixturenames", ())}
        return sum(self.shared[fixture] for fixture in needed & self.shared.keys() - self.made)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record one phase of a test."""
        if report.failed:
            self.failed.add(report.nodeid)
        if report.skipped:
            self.unfinished.add(report.nodeid)


def _processor_time() -> float:
    return sum(os.times()[:4])  # with that of child processes


def digest(path: Path) -> str:
    """Return a digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def record(test_file: Path, items: list[pytest.Item], outcomes: Outcomes, patience: float) -> Record:
    """Run the tests of a file and record the lines that each of them runs.

    Once tests that did not pass, since they were left, have taken `patience` seconds, the others are not run.
    """
    import coverage  # noqa: PLC0415 - not needed in the processes of mutants

    measured = coverage.Coverage(source=[str(SOURCES)], data_file=None, config_file=False)
    measured.start()
    seconds: dict[str, float] = {}
    wasted = 0.0
    for item, following in zip(items, [*items[1:], None], strict=True):
        if wasted > patience:
            break
        measured.switch_context(item.nodeid)
        before = _processor_time()
        outcomes.made.clear()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        seconds[item.nodeid] = _processor_time() - before + outcomes.others_made(item)
        wasted += seconds[item.nodeid] * (item.nodeid in outcomes.unfinished)
    measured.stop()
    data, lines = measured.get_data(), {}
    passed = {name: n for n, name in enumerate(seconds) if name not in outcomes.failed | outcomes.unfinished}
    for path in data.measured_files():
        contexts = data.contexts_by_lineno(path)
        found = {str(line): [passed[name] for name in names if name in passed] for line, names in contexts.items()}
        lines[path] = {line: numbers for line, numbers in found.items() if numbers}
    sources = {path: digest(Path(path)) for path in lines}
    failed = sorted(outcomes.failed)
    return {
        "digest": digest(test_file), "sources": sources, "tests": list(seconds), "lines": lines, "seconds": seconds,
        "failed": failed,
    }  # fmt: skip


def place(test_file: Path, jit: bool) -> Path:
    """Return where the record of a test file is kept."""
    name = str(test_file.relative_to(ROOT)).replace(os.sep, "-")
    return RECORDS / ("compiled" if jit else "interpreted") / f"{name}.json"


def kept(test_file: Path, jit: bool, sources: Iterable[Path]) -> Record | None:
    """Return the record of a test file, unless the file has changed, or one of these sources that its tests run."""
    if not place(test_file, jit).exists():
        return None
    found: Record = json.loads(place(test_file, jit).read_text())
    recorded = found["sources"]
    same = all(recorded[str(path)] == digest(path) for path in sources if str(path) in recorded)
    return found if same and found["digest"] == digest(test_file) else None


def tests_of(records: Collection[Record], mutant: Mutant, budget: float) -> dict[str, float]:
    """Return tests that run the lines of a mutant, the fastest first, and no more than take `budget` seconds.

    Cases of one test are often alike: the fastest case of each test goes before its other cases.
    No test runs a line that only runs on import. Where none runs a line that mentions what such a line defines either,
    all tests that run anything of the file are asked, or of a file beside it.
    """
    file = [str(mutant.path)]
    chosen = _fastest(records, file, set(map(str, mutant.lines)), budget)
    if chosen or mutant.in_function:
        return chosen
    beside = [str(path) for path in mutant.path.parent.glob("*.py")]
    return _fastest(records, file, None, budget) or _fastest(records, beside, None, budget)


def _fastest(records: Iterable[Record], paths: list[str], lines: set[str] | None, budget: float) -> dict[str, float]:
    """Return some of the tests that run one of these lines, or any, of these files."""
    seconds = {
        found["tests"][number]: found["seconds"][found["tests"][number]]
        for found in records
        for path in paths
        for line, numbers in found["lines"].get(path, {}).items()
        if lines is None or line in lines
        for number in numbers
    }
    cases: Counter[str] = Counter()
    turns: dict[str, int] = {}
    for name in sorted(seconds, key=lambda name: (seconds[name], name)):
        test = name.split("[", 1)[0]
        turns[name] = cases[test]
        cases[test] += 1
    chosen: dict[str, float] = {}
    for name in sorted(turns, key=lambda name: turns[name]):
        if not chosen or sum(chosen.values()) + seconds[name] <= budget:
            chosen[name] = seconds[name]
    return chosen
