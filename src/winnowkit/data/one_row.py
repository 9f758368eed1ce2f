"""One row in any form: values in order, values by name, a series, or a table of one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from winnowkit.core.columns import columns_of


def values_of_row(row: Any, names: Sequence[str]) -> Any:
    """Return the values of a row in the order of the columns.

    Parameters
    ----------
    row : sequence, mapping, pandas Series, or table of one row
        Values in order; or values by column name, where an absent name is a missing value. A table must have all
        columns.
    names : sequence of str
        The names of the columns.

    Returns
    -------
    sequence
        One value per column; if they came without names, as many as there were.

    Examples
    --------
    >>> values_of_row({"size": 2.5, "colour": "red"}, ["colour", "size", "shape"])
    ['red', 2.5, None]
    """
    if isinstance(row, list | tuple):
        return row
    if isinstance(row, Mapping):
        if row and not any(name in row for name in names):
            raise ValueError(
                f"the row has none of the columns that the model learned from; it has {', '.join(map(repr, row))}, and "
                f"the columns are {', '.join(map(repr, names))}"
            )
        return [row.get(name) for name in names]
    if hasattr(row, "iloc") and row.ndim == 1:  # a pandas Series: its index has the names if it is a row of a frame
        by_name = row.to_dict()
        named = any(name in by_name for name in names)
        return [by_name.get(name) for name in names] if named else row.tolist()
    if getattr(row, "ndim", 1) == 2 or hasattr(row, "columns"):
        return _of_table(row, names)
    return row


def _of_table(table: Any, names: Sequence[str]) -> list[Any]:
    found = columns_of(table)
    if found.n_rows != 1:
        raise ValueError(f"expected a single row, got a table of {found.n_rows} rows; pass one of them: X.iloc[[0]]")
    values = [column.values[0] for column in found.columns]
    if found.names is None:
        return values
    absent = [name for name in names if name not in found.names]
    if absent:
        raise ValueError(f"the row has no column {absent[0]!r}, which the model learned from; add it")
    by_name = dict(zip(found.names, values, strict=True))
    return [by_name[name] for name in names]
