"""Memory needed for a pass beyond the examples themselves, each contender in a separate process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import peers
from environments import ONE_THREAD, ours
from memory_worker import STATUS
from results import Part, Record, Table, distinct, quartiles, rows_of, spread

SCALES = {
    "tiny": ((1_000,), 200, 1),
    "quick": ((100_000,), 10_000, 1),
    "full": ((1_000, 100_000, 1_000_000), 50_000, 5),
}
CONTENDERS = [
    peers.REFERENCE,
    "Committee",
    "scikit-learn Perceptron, shuffle=False",
    *peers.VW,
    *peers.river_models(),
]
WORKER = Path(__file__).with_name("memory_worker.py")
WHY = {
    "Vowpal Wabbit": "it hashes weights into a table of 2^18, and its examples come from a file, not from memory",
    "river": "it takes one example after the other, and needs no arrays of labels for all rows",
    "scikit-learn": "the weights take the same; the rest, which does not depend on n, are arrays of one label per row",
}


def measure(scale: str, data: Path | None, say: Callable[[str], None]) -> Part:  # noqa: ARG001
    """Measure every contender at every size."""
    sizes, rows, repeats = SCALES[scale]
    part = Part("memory", "Memory of a pass", __doc__.splitlines()[0], scale, environment=ours("vowpalwabbit", "river"))
    part.absent = [f"{name}: not installed" for name in peers.missing()]
    if not STATUS.exists():
        part.absent.append("all: memory is measured on Linux only")
        return part
    for n in sizes:
        for contender in [c for c in peers.passes() if c.name in CONTENDERS]:
            say(f"{contender.name}, n = {n:,}")
            for turn in range(repeats):
                command = [sys.executable, str(WORKER), contender.name, str(n), str(rows)]
                done = subprocess.run(
                    command, capture_output=True, text=True, check=False, env=os.environ | ONE_THREAD, timeout=600
                )
                if done.returncode:
                    part.absent.append(f"{contender.name}, n = {n:,}: {done.stderr.strip().splitlines()[-1][:200]}")
                    break
                found = json.loads(done.stdout.splitlines()[-1])
                part.records.append({"who": contender.name, "n": n, "turn": turn, **found})
    part.tables = [table(part.records, rows)]
    part.verdicts = verdicts(part.records)
    return part


def table(records: list[Record], rows: int) -> Table:
    sizes = distinct(records, "n")
    body = []
    for who in distinct(records, "who"):
        found = [[r["mib"] for r in rows_of(records, who=who, n=n)] for n in sizes]
        body.append([who, *(spread(values) if values else "absent" for values in found)])
    title = f"MiB that learning from {rows:,} rows of 65 active attributes takes"
    return Table(title, ["", *(f"n = {n:,}" for n in sizes)], body, "median (quartiles); river has 4,000 rows at most")


def verdicts(records: list[Record]) -> list[str]:
    """Say who needs least."""
    said = []
    for n in distinct(records, "n"):
        found = {
            who: quartiles([r["mib"] for r in rows_of(records, who=who, n=n)])[1]
            for who in distinct(rows_of(records, n=n), "who")
        }
        mine = found[peers.REFERENCE]
        best = min((who for who in found if who not in peers.OURS and who != peers.BARE), key=found.__getitem__)
        if found[best] < mine:
            why = next(why for maker, why in WHY.items() if best.startswith(maker))
            said.append(f"**n = {n:,}**: {best} takes {found[best]:.1f} MiB, {peers.REFERENCE} {mine:.1f}: {why}.")
        else:
            said.append(f"n = {n:,}: {peers.REFERENCE} takes {mine:.1f} MiB, the best peer, {best}, {found[best]:.1f}.")
    return said
