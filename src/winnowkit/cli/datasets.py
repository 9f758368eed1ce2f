"""``winnowkit datasets``: the tables that come with winnowkit."""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

from winnowkit.cli.errors import OK, UserError, instead
from winnowkit.cli.fit import check_output
from winnowkit.cli.output import counted, note, show, show_json, table
from winnowkit.core.atomic_write import replacing
from winnowkit.data.bundle import load_dataset, names


def run(arguments: argparse.Namespace) -> int:
    """List them, describe one, or write one to a file."""
    if arguments.name is None:
        if arguments.output is not None:
            raise UserError("which one? winnowkit datasets NAME --output FILE")
        return list_all(arguments)
    if arguments.name not in names():
        raise UserError(f"there is no data set {arguments.name!r}; {instead(arguments.name, names())}")
    if arguments.output is not None:
        return write(arguments.name, Path(arguments.output), quiet=arguments.quiet)
    data = load_dataset(arguments.name)
    if arguments.json:
        show_json({"name": arguments.name, "rows": len(data.target), "types": data.types, "about": data.DESCR})
    else:
        show(data.DESCR)
    return OK


def list_all(arguments: argparse.Namespace) -> int:
    """Name, size and classes of each."""
    found = [(name, load_dataset(name)) for name in names()]
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
        "\nmore about one: winnowkit datasets NAME; as a file: winnowkit datasets NAME --output NAME.csv",
        quiet=arguments.quiet,
    )
    return OK


def write(name: str, path: Path, *, quiet: bool) -> int:
    """Write a data set as CSV, the classes in the last column."""
    check_output(path)
    if path.suffix.lower() != ".csv":
        raise UserError(f"data sets are written as CSV: name a file that ends in .csv, got {path}")
    data = load_dataset(name)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*data.feature_names, data.target_name])
    for row, label in zip(data.data.tolist(), data.target.tolist(), strict=True):
        writer.writerow(["" if value is None else value for value in row] + [label])
    with replacing(path) as file:
        file.write(text.getvalue().encode())
    note(f"{counted(len(data.target), 'row')} in {path}; the classes are in column {data.target_name!r}", quiet=quiet)
    return OK
