"""Measures the memory of Committee with many classes; part_real.py runs it in a process of its own.

Usage: python many_classes_worker.py partial_fit|fit CLASSES ATTRIBUTES ROWS. Prints JSON: the peak memory while
learning, in MiB beyond the memory with the examples loaded, and that of the whole process. Linux only.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from memory_worker import mebibytes
from scipy.sparse import csr_matrix

import winnowkit as wk


def main() -> None:
    how, (n_classes, n, rows) = sys.argv[1], map(int, sys.argv[2:])
    rng = np.random.default_rng(0)
    indices = np.sort(rng.integers(0, n // 80, (rows, 80)) + np.arange(80) * (n // 80), axis=1)
    X = csr_matrix((np.ones(indices.size), indices.ravel(), np.arange(0, indices.size + 1, 80)), shape=(rows, n))
    classes = np.arange(n_classes)
    y = rng.permutation(np.resize(classes, rows))
    wk.Committee().partial_fit(X[:9, :70], classes[np.arange(9) % 3], classes=classes[:3])  # compile
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak
    before = mebibytes("VmRSS")
    if how == "fit":
        wk.Committee(max_epochs=2, random_state=0).fit(X, y)
    else:
        model = wk.Committee()
        for _ in range(2):  # the second call has something to lose if it fails
            model.partial_fit(X, y, classes=classes)
    peak = mebibytes("VmHWM")
    print(json.dumps({"mib": peak - before, "process_mib": peak}))


if __name__ == "__main__":
    main()
