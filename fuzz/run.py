"""Fuzz the readers and `load` with atheris (libFuzzer, guided by coverage of Python code), one process per target.

    python fuzz/run.py --runs 100000                # every target
    python fuzz/run.py --runs 100000 csv model      # some targets

Kernels run without the JIT, so that their branches count as coverage and an index out of bounds raises; `--jit` runs
them compiled. An input that ends in a crash, takes two seconds of processor time or 1 GB of memory, or raises an
exception that its reader does not promise is kept in output/fuzz/findings; fix the cause and move the input to
fuzz/corpus, where `make test` runs it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

HERE = Path(__file__).parent
OUTPUT = HERE.parent / "output" / "fuzz"
READING = ("core", "data", "model_file", "rulesets", "linear", "counting", "dnf")  # packages to instrument
SECONDS = 2.0  # processor time allowed per input
HANG = 60  # seconds after which an input is taken to hang
MEMORY = 1024  # megabytes allowed for the process


def main() -> int:
    """Fuzz the targets one after another; the exit code says whether anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("targets", nargs="*", help="targets (default: all)")
    parser.add_argument("--runs", type=int, default=10_000, help="inputs per target")
    parser.add_argument("--jit", action="store_true", help="use compiled kernels")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help="seed of the fuzzer; 0 is a new one each time")
    arguments = parser.parse_args()
    if arguments.one:
        fuzz(arguments.one, arguments.runs, arguments.seed, jit=arguments.jit)
    from fuzz_targets import TARGETS  # noqa: PLC0415 - a child imports them under instrumentation

    unknown = set(arguments.targets) - set(TARGETS)
    if unknown:
        parser.error(f"Unknown target {unknown.pop()!r}. Choose from {', '.join(TARGETS)}.")
    total, found = 0, []
    print(f"{'target':<14} {'inputs':>12} {'coverage':>9} {'corpus':>7}")
    for name in arguments.targets or TARGETS:
        runs, coverage, corpus, code = started(name, arguments)
        total += runs
        found += [name] if code else []
        print(f"{name:<14} {runs:>12,} {coverage:>9,} {corpus:>7,}{'  FOUND SOMETHING' if code else ''}", flush=True)
    print(f"{'total':<14} {total:>12,} inputs, {len(found)} targets with findings {', '.join(found)}")
    with (OUTPUT / "totals.tsv").open("a") as file:
        file.write(f"{total}\t{len(found)}\n")
    return 1 if found else 0


def started(name: str, arguments: argparse.Namespace) -> tuple[int, int, int, int]:
    """Fuzz one target in a separate process; return inputs tried, edges covered, inputs kept and the exit code."""
    (OUTPUT / "logs").mkdir(parents=True, exist_ok=True)
    command = [sys.executable, __file__, "--one", name, "--runs", str(arguments.runs), "--seed", str(arguments.seed)]
    environment = (
        {**os.environ, "NUMBA_DISABLE_JIT": "0"} if arguments.jit else {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    )
    log = OUTPUT / "logs" / f"{name}.txt"
    with log.open("wb") as file:
        code = subprocess.call(
            [*command, *(["--jit"] if arguments.jit else [])], stderr=file, stdout=file, env=environment
        )
    text = log.read_text(errors="replace")
    runs = max(map(int, re.findall(r"^#(\d+)", text, re.MULTILINE)), default=0)
    coverage = max(map(int, re.findall(r"cov: (\d+)", text)), default=0)
    return runs, coverage, len(list((OUTPUT / "corpus" / name).glob("*"))), code


def fuzz(name: str, runs: int, seed: int, *, jit: bool) -> None:
    """Hand one target to libFuzzer, which ends the process."""
    import atheris  # noqa: PLC0415 - only where it is used

    with atheris.instrument_imports(include=["winnowkit"], exclude=["winnowkit.core.jit"] if jit else []):
        for module in walk_packages([str(HERE.parent / "src" / "winnowkit")], "winnowkit."):
            if module.name.split(".")[1] in READING:
                import_module(module.name)
        from fuzz_seeds import dictionary, seeds  # noqa: PLC0415
        from fuzz_targets import CORPUS, TARGETS  # noqa: PLC0415

    folder, findings = OUTPUT / "corpus" / name, OUTPUT / "findings"
    folder.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    for number, seed_input in enumerate(seeds(name)):
        (folder / f"seed-{number}").write_bytes(seed_input)
    words = OUTPUT / f"{name}.dict"
    words.write_text("".join(f'"{word}"\n' for word in dictionary(name)))
    options = {
        "runs": runs,
        "timeout": HANG,
        "rss_limit_mb": MEMORY,
        "max_len": 16_384 if "model" in name else 4096,
        "artifact_prefix": f"{findings}/{name}-",
        "dict": words,
        "seed": seed,
        "print_final_stats": 1,
    }
    corpora = [str(folder), *([str(CORPUS / name)] if (CORPUS / name).is_dir() else [])]
    atheris.Setup([sys.argv[0], *(f"-{key}={value}" for key, value in options.items()), *corpora], timed(TARGETS[name]))
    atheris.Fuzz()


def timed(target: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Return the target with a limit on its processor time, which other work on the machine does not change."""

    def run(data: bytes) -> None:
        begun = time.process_time()
        target(data)
        taken = time.process_time() - begun
        assert taken < SECONDS, f"{len(data)} bytes took {taken:.1f} s"

    return run


if __name__ == "__main__":
    sys.exit(main())
