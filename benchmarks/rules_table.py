"""Rules of DNFWinnow in the table of Dash, Gunluk & Wei (2018): accuracy and complexity by ten folds, beside peers.

Run ``python benchmarks/rules_table.py --data FOLDER [--only NAME ...] [--learners NAME ...] [--output FILE]``. The
folder holds NAME.csv.gz and INDEX.json, which names the target of each table; without it the bundled tables take part
alone. ``--only wdbc wine`` runs two tables of scikit-learn. Complexity is the number of rules and conditions;
``40 < age <= 52`` has two. The point of the curve is chosen
inside the training rows of each fold. With ``--output`` records are kept in a file, and what it has is not run again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import warnings
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
from environments import PEERS, AbsentError, ask
from sklearn.model_selection import StratifiedKFold
from tables import SHARED, sources

from winnowkit import DNFWinnow

OURS, TOP = "trade_off", "most accurate"  # the point chosen, and the most accurate one of the same curve
BOUNDED, MODEL = "bounded", "model"
LIMITED = "of that size"  # the most accurate point of the same curve among those of at most CG's complexity
SMALL = 2_000  # rows of a table of which peers learn all folds in one job
PUBLISHED = {  # Dash, Gunluk & Wei 2018, tables 1 and 2: accuracy in percent and complexity of CG
    "banknote": (99.1, 25.0),
    "heart": (78.9, 11.0),
    "ionosphere": (90.0, 12.0),
    "pima": (74.1, 4.5),
    "adult": (83.5, 88.0),
    "heloc": (71.7, 13.0),
    "magic": (85.3, 93.0),
    "tic-tac-toe": (100.0, 32.0),
    "wdbc": (94.0, 13.9),
}
WORDS = {  # the verdicts
    "cg": "at least CG's accuracy, less half a standard error, at no more than its complexity",
    "bounded": "the same with CG's complexity as max_complexity",
    "limited": "the same for the most accurate point of the curve that is no more complex than CG",
    "model": "the chosen point is within one standard error of the model's accuracy",
    "top": "the most accurate point of the curve is within one standard error of the model's accuracy",
    "peers": "a peer is both more accurate by a paired standard error and simpler",
}
RULE_LEARNERS = "ripper", "cn2", "jrip", "imodels", "rulelearn", "brcg"


def fitted(X, y, train, jobs):
    """Return the model, with its defaults, and the seconds of processor time that its training took."""
    started = time.process_time()
    model = DNFWinnow(random_state=0, verbose=False, n_jobs=jobs).fit(X.iloc[train], y[train])
    return model, time.process_time() - started


def chosen(fit, X, y, train, test, **limits):
    """Choose rules inside the training rows; return the records of the chosen point and of the most accurate one."""
    model, _ = fit()
    started, clock = time.process_time(), time.perf_counter()
    curve = model.trade_off(X.iloc[train], y[train], **limits)
    times = {"seconds": time.process_time() - started, "clock": time.perf_counter() - clock}
    points = {OURS: curve.best, TOP: max(curve, key=lambda point: point.accuracy)}
    points_of_curve = [(p.complexity, p.accuracy, p.standard_error, right(p.rules, X, y, test)) for p in curve]
    return {
        who: {
            "curve": points_of_curve,
            "accuracy": right(point.rules, X, y, test),
            "complexity": point.complexity,
            **times,
        }
        for who, point in points.items()
    }


def bounded(fit, X, y, train, test, complexity):
    """Return the record of the point of a curve with CG's complexity as its limit that its own accuracies put first."""
    return {BOUNDED: chosen(fit, X, y, train, test, max_complexity=int(complexity))[TOP]}


def whole(fit, X, y, train, test):  # noqa: ARG001 - the rows were learned from already
    """Return the record of the model."""
    model, seconds = fit()
    return {MODEL: {"accuracy": right(model, X, y, test), "complexity": 0, "seconds": seconds}}


def right(model, X, y, test):
    """Return the share of the rows held out that get their label."""
    return float(np.mean(model.predict(X.iloc[test]) == y[test]))


def peer(learner, X, y, splits, timeout):
    """Return the records of a learner of another environment; raise AbsentError if it is absent or too slow."""
    types = ["numeric" if pd.api.types.is_numeric_dtype(X[name]) else "nominal" for name in X.columns]
    rows = X.astype(object).where(X.notna(), None).to_numpy().tolist()
    job = {"columns": list(X.columns), "types": types, "X": rows, "y": [str(label) for label in y]}
    job["splits"] = [[train.tolist(), test.tolist()] for train, test in splits]
    found = []
    for fold, (_, test) in zip(ask(learner, job, timeout=timeout * len(splits))["folds"], splits, strict=True):
        accuracy = float(np.mean(np.array(fold["predicted"]) == y[test].astype(str)))
        found.append({"accuracy": accuracy, "complexity": fold["rules"] + fold["literals"], "seconds": fold["fit"]})
    return found


