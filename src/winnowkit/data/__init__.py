"""Readers, encoders, bundled data sets and stream generators, which are imported on first use."""

from winnowkit.core.first_use import importer

_HOMES = {
    "CategoryEncoder": "winnowkit.data.encode",
    "ColumnWarning": "winnowkit.data.errors",
    "DataError": "winnowkit.data.errors",
    "Frame": "winnowkit.core.frame",
    "MultisplitDiscretizer": "winnowkit.data.discretize",
    "TableEncoder": "winnowkit.data.table_encoder",
    "TableReader": "winnowkit.data.tables",
    "load_dataset": "winnowkit.data.bundle",
    "open_table": "winnowkit.data.tables",
    "read_libsvm": "winnowkit.data.formats.libsvm",
    "read_table": "winnowkit.data.tables",
    "streams": "winnowkit.data.streams",
    "write_table": "winnowkit.data.formats.write",
}

__all__ = [*_HOMES]  # noqa: PLE0604 - they are strings

__getattr__ = importer(__name__, _HOMES)
