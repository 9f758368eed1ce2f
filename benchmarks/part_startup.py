"""Import time, first call with and without compiled kernels in the cache, first predictions, and installed size.

numba imports coverage and yaml if they are installed, as they are among the tools of this project. Here it does not
find them, as in an environment that has what winnowkit requires and nothing else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from math import isnan, nan
from pathlib import Path

from environments import ours
from results import Part, Record, Table, distinct, quartiles, rows_of, spread

import winnowkit

REPEATS = {"tiny": 1, "quick": 5, "full": 15}
IMPORTS = {
    "python alone": "pass",
    "import winnowkit": "import winnowkit",
    "from winnowkit import Winnow2": "from winnowkit import Winnow2",
    "from winnowkit import DNFWinnow": "from winnowkit import DNFWinnow",
    "from sklearn.linear_model import Perceptron": "from sklearn.linear_model import Perceptron",
    "from river.linear_model import Perceptron": "from river.linear_model import Perceptron",
    "import vowpalwabbit": "import vowpalwabbit",
}
CALLS = {
    "Winnow2: fit and predict two rows": (
        "from winnowkit import Winnow2; Winnow2().fit([[0, 1], [1, 0]], [0, 1]).predict([[1, 0]])"
    ),
    "Committee: fit and predict two rows": (
        "from winnowkit import Committee; Committee().fit([[0, 1], [1, 0]], [0, 1]).predict([[1, 0]])"
    ),
    "Winnow2: fit and predict 20,000 rows": (
        "from winnowkit import Winnow2; import numpy; X = numpy.random.default_rng(0).integers(0, 2, (20_000, 10)); "
        "Winnow2().fit(X, X[:, 0]).predict(X)"
    ),
    "Committee: fit and predict 20,000 rows": (
        "from winnowkit import Committee; import numpy; X = numpy.random.default_rng(0).integers(0, 2, (20_000, 10)); "
        "Committee().fit(X, X[:, 0]).predict(X)"
    ),
    "DNFWinnow: fit and predict 500 rows": (
        "from winnowkit import DNFWinnow; import numpy; rng = numpy.random.default_rng(0); "
        "X = rng.integers(0, 4, (500, 6)).astype(str).astype(object); X[:, 4:] = rng.normal(size=(500, 2)); "
        "y = (X[:, 0] == '1') | (X[:, 1] == '2'); DNFWinnow(random_state=0).fit(X, y).predict(X)"
    ),
    "DNFWinnow(max_literals=None): fit and predict two rows": (
        "from winnowkit import DNFWinnow; DNFWinnow(max_literals=None).fit([['a'], ['b']], [0, 1]).predict([['a']])"
    ),
    "sklearn Perceptron: fit and predict two rows": (
        "from sklearn.linear_model import Perceptron; Perceptron().fit([[0, 1], [1, 0]], [0, 1]).predict([[1, 0]])"
    ),
}
MANY, MANY_COMMITTEE, TABLE = (name for name in CALLS if "20,000" in name or "500" in name)
PERCEPTRON = "sklearn Perceptron: fit and predict two rows"
PREPARE = """
import csv, sys
from pathlib import Path
import numpy
from winnowkit import AROW, Committee, DNFWinnow, Winnow2, save
from winnowkit.cli.main import main

folder = Path(sys.argv[1])
X = numpy.random.default_rng(0).integers(0, 2, (200, 10))
for kind in (Winnow2, AROW, Committee):
    save(kind().fit(X, X[:, 0]), folder / f"{kind.__name__}.winnow")
words = X.astype(str).astype(object)
model = DNFWinnow(random_state=0).fit(words, X[:, 0])
(folder / "rules.json").write_text(model.rules(words, X[:, 0]).to_json())
(folder / "compact.json").write_text(model.compact(words, X[:, 0]).to_json())
with open(folder / "rows.csv", "w", newline="") as file:
    csv.writer(file).writerows([[f"x{i}" for i in range(10)] + ["y"], *numpy.column_stack([X, X[:, 0]]).tolist()])
main(["fit", str(folder / "rows.csv"), "--target", "y", "--learner", "Winnow2", "-o", str(folder / "cli.winnow"), "-q"])
"""
_RULES = (
    "import os; from winnowkit.rulesets import RuleSet; RuleSet.from_json(open(os.environ['FOLDER'] + '/{}').read())"
)
_LOAD = "import os; from winnowkit import load; load(os.environ['FOLDER'] + '/{}.winnow').predict([[0, 1] * 5])"
COMMAND = "winnowkit predict, Winnow2, 200 rows"  # it imports scikit-learn, which prepared the columns
PREDICTIONS = {
    "rule set read from JSON": _RULES.format("rules.json") + ".predict([['0'] * 10])",
    "compact rule set read from JSON": _RULES.format("compact.json") + ".predict([['0'] * 10])",
    "load(Winnow2)": _LOAD.format("Winnow2"),
    "load(AROW)": _LOAD.format("AROW"),
    "load(Committee)": _LOAD.format("Committee"),
    COMMAND: (
        "import os; from winnowkit.cli.main import main; f = os.environ['FOLDER']; "
        "main(['predict', f + '/cli.winnow', f + '/rows.csv'])"
    ),
}
EVERYTHING = "from winnowkit.precompile import TASKS, compile_task; [compile_task(name) for name in TASKS]"
WARMUP = "everything that `winnowkit warmup` compiles, in one process"
LISTEN = """
import json, sys, threading, time
from collections import defaultdict
from numba.core import event

