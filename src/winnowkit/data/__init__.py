"""Readers, encoders, bundled data sets and stream generators, imported when first used."""

from importlib import import_module
from typing import Any

_HOMES = {
    "CategoryEncoder": "encode",
    "DataError": "errors",
    "Frame": "frame",
    "MultisplitDiscretizer": "discretize",
    "TableReader": "tables",
    "load_dataset": "bundle",
    "open_table": "tables",
    "read_libsvm": "formats.libsvm",
    "read_table": "tables",
    "write_table": "formats.write",
}
_MODULES = {"streams"}

__all__ = [
    "CategoryEncoder",
    "DataError",
    "Frame",
    "MultisplitDiscretizer",
    "TableReader",
    "load_dataset",
    "open_table",
    "read_libsvm",
    "read_table",
    "streams",
    "write_table",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
