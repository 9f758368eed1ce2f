"""a9a and Reuters R8, read from a folder if it has them, and never copied.

The folder is given by --data or WINNOWKIT_DATA; it holds a9a.libsvm.gz, as LIBSVM distributes a9a, and reuters-r8.npz:
CSR arrays indptr, indices and shape of the words of each document, its class y, and classes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from winnowkit.data import read_libsvm

VARIABLE = "WINNOWKIT_DATA"


class Named(NamedTuple):
    """Named examples with labels 0 and 1."""

    name: str
    X: Any
    y: Any


def folder_of(given: Path | None) -> Path | None:
    """Return the given folder, or the one named by the environment, or None."""
    found = given or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    return found if found is not None and found.is_dir() else None


def real(folder: Path | None) -> Iterator[Named]:
    """Return the real tables that are there."""
    if folder is None:
        return
    a9a = folder / "a9a.libsvm.gz"
    if a9a.exists():
        X, y = read_libsvm(a9a, 123, zero_based=False)
        yield Named("a9a", X, (y > 0).astype(np.int64))
    r8 = folder / "reuters-r8.npz"
    if r8.exists():
        with np.load(r8, allow_pickle=False) as arrays:
            indices, indptr = arrays["indices"], arrays["indptr"]
            X = csr_matrix((np.ones(indices.size), indices, indptr), shape=tuple(arrays["shape"].tolist()))
            X.sort_indices()
            classes = arrays["classes"].tolist()
            yield Named("Reuters R8, earn", X, (arrays["y"] == classes.index("earn")).astype(np.int64))
