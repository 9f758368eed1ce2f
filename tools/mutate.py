"""Mutation testing: change one thing in a file, and see whether the tests notice.

    python tools/mutate.py --sample 40 bounds         # 40 mutants of a room
    python tools/mutate.py --all bounds/littlestone   # every mutant of a file
    python tools/mutate.py --again rulesets           # only the survivors of the last run

A mutant swaps a comparison or an arithmetic or boolean operator, shifts a number, negates a condition, or drops a
`not`. The tests of a room are collected once, and a first run records which of them run which lines and how long each
takes. Each mutant then replaces its function in a fork; nothing is written to disk. Only tests that run the changed
line are asked, the fastest first and up to `--seconds` of them, until one fails. Compiled functions are changed and
asked about in a second round, with the JIT off, by the tests that end within a second there. A mutant that no test
notices survives and is printed: write the missing test, or convince yourself that nothing has changed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from pathlib import Path

from asking import ask, set_jit
from mutants import ROOT, Mutant, Site, sites

ROOMS = {  # the tests of each room: folders of tests/, or single files in them
    "bounds": ["bounds", "core/test_certificates.py"],
    "core": ["core", "river", "linear/test_twins.py", "linear/test_attributes.py"],
    "linear": ["linear", "core/test_estimators.py", "core/test_policies.py", "river", "model_file"],
    "counting": ["counting", "core/test_estimators.py", "river", "model_file"],
    "dnf": ["dnf", "rulesets", "river", "model_file"],
    "rulesets": ["rulesets", "dnf/test_interpretation.py", "counting/test_counting_explanation.py"],
    "data": ["data", "core/test_frame.py", "core/test_lost_values.py", "core/test_text_in_numbers.py"],
    "model_file": ["model_file"],
}
OUTPUT = ROOT / "output" / "mutants"


def import_others() -> None:
    """Import the dependencies of winnowkit but not winnowkit itself, which each round imports anew."""
    import winnowkit.river  # noqa: F401, PLC0415

    for name in [name for name in sys.modules if name.split(".")[0] == "winnowkit"]:
        del sys.modules[name]


def survivors(package: Path, mutants: list[Mutant], tests: list[str], budget: float, workers: int) -> list[int]:
    """Return the numbers of the mutants that no test notices, in a round with the JIT and one without."""
    compiled = [number for number, mutant in enumerate(mutants) if not mutant.in_function and is_kernel(mutant.path)]
    first = [number for number in range(len(mutants)) if number not in compiled]
    result = ask(package, [mutants[number] for number in first], tests, None, budget, workers, True)
    if result["found"]["failed"]:
        print(f"not asked, since they fail without any mutant: {', '.join(result['found']['failed'])}", flush=True)
    left = [first[place] for place in range(len(first)) if result["noticed"].get(str(place)) is False]
    untouched = [first[place] for place in range(len(first)) if str(place) not in result["noticed"]]
    second = sorted(compiled + [number for number in untouched if is_kernel(mutants[number].path)])
    never_run = [number for number in untouched if number not in second]
    if second:
        touching = {name for lines in result["found"]["lines"].values() for names in lines.values() for name in names}
        result = ask(package, [mutants[number] for number in second], tests, touching, budget, workers, False)
        left += [second[place] for place in range(len(second)) if result["noticed"].get(str(place)) is False]
        never_run += [second[place] for place in range(len(second)) if str(place) not in result["noticed"]]
    for number in never_run:
        print(f"no test runs  {mutants[number]}", flush=True)
    return sorted(left + never_run)


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
    parser.add_argument("--tests", nargs="+", help="ask these tests instead of those of the room")
    parser.add_argument("--seconds", type=float, default=30.0, help="ask tests that take so long in all")
    parser.add_argument("--workers", type=int, default=2, help="mutants at a time")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    unknown = [place for place in arguments.places if place.split("/", maxsplit=1)[0] not in ROOMS]
    if unknown:
        parser.error(f"unknown room {unknown[0]!r}; choose from {', '.join(ROOMS)}")
    os.chdir(ROOT)
    OUTPUT.mkdir(parents=True, exist_ok=True)
    set_jit(True)
    import_others()
    for place in arguments.places:
        _try(place, arguments)
    return 0


def _try(place: str, arguments: argparse.Namespace) -> None:
    begun, folder = time.perf_counter(), ROOT / "src" / "winnowkit" / place
    files = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    found = [site for path in files for site in sites(path)]
    room, notes = place.split("/", maxsplit=1)[0], OUTPUT / f"{place.replace('/', '-')}.json"
    if arguments.again:
        chosen = [Site(ROOT / path, node, version) for path, node, version in json.loads(notes.read_text())]
    elif arguments.all:
        chosen = found
    else:
        chosen = random.Random(arguments.seed).sample(found, min(arguments.sample, len(found)))
    # Examples in docstrings are tests too.
    tests = arguments.tests or [f"src/winnowkit/{room}", *(f"tests/{name}" for name in ROOMS[room])]
    mutants = [site.mutant() for site in chosen]
    package = ROOT / "src" / "winnowkit" / room
    left = survivors(package, mutants, tests, arguments.seconds, arguments.workers)
    for number in left:
        print(f"survived  {mutants[number]}")
    kept = [chosen[number] for number in left]
    notes.write_text(json.dumps([[str(site.path.relative_to(ROOT)), site.node, site.version] for site in kept]))
    share = 1 - len(left) / max(len(chosen), 1)
    print(
        f"{place}: {len(chosen)} of {len(found)} mutants tried, {len(chosen) - len(left)} noticed ({share:.1%}), "
        f"{time.perf_counter() - begun:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
