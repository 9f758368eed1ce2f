"""A report: how well a rule set stands for the model that it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Report:
    """How a rule set compares with the model that it came from, and with the labels, on the rows it was chosen by.

    Parameters
    ----------
    n_rows : int
        Number of these rows.
    agreement : float
        Share of the rows on which the rule set and the model predict the same label.
    error : float, optional
        Share of the rows on which the rule set is wrong, if labels were given.
    curve : sequence of float
        The error with the first 0, 1, 2, ... rules; without labels, the share of disagreements.

    See Also
    --------
    RuleSet : Has a report if it was measured against a model.

    Examples
    --------
    >>> print(Report(n_rows=200, agreement=0.99, error=0.02, curve=[0.4, 0.1, 0.02]))
    agrees with the model on 99.00% of 200 rows, error 2.00%
    """

    n_rows: int
    agreement: float
    error: float | None
    curve: Sequence[float]

    def __str__(self) -> str:
        error = "" if self.error is None else f", error {self.error:.2%}"
        return f"agrees with the model on {self.agreement:.2%} of {self.n_rows} rows{error}"
