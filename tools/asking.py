"""Asks tests about mutants: tests are collected once, and each mutant is put in place of a function in a fork."""

from __future__ import annotations

import gc
import json
import math
import os
import re
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import hypothesis
import pytest
from mutants import ROOT, Mutant
from touching import SOURCES, Outcomes, Record, kept, place, record, tests_of

# A mutant hangs if one test takes this much processor time in place of the second or less that it takes otherwise, or
# does no work at all for so long. Nothing else that merely runs out of time counts as noticed.
PROGRESS = ROOT / "output" / "mutants" / "progress.txt"  # of a long run, to be watched
HANGS, TIMES = 10.0, 50.0  # seconds, and multiples of the time of the test
IDLE = 120  # seconds by the clock
HUNG = 71
LONGEST_NAME = 4000  # of a test, in bytes
LONGEST = {True: 3.0, False: 1.0}  # seconds after which a test is left, and never asked: compiled, interpreted
# In the interpreter, where threads may go on long after their test was left: seconds that such tests of a file may take
# in all, before its other tests are left, too; and examples of a property.
PATIENCE = {True: math.inf, False: 10.0}
FEW_EXAMPLES = 10
MOST_MEMORY = 8 << 30  # bytes of address space; a mutant that needs more fails
# Without --assert=plain, pytest would load test files itself and miss a mutant; nobody reads its tracebacks.
OPTIONS = ["-q", "--assert=plain", "--tb=native", "-p", "no:cacheprovider"]
OPTIONS += ["--hypothesis-seed=0", "--hypothesis-profile=mutants"]
# A failing example need not be made smaller: that it fails is all that is asked.
hypothesis.settings.register_profile(
    "mutants", phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate), database=None, deadline=None
)
Verdict = tuple[str, str]  # "noticed", "hung" or "survived", and the last test that was asked


def in_a_fork(work: Callable[[], int], confined: bool = False) -> int:
    """Do some work in a forked process, perhaps with limits on its memory and idleness; return its process number."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1), os.dup2(null, 2)
        if confined:
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
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
            os._exit(HUNG)


def _verdict(status: int, note: Path) -> Verdict:
    last = note.read_text().rstrip() if note.exists() else ""
    hung = os.waitstatus_to_exitcode(status) in (HUNG, -signal.SIGPROF)
    return ("hung" if hung else "noticed" if status else "survived"), last


class Asking:
    """A pytest plugin that asks collected tests about mutants, `workers` of them at a time."""

    def __init__(self, mutants: dict[int, Mutant], budget: float, workers: int, jit: bool, notes: Path) -> None:
        self.mutants, self.budget, self.workers, self.jit, self.notes = mutants, budget, workers, jit, notes
        self.outcomes = Outcomes()
        self.asked: dict[int, dict[str, float]] = {}
        self.verdicts: dict[int, Verdict] = {}
        self.doubtful: set[str] = set()  # tests that fail without a mutant

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Record which test runs what, then ask about each mutant until no test that fails by itself was believed."""
        session.config.pluginmanager.register(self.outcomes)
        if not self.jit:
            try_few_examples(session.items)
        records = self._records(session.items)
        self.doubtful = {name for found in records for name in found["failed"]}
        for number, mutant in self.mutants.items():
            self.asked[number] = tests_of(records, mutant, self.budget)
        named, functions = {item.nodeid: item for item in session.items}, _functions()
        gc.freeze()
        left = [number for number, tests in self.asked.items() if tests]
        while left:
            self._ask(left, named, functions)
            noticing = {name for verdict, name in self.verdicts.values() if verdict != "survived" and name in named}
            self.doubtful |= {name for name in noticing - self.doubtful if self._fails_alone(named[name])}
            left = [number for number in left if self.verdicts[number][1] in self.doubtful]
        return True

    def _records(self, items: list[pytest.Item]) -> list[Record]:
        sources = {mutant.path for mutant in self.mutants.values()}
        files: dict[Path, list[pytest.Item]] = {}
        for item in items:
            files.setdefault(item.path, []).append(item)
        import briefly  # noqa: PLC0415 - a plugin among the tests

        briefly.SECONDS = LONGEST[self.jit]
        for path, own in files.items():
            if kept(path, self.jit, sources) is None:
                place(path, self.jit).parent.mkdir(parents=True, exist_ok=True)
                # Confined, as a library whose threads were begun before the fork may wait for them for ever.
                work = lambda p=path, i=own: _write(  # noqa: E731
                    place(p, self.jit), record(p, i, self.outcomes, PATIENCE[self.jit])
                )
                os.waitpid(in_a_fork(work, confined=True), 0)
        briefly.SECONDS = 0.0  # from now on no test is left
        found = {path: kept(path, self.jit, sources) for path in files}
        self.doubtful |= {str(path) for path, of_file in found.items() if of_file is None}
        return [of_file for of_file in found.values() if of_file is not None]

    def _ask(self, numbers: list[int], named: dict[str, Any], functions: dict[str, list[FunctionType]]) -> None:
        running: dict[int, int] = {}
        noticing: set[str] = set()  # tests that have noticed mutants come first
        for number in numbers:
            if len(running) == self.workers:
                noticing.add(self._wait(running))
            mutant = self.mutants[number]
            tests = sorted(self.asked[number].keys() - self.doubtful, key=lambda name: self.asked[number][name])
            tests.sort(key=lambda name: name not in noticing)
            (self.notes / str(number)).unlink(missing_ok=True)
            work = _Trial(
                functions.get(str(mutant.path), []), mutant, [named[name] for name in tests], self.outcomes,
                Limits(self.asked[number], self.notes / str(number)),
            )  # fmt: skip
            running[in_a_fork(work, confined=True)] = number
        while running:
            self._wait(running)

    def _wait(self, running: dict[int, int]) -> str:
        child, status = os.wait()
        number = running.pop(child)
        self.verdicts[number] = _verdict(status, self.notes / str(number))
        with PROGRESS.open("a") as file:
            file.write(f"{self.verdicts[number][0]}  {self.mutants[number]}  {self.verdicts[number][1]}\n")
        return self.verdicts[number][1] if self.verdicts[number][0] == "noticed" else ""

    def _fails_alone(self, item: pytest.Item) -> bool:
        seconds = max(tests.get(item.nodeid, 0.0) for tests in self.asked.values())
        limits = Limits({item.nodeid: seconds}, self.notes / "alone")
        work = _Trial([], None, [item], self.outcomes, limits)
        return os.waitpid(in_a_fork(work, confined=True), 0)[1] != 0


