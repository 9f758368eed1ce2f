"""``winnowkit convert``: data in other formats, and linear models as ONNX."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from winnowkit.cli.labelled_rows import DataSource, LabelledRows, whole
from winnowkit.cli.messages import OK, UserError
from winnowkit.cli.output import counted, listed, note
from winnowkit.cli.paths import check_output
from winnowkit.cli.pipeline import Pipeline
from winnowkit.core.frame import Frame
from winnowkit.data.encode import CategoryEncoder
from winnowkit.data.formats.dialect import SUFFIXES
from winnowkit.data.formats.write import write_table
from winnowkit.data.indicators import indicators


def run(arguments: argparse.Namespace) -> int:
    """Convert between the formats that the names of the files imply."""
    output = Path(arguments.output)
    check_output(output)
    if output.suffix.lower() == ".onnx":
        return to_onnx(Path(arguments.data), output, quiet=arguments.quiet)
    data = DataSource.of(arguments)
    chunks = data.consistently(lambda: list(data.chunks()))
    if not chunks:
        raise UserError(f"{arguments.data} has no rows")
    rows = as_numbers(whole(chunks), output, arguments)
    write_table(rows.X, rows.y, output, format=arguments.to, **_named(rows, data))
    note(f"wrote {counted(len(rows.y), 'row')} to {output}", quiet=arguments.quiet)
    return OK


def _named(rows: LabelledRows, data: DataSource) -> dict[str, str]:
    return {"target": data.target_name} if isinstance(rows.X, Frame) and data.target_name else {}


def as_numbers(rows: LabelledRows, output: Path, arguments: argparse.Namespace) -> LabelledRows:
    """Number the labels for libsvm and VW, and turn categories into boolean attributes for libsvm."""
    suffixes = {suffix.lstrip(".").lower() for suffix in output.suffixes}
    known = {name for name, endings in SUFFIXES.items() if suffixes & {ending.lstrip(".") for ending in endings}}
    form = arguments.to if arguments.to != "auto" else next(iter(known), None)
    X, y = rows
    if form in ("libsvm", "vw") and y.dtype.kind == "U":
        classes, codes = np.unique(y, return_inverse=True)
        numbers = np.arange(len(classes))
        if form == "vw":  # VW numbers classes in its own way
            numbers = np.array([-1, 1]) if len(classes) == 2 else numbers + 1
        named = listed([f"{number} for {name!r}" for number, name in zip(numbers, classes.tolist(), strict=True)])
        note(f"this format needs numbers as labels: {named}", quiet=arguments.quiet)
        y = numbers[codes]
    if form == "libsvm" and isinstance(X, Frame) and any(kind.kind != "f" for kind in X.dtypes.values()):
        encoder = CategoryEncoder(missing="ignore").fit(X, y)
        X = indicators(encoder.transform(X), encoder.n_categories_)
        note(f"{counted(rows.X.shape[1], 'column')} became {X.shape[1]:,} boolean attributes", quiet=arguments.quiet)
    return LabelledRows(X, y)


def to_onnx(path: Path, output: Path, *, quiet: bool) -> int:
    """Write a linear model as an ONNX graph."""
    from winnowkit import onnx  # noqa: PLC0415 - an optional extra

    pipeline = Pipeline.load(path)
    try:
        onnx.to_onnx(pipeline.model, output)
    except TypeError as error:
        raise UserError(str(error)) from error
    note(
        f"wrote the graph to {output}; its input X holds doubles of shape (rows, {pipeline.model.n_features_in_})",
        quiet=quiet,
    )
    if pipeline.encoder is not None:
        note(
            "X has one attribute per category or interval of the columns; for their order see "
            f"winnowkit inspect {path} --json",
            quiet=quiet,
        )
    return OK
