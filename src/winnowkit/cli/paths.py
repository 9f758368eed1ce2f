"""Checks of the paths that a command writes to."""

from __future__ import annotations

from pathlib import Path

from winnowkit.cli.messages import UserError


def check_output(path: Path) -> None:
    """Refuse a path that cannot be written, before any work is done."""
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file in it, such as {path / 'model.winnow'}")
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is not a regular file; name a file to write")
    if not path.absolute().parent.is_dir():
        raise UserError(f"there is no folder {path.absolute().parent}; create it first, or name another --output")
