"""A learner's mistakes beside the bound that a theorem guarantees."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, inf

from winnowkit.core.notebook import html_grid


@dataclass(frozen=True)
class Certificate:
    """Mistakes made so far, the most that a theorem allows, and what the theorem assumes.

    Attributes
    ----------
    mistakes : int or None
        Mistakes so far; with more than two classes, those of the learner that made the most. None if they were not
        counted, because no prediction came before an update.
    bound : float
        The most mistakes that any sequence of examples can force if the assumption holds; inf if no theorem applies.
    theorem : str
        The theorem, or the reason why none applies.
    assumes : str
        The assumption about the examples; empty if there is none.
    known : str, default=""
        What the bound follows from, if that is no assumption.

    See Also
    --------
    winnowkit.bounds : The bounds as functions.

    Examples
    --------
    >>> print(Certificate(17, 126.04, "Auer & Warmuth 1998", "a disjunction of at most 3 of 1024 attributes"))
    17 mistakes, at most 126 by Auer & Warmuth 1998 if the target is a disjunction of at most 3 of 1024 attributes
    """

    mistakes: int | None
    bound: float
    theorem: str
    assumes: str
    known: str = ""

    @property
    def kept(self) -> bool:
        """Whether the mistakes so far are within the bound; if not, the assumption is false."""
        return self.mistakes is None or self.mistakes <= self.bound

    def __str__(self) -> str:
        if self.mistakes is None:
            return f"no bound: {self.theorem}"
        made = f"{self.mistakes} mistake{'' if self.mistakes == 1 else 's'}"
        if self.bound == inf:
            return f"{made}; no bound: {self.theorem}"
        if self.known:
            possible = f"at most {floor(self.bound)} were possible, whatever the rows are"
            return f"{made}; {possible}, {self.known} ({self.theorem})"
        verdict = "" if self.kept else ", which it is not"
        return f"{made}, at most {floor(self.bound)} by {self.theorem} if the target is {self.assumes}{verdict}"

    def _repr_html_(self) -> str:
        most = "none" if self.bound == inf else f"{floor(self.bound):,}"
        rows = [
            ("mistakes", "at most", "by"),
            ("not counted" if self.mistakes is None else f"{self.mistakes:,}", most, self.theorem),
        ]
        return html_grid(str(self), rows)
