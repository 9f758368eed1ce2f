"""Runs unfinished cells, longest first, with joblib or on a Dask cluster, and stores each result as it arrives."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from joblib import Parallel, delayed
from tqdm import tqdm

from winnowkit import __version__
from winnowkit.core.atomic_write import replacing
from winnowkit.experiments.frame.experiment import Cell, CellResult, Experiment, Result, Scale

Workers = Callable[[Sequence["Job"]], Iterator[tuple["Job", Result]]]


class Store:
    """Finished cells in a folder, one file each: ``<experiment>/cells/<key>.json``. A file is complete or absent.

    A cell counts as finished if its file records the same parameters and the same version of winnowkit.

    Parameters
    ----------
    folder : Path
        The folder, created when the first result is stored.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, experiment: Experiment, cell: Cell) -> Path:
        """Return the path of a cell's file."""
        return self.folder / experiment.name / "cells" / f"{experiment.key(cell)}.json"

    def find(self, experiment: Experiment, cell: Cell) -> Result | None:
        """Return the stored result of a cell, or None."""
        try:
            kept = json.loads(self.path(experiment, cell).read_text())
            if kept["winnowkit"] == __version__ and kept["cell"] == cell:
                result: Result = kept["result"]
                return result
        except (FileNotFoundError, ValueError, KeyError, TypeError):  # no file, or not one of ours: run it again
            pass
        return None

    def keep(self, experiment: Experiment, cell: Cell, result: Result) -> None:
        """Store a result durably: it survives a crash right after this call."""
        path = self.path(experiment, cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = {"experiment": experiment.name, "winnowkit": __version__, "cell": cell, "result": result}
        with replacing(path) as file:
            file.write(json.dumps(kept, allow_nan=False).encode() + b"\n")


class Job(NamedTuple):
    """A cell to run: its experiment and key, the function that runs it, and the expected time in seconds."""

    experiment: str
    key: str
    cell: Cell
    run: Callable[[Cell], Result]
    seconds: float


class CellError(RuntimeError):
    """A cell failed; the results of finished cells are kept."""


def run_job(job: Job) -> tuple[Job, Result]:
    """Run one cell in the calling process."""
    try:
        return job, job.run(job.cell)
    except Exception as error:
        raise CellError(f"{job.experiment}, cell {job.cell}: {type(error).__name__}: {error}") from error


def by_joblib(n_jobs: int | None) -> Workers:
    """Use joblib: processes of this machine, or the backend set with ``joblib.parallel_config`` (Dask, Ray, Spark)."""

    def work(jobs: Sequence[Job]) -> Iterator[tuple[Job, Result]]:
        yield from Parallel(n_jobs, batch_size=1, return_as="generator_unordered")(map(delayed(run_job), jobs))

    return work


def by_dask(address: str) -> Workers:
    """Use a Dask cluster whose workers have winnowkit installed; the cells of a worker that dies are run by others.

    Parameters
    ----------
    address : str
        The address of the scheduler, such as ``tcp://10.0.0.1:8786``.
    """
    try:
        from dask.distributed import Client, as_completed  # noqa: PLC0415 - optional
    except ImportError as error:
        raise ImportError("a Dask cluster needs dask.distributed: pip install 'winnowkit[dask]'") from error

    def work(jobs: Sequence[Job]) -> Iterator[tuple[Job, Result]]:
        try:
            client = Client(address, timeout="30s")
        except OSError as error:
            raise ValueError(f"no Dask scheduler answers at {address}; start one with: dask scheduler") from error
        with client:
            urgency = range(len(jobs), 0, -1)  # the order of the jobs
            futures = [
                client.submit(run_job, job, priority=priority, pure=False)
                for job, priority in zip(jobs, urgency, strict=True)
            ]
            for _, result in as_completed(futures, with_results=True):
                yield result

    return work


def run(
    experiments: Sequence[Experiment], scale: Scale, seed: int, store: Store, workers: Workers, *, show: bool = True
) -> list[list[CellResult]]:
    """Run the unfinished cells and store each result as it arrives.

    Parameters
    ----------
    experiments : sequence of Experiment
        The experiments to run.
    scale : {"quick", "paper"}
        Which cells to run.
    seed : int
        The seed from which all seeds are derived.
    store : Store
        Where results are stored; cells found there are not run again.
    workers : callable
        ``by_joblib(n)`` or ``by_dask(address)``.
    show : bool
        Whether to show a progress bar with the time left on standard error.

    Returns
    -------
    list of lists
        The outcomes of each experiment, in the order of its cells.
    """
    cells = [experiment.cells(scale, seed) for experiment in experiments]
    waiting, results = [], {}
    for experiment, own in zip(experiments, cells, strict=True):
        for cell in own:
            job = Job(experiment.name, experiment.key(cell), cell, experiment.run, experiment.seconds(cell))
            result = store.find(experiment, cell)
            if result is None:
                waiting.append(job)
            else:
                results[job[:2]] = result
    waiting.sort(key=lambda job: -job.seconds)
    by_name = {experiment.name: experiment for experiment in experiments}
    with _bar(waiting, len(results), show) as bar:
        for job, result in workers(waiting):
            store.keep(by_name[job.experiment], job.cell, result)
            results[job[:2]] = result
            bar.set_postfix_str(f"{len(results)} of {sum(map(len, cells))} cells, last {job.experiment}", refresh=False)
            bar.update(job.seconds)
    return [
        [CellResult(cell, results[experiment.name, experiment.key(cell)]) for cell in own]
        for experiment, own in zip(experiments, cells, strict=True)
    ]


def _bar(waiting: Sequence[Job], n_kept: int, show: bool) -> tqdm[NoReturn]:
    """Return a bar over the expected seconds, so that the time left accounts for long cells."""
    return tqdm(
        total=sum(job.seconds for job in waiting),
        desc=f"{n_kept} cells already finished" if n_kept else None,
        disable=not show or not waiting,
        smoothing=0.0,
        mininterval=0.5 if sys.stderr.isatty() else 30.0,
        bar_format="{desc}{percentage:3.0f}%|{bar:20}| {elapsed}, about {remaining} left{postfix}",
    )
