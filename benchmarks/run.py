"""Runs all benchmarks and writes one report: ``make bench [SCALE=quick|full]``.

Usage: python benchmarks/run.py [PART ...] [--scale quick] [--data FOLDER] [--output output/bench] [--report-only].

Each part writes its records, tables and verdicts as JSON to the output folder. The report is made of all parts found
there: index.html beside the JSON, one self-contained page, and, if all parts are run, the section of docs/benchmarks.md
between its markers. Parts that are named are printed, too. "quick" takes about 15 minutes on an idle machine, "full"
some hours. A part that fails is reported, and the others continue.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import report
from results import Part

ROOT = Path(__file__).resolve().parent.parent
Measure = Callable[[str, Path | None, Callable[[str], None]], Part]
PARTS = {  # the module that measures each part, in the order of the report
    "linear": "part_linear",
    "real": "part_real",
    "memory": "part_memory",
    "river": "river_adapter",
    "dnf-peers": "part_dnf_peers",
    "dnf-errors": "part_scripts",
    "dnf-sums": "part_scripts",
    "rules": "part_scripts",
    "chains": "part_scripts",
    "parsing": "parsing",
    "startup": "part_startup",
    "scaling": "part_scaling",
}


def measure_of(name: str) -> Measure:
    """Return the function that measures a part; it is imported late, as a part may need a package that is missing."""
    module = import_module(PARTS[name])
    found: Measure = module.PARTS[name] if hasattr(module, "PARTS") else module.measure
    return found


def run_part(name: str, scale: str, data: Path | None, say: Callable[[str], None]) -> Part:
    """Measure one part; one that fails says so instead of giving results."""
    start = time.perf_counter()
    try:
        part = measure_of(name)(scale, data, say)
    except Exception as error:
        traceback.print_exc()
        part = Part(name, name, "", scale, absent=[f"the whole part: {type(error).__name__}: {error}"])
    part.seconds = time.perf_counter() - start
    return part


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; default: all")
    parser.add_argument("--scale", choices=["tiny", "quick", "full"], default="quick")
    parser.add_argument("--data", type=Path, help="folder with real data (or WINNOWKIT_DATA; default: ../shared/data)")
    parser.add_argument("--output", type=Path, default=ROOT / "output" / "bench")
    parser.add_argument(
        "--docs", type=Path, help="page with the markers (default: docs/benchmarks.md if all parts are run)"
    )
    parser.add_argument("--note", default="", help="information about this run, for the head of the report")
    parser.add_argument(
        "--report-only", action="store_true", help="measure nothing and make the report from existing results"
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.parts if name not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    docs = options.docs or (None if options.parts else ROOT / "docs" / "benchmarks.md")
    for name in [] if options.report_only else options.parts or PARTS:
        say(f"== {name}")
        part = run_part(name, options.scale, options.data, lambda line: say(f"   {line}"))
        part.save(options.output)
        say(f"   {part.seconds:.0f} s")
        if options.parts:
            print(report.markdown_part(part), flush=True)
    found = [Part.load(path) for name in PARTS if (path := options.output / f"{name}.json").exists()]
    if not found:
        say(f"there is nothing to report in {options.output}")
        return 1
    (options.output / "index.html").write_text(report.page(found, options.note), encoding="utf-8")
    say(f"{options.output / 'index.html'}")
    if docs is not None:
        text = docs.read_text(encoding="utf-8")
        docs.write_text(report.put_between(text, report.markdown(found, options.note)), encoding="utf-8")
        say(f"{docs}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
