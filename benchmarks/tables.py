"""DNFWinnow against learners of tables, all with their defaults, on repeated splits of 70% and 30%.

Run ``python benchmarks/tables.py --data FOLDER``. The folder holds NAME.csv.gz and INDEX.json, which names the target
of each table; without it the bundled tables take part alone. With ``--output FILE`` the records of each learner and
table are kept in a file after each split, and what the file has is not run again: so the whole can be run in pieces.
Small tables come first. Times are of the processor, in one thread, so that other work on the machine matters little.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from subprocess import PIPE
from typing import Any, NamedTuple

from environments import ROOT
from sklearn.datasets import load_breast_cancer, load_wine
from tables_report import MEASURES, OURS, Records, Splits, mean, show, verdicts

from winnowkit.core.atomic_write import replacing
from winnowkit.data import load_dataset

WORKER = Path(__file__).with_name("tables_worker.py")
HERE = OURS, "forest", "logistic"
PEERS = "LightGBM", "RIPPER", "EBM", "CatBoost"
BUNDLED = "car", "tic-tac-toe", "voting", "breast-cancer", "iris", "annealing", "auto", "credit-a", "heart"
OF_SCIKIT_LEARN = {"wdbc": load_breast_cancer, "wine": load_wine}
SHARED = ROOT.parent / "shared" / "data" / "tables"


class Source(NamedTuple):
    """A table in a file."""

    name: str
    path: Path
    target: str
    n_rows: int


def sources(data: Path | None, only: list[str] | None, folder: Path) -> Iterator[Source]:
    """Yield the tables of a folder and others that it lacks, written to `folder`: BUNDLED, or those of `only`."""
    index: dict[str, dict[str, Any]] = {}
    if data is not None and (data / "INDEX.json").exists():
        index = json.loads((data / "INDEX.json").read_text(encoding="utf-8"))
        for name, entry in index.items():
            if only is None or name in only:
                yield Source(name, data / f"{name}.csv.gz", entry["target"], int(entry["rows"]))
    for name in BUNDLED if only is None else only:
        if name not in index:
            load = OF_SCIKIT_LEARN.get(name, partial(load_dataset, name))
            table = load(as_frame=True)
            path = folder / f"{name}.csv"
            table.data.assign(label_=table.target).to_csv(path, index=False)
            yield Source(name, path, "label_", len(table.target))


def run(source: Source, learner: str, seeds: list[int], python: Path, timeout: float) -> Iterator[Splits]:
    """Yield the record of each split that is done in time, by its seed."""
    job = {"path": str(source.path), "target": source.target, "learner": learner, "seeds": seeds, "n_jobs": 1}
    worker = subprocess.Popen([str(python), str(WORKER)], stdin=PIPE, stdout=PIPE, text=True)
    clock = threading.Timer(timeout, worker.kill)
    clock.start()
    with worker:
        assert worker.stdin
        assert worker.stdout
        worker.stdin.write(json.dumps(job))
        worker.stdin.close()
        for line in worker.stdout:
            if line.startswith("{"):
                record = json.loads(line)
                yield {str(record.pop("seed")): record}
    clock.cancel()
    if worker.returncode:
        print(f"  {learner} on {source.name} ended with code {worker.returncode}", file=sys.stderr)


def main() -> None:
    """Print a table per measure, and the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=SHARED if SHARED.exists() else None)
    parser.add_argument("--only", nargs="*", help="names of tables")
    parser.add_argument("--learners", nargs="*", default=[*HERE, *PEERS])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--timeout", type=float, default=1800.0, help="seconds per table and learner")
    parser.add_argument("--peers", type=Path, default=ROOT / ".venv-peers" / "bin" / "python")
    parser.add_argument("--output", type=Path, help="JSON file that keeps the records, and has those of earlier runs")
    parser.add_argument("--report", action="store_true", help="run nothing; report what the file has")
    arguments = parser.parse_args()
    records: Records = {}
    if arguments.output and arguments.output.exists():
        records = json.loads(arguments.output.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        found = [] if arguments.report else sources(arguments.data, arguments.only, Path(folder))
        for source in sorted(found, key=lambda source: source.n_rows):
            for learner in arguments.learners:
                known = records.setdefault(source.name, {}).setdefault(learner, {})
                python = Path(sys.executable) if learner in HERE else arguments.peers
                if absent := [seed for seed in range(arguments.splits) if str(seed) not in known]:
                    for record in run(source, learner, absent, python, arguments.timeout):
                        known |= record
                        if arguments.output:
                            with replacing(arguments.output) as file:
                                file.write(json.dumps(records).encode())
                shown = {measure: f"{mean(known, measure):.4g}" for measure in MEASURES} if known else "absent"
                print(f"{source.name:14} {learner:10} {len(known):2} splits {shown}", flush=True)
    for measure in MEASURES:
        print("\n".join(show(records, measure)))
    print()
    print("\n".join(verdicts(records)))


if __name__ == "__main__":
    main()
