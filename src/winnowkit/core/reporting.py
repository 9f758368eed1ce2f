"""The method by which a model writes a report on itself."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def write_report(model: Any, X: Any, y: Any, X_test: Any, y_test: Any, **options: Any) -> Any:
    """Write a report; the package that does is imported now, as it needs much that a model does not need."""
    return import_module("winnowkit.report").report(model, X, y, X_test, y_test, **options)


class Reports:
    """A model that writes reports on itself."""

    def report(self, X: Any, y: Any, X_test: Any = None, y_test: Any = None, **options: Any) -> Any:
        """Write a report on this model, as one HTML page: what it learned, how well it predicts, and where it is wrong.

        Parameters
        ----------
        X, y : array-like
            The rows that it learned from, and their labels.
        X_test, y_test : array-like, optional
            Rows that it did not learn from, and their labels. Without them, other models with the same parameters learn
            from parts of X and predict the rest.
        **options : object
            `title`, `target`, `note`, `rows` and others; see :func:`winnowkit.report.report`.

        Returns
        -------
        winnowkit.report.ReportPage
            The page: ``save("report.html")`` writes it, and a notebook shows it.
        """
        return write_report(self, X, y, X_test, y_test, **options)
