"""``winnowkit predict``: one label per row of a file or a stream."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.labelled_rows import DataSource
from winnowkit.cli.messages import OK, UserError
from winnowkit.cli.output import Terminal, counted, json_line, note
from winnowkit.cli.paths import check_output
from winnowkit.cli.pipeline import Pipeline
from winnowkit.core.atomic_write import replacing
from winnowkit.core.frame import Frame
from winnowkit.data.errors import DataError, IndexTooLargeError, NoColumnsError, UnknownColumnError, WidthError

Labelled = tuple[Any, NDArray[Any] | None]
"""Rows as the model takes them, and their labels if these are known."""


def run(arguments: argparse.Namespace) -> int:
    """Predict chunk by chunk, in constant memory."""
    pipeline = Pipeline.load(Path(arguments.model))
    data = DataSource.of(arguments)
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


def write(pipeline: Pipeline, data: DataSource, arguments: argparse.Namespace, file: Any) -> tuple[int, int, int]:
    """Write one line per row; return the numbers of wrong labels, known labels and rows."""
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
    """Return a label as text; 1.0 and 1 are the same label."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def tables(pipeline: Pipeline, data: DataSource) -> Iterator[Labelled]:
    """Yield the columns that the model needs, found by name in any order."""
    data.n_features = pipeline.width
    data.types = {**pipeline.types, **data.types}
    data.missing = (*pipeline.missing, *data.missing)
    try:
        with data.open() as reader:
            for X, y, _ in reader:
                yield _as_learned(pipeline, data, X, y)
    except DataError as error:
        raise _mismatch(pipeline, data, error) or error from error


def _as_learned(pipeline: Pipeline, data: DataSource, X: Any, y: NDArray[Any] | None) -> Labelled:
    if (pipeline.columns is not None) != isinstance(X, Frame):
        raise UserError(_other_kind(pipeline, data))
    if pipeline.columns is None:
        return X, y
    for name in pipeline.columns:
        if name not in X.columns:
            raise UserError(_missing_column(data, name))
    target = X[pipeline.target] if pipeline.target is not None and pipeline.target in X.columns else None
    return X.select(pipeline.columns), target


def _mismatch(pipeline: Pipeline, data: DataSource, error: DataError) -> UserError | None:
    """Explain an error of the reader, which was asked for the model's columns and types, in terms of the model."""
    if isinstance(error, UnknownColumnError) and error.name in pipeline.types:
        return UserError(_missing_column(data, error.name))
    if isinstance(error, NoColumnsError | WidthError):
        return UserError(_other_kind(pipeline, data))
    if isinstance(error, IndexTooLargeError):
        return UserError(
            f"{error.place}: the model has {pipeline.width:,} attributes, and this row has index {error.index}; "
            "use data with the same attributes, or fit a model with more (--n-features)"
        )
    return None


def _other_kind(pipeline: Pipeline, data: DataSource) -> str:
    if pipeline.columns is None:
        return f"the model learned from sparse data, and {data.path} is a table; use sparse data"
    return f"the model learned from a table with named columns, and {data.path} is sparse; use a table"


def _missing_column(data: DataSource, name: str) -> str:
    return (
        f"{data.path} has no column {name!r}, which the model learned from; add it, with its name in the first line, "
        "or fit a model without it (--ignore)"
    )
