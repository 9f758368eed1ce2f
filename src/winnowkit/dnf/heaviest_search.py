"""The heaviest terms of a log of mistakes: those that a learner trusts most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnowkit.dnf.kernels.heaviest_terms import MOST_LITERALS, Kept, Path, search
from winnowkit.dnf.kernels.problem import Codes, Ints
from winnowkit.dnf.log import MistakeLog

MAX_NODES = 5_000_000
"""Nodes after which a search gives up: about ten seconds."""

SHORT = (1, 2, 3, 4)
"""Largest numbers of literals of the first searches."""


class Term(NamedTuple):
    """A conjunction: its literals, as (column, code) in the order of columns, and its net promotions.

    Parameters
    ----------
    literals : tuple of (int, int)
        Columns and codes.
    net : int
        Promotions less demotions of the mistakes it covers.

    See Also
    --------
    heaviest : The search that finds them.

    Examples
    --------
    >>> term = Term(((0, 1), (2, 2)), net=3)  # column 0 has code 1, and column 2 code 2
    >>> 1.5**term.net  # its weight
    3.375
    """

    literals: tuple[tuple[int, int], ...]
    net: int

    def covers(self, codes: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Tell which rows of codes satisfy all literals.

        Parameters
        ----------
        codes : array of int, shape (rows, columns)
            Coded rows.

        Returns
        -------
        array of bool
            One value per row.

        Examples
        --------
        >>> Term(((0, 1), (2, 2)), net=3).covers(np.array([[1, 1, 2], [1, 2, 1]]))
        array([ True, False])
        """
        covered = np.ones(len(codes), dtype=np.bool_)
        for column, code in self.literals:
            covered &= codes[:, column] == code
        return covered

    def outdoes(self, other: Term) -> bool:
        """Tell whether the term is a part of the other, and so more general, and weighs at least as much.

        Parameters
        ----------
        other : Term
            Another term.

        Returns
        -------
        bool
            True if so.

        Examples
        --------
        >>> term = Term(((0, 1),), net=3)
        >>> term.outdoes(Term(((0, 1), (2, 2)), net=3)), term.outdoes(term)
        (True, False)
        """
        return self.net >= other.net and set(self.literals) < set(other.literals)


class Heaviest(NamedTuple):
    """Terms, the heaviest first; `complete` unless the search gave up, so that heavier ones may have been missed.

    Parameters
    ----------
    terms : list of Term
        The heaviest first.
    complete : bool
        Whether the search was completed.

    See Also
    --------
    heaviest : The search that returns it.

    Examples
    --------
    >>> from winnowkit.dnf import MistakeLog
    >>> log = MistakeLog(2)
    >>> log.append([1, 2], +1)
    >>> heaviest(log, max_terms=1)
    Heaviest(terms=[Term(literals=((0, 1),), net=1)], complete=True)
    """

    terms: list[Term]
    complete: bool


