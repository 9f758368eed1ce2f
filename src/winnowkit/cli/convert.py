"""``winnowkit convert``: data from one format to another, linear models to ONNX."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from winnowkit.cli.errors import OK, UserError
from winnowkit.cli.fit import check_output, whole
from winnowkit.cli.output import counted, listed, note
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.source import Data, Restart, Rows
from winnowkit.data.encode import CategoryEncoder
from winnowkit.data.formats.write import write_table
from winnowkit.data.frame import Frame
from winnowkit.data.indicators import indicators

SPARSE = ("libsvm", "vw", "snow")


def run(arguments: argparse.Namespace) -> int:
    """Convert what the names of the files say."""
    output = Path(arguments.output)
    check_output(output)
    if output.suffix.lower() == ".onnx":
        return to_onnx(Path(arguments.data), output, quiet=arguments.quiet)
    data = Data.of(arguments)
    while True:
        try:
            chunks = list(data.all_chunks())
            break
        except Restart:
            continue
    if not chunks:
        raise UserError(f"{arguments.data} has no rows")
    rows = as_numbers(whole(chunks), output, arguments)
    write_table(rows.X, rows.y, output, format=arguments.to, **_named(rows, data))
    note(f"{counted(len(rows.y), 'row')} in {output}", quiet=arguments.quiet)
    return OK


def _named(rows: Rows, data: Data) -> dict[str, str]:
    return {"target": data.target_name} if isinstance(rows.X, Frame) and data.target_name else {}


def as_numbers(rows: Rows, output: Path, arguments: argparse.Namespace) -> Rows:
    """Sparse formats have no categories: a table becomes boolean attributes, one a category or interval."""
    suffixes = {suffix.lstrip(".").lower() for suffix in output.suffixes}
    sparse = arguments.to in SPARSE or (arguments.to == "auto" and suffixes & {*SPARSE, "svm", "svmlight"})
    if not sparse or not isinstance(rows.X, Frame):
        return rows
    labels = rows.y
    if labels.dtype.kind == "U" and (arguments.to == "libsvm" or suffixes & {"libsvm", "svm", "svmlight"}):
        classes, labels = np.unique(labels, return_inverse=True)
        coded = listed([f"{code} for {name!r}" for code, name in enumerate(classes.tolist())])
        note(f"labels are numbers in this format: {coded}", quiet=arguments.quiet)
    if all(rows.X[name].dtype.kind == "f" for name in rows.X.columns):
        return Rows(rows.X, labels)
    encoder = CategoryEncoder().fit(rows.X, rows.y)
    note(
        f"{counted(rows.X.shape[1], 'column')} became {int(encoder.n_categories_.sum()):,} boolean attributes",
        quiet=arguments.quiet,
    )
    return Rows(indicators(encoder.transform(rows.X), encoder.n_categories_), labels)


def to_onnx(path: Path, output: Path, *, quiet: bool) -> int:
    """A linear model as a graph."""
    from winnowkit import onnx  # noqa: PLC0415 - an optional extra

    pipeline = Pipeline.load(path)
    try:
        onnx.to_onnx(pipeline.model, output)
    except TypeError as error:
        raise UserError(str(error)) from error
    note(f"the graph is in {output}; it takes X, doubles of shape (rows, {pipeline.model.n_features_in_})", quiet=quiet)
    if pipeline.encoder is not None:
        note(
            "X is what the columns become, one attribute a category or interval, in this order: "
            f"winnowkit inspect {path} --json",
            quiet=quiet,
        )
    return OK
