"""Whether a claim of a paper shows here, and in what figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

CLEAR = 3.0
"""Standard errors that a mean of paired differences must be from 0 to count."""


@dataclass(frozen=True)
class Verdict:
    """A claim, what became of it here, the figures, and, where we differ, why.

    Parameters
    ----------
    claim : str
        What the paper says.
    found : {"shows", "undecided", "differs"}
        "undecided": the runs are too few to tell.
    figures : str
        What the verdict rests on.
    why : str
        Our explanation of a difference.

    Examples
    --------
    >>> print(Verdict("savings grow with the distance from theta", "shows", "correlation 0.8"))
    [shows] savings grow with the distance from theta: correlation 0.8
    """

    claim: str
    found: Literal["shows", "undecided", "differs"]
    figures: str
    why: str = ""

    @classmethod
    def of(cls, claim: str, shows: bool, figures: str, why: str = "") -> Verdict:
        """A claim that either shows or does not; `why` is kept only if it does not."""
        return cls(claim, "shows" if shows else "differs", figures, "" if shows else why)

    @property
    def shows(self) -> bool:
        """Whether it is as the paper says."""
        return self.found == "shows"

    def __str__(self) -> str:
        why = f" ({self.why})" if self.why else ""
        return f"[{self.found}] {self.claim}: {self.figures}{why}"


def by_z(claim: str, z: float, figures: str, why: str = "", clear: float = CLEAR) -> Verdict:
    """Judge a claim by how many standard errors a difference is above 0.

    Examples
    --------
    >>> [by_z("a < b", z, "").found for z in (5.0, 0.5, -5.0)]
    ['shows', 'undecided', 'differs']
    """
    found: Literal["shows", "undecided", "differs"]
    found = "shows" if z > clear else "differs" if z < -clear else "undecided"
    return Verdict(claim, found, f"{figures}, z = {z:.1f}", "" if found == "shows" else why)


def z_score(differences: ArrayLike) -> float:
    """Mean over its standard error: how many of the latter a mean of paired differences is above 0.

    Examples
    --------
    >>> round(z_score([1.0, 2.0, 3.0]), 3)
    3.464
    """
    d = np.asarray(differences, dtype=np.float64)
    mean, error = float(d.mean()), float(d.std(ddof=1) / np.sqrt(len(d)))
    if error == 0.0:
        return float(np.sign(mean)) * float("inf") if mean else 0.0
    return mean / error
