"""``winnowkit convert``: data in other formats, linear models as ONNX; ``winnowkit datasets``: the bundled data."""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

import numpy as np

from winnowkit.cli.fit import check_output
from winnowkit.cli.labelled_rows import DataSource, LabelledRows, whole
from winnowkit.cli.messages import OK, UserError, instead
from winnowkit.cli.output import counted, listed, note, show, show_json, table
from winnowkit.cli.pipeline import Pipeline
from winnowkit.core.atomic_write import replacing
from winnowkit.core.frame import Frame
from winnowkit.data.bundle import load_dataset
from winnowkit.data.bundle import names as dataset_names
from winnowkit.data.encode import CategoryEncoder
from winnowkit.data.formats.dialect import SUFFIXES
from winnowkit.data.formats.write import write_table
from winnowkit.data.indicators import indicators


def convert(arguments: argparse.Namespace) -> int:
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


def datasets(arguments: argparse.Namespace) -> int:
    """List the bundled data sets, describe one, or write one to a file."""
    if arguments.name is None:
        if arguments.output is not None:
            raise UserError("name a data set: winnowkit datasets NAME --output FILE")
        return list_datasets(arguments)
    if arguments.name not in dataset_names():
        raise UserError(f"Unknown data set {arguments.name!r}. {instead(arguments.name, dataset_names())}")
    if arguments.output is not None:
        return write_dataset(arguments.name, Path(arguments.output), quiet=arguments.quiet)
    data = load_dataset(arguments.name)
    if arguments.json:
        show_json({"name": arguments.name, "rows": len(data.target), "types": data.types, "about": data.DESCR})
    else:
        show(data.DESCR)
    return OK


def list_datasets(arguments: argparse.Namespace) -> int:
    """Print the name, size and number of classes of each data set."""
    found = [(name, load_dataset(name)) for name in dataset_names()]
    if arguments.json:
        show_json(
            [
                {"name": name, "rows": len(d.target), "columns": len(d.feature_names), "classes": d.target_names}
                for name, d in found
            ]
        )
        return OK
    body = [[name, f"{len(d.target):,}", str(len(d.feature_names)), str(len(d.target_names))] for name, d in found]
    show(table(["name", "rows", "columns", "classes"], body))
    note(
        "\nto describe one: winnowkit datasets NAME; to write one: winnowkit datasets NAME --output NAME.csv",
        quiet=arguments.quiet,
    )
    return OK


def write_dataset(name: str, path: Path, *, quiet: bool) -> int:
    """Write a data set as CSV with the classes in the last column."""
    check_output(path)
    if path.suffix.lower() != ".csv":
        raise UserError(f"data sets are written as CSV; name a file that ends in .csv, got {path}")
    data = load_dataset(name)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*data.feature_names, data.target_name])
    for row, label in zip(data.data.tolist(), data.target.tolist(), strict=True):
        writer.writerow(["" if value is None else value for value in row] + [label])
    with replacing(path) as file:
        file.write(text.getvalue().encode())
    note(
        f"wrote {counted(len(data.target), 'row')} to {path}; the classes are in column {data.target_name!r}",
        quiet=quiet,
    )
    return OK
