"""Machine code on disk: one file per kernel and types of arguments.

numba's own cache keeps an index per function, and two processes that compile the same function for different types at
the same moment may each call their file number 1. Here a file is named by what is in it, is written whole under another
name first, and carries a checksum; so processes that compile at once can only write the same thing twice.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from llvmlite.binding import address_of_symbol
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

SUFFIX = ".kernel"
_CHECKSUM = 32  # bytes of SHA-256 at the start of a file


class KernelCache:
    """The compiled versions of one kernel, in the interface that numba's dispatchers ask for.

    They are looked for in all folders and written to the first one that can be written.
    """

    def __init__(self, function: Callable[..., object], folders: Sequence[Path]) -> None:
        self._folders = folders
        self._name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")

    @property
    def cache_path(self) -> str:
        """Where new files go."""
        return str(self._folders[0]) if self._folders else ""

    def flush(self) -> None:
        """Do nothing: the folder is named by the source, and is never out of date."""

    def _file(self, signature: Any, codegen: Any) -> str:
        kind = repr((signature, codegen.magic_tuple(), sys.version_info[:2], getattr(sys, "abiflags", "")))
        return f"{self._name}.{hashlib.sha256(kind.encode()).hexdigest()[:20]}{SUFFIX}"

    def has(self, signature: Any, target_context: Any) -> bool:
        """Whether there is a file for these types."""
        name = self._file(signature, target_context.codegen())
        return any((folder / name).exists() for folder in self._folders)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return what was compiled for these types, or None."""
        name = self._file(signature, target_context.codegen())
        for folder in self._folders:
            with suppress(OSError):
                content = (folder / name).read_bytes()
                if hashlib.sha256(content[_CHECKSUM:]).digest() == content[:_CHECKSUM]:
                    symbols, result = pickle.loads(content[_CHECKSUM:])
                    _make_known(symbols, target_context)
                    return CompileResult._rebuild(target_context, *result)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what was compiled, if a folder can be written and the disk is not full."""
        if any(not lifted.can_cache for lifted in result.lifted) or result.library.has_dynamic_globals:
            warnings.warn(
                f"{self._name} refers to addresses of this process and is compiled anew in each", stacklevel=2
            )
            return
        if not self._folders:
            return
        content = dumps((_symbols(result.library), result._reduce()))
        name = self._file(signature, result.codegen)
        for folder in self._folders:
            with suppress(OSError):
                _write(folder / name, hashlib.sha256(content).digest() + content)
                return


def _symbols(library: Any) -> list[str]:
    """Return the names outside of itself that machine code refers to."""
    module = library._final_module
    declared = [v.name for v in (*module.functions, *module.global_variables) if v.is_declaration]
    return [name for name in declared if not name.startswith("llvm.")]


def _make_known(symbols: list[str], target_context: Any) -> None:
    """Have numba define these names, if they are not known yet.

    Most kernels refer to its runtime alone. All that numba knows, which takes a third of a second, is loaded only for
    those that refer to more.
    """

    def is_known(name: str) -> bool:
        return address_of_symbol(name) is not None or bool(engine.is_symbol_defined(name))

    engine = target_context.codegen()._engine
    if not all(map(is_known, symbols)):
        rtsys.initialize(target_context)
    if not all(map(is_known, symbols)):
        target_context.refresh()


def _write(path: Path, content: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{uuid4().hex[:16]}")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise
