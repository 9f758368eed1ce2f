"""The targets of the streams: printable, and callable on a table to return its labels without noise."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ThresholdFunction:
    """A function that is 1 iff at least r of some literals are true; a disjunction if r = 1.

    Parameters
    ----------
    r : int
        Number of literals that must be true.
    variables : tuple of int
        The relevant attributes, ascending.
    negated : tuple of int
        The relevant attributes whose literals are true when they are 0.

    See Also
    --------
    disjunction : A stream with such targets.
    threshold : A stream with such targets.

    Examples
    --------
    >>> print(ThresholdFunction(1, (2, 5), negated=(5,)))
    x2 or not x5
    >>> ThresholdFunction(2, (0, 1, 2))(np.array([[1, 1, 0], [0, 1, 0]]))
    array([1, 0])
    """

    r: int
    variables: tuple[int, ...]
    negated: tuple[int, ...] = ()

    def __call__(self, X: Any) -> NDArray[np.int64]:
        """Label the rows of a sparse or dense boolean table."""
        bits = _dense(X[:, list(self.variables)]) > 0
        return np.asarray((bits != self.flips).sum(axis=1) >= self.r, dtype=np.int64)

    @property
    def flips(self) -> NDArray[np.bool_]:
        """Whether each relevant attribute is negated."""
        return np.isin(self.variables, self.negated)

    def __str__(self) -> str:
        literals = [f"not x{i}" if i in self.negated else f"x{i}" for i in self.variables]
        return " or ".join(literals) if self.r == 1 else f"at least {self.r} of {', '.join(literals)}"


@dataclass(frozen=True)
class DNF:
    """A monotone formula in disjunctive normal form.

    Parameters
    ----------
    terms : tuple of tuple of int
        The attributes of each term.

    See Also
    --------
    monotone_dnf : A stream with such targets.

    Examples
    --------
    >>> formula = DNF(((0, 1), (2, 3)))
    >>> print(formula)
    x0 x1 or x2 x3
    >>> formula(np.array([[1, 1, 0, 0], [1, 0, 1, 0]]))
    array([1, 0])
    """

    terms: tuple[tuple[int, ...], ...]

    def __call__(self, X: Any) -> NDArray[np.int64]:
        """Label the rows of a sparse or dense boolean table."""
        bits = _dense(X) > 0
        return np.asarray(self.satisfied(bits).any(axis=1), dtype=np.int64)

    def satisfied(self, bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return, for each row and term, whether the row satisfies the term.

        Parameters
        ----------
        bits : array of bool, shape (rows, attributes)
            The table.

        Returns
        -------
        array of bool, shape (rows, terms)
            Whether each term holds on each row.
        """
        return np.stack([bits[:, list(term)].all(axis=1) for term in self.terms], axis=1)

    def __str__(self) -> str:
        return " or ".join(" ".join(f"x{i}" for i in term) for term in self.terms)


@dataclass(frozen=True)
class Matches:
    """Some attributes each equal the label with probability 1 - p; the others are fair coins.

    Parameters
    ----------
    variables : tuple of int
        The relevant attributes.
    p : float
        The probability that a relevant attribute differs from the label, < 1/2.

    See Also
    --------
    bernoulli : A stream with such a target.

    Examples
    --------
    >>> Matches((0, 1, 2), p=0.1)(np.array([[1, 1, 0], [0, 1, 0]]))
    array([1, 0])
    """

    variables: tuple[int, ...]
    p: float

    def __call__(self, X: Any) -> NDArray[np.int64]:
        """Predict the rows of a table optimally: by a majority of the relevant attributes, with ties to 0."""
        bits = _dense(X[:, list(self.variables)]) > 0
        return np.asarray(2 * bits.sum(axis=1) > len(self.variables), dtype=np.int64)

    def __str__(self) -> str:
        return f"each of {', '.join(f'x{i}' for i in self.variables)} equals the label with probability {1 - self.p:g}"


@dataclass(frozen=True)
class HalfSpace:
    """Label 1 iff the inner product with binary weights is >= 0.

    Parameters
    ----------
    weights : tuple of int
        The w* of Fang & Venkatesh, -1 or 1 each.

    See Also
    --------
    half_spaces : A stream with such a target.

    Examples
    --------
    >>> HalfSpace((1, -1, 1))(np.array([[1, -1, 1], [-1, 1, 1]]))
    array([1, 0])
    """

    weights: tuple[int, ...]

    def __call__(self, X: Any) -> NDArray[np.int64]:
        """Label the rows of a table of -1 and 1."""
        return np.asarray(_dense(X) @ np.array(self.weights, dtype=np.int64) >= 0, dtype=np.int64)

    def __str__(self) -> str:
        return "".join("+" if w > 0 else "-" for w in self.weights)


def _dense(X: Any) -> NDArray[Any]:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X)
