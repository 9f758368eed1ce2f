"""RiverClassifier beside river's own classifiers: predict, then learn, on dictionaries of 65 of 100,000 features.

Usage: python benchmarks/river_adapter.py [--rows 20000] [--repeats 3]; about a minute. Needs ``winnowkit[river]``.

Every model runs on the same rows in the same process, in turn, one thread; times are processor time of the best of --repeats runs,
each with a new model that has seen no feature.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from river import linear_model

from winnowkit import BalancedWinnow, ThresholdedBEG, Winnow1, Winnow2
from winnowkit.data import streams
from winnowkit.river import RiverClassifier

BASELINE = "river Perceptron"
MODELS: dict[str, Callable[[], Any]] = {
    BASELINE: linear_model.Perceptron,
    "river LogisticRegression": linear_model.LogisticRegression,
    "river PAClassifier": linear_model.PAClassifier,
    "Winnow2": lambda: RiverClassifier(Winnow2()),
    "Winnow1": lambda: RiverClassifier(Winnow1()),
    "BalancedWinnow": lambda: RiverClassifier(BalancedWinnow()),
    "ThresholdedBEG": lambda: RiverClassifier(ThresholdedBEG()),
}
Rows = list[tuple[dict[str, int], bool]]


def rows_of(n_rows: int, seed: int, keys: str) -> Rows:
    X, y = streams.disjunction(n=100_000, k=5, active=65, seed=seed).take(n_rows)
    names: list[Any] = [f"word{j}" for j in range(X.shape[1])] if keys == "strings" else list(range(X.shape[1]))
    parts = (X.indices[X.indptr[i] : X.indptr[i + 1]].tolist() for i in range(n_rows))
    return [(dict.fromkeys([names[j] for j in part], 1), bool(label)) for part, label in zip(parts, y, strict=True)]


def run(model: Any, rows: Rows) -> tuple[float, int]:
    """Microseconds a row, and mistakes."""
    mistakes = 0
    start = time.process_time()
    for x, y in rows:
        mistakes += model.predict_one(x) != y
        model.learn_one(x, y)
    return (time.process_time() - start) / len(rows) * 1e6, mistakes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for make in MODELS.values():  # compile
        run(make(), rows_of(50, 1, "integers"))
    for keys in ("integers", "strings"):
        rows = rows_of(options.rows, options.seed, keys)
        results = [{name: run(make(), rows) for name, make in MODELS.items()} for _ in range(options.repeats)]
        best = {name: min(result[name] for result in results) for name in MODELS}
        print(f"\n{options.rows} rows, keys are {keys}; best of {options.repeats}")
        print(f"{'model':28}{'us a row':>10}{'mistakes':>10}{'times as fast as ' + BASELINE:>38}")
        for name, (micros, mistakes) in best.items():
            print(f"{name:28}{micros:10.1f}{mistakes:10d}{best[BASELINE][0] / micros:38.2f}")


if __name__ == "__main__":
    main()
