"""Rules of DNFWinnow: known formulas, a comparison with RIPPER and CN2, a planted formula, and microseconds per row.

Usage: python benchmarks/rules.py [known] [planted] [table] [speed] [--seeds 0]; no name runs all. RIPPER and CN2 run in
the environment that `make peers` builds; without it they are left out. Times are processor times of one thread.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from environments import AbsentError, ask
from sklearn.model_selection import StratifiedKFold

from winnowkit import DNFWinnow
from winnowkit.data import load_dataset
from winnowkit.dnf import MistakeDriven

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
SEEDS = range(10)


def literals(rule):
    return tuple(sorted((int(c.column[1:]), c.value) for c in rule.conditions))


def bench_known():
    X, y = load_dataset("tic-tac-toe", return_X_y=True)
    lines = {tuple((j, "x") for j in line) for line in LINES}
    print(f"\ntic-tac-toe, {len(SEEDS)} seeds: winning lines among the 8 heaviest rules; rules and errors of compact()")
    for parameters in ({}, {"alpha": 2.0}, {"max_literals": 3}, {"max_literals": 3, "alpha": 2.0}):
        found, precise, compact = [], [], []
        for seed in SEEDS:
            model = DNFWinnow(max_literals=None, random_state=seed, **parameters).fit(X, y)
            found.append(len({literals(rule) for rule in model.rules(max_rules=8)} & lines))
            right = model.rules(X, y, max_rules=8, min_precision=0.9)
            precise.append(len({literals(rule) for rule in right} & lines))
            rules = model.compact(X, y)
            compact.append(({literals(rule) for rule in rules} == lines, rules.report.error))
        exactly = sum(same and error == 0 for same, error in compact)
        print(f"  {parameters!s:>36}: {found}, with min_precision=0.9 {precise}")
        print(f"  {'':>36}  compact() is the 8 lines, without error, in {exactly} of {len(SEEDS)}")
    X, y = load_dataset("monks-1", return_X_y=True)
    test = load_dataset("monks-1-test")
    formula = {((4, "1"),)} | {((0, v), (1, v)) for v in "123"}
    right = wrong = 0
    for seed in SEEDS:
        model = DNFWinnow(max_literals=None, random_state=seed).fit(X, y)
        right += {literals(rule) for rule in model.rules(max_rules=4)} == formula
        wrong += int(np.sum(model.compact(X, y).predict(test.data) != test.target))
    print(f"monks-1: the 4 heaviest rules are the formula with {right} of {len(SEEDS)} seeds; ", end="")
    print(f"compact() is wrong on {wrong / len(SEEDS):.1f} of 432 robots")


def planted_table(seed, n_rows=4000, n=50):
    rng = np.random.default_rng(seed)
    X, y, terms = rng.integers(0, 2, (n_rows, n)), np.zeros(n_rows, dtype=int), set()
    for _ in range(5):
        columns = np.sort(rng.choice(n, int(rng.integers(3, 5)), replace=False))
        values = rng.integers(0, 2, len(columns))
        terms.add(tuple(zip(columns.tolist(), values.tolist(), strict=True)))
        y |= (X[:, columns] == values).all(axis=1)
    return X, y, terms


def bench_planted():
    print("\nFive planted terms of 3 or 4 literals, 50 boolean attributes, 2,000 rows to learn from, 2,000 others")
    DNFWinnow(max_literals=2, training=MistakeDriven()).fit([[0], [1]], [0, 1]).compact([[0], [1]])  # compiles
    for seed in range(5):
        X, y, terms = planted_table(seed)
        start = time.process_time()
        model = DNFWinnow(max_literals=4, random_state=seed, verbose=False, training=MistakeDriven()).fit(
            X[:2000], y[:2000]
        )
        fitted = time.process_time() - start
        rules = model.rules(max_rules=5)
        read = time.process_time() - start - fitted
        compact = model.compact(X[:2000], y[:2000])
        errors = [np.mean(model.predict(X[part]) != y[part]) for part in (slice(2000), slice(2000, None))]
        found, chosen = ({literals(rule) for rule in some} == terms for some in (rules, compact))
        held_out = np.mean(compact.predict(X[2000:]) != y[2000:])
        print(f"  seed {seed}: fit {fitted:.1f} s, rules {read:.1f} s; the 5 heaviest are the terms: {found}; ", end="")
        print(f"error {errors[0]:.2%}, on others {errors[1]:.2%}; compact() has {len(compact)} rules, ", end="")
        print(f"the terms: {chosen}, on others {held_out:.2%}", flush=True)
        names, halves = [f"x{j}" for j in range(50)], (np.arange(2000), np.arange(2000, 4000))
        said = peer("ripper", names, ["nominal"] * 50, X.astype(str), y.astype(str), *halves)
        if said:
            wrong = np.mean(np.array(said["predicted"]) != y[2000:].astype(str))
            print(
                f"          RIPPER: {said['seconds']:.1f} s, {said['rules']} rules, on others {wrong:.2%}", flush=True
            )


def peer(learner, columns, types, X, y, train, test):
    """Return the answer of a learner of another environment on one split, or None if it is absent."""
    job = {"columns": columns, "types": types, "X": X.tolist(), "y": y.tolist()}
    try:
        fold = ask(learner, job | {"splits": [[train.tolist(), test.tolist()]]}, timeout=3600)["folds"][0]
    except AbsentError as error:
        print(f"  {learner} is left out: {error}")
        return None
    return {**fold, "seconds": fold["fit"] + fold["predict"]}


def own(X, y, test, seed):
    """Return the model itself, and its compact rules."""
    start = time.process_time()
    model = DNFWinnow(max_literals=None, random_state=seed, max_epochs=30, verbose=False).fit(X, y)
    fitted = time.process_time() - start
    answers = {"(the model)": {"rules": 0, "literals": 0, "predicted": model.predict(test).tolist(), "seconds": fitted}}
    start = time.process_time()
    rules = model.compact(X, y)
    answers["compact"] = {
        "rules": len(rules),
        "literals": rules.complexity - len(rules),
        "predicted": rules.predict(test).tolist(),
        "seconds": fitted + time.process_time() - start,
    }
    return answers


def bench_table(seed=0):
    print(f"\nTen folds, seed {seed}: rules, literals, error on held-out rows, seconds per fold (means)")
    for name in ("voting", "tic-tac-toe", "car"):
        data = load_dataset(name)
        X, y = data.data, data.target
        results = {}
        for fold, (train, test) in enumerate(StratifiedKFold(10, shuffle=True, random_state=seed).split(X, y)):
            answers = own(X[train], y[train], X[test], fold)
            types = [data.types[column] for column in data.feature_names]
            for learner in ("ripper", "cn2"):
                if said := peer(learner, data.feature_names, types, X, y, train, test):
                    answers[learner] = said
            for who, said in answers.items():
                wrong = int(np.sum(np.array(said["predicted"]) != y[test]))
                results.setdefault(who, []).append((said["rules"], said["literals"], wrong, said["seconds"]))
        for who, rows in results.items():
            rules, many, wrong, seconds = np.sum(rows, axis=0) / 10
            print(
                f"  {name:>14} {who:>20}: {rules:6.1f} {many:7.1f} {10 * wrong / len(y):7.2%} {seconds:7.2f}",
                flush=True,
            )


def bench_speed():
    print("\nMicroseconds per row: the model, its compact rules (a table of objects; one row at a time; as Python)")
    for name in ("voting", "car", "tic-tac-toe", "annealing"):
        X, y = load_dataset(name, return_X_y=True)
        model = DNFWinnow(max_literals=None, random_state=0, max_epochs=10, verbose=False).fit(X, y)
        rules, space = model.compact(X, y), {}
        exec(rules.to_python(), space)
        rows = [dict(zip(rules.columns, row, strict=True)) for row in X]
        calls = [
            lambda model=model, X=X: model.predict(X),
            lambda rules=rules, X=X: rules.predict(X),
            lambda rules=rules, rows=rows: [rules.predict_one(row) for row in rows],
            lambda said=space["predict"], rows=rows: [said(row) for row in rows],
        ]
        times = [min(timed(call) for _ in range(5)) / len(X) * 1e6 for call in calls]
        print(f"  {name:>12}, {len(rules)} rules: " + ", ".join(f"{value:.1f}" for value in times))


def timed(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def main() -> None:
    benches = {"known": bench_known, "planted": bench_planted, "table": bench_table, "speed": bench_speed}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*", help=", ".join(benches))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="seeds of the folds of the table")
    arguments = parser.parse_args()
    for name, bench in benches.items():
        if not arguments.which or name in arguments.which:
            for options in [{"seed": seed} for seed in arguments.seeds] if bench is bench_table else [{}]:
                bench(**options)


if __name__ == "__main__":
    main()