def measure(name, X, y, learners, records, arguments, save):
    """Run what the records do not have yet: our own learners, and then the peers."""
    folds = StratifiedKFold(10, shuffle=True, random_state=arguments.seed).split(np.zeros(len(y)), y)
    folds, done = list(folds)[: arguments.folds], records.setdefault(name, {})
    for k, (train, test) in enumerate(folds):
        fit = cache(partial(fitted, X, y, train, arguments.jobs))  # once for all that need it
        runs = {OURS: chosen, MODEL: whole}
        if name in PUBLISHED:
            runs[BOUNDED] = partial(bounded, complexity=PUBLISHED[name][1])
        for learner, run in runs.items():
            if learner in learners and str(k) not in done.get(learner, {}):
                for who, record in run(fit, X, y, train, test).items():
                    done.setdefault(who, {})[str(k)] = record
                save()
    # A package that compiles itself as it is loaded does so once per job; on large tables a job is one fold.
    at_once = len(folds) if len(y) <= SMALL else 1
    for who in (who for who in learners if who not in (OURS, BOUNDED, MODEL)):
        theirs = done.setdefault(who, {})
        missing = [k for k in range(len(folds)) if str(k) not in theirs]
        while missing and "absent" not in theirs:
            now, missing = missing[:at_once], missing[at_once:]
            try:
                found = peer(who, X, y, [folds[k] for k in now], arguments.timeout)
                theirs.update(zip(map(str, now), found, strict=True))
            except AbsentError as error:
                theirs["absent"] = str(error)
            save()


def limited(records):
    """Add the point of each curve that its own accuracies put first among those of at most CG's complexity."""
    found = {}
    for name, done in records.items():
        found[name] = dict(done)
        for k, record in done.get(OURS, {}).items() if name in PUBLISHED else ():
            simple = [point for point in record["curve"] if point[0] <= PUBLISHED[name][1]]
            complexity, _, _, accuracy = max(simple, key=lambda point: point[1])
            found[name].setdefault(LIMITED, {})[k] = record | {"complexity": complexity, "accuracy": accuracy}
    return found


def standard_error(values):
    """Return the standard error of a mean; NaN if there is one value."""
    return values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan


def show(records):
    """Print accuracy with its standard error, complexity and seconds per fold, and verdicts."""
    verdicts = {what: [] for what in WORDS}
    for name, done in records.items():
        print(f"\n{name}")
        values = {}
        for who, folds in done.items():
            rows = [folds[k] for k in sorted(folds) if k != "absent"]
            if not rows:
                print(f"  {who:>13}: absent: {folds['absent']}")
                continue
            table = np.array([[row["accuracy"], row["complexity"], row["seconds"]] for row in rows])
            error = standard_error(table[:, 0])
            values[who] = table[:, 0], table[:, 1].mean(), error
            print(
                f"  {who:>13}: {100 * table[:, 0].mean():5.1f} +- {100 * error:.1f} %, complexity "
                f"{table[:, 1].mean():5.1f}, {table[:, 2].mean():6.1f} s of processor time, {len(table)} folds"
            )
        if name in PUBLISHED:
            accuracy, complexity = PUBLISHED[name]
            print(f"  CG as published: {accuracy} ({complexity})")
            for who, what in ((OURS, "cg"), (BOUNDED, "bounded"), (LIMITED, "limited")):
                if who in values:
                    found, reached, error = values[who]
                    least = accuracy - 50 * np.nan_to_num(error)
                    verdicts[what].append(100 * found.mean() >= least and reached <= complexity + 0.05)
        if OURS not in values:
            continue
        mine, size, _ = values[OURS]
        if MODEL in values:
            least = values[MODEL][0].mean() - values[MODEL][2]
            verdicts["model"].append(mine.mean() >= least)
            verdicts["top"].append(values[TOP][0].mean() >= least)
        for who, (theirs, complexity, _) in values.items():
            n = min(len(theirs), len(mine))
            if who in (OURS, TOP, BOUNDED, LIMITED, MODEL) or n < 2:
                continue
            behind = theirs[:n] - mine[:n]
            beaten = behind.mean() > behind.std(ddof=1) / np.sqrt(n) and complexity < size
            verdicts["peers"].append(beaten)
            if beaten:
                print(f"  {who} is more accurate by a paired standard error, and simpler")
    for what, found in ((what, found) for what, found in verdicts.items() if found):
        print(f"{WORDS[what]}: {sum(found)} of {len(found)}")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED if SHARED.exists() else None)
    parser.add_argument("--only", nargs="*")
    parser.add_argument(
        "--learners",
        nargs="*",
        default=[OURS, BOUNDED, MODEL, *RULE_LEARNERS],
        help=f"{OURS}, {BOUNDED}, {MODEL}, {', '.join(PEERS)}",
    )
    parser.add_argument("--folds", type=int, default=10, help="the first so many of ten folds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="threads of DNFWinnow")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds of processor time per fold of a peer")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    kept = arguments.output is not None and arguments.output.exists()
    records = json.loads(arguments.output.read_text(encoding="utf-8")) if kept else {}

    def save():
        if arguments.output is not None:
            arguments.output.write_text(json.dumps(records), encoding="utf-8")

    with tempfile.TemporaryDirectory() as folder:
        for source in sources(arguments.data, arguments.only, Path(folder)):
            frame = pd.read_csv(source.path, na_values="?")
            y = frame.pop(source.target).to_numpy()
            measure(source.name, frame, y, arguments.learners, records, arguments, save)
    show(limited(records))


if __name__ == "__main__":
    main()
