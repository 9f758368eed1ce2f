"""``winnowkit predict``: one label per row of a file or a stream."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.column_notes import warnings_as_notes
from winnowkit.cli.labelled_rows import DataSource, unlike_training
from winnowkit.cli.messages import OK, UserError
from winnowkit.cli.output import Terminal, counted, json_line, listed, note
from winnowkit.cli.paths import check_output
from winnowkit.cli.pipeline import Pipeline
from winnowkit.core.atomic_write import replacing
from winnowkit.core.frame import Frame
from winnowkit.data.errors import (
    ContradictionError,
    DataError,
    IndexTooLargeError,
    NoColumnsError,
    UnknownColumnError,
    WidthError,
)
from winnowkit.data.formats.base import similar_name

Labelled = tuple[Any, NDArray[Any] | None]
"""Rows as the model takes them, and their labels if these are known."""
Predicted = tuple[NDArray[Any], NDArray[np.float64] | None, NDArray[Any] | None]
"""Labels, scores if they are asked for, and the true labels if they are known."""
Counts = tuple[int, int, int]


def run(arguments: argparse.Namespace) -> int:
    """Predict chunk by chunk, in constant memory."""
    pipeline = Pipeline.load(Path(arguments.model))
    with warnings_as_notes(quiet=arguments.quiet):
        wrong, known, rows = _written(pipeline, arguments)
    if known:
        note(_error(wrong, known, pipeline.rows), quiet=arguments.quiet)
    if arguments.output is not None:
        note(f"{counted(rows, 'label')} in {arguments.output}", quiet=arguments.quiet)
    return OK


def _error(wrong: int, known: int, learned: int) -> str:
    """Return the share of wrong labels, and what it does not tell if these are the rows that were learned from.

    Examples
    --------
    >>> print(_error(1, 5, learned=5))
    1 of 5 labels are wrong: 20.00%; the model learned from as many rows: if from these, expect more errors on others
    >>> print(_error(1, 5, learned=9))
    1 of 5 labels are wrong: 20.00% (too low a figure if the model learned from these rows)
    """
    if known == learned:
        doubt = "; the model learned from as many rows: if from these, expect more errors on others"
    else:
        doubt = " (too low a figure if the model learned from these rows)"
    return f"{wrong:,} of {known:,} labels are wrong: {wrong / known:.2%}{doubt}"


def _written(pipeline: Pipeline, arguments: argparse.Namespace) -> Counts:
    """Write the predictions to the file that was asked for, or to standard output."""
    batches, classes = _batches(pipeline, arguments), pipeline.model.classes_.tolist()
    if arguments.output is None:
        return write(batches, classes, arguments, Terminal() if sys.stdout.isatty() else sys.stdout)
    check_output(Path(arguments.output))
    with replacing(Path(arguments.output)) as file:
        lines = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            return write(batches, classes, arguments, lines)
        finally:
            lines.flush()
            lines.detach()


def _batches(pipeline: Pipeline, arguments: argparse.Namespace) -> Iterator[Predicted]:
    if arguments.dask is None:
        return predicted(pipeline, DataSource.of(arguments), scores=arguments.scores)
    from winnowkit.cli.cluster import predictions  # noqa: PLC0415 - needs Dask

    return predictions(pipeline, arguments)


def write(batches: Iterable[Predicted], classes: Sequence[Any], arguments: argparse.Namespace, file: Any) -> Counts:
    """Write one line per row; return the numbers of wrong labels, known labels and rows."""
    wrong = known = total = 0
    writer = csv.writer(file, lineterminator="\n")
    if arguments.scores and not arguments.json:
        names = [str(label) for label in classes]
        writer.writerow(["label", *([f"score of {names[1]}"] if len(names) == 2 else names)])
    for labels, scores, y in batches:
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


def predicted(pipeline: Pipeline, data: DataSource, *, scores: bool) -> Iterator[Predicted]:
    """Yield predictions chunk by chunk."""
    for X, y in tables(pipeline, data):
        labels = pipeline.predict(X)
        yield labels, pipeline.decisions(X).reshape(len(labels), -1) if scores else None, y


def joined(batches: list[Predicted]) -> Predicted:
    """Return the predictions of several chunks as one."""
    scores = [some for _, some, _ in batches if some is not None]
    y = [some for *_, some in batches if some is not None]
    labels = np.concatenate([some for some, *_ in batches])
    return labels, np.concatenate(scores) if scores else None, np.concatenate(y) if y else None


def confused(pipeline: Pipeline, data: DataSource) -> Counter[tuple[str, str]]:
    """Count the pairs of true and predicted labels."""
    found: Counter[tuple[str, str]] = Counter()
    for labels, _, y in predicted(pipeline, data, scores=False):
        if y is None:
            raise UserError(
                f"{data.path} has no column {pipeline.target!r} with the true labels; name it with --target"
            )
        found.update(zip(map(text, y.tolist()), map(text, labels.tolist()), strict=True))
    return found


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
            raise UserError(_missing_column(pipeline, data, name, X.columns))
    target = X[pipeline.target] if pipeline.target is not None and pipeline.target in X.columns else None
    return X.select(pipeline.columns), target


def _mismatch(pipeline: Pipeline, data: DataSource, error: DataError) -> UserError | None:
    """Explain an error of the reader, which was asked for the model's columns and types, in terms of the model."""
    if isinstance(error, UnknownColumnError) and error.name in pipeline.types:
        return UserError(_missing_column(pipeline, data, error.name, error.names))
    if isinstance(error, ContradictionError) and error.column in pipeline.types:
        return unlike_training(error)
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


def _missing_column(pipeline: Pipeline, data: DataSource, name: str, names: Sequence[str]) -> str:
    learned = pipeline.columns or []
    if not any(column in names or similar_name(column, names) for column in learned):
        problem = f"{data.path} has none of the columns that the model learned from ({listed(learned)})"
        if data.header is False:
            cure = "leave it out, and write the names above the rows if they are missing"
            return f"{problem}, because --no-header gives columns no names; {cure}"
        return (
            f"{problem}; it seems to have no line of names: write them above the rows, in the order of its columns, "
            f"which are read as {listed(names)}"
        )
    similar = similar_name(name, names)
    remedy = "add it, with its name in the first line" if similar is None else f"rename {similar!r} if it is meant"
    problem = f"{data.path} has no column {name!r}, which the model learned from"
    return f"{problem}; {remedy}, or fit a model without it (--ignore)"