open_ = defaultdict(list)  # by thread: when each compilation under way began, and how long those inside it took
found = []

class Listener(event.Listener):
    def on_start(self, _):
        open_[threading.get_ident()].append([time.thread_time(), 0.0])

    def on_end(self, ended):
        stack = open_[threading.get_ident()]
        began, inside = stack.pop()
        took = time.thread_time() - began
        if stack:
            stack[-1][1] += took
        function = ended.data["dispatcher"].py_func
        found.append((f"{function.__module__}.{function.__name__}", took - inside))

event.register("numba:compile", Listener())
exec(sys.argv[1])
print(json.dumps(found))
"""
N_SLOWEST = 8  # kernels that are shown for each call
PACKAGES = ["winnowkit", "numba", "llvmlite", "numpy", "scipy", "scikit-learn", "river", "vowpalwabbit", "xgboost"]


HIDDEN = "import sys; sys.modules['coverage'] = sys.modules['yaml'] = None; "
"""The beginning of each program, after which numba does not find what it imports if it is installed."""


def only(cache: Path) -> dict[str, str]:
    """Return the environment of a process that keeps its kernels in this folder, and finds none elsewhere."""
    shared = {"NUMBA_CACHE_DIR": str(cache)}
    return {name: value for name, value in os.environ.items() if name != "WINNOWKIT_CACHE_DIR"} | shared


def seconds(code: str, cache: Path | None = None, folder: Path = Path()) -> float:
    """Return the processor time in seconds of a new interpreter that runs this, as other processes may be busy."""
    environment = {**(os.environ if cache is None else only(cache)), "FOLDER": str(folder)}
    before = os.times()
    subprocess.run([sys.executable, "-c", HIDDEN + code], check=True, env=environment, capture_output=True)
    after = os.times()
    user, system = after.children_user - before.children_user, after.children_system - before.children_system
    return max(0.0, user + system)  # differences of rounded times may be below 0


def slowest_kernels(code: str, cache: Path) -> list[tuple[str, float, int]]:
    """Return name, seconds of compiling without those of what it calls, and number of types, by numba's events."""
    environment = only(cache)
    run = subprocess.run(
        [sys.executable, "-c", LISTEN, code], check=True, env=environment, capture_output=True, text=True
    )
    found: dict[str, list[float]] = {}
    for name, took in json.loads(run.stdout.splitlines()[-1]):
        found.setdefault(name, []).append(took)
    ranked = sorted(found.items(), key=lambda item: -sum(item[1]))
    return [(name, sum(times), len(times)) for name, times in ranked]


def is_there(code: str) -> bool:
    module = code.split(";", maxsplit=1)[0].split()[1] if code != "pass" else "sys"
    return find_spec(module.split(".")[0]) is not None


