"""How the time and memory of DNFWinnow's fit grow with rows and columns, on generated tables like adult.

Run ``python benchmarks/tables_scale.py``: rows from 10,000 to a million with 20 columns, 3,000 rows with 36 to 1,000
columns and with 100 columns of which half have 200 categories, and the table adult if it is there. A child process per
size measures wall time, processor time, the largest memory, the time per prediction, and the errors on 5,000 new rows.
``--picture FILE`` draws the growth on logarithmic axes.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tables import SHARED
from tables_worker import read

from winnowkit import DNFWinnow


def table(n_rows: int, n_columns: int, n_categories: int = 0, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Generate half numbers, half categories, of 2 to 11 values if not said; columns and pairs decide, with noise."""
    rng = np.random.default_rng(seed)
    n_numbers = n_columns // 2
    numbers = {f"n{j}": np.round(rng.gamma(2.0, 10.0 * (j + 1), n_rows), 1) for j in range(n_numbers)}
    sizes = rng.integers(2, 12, n_columns - n_numbers)
    sizes[2:] = n_categories or sizes[2:]
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


def measure(n_rows: int, n_columns: int, n_categories: int = 0) -> dict[str, Any]:
    """Fit once, after a fit of few rows that compiles; no rows stand for adult."""
    if n_rows:
        X, y = table(n_rows + 5000, n_columns, n_categories)
    else:
        X, y, _, _ = read(str(SHARED / "adult.csv.gz"), "label", "DNFWinnow")
        n_rows, n_columns = len(y), X.shape[1]
    DNFWinnow(random_state=0, n_jobs=2, verbose=False).fit(X[:300], y[:300])
    wall, cpu = time.perf_counter(), time.process_time()
    model = DNFWinnow(random_state=0, n_jobs=2, verbose=False).fit(X[:n_rows], y[:n_rows])
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    new = len(y) > n_rows  # rows of adult are all for training
    errors = float((model.predict(X[-5000:]) != y[-5000:]).mean()) if new else math.nan
    begun = time.perf_counter()
    model.predict(X[-5000:])
    return {
        "rows": n_rows,
        "columns": n_columns,
        "seconds": wall,
        "processor": cpu,
        "MB": most,
        "us per prediction": 1e6 * (time.perf_counter() - begun) / 5000,
        "errors, %": 100 * errors,
        "max_literals": model.chosen_["max_literals"],
    }


def run(n_rows: int, n_columns: int, n_categories: int = 0) -> dict[str, Any]:
    """Measure in a process of its own, and print the result."""
    command = [sys.executable, __file__, "--one", str(n_rows), str(n_columns), str(n_categories)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    print(
        "  ".join(f"{name} {value:,.{1 if isinstance(value, float) else 0}f}" for name, value in found.items()),
        flush=True,
    )
    return found


def draw(found: list[dict[str, Any]], slope: float, path: Path) -> None:
    """Draw processor time over rows."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - needed for the picture only

    plt.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "winnowkit"}
    rows, seconds = [f["rows"] for f in found], [f["processor"] for f in found]
    figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
    ax.loglog(rows, seconds, "o-", color="#0b6e6e", label=f"fit, rows^{slope:.2f}")
    ax.loglog(rows, [seconds[0] * n / rows[0] for n in rows], "--", color="#999999", label="rows^1")
    ax.set_xlabel("rows of 20 columns")
    ax.set_ylabel("seconds of processor time")
    ax.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Print a line per size, and the exponent of processor time in rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 30_000, 100_000, 300_000, 1_000_000])
    parser.add_argument("--columns", type=int, nargs="*", default=[36, 60, 200, 1000], help="for tables of 3,000 rows")
    parser.add_argument("--picture", type=Path)
    parser.add_argument(
        "--one", type=int, nargs=3, help="rows, columns and categories of a single run, printed as JSON"
    )
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(*arguments.one)))
        return
    if (SHARED / "adult.csv.gz").exists():
        run(0, 0)
    for n_columns in arguments.columns:
        run(3000, n_columns)
    run(3000, 100, 200)
    found = [run(n_rows, 20) for n_rows in arguments.rows]
    if len(found) > 1:
        slope = np.polyfit([math.log(f["rows"]) for f in found], [math.log(f["processor"]) for f in found], 1)[0]
        print(f"processor time grows like rows^{slope:.2f}")
        if arguments.picture:
            draw(found, float(slope), arguments.picture)


if __name__ == "__main__":
    main()
