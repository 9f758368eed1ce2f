"""Compiled inner loops, and where their machine code is kept.

Every kernel is decorated with :func:`jit`, which compiles on first call and keeps the machine code on disk. numba's own
cache only watches the file a function stands in, not the files of the functions it calls; ours lives in a folder named
by a hash of all kernel modules, so that a change in any of them recompiles.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba

from winnowkit.core.compiler import Kernel

F = TypeVar("F", bound=Callable[..., object])

_PACKAGE = Path(__file__).parents[1]
_MARK = re.compile(rb"^(from winnowkit\.core\.jit|from numba|import numba)\b", re.MULTILINE)


def kernel_modules() -> list[Path]:
    """Source files of all kernels, wherever they live: those that import this module, or numba itself."""
    return [path for path in sorted(_PACKAGE.rglob("*.py")) if _MARK.search(path.read_bytes())]


def _digest() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for source in kernel_modules():
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path | None:
    """Folder of the compiled kernels: beside the sources if that can be written, else in the user's cache.

    The last resort is a folder among the temporary files, whose name anyone can predict. It is used only if it belongs
    to this user and nobody else may write to it. None: there is no safe place, and nothing is kept.
    """
    name = f"kernels-{_digest()}"
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    candidates = [_PACKAGE / "__pycache__", home / "winnowkit"]
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        candidates.insert(0, Path(given))
    for candidate in candidates:
        if _is_writable(candidate / name):
            return candidate / name
    shared = _private_temporary_folder()
    return shared / name if shared is not None and _is_writable(shared / name) else None


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _private_temporary_folder() -> Path | None:
    """Our folder among the temporary files, made if absent; None if it is somebody else's or open to others."""
    if not hasattr(os, "getuid"):
        return None
    folder = Path(tempfile.gettempdir()) / f"winnowkit-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    private = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return folder if private else None


def is_compiled() -> bool:
    """Whether some kernels of this version are compiled already (a first use takes seconds, later ones do not)."""
    folder = cache_folder()
    return folder is not None and any(folder.rglob("*.nbi"))


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


def jit_brief(function: F) -> F:
    """As :func:`jit_in_place`, for single trials, which keep the GIL: to give it up and take it again costs 50 ns.

    So no two of them run at once, and readers in several threads may share the room that a learner keeps for them.
    """
    return _compiled(function, forceinline=True, _nrt=False, nogil=False)


def _compiled(function: F, **options: bool) -> F:
    if numba.config.DISABLE_JIT:
        return function
    kernel: Any = Kernel(function, targetoptions={"nopython": True, "error_model": "numpy", "nogil": True, **options})
    if (folder := cache_folder()) is not None:
        with _numba_cache_in(folder):
            kernel.enable_caching()
    compiled: F = kernel
    return compiled
