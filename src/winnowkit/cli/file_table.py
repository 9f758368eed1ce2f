"""A table in many files, each of which a worker of a cluster reads: which files, their columns, and their rows."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from glob import glob, has_magic
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.labelled_rows import DataSource, LabelledRows, whole
from winnowkit.cli.messages import UserError
from winnowkit.cli.pipeline import KINDS
from winnowkit.core.frame import Frame
from winnowkit.data.formats.dialect import SUFFIXES
from winnowkit.distributed.cluster import in_order
from winnowkit.distributed.parts import AnyPart, FilePart

CHUNK_ROWS = 2**17
"""Rows that a worker reads at a time; a file is kept whole in its memory in any case."""
BY_COLUMN = (*SUFFIXES["parquet"], *SUFFIXES["feather"])
"""Files whose labels can be read without the rest."""
LABELS = {"i": "whole numbers", "u": "whole numbers", "U": "text"}


def matching(pattern: str) -> list[str]:
    """Return the files that a pattern names, or those in a folder, in the order of their names.

    Examples
    --------
    >>> matching("nowhere/*.parquet")
    Traceback (most recent call last):
    winnowkit.cli.messages.UserError: no file matches nowhere/*.parquet
    """
    if pattern == "-":
        raise UserError("--dask needs files that the workers can read; standard input is read by one machine")
    if Path(pattern).is_dir():
        endings = tuple(f"{ending}{packed}" for ending in _endings() for packed in ("", ".gz", ".zst"))
        found = [str(path) for path in Path(pattern).rglob("*") if path.is_file() and path.name.endswith(endings)]
        if not found:
            raise UserError(f"folder {pattern} has no data files: none ends in {', '.join(_endings())}")
    else:
        found = [path for path in glob(pattern, recursive=True) if Path(path).is_file()]
        if not found:
            raise UserError(f"no file matches {pattern}" if has_magic(pattern) else f"{pattern}: no such file")
    return sorted(str(Path(path).absolute()) for path in found)


def _endings() -> list[str]:
    return [ending for endings in SUFFIXES.values() for ending in endings]


class Selection(NamedTuple):
    """A random share of the rows of some files, to be held out or to be left after that.

    Parameters
    ----------
    seed : int
        Seeds the choice.
    files : frozenset of int
        The numbers of the files that hold rows out.
    first, last : float
        Rows whose random number, uniform from 0 to 1, is in this interval are held out.
    held : bool
        Whether the rows held out are selected, or the others.
    """

    seed: int
    files: frozenset[int]
    first: float
    last: float
    held: bool = False

    def places(self, file: int, n_rows: int) -> NDArray[np.intp]:
        """Return the positions of the rows that are selected."""
        drawn = np.random.default_rng((self.seed, file)).random(n_rows)
        chosen = (drawn >= self.first) & (drawn < self.last) & (file in self.files)
        return np.flatnonzero(chosen == self.held)


@dataclass
class FileTable:
    """A table whose files have the same columns.

    Parameters
    ----------
    sources : list of DataSource
        The files, and how each is read.
    """

    sources: list[DataSource]

    @classmethod
    def of(cls, arguments: argparse.Namespace, client: Any) -> FileTable:
        """Return the table that the options describe, once workers have looked at the first rows of every file."""
        common = replace(DataSource.of(arguments), chunk_rows=CHUNK_ROWS)
        sources = [replace(common, path=path) for path in matching(arguments.data)]
        first, *others = found = list(in_order(client, look_at, [(source,) for source in sources]))
        for other in others:
            first.check(other)
        if first.columns is None:
            width = max(one.n_features for one in found)
            return cls([replace(source, n_features=width) for source in sources])
        kinds = {**first.columns, **common.types}
        settled = {"target": first.target, "columns": list(first.columns), "types": kinds, "ignore": ()}
        return cls([replace(source, **settled) for source in sources])

    @property
    def target(self) -> str | None:
        """The name of the column of labels."""
        return self.sources[0].target

    def parts(self, selection: Selection | None = None) -> list[AnyPart]:
        """Return one part per file, of the rows selected, which a worker reads when they are needed."""
        parts: list[AnyPart] = []
        for number, source in enumerate(self.sources):
            if selection is not None and selection.held and number not in selection.files:
                continue
            alone = replace(source, columns=[], types=_only(source)) if source.path.endswith(BY_COLUMN) else source
            parts.append(
                FilePart(partial(read, source, number, selection), partial(labels_in, alone, number, selection))
            )
        return parts


def _only(source: DataSource) -> dict[str, str]:
    return {name: kind for name, kind in source.types.items() if name == source.target}


def read(source: DataSource, number: int = 0, selection: Selection | None = None) -> LabelledRows:
    """Read a file, and return the rows selected; runs on a worker."""
    rows = whole(list(visible_to_workers(source).chunks()))
    if selection is None:
        return rows
    places = selection.places(number, len(rows.y))
    return LabelledRows(rows.X[places], rows.y[places])


def labels_in(source: DataSource, number: int = 0, selection: Selection | None = None) -> NDArray[Any]:
    """Read the labels of a file, and return those selected; runs on a worker."""
    return read(source, number, selection).y


def visible_to_workers(source: DataSource) -> DataSource:
    """Return the source, if the worker that runs this can see its file."""
    if not Path(source.path).is_file():
        raise UserError(
            f"a worker does not find {source.path}: all workers need the files under the same path, as on a shared "
            "file system"
        )
    return source


class Outline(NamedTuple):
    """The first rows of a file: the kinds of its columns by name (None if it is sparse), its target and its width."""

    path: str
    columns: dict[str, str] | None
    target: str | None
    labels: str
    n_features: int

    def check(self, other: Outline) -> None:
        """Refuse another file that does not have the same columns."""
        if (self.columns is None) != (other.columns is None):
            raise UserError(f"{self.path} and {other.path} differ: one is a table, and the other is sparse")
        if self.target != other.target:
            raise UserError(
                f"the last column is {self.target!r} in {self.path} and {other.target!r} in {other.path}; "
                "name the column of classes with --target"
            )
        if self.labels != other.labels:
            raise UserError(
                f"the target {self.target!r} holds {self.labels} in {self.path} and {other.labels} in {other.path}; "
                f"to read all as text: --categorical '{self.target}'"
            )
        for one, two in ((self, other), (other, self)):
            for name, kind in (one.columns or {}).items():
                _same_kind(name, kind, one, two)


def _same_kind(name: str, kind: str, one: Outline, two: Outline) -> None:
    found = (two.columns or {}).get(name)
    if found is None:
        raise UserError(
            f"columns differ between files: {two.path} has no column {name!r}, which {one.path} has; "
            f"add it, or leave it out: --ignore '{name}'"
        )
    if found != kind:
        raise UserError(
            f"columns differ between files: {name!r} is of kind {kind} in {one.path} and {found} in {two.path}; "
            f"to read all of it as categories: --categorical '{name}'"
        )


def look_at(source: DataSource) -> Outline:
    """Read the first rows of a file; runs on a worker."""
    present = [name for name in source.ignore if name in _names(source)]
    source = replace(visible_to_workers(source), chunk_rows=1000, ignore=present)
    rows = next(source.chunks(skip=0), None)
    if rows is None:
        raise UserError(f"{source.path} has no rows")
    columns = None
    if isinstance(rows.X, Frame):
        columns = {name: KINDS.get(rows.X[name].dtype.kind, "category") for name in rows.X.columns}
    labels = LABELS.get(rows.y.dtype.kind, "text")
    return Outline(source.path, columns, source.target_name, labels, int(rows.X.shape[1]))


def _names(source: DataSource) -> Sequence[str]:
    """Return the names of the columns of a file that may be ignored; a file may lack some of them."""
    if not source.ignore:
        return ()
    with visible_to_workers(source).open() as reader:
        return reader.names or ()
