"""Compares error and time of DNFWinnow with rule learners, boosted trees and others on the same folds.

Usage: python benchmarks/dnf_peers.py [--sets NAME ...] [--learners NAME ...] [--folds 10] [--seed 0] [--timeout 600]
[--json DIR].
Rule learners, lightgbm and the Tsetlin machine run in separate environments (`make peers`); one that is missing,
fails or takes longer than the limit is reported as absent. Every learner has its defaults. Folds are those of
StratifiedKFold(10), shuffled by seed 0; errors are compared fold by fold, so that the standard error is that of the
paired difference. Times are processor times of one thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from dnf_learners import COMPACT, LOCAL, OURS, SETS, Task, bundled, in_process, planted
from environments import PEERS, AbsentError, ask, ours
from results import Part, Record, Table, distinct, mean_and_error, rows_of, spread

RULE_LEARNERS = ["ripper", "cn2", "tsetlin"]
NAMES = {
    "ripper": "RIPPER (wittgenstein)",
    "cn2": "CN2 (Orange3)",
    "tsetlin": "Tsetlin machine (tmu)",
    "lightgbm": "lightgbm",
}
WHY = {
    "lightgbm": "boosted trees average hundreds of small models and use the order of numbers; a Winnow cuts them once",
    "ripper": "RIPPER prunes its rules on rows held out, which helps where labels are noisy",
    "cn2": "CN2 weighs each rule by its significance, and so overlooks rare exceptions",
    "tsetlin": "the Tsetlin machine averages hundreds of clauses over many epochs",
    "decision tree": "a tree chooses thresholds of numbers while it grows, and needs few where one attribute decides",
    "naive Bayes": "naive Bayes has one number per category, which is all that so few or such noisy rows can teach",
    "DNF-kernel perceptron": "additive weights over the same terms: fewer mistakes where many terms matter a little",
}


# --- all of them ------------------------------------------------------------------------------------------------------


def measure(tasks: list[Task], learners: list[str], timeout: float, say: Callable[[str], None]) -> Part:
    """Run every learner on every table."""
    part = Part("dnf-peers", "DNF: errors and times beside other learners", __doc__.split("\n\n")[0], "")
    versions: dict[str, str] = {}
    warm_up(learners)
    for task in tasks:
        for learner in learners:
            start = time.perf_counter()
            try:
                if learner in LOCAL:
                    folds = in_process(learner, task)
                else:
                    answer = ask(learner, task.job(), timeout=timeout)
                    folds, versions[learner] = answer["folds"], answer["version"]
            except AbsentError as error:
                part.absent.append(f"{NAMES.get(learner, learner)} on {task.name}: {error}")
                say(f"{task.name:>14} {learner}: absent, {error}")
                continue
            for fold, ((_, test), found) in enumerate(zip(task.splits, folds, strict=True)):
                wrong = float(np.mean(np.asarray(found.pop("predicted")) != task.y[test]))
                part.records.append(
                    {
                        "set": task.name,
                        "learner": NAMES.get(learner, learner),
                        "fold": fold,
                        "error": wrong,
                        "fit_ms": 1e3 * found.pop("fit"),
                        "predict_us": 1e6 * found.pop("predict") / len(test),
                        **found,
                    }
                )
            mean = np.mean([r["error"] for r in part.records[-len(task.splits) :]])
            say(f"{task.name:>14} {learner}: error {mean:.2%}, {time.perf_counter() - start:.1f} s")
    part.environment = ", ".join([ours(), *versions.values()])
    part.tables = tables(part.records)
    part.verdicts = verdicts(part.records)
    return part


def warm_up(learners: list[str]) -> None:
    """Compile the kernels."""
    task = planted(0, 2, n_rows=60, n=8)
    for learner in learners:
        if learner in LOCAL:
            in_process(learner, task)


def tables(records: list[Record]) -> list[Table]:
    """Return tables of errors with paired standard errors, and of times with medians and quartiles over folds."""
    sets, learners = distinct(records, "set"), distinct(records, "learner")
    errors, fits, predictions = [], [], []
    for name in sets:
        entries = {learner: rows_of(records, set=name, learner=learner) for learner in learners}
        mine = [r["error"] for r in entries.get(OURS, [])]
        errors.append([name, *(_error(entries[learner], mine, learner == OURS) for learner in learners)])
        fits.append([name, *(_spread(entries[learner], "fit_ms") for learner in learners)])
        predictions.append([name, *(_spread(entries[learner], "predict_us") for learner in learners)])
    note = f"in brackets the standard error; for all but {OURS}, that of the paired difference from it"
    return [
        Table("Error, % of rows held out", ["", *learners], errors, note),
        Table("Milliseconds to fit, median of the folds (quartiles)", ["", *learners], fits),
        Table("Microseconds to predict a row, median of the folds (quartiles)", ["", *learners], predictions),
    ]


def _error(rows: list[Record], mine: list[float], own: bool) -> str:
    if not rows:
        return "absent"
    found = [r["error"] for r in rows]
    differences = found if own or not mine else [a - b for a, b in zip(found, mine, strict=True)]
    return f"{100 * np.mean(found):.1f} ({100 * mean_and_error(differences)[1]:.1f})"


def _spread(rows: list[Record], key: str) -> str:
    return spread([r[key] for r in rows]) if rows else "absent"


def verdicts(records: list[Record]) -> list[str]:
    """Say where we win, where a peer wins, and why."""
    said: list[str] = []
    sets, learners = distinct(records, "set"), distinct(records, "learner")
    codes = {name: code for code, name in NAMES.items()}

    def error(name: str, learner: str) -> list[float]:
        return [r["error"] for r in rows_of(records, set=name, learner=learner)]

    not_above, within, compared, boosted = [], [], [], []
    for name in sets:
        mine = error(name, OURS)
        if not mine:
            continue
        rivals = {who: error(name, who) for who in learners if who not in (OURS, COMPACT) and error(name, who)}
        rules = {who: found for who, found in rivals.items() if codes.get(who) in RULE_LEARNERS}
        if rules:
            compared.append(name)
            if np.mean(mine) <= min(np.mean(found) for found in rules.values()):
                not_above.append(name)
        if NAMES["lightgbm"] in rivals:
            boosted.append(name)
            difference, se = mean_and_error([a - b for a, b in zip(mine, rivals[NAMES["lightgbm"]], strict=True)])
            if difference <= se:
                within.append(name)
        if rivals:
            best = min(rivals, key=lambda who: float(np.mean(rivals[who])))
            difference, se = mean_and_error([a - b for a, b in zip(mine, rivals[best], strict=True)])
            if difference > 0:
                why = WHY.get(codes.get(best, best), "")
                said.append(
                    f"**{name}**: {best} is ahead by {100 * difference:.1f} points (standard error {100 * se:.1f})"
                    + (f": {why}." if why else ".")
                )
    head = []
    if compared:
        counted = f"{len(not_above)} of {len(compared)}"
        head.append(f"Error not above the best rule learner's on {counted}: {_listed(not_above)}.")
    if boosted:
        head.append(
            f"Within one paired standard error of lightgbm's error, or below it, on {len(within)} of {len(boosted)}: "
            f"{_listed(within)}."
        )
    return head + said


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none"


def tasks_of(names: list[str], folds: int, n_planted: int, seed: int = 0) -> list[Task]:
    return [bundled(name, folds, seed) for name in names] + [planted(seed, folds) for seed in range(n_planted)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--planted", type=int, default=2, help="number of planted formulas (default: 2)")
    parser.add_argument("--learners", nargs="*", default=[*LOCAL, *PEERS])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0, help="seed of the folds of bundled tables (default: 0)")
    parser.add_argument(
        "--timeout", type=float, default=600.0, help="seconds for all folds of a peer on a table (default: 600)"
    )
    parser.add_argument("--json", type=Path, metavar="FOLDER", help="folder for dnf-peers.json")
    options = parser.parse_args()
    part = measure(
        tasks_of(options.sets, options.folds, options.planted, options.seed),
        options.learners,
        options.timeout,
        lambda line: print(line, flush=True),
    )
    for table in part.tables:
        print(f"\n{table.title}")
        for row in [table.header, *table.rows]:
            print("  ".join(entry.rjust(22) for entry in row))
    print("\n" + "\n".join(part.verdicts))
    if options.json:
        part.save(options.json)


if __name__ == "__main__":
    main()
