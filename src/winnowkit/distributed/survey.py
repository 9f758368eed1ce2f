"""Find out about a table before training: its labels, its first rows, and a sample of all rows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack

from winnowkit.core.frame import Frame
from winnowkit.core.labels import check_labels
from winnowkit.core.sparse import check_sparse
from winnowkit.core.validation import known_classes
from winnowkit.distributed.parts import AnyPart, labels_for, labels_of, over, over_labels

SAMPLE = 100_000
"""Rows by which columns are known that only whole tables tell of: cuts, categories, words."""
HEAD = 1000


class Survey(NamedTuple):
    """The labels of a table.

    Parameters
    ----------
    classes : array
        The different labels, in order.
    counts : array of int, shape (classes,)
        How many rows have each of them.
    n_rows : array of int, shape (parts,)
        The rows of each part.
    """

    classes: NDArray[Any]
    counts: NDArray[np.int64]
    n_rows: NDArray[np.int64]


def survey_of(client: Any, parts: list[AnyPart]) -> Survey:
    """Count the labels of all parts, in one pass over the labels alone."""
    found = client.gather(client.compute([over_labels(_count, part) for part in parts]))
    n_rows = np.array([n.sum() for _, n in found], dtype=np.int64)
    some = [(labels, n) for labels, n in found if len(n)]  # an empty part may have labels of another type
    if not some:
        raise ValueError("the table has no rows")
    check_labels(np.array([labels.tolist()[0] for labels, _ in some], dtype=object))  # of one kind in all parts
    classes, place = np.unique(np.concatenate([labels for labels, _ in some]), return_inverse=True)
    counts = np.bincount(place, np.concatenate([n for _, n in some]), minlength=len(classes)).astype(np.int64)
    return Survey(classes, counts, n_rows)


def head_of(client: Any, parts: list[AnyPart], survey: Survey) -> tuple[Any, NDArray[Any]]:
    """Return a few rows of the first part that has any, and their labels."""
    part = parts[int(np.flatnonzero(survey.n_rows)[0])]
    rows: tuple[Any, NDArray[Any]] = client.compute(over(_first, part)).result()
    return rows


def sample_of(
    client: Any, parts: list[AnyPart], survey: Survey, seed: int, sizes: tuple[int, ...] = (SAMPLE,)
) -> list[tuple[Any, NDArray[Any]]]:
    """Return disjoint samples of all rows, drawn without replacement, each of about the size asked for.

    Every part gives in proportion to its rows, so that each sample is as good as one of the whole table: the rank of a
    quantile among 100,000 rows errs by 0.16% (one standard error at the median), and a value of one row in a thousand
    is met a hundred times.
    """
    total = survey.n_rows.sum()
    share = min(1.0, total / sum(sizes))
    jobs = []
    for p in np.flatnonzero(survey.n_rows).tolist():
        ends = np.round(np.cumsum((0, *sizes)) * share * survey.n_rows[p] / total).astype(int).tolist()
        jobs.append(over(_draw, parts[p], ends=ends, seed=(seed, p)))
    found = client.gather(client.compute(jobs))
    return [
        (joined([part[i][0] for part in found]), np.concatenate([part[i][1] for part in found]))
        for i in range(len(sizes))
    ]


def drawn_rows(n_rows: int, seed: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the order in which the rows of a part are drawn."""
    return np.random.default_rng(seed).permutation(n_rows)


def joined(tables: list[Any]) -> Any:
    """Return tables of one kind one after the other."""
    if hasattr(tables[0], "iloc"):
        import pandas as pd  # noqa: PLC0415 - the tables are its own

        return pd.concat(tables, ignore_index=True)
    if isinstance(tables[0], Frame):
        return Frame.concatenate(tables)
    if issparse(tables[0]):
        return vstack(tables, format="csr")
    if isinstance(tables[0], list):
        return [row for table in tables for row in table]
    return np.concatenate(tables)


def rows_at(X: Any, places: NDArray[np.int64]) -> Any:
    """Return the rows of a table at some places."""
    if hasattr(X, "iloc"):
        return X.iloc[places]
    if issparse(X):
        check_sparse(X)
    return [X[i] for i in places.tolist()] if isinstance(X, list) else X[places]


def _count(y: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    labels = labels_of(y)
    check_labels(labels)
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes):
        known_classes(classes)  # refuses quantities
    return classes, counts.astype(np.int64)


def _first(X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    labels = labels_for(X, y)[:HEAD]
    return rows_at(X, np.arange(len(labels))), labels


def _draw(X: Any, y: Any, ends: list[int], seed: tuple[int, ...]) -> list[tuple[Any, NDArray[Any]]]:
    labels = labels_for(X, y)
    order = drawn_rows(len(labels), seed)
    chosen = [np.sort(order[first:last]) for first, last in pairwise(ends)]
    return [(rows_at(X, places), labels[places]) for places in chosen]
