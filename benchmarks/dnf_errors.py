"""Errors of DNFWinnow with exact sums, compared with Table V of Tao & Scott (2004); about five minutes on one core.

Usage: python benchmarks/dnf_errors.py [--seeds N] [name ...]; no name runs all. Folds as in the paper (10; 9 on breast
cancer, 6 on auto, 5 on iris), which "partitioned" the data without saying how: here StratifiedKFold, shuffled by a
seed. Training lasts until an epoch has no mistake, or 100 epochs; as in the paper, a row may be learned from without a
limit, and missing values are unspecified. The last line of a set shows our defaults. The interval is 1.96 standard
errors over folds; with several seeds, errors and intervals are means over them.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

from winnowkit import DNFWinnow
from winnowkit.data import CategoryEncoder, load_dataset
from winnowkit.dnf import MistakeDriven

NO_LIMIT: dict[str, Any] = {
    "training__two_class": "single",
    "training__margin": 0.0,
    "training__max_updates": None,
    "encoder__missing": "ignore",
}
"""The paper's learner, except for the order of rows and the log that is kept."""

# Folds; Table V: brute force, and the samplers from the least error to the most; what to run, on top of NO_LIMIT.
SETS: dict[str, tuple[int, str, str, list[dict[str, Any]]]] = {
    "iris": (5, "7.3 +- 3.2", "5.3 +- 2.1 ... 6.7 +- 3.8", [{}]),
    "car": (10, "3.3 +- 1.1", "1.5 +- 0.8 ... 1.9 +- 0.8", [{}]),
    "breast-cancer": (9, "33.3 +- 4.9", "30.9 +- 5.5 ... 32.7 +- 4.7", [{}, {"training__two_class": "pair"}]),
    "voting": (10, "5.0 +- 2.0", "5.0 +- 2.1 ... 5.9 +- 2.5", [{}, {"training__two_class": "pair"}]),
    "auto": (6, "-", "12.8 +- 7.5 ... 18.6 +- 5.1", [{}, {"encoder__missing": "value"}]),
    "annealing": (10, "-", "0.4 +- 0.4 ... 1.3 +- 0.9", [{}, {"encoder__missing": "value"}]),
    "tic-tac-toe": (10, "", "", [{}]),
}


def learner(seed: int, parameters: dict[str, Any]) -> DNFWinnow:
    """A DNFWinnow with these parameters, nested ones included."""
    model = DNFWinnow(encoder=CategoryEncoder(), training=MistakeDriven(), random_state=seed)
    return model.set_params(**parameters)


def folds(name: str, parameters: dict[str, Any], seed: int) -> tuple[npt.NDArray[np.float64], int, int]:
    """Return the error of each fold in per cent, and the most epochs and mistakes of a fold."""
    X, y = load_dataset(name, return_X_y=True)
    errors, epochs, mistakes = [], 0, 0
    for train, test in StratifiedKFold(SETS[name][0], shuffle=True, random_state=seed).split(X, y):
        model = learner(seed, parameters).fit(X[train], y[train])
        errors.append(100 * np.mean(model.predict(X[test]) != y[test]))
        epochs, mistakes = max(epochs, model.n_epochs_), max(mistakes, int(model.n_updates_.sum()))
    return np.array(errors), epochs, mistakes


def planted(seed: int, n: int = 30, n_rows: int = 1500) -> float:
    """Return the error in per cent on 5,000 new rows of a random monotone formula, 5 terms of 3 or 4 literals."""
    rng = np.random.default_rng(seed)
    terms = [rng.choice(n, rng.integers(3, 5), replace=False) for _ in range(5)]
    X = rng.integers(0, 2, (n_rows + 5000, n))
    y = np.any([X[:, term].all(axis=1) for term in terms], axis=0)
    model = DNFWinnow(max_literals=None, encoder=CategoryEncoder(monotone=True), random_state=seed).fit(
        X[:n_rows], y[:n_rows]
    )
    return float(100 * np.mean(model.predict(X[n_rows:]) != y[n_rows:]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"{', '.join(SETS)}, planted")
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    print(
        f"{'errors, %':<32} {'here':>12}   {'brute force':<12} {'samplers':<28} {'epochs':>6} {'mistakes':>8} {'s':>6}"
    )
    for name, (_, brute_force, samplers, runs) in SETS.items():
        if arguments.names and name not in arguments.names:
            continue
        for parameters in [*runs, None]:
            start = time.perf_counter()
            settings = {} if parameters is None else NO_LIMIT | parameters
            found = [folds(name, settings, seed) for seed in range(arguments.seeds)]
            error = np.mean([errors.mean() for errors, _, _ in found])
            interval = np.mean([1.96 * errors.std(ddof=1) / len(errors) ** 0.5 for errors, _, _ in found])
            more = ["defaults"] if parameters is None else [f"{key}={value!r}" for key, value in parameters.items()]
            label = ", ".join([name, *more])
            print(
                f"{label:<32} {error:5.1f} +- {interval:3.1f}   {brute_force:<12} {samplers:<28} "
                f"{max(f[1] for f in found):>6} {max(f[2] for f in found):>8} {time.perf_counter() - start:6.1f}",
                flush=True,
            )
    if not arguments.names or "planted" in arguments.names:
        start = time.perf_counter()
        errors = [planted(seed) for seed in range(5 * arguments.seeds)]
        listed = ", ".join(f"{error:.2f}" for error in errors)
        took = time.perf_counter() - start
        print(
            f"planted monotone formulas, 30 attributes, 1,500 rows: mean {np.mean(errors):.2f} ({listed}), {took:.1f} s"
        )


if __name__ == "__main__":
    main()
