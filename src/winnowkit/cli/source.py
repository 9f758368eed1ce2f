"""Chunks of a data file as the user asked for them, with labels that can be learned, or one sentence on why not."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.errors import UserError
from winnowkit.core.frame import Frame
from winnowkit.data.errors import ContradictionError
from winnowkit.data.tables import TableReader, open_table

MOST_CLASSES = 100  # that numbers may be


class Rows(NamedTuple):
    """Some rows, labelled."""

    X: Any
    y: NDArray[Any]


@dataclass
class Data:
    """A source, and all that the user said, or that was found out, about how to read it."""

    path: str
    target: str | None = None  # None: the last column of a table
    columns: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    types: dict[str, str] = field(default_factory=dict)
    format: str = "auto"
    header: bool | None = None
    n_features: int | None = None
    chunk_rows: int = 10_000
    skip: int = 0
    target_name: str | None = None  # once it has been opened
    reader: TableReader | None = None

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Data:
        """What the options say."""
        types = {}
        for setting in arguments.types:
            name, _, kind = setting.rpartition("=")
            if not name or kind not in ("numeric", "category"):
                raise UserError(f"--types takes column=numeric or column=category; got {setting!r}")
            types[name] = kind
        return cls(
            arguments.data,
            target=getattr(arguments, "target", None),
            columns=getattr(arguments, "columns", None),
            ignore=getattr(arguments, "ignore", None) or (),
            types=types,
            format=arguments.format,
            header=arguments.header,
            n_features=getattr(arguments, "n_features", None),
            chunk_rows=arguments.chunk_rows,
            skip=getattr(arguments, "skip", 0),
        )

    @property
    def can_be_read_again(self) -> bool:
        """Whether it is a file, not a pipe."""
        return self.path != "-" and Path(self.path).is_file()

    def open(self) -> TableReader:
        """A reader of chunks."""
        options: dict[str, Any] = {} if self.header is None else {"header": self.header}
        self.reader = open_table(
            self.path,
            self.target,
            format=self.format,
            chunk_rows=self.chunk_rows,
            n_features=self.n_features,
            columns=self.columns,
            types=self.types,
            **options,
        )
        return self.reader

    def chunks(self) -> Iterator[Rows]:
        """Labelled rows; the last column of a table has the labels if no target was named."""
        left = self.skip
        with self.open() as reader:
            self.target_name = reader.target
            for X, labels, first_row in reader:
                rows = self._labelled(X, labels, first_row)
                if left:
                    dropped, left = min(left, len(rows.y)), left - min(left, len(rows.y))
                    rows = Rows(rows.X[dropped:], rows.y[dropped:])
                if len(rows.y):
                    yield rows

    def _labelled(self, X: Any, y: Any, first_row: int) -> Rows:
        if isinstance(X, Frame):
            if y is None:
                self.target_name = X.columns[-1]
                if len(X.columns) < 2:
                    raise UserError(f"{self.path} has one column only, so nothing to learn from; is it {self._form()}?")
                X, y = X.select(X.columns[:-1]), X[X.columns[-1]]
            X = X.select([name for name in X.columns if name not in self._ignored(X)])
        if y is None:
            raise UserError(f"{self.path} has no labels to learn from")
        return Rows(X, tidy(y, f"{self.path}, row {first_row + 1} or later", self.target_name))

    def _ignored(self, X: Frame) -> set[str]:
        unknown = [name for name in self.ignore if name not in X.columns]
        if unknown:
            raise UserError(f"--ignore names {unknown[0]!r}, but the columns are {', '.join(X.columns[:10])}")
        if len(set(self.ignore)) == len(X.columns):
            raise UserError("--ignore leaves no column to learn from")
        return set(self.ignore)

    def _form(self) -> str:
        return f"really {self.reader.format} (--format says otherwise)" if self.reader else "a table"

    def all_chunks(self) -> Iterator[Rows]:
        """As `chunks`; a file whose later rows contradict the types of its first ones is begun again, see `Restart`."""
        try:
            yield from self.chunks()
        except ContradictionError as error:
            if not self.can_be_read_again or error.column in self.types:
                raise
            self.types[error.column] = error.kind
            raise Restart(f"column {error.column!r} is read as {error.kind}") from error


class Restart(Exception):  # noqa: N818 - it is none
    """More is known of the source now: what was read so far has to be read again."""


def tidy(y: NDArray[Any], place: str, name: str | None) -> NDArray[Any]:
    """Labels as whole numbers or text; others are refused."""
    what = "the target" if name is None else f"the target {name!r}"
    if y.dtype.kind == "O":
        if any(label is None for label in y):
            raise UserError(f"{place}: {what} is missing; drop such rows, or name another column with --target")
        return y.astype(np.str_)
    if y.dtype.kind == "f":
        if np.isnan(y).any():
            raise UserError(f"{place}: {what} is missing; drop such rows, or name another column with --target")
        if not (y == np.floor(y)).all() or np.abs(y).max(initial=0) > 2**53:
            raise UserError(_numeric(what, name, "holds numbers that are not whole"))
        y = y.astype(np.int64)
    return y


def check_classes(classes: NDArray[Any], name: str | None, source: str) -> None:
    """Refuse one class only, and numbers that are no classes."""
    what = "the target" if name is None else f"the target {name!r}"
    if len(classes) < 2:
        raise UserError(
            f"{source}: {what} has one class only, {classes.tolist()[0]!r}: there is nothing to learn; "
            "name another column with --target"
        )
    if classes.dtype.kind in "iu" and len(classes) > MOST_CLASSES:
        raise UserError(_numeric(what, name, f"is a number with {len(classes):,} distinct values"))
    if len(classes) > 10 * MOST_CLASSES:
        raise UserError(
            f"{source}: {what} has {len(classes):,} classes or more, and each needs a learner of its own; "
            f"name another column with --target, or merge them into at most {10 * MOST_CLASSES:,}"
        )


def _numeric(what: str, name: str | None, found: str) -> str:
    as_text = f", or have its values read as classes: --types '{name}=category'" if name else ""
    return (
        f"{what} {found}, and winnowkit learns classes; "
        f"name another column with --target, cut it into classes first{as_text}"
    )


def check_columns(X: Any, source: str) -> None:
    """Refuse columns without any value."""
    empty = [name for name in X.columns if is_empty(X[name])] if isinstance(X, Frame) else []
    if empty:
        columns, has = ("columns", "have") if len(empty) > 1 else ("column", "has")
        raise UserError(
            f"{source}: {columns} {', '.join(map(repr, empty))} {has} no value in any of {len(X):,} rows; "
            f"leave {'them' if len(empty) > 1 else 'it'} out: --ignore {' '.join(map(quote, empty))}"
        )


def is_empty(values: NDArray[Any]) -> bool:
    """Whether all values of a column are missing."""
    return bool(np.isnan(values).all()) if values.dtype.kind == "f" else all(value is None for value in values)


def all_classes(data: Data) -> NDArray[Any]:
    """The classes of a whole file."""
    found: set[Any] = set()
    for rows in data.chunks():
        found |= set(np.unique(rows.y).tolist())
        if len(found) > 10 * MOST_CLASSES:
            break
    return np.array(sorted(found))
