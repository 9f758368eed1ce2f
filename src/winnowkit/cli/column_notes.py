"""Warnings about columns, as notes for people."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from winnowkit.cli.messages import sentence
from winnowkit.cli.output import note
from winnowkit.data.column_checks import ColumnWarning


@contextmanager
def warnings_as_notes(*, quiet: bool) -> Iterator[None]:
    """Write the warnings about columns to standard error, in the words of the command line; drop all others."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ColumnWarning)
        yield
    for warning in caught:
        if isinstance(warning.message, ColumnWarning):
            note(f"note: {sentence(warning.message)}", quiet=quiet)
