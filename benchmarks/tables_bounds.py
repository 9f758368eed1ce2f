"""Mistake-driven training over bounds of numbers, beside intervals and soft updates: errors and seconds.

Run ``python benchmarks/tables_bounds.py --data FOLDER``, a folder as for ``benchmarks/tables.py``. Means over splits of
70% and 30%, and the corrected standard error of the difference from the default (Nadeau & Bengio 2003).
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from tables import SHARED, sources
from tables_worker import read

from winnowkit import DNFWinnow
from winnowkit.data import CategoryEncoder
from winnowkit.dnf import MistakeDriven

INTERVALS, BOUNDS = CategoryEncoder(), CategoryEncoder(numbers="bounds")
LIMIT = 60.0
LEARNERS: dict[str, dict[str, Any]] = {
    "soft updates, the default": {},
    "mistakes, intervals, 2 literals": {"max_literals": 2, "training": MistakeDriven(), "encoder": INTERVALS},
    "mistakes, bounds, 1 literal": {"max_literals": 1, "training": MistakeDriven(), "encoder": BOUNDS},
    "mistakes, bounds, 2 literals": {"max_literals": 2, "training": MistakeDriven(), "encoder": BOUNDS},
    "mistakes, bounds, 3 literals": {"max_literals": 3, "training": MistakeDriven(), "encoder": BOUNDS},
    "mistakes, intervals, all terms": {"max_literals": None, "encoder": INTERVALS, "max_time": LIMIT},
    "mistakes, bounds, all terms": {"max_literals": None, "encoder": BOUNDS, "max_time": LIMIT},
}


def main() -> None:
    """Print one line per table and way of learning."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--only", nargs="*", default=["banknote", "heart", "pima"])
    parser.add_argument("--splits", type=int, default=5)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    for source in sources(arguments.data, arguments.only, arguments.data):
        X, y, _, _ = read(str(source.path), source.target, "DNFWinnow")
        base: list[float] = []
        for name, parameters in LEARNERS.items():
            errors, seconds, cuts = [], [], 0
            for seed in range(arguments.splits):
                order = np.random.default_rng(seed).permutation(len(y))
                train, test = order[: int(0.7 * len(y))], order[int(0.7 * len(y)) :]
                begun = time.perf_counter()
                model = DNFWinnow(random_state=seed, verbose=False, **parameters).fit(X.iloc[train], y[train])
                seconds.append(time.perf_counter() - begun)
                errors.append(100 * float((model.predict(X.iloc[test]) != y[test]).mean()))
                cuts = max(map(len, model.encoder_.cuts_))
            base = base or errors
            behind = np.subtract(errors, base)
            spread = float(np.std(behind, ddof=1)) * math.sqrt(1 / len(behind) + 3 / 7) if len(behind) > 1 else math.nan
            print(
                f"{source.name:12} {name:32} {np.mean(errors):5.1f}% errors ({behind.mean():+.1f} +- {spread:.1f}), "
                f"{np.mean(seconds):5.1f} s, up to {cuts} cuts",
                flush=True,
            )


if __name__ == "__main__":
    main()
