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
from winnowkit.core.frame import Frame
from winnowkit.data.encode import CategoryEncoder
from winnowkit.data.formats.dialect import SUFFIXES
from winnowkit.data.formats.write import write_table
from winnowkit.data.indicators import indicators


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
    """Labels are numbers in the formats of libsvm and VW, and libsvm knows no categories: a table becomes boolean."""
    suffixes = {suffix.lstrip(".").lower() for suffix in output.suffixes}
    known = {name for name, endings in SUFFIXES.items() if suffixes & {ending.lstrip(".") for ending in endings}}
    form = arguments.to if arguments.to != "auto" else next(iter(known), None)
    X, y = rows
    if form in ("libsvm", "vw") and y.dtype.kind == "U":
        classes, codes = np.unique(y, return_inverse=True)
        numbers = np.arange(len(classes))
        if form == "vw":  # its own way to number classes
            numbers = np.array([-1, 1]) if len(classes) == 2 else numbers + 1
        named = listed([f"{number} for {name!r}" for number, name in zip(numbers, classes.tolist(), strict=True)])
        note(f"labels are numbers in this format: {named}", quiet=arguments.quiet)
        y = numbers[codes]
    if form == "libsvm" and isinstance(X, Frame) and any(kind.kind != "f" for kind in X.dtypes.values()):
        encoder = CategoryEncoder().fit(X, y)
        X = indicators(encoder.transform(X), encoder.n_categories_)
        note(f"{counted(rows.X.shape[1], 'column')} became {X.shape[1]:,} boolean attributes", quiet=arguments.quiet)
    return Rows(X, y)


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
