"""Which tests run which lines of a package, and their processor time: the tests to ask about a mutant."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypedDict

import pytest

Fixture = tuple[str, int]  # its name, and the number of its parameter


class Record(TypedDict):
    """The tests of each file and line, and the seconds of processor time that each test took."""

    lines: dict[str, dict[str, list[str]]]
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


def record(package: Path, items: list[pytest.Item], outcomes: Outcomes) -> Record:
    """Run tests and record the lines of a package that each of them runs; those that do not pass are left out."""
    import coverage  # noqa: PLC0415 - not needed in the processes of mutants

    measured = coverage.Coverage(source=[str(package)], data_file=None, config_file=False)
    measured.start()
    seconds: dict[str, float] = {}
    for item, following in zip(items, [*items[1:], None], strict=True):
        measured.switch_context(item.nodeid)
        before = _processor_time()
        outcomes.made.clear()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        seconds[item.nodeid] = _processor_time() - before + outcomes.others_made(item)
    measured.stop()
    data, lines = measured.get_data(), {}
    passed = seconds.keys() - outcomes.failed - outcomes.unfinished
    for path in data.measured_files():
        contexts = data.contexts_by_lineno(path)
        lines[path] = {str(line): [name for name in names if name in passed] for line, names in contexts.items()}
    return {"lines": lines, "seconds": seconds, "failed": sorted(outcomes.failed)}


def tests_of(found: Record, path: Path, lines: Iterable[int], budget: float) -> list[str]:
    """Return the tests that run any of the lines, the fastest first, and no more than take `budget` seconds."""
    known: dict[str, Any] = found["lines"].get(str(path), {})
    names = {name for line in lines for name in known.get(str(line), [])}
    chosen, total = [], 0.0
    for name in sorted(names, key=lambda name: (found["seconds"][name], name)):
        total += found["seconds"][name]
        if chosen and total > budget:
            break
        chosen.append(name)
    return chosen
