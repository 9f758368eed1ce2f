"""Readers, encoders, bundled data sets and stream generators, which are imported on first use."""

from importlib import import_module
from typing import Any

_HOMES = {
    "CategoryEncoder": "winnowkit.data.encode",
    "ColumnWarning": "winnowkit.data.column_builder",
    "DataError": "winnowkit.data.errors",
    "Frame": "winnowkit.core.frame",
    "MultisplitDiscretizer": "winnowkit.data.discretize",
    "TableEncoder": "winnowkit.data.table_encoder",
    "TableReader": "winnowkit.data.tables",
    "load_dataset": "winnowkit.data.bundle",
    "open_table": "winnowkit.data.tables",
    "read_libsvm": "winnowkit.data.formats.libsvm",
    "read_table": "winnowkit.data.tables",
    "write_table": "winnowkit.data.formats.write",
}
_MODULES = {"streams"}

__all__ = [
    "CategoryEncoder",
    "ColumnWarning",
    "DataError",
    "Frame",
    "MultisplitDiscretizer",
    "TableEncoder",
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
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
