"""Compiled inner loops, and where their machine code is kept.

Every kernel is decorated with :func:`jit`, which compiles on first call and keeps the machine code on disk. numba's own
cache only watches the file a function stands in, not the files of the functions it calls; ours lives in a folder named
by a hash of all kernel modules, so that a change in any of them recompiles.

Whoever can write to that folder can make its readers run any code. So a folder of another user serves only if the
environment variable ``WINNOWKIT_CACHE_DIR`` names it, and nobody but its owner and root can write to it.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast

from winnowkit.core.deferred import Deferred

F = TypeVar("F", bound=Callable[..., object])

_PACKAGE = Path(__file__).parents[1]
_MARK = re.compile(rb"^(from winnowkit\.core\.jit| *from numba| *import numba)\b", re.MULTILINE)


def kernel_modules() -> list[Path]:
    """Source files of all kernels, wherever they live: those that import this module, or numba itself."""
    return [Path(path) for path in _kernel_sources()]


def _kernel_sources() -> dict[str, bytes]:
    """Read the source files of all kernels: by plain functions, as every process that loads a kernel does so."""
    found = {}
    for folder, _, names in os.walk(_PACKAGE):
        for name in names:
            if name.endswith(".py"):
                with open(f"{folder}/{name}", "rb") as file:
                    source = file.read()
                if (b"numba" in source or b"winnowkit.core.jit" in source) and _MARK.search(source):
                    found[f"{folder}/{name}"] = source
    return dict(sorted(found.items()))


def _digest() -> str:
    import numba  # noqa: PLC0415 - takes a quarter of a second, and is needed to compile only

    digest = hashlib.sha256(numba.__version__.encode())
    for source in _kernel_sources().values():
        digest.update(source)
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path | None:
    """Return the folder of this user's compiled kernels: beside the sources if that can be written, else in the cache.

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
    private = _private_temporary_folder()
    return private / name if private is not None and _is_writable(private / name) else None


@cache
def shared_folder() -> Path | None:
    """Return the folder of kernels that ``WINNOWKIT_CACHE_DIR`` names; None, with a warning, if it is not safe."""
    given = os.environ.get("WINNOWKIT_CACHE_DIR")
    if not given:
        return None
    root = Path(given)
    try:
        root.mkdir(parents=True, exist_ok=True)
        refusal = _who_else_can_write(root.resolve(strict=True))
    except OSError as error:
        refusal = str(error)
    if refusal is not None:
        warnings.warn(f"WINNOWKIT_CACHE_DIR is not used: {refusal}", stacklevel=2)
        return None
    folder = root.resolve() / f"kernels-{_digest()}"
    with suppress(OSError):  # those who cannot write there may still read
        folder.mkdir(mode=0o755, exist_ok=True)
    return folder


def cache_folders() -> list[Path]:
    """Return the folders that are searched for a kernel, the shared one first; a new one goes to the first writable."""
    return [folder for folder in (shared_folder(), cache_folder()) if folder is not None]


def _who_else_can_write(folder: Path) -> str | None:
    """Say how somebody besides its owner and root could change a folder or what it is reached by; None if nobody can.

    In a parent with the sticky bit, such as /tmp, others may write but not replace what is not theirs.
    """
    if not hasattr(os, "getuid"):
        return "only POSIX systems say who can write to a folder"
    owner = folder.stat().st_uid
    for place in (folder, *folder.parents):
        found = place.stat()
        if found.st_uid not in {0, owner}:
            return f"{place} belongs to neither root nor the owner of {folder}"
        sticky = place != folder and found.st_mode & stat.S_ISVTX
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not sticky:
            return f"others can write to {place} (chmod go-w makes it safe)"
    return None


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
    from winnowkit.core.kernel_cache import SUFFIX  # noqa: PLC0415 - imports numba

    return any(next(folder.glob(f"*{SUFFIX}"), None) for folder in cache_folders())


def jit(function: F) -> F:
    """Compile `function` on first call, without the GIL, its machine code kept in :func:`cache_folder`."""
    return _compiled(function)


def jit_in_place(function: F) -> F:
    """As :func:`jit`, for loops that only change arrays of their caller, and allocate none.

    They are compiled into their callers and count no references (``_nrt``), which makes an update of a linear learner
    two to four times as fast. A kernel that did allocate would leak, and one that returns an array may be called only
    by others that count none.
    """
    return _compiled(function, forceinline=True, _nrt=False)


def jit_uncounted(function: F) -> F:
    """As :func:`jit`, for kernels that allocate no arrays: they count no references, and take less time to compile.

    One that did allocate would leak, and one that returns an array may be called only by others that count none.
    """
    return _compiled(function, _nrt=False)


def jit_brief(function: F) -> F:
    """As :func:`jit_in_place`, for single trials, which keep the GIL: to give it up and take it again costs 50 ns.

    So no two of them run at once, and readers in several threads may share the room that a learner keeps for them.
    """
    return _compiled(function, forceinline=True, _nrt=False, nogil=False)


def _compiled(function: F, **options: bool) -> F:
    make = partial(_kernel, function, {"nopython": True, "error_model": "numpy", "nogil": True, **options})
    return cast(F, make() if "numba" in sys.modules else Deferred(function, make))


def _kernel(function: Callable[..., object], options: dict[str, bool | str]) -> Any:
    """Return what numba compiles; without a compiler, the function itself."""
    import numba  # noqa: PLC0415

    from winnowkit.core.compiler import Kernel  # noqa: PLC0415 - imports numba
    from winnowkit.core.kernel_cache import KernelCache  # noqa: PLC0415 - imports numba

    if numba.config.DISABLE_JIT:
        return function
    kernel = Kernel(function, targetoptions=options)
    kernel.keep_in(KernelCache(function, cache_folders()))
    return kernel
