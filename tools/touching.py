"""Records which tests run which lines of a package and how long they take, to select the tests for a mutant."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class Recording:
    """A pytest plugin that records the lines that each test runs, and its duration."""

    def __init__(self, package: Path) -> None:
        import coverage  # noqa: PLC0415 - not needed in the processes of mutants

        self.coverage = coverage.Coverage(source=[str(package)], data_file=None, config_file=False)
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        """Record lines under the name of the test."""
        self.coverage.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the duration."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration

    def found(self) -> dict[str, Any]:
        """Return the tests of each file and line, and their durations in seconds."""
        data, lines = self.coverage.get_data(), {}
        for path in data.measured_files():
            lines[path] = {str(line): [n for n in names if n] for line, names in data.contexts_by_lineno(path).items()}
        return {"lines": lines, "seconds": self.seconds}


class Touching:
    """The lines of a package that each test runs."""

    def __init__(self, package: Path, options: list[str]) -> None:
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            child = os.fork()
            if child == 0:
                os._exit(_record(package, options, Path(file.name)))
            self.failed = os.waitpid(child, 0)[1] != 0
            found = {"lines": {}, "seconds": {}} if self.failed else json.loads(Path(file.name).read_text())
        self._lines, self._seconds = found["lines"], found["seconds"]

    @property
    def all(self) -> list[str]:
        """The names of all tests."""
        return list(self._seconds)

    def tests(self, path: Path, lines: range) -> list[str]:
        """Return the tests that run a statement, fastest first; all tests if it runs when the module is imported."""
        known = self._lines.get(str(path), {})
        names = [known[str(line)] for line in lines if str(line) in known]
        if not names:
            return []
        return sorted({n for some in names for n in some} or self._seconds, key=lambda name: self._seconds[name])


def _record(package: Path, options: list[str], target: Path) -> int:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    recording = Recording(package)
    recording.coverage.start()
    code = pytest.main(options, plugins=[recording])
    recording.coverage.stop()
    target.write_text(json.dumps(recording.found()))
    return int(code)
