"""``winnowkit bench``, ``demo`` and ``reproduce``: learners on generated streams and in the papers' experiments."""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np

from winnowkit.cli.messages import OK, UserError
from winnowkit.cli.output import note, show, show_json, table
from winnowkit.cli.pipeline import make_learner
from winnowkit.data import streams
from winnowkit.experiments.demo import main as run_demo
from winnowkit.experiments.frame.experiment import SCALES
from winnowkit.experiments.frame.runner import Workers, by_dask, by_joblib
from winnowkit.experiments.reproduce import choose, find
from winnowkit.experiments.reproduce import reproduce as run_experiments

FAST = ("Winnow2", "ThresholdedBEG", "BayesBEG", "SASB", "Committee")


def bench(arguments: argparse.Namespace) -> int:
    """Time each learner on the same generated stream."""
    for name in ("attributes", "relevant", "rows", "repeat"):
        if getattr(arguments, name) < 1:
            raise UserError(f"--{name} must be at least 1, got {getattr(arguments, name)}")
    if arguments.relevant > arguments.attributes:
        raise UserError(f"--relevant must be at most --attributes ({arguments.attributes}), got {arguments.relevant}")
    if not 0 <= arguments.noise < 0.5:
        raise UserError(f"--noise must be in [0, 0.5), got {arguments.noise}")
    models = [make_learner(name, {}) for name in arguments.learner or FAST]
    stream = streams.disjunction(
        n=arguments.attributes, k=arguments.relevant, label_noise=arguments.noise, seed=arguments.seed or 0
    )
    X, y = stream.take(arguments.rows)
    note(
        f"{arguments.rows:,} rows of {arguments.attributes:,} boolean attributes, {X.nnz / X.shape[0]:.0f} active in "
        f"each; the label is an OR of {arguments.relevant} of them, with {arguments.noise:.0%} of labels flipped",
        quiet=arguments.quiet,
    )
    results = [measure(model, X, y, arguments.repeat) for model in models]
    if arguments.json:
        show_json({"rows": arguments.rows, "attributes": arguments.attributes, "results": results})
        return OK
    header = ["learner", "mistakes", "rows per second", "milliseconds"]
    body = []
    for result in results:
        rate = float(f"{result['rows_per_second']:.3g}")
        line = [f"{result['mistakes']:,}", f"{rate:,.0f}", f"{1000 * result['seconds']:,.1f}"]
        body.append([result["learner"], *line])
    show(table(header, body))
    return OK


def measure(model: Any, X: Any, y: Any, repeat: int) -> dict[str, Any]:
    """Return the mistakes of one pass and the best time of several, after a pass that compiles."""
    kind = type(model)
    kind().partial_fit_predict(X[:100], y[:100], classes=[0, 1])
    best = np.inf
    for _ in range(repeat):
        learner = kind()
        start = time.perf_counter()
        learner.partial_fit_predict(X, y, classes=[0, 1])
        best = min(best, time.perf_counter() - start)
    return {
        "learner": kind.__name__,
        "mistakes": learner.n_mistakes_,
        "seconds": best,
        "rows_per_second": len(y) / best,
    }


def demo(arguments: argparse.Namespace) -> int:
    """Run the demo."""
    rows = [] if arguments.rows is None else ["--rows", str(arguments.rows)]
    run_demo([*rows, "--output", arguments.output])
    return OK


def reproduce(arguments: argparse.Namespace) -> int:
    """Run the experiments asked for, or list all."""
    names = choose(arguments.names)
    if arguments.list:
        return _list_experiments(names, arguments.seed)
    folder = Path(arguments.output)
    if arguments.fresh:
        for name in names:
            shutil.rmtree(folder / arguments.scale / name, ignore_errors=True)
    try:
        parts = run_experiments(
            names,
            scale=arguments.scale,
            seed=arguments.seed,
            folder=folder,
            workers=_workers(arguments),
            plots=arguments.plots,
            show=not arguments.quiet,
        )
    except KeyboardInterrupt:
        note(f"finished cells are in {folder / arguments.scale}; run the same command to continue")
        raise
    if arguments.json:
        show_json({part.experiment.name: [vars(verdict) for verdict in part.summary.verdicts] for part in parts})
        return OK
    for part in parts:
        show(f"{part.experiment.name}: {part.experiment.title}")
        for verdict in part.summary.verdicts:
            show(f"  {verdict}")
    note(f"tables, plots and report.html are in {folder / arguments.scale}", quiet=arguments.quiet)
    return OK


def _workers(arguments: argparse.Namespace) -> Workers:
    if arguments.dask is None:
        return by_joblib(arguments.jobs)
    if arguments.jobs is not None:
        raise UserError("--jobs applies to this machine; a Dask cluster has the workers that were started for it")
    return by_dask(arguments.dask)


def _list_experiments(names: list[str], seed: int) -> int:
    rows = []
    for name in names:
        experiment = find(name)
        row = [name]
        for scale in SCALES:
            cells = experiment.cells(scale, seed)
            row.append(f"{len(cells):,} cells, {_duration(sum(map(experiment.seconds, cells)))}")
        rows.append([*row, experiment.title])
    width = max(len(row[-1]) for row in rows)
    show(table(["name", *SCALES, ""], [[*row[:-1], row[-1].ljust(width)] for row in rows]))
    note("times are estimates for one core; --jobs 2 halves them")
    return OK


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"
