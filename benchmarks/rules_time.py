"""Seconds that ``trade_off`` takes, on generated tables of the shape of well-known ones and on tables of a folder.

Run ``python benchmarks/rules_time.py --data FOLDER [--only NAME ...]``, with tables as in ``rules_table.py``. The
generated tables have the rows, columns and classes of nursery, kr-vs-kp and soybean. Each label has a score, a sum over
pairs of values, and the highest score wins.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from tables import SHARED, sources

from winnowkit import DNFWinnow

SHAPES = {  # rows, the number of values of each column, classes
    "like nursery": (12_960, (3, 5, 4, 4, 3, 2, 3, 3), 4),
    "like kr-vs-kp": (3_196, (2,) * 36, 2),
    "like soybean": (683, (2, 3, 3, 3, 4, 2, 4) * 5, 19),
}


def generated(n_rows, n_values, n_classes):
    """Return a table and its labels."""
    rng = np.random.default_rng(0)
    X = np.stack([rng.integers(0, n, n_rows) for n in n_values], axis=1)
    scores = np.zeros((n_rows, n_classes))
    for _ in range(4 * n_classes):
        j, k = rng.choice(len(n_values), 2, replace=False)
        both = (X[:, j] == rng.integers(0, n_values[j])) & (X[:, k] == rng.integers(0, n_values[k]))
        scores[both, rng.integers(0, n_classes)] += 1 + rng.random()
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(len(n_values))]).astype(str)
    return frame, np.array([f"k{c}" for c in scores.argmax(axis=1)])


def measured(frame, y):
    """Return the seconds of training and of the trade-off, by the clock, and the complexity of the default choice."""
    started = time.perf_counter()
    model = DNFWinnow(random_state=0, verbose=False, n_jobs=2).fit(frame, y)
    trained = time.perf_counter()
    best = model.trade_off(frame, y).best
    return trained - started, time.perf_counter() - trained, best.complexity


def main() -> None:
    """Print a line per table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED if SHARED.exists() else None)
    parser.add_argument("--only", nargs="*", default=[*SHAPES, "adult"])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    measured(*generated(200, (2, 3, 4), 2))  # loads the kernels
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.only:
            if name in SHAPES:
                frame, y = generated(*SHAPES[name])
            else:
                source = next(sources(arguments.data, [name], Path(folder)))
                frame = pd.read_csv(source.path, na_values="?")
                y = frame.pop(source.target).to_numpy()
            fit, trade_off, complexity = measured(frame, y)
            print(
                f"{name:>14}: {len(y):6} rows, fit {fit:5.1f} s, trade_off {trade_off:5.1f} s, complexity {complexity}",
                flush=True,
            )


if __name__ == "__main__":
    main()
