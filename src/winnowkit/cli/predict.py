"""``winnowkit predict``: a label for each row of a file or a stream."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.errors import OK, UserError
from winnowkit.cli.fit import check_output
from winnowkit.cli.output import counted, note, plain
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.source import Data
from winnowkit.data.frame import Frame
from winnowkit.model_file.container import replacing


class Table(NamedTuple):
    """Some rows as the model takes them, and their labels if these are known."""

    X: Any
    y: NDArray[Any] | None


def run(arguments: argparse.Namespace) -> int:
    """Predict; rows come and labels go chunk by chunk."""
    pipeline = Pipeline.load(Path(arguments.model))
    data = Data.of(arguments)
    if arguments.output is None:
        wrong, known, rows = write(pipeline, data, arguments, sys.stdout)
    else:
        check_output(Path(arguments.output))
        with (
            replacing(Path(arguments.output)) as file,
            io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True) as text,
        ):
            wrong, known, rows = write(pipeline, data, arguments, text)
            text.detach()
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
                    line["scores"] = plain(scores[i])
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
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
    data.types = {**_present(pipeline, data), **data.types}
    with data.open() as reader:
        for X, y, _ in reader:
            if (pipeline.columns is not None) != isinstance(X, Frame):
                learned, given = ("a table", "sparse") if pipeline.columns is not None else ("sparse data", "a table")
                raise UserError(f"the model learned from {learned}, and {data.path} is {given}; give it data of a kind")
            if pipeline.columns is None or not isinstance(X, Frame):
                yield Table(X, y)
                continue
            absent = [name for name in pipeline.columns if name not in X.columns]
            if absent:
                raise UserError(missing_columns(pipeline, X, absent, data.path))
            target = X[pipeline.target] if pipeline.target in X.columns and pipeline.target is not None else None
            yield Table(X.select(pipeline.columns), target)


def _present(pipeline: Pipeline, data: Data) -> dict[str, str]:
    """Types of the model's columns, as far as the file has them: readers refuse types of others."""
    if not data.can_be_read_again or not pipeline.types:
        return {}
    with data.open() as reader:
        names = reader.names or []
    return {name: kind for name, kind in pipeline.types.items() if name in names}


def missing_columns(pipeline: Pipeline, X: Frame, absent: list[str], path: str) -> str:
    """Say which columns are not there."""
    assert pipeline.columns is not None
    if len(absent) == len(pipeline.columns):
        return (
            f"{path} has none of the {len(absent)} columns that the model learned from ({', '.join(absent[:5])} ...), "
            f"but {', '.join(X.columns[:5])}; give it a table with the same names in its first line"
        )
    return (
        f"{path} has no column {absent[0]!r}, which the model learned from"
        f"{f', nor {len(absent) - 1} others' if len(absent) > 1 else ''}; add it, or fit a model without it (--ignore)"
    )
