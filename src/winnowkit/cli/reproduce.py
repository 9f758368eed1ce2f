"""``winnowkit reproduce``: every table and figure of the papers."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from winnowkit.cli.errors import OK, UserError
from winnowkit.cli.output import note, show, show_json, table
from winnowkit.experiments.frame.experiment import SCALES
from winnowkit.experiments.frame.runner import Workers, by_dask, by_joblib
from winnowkit.experiments.reproduce import choose, find, reproduce


def run(arguments: argparse.Namespace) -> int:
    """Run what is asked for, or list what there is."""
    names = choose(arguments.names)
    if arguments.list:
        return _list(names, arguments.seed)
    folder = Path(arguments.output)
    if arguments.fresh:
        for name in names:
            shutil.rmtree(folder / arguments.scale / name, ignore_errors=True)
    try:
        parts = reproduce(
            names,
            scale=arguments.scale,
            seed=arguments.seed,
            folder=folder,
            workers=_workers(arguments),
            plots=arguments.plots,
            show=not arguments.quiet,
        )
    except KeyboardInterrupt:
        note(f"finished cells are in {folder / arguments.scale}; the same command goes on from there")
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
        raise UserError("--jobs is for this machine; a Dask cluster has as many workers as were started")
    return by_dask(arguments.dask)


def _list(names: list[str], seed: int) -> int:
    rows = []
    for name in names:
        experiment = find(name)
        row = [name]
        for scale in SCALES:
            cells = experiment.cells(scale, seed)
            row.append(f"{len(cells):,} cells, {_time(sum(map(experiment.seconds, cells)))}")
        rows.append([*row, experiment.title])
    width = max(len(row[-1]) for row in rows)
    show(table(["name", *SCALES, ""], [[*row[:-1], row[-1].ljust(width)] for row in rows]))
    note("times are of one core, about; --jobs 2 halves them")
    return OK


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"
