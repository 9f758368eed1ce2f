"""Real data, read from a folder if it has them, and never copied.

The folder is given by --data or WINNOWKIT_DATA, or is ../shared/data; it or its folders sparse and text hold

- a9a.libsvm.gz and a9a.t.libsvm.gz, as LIBSVM distributes a9a;
- reuters-r8.npz and 20newsgroups.npz: CSR arrays indptr, indices and shape of the words of each document, its class y,
  classes, and n_train, the number of documents for training, which come first;
- sms-spam.csv.gz and product-reviews.csv.gz: columns text and label.
"""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from sklearn.feature_extraction.text import CountVectorizer

from winnowkit.data import read_libsvm

VARIABLE = "WINNOWKIT_DATA"
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


class Named(NamedTuple):
    """Named examples with labels 0 and 1."""

    name: str
    X: Any
    y: Any


class RealSet(NamedTuple):
    """Named examples with labels 0, 1, ..., and those held out; none are, if there is no agreed test part."""

    name: str
    X: Any
    y: NDArray[np.int64]
    X_test: Any
    y_test: NDArray[np.int64]
    words: bool = True  # whether attributes are words, whose weights may be tf-idf

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(max(self.y.max(), self.y_test.max(initial=0))) + 1

    def head(self, rows: int | None) -> RealSet:
        """Return some rows only, of all classes; all of them for None."""
        mixed = self.shuffled(0)
        return self if rows is None else mixed._replace(X=mixed.X[:rows], y=mixed.y[:rows])

    def ordered(self, seed: int) -> RealSet:
        """Return the examples in another order; a fifth of them is held out if there is no test part."""
        order = np.random.default_rng(seed).permutation(len(self.y))
        if len(self.y_test):
            return self._replace(X=self.X[order], y=self.y[order])
        kept, out = np.split(order, [len(order) * 4 // 5])
        return self._replace(X=self.X[kept], y=self.y[kept], X_test=self.X[out], y_test=self.y[out])

    def split_anew(self, seed: int) -> RealSet:
        """Return the examples of both parts in another order, with a third of them held out."""
        X, y = vstack([self.X, self.X_test]).tocsr(), np.concatenate([self.y, self.y_test])
        kept, out = np.split(np.random.default_rng(seed).permutation(len(y)), [len(y) * 2 // 3])
        return self._replace(X=X[kept], y=y[kept], X_test=X[out], y_test=y[out])

    def shuffled(self, seed: int) -> RealSet:
        """Return all examples in another order, and none held out."""
        order = np.random.default_rng(seed).permutation(len(self.y))
        return self._replace(X=self.X[order], y=self.y[order])


def folder_of(given: Path | None) -> Path | None:
    """Return the given folder, or the one named by the environment, or the shared one; None if it does not exist."""
    named = Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else SHARED
    found = given or named
    return found if found.is_dir() else None


def file_in(folder: Path, name: str) -> Path | None:
    """Return the path of a file in the folder, or in its folders of sparse data and of texts."""
    places = (folder / name, folder / "sparse" / name, folder / "text" / name)
    return next((path for path in places if path.exists()), None)


def real(folder: Path | None) -> Iterator[Named]:
    """Return a9a, and the class earn of Reuters R8, all documents of it, as far as they are there."""
    if folder is None:
        return
    if (path := file_in(folder, "a9a.libsvm.gz")) is not None:
        yield Named("a9a", *_libsvm(path))
    if (path := file_in(folder, "reuters-r8.npz")) is not None:
        X, y, classes, _ = _documents(path)
        yield Named("Reuters R8, earn", X, (y == classes.index("earn")).astype(np.int64))


def real_sets(folder: Path) -> Iterator[RealSet]:
    """Return all sets that are there, with several classes too."""
    train, test = file_in(folder, "a9a.libsvm.gz"), file_in(folder, "a9a.t.libsvm.gz")
    if train is not None and test is not None:
        yield RealSet("a9a", *_libsvm(train), *_libsvm(test), words=False)
    if (path := file_in(folder, "reuters-r8.npz")) is not None:
        X, y, classes, n_train = _documents(path)
        for name in ("earn", "acq", "crude"):
            positive = (y == classes.index(name)).astype(np.int64)
            yield _split(f"R8, {name}", X, positive, n_train)
        yield _split("R8, 8 classes", X, y, n_train)
    if (path := file_in(folder, "20newsgroups.npz")) is not None:
        X, y, _, n_train = _documents(path)
        yield _split("20newsgroups", X, y, n_train)
    for name in ("sms-spam", "product-reviews"):
        if (path := file_in(folder, f"{name}.csv.gz")) is not None:
            X, y = _texts(path)
            yield RealSet(name, X, y, X[:0], y[:0])


def _split(name: str, X: Any, y: NDArray[np.int64], n_train: int) -> RealSet:
    return RealSet(name, X[:n_train], y[:n_train], X[n_train:], y[n_train:])


def _libsvm(path: Path) -> tuple[Any, NDArray[np.int64]]:
    X, y = read_libsvm(path, 123, zero_based=False)
    return X, (y > 0).astype(np.int64)


def _documents(path: Path) -> tuple[Any, NDArray[np.int64], list[str], int]:
    with np.load(path, allow_pickle=False) as arrays:
        indices, indptr = arrays["indices"], arrays["indptr"]
        X = csr_matrix((np.ones(indices.size), indices, indptr), shape=tuple(arrays["shape"].tolist()))
        X.sort_indices()
        n_train = int(arrays["n_train"]) if "n_train" in arrays else X.shape[0]
        return X, arrays["y"].astype(np.int64), arrays["classes"].tolist(), n_train


def _texts(path: Path) -> tuple[Any, NDArray[np.int64]]:
    """Count words, also those of one letter; the columns are those of all texts, and empty until a word occurs."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    X = CountVectorizer(token_pattern=r"(?u)\b\w+\b").fit_transform([row["text"] for row in rows])
    X.sort_indices()
    _, y = np.unique([row["label"] for row in rows], return_inverse=True)
    return X.astype(np.float64), y.astype(np.int64)
