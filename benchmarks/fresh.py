"""Committee on sets that its settings were not chosen by: python benchmarks/fresh.py [--data FOLDER] [--only NAME ...].

They are digits, breast cancer, wine and iris as scikit-learn has them, bundled tables of categories, tables of numbers
and categories from the folder of real data (its folder tables, see real_data.py), and texts hashed with signs. Columns
of categories are one-hot coded. Numbers are taken as they are; scikit-learn's on-line learners, and Committee a second
time, get them standardised: by the rows so far while mistakes are counted, else by the training part. The first table
has progressive mistakes of one pass, the second held-out errors after five passes, on splits where a third is held out.
Beside the means of Committee are the paired differences from it with their standard errors; of four variants of a peer,
the best on a set is shown, so that peers are chosen with hindsight.
It takes some minutes on 2 cores.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from real_data import RealSet, file_in, folder_of
from real_peers import COMMITTEE, RealContender, contenders
from results import mean_and_error
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.preprocessing import StandardScaler

from winnowkit.data import load_dataset

OF_SCIKIT_LEARN = (load_digits, load_breast_cancer, load_wine, load_iris)
CATEGORIES = ("car", "tic-tac-toe", "voting", "monks-1", "monks-2", "monks-3")
TABLES = {  # the column that is to be predicted
    "banknote": "class",
    "credit-a": "label",
    "heart": "label",
    "heloc": "RiskPerformance",
    "hypothyroid": "class",
    "ionosphere": "label",
    "magic": "class",
    "pima": "Outcome",
    "vehicle": "class",
}
MOST_VALUES = 10  # of a column of numbers that is one-hot coded as it has missing values
PASSES = 5
STANDARDISED = "Committee, standardised"
GROUPS = {  # names of contenders begin with these; of several, the one with the best mean is shown
    STANDARDISED: STANDARDISED,
    "AROW": "AROW",
    "Vowpal Wabbit": "Vowpal Wabbit, best of four",
    "scikit-learn": "scikit-learn, standardised, best of four",
}


# --- the sets ---------------------------------------------------------------------------------------------------------


def fresh_sets(folder: Path | None) -> Iterator[RealSet]:
    """Return all sets that are there."""
    for load in OF_SCIKIT_LEARN:
        X, y = load(return_X_y=True)
        yield whole(load.__name__.removeprefix("load_"), X, y)
    for name in CATEGORIES:
        X, y = load_dataset(name, return_X_y=True)
        yield whole(name, encoded([list(map(str, column)) for column in X.T]), y.astype(str))
    for name, target in TABLES.items():
        path = None if folder is None else file_in(folder / "tables", f"{name}.csv.gz")
        if path is not None:
            with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            y = np.array([row[target] for row in rows])
            yield whole(name, encoded([[row[key] for row in rows] for key in rows[0] if key != target]), y)
    for name in ("sms-spam", "product-reviews"):
        path = None if folder is None else file_in(folder, f"{name}.csv.gz")
        if path is not None:
            with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            X = HashingVectorizer(n_features=2**13).transform([row["text"] for row in rows])
            yield whole(f"{name}, hashed", X, np.array([row["label"] for row in rows]))


def whole(name: str, X: Any, labels: Any) -> RealSet:
    """Return a set none of whose rows are held out yet."""
    _, y = np.unique(labels, return_inverse=True)
    X = csr_matrix(X, dtype=np.float64)
    X.sort_indices()
    return RealSet(name, X, y.astype(np.int64), X[:0], y[:0].astype(np.int64), words=False)


def encoded(columns: list[list[str]]) -> NDArray[np.float64]:
    """Return columns of numbers as they are, and one column per value of the others."""
    found: list[NDArray[Any]] = []
    for column in columns:
        known = [value for value in column if value not in {"?", ""}]
        if len(known) == len(column) and all(map(is_number, known)):
            found.append(np.array(column, dtype=np.float64)[:, None])
        elif all(map(is_number, known)) and len(set(known)) > MOST_VALUES:  # missing numbers are 0, and marked
            missing = np.array([value in {"?", ""} for value in column])
            numbers = np.array([float(v) if not gone else 0.0 for v, gone in zip(column, missing, strict=True)])
            found.append(np.column_stack([numbers, missing]))
        else:
            values = sorted(set(column))
            found.append((np.array(column)[:, None] == np.array(values)).astype(np.float64))
    return np.hstack(found)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# --- what is measured -------------------------------------------------------------------------------------------------


def standardised_so_far(examples: RealSet) -> RealSet:
    """Standardise each row by the mean and the deviation of the rows up to it."""
    if is_hashed(examples):
        return examples
    X = examples.X.toarray()
    n = np.arange(1, len(X) + 1)[:, None]
    shifted = X - X[0]  # squares of large numbers would lose digits
    mean = np.cumsum(shifted, axis=0) / n
    variance = np.maximum(np.cumsum(shifted**2, axis=0) / n - mean**2, 0.0)
    scaled = (shifted - mean) / np.where(variance > 1e-12, np.sqrt(variance), 1.0)
    return examples._replace(X=csr_matrix(np.where(is_boolean(X), X, scaled)))


def standardised(examples: RealSet) -> RealSet:
    """Standardise all rows by those for training."""
    if is_hashed(examples):
        return examples
    X, X_test = examples.X.toarray(), examples.X_test.toarray()
    scale, boolean = StandardScaler().fit(X), is_boolean(X)
    X, X_test = (np.where(boolean, part, scale.transform(part)) for part in (X, X_test))
    return examples._replace(X=csr_matrix(X), X_test=csr_matrix(X_test))


def is_boolean(X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which columns have no values but 0 and 1: these are not standardised."""
    found: NDArray[np.bool_] = np.isin(X, (0.0, 1.0)).all(axis=0)
    return found


