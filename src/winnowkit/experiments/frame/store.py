"""Finished cells on disk: each there as a whole, at once, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

from winnowkit import __version__
from winnowkit.core.atomic_write import replacing
from winnowkit.experiments.frame.experiment import Cell, Experiment, Result


class Store:
    """A folder of results: ``<experiment>/cells/<key>.json``.

    A cell counts as finished if its file says so for the same parameters and the same version of winnowkit.

    Parameters
    ----------
    folder : Path
        Made when the first cell is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, experiment: Experiment, cell: Cell) -> Path:
        """File of a cell."""
        return self.folder / experiment.name / "cells" / f"{experiment.key(cell)}.json"

    def find(self, experiment: Experiment, cell: Cell) -> Result | None:
        """The result of a cell if it is there."""
        try:
            kept = json.loads(self.path(experiment, cell).read_text())
            if kept["winnowkit"] == __version__ and kept["cell"] == cell:
                result: Result = kept["result"]
                return result
        except (FileNotFoundError, ValueError, KeyError, TypeError):  # no file, or not one of ours: run it again
            pass
        return None

    def keep(self, experiment: Experiment, cell: Cell, result: Result) -> None:
        """Write a result; it survives whatever happens next."""
        path = self.path(experiment, cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = {"experiment": experiment.name, "winnowkit": __version__, "cell": cell, "result": result}
        with replacing(path) as file:
            file.write(json.dumps(kept, allow_nan=False).encode() + b"\n")
