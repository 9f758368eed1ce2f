"""Running cells: those not yet finished, the longest first, by joblib's workers or a Dask cluster's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, NoReturn

from joblib import Parallel, delayed
from tqdm import tqdm

from winnowkit.experiments.catalogue import find
from winnowkit.experiments.frame.experiment import Cell, Experiment, Outcome, Result, Scale
from winnowkit.experiments.frame.store import Store

Workers = Callable[[Sequence["Job"]], Iterator[tuple["Job", Result]]]


class Job(NamedTuple):
    """A cell of an experiment, by names, so that it travels light; and about how many seconds it takes."""

    experiment: str
    key: str
    cell: Cell
    seconds: float


class CellError(RuntimeError):
    """A cell failed; the others that were finished are kept."""


def run_job(job: Job) -> tuple[Job, Result]:
    """Run one cell, wherever this is called."""
    try:
        return job, find(job.experiment).run(job.cell)
    except Exception as error:
        raise CellError(f"{job.experiment}, cell {job.cell}: {type(error).__name__}: {error}") from error


def by_joblib(n_jobs: int | None) -> Workers:
    """Workers of joblib: processes of this machine, or what ``joblib.parallel_config`` says (Dask, Ray, Spark)."""

    def work(jobs: Sequence[Job]) -> Iterator[tuple[Job, Result]]:
        yield from Parallel(n_jobs, batch_size=1, return_as="generator_unordered")(map(delayed(run_job), jobs))

    return work


def by_dask(address: str) -> Workers:
    """Workers of a Dask cluster, which have winnowkit installed; those that die are replaced by the others.

    Parameters
    ----------
    address : str
        The scheduler's, such as ``tcp://10.0.0.1:8786``.
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
            urgency = range(len(jobs), 0, -1)  # in the order given
            futures = [
                client.submit(run_job, job, priority=priority, pure=False)
                for job, priority in zip(jobs, urgency, strict=True)
            ]
            for _, result in as_completed(futures, with_results=True):
                yield result

    return work


def run(
    experiments: Sequence[Experiment], scale: Scale, seed: int, store: Store, workers: Workers, *, show: bool = True
) -> list[list[Outcome]]:
    """Run what is not finished, keeping each result as it comes.

    Parameters
    ----------
    experiments : sequence of Experiment
        What to run.
    scale : {"quick", "paper"}
        Which cells.
    seed : int
        From which all their seeds come.
    store : Store
        Where results are kept; what it has is not run again.
    workers : callable
        ``by_joblib(n)`` or ``by_dask(address)``.
    show : bool
        Whether to show a bar with the time left on standard error.

    Returns
    -------
    list of lists
        The outcomes of each experiment, in the order of its cells.
    """
    cells = [experiment.cells(scale, seed) for experiment in experiments]
    waiting, results = [], {}
    for experiment, own in zip(experiments, cells, strict=True):
        for cell in own:
            job = Job(experiment.name, experiment.key(cell), cell, experiment.seconds(cell))
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
        [Outcome(cell, results[experiment.name, experiment.key(cell)]) for cell in own]
        for experiment, own in zip(experiments, cells, strict=True)
    ]


def _bar(waiting: Sequence[Job], n_kept: int, show: bool) -> tqdm[NoReturn]:
    """A bar over the expected seconds, so that the time left counts long cells as long."""
    return tqdm(
        total=sum(job.seconds for job in waiting),
        desc=f"{n_kept} cells kept from before" if n_kept else None,
        disable=not show or not waiting,
        smoothing=0.0,
        mininterval=0.5 if sys.stderr.isatty() else 30.0,
        bar_format="{desc}{percentage:3.0f}%|{bar:20}| {elapsed}, about {remaining} left{postfix}",
    )
