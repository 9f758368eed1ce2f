"""Writing files completely or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` in one step once it is complete and safe on disk, or never does."""
    path = path.resolve()  # a link stays a link
    if path.exists() and not path.is_file():  # a device or a pipe must not become a file
        raise ValueError(f"{path} is not a regular file and cannot be replaced; name a file")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            draft.chmod(path.stat().st_mode & 0o777)
        draft.replace(path)
    except OSError as error:
        _remove(draft)
        if error.errno is not None and error.filename in (None, str(draft)):  # the file could not be written
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    except BaseException:
        _remove(draft)
        raise
    with suppress(OSError):  # the file is already in place, and not every system can sync a folder
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _remove(draft: Path) -> None:
    with suppress(OSError):  # it never existed, or its folder is gone; the earlier error is the one that matters
        draft.unlink()
