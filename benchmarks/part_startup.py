"""Import time, first call with and without compiled kernels in the cache, and installed size."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
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
    "DNFWinnow: fit and predict two rows": (
        "from winnowkit import DNFWinnow; DNFWinnow(max_literals=None).fit([['a'], ['b']], [0, 1]).predict([['a']])"
    ),
    "sklearn Perceptron: fit and predict two rows": (
        "from sklearn.linear_model import Perceptron; Perceptron().fit([[0, 1], [1, 0]], [0, 1]).predict([[1, 0]])"
    ),
}
PACKAGES = ["winnowkit", "numba", "llvmlite", "numpy", "scipy", "scikit-learn", "river", "vowpalwabbit", "xgboost"]


def seconds(code: str, cache: Path | None = None) -> float:
    """Return the processor time in seconds of a new interpreter that runs this, as other processes may be busy."""
    environment = os.environ | ({} if cache is None else {"NUMBA_CACHE_DIR": str(cache)})
    before = os.times()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, capture_output=True)
    after = os.times()
    user, system = after.children_user - before.children_user, after.children_system - before.children_system
    return max(0.0, user + system)  # differences of rounded times may be below 0


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
    """Measure all four."""
    part = Part(
        "startup", "Start-up and size", __doc__.splitlines()[0], scale, environment=ours("river", "vowpalwabbit")
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
        "compile": "First call ever: kernels are compiled",
    }
    found = []
    for kind, title in titles.items():
        rows = rows_of(records, what=kind)
        body = [[who, spread([r["ms"] for r in rows_of(rows, who=who)])] for who in distinct(rows, "who")]
        found.append(Table(title, ["", "milliseconds of processor time, median (quartiles)"], body))
    sizes = [[r["who"], f"{r['mib']:.1f}"] for r in rows_of(records, what="size")]
    found.append(Table("Installed size, compiled kernels not counted", ["", "MiB"], sizes))
    return found


def verdicts(records: list[Record]) -> list[str]:
    """Say where a peer starts sooner."""

    def median(what: str, who: str) -> float | None:
        values = [r["ms"] for r in rows_of(records, what=what, who=who)]
        return quartiles(values)[1] if values else None

    said = []
    mine, other = (median("cached", name) for name in list(CALLS)[::2])
    if mine is not None and other is not None:
        slower = f"**start-up**: scikit-learn's Perceptron answers {mine - other:,.0f} ms sooner than Winnow2"
        said.append(
            f"{slower}: numba is loaded, and kernels from the disk; later calls do not pay."
            if mine > other
            else f"start-up: Winnow2 answers {other - mine:,.0f} ms sooner than scikit-learn's Perceptron."
        )
    compiling = median("compile", next(iter(CALLS)))
    if compiling is not None and mine is not None:
        more = (compiling - mine) / 1e3
        said.append(f"The first use ever of Winnow2 takes {more:.1f} s more, to compile; peers come compiled.")
    return said
