"""Labelled rows of a data file, read as the user asked, with labels that can be learned."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack

from winnowkit.cli.messages import UserError
from winnowkit.core.frame import Frame
from winnowkit.core.labels import hardly_repeat
from winnowkit.data.errors import ContradictionError, shown
from winnowkit.data.formats.kinds import MISSING
from winnowkit.data.tables import TableReader, open_table

MOST_CLASSES = 100  # distinct numbers that a target may hold

Done = TypeVar("Done")


class LabelledRows(NamedTuple):
    """Some rows and one label per row."""

    X: Any
    y: NDArray[Any]


class UnknownClassError(UserError):
    """A row has a class that the rows before it did not have."""

    def __init__(self, message: str, label: Any) -> None:
        super().__init__(message)
        self.label = label


@dataclass
class DataSource:
    """A file or a pipe, and all that the user said, or that was found out, about how to read it."""

    path: str
    target: str | None = None  # None: the last column of a table
    columns: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    types: dict[str, str] = field(default_factory=dict)
    format: str = "auto"
    header: bool | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: Sequence[str] = ()  # besides the usual ones
    n_features: int | None = None
    chunk_rows: int = 10_000
    skip: int = 0
    classes: NDArray[Any] | None = None  # None: those of the rows
    fixed: bool = False  # whether types and classes are those of a model, and must not be corrected
    target_name: str | None = None  # known once the source has been opened
    reader: TableReader | None = None

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> DataSource:
        """Return the source that the options describe."""
        return cls(
            arguments.data,
            target=getattr(arguments, "target", None),
            columns=getattr(arguments, "columns", None),
            ignore=getattr(arguments, "ignore", None) or (),
            types=dict.fromkeys((*arguments.categorical, *arguments.text), "category"),
            format=arguments.format,
            header=arguments.header,
            delimiter="\t" if arguments.delimiter in ("tab", "\\t") else arguments.delimiter,
            decimal=arguments.decimal,
            encoding=arguments.encoding,
            missing=arguments.missing,
            n_features=getattr(arguments, "n_features", None),
            chunk_rows=arguments.chunk_rows,
            skip=getattr(arguments, "skip", 0),
        )

    @property
    def dialect(self) -> str | None:
        """How a table of text was read; None for other formats."""
        return self.reader.dialect if self.reader else None

    @property
    def can_be_read_again(self) -> bool:
        """Whether the source is a file rather than a pipe."""
        return self.path != "-" and Path(self.path).is_file()

    def open(self) -> TableReader:
        """Return a reader of chunks."""
        given = {name: getattr(self, name) for name in ("header", "delimiter", "decimal", "encoding")}
        options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if self.missing:
            options["missing"] = MISSING.union(self.missing)
        self.reader = open_table(
            self.path,
            self.target,
            format="csv" if self.delimiter and self.format == "auto" else self.format,
            chunk_rows=self.chunk_rows,
            n_features=self.n_features,
            columns=self.columns,
            types=self.types,
            **options,
        )
        return self.reader

    def chunks(self, skip: int | None = None) -> Iterator[LabelledRows]:
        """Yield labelled rows after the first `skip`; without a target, the last column of a table has the labels."""
        left = self.skip if skip is None else skip
        with self.open() as reader:
            self.target_name = reader.target
            for X, labels, first_row in reader:
                rows = self._labelled(X, labels, first_row)
                if left:
                    dropped, left = min(left, len(rows.y)), left - min(left, len(rows.y))
                    rows = LabelledRows(rows.X[dropped:], rows.y[dropped:])
                if len(rows.y):
                    yield rows

    def consistently(self, work: Callable[[], Done]) -> Done:
        """Call `work`, and call it again whenever later rows contradict what the first rows suggested.

        The types of columns and the classes are taken from the first rows. If a later row of a file contradicts them,
        they are corrected and `work` begins again. A pipe cannot be read again, so there the error is raised.

        Parameters
        ----------
        work : callable
            Reads the source from its beginning. It must not depend on an earlier call that failed.
        """
        while True:
            try:
                return work()
            except (ContradictionError, UnknownClassError) as error:
                self._correct(error)

    def _correct(self, error: ContradictionError | UnknownClassError) -> None:
        """Take the types or classes from the row that contradicted them, or raise the error again."""
        if self.fixed and isinstance(error, ContradictionError) and error.column in self.types:
            raise unlike_training(error) from error
        if self.fixed or not self.can_be_read_again:
            raise error
        if isinstance(error, UnknownClassError):
            found = self.consistently(lambda: classes_of(self))
            self.classes = np.union1d(found, [error.label])
            check_classes(self.classes, self.target_name, self.path)
        elif error.column in self.types:
            raise error
        else:
            self.types[error.column] = error.kind

    def _labelled(self, X: Any, y: Any, first_row: int) -> LabelledRows:
        if isinstance(X, Frame):
            if y is None:
                self.target_name = X.columns[-1]
                if len(X.columns) < 2:
                    raise UserError(
                        f"{self.path} has a single column, so there is nothing to learn from; is it {self._form()}?"
                    )
                X, y = X.select(X.columns[:-1]), X[X.columns[-1]]
            X = X.select([name for name in X.columns if name not in self._ignored(X)])
        if y is None:
            raise UserError(f"{self.path} has no labels to learn from")
        return LabelledRows(X, tidy(y, self.path, first_row, self.target_name))

    def _ignored(self, X: Frame) -> set[str]:
        unknown = [name for name in self.ignore if name not in X.columns]
        if unknown:
            raise UserError(f"--ignore names {unknown[0]!r}, but the columns are {', '.join(X.columns[:10])}")
        if len(set(self.ignore)) == len(X.columns):
            raise UserError("--ignore leaves no column to learn from")
        return set(self.ignore)

    def _form(self) -> str:
        return f"really {self.reader.format} (otherwise pass --format)" if self.reader else "a table"


def whole(chunks: list[LabelledRows]) -> LabelledRows:
    """Return the rows of all chunks together."""
    y = np.concatenate([chunk.y for chunk in chunks])
    if isinstance(chunks[0].X, Frame):
        return LabelledRows(Frame.concatenate([chunk.X for chunk in chunks]), y)
    return LabelledRows(vstack([chunk.X for chunk in chunks], format="csr"), y)


def tidy(y: NDArray[Any], source: str, first_row: int, name: str | None) -> NDArray[Any]:
    """Return labels as whole numbers or text; refuse missing labels and fractions."""
    target = _named(name)
    if y.dtype.kind == "O":
        _check_present(np.array([label is None for label in y], dtype=bool), source, first_row, target)
        return y.astype(np.str_)
    if y.dtype.kind == "f":
        _check_present(np.isnan(y), source, first_row, target)
        if not (y == np.floor(y)).all() or np.abs(y).max(initial=0) > 2**53:
            raise UserError(_numeric(target, name, "holds numbers that are not whole"))
        y = y.astype(np.int64)
    return y


def unlike_training(error: ContradictionError) -> UserError:
    """Return the error for a value that a model, whose columns have their types, cannot take.

    Examples
    --------
    >>> unlike_training(ContradictionError.at("t.csv", "", line=2, expected="a date", found="28/11/2023"))
    UserError("t.csv, line 2: expected a date as in training, got '28/11/2023'; write dates as in 2023-11-28")
    """
    cure = "write dates as in 2023-11-28"
    if error.expected != "a date":
        cure = f"fix it or, if it stands for a missing value, pass --missing {quote(error.found)}"
    return UserError(f"{error.place}: expected {error.expected} as in training, got {shown(error.found)}; {cure}")


def check_classes(classes: NDArray[Any], name: str | None, source: str, n_rows: int | None = None) -> None:
    """Refuse a single class, and numbers, or too many values for so many rows, that do not look like classes."""
    target = _named(name)
    if len(classes) < 2:
        raise UserError(
            f"{source}: {target} contains a single class, {classes.tolist()[0]!r}; a classifier needs at least two: "
            "name another column with --target"
        )
    if classes.dtype.kind in "iu" and len(classes) > MOST_CLASSES:
        raise UserError(_numeric(target, name, f"is a number with {len(classes):,} distinct values"))
    if len(classes) > 10 * MOST_CLASSES:
        raise UserError(
            f"{source}: {target} has {len(classes):,} classes or more, and each needs a learner of its own; "
            f"name another column with --target, or merge them into at most {10 * MOST_CLASSES:,}"
        )
    if n_rows is not None and hardly_repeat(classes, n_rows):
        raise UserError(
            f"{source}: {target} has {len(classes):,} different values in {n_rows:,} rows, such as "
            f"{classes.tolist()[0]!r}, so hardly two rows are of the same class; name another column with --target, or "
            "cut a quantity into a few classes first"
        )


def _named(name: str | None) -> str:
    return "the target" if name is None else f"the target {name!r}"


def _check_present(missing: NDArray[np.bool_], source: str, first_row: int, target: str) -> None:
    if missing.any():
        row = first_row + 1 + int(missing.argmax())
        raise UserError(
            f"{source}, row {row:,}: {target} is missing; drop such rows, or name another column with --target"
        )


def _numeric(target: str, name: str | None, found: str) -> str:
    as_text = f", or read its values as classes: --categorical '{name}'" if name else ""
    return (
        f"{target} {found}, and winnowkit learns classes; "
        f"name another column with --target, cut it into classes first{as_text}"
    )


def is_empty(values: NDArray[Any]) -> bool:
    """Whether all values of a column are missing."""
    if values.dtype.kind == "O":
        return all(value is None for value in values)
    return bool((np.isnat(values) if values.dtype.kind == "M" else np.isnan(values)).all())


def classes_of(data: DataSource) -> NDArray[Any]:
    """Return the classes of a whole file, sorted."""
    found: set[Any] = set()
    for rows in data.chunks():
        found |= set(np.unique(rows.y).tolist())
        if len(found) > 10 * MOST_CLASSES:
            break
    return np.array(sorted(found))


def check_folds(n_folds: int, n_rows: int) -> None:
    """Refuse fewer than two folds, and folds without a row."""
    if not 2 <= n_folds <= n_rows:
        raise UserError(f"--folds must be between 2 and the number of rows, {n_rows}, got {n_folds}")
