"""One page for the people who decide: what a model has learned, how well it predicts, and where it is wrong."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from winnowkit.core.atomic_write import replacing
from winnowkit.core.progress import Progress
from winnowkit.data.encode import CategoryEncoder
from winnowkit.data.table_encoder import TableEncoder
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.linear.committee import Committee
from winnowkit.linear.scaled import ScaledClassifier
from winnowkit.report.content import build
from winnowkit.report.held_out import Labelled
from winnowkit.report.of_linear import LinearSubject
from winnowkit.report.of_rules import RulesSubject
from winnowkit.report.of_terms import TermsSubject
from winnowkit.report.page import page
from winnowkit.report.subject import Subject
from winnowkit.report.table import table_of
from winnowkit.rulesets.ruleset import RuleSet

__all__ = ["ReportPage", "report"]


class ReportPage:
    """A finished report: one HTML page that needs no network.

    Parameters
    ----------
    html : str
        The page.

    See Also
    --------
    report : Makes it.
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, completely or not at all.

        Parameters
        ----------
        path : str or Path
            The file, such as "report.html".

        Returns
        -------
        Path
            The file.
        """
        with replacing(Path(path)) as file:
            file.write(self.html.encode("utf-8"))
        return Path(path)

    def __repr__(self) -> str:
        return f"ReportPage of {len(self.html.encode('utf-8')):,} bytes; save it with .save('report.html')"

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 - for notebooks only

        frame = escape(self.html)
        return f'<iframe srcdoc="{frame}" title="Report" style="width: 100%; height: 48rem; border: 0"></iframe>'


def report(
    model: Any,
    X: Any,
    y: ArrayLike,
    X_test: Any = None,
    y_test: ArrayLike | None = None,
    *,
    title: str | None = None,
    target: str | None = None,
    note: str = "",
    rows: bool = True,
    encoder: CategoryEncoder | TableEncoder | None = None,
    facts: list[tuple[str, str]] | None = None,
    verbose: bool = True,
) -> ReportPage:
    r"""Write a report on a model: what it has learned, how well it predicts, what matters, where it is wrong, what if.

    All figures are of rows that the model did not learn from: those of `X_test`, or else each row of X is predicted by
    a model with the same parameters that learned from the other rows (5-fold cross-validation). A rule set does not
    learn, and is measured on the rows that are given.

    Parameters
    ----------
    model : DNFWinnow, linear learner, Committee or RuleSet
        The fitted model.
    X : array-like, sparse matrix or data frame of shape (rows, columns)
        The rows that it learned from.
    y : array-like of shape (rows,)
        Their labels.
    X_test, y_test : array-like, optional
        Rows that it did not learn from, and their labels.
    title : str, optional
        The heading of the report.
    target : str, optional
        What is predicted; None is the name of y, if it has one.
    note : str, default=""
        What the model is for and what it must not be used for, in the words of its owner.
    rows : bool, default=True
        Whether the page may contain rows of the data, at most 200. Counts and the values of columns are always in it.
    encoder : CategoryEncoder or TableEncoder, optional
        For a linear learner of a table: turns the rows into its attributes. With a TableEncoder, the report is about
        these attributes, such as words.
    facts : list of (str, str), optional
        More on how the model was made.
    verbose : bool, default=True
        Whether a report that takes more than two seconds shows a progress bar, in terminals and notebooks only.

    Returns
    -------
    ReportPage
        The page; ``save`` writes it.

    Examples
    --------
    >>> from winnowkit.data import load_dataset
    >>> from winnowkit.report import report
    >>> from winnowkit.rulesets import RuleSet
    >>> voting = load_dataset("voting", as_frame=True)
    >>> rules = RuleSet.from_text('if "physician-fee-freeze" = y then republican\nelse democrat')
    >>> page = report(rules, voting.data, voting.target)
    >>> "physician-fee-freeze" in page.html
    True
    """
    labels = np.asarray(y)
    names = _names(model)
    if isinstance(encoder, TableEncoder):
        names = [str(name) for name in encoder.get_feature_names_out()]
        X, X_test = encoder.transform(X), None if X_test is None else encoder.transform(X_test)
        subject: Subject = _subject(model, None, labels, names)
    else:
        subject = _subject(model, encoder, labels)
    data = Labelled(table_of(X, names), labels)
    _check(data, "y")
    test = None
    if X_test is not None:
        if y_test is None:
            raise ValueError("X_test needs its labels: pass y_test as well")
        test = Labelled(table_of(X_test, names), np.asarray(y_test))
        _check(test, "y_test")
    with Progress() if verbose else nullcontext() as progress:
        content = build(
            subject,
            data,
            test,
            title=title,
            note=note,
            target=target or str(getattr(y, "name", None) or "the label"),
            rows=rows,
            facts=facts or [],
            progress=progress,
        )
    return ReportPage(page(content))


def _subject(
    model: Any, encoder: CategoryEncoder | None, labels: NDArray[Any], names: list[str] | None = None
) -> Subject:
    if isinstance(model, RuleSet):
        return RulesSubject(model, labels)
    if isinstance(model, DNFWinnow):
        model._check_begun()
        return TermsSubject(model)
    if isinstance(model, LinearClassifier | ScaledClassifier | Committee):
        model._check_begun()
        return LinearSubject(model, encoder, names)
    raise TypeError(
        f"a report is about a DNFWinnow, a rule set or a linear learner such as Winnow2, AROW or Committee; "
        f"got {type(model).__name__}"
    )


def _names(model: Any) -> list[str] | None:
    if isinstance(model, RuleSet):
        return list(model.columns)
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _check(data: Labelled, name: str) -> None:
    if data.y.shape != (data.table.n_rows,):
        raise ValueError(f"{name} must have one label per row, {data.table.n_rows} in all; got shape {data.y.shape}")
    if data.table.n_rows < 4:
        raise ValueError(f"a report needs at least 4 rows, got {data.table.n_rows}")
