"""Asks tests about mutants: tests are collected once, and each mutant is put in place of a function in a fork."""

from __future__ import annotations

import gc
import hashlib
import json
import os
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import hypothesis
import pytest
from mutants import ROOT, Mutant
from touching import Outcomes, Record, record, tests_of

RECORDS = ROOT / "output" / "mutants" / "records"  # which tests run which lines, until a source or a test changes
IDLE = 120  # seconds without any work after which a process is taken to hang
MOST_MEMORY = 8 << 30  # bytes of address space; a mutant that needs more fails
# Without --assert=plain, pytest would load test files itself and miss a mutant.
OPTIONS = ["-q", "--assert=plain", "-p", "no:cacheprovider", "--hypothesis-seed=0", "--hypothesis-profile=mutants"]
# A failing example need not be made smaller: that it fails is all that is asked.
hypothesis.settings.register_profile(
    "mutants", phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate), database=None, deadline=None
)


def in_a_fork(work: Callable[[], int], seconds: float | None = None) -> int:
    """Do some work in a forked process and return its process number; it is killed after so many seconds."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1), os.dup2(null, 2)
        if seconds is not None:
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
            signal.setitimer(signal.ITIMER_PROF, seconds)  # of processor time: a loop without end
            threading.Thread(target=_end_when_idle, daemon=True).start()
        code = work()
    finally:
        os._exit(code)


def _end_when_idle() -> None:
    """End a process that waits for a lock that nobody releases; on a busy machine others only take longer."""
    while True:
        before = sum(os.times()[:4])
        time.sleep(IDLE)
        if sum(os.times()[:4]) - before < 0.02:
            os._exit(70)


class Asking:
    """A pytest plugin that asks collected tests about mutants, `workers` of them at a time."""

    def __init__(
        self, package: Path, mutants: list[Mutant], wanted: set[str] | None, budget: float, workers: int
    ) -> None:
        self.package, self.mutants, self.wanted, self.budget, self.workers = package, mutants, wanted, budget, workers
        self.outcomes = Outcomes()
        self.asked: dict[int, list[str]] = {}
        self.noticed: dict[int, bool] = {}
        self.found: Record = {"lines": {}, "seconds": {}, "failed": []}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Record which test runs what, then ask about each mutant."""
        items = [item for item in session.items if self.wanted is None or item.nodeid in self.wanted]
        session.config.pluginmanager.register(self.outcomes)
        kept = RECORDS / f"{self.package.name}-{_state(items)}.json"
        if not kept.exists():
            RECORDS.mkdir(parents=True, exist_ok=True)
            draft = kept.with_suffix(f".{os.getpid()}")
            os.waitpid(in_a_fork(lambda: _written(draft, record(self.package, items, self.outcomes))), 0)
            draft.replace(kept)
        self.found = json.loads(kept.read_text())
        for number, mutant in enumerate(self.mutants):
            self.asked[number] = tests_of(self.found, mutant.path, mutant.lines, self.budget)
        named, functions = {item.nodeid: item for item in items}, _functions(self.package)
        running: dict[int, int] = {}
        for number, tests in self.asked.items():
            mutant = self.mutants[number]
            if not tests or not mutant.in_function:
                continue
            if len(running) == self.workers:
                self._wait(running)
            chosen = [named[name] for name in tests]
            work = _Trial(functions.get(str(mutant.path), []), mutant.code(), chosen, self.outcomes)
            running[in_a_fork(work, self.seconds(tests))] = number
        while running:
            self._wait(running)
        return True

    def seconds(self, tests: list[str]) -> float:
        """Return how much processor time a mutant may take before it counts as one that hangs."""
        return 10.0 + 3.0 * sum(self.found["seconds"][name] for name in tests)

    def _wait(self, running: dict[int, int]) -> None:
        child, status = os.wait()
        self.noticed[running.pop(child)] = status != 0


class _Trial:
    """Puts a mutant in place and runs tests until one fails."""

    def __init__(
        self, functions: list[FunctionType], code: CodeType, items: list[pytest.Item], outcomes: Outcomes
    ) -> None:
        self.functions, self.code, self.items, self.outcomes = functions, code, items, outcomes

    def __call__(self) -> int:
        codes = {(code.co_qualname, code.co_firstlineno): code for code in _inner(self.code)}
        for function in self.functions:
            code = codes.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
            if code is not None and len(code.co_freevars) == len(function.__code__.co_freevars):
                function.__code__ = code
        for item, following in zip(self.items, [*self.items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.outcomes.failed:
                return 1
        return 0


def _functions(package: Path) -> dict[str, list[FunctionType]]:
    """Return all functions that were defined in the files of a package."""
    found: dict[str, list[FunctionType]] = {}
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename.startswith(str(package)):
            found.setdefault(function.__code__.co_filename, []).append(function)
    return found


def _inner(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner(constant)


def _state(items: list[pytest.Item]) -> str:
    """Return a digest of the tests, of all sources, and of whether kernels are compiled."""
    digest = hashlib.sha256("\n".join(item.nodeid for item in items).encode())
    digest.update(os.environ["NUMBA_DISABLE_JIT"].encode())
    for folder in ("src", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _written(target: Path, value: Any) -> int:
    target.write_text(json.dumps(value))
    return 0


def set_jit(enabled: bool) -> None:
    """Compile kernels or not, in modules that are imported from now on, in this process and its children."""
    import numba  # noqa: PLC0415 - before the first fork

    os.environ["NUMBA_DISABLE_JIT"] = str(int(not enabled))
    numba.config.DISABLE_JIT = int(not enabled)


def noticed_anew(mutant: Mutant, tests: list[str], seconds: float, jit: bool) -> bool:
    """Whether tests fail with a mutant that runs when its module is imported, in a process that imports it."""
    from importlib.machinery import SourceFileLoader  # noqa: PLC0415

    code, before = mutant.code(), SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, name: str) -> Any:
        return code if Path(self.path) == mutant.path else before(self, name)

    def work() -> int:
        set_jit(jit)
        SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
        return int(pytest.main([*OPTIONS, "-x", *tests]))

    return os.waitpid(in_a_fork(work, seconds), 0)[1] != 0


def ask(
    package: Path,
    mutants: list[Mutant],
    tests: list[str],
    wanted: set[str] | None,
    budget: float,
    workers: int,
    jit: bool,
) -> dict[str, Any]:
    """Ask the tests about mutants; return which were asked and noticed, by number, and what was recorded."""
    asking = Asking(package, mutants, wanted, budget, workers)

    def work() -> int:
        set_jit(jit)
        sys.path.insert(0, str(ROOT / "tests"))
        brief = [] if jit else ["-p", "briefly", "-W", "ignore:overflow encountered:RuntimeWarning"]
        pytest.main([*OPTIONS, *brief, *tests], plugins=[asking])
        result = {"asked": asking.asked, "noticed": asking.noticed, "found": asking.found}
        return _written(target, result)

    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        target = Path(file.name)
        status = os.waitpid(in_a_fork(work), 0)[1]
        if status or not target.stat().st_size:
            sys.exit("the tests cannot be collected; run them with pytest first")
        result: dict[str, Any] = json.loads(target.read_text())
    for number, mutant in enumerate(mutants):
        tests_asked = result["asked"][str(number)]
        if tests_asked and not mutant.in_function:
            result["noticed"][str(number)] = noticed_anew(mutant, tests_asked, 60.0 + 5 * budget, jit)
    return result
