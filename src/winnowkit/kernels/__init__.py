"""Compiled inner loops: numpy and numba, nothing else of ours.

Every kernel is decorated with :func:`jit`, which compiles on first call and keeps the machine code on disk. numba's own
cache only watches the file a function stands in, not the files of the functions it calls; ours lives in a folder named
by a hash of all of ``kernels/``, so that a change anywhere in here recompiles.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar

import numba

F = TypeVar("F", bound=Callable[..., object])

_HERE = Path(__file__).parent


@cache
def cache_folder() -> Path:
    """Folder of the compiled kernels: beside the sources if that can be written, else in the user's cache."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(_HERE.glob("*.py")):
        digest.update(source.read_bytes())
    name = digest.hexdigest()[:16]
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    candidates = [
        _HERE / "__pycache__",
        home / "winnowkit",
        Path(tempfile.gettempdir()) / f"winnowkit-{os.getuid() if hasattr(os, 'getuid') else 'cache'}",
    ]
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        candidates.insert(0, Path(given))
    for candidate in candidates:
        folder = candidate / f"kernels-{name}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    raise OSError(f"no writable folder for compiled kernels among {[str(c) for c in candidates]}")


def is_compiled() -> bool:
    """Whether some kernels of this version are compiled already (a first use takes seconds, later ones do not)."""
    return any(cache_folder().rglob("*.nbi"))


@contextmanager
def _numba_cache_in(folder: Path) -> Iterator[None]:
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def jit(function: F) -> F:
    """Compile `function` on first call, without the GIL, its machine code kept in :func:`cache_folder`."""
    return _compiled(function)


def jit_in_place(function: F) -> F:
    """As :func:`jit`, for loops that only change arrays of their caller, and allocate none.

    They are compiled into their callers and count no references (``_nrt``), which makes an update of a linear learner
    two to four times as fast. A kernel that did allocate would leak.
    """
    return _compiled(function, forceinline=True, _nrt=False)


def _compiled(function: F, **options: bool) -> F:
    with _numba_cache_in(cache_folder()):
        compiled: F = numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    return compiled
