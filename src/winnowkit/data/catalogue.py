"""The bundled data sets by name and their rows as text, without numpy or scikit-learn, which take long to import."""

from __future__ import annotations

import csv
import gzip
import io
import json
from functools import cache
from importlib.resources import files
from typing import Any

_FOLDER = files("winnowkit.data") / "bundled"


@cache
def descriptions() -> dict[str, dict[str, Any]]:
    """Return what is known about each data set, by name."""
    described: dict[str, dict[str, Any]] = json.loads((_FOLDER / "datasets.json").read_text(encoding="utf-8"))
    return described


def names() -> list[str]:
    """Return the names of the bundled data sets."""
    return list(descriptions())


def rows_as_text(name: str) -> list[list[str]]:
    """Return the rows of a data set; the last field of each is its class."""
    text = gzip.decompress((_FOLDER / f"{name}.csv.gz").read_bytes()).decode()
    return list(csv.reader(io.StringIO(text)))
