"""Numbers with a decimal comma, such as 1,5: whether a table has them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from winnowkit.data.formats.kinds import is_number, joined_thousands

_COMMA_NUMBER = re.compile(r"\s*[-+]?(?:\d+(?:,\d+)?|,\d+)(?:[eE][-+]?\d+)?\s*", re.ASCII)
_THOUSANDS = re.compile(r"\s*[-+]?[1-9]\d{0,2}(?:,\d{3})+\s*", re.ASCII)


def is_comma_number(text: str) -> bool:
    """Whether a field is a number if its comma is the decimal mark; points may then separate thousands.

    Examples
    --------
    >>> [is_comma_number(text) for text in ("1,5", "-2", ",5e3", "1.234,5", "1.5", "1,2,3", "1,")]
    [True, True, True, True, False, False, False]
    """
    return _COMMA_NUMBER.fullmatch(joined_thousands(text)) is not None


def has_decimal_commas(values: Collection[str], *, declared: bool = False) -> bool:
    """Whether the values of a column are numbers with decimal commas.

    Commas before exactly three digits may separate thousands instead: they say nothing unless the column was declared
    as one of numbers.

    Examples
    --------
    >>> has_decimal_commas(["1,5", "2"]), has_decimal_commas(["1,350", "12,500"]), has_decimal_commas(["1", "2"])
    (True, False, False)
    >>> has_decimal_commas(["1,350", "12,500"], declared=True)
    True
    """
    commas = [value for value in values if "," in value]
    if not commas or not all(map(is_comma_number, values)):
        return False
    return declared or not all(map(_THOUSANDS.fullmatch, commas))


def decimal_mark(columns: Sequence[Collection[str]], declared: Sequence[bool], delimiter: str) -> str:
    """Return the decimal mark of a table: "," if a column has decimal commas and none has decimal points.

    Parameters
    ----------
    columns : sequence of collections of str
        The values of each column, without missing ones.
    declared : sequence of bool
        Whether each column was declared as one of numbers.
    delimiter : str
        The character between fields; it cannot be the decimal mark.

    Examples
    --------
    >>> decimal_mark([["1,5", "2"], ["red", "blue"]], [False, False], ";")
    ','
    >>> decimal_mark([["1,5", "2"], ["1.5", "2"]], [False, False], ";")
    '.'
    """
    if delimiter == ",":
        return "."
    points = any(values and any("." in value for value in values) and all(map(is_number, values)) for values in columns)
    commas = any(map(lambda values, known: has_decimal_commas(values, declared=known), columns, declared))
    return "," if commas and not points else "."