def installed_mib(package: str) -> float | None:
    """Return the size of an installed package; for ours, the size of its folder without compiled kernels."""
    if package == "winnowkit":
        files = [p for p in Path(winnowkit.__file__).parent.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
        return sum(p.stat().st_size for p in files) / 2**20
    try:
        files = [Path(str(p.locate())) for p in distribution(package).files or []]
    except PackageNotFoundError:
        return None
    return sum(p.stat().st_size for p in files if p.is_file()) / 2**20


def measure(scale: str, data: Path | None, say: Callable[[str], None]) -> Part:  # noqa: ARG001
    """Measure all five."""
    part = Part(
        "startup", "Start-up and size", " ".join(__doc__.split()), scale, environment=ours("river", "vowpalwabbit")
    )
    repeats = REPEATS[scale]
    for name, code in (IMPORTS | CALLS).items():
        if not is_there(code):
            part.absent.append(f"{name}: not installed")
            continue
        say(name)
        kind = "cached" if name in CALLS else "import"
        seconds(code)  # fill the file cache of the system and our kernel cache
        for turn in range(repeats):
            part.records.append({"what": kind, "who": name, "turn": turn, "ms": 1e3 * seconds(code)})
    for name, code in CALLS.items():
        if "winnowkit" not in code:
            continue
        say(f"{name}, compiling")
        for turn in range(max(1, repeats // 5)):
            with tempfile.TemporaryDirectory() as empty:
                took = 1e3 * seconds(code, Path(empty))
                part.records.append({"what": "compile", "who": name, "turn": turn, "ms": took})
        with tempfile.TemporaryDirectory() as empty:
            for kernel, took, types in slowest_kernels(code, Path(empty)):
                record = {"what": "kernel", "who": name, "kernel": kernel, "ms": 1e3 * took, "types": types}
                part.records.append(record)
    say(WARMUP)
    with tempfile.TemporaryDirectory() as empty:
        took = 1e3 * seconds(EVERYTHING, Path(empty))
        part.records.append({"what": "compile", "who": WARMUP, "turn": 0, "ms": took})
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", PREPARE, folder], check=True, capture_output=True)
        for name, code in PREDICTIONS.items():
            say(f"first prediction: {name}")
            for turn in range(repeats):
                took = 1e3 * seconds(code, folder=Path(folder))
                part.records.append({"what": "prediction", "who": name, "turn": turn, "ms": took})
    for package in PACKAGES:
        if (size := installed_mib(package)) is not None:
            part.records.append({"what": "size", "who": package, "mib": size})
    part.tables = tables(part.records)
    part.verdicts = verdicts(part.records)
    return part


def tables(records: list[Record]) -> list[Table]:
    titles = {
        "import": "Imports in a new interpreter",
        "cached": "First call in a new interpreter, kernels compiled before",
        "compile": "First call ever: nothing was compiled before",
        "prediction": "First prediction of a model from a file, from the start of Python",
    }
    found = [aims(records)]
    for kind, title in titles.items():
        rows = rows_of(records, what=kind)
        body = [[who, spread([r["ms"] for r in rows_of(rows, who=who)])] for who in distinct(rows, "who")]
        found.append(Table(title, ["", "milliseconds of processor time, median (quartiles)"], body))
    for who in distinct(rows_of(records, what="kernel"), "who"):
        rows = rows_of(records, what="kernel", who=who)
        total, n_compiled = sum(r["ms"] for r in rows), sum(r["types"] for r in rows)
        title = f"{who}: the slowest of {n_compiled} compilations, {total / 1e3:.1f} s in all"
        body = [[r["kernel"], f"{r['ms']:.0f}", str(r["types"])] for r in rows[:N_SLOWEST]]
        found.append(Table(title, ["kernel", "milliseconds, without what it calls", "sets of types"], body))
    sizes = [[r["who"], f"{r['mib']:.1f}"] for r in rows_of(records, what="size")]
    found.append(Table("Installed size, compiled kernels not counted", ["", "MiB"], sizes))
    return found


def median(records: list[Record], what: str, who: str) -> float | None:
    """Return the median in milliseconds; None if it was not measured."""
    values = [r["ms"] for r in rows_of(records, what=what, who=who)]
    return quartiles(values)[1] if values else None


def aims(records: list[Record]) -> Table:
    """Compare what was measured with what is aimed at, in seconds of processor time."""

    def took(what: str, who: str) -> float:
        value = median(records, what, who)
        return nan if value is None else value / 1e3

    firsts = {MANY: 4.0, MANY_COMMITTEE: 6.0, TABLE: 10.0}
    more = sum(took("compile", name) - took("cached", name) for name in firsts)
    found = [(f"first call ever: {name}", aim, took("compile", name)) for name, aim in firsts.items()]
    found += [("all that `winnowkit warmup` compiles besides, in one process", 30.0, took("compile", WARMUP) - more)]
    for name, aim in {MANY: 0.3, TABLE: 0.6}.items():
        beyond = took("cached", name) - took("cached", PERCEPTRON)
        found.append((f"later processes, beyond scikit-learn's Perceptron: {name}", aim, beyond))
    found += [(f"first prediction: {name}", 0.3, took("prediction", name)) for name in PREDICTIONS if name != COMMAND]
    rows = [
        [what, f"{aim:g}", f"{measured:.2f}", "met" if measured <= aim else "missed"]
        for what, aim, measured in found
        if not isnan(measured)
    ]
    return Table("Aims, in seconds of processor time from the start of Python", ["", "aim", "measured", ""], rows)


def verdicts(records: list[Record]) -> list[str]:
    """Say where a peer starts sooner."""
    said = []
    names = list(CALLS)
    mine, other = (median(records, "cached", name) for name in (names[0], names[-1]))
    if mine is not None and other is not None:
        slower = f"**start-up**: scikit-learn's Perceptron answers {mine - other:,.0f} ms sooner than Winnow2"
        said.append(
            f"{slower}: modules of winnowkit are imported too, and with many rows numba and the kernels are loaded."
            if mine > other
            else f"start-up: Winnow2 answers {other - mine:,.0f} ms sooner than scikit-learn's Perceptron."
        )
    compiling, compiled = median(records, "compile", MANY), median(records, "cached", MANY)
    if compiling is not None and compiled is not None:
        more = (compiling - compiled) / 1e3
        said.append(
            f"The first use ever of Winnow2 on many rows takes {more:.1f} s more, to compile its kernels; "
            "peers are installed compiled."
        )
    return said
