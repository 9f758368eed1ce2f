"""Compares RiverClassifier with river's own classifiers: predict, then learn, on dicts of 65 of 100,000 features.

Usage: python benchmarks/river_adapter.py [--rows 20000] [--repeats 3]; about a minute. Needs ``winnowkit[river]``.

Every model runs on the same rows in the same process, in turn, one thread; processor time, the best of --repeats runs,
each with a new model that has seen no feature; then the same rows once more, all features being known.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from environments import ours
from results import Part, Table, spread
from results import rows_of as matching

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
SCALES = {"tiny": (60, 1), "quick": (20_000, 2), "full": (20_000, 5)}  # rows, repeats
WHY = "rows with new features cost more, as theta (of ThresholdedBEG every weight) follows their number"
Rows = list[tuple[dict[str, int], bool]]


def rows_of(n_rows: int, seed: int, keys: str) -> Rows:
    X, y = streams.disjunction(n=100_000, k=5, active=65, seed=seed).take(n_rows)
    names: list[Any] = [f"word{j}" for j in range(X.shape[1])] if keys == "strings" else list(range(X.shape[1]))
    parts = (X.indices[X.indptr[i] : X.indptr[i + 1]].tolist() for i in range(n_rows))
    return [(dict.fromkeys([names[j] for j in part], 1), bool(label)) for part, label in zip(parts, y, strict=True)]


def both(model: Any, rows: Rows) -> tuple[float, float, int]:
    """Return microseconds per row from scratch and with all features known, and the mistakes from scratch."""
    scratch, mistakes = run(model, rows)
    return scratch, run(model, rows)[0], mistakes


def run(model: Any, rows: Rows) -> tuple[float, int]:
    """Return microseconds per row, and mistakes."""
    mistakes = 0
    start = time.process_time()
    for x, y in rows:
        mistakes += model.predict_one(x) != y
        model.learn_one(x, y)
    return (time.process_time() - start) / len(rows) * 1e6, mistakes


def measure(scale: str, data: Path | None, say: Callable[[str], None]) -> Part:  # noqa: ARG001
    """Return medians of paired ratios, for the report."""
    part = Part("river", "As river classifiers", __doc__.splitlines()[0], scale, environment=ours("river"))
    n_rows, repeats = SCALES[scale]
    compile_all()
    for keys in ("integers", "strings"):
        rows = rows_of(n_rows, 0, keys)
        for turn in range(repeats):
            say(f"keys are {keys}, round {turn + 1} of {repeats}")
            for name, make in MODELS.items():
                scratch, known, mistakes = both(make(), rows)
                part.records.append(
                    {"keys": keys, "who": name, "turn": turn, "us": scratch, "us_known": known, "mistakes": mistakes}
                )
    body = []
    for name in MODELS:
        row = [name]
        for keys in ("integers", "strings"):
            mine, base = (matching(part.records, keys=keys, who=who) for who in (name, BASELINE))
            pairs = list(zip(mine, base, strict=True))
            row += [spread([b[time_of] / m[time_of] for m, b in pairs]) for time_of in ("us", "us_known")]
        body.append(row)
    header = [
        "",
        *(f"{keys} as keys, {when}" for keys in ("integers", "strings") for when in ("from scratch", "known")),
    ]
    note = f"ratio of speeds in the same round: median (quartiles); processor time; {n_rows:,} rows"
    part.tables = [Table(f"Speed over that of {BASELINE}", header, body, note)]
    for name, *ratios in body:
        if "river" not in name:
            least = min(float(ratio.split()[0]) for ratio in ratios)
            part.verdicts.append(
                f"{name}: at least {least:.2f} times as fast as {BASELINE}."
                if least >= 1
                else f"**{name}**: {BASELINE} is up to {1 / least:.2f} times as fast: {WHY}."
            )
    return part


def compile_all() -> None:
    for make in MODELS.values():
        run(make(), rows_of(50, 1, "integers"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    compile_all()
    for keys in ("integers", "strings"):
        rows = rows_of(options.rows, options.seed, keys)
        results = [{name: both(make(), rows) for name, make in MODELS.items()} for _ in range(options.repeats)]
        print(f"\n{options.rows} rows, keys are {keys}; best of {options.repeats}; ratio: speed relative to {BASELINE}")
        print(f"{'model':28}{'us per row':>10}{'ratio':>8}{'us, features known':>20}{'ratio':>8}{'mistakes':>10}")
        best = {name: [min(r[name][i] for r in results) for i in range(3)] for name in MODELS}
        for name, (scratch, known, mistakes) in best.items():
            ratios = best[BASELINE][0] / scratch, best[BASELINE][1] / known
            print(f"{name:28}{scratch:10.1f}{ratios[0]:8.2f}{known:20.1f}{ratios[1]:8.2f}{mistakes:10.0f}")


if __name__ == "__main__":
    main()
