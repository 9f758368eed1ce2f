"""Simple models to compare with: logistic regression and a small tree of scikit-learn, on the same rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from winnowkit.report.measures import Codes
from winnowkit.report.table import DenseTable, SparseTable, Table

MOST_CATEGORIES = 50
"""The most categories of a column that have an indicator each; the others share one."""
LEAVES = 8


class Design:
    """Numbers standardised, with indicators of missing values and of categories; sparse rows scaled only.

    Parameters
    ----------
    table : Table
        The training rows.
    """

    def __init__(self, table: Table) -> None:
        if isinstance(table, SparseTable):
            self.scale = MaxAbsScaler().fit(table.matrix)
            return
        columns = range(len(table.names))
        self.numbers = [j for j in columns if table.is_number(j) and not _is_empty(table, j)]
        self.texts = [j for j in columns if not table.is_number(j)]
        imputer = SimpleImputer(strategy="median", add_indicator=True)
        self.of_numbers = make_pipeline(imputer, StandardScaler()) if self.numbers else None
        self.of_texts = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES)
        if self.of_numbers is not None:
            self.of_numbers.fit(_numbers(table, self.numbers))
        if self.texts:
            self.of_texts.fit(_texts(table, self.texts))

    def matrix(self, table: Table) -> Any:
        """Return the attributes of rows."""
        if isinstance(table, SparseTable):
            return self.scale.transform(table.matrix)
        parts = []
        if self.of_numbers is not None:
            parts.append(csr_matrix(self.of_numbers.transform(_numbers(table, self.numbers))))
        if self.texts:
            parts.append(self.of_texts.transform(_texts(table, self.texts)))
        return hstack(parts, format="csr") if parts else csr_matrix((table.n_rows, 1))


def peers_of(training: Table, codes: Codes, held_out: Table) -> dict[str, Codes]:
    """Return the codes that each simple model, learned from the training rows, predicts for the other rows."""
    known = codes >= 0
    if len(np.unique(codes[known])) < 2:
        return {}
    models = {
        "Logistic regression": LogisticRegression(max_iter=1000),
        f"Tree of {LEAVES} leaves": DecisionTreeClassifier(max_leaf_nodes=LEAVES, random_state=0),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence, and of unknown categories
        design = Design(training)
        X, new = design.matrix(training)[np.flatnonzero(known)], design.matrix(held_out)
        return {name: model.fit(X, codes[known]).predict(new) for name, model in models.items()}


def _is_empty(table: Table, column: int) -> bool:
    return all(value is None for value in table.values(column))


def _numbers(table: Table, columns: list[int]) -> NDArray[np.float64]:
    assert isinstance(table, DenseTable)
    return np.column_stack([table.frame[table.names[j]] for j in columns])


def _texts(table: Table, columns: list[int]) -> NDArray[Any]:
    texts = np.empty((table.n_rows, len(columns)), dtype=object)
    for place, j in enumerate(columns):
        texts[:, place] = ["missing" if value is None else f"= {value}" for value in table.values(j)]
    return texts
