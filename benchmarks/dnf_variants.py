"""Effects of parameters and of the coding of numbers on the errors of DNFWinnow (Tao & Scott 2004, section 5.1).

Usage: python benchmarks/dnf_variants.py [--seeds N] [--only VARIANT ...] [set ...]; sets are those of dnf_errors.py,
auto by default. Variants change the learner without a limit of updates, except "default". Folds, seeds and
intervals are as there; all cuts are made on training rows.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from dnf_errors import NO_LIMIT, SETS, learner
from sklearn.model_selection import StratifiedKFold

from winnowkit.data import MultisplitDiscretizer, load_dataset

Table = npt.NDArray[np.object_]
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {
        "training__two_class": "adaptive",
        "training__margin": 0.1,
        "training__max_updates": "half",
        "encoder__missing": "informative",
    },
    "no limit": {},
    "threshold coding": {"coding": "threshold"},
    "missing='value'": {"encoder__missing": "value"},
    "missing='value', threshold coding": {"encoder__missing": "value", "coding": "threshold"},
    "missing='most_frequent'": {"encoder__missing": "most_frequent"},
    "keep='last'": {"training__keep": "last"},
    "shuffle=False": {"training__shuffle": False},
    "alpha=1.1": {"alpha": 1.1},
    "alpha=1.25": {"alpha": 1.25},
    "alpha=2": {"alpha": 2.0},
    "alpha=3": {"alpha": 3.0},
    "theta=2^columns": {"theta": "2^n"},
}


def by_thresholds(train: Table, test: Table, y: npt.NDArray[Any]) -> tuple[Table, Table]:
    """Replace each column of numbers by one boolean column per cut."""
    parts: list[tuple[Table, Table]] = []
    for j in range(train.shape[1]):
        column = train[:, [j]], test[:, [j]]
        if not any(isinstance(value, float) for value in column[0][:, 0]):
            parts.append(column)
            continue
        old, new = (np.array(values, dtype=float) for values in column)
        cutter = MultisplitDiscretizer(encode="threshold").fit(old, y)
        parts.append(tuple(as_categories(cutter.transform(values)) for values in (old, new)))
    return np.hstack([part[0] for part in parts]), np.hstack([part[1] for part in parts])


def as_categories(values: npt.NDArray[np.float64]) -> Table:
    return np.where(np.isnan(values), None, np.where(values == 1, "at or above", "below")).astype(object)


def errors_of(name: str, variant: dict[str, Any], seed: int) -> npt.NDArray[np.float64]:
    """Return the error of each fold in per cent."""
    X, y = load_dataset(name, return_X_y=True)
    parameters = NO_LIMIT | {key: value for key, value in variant.items() if key != "coding"}
    if parameters.get("theta") == "2^n":
        parameters["theta"] = 2 ** X.shape[1]
    errors = []
    for train, test in StratifiedKFold(SETS[name][0], shuffle=True, random_state=seed).split(X, y):
        old, new = X[train], X[test]
        if variant.get("coding") == "threshold":
            old, new = by_thresholds(old, new, y[train])
        model = learner(seed, parameters).fit(old, y[train])
        errors.append(100 * np.mean(model.predict(new) != y[test]))
    return np.array(errors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=["auto"], metavar="set", help=", ".join(SETS))
    parser.add_argument("--only", nargs="*", default=list(VARIANTS), metavar="VARIANT", help=", ".join(VARIANTS))
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message="The least populated class")
    for name in arguments.sets:
        for variant in arguments.only:
            start = time.perf_counter()
            found = [errors_of(name, VARIANTS[variant], seed) for seed in range(arguments.seeds)]
            interval = np.mean([1.96 * errors.std(ddof=1) / len(errors) ** 0.5 for errors in found])
            by_seed = ", ".join(f"{errors.mean():.1f}" for errors in found)
            print(
                f"{name:<14} {variant:<36} {np.mean([errors.mean() for errors in found]):5.1f} +- {interval:3.1f}  "
                f"({by_seed})  {time.perf_counter() - start:6.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
