"""Dates as numbers: seconds since 1970 in UTC, and cuts between them at round dates."""

from __future__ import annotations

import datetime
import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.columns import Column, is_missing

Floats = NDArray[np.float64]

DAY = 86_400.0
_UNITS = (DAY, 3600.0, 60.0, 1.0)
_EPOCH = datetime.datetime(1970, 1, 1)
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?")

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_OTHER_DATE = re.compile(
    r"(?:\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d\d)|\d{4}([./])\d{1,2}\2\d{1,2}|\d{4}-(?:0[1-9]|1[0-2])"
    rf"|\d{{1,2}}\.?[ -]{_MONTH}[ -]\d{{4}}|{_MONTH} \d{{1,2}},? \d{{4}})"
    r"(?:,? \d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?)?",
    re.IGNORECASE,
)


def is_date(text: str) -> bool:
    """Whether a text is a date by ISO 8601, with or without the time of day.

    Examples
    --------
    >>> [is_date(text) for text in ("2021-03-04", "2021-03-04T10:30", "2021-13-04", "04.03.2021", "2021")]
    [True, True, False, False, False]
    """
    if not _ISO.fullmatch(text):
        return False
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_other_date(text: str) -> bool:
    """Whether a text looks like a date in another form than that of ISO 8601.

    Examples
    --------
    >>> [is_other_date(text) for text in ("31/12/2024", "4.3.21", "Dec 31, 2024", "1 May 2021 10:30", "2021/3/4")]
    [True, True, True, True, True]
    >>> is_other_date("2021-03")  # a month
    True
    >>> [is_other_date(text) for text in ("2024-12-31", "2021-22", "1.2.3.4", "12/31", "version 10 2024")]
    [False, False, False, False, False]
    """
    return _OTHER_DATE.fullmatch(text) is not None


def as_seconds(column: Column, name: str) -> Floats:
    """Return dates as seconds since 1970, NaN where missing; raise ValueError for durations and times of day.

    Dates without a time zone are taken as they are, and those with one are converted to UTC. ISO 8601 text is a date.

    Examples
    --------
    >>> as_seconds(Column([datetime.date(1970, 1, 2), None, "1970-01-01T00:01"]), "signed")
    array([8.64e+04,      nan, 6.00e+01])
    """
    values = column.values
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        seconds = values.astype("datetime64[us]").astype(np.int64) / 1e6
        return np.where(np.isnat(values), np.nan, seconds)
    return np.array([_seconds(value, row, name) for row, value in enumerate(values)], dtype=np.float64)


def _seconds(value: Any, row: int, name: str) -> float:
    if is_missing(value):
        return np.nan
    if isinstance(value, str) and is_date(value):
        value = datetime.datetime.fromisoformat(value)
    value = getattr(value, "start_time", value)  # of a period of pandas
    if isinstance(value, np.datetime64):
        return float(value.astype("datetime64[us]").astype(np.int64)) / 1e6
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime.datetime):
        raise ValueError(
            f"column {name!r} holds dates, but row {row} contains {value!r}: dates are datetime objects or ISO 8601 "
            "text such as 2021-03-04; turn durations and times of day into numbers such as hours, or leave them out"
        )
    if value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return (value - _EPOCH).total_seconds()


def written(seconds: float, *, whole_days: bool) -> str:
    """Write seconds since 1970 as a date by ISO 8601, without the time of day if all dates are whole days.

    Examples
    --------
    >>> written(86400.0, whole_days=True), written(86460.0, whole_days=False)
    ('1970-01-02', '1970-01-02 00:01:00')
    """
    moment = _EPOCH + datetime.timedelta(seconds=seconds)
    return moment.date().isoformat() if whole_days else moment.isoformat(sep=" ")


def round_cuts(cuts: Floats, seconds: Floats, *, upper: bool) -> Floats:
    """Move cuts between dates to round ones: midnight if possible, else a full hour, minute or second.

    Parameters
    ----------
    cuts : float array
        Cuts between the dates, increasing.
    seconds : float array
        The dates; NaN is missing.
    upper : bool
        Whether a date that equals a cut belongs above it.

    Examples
    --------
    >>> round_cuts(np.array([100_000.0]), np.array([50_000.0, 200_000.0]), upper=False)
    array([86400.])
    """
    known = np.unique(seconds[~np.isnan(seconds)])
    places = np.searchsorted(known, cuts, side="left" if upper else "right")
    found = [_round(known[i - 1], known[i], upper=upper) for i in places.tolist() if 0 < i < len(known)]
    return np.unique(np.array(found, dtype=np.float64))


def _round(below: float, above: float, *, upper: bool) -> float:
    for unit in _UNITS:
        for near in ((below + above) / 2, below if upper else above):
            down, up = math.floor(near / unit) * unit, math.ceil(near / unit) * unit
            for cut in (up, down) if upper else (down, up):
                if below < cut <= above if upper else below <= cut < above:
                    return float(cut)
    return float(above if upper else below)
