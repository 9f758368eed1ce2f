"""DNFWinnow against learners of tables, all with their defaults, on repeated splits of 70% and 30%.

Run ``python benchmarks/tables.py --data FOLDER``. The folder holds NAME.csv.gz and INDEX.json, which names the target
of each table; without it the bundled tables take part alone. Differences of means over splits have the corrected
resampled standard error (Nadeau & Bengio 2003), as training sets overlap.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from environments import ROOT

from winnowkit.data import load_dataset

WORKER = Path(__file__).with_name("tables_worker.py")
OURS = "DNFWinnow"
HERE = OURS, "forest", "logistic"
PEERS = "LightGBM", "EBM", "CatBoost"
BUNDLED = "car", "tic-tac-toe", "voting", "breast-cancer", "iris", "annealing"
MEASURES = {"error": "error, %", "auc": "AUC", "log_loss": "log-loss", "fit": "seconds to fit"}
SHARED = ROOT.parent / "shared" / "data" / "tables"


class Source(NamedTuple):
    """A table in a file."""

    name: str
    path: Path
    target: str


def sources(data: Path | None, only: list[str] | None, folder: Path) -> Iterator[Source]:
    """Yield the tables of a folder, and the bundled ones, written to `folder`."""
    if data is not None and (data / "INDEX.json").exists():
        for name, entry in json.loads((data / "INDEX.json").read_text(encoding="utf-8")).items():
            if only is None or name in only:
                yield Source(name, data / f"{name}.csv.gz", entry["target"])
    for name in BUNDLED:
        if only is None or name in only:
            table = load_dataset(name, as_frame=True)
            path = folder / f"{name}.csv"
            table.data.assign(label_=table.target).to_csv(path, index=False)
            yield Source(name, path, "label_")


def run(source: Source, learner: str, seeds: list[int], python: Path, timeout: float) -> list[dict[str, float]]:
    """Return one record per split that was done in time."""
    job = {"path": str(source.path), "target": source.target, "learner": learner, "seeds": seeds}
    try:
        done = subprocess.run(
            [str(python), str(WORKER)],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
        text = done.stdout
        if done.returncode:
            print(f"  {learner} on {source.name} failed: {done.stderr.strip().splitlines()[-1][:200]}", file=sys.stderr)
    except subprocess.TimeoutExpired as late:
        text = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def corrected_error(differences: list[float], test_share: float = 0.3) -> float:
    """Standard error of a mean over splits whose training sets overlap."""
    n = len(differences)
    if n < 2:
        return math.nan
    return float(np.std(differences, ddof=1)) * math.sqrt(1 / n + test_share / (1 - test_share))


def verdicts(records: dict[str, dict[str, list[dict[str, float]]]], measure: str, least: bool) -> str:
    """Say on how many tables we are best, or not significantly worse than the best peer."""
    n_tables = n_best = n_equal = 0
    for by_learner in records.values():
        ours = [record[measure] for record in by_learner.get(OURS, [])]
        peers = {peer: [r[measure] for r in found] for peer, found in by_learner.items() if peer != OURS and found}
        peers = {peer: values for peer, values in peers.items() if not np.isnan(values).any()}
        if not ours or not peers or np.isnan(ours).any():
            continue
        sign = 1 if least else -1
        best = min(peers, key=lambda peer: sign * np.mean(peers[peer]))
        n = min(len(ours), len(peers[best]))
        behind = [sign * (a - b) for a, b in zip(ours[:n], peers[best][:n], strict=True)]
        n_tables += 1
        n_best += np.mean(behind) <= 0
        n_equal += not np.mean(behind) > 2 * corrected_error(behind)
    return f"{MEASURES[measure]}: best on {n_best} of {n_tables} tables, not significantly behind the best on {n_equal}"


def main() -> None:
    """Print a table per measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=SHARED if SHARED.exists() else None)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--learners", nargs="*", default=[*HERE, *PEERS])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--timeout", type=float, default=1800.0, help="seconds per table and learner")
    parser.add_argument("--peers", type=Path, default=ROOT / ".venv-peers" / "bin" / "python")
    parser.add_argument("--output", type=Path, help="where to store the records as JSON")
    arguments = parser.parse_args()
    records: dict[str, dict[str, list[dict[str, float]]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for source in sources(arguments.data, arguments.only, Path(folder)):
            records[source.name] = {}
            for learner in arguments.learners:
                python = Path(sys.executable) if learner in HERE else arguments.peers
                found = run(source, learner, list(range(arguments.splits)), python, arguments.timeout)
                records[source.name][learner] = found
                shown = {m: f"{np.mean([r[m] for r in found]):.4g}" for m in MEASURES} if found else "absent"
                print(f"{source.name:12} {learner:10} {len(found):2} splits {shown}", flush=True)
            if arguments.output:
                arguments.output.write_text(json.dumps(records), encoding="utf-8")
    for measure, title in MEASURES.items():
        print(f"\n{title}\n{'':12}" + "".join(f"{learner:>12}" for learner in arguments.learners))
        for name, by_learner in records.items():
            means = [
                np.mean([r[measure] for r in by_learner[who]]) if by_learner[who] else math.nan for who in by_learner
            ]
            scale = 100 if measure == "error" else 1
            print(f"{name:12}" + "".join(f"{scale * mean:12.4g}" for mean in means))
        if measure != "fit":
            print(verdicts(records, measure, least=measure != "auc"))


if __name__ == "__main__":
    main()
