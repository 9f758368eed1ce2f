"""Every table and figure of the papers, by name or all at once: the work of ``winnowkit reproduce``.

There is one module per table or figure, imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from winnowkit.core.atomic_write import replacing
from winnowkit.experiments.frame.experiment import Experiment, Scale
from winnowkit.experiments.frame.results import ReportedExperiment, check_matplotlib, page, svg, write
from winnowkit.experiments.frame.runner import Store, Workers, by_joblib, run

NAMES = (
    "tao-scott-figure-1",
    "tao-scott-figure-2",
    "tao-scott-table-5",
    "tao-scott-table-6",
    "tao-scott-table-7",
    "tao-scott-table-8",
    "tao-scott-table-9",
    "littlestone-mesterharm-figure-1",
    "fang-venkatesh-laws",
    "helmbold-panizza-warmuth-bounds",
    "lecture-bounds",
    "khardon-roth-servedio-hard-case",
)


def reproduce(
    names: Sequence[str] = (),
    *,
    scale: Scale = "quick",
    seed: int = 0,
    folder: Path = Path("output/reproduce"),
    workers: Workers | None = None,
    plots: bool = True,
    show: bool = True,
) -> list[ReportedExperiment]:
    """Run experiments and write their tables, plots and ``report.html`` into ``folder/scale``.

    Cells that an earlier run finished in the same folder are not run again.

    Parameters
    ----------
    names : sequence of str
        Names of experiments, or the beginnings of names. Empty means all.
    scale : {"quick", "paper"}
        Reduced sizes, or the sizes of the papers.
    seed : int
        The seed from which all seeds are derived.
    folder : Path
        The folder for the results.
    workers : callable, optional
        ``by_joblib(n)`` or ``by_dask(address)`` of ``winnowkit.experiments.frame.runner``; None uses one process,
        or the backend set with ``joblib.parallel_config``.
    plots : bool
        Whether to draw the figures, which needs matplotlib.
    show : bool
        Whether to show a progress bar with the time left.

    Returns
    -------
    list of ReportedExperiment
        One part per experiment, with its summary.
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
        parts.append(ReportedExperiment(experiment, summary, drawn, len(outcomes)))
    with replacing(place / "report.html") as file:
        file.write(page(parts, scale, seed).encode())
    return parts


def find(name: str) -> Experiment:
    """Return the experiment with this name; its module is imported now.

    Examples
    --------
    >>> find("lecture-bounds").title
    "The lecture's bounds of Winnow1 and Winnow2, against mistakes made"
    """
    experiment: Experiment = import_module(f"winnowkit.experiments.{name.replace('-', '_')}").EXPERIMENT
    return experiment


def choose(asked: Sequence[str]) -> list[str]:
    """Return the names asked for in the order of `NAMES`; the beginning of a name selects all that share it.

    Without any, all names are returned.

    Examples
    --------
    >>> choose(["lecture", "tao-scott-figure"])
    ['tao-scott-figure-1', 'tao-scott-figure-2', 'lecture-bounds']
    """
    for word in asked:
        if not any(_begins(name, word) for name in NAMES):
            close = get_close_matches(word, NAMES, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"Choose from {', '.join(NAMES)}."
            raise ValueError(f"Unknown experiment {word!r}. {hint}")
    return [name for name in NAMES if not asked or any(_begins(name, word) for word in asked)]


def _begins(name: str, word: str) -> bool:
    return name == word or name.startswith(word.rstrip("-") + "-")
