"""Mutation testing: change one thing in a file, and see whether the tests notice.

    python tools/mutate.py --sample 40 bounds         # 40 mutants of a room
    python tools/mutate.py --all bounds/littlestone   # every mutant of a file
    python tools/mutate.py --again rulesets           # only the survivors of the last run

A mutant swaps a comparison or an arithmetic or boolean operator, shifts a number, negates a condition, or drops a
`not`. A first run records which tests run which lines and how long each takes; tests of more than three seconds are
left. Each mutant then replaces its function in a fork; nothing is written to disk. Only tests that run the changed line
are asked, the fastest case of each test first and up to `--seconds` of them, until one fails: those of the room, then
those of others. Compiled functions are changed in a second round, with the JIT off, and asked about by the tests of the
room that end within a second there. A mutant that no test notices survives and is printed: write the missing test, or
convince yourself that nothing has changed. Imports for type checkers and `strict=True` of `zip`, which change nothing
while the code is right, are left out of the sample.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from asking import Verdict, ask, set_jit
from mutants import ROOT, Mutant, Site, sites

ROOMS = {  # the tests of each room, folders of tests/ or single files in them: its own first, and those of others
    "bounds": ["bounds", "core/test_certificates.py"],
    "core": ["core", "river", "linear/test_twins.py", "linear/test_attributes.py"],
    "linear": ["linear", "core/test_estimators.py", "core/test_policies.py", "river", "model_file"],
    "counting": ["counting", "core/test_estimators.py", "river", "model_file"],
    "dnf": ["dnf", "rulesets", "river", "model_file"],
    "rulesets": ["rulesets", "dnf/test_interpretation.py", "counting/test_counting_explanation.py"],
    "data": ["data", "core/test_frame.py", "core/test_lost_values.py", "core/test_text_in_numbers.py"],
    "model_file": ["model_file", "data/test_table_encoder.py"],
}
OUTPUT = ROOT / "output" / "mutants"


def import_others() -> None:
    """Import the dependencies of winnowkit but not winnowkit itself, which each round imports anew."""
    for name in ("winnowkit.river", "pandas", "pyarrow", "hypothesis.extra.numpy"):
        with suppress(ImportError):
            import_module(name)
    for name in [name for name in sys.modules if name.split(".")[0] == "winnowkit"]:
        del sys.modules[name]


def asked_in_rounds(mutants: list[Mutant], room: str, budget: float, workers: int) -> dict[int, Verdict]:
    """Return the verdicts: by the tests of the room with the JIT, and without it on kernels, then by other tests."""
    own, *others = ROOMS[room]
    # Examples in docstrings are tests too.
    first = sorted((ROOT / "src" / "winnowkit" / room).rglob("*.py")) + test_files([own])
    compiled = {n for n, mutant in enumerate(mutants) if not mutant.in_function and is_kernel(mutant.path)}
    verdicts: dict[int, Verdict] = {}
    for tests, jit in ((first, True), (first, False), (test_files(others), True)):
        left = {n: m for n, m in enumerate(mutants) if verdicts.get(n, ("survived", ""))[0] == "survived"}
        if jit:
            left = {n: mutant for n, mutant in left.items() if n not in compiled}
        else:  # also those that tests have run with the JIT: the interpreter may have run a kernel at first
            left = {n: mutant for n, mutant in left.items() if is_kernel(mutant.path)}
        found, doubtful = ask(left, tests, budget, workers, jit) if left else ({}, [])
        if doubtful:
            print(f"not asked, since they fail without any mutant: {', '.join(doubtful)}", flush=True)
        verdicts |= found
    return verdicts


def test_files(places: list[str]) -> list[Path]:
    """Return the test files in some folders of tests/, or these files."""
    paths = [ROOT / "tests" / place for place in places]
    return [file for path in paths for file in (sorted(path.rglob("test_*.py")) if path.is_dir() else [path])]


def is_kernel(path: Path) -> bool:
    """Whether a file holds compiled functions, into which the constants of its module are compiled."""
    return "from winnowkit.core.jit import" in path.read_text()


def main() -> int:
    """Print the survivors and the number of mutants that were noticed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("places", nargs="+", help=f"rooms ({', '.join(ROOMS)}), or files in them such as dnf/exact")
    parser.add_argument("--sample", type=int, default=40, help="mutants per place")
    parser.add_argument("--all", action="store_true", help="all mutants")
    parser.add_argument("--again", action="store_true", help="only the mutants that survived the last run")
    parser.add_argument("--seconds", type=float, default=10.0, help="ask tests that take so long in all")
    parser.add_argument("--workers", type=int, default=2, help="mutants at a time")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    unknown = [place for place in arguments.places if place.split("/", maxsplit=1)[0] not in ROOMS]
    if unknown:
        parser.error(f"unknown room {unknown[0]!r}; choose from {', '.join(ROOMS)}")
    os.chdir(ROOT)
    OUTPUT.mkdir(parents=True, exist_ok=True)
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(OUTPUT / "bytecode")  # modules are imported many times
    set_jit(True)
    import_others()
    for place in arguments.places:
        _try(place, arguments)
    return 0


def _try(place: str, arguments: argparse.Namespace) -> None:
    begun, folder = time.perf_counter(), ROOT / "src" / "winnowkit" / place
    files = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    found = [site for path in files for site in sites(path)]
    notes = OUTPUT / f"{place.replace('/', '-')}.json"
    if arguments.again:
        chosen = [Site(ROOT / path, node, version) for path, node, version in json.loads(notes.read_text())]
    elif arguments.all:
        chosen = found
    else:
        chosen = random.Random(arguments.seed).sample(found, min(arguments.sample, len(found)))
    idle = sum(site.is_idle() for site in chosen)
    chosen = [site for site in chosen if not site.is_idle()]
    mutants = [site.mutant() for site in chosen]
    verdicts = asked_in_rounds(mutants, place.split("/", maxsplit=1)[0], arguments.seconds, arguments.workers)
    counts = Counter(verdict for verdict, _ in verdicts.values())
    left = [n for n in range(len(mutants)) if verdicts.get(n, ("survived", ""))[0] == "survived"]
    for n, (verdict, test) in sorted(verdicts.items()):
        if verdict == "hung":
            print(f"hung  {mutants[n]}  in {test}")
    for n in left:
        print(f"{'survived' if n in verdicts else 'no test runs'}  {mutants[n]}")
    notes.write_text(
        json.dumps([[str(s.path.relative_to(ROOT)), s.node, s.version] for s in (chosen[n] for n in left)])
    )
    share = 1 - len(left) / max(len(chosen), 1)
    processor = sum(os.times()[:4])
    print(
        f"{place}: {len(chosen)} of {len(found)} mutants tried ({idle} more left out), "
        f"{counts['noticed']} noticed by a test that fails, "
        f"{counts['hung']} by one that hangs, {len(left)} survived ({share:.1%} noticed); "
        f"{time.perf_counter() - begun:.0f} s, {processor:.0f} s of processor time so far",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
