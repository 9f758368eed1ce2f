"""Results of a part of the benchmark: tidy records, tables, plots and verdicts, stored as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

Record = dict[str, Any]


@dataclass
class Table:
    """A table as it is printed; the first column names the rows."""

    title: str
    header: list[str]
    rows: list[list[str]]
    note: str = ""


@dataclass
class Plot:
    """Lines on log axes: `lines` are {name: [[x, y], ...]}, `exponents` the slopes fitted to them."""

    title: str
    x: str
    y: str
    lines: dict[str, list[list[float]]]
    exponents: dict[str, float] = field(default_factory=dict)


@dataclass
class Part:
    """All results of one part."""

    name: str
    title: str
    about: str
    scale: str
    seconds: float = 0.0
    environment: str = ""
    records: list[Record] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    verdicts: list[str] = field(default_factory=list)  # who wins, and why
    absent: list[str] = field(default_factory=list)  # peers that did not take part, and why
    text: str = ""  # the output of a script without records

    def save(self, folder: Path) -> None:
        """Write the part to a JSON file."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.json").write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Part:
        """Read a part from a JSON file."""
        found = json.loads(path.read_text(encoding="utf-8"))
        found["tables"] = [Table(**table) for table in found["tables"]]
        found["plots"] = [Plot(**plot) for plot in found["plots"]]
        return cls(**found)


def quartiles(values: Iterable[float]) -> tuple[float, float, float]:
    """Return the lower quartile, the median and the upper quartile.

    Examples
    --------
    >>> quartiles([1.0, 2.0, 3.0, 4.0, 5.0])
    (2.0, 3.0, 4.0)
    """
    ordered = sorted(values)

    def at(share: float) -> float:
        place = share * (len(ordered) - 1)
        low = int(place)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (place - low) * (ordered[high] - ordered[low])

    return at(0.25), at(0.5), at(0.75)


def spread(values: Iterable[float], digits: int = 3) -> str:
    """Return the median and, in brackets, the quartiles.

    Examples
    --------
    >>> spread([1.0, 2.0, 3.0, 4.0, 5.0])
    '3 (2-4)'
    """
    low, middle, high = (short(value, digits) for value in quartiles(values))
    return f"{middle} ({low}-{high})"


def short(value: float, digits: int = 3) -> str:
    """Return a number with this many significant digits, without an exponent if it is large.

    Examples
    --------
    >>> short(0.12345), short(12.345), short(12345.6)
    ('0.123', '12.3', '12,346')
    """
    return f"{value:,.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard error.

    Examples
    --------
    >>> mean_and_error([1.0, 3.0])
    (2.0, 1.0)
    """
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, float("nan")
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, (variance / len(values)) ** 0.5


def rows_of(records: Iterable[Record], **wanted: Any) -> list[Record]:
    """Return the records that have these values."""
    return [record for record in records if all(record.get(key) == value for key, value in wanted.items())]


def distinct(records: Iterable[Record], key: str) -> list[Any]:
    """Return the distinct values of a key in order of appearance."""
    return list(dict.fromkeys(record[key] for record in records))