def heaviest(
    log: MistakeLog,
    max_terms: int,
    max_literals: int | None = None,
    *,
    x: npt.ArrayLike | None = None,
    slack: int = 0,
    max_nodes: int = MAX_NODES,
) -> Heaviest:
    """Find the heaviest terms, exactly, by branch and bound over the log.

    A term weighs alpha to the power of its net. Only terms promoted more often than demoted count, and of those only
    the ones that are not *redundant*: a term is dropped if a part of it, a more general term of at least one literal,
    weighs at least as much. Terms that cover the same mistakes weigh the same, and the log cannot tell them apart: the
    shortest of them stands for all, among equals that of the first columns. The same order breaks ties of weight.

    Parameters
    ----------
    log : MistakeLog
        The log of a learner.
    max_terms : int
        Largest number of terms to return.
    max_literals : int, optional
        Length of the longest term; None and more than 20 mean 20.
    x : array of int, optional
        An example; only the terms that it satisfies are searched.
    slack : int
        Drop a term only if a part of it weighs at least alpha to the power of `slack` times as much.
    max_nodes : int
        Number of nodes to visit before giving up.

    Returns
    -------
    Heaviest
        The terms, and whether the search was completed.

    See Also
    --------
    winnowkit.DNFWinnow.rules : The same in a table's names and values.

    Examples
    --------
    >>> log = MistakeLog(3)
    >>> for x, sign in [([1, 1, 2], +1), ([1, 1, 1], +1), ([1, 2, 2], -1), ([2, 1, 2], -1)]:
    ...     log.append(x, sign)
    >>> heaviest(log, max_terms=1)
    Heaviest(terms=[Term(literals=((0, 1), (1, 1)), net=2)], complete=True)
    """
    if max_terms < 1:
        raise ValueError(f"max_terms must be at least 1, got {max_terms}")
    if max_literals is not None and max_literals < 1:
        raise ValueError(f"max_literals must be at least 1 or None, got {max_literals}")
    codes: Codes = np.ascontiguousarray(log.arrays.codes[:, : len(log)])
    if codes.min(initial=0) < 0:
        raise ValueError(f"the codes of a log must not be negative; got {codes.min()}")
    nets = log.nets.copy()
    own = None if x is None else log.check(x)
    if own is not None:  # mistakes that agree alike with the example merge, and may cancel
        agrees = ((codes == own[:, None]) & (own[:, None] > 0)).astype(np.int32)
        distinct, which = np.unique(agrees, axis=1, return_inverse=True)
        merged = np.zeros(distinct.shape[1], dtype=np.int64)
        np.add.at(merged, which.ravel(), nets)
        codes, nets = np.ascontiguousarray(distinct[:, merged != 0]), merged[merged != 0]
    longest = min(MOST_LITERALS, log.n_attributes, max_literals or MOST_LITERALS)
    kept = _kept(max_terms, longest)
    complete = _deepened(codes, nets, longest, (slack, max_nodes), kept)
    terms = []
    for k in range(int(kept.size[0])):
        columns, values = (array[k, : kept.lengths[k]].tolist() for array in (kept.columns, kept.codes))
        if own is not None:
            values = own[columns].tolist()
        terms.append(Term(tuple(zip(columns, values, strict=True)), int(kept.nets[k])))
    return Heaviest(terms, complete)


def _kept(max_terms: int, longest: int) -> Kept:
    return Kept(
        nets=np.zeros(max_terms, dtype=np.int64),
        lengths=np.zeros(max_terms, dtype=np.int64),
        columns=np.zeros((max_terms, longest), dtype=np.int64),
        codes=np.zeros((max_terms, longest), dtype=np.int64),
        size=np.zeros(2, dtype=np.int64),
    )


def _deepened(codes: Codes, nets: Ints, longest: int, limits: tuple[int, int], kept: Kept) -> bool:
    """Search for short terms first: they are soon found, and leave less to the search for longer ones."""
    path = _path(codes, longest)
    for length in [short for short in SHORT if short < longest] + [longest]:
        complete, longer = search(codes, nets, (length, *limits), path, kept)
        if not (complete and longer):
            return bool(complete)
    return True


def _path(codes: Codes, longest: int) -> Path:
    n_columns, depths = codes.shape[0], longest + 1
    starts = np.zeros(n_columns + 1, dtype=np.int64)
    starts[1:] = np.cumsum(codes.max(axis=1, initial=0) + 1)
    return Path(
        column=np.zeros(depths, dtype=np.int64),
        code=np.zeros(depths, dtype=np.int64),
        best=np.zeros(depths, dtype=np.int64),
        ends=np.zeros(depths + 1, dtype=np.int64),
        cover=np.zeros(codes.shape[1] * (depths + 1) + 1, dtype=np.int64),
        columns=np.zeros((depths, n_columns), dtype=np.int64),
        n_columns=np.zeros(depths, dtype=np.int64),
        at=np.zeros(depths, dtype=np.int64),
        starts=starts,
        net=np.zeros((depths, starts[-1]), dtype=np.int64),
        positive=np.zeros((depths, starts[-1]), dtype=np.int64),
        table=np.zeros(1 << longest, dtype=np.int64),
    )
