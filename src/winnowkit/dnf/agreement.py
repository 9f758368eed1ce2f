"""The agreement of an example with the logged mistakes: all that its weighted sum depends on.

Below are sums of subsets counted by net, as exact fractions or as logarithms where floats would overflow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from winnowkit.core.bits import MAX_BITS
from winnowkit.dnf.kernels.problem import Ints, LogArrays, agree, make_space, pack
from winnowkit.dnf.log import MistakeLog


@dataclass(frozen=True, eq=False)
class Agreement:
    """The sets G_s of attributes on which an example x agrees with each mistake s (specified in both and equal).

    The weighted sum of x is ``sum over A subset of spec(x) of alpha^net(A)``, where ``net(A)`` adds the nets of the
    sets that contain A. Equal sets are merged, their nets added, and those of net 0 dropped; attributes in all of the
    sets (*free*: each doubles the sum) or in none (*dead*: a subset with one has net 0) have no bit.

    Parameters
    ----------
    sets : array of int64, shape (n_sets, n_words)
        The distinct sets, ``MAX_BITS`` (62) attributes per word, the most shared attribute in the lowest bit of word 0.
    nets : array of int64, shape (n_sets,)
        Promotions less demotions of each set.
    n_live, n_dead, n_free : int
        Attributes of x with a bit, in no set, and in all of them; together the paper's n_t.
    n_promotions, n_demotions : int
        All mistakes of the log, merged or not; together the paper's m_t.
    n_columns : int
        All attributes, specified or not: the paper's n.

    See Also
    --------
    MistakeLog : The mistakes that an example is compared with.
    Exact : The engine that sums over it.

    Examples
    --------
    >>> log = MistakeLog(3)
    >>> log.append([1, 1, 2], +1)
    >>> log.append([1, 2, 2], -1)
    >>> Agreement.of(log, [1, 1, 1])
    Agreement(n_sets=2, n_live=1, n_dead=1, n_free=1)
    """

    sets: Ints
    nets: Ints
    n_live: int
    n_dead: int
    n_free: int
    n_promotions: int
    n_demotions: int
    n_columns: int

    @classmethod
    def of(cls, log: MistakeLog, x: npt.ArrayLike) -> Agreement:
        """Compare the example `x` (one code per attribute, 0 unspecified) with every mistake in `log`."""
        row = log.check(x)
        space = make_space(len(log), log.n_attributes)
        nothing = LogArrays(log.arrays.codes, log.nets[:0], 0)
        size, live, dead, free = agree(log.arrays, nothing, row, space, True)
        if live <= MAX_BITS:
            sets, nets = space.sets[:size, None], space.nets[:size]
        else:
            sets, nets = _pack_words(log, row, space.place[:live])
        return cls(sets.copy(), nets.copy(), live, dead, free, log.n_promotions, log.n_demotions, log.n_attributes)

    def members(self) -> npt.NDArray[np.bool_]:
        """Tell which set has which of the live attributes, as booleans of shape (n_sets, n_live): the sets unpacked.

        Returns
        -------
        array of bool
            One row per set, one column per live attribute.

        Examples
        --------
        >>> log = MistakeLog(3)
        >>> log.append([1, 1, 2], +1)
        >>> log.append([1, 2, 1], -1)
        >>> Agreement.of(log, [1, 1, 1]).members().astype(int)
        array([[1, 0],
               [0, 1]])
        """
        bits = np.arange(self.n_live)
        return (self.sets[:, bits // MAX_BITS] >> (bits % MAX_BITS) & 1).astype(np.bool_)

    @property
    def n_attributes(self) -> int:
        """The paper's n_t: specified attributes of the example."""
        return self.n_live + self.n_dead + self.n_free

    @property
    def n_mistakes(self) -> int:
        """The paper's m_t: all mistakes, merged or not."""
        return self.n_promotions + self.n_demotions

    @property
    def reach(self) -> int:
        """Sum of the absolute nets: no subset's net is further from 0."""
        return int(np.abs(self.nets).sum())

    def __repr__(self) -> str:
        return f"Agreement(n_sets={len(self.nets)}, n_live={self.n_live}, n_dead={self.n_dead}, n_free={self.n_free})"


def _pack_words(log: MistakeLog, row: npt.NDArray[np.int32], place: Ints) -> tuple[Ints, Ints]:
    """Pack sets of more than ``MAX_BITS`` attributes, and merge them."""
    words = []
    for first in range(0, len(place), MAX_BITS):
        word = np.empty(len(log), dtype=np.int64)
        pack(log.arrays, row, place[first : first + MAX_BITS], word)
        words.append(word)
    sets, which = np.unique(np.stack(words, axis=1), axis=0, return_inverse=True)
    nets = np.zeros(len(sets), dtype=np.int64)
    np.add.at(nets, which.ravel(), log.nets)
    return sets[nets != 0], nets[nets != 0]


def exact_sum(counts: dict[int, int], alpha: float) -> Fraction:
    """Compute the weighted sum of subsets counted by net as a fraction, `alpha` being the fraction that the float is.

    Examples
    --------
    >>> exact_sum({0: 4, 1: 4}, 1.5)
    Fraction(10, 1)
    """
    ratio = Fraction(alpha)
    return sum((count * ratio**net for net, count in counts.items()), start=Fraction(0))


def log_of(value: Fraction) -> float:
    """Compute the logarithm of a positive fraction of any size.

    Examples
    --------
    >>> log_of(Fraction(3**700, 2)) == 700 * math.log(3) - math.log(2)
    True
    """
    try:
        return math.log(value)
    except (OverflowError, ValueError):  # too large, or so small that it becomes 0
        return math.log(value.numerator) - math.log(value.denominator)


def log_add(logs: list[float]) -> float:
    """Compute the logarithm of the sum of numbers given by their logarithms."""
    if len(logs) == 1:
        return logs[0]
    high = max(logs)
    return high + math.log(math.fsum(math.exp(value - high) for value in logs))


def log_of_counts(counts: dict[int, int], alpha: float) -> float:
    """Compute the logarithm of the weighted sum of subsets counted by net."""
    return log_add([math.log(count) + net * math.log(alpha) for net, count in counts.items()])
