"""Every table and figure of the papers, by one call: what ``winnowkit reproduce`` does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from winnowkit.core.atomic_write import replacing
from winnowkit.experiments.catalogue import choose, find
from winnowkit.experiments.frame.experiment import Scale
from winnowkit.experiments.frame.figures import check_matplotlib, svg
from winnowkit.experiments.frame.output import write
from winnowkit.experiments.frame.report import Part, page
from winnowkit.experiments.frame.runner import Workers, by_joblib, run
from winnowkit.experiments.frame.store import Store


def reproduce(
    names: Sequence[str] = (),
    *,
    scale: Scale = "quick",
    seed: int = 0,
    folder: Path = Path("output/reproduce"),
    workers: Workers | None = None,
    plots: bool = True,
    show: bool = True,
) -> list[Part]:
    """Run experiments, or what is left of them, and write tables, plots and ``report.html`` into ``folder/scale``.

    Parameters
    ----------
    names : sequence of str
        Which ones, by name or the beginning of one; none is all.
    scale : {"quick", "paper"}
        Cut sizes, or the papers' own.
    seed : int
        From which all seeds come.
    folder : Path
        Where results go. A cell that is finished there is not run again.
    workers : callable, optional
        ``by_joblib(n)`` or ``by_dask(address)`` of ``winnowkit.experiments.frame.runner``; None is one process, or
        what ``joblib.parallel_config`` says.
    plots : bool
        Whether to draw, which needs matplotlib.
    show : bool
        Whether to show a bar with the time left.

    Returns
    -------
    list of Part
        Each experiment with its summary.
    """
    if plots:
        check_matplotlib()
    place = folder / scale
    experiments = [find(name) for name in choose(names)]
    every = run(experiments, scale, seed, Store(place), workers or by_joblib(None), show=show)
    parts = []
    for experiment, outcomes in zip(experiments, every, strict=True):
        summary = experiment.summarize(outcomes)
        drawn = [svg(plot) for plot in summary.plots] if plots else []
        write(place, experiment, summary, drawn)
        parts.append(Part(experiment, summary, drawn, len(outcomes)))
    with replacing(place / "report.html") as file:
        file.write(page(parts, scale, seed).encode())
    return parts
