"""Which tests run which lines of a package, and how long they take: the tests to ask about a mutant."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypedDict

import pytest


class Record(TypedDict):
    """The tests of each file and line, and the seconds that each test took."""

    lines: dict[str, dict[str, list[str]]]
    seconds: dict[str, float]
    failed: list[str]


class Outcomes:
    """A pytest plugin that records how long tests take, and which do not pass."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        self.unfinished: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record one phase of a test."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.add(report.nodeid)
        if report.skipped:
            self.unfinished.add(report.nodeid)


def record(package: Path, items: list[pytest.Item], outcomes: Outcomes) -> Record:
    """Run tests and record the lines of a package that each of them runs; those that do not pass are left out."""
    import coverage  # noqa: PLC0415 - not needed in the processes of mutants

    measured = coverage.Coverage(source=[str(package)], data_file=None, config_file=False)
    measured.start()
    for item, following in zip(items, [*items[1:], None], strict=True):
        measured.switch_context(item.nodeid)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    measured.stop()
    data, lines = measured.get_data(), {}
    passed = outcomes.seconds.keys() - outcomes.failed - outcomes.unfinished
    for path in data.measured_files():
        contexts = data.contexts_by_lineno(path)
        lines[path] = {str(line): [name for name in names if name in passed] for line, names in contexts.items()}
    return {"lines": lines, "seconds": outcomes.seconds, "failed": sorted(outcomes.failed)}


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
