"""``winnowkit datasets``: the bundled data sets."""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path
from typing import Any

from winnowkit.cli.messages import OK, UserError, instead
from winnowkit.cli.output import counted, note, show, show_json, table
from winnowkit.cli.paths import check_output
from winnowkit.core.atomic_write import replacing
from winnowkit.data.catalogue import descriptions, names, rows_as_text


def run(arguments: argparse.Namespace) -> int:
    """List the bundled data sets, describe one, or write one to a file."""
    if arguments.name is None:
        if arguments.output is not None:
            raise UserError("name a data set: winnowkit datasets NAME --output FILE")
        return list_datasets(arguments)
    if arguments.name not in names():
        raise UserError(f"Unknown data set {arguments.name!r}. {instead(arguments.name, names())}")
    if arguments.output is not None:
        return write_dataset(arguments.name, Path(arguments.output), quiet=arguments.quiet)
    data = _load(arguments.name)
    if arguments.json:
        show_json({"name": arguments.name, "rows": len(data.target), "types": data.types, "about": data.DESCR})
    else:
        show(data.DESCR)
    return OK


def list_datasets(arguments: argparse.Namespace) -> int:
    """Print the name, size and number of classes of each data set."""
    found = [
        {
            "name": name,
            "rows": described["rows"],
            "columns": len(described["types"]),
            "classes": sorted({row[-1] for row in rows_as_text(name)}),
        }
        for name, described in descriptions().items()
    ]
    if arguments.json:
        show_json(found)
        return OK
    body = [[d["name"], f"{d['rows']:,}", str(d["columns"]), str(len(d["classes"]))] for d in found]
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
    data = _load(name)
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


def _load(name: str) -> Any:
    from winnowkit.data.bundle import load_dataset  # noqa: PLC0415 - it imports scikit-learn, which takes seconds

    return load_dataset(name)
