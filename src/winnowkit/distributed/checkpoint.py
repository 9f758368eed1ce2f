"""Checkpoints of a training run: one model file, replaced as a whole after every round."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from winnowkit.model_file import read_contents, save


@dataclass
class Checkpoint:
    """The file that a run goes on from; without a path nothing is kept.

    Parameters
    ----------
    path : path-like or None
        The file.
    run : dict
        What the run is about: a file of another run is refused.
    """

    path: str | PathLike[str] | None
    run: dict[str, Any] = field(default_factory=dict)

    def seed(self) -> int | None:
        """Return the seed of the run that wrote the file, so that a run without one goes on with it."""
        if self.path is None or not Path(self.path).exists():
            return None
        run = read_contents(self.path)[1].get("run")
        return run.get("seed") if isinstance(run, dict) else None

    def read(self) -> tuple[Any, dict[str, Any]] | None:
        """Return the model and the notes of the last round, or None if there was none."""
        if self.path is None or not Path(self.path).exists():
            return None
        model, notes, _ = read_contents(self.path)
        if (kept := notes.pop("run", None)) != self.run:
            raise ValueError(
                f"checkpoint {self.path} is of another run: {_differences(kept, self.run)}; delete the file to begin "
                "anew, or name another one"
            )
        return model, notes

    def write(self, model: Any, **notes: Any) -> None:
        """Replace the file by the model and the notes of this round."""
        if self.path is not None:
            save(model, self.path, notes={"run": self.run, **notes})


def _differences(kept: Any, wanted: dict[str, Any]) -> str:
    if not isinstance(kept, dict):
        return "it was not written by winnowkit.distributed"
    names = [name for name in wanted if kept.get(name) != wanted[name]]
    return "; ".join(f"{name} was {kept.get(name)!r} and is {wanted[name]!r}" for name in names) or "it has other notes"
