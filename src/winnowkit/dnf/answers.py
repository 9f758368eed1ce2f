"""The question that an engine is asked, on which side of a threshold a sum lies, and the two kinds of answers."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass
from fractions import Fraction
from typing import NamedTuple, TypeVar

from winnowkit.dnf.agreement import log_of


@dataclass(frozen=True, slots=True)
class Estimate:
    """A weighted sum.

    Parameters
    ----------
    log_sum : float
        Natural logarithm of the sum; ValueError is raised for NaN.
    std_err : float
        Standard error of `log_sum`; 0 if exact.
    exact : bool
        Whether the sum was computed rather than sampled.
    chains : int
        Number of Markov chains run.
    steps : int
        Work done: steps of all chains, burn-in included, or nodes of the search.
    ess : float
        Effective sample size: the number of independent samples per chain that would give the same `std_err`. Infinite
        if exact.
    acceptance : float
        Share of the steps that changed a state; NaN if exact.
    swap_rate : float
        Share of the attempted swaps (parallel tempering) that took place; NaN if none was attempted.

    See Also
    --------
    Decision : The side of a threshold alone.

    Examples
    --------
    >>> estimate = Estimate(log_sum=2.0)
    >>> estimate.std_err, estimate.exact
    (0.0, True)
    """

    log_sum: float
    std_err: float = 0.0
    exact: bool = True
    chains: int = 0
    steps: int = 0
    ess: float = math.inf
    acceptance: float = math.nan
    swap_rate: float = math.nan

    def __post_init__(self) -> None:
        if math.isnan(self.log_sum):
            raise ValueError(f"log_sum of an Estimate must be a number, got {self.log_sum}")

    def __eq__(self, other: object) -> bool:
        """Compare all fields. NaN equals NaN, which dataclasses decide differently from Python 3.13 on."""
        if not isinstance(other, Estimate):
            return NotImplemented
        pairs = zip(astuple(self), astuple(other), strict=True)
        return all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in pairs)

    def __hash__(self) -> int:
        return hash(self.log_sum)


@dataclass(frozen=True, slots=True)
class Decision:
    """The side of the threshold on which a weighted sum lies.

    Parameters
    ----------
    label : int
        1 if the sum is at least theta, else 0; ValueError is raised for anything else.
    certain : bool
        Whether the side is proved, or (then `doubt` is not 0) as probable as the engine's confidence demands.
    chains : int
        Number of Markov chains run.
    chains_saved : int
        Number of chains that stopping early saved.
    steps : int
        Work done: steps of all chains, burn-in included, or nodes of the search.
    doubt : float
        Probability that the other side is right: a bound if `certain`, 0 if proved, else an estimate from the standard
        error of what was sampled.
    log_bounds : tuple of float
        Logarithms of proved bounds of the sum.

    See Also
    --------
    Estimate : The sum itself.

    Examples
    --------
    >>> Decision(label=1)
    Decision(label=1, certain=True, chains=0, chains_saved=0, steps=0, doubt=0.0, log_bounds=(-inf, inf))
    """

    label: int
    certain: bool = True
    chains: int = 0
    chains_saved: int = 0
    steps: int = 0
    doubt: float = 0.0
    log_bounds: tuple[float, float] = (-math.inf, math.inf)

    def __post_init__(self) -> None:
        if self.label not in (0, 1):
            raise ValueError(f"label of a Decision must be 0 or 1, got {self.label!r}")


A = TypeVar("A", Estimate, Decision)


def checked(answer: A, kind: type[A], engine: object) -> A:
    """Return an answer of this engine; raise TypeError if it is of another kind, such as a bare number.

    Examples
    --------
    >>> checked(Decision(1), Decision, engine="Mine()").label
    1
    """
    if not isinstance(answer, kind):
        raise TypeError(f"the engine {engine!r} must answer with {kind.__name__}(...), got {answer!r}")
    return answer


class Threshold(NamedTuple):
    """The numbers by which Winnow decides a row: the learning rate, and the threshold of the sum.

    Parameters
    ----------
    alpha : float
        The learning rate, above 1.
    log_theta : float
        Natural logarithm of the threshold.
    theta : int, float or Fraction, optional
        The threshold itself, for engines that settle ties exactly.

    See Also
    --------
    Engine : Asked for the labels of many rows with it.

    Examples
    --------
    >>> Threshold(alpha=1.5, log_theta=math.log(8), theta=8).theta
    8
    """

    alpha: float
    log_theta: float
    theta: float | Fraction | None = None

    def is_reached(self, total: Fraction) -> bool:
        """Tell whether an exact sum is at least theta; without `theta`, whether its logarithm is at least `log_theta`.

        Parameters
        ----------
        total : Fraction
            The sum.

        Returns
        -------
        bool
            Whether theta is reached.
        """
        return total >= Fraction(self.theta) if self.theta is not None else log_of(total) >= self.log_theta
