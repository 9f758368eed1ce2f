"""``winnowkit predict``: a label for each row of a file or a stream."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.errors import OK, UserError
from winnowkit.cli.fit import check_output
from winnowkit.cli.output import Terminal, counted, json_line, note
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.source import Data
from winnowkit.core.atomic_write import replacing
from winnowkit.core.frame import Frame
from winnowkit.data.errors import DataError, IndexTooLargeError, NoColumnsError, UnknownColumnError, WidthError


class Table(NamedTuple):
    """Some rows as the model takes them, and their labels if these are known."""

    X: Any
    y: NDArray[Any] | None


def run(arguments: argparse.Namespace) -> int:
    """Predict; rows come and labels go chunk by chunk."""
    pipeline = Pipeline.load(Path(arguments.model))
    data = Data.of(arguments)
    if arguments.output is None:
        shown = Terminal() if sys.stdout.isatty() else sys.stdout
        wrong, known, rows = write(pipeline, data, arguments, shown)
    else:
        check_output(Path(arguments.output))
        with replacing(Path(arguments.output)) as file:
            lines = io.TextIOWrapper(file, encoding="utf-8", newline="")
            try:
                wrong, known, rows = write(pipeline, data, arguments, lines)
            finally:
                lines.flush()
                lines.detach()
    if known:
        note(f"{wrong:,} of {known:,} labels are wrong: {wrong / known:.2%}", quiet=arguments.quiet)
    if arguments.output is not None:
        note(f"{counted(rows, 'label')} in {arguments.output}", quiet=arguments.quiet)
    return OK


def write(pipeline: Pipeline, data: Data, arguments: argparse.Namespace, file: Any) -> tuple[int, int, int]:
    """Write a line a row: how many labels are wrong, of how many known, and of how many in all."""
    wrong = known = total = 0
    writer = csv.writer(file, lineterminator="\n")
    classes = [str(label) for label in pipeline.model.classes_.tolist()]
    if arguments.scores and not arguments.json:
        writer.writerow(["label", *([f"score of {classes[1]}"] if len(classes) == 2 else classes)])
    for X, y in tables(pipeline, data):
        labels = pipeline.predict(X)
        scores = pipeline.decisions(X).reshape(len(labels), -1) if arguments.scores else None
        if arguments.json:
            for i, label in enumerate(labels.tolist()):
                line = {"row": total + i, "label": label}
                if scores is not None:
                    line["scores"] = scores[i]
                file.write(json_line(line) + "\n")
        elif scores is not None:
            writer.writerows([label, *row] for label, row in zip(labels.tolist(), scores.tolist(), strict=True))
        else:
            writer.writerows([label] for label in labels.tolist())
        total += len(labels)
        if y is not None:
            given = np.array([text(label) for label in y.tolist()])
            known += len(given)
            wrong += int(np.sum(given != np.array([text(label) for label in labels.tolist()])))
    return wrong, known, total


def text(label: Any) -> str:
    """A label as text, however a reader took it."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def tables(pipeline: Pipeline, data: Data) -> Iterator[Table]:
    """Rows with the columns of the model, found by their names wherever they stand."""
    data.n_features = pipeline.width
    data.types = {**pipeline.types, **data.types}
    try:
        with data.open() as reader:
            for X, y, _ in reader:
                yield _as_learned(pipeline, data, X, y)
    except DataError as error:
        raise _mismatch(pipeline, data, error) or error from error


def _as_learned(pipeline: Pipeline, data: Data, X: Any, y: NDArray[Any] | None) -> Table:
    if (pipeline.columns is not None) != isinstance(X, Frame):
        raise UserError(_other_kind(pipeline, data))
    if pipeline.columns is None:
        return Table(X, y)
    for name in pipeline.columns:
        if name not in X.columns:
            raise UserError(_missing_column(data, name))
    target = X[pipeline.target] if pipeline.target is not None and pipeline.target in X.columns else None
    return Table(X.select(pipeline.columns), target)


def _mismatch(pipeline: Pipeline, data: Data, error: DataError) -> UserError | None:
    """What a reader found in terms of the model: it was asked for the model's columns and their types, or its width."""
    if isinstance(error, UnknownColumnError) and error.name in pipeline.types:
        return UserError(_missing_column(data, error.name))
    if isinstance(error, NoColumnsError | WidthError):
        return UserError(_other_kind(pipeline, data))
    if isinstance(error, IndexTooLargeError):
        return UserError(
            f"{error.place}: the model has {pipeline.width:,} attributes, and here is index {error.index}; "
            "give it data of the same attributes, or fit a model of more (--n-features)"
        )
    return None


def _other_kind(pipeline: Pipeline, data: Data) -> str:
    if pipeline.columns is None:
        return f"the model learned from sparse data, and {data.path} is a table; give it data of its kind"
    return f"the model learned from a table with named columns, and {data.path} is sparse; give it a table"


def _missing_column(data: Data, name: str) -> str:
    return (
        f"{data.path} has no column {name!r}, which the model learned from; add it, with its name in the first line, "
        "or fit a model without it (--ignore)"
    )
