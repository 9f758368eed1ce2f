"""What an engine is: anything that computes or estimates weighted sums."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Protocol

from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.auto import Auto
from winnowkit.dnf.estimate import Decision, Estimate
from winnowkit.dnf.exact import BudgetExceeded, Exact


class Engine(Protocol):
    """What computes or estimates weighted sums."""

    def log_sum(self, agreement: Agreement, alpha: float, rng: object = None) -> Estimate:
        """Logarithm of the weighted sum."""

    def decide(
        self,
        agreement: Agreement,
        alpha: float,
        log_theta: float,
        guess: int | None = None,
        rng: object = None,
        *,
        theta: float | Fraction | None = None,
    ) -> Decision:
        """Side of theta of the weighted sum."""


def exact_part(engine: Engine) -> Exact | None:
    """What of the engine sums exactly, if anything does."""
    return engine if isinstance(engine, Exact) else engine.exact if isinstance(engine, Auto) else None


@contextmanager
def suppress_over_budget(engine: Engine) -> Iterator[None]:
    """Go on after a budget was exceeded, if the engine has something else to ask."""
    try:
        yield
    except BudgetExceeded:
        if isinstance(engine, Exact):
            raise
