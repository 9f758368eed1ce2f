"""How a report was made: a fingerprint of the data, versions and the date."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from numpy.typing import NDArray

from winnowkit.report.table import SparseTable, Table

PACKAGES = ("winnowkit", "numpy", "scipy", "scikit-learn", "numba")


def fingerprint(table: Table, y: NDArray[Any]) -> str:
    """Return the SHA-256 of names, values and labels, in hexadecimal digits; any change of them changes it.

    Examples
    --------
    >>> import numpy as np
    >>> from winnowkit.report.table import table_of
    >>> one, other = table_of([[1, "a"]]), table_of([[1, "b"]])
    >>> fingerprint(one, np.array([1])) == fingerprint(one, np.array([1])) != fingerprint(other, np.array([1]))
    True
    """
    found = hashlib.sha256(json.dumps(table.names).encode())
    if isinstance(table, SparseTable):
        matrix = table.matrix.copy()
        matrix.sum_duplicates()
        for array in (matrix.indptr.astype("<i8"), matrix.indices.astype("<i8"), matrix.data.astype("<f8")):
            found.update(array.tobytes())
    else:
        for j in range(len(table.names)):
            found.update(json.dumps(table.values(j)).encode())
    found.update(json.dumps([str(label) for label in y.tolist()]).encode())
    return found.hexdigest()


def made() -> list[tuple[str, str]]:
    """Return the versions of what made the report, and when; SOURCE_DATE_EPOCH sets the time."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.fromtimestamp(int(given), UTC) if given else datetime.now(UTC)
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return [
        ("Versions", f"{versions}, Python {platform.python_version()}"),
        ("Made", now.strftime("%Y-%m-%d %H:%M UTC")),
    ]
