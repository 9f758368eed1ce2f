"""How the time and memory of DNFWinnow's fit grow with rows and columns, on generated tables like adult.

Run ``python benchmarks/tables_scale.py --rows 10000 100000 1000000`` (20 columns), or ``--columns 36 60`` (3,000 rows).
A child process per size measures wall time, processor time, and the largest memory.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time

import numpy as np
import pandas as pd

from winnowkit import DNFWinnow


def table(n_rows: int, n_columns: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Generate half numbers, half categories; single columns and pairs decide, with noise."""
    rng = np.random.default_rng(seed)
    n_numbers = n_columns // 2
    numbers = {f"n{j}": np.round(rng.gamma(2.0, 10.0 * (j + 1), n_rows), 1) for j in range(n_numbers)}
    sizes = rng.integers(2, 12, n_columns - n_numbers)
    others = {
        f"c{j}": pd.Categorical.from_codes(rng.integers(0, k, n_rows), list(map(str, range(k))))
        for j, k in enumerate(sizes)
    }
    frame = pd.DataFrame(numbers | others)
    score = (
        -1.0
        + 1.5 * (frame.n0 > 15)
        - 1.0 * (frame.c0.cat.codes == 0)
        + 2.0 * ((frame.n1 > 30) & (frame.c1.cat.codes == 1))
    )
    score += 1.2 * ((frame.n2 > 40) & (frame.n2 <= 90)) - 0.8 * ((frame.n0 > 25) & (frame.n1 <= 30))
    y = rng.random(n_rows) < 1 / (1 + np.exp(-score.to_numpy()))
    return frame, y


def measure(n_rows: int, n_columns: int) -> dict[str, float]:
    """Fit once, after a fit of few rows that compiles."""
    X, y = table(n_rows + 5000, n_columns)
    DNFWinnow(random_state=0, n_jobs=2, verbose=False).fit(X[:300], y[:300])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    model = DNFWinnow(random_state=0, n_jobs=2, verbose=False).fit(X[:n_rows], y[:n_rows])
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    begun = time.perf_counter()
    error = float((model.predict(X[n_rows:]) != y[n_rows:]).mean())
    return {
        "rows": n_rows,
        "columns": n_columns,
        "seconds": wall,
        "processor": cpu,
        "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "MB before": before / 1024,
        "error": error,
        "us per row": 1e6 * (time.perf_counter() - begun) / 5000,
        "max_literals": model.chosen_["max_literals"],
    }


def main() -> None:
    """Print a line per size, and the exponent of processor time in rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--columns", type=int, nargs="*", default=[20])
    parser.add_argument("--one", type=int, nargs=2, help="rows and columns of a single run, printed as JSON")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(*arguments.one)))
        return
    found = []
    for n_columns in arguments.columns:
        for n_rows in arguments.rows if len(arguments.columns) == 1 else [3000]:
            done = subprocess.run(
                [sys.executable, __file__, "--one", str(n_rows), str(n_columns)],
                capture_output=True,
                text=True,
                check=True,
            )
            found.append(json.loads(done.stdout))
            print({name: round(value, 2) for name, value in found[-1].items()}, flush=True)
    if len(found) > 1 and len(arguments.columns) == 1:
        slope = np.polyfit([math.log(f["rows"]) for f in found], [math.log(f["processor"]) for f in found], 1)[0]
        print(f"processor time grows like rows^{slope:.2f}")


if __name__ == "__main__":
    main()