def try_few_examples(items: list[pytest.Item]) -> None:
    """Try properties on few examples: many would take longer than a test may in the interpreter."""
    for function in (getattr(item, "obj", None) for item in items):
        if settings := getattr(function, "_hypothesis_internal_use_settings", None):
            few = min(settings.max_examples, FEW_EXAMPLES)
            function._hypothesis_internal_use_settings = hypothesis.settings(settings, max_examples=few)


class Limits:
    """A pytest plugin that limits the processor time of each test, and notes which test runs."""

    def __init__(self, seconds: dict[str, float], note: Path) -> None:
        self.seconds, self.note, self.file = seconds, note, -1

    def begin(self, name: str) -> None:
        """Begin a test: the process is killed if it takes too long."""
        if self.file < 0:
            self.file = os.open(self.note, os.O_WRONLY | os.O_CREAT)
        os.pwrite(self.file, name.encode().ljust(LONGEST_NAME), 0)
        signal.setitimer(signal.ITIMER_PROF, HANGS + TIMES * self.seconds[name])

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests that are asked, the fastest first."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self.seconds), key=lambda item: self.seconds[item.nodeid]
        )

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin a test."""
        self.begin(nodeid)


class _Trial:
    """Puts a mutant in place and runs tests until one fails."""

    def __init__(
        self,
        functions: list[FunctionType],
        mutant: Mutant | None,
        items: list[pytest.Item],
        outcomes: Outcomes,
        limits: Limits,
    ) -> None:
        self.functions, self.mutant, self.items, self.outcomes, self.limits = functions, mutant, items, outcomes, limits

    def __call__(self) -> int:
        if self.mutant is not None and not self.mutant.in_function:
            _redefine(self.mutant)
        elif self.mutant is not None:
            codes = {(code.co_qualname, code.co_firstlineno): code for code in _inner(self.mutant.code())}
            for function in self.functions:
                code = codes.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
                if code is not None and len(code.co_freevars) == len(function.__code__.co_freevars):
                    function.__code__ = code
        for item, following in zip(self.items, [*self.items[1:], None], strict=True):
            self.limits.begin(item.nodeid)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.outcomes.failed:
                return 1
        return 0


def _functions() -> dict[str, list[FunctionType]]:
    """Return all functions that were defined in the files of the package."""
    found: dict[str, list[FunctionType]] = {}
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename.startswith(str(SOURCES)):
            found.setdefault(function.__code__.co_filename, []).append(function)
    return found


def _redefine(mutant: Mutant) -> None:
    """Change what a module defines as far as that is numbers, texts and default values, wherever they are known."""
    name = ".".join(mutant.path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    module = ModuleType(name)
    module.__file__ = str(mutant.path)
    with suppress(Exception):  # a process that imports it will show what that means
        exec(mutant.code(), module.__dict__)
    before = dict(vars(sys.modules[name]))
    for key, value in vars(module).items():
        if _is_plain(value) and key in before and value != before[key] and not key.startswith("__"):
            for other in list(sys.modules.values()):
                if key in (known := getattr(other, "__dict__", {})) and known[key] is before[key]:
                    known[key] = value
        else:
            _copy_defaults(before.get(key), value)


def _copy_defaults(old: Any, new: Any) -> None:
    old, new = getattr(old, "__func__", old), getattr(new, "__func__", new)
    if isinstance(old, FunctionType) and isinstance(new, FunctionType):
        old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__
    elif isinstance(old, type) and isinstance(new, type) and old.__module__ == new.__module__ and old is not new:
        for key, value in vars(new).items():
            if _is_plain(value) and not key.startswith("__") and value != vars(old).get(key):
                setattr(old, key, value)
            else:
                _copy_defaults(vars(old).get(key), value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple | set | frozenset | dict):
        return all(map(_is_plain, value)) and (not isinstance(value, dict) or all(map(_is_plain, value.values())))
    return isinstance(value, int | float | str | bytes | re.Pattern) and not isinstance(value, Enum)


def _inner(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner(constant)


def _write(target: Path, value: Any) -> int:
    draft = target.with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps(value))
    draft.replace(target)
    return 0


def set_jit(enabled: bool) -> None:
    """Compile kernels or not, in modules that are imported from now on, in this process and its children."""
    import numba  # noqa: PLC0415 - before the first fork

    os.environ["NUMBA_DISABLE_JIT"] = str(int(not enabled))
    numba.config.DISABLE_JIT = int(not enabled)


def asked_anew(mutant: Mutant | None, tests: dict[str, float], note: Path, jit: bool) -> Verdict:
    """Ask about a mutant that runs when its module is imported, in a process that imports it."""
    code, before = mutant.code() if mutant else None, SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, name: str) -> Any:
        return code if mutant and Path(self.path) == mutant.path else before(self, name)

    def work() -> int:
        set_jit(jit)
        SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
        signal.setitimer(signal.ITIMER_PROF, 6 * HANGS)  # to import all
        files = sorted({name.split("::", maxsplit=1)[0] for name in tests})
        code = int(pytest.main([*OPTIONS, *_round(jit), "-x", *files], plugins=[Limits(tests, note)]))
        return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code

    note.unlink(missing_ok=True)
    return _verdict(os.waitpid(in_a_fork(work, confined=True), 0)[1], note)


def _round(jit: bool) -> list[str]:
    return [] if jit else ["-W", "ignore:overflow encountered:RuntimeWarning"]


def ask(
    mutants: dict[int, Mutant], tests: list[Path], budget: float, workers: int, jit: bool
) -> tuple[dict[int, Verdict], list[str]]:
    """Ask the tests about mutants; return the verdicts on those whose lines they run, and the tests not believed."""
    sources = {mutant.path for mutant in mutants.values()}
    records = {path: kept(path, jit, sources) for path in tests}
    touching = [
        str(path.relative_to(ROOT))
        for path, found in records.items()
        if found is None or any(tests_of([found], mutant, budget) for mutant in mutants.values())
    ]
    if not touching:
        return {}, []
    with tempfile.TemporaryDirectory() as folder:
        asking = Asking(mutants, budget, workers, jit, Path(folder))
        target = Path(folder) / "result"

        def work() -> int:
            set_jit(jit)
            sys.path.insert(0, str(ROOT / "tests"))
            pytest.main([*OPTIONS, "-p", "briefly", *_round(jit), *touching], plugins=[asking])
            return _write(target, [asking.asked, asking.verdicts, sorted(asking.doubtful)])

        os.waitpid(in_a_fork(work), 0)
        if not target.exists() or len(asked := json.loads(target.read_text())) != 3:
            sys.exit("the tests cannot be collected; run them with pytest first")
        verdicts = {int(number): (verdict, name) for number, (verdict, name) in asked[1].items()}
        verdicts |= _ask_anew(
            mutants, {int(n): tests for n, tests in asked[0].items()}, verdicts, Path(folder) / "anew", jit
        )
    return verdicts, asked[2]


def _ask_anew(
    mutants: dict[int, Mutant],
    asked: dict[int, dict[str, float]],
    known: dict[int, Verdict],
    note: Path,
    jit: bool,
) -> dict[int, Verdict]:
    """Ask about survivors that run when their module is imported; leave out tests that fail without any mutant."""
    verdicts: dict[int, Verdict] = {}
    believed: dict[str, bool] = {}
    for number, tests in asked.items():
        if not tests or mutants[number].in_function or known[number][0] != "survived":
            continue
        while True:
            left = {name: seconds for name, seconds in tests.items() if believed.get(name, True)}
            verdict, name = verdicts[number] = asked_anew(mutants[number], left, note, jit)
            if verdict == "survived" or name not in tests or believed.get(name):
                break
            believed[name] = asked_anew(None, {name: tests[name]}, note, jit)[0] == "survived"
            if believed[name]:
                break
    return verdicts
