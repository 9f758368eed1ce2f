"""Readers, encoders, bundled data sets and stream generators."""

from importlib import import_module
from types import ModuleType

# Imported on first use: `import winnowkit.data` must stay cheap.
_MODULES = {"streams"}

__all__ = ["streams"]


def __getattr__(name: str) -> ModuleType:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
