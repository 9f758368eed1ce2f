"""Measures the memory that one contender needs for a pass; part_memory.py runs it in a separate process.

Usage: python memory_worker.py CONTENDER N ROWS. Prints JSON: the peak memory while learning, in MiB beyond the memory
with the examples loaded. Linux only: the kernel records the peak memory, and resets it on request.
"""

from __future__ import annotations

import ctypes
import gc
import json
import re
import sys
from pathlib import Path

import peers
from disjunction_streams import StreamCell
from peers import data_of

STATUS = Path("/proc/self/status")


def mebibytes(what: str) -> float:
    found = re.search(rf"{what}:\s+(\d+) kB", STATUS.read_text())
    assert found is not None
    return int(found[1]) / 1024


def main() -> None:
    name, n, rows = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    (contender,) = [c for c in peers.passes() if c.name == name]
    (X, y), _ = StreamCell(n).draw(rows, seed=0)
    (small, labels), _ = StreamCell(1_000).draw(100, seed=1)
    with data_of(small, labels) as few:
        contender.start(few)()  # compile, and load late imports; what this frees must not be reused below
    with data_of(X, y) as data:
        run = contender.start(contender.part(data))
        gc.collect()
        if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
            trim(0)  # return freed memory to the system, so that reusing it is counted
        Path("/proc/self/clear_refs").write_text("5")  # reset the peak
        before = mebibytes("VmRSS")
        run()
        print(json.dumps({"mib": max(0.0, mebibytes("VmHWM") - before), "data_mib": before}))


if __name__ == "__main__":
    main()