def is_hashed(examples: RealSet) -> bool:
    """Whether rows are texts whose lengths are 1 already."""
    return examples.name.endswith("hashed")


def usual(who: RealContender, examples: RealSet, scale: Callable[[RealSet], RealSet]) -> RealSet:
    """Return the examples as a contender usually gets them."""
    return scale(examples) if who.name.startswith("scikit-learn") or who.name == STANDARDISED else examples


def rivals() -> list[RealContender]:
    """Return all that take part, Committee first."""
    committee, *others = contenders()
    return [committee, replace(committee, name=STANDARDISED), *others]


def mistakes(examples: RealSet, orders: int) -> dict[str, list[float]]:
    """Mistakes of one pass, in each order."""
    found: dict[str, list[float]] = {}
    for order in range(orders):
        shuffled = examples.shuffled(order)
        for who in rivals():
            counted = who.mistakes(usual(who, shuffled, standardised_so_far))
            found.setdefault(who.name, []).append(float(counted))
    return found


def errors(examples: RealSet, splits: int) -> dict[str, list[float]]:
    """Held-out errors in per cent, on each split."""
    found: dict[str, list[float]] = {}
    for split in range(splits):
        parts = examples.split_anew(split)
        for who in rivals():
            wrong = who.wrong(usual(who, parts, standardised), [PASSES], split)
            found.setdefault(who.name, []).append(100.0 * float(wrong.mean()))
    return found


def line(name: str, found: dict[str, list[float]]) -> str:
    """Return a row of a table: the mean of Committee, and the differences from it, in bold where it is behind."""
    cells = [f"{np.mean(found[COMMITTEE]):.2f}"]
    for group in GROUPS:
        values = min((found[who] for who in found if who.startswith(group)), key=np.mean)
        more, error = mean_and_error([a - b for a, b in zip(values, found[COMMITTEE], strict=True)])
        mark = "**" if more < -error else ""
        cells.append(f"{mark}{more:+.2f} ± {error:.2f}{mark}")
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with real data (or WINNOWKIT_DATA; default: ../shared/data)")
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--only", nargs="*", help="names of sets")
    options = parser.parse_args()
    names = [COMMITTEE, *GROUPS.values()]
    sets = [s for s in fresh_sets(folder_of(options.data)) if options.only is None or s.name in options.only]
    for title, measure, repeats in (
        ("mistakes in one pass", mistakes, options.orders),
        (f"error in % after {PASSES} passes", errors, options.splits),
    ):
        print(f"\n| {title} | {' | '.join(names)} |\n| :-- |{' --: |' * len(names)}")
        for examples in sets:
            print(line(f"{examples.name} ({len(examples.y):,} rows)", measure(examples, repeats)), flush=True)


if __name__ == "__main__":
    main()
