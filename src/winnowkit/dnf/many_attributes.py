"""Problems of more attributes than a machine word has bits, cut into pieces that fit.

As in :mod:`winnowkit.dnf.kernels.branch`, subsets are split by their highest attribute. Sets are Python integers
here, so nothing limits their size; a few cuts leave pieces of one word, which the kernels sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from winnowkit.core.bits import MAX_BITS
from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.kernels.branch import branch
from winnowkit.dnf.kernels.problem import Ints, make_space, open_root


@dataclass(frozen=True)
class SubsetsPiece:
    """Sets over `live` attributes, at most ``MAX_BITS``, each subset standing for ``2**free``."""

    sets: Ints
    nets: Ints
    live: int
    free: int


def pieces(agreement: Agreement, max_pieces: int) -> tuple[int, list[SubsetsPiece]]:
    """Cut a problem into the number of subsets that lie in no set (net 0), and pieces that share out the others.

    Stops, incomplete, after more than `max_pieces`.
    """
    live, dead, free = agreement.n_live, agreement.n_dead, agreement.n_free
    outside = ((1 << dead) - 1) << (live + free)
    if live <= MAX_BITS:
        return outside, [SubsetsPiece(agreement.sets[:, 0], agreement.nets, live, free)]
    found: list[SubsetsPiece] = []
    sets = [sum(word << (MAX_BITS * w) for w, word in enumerate(row)) for row in agreement.sets.tolist()]
    open_branches = [(list(zip(sets, agreement.nets.tolist(), strict=True)), (1 << live) - 1, free)]
    while open_branches and len(found) <= max_pieces:
        members, rest, free = open_branches.pop()
        if not members:
            outside += 1 << (rest.bit_count() + free)
            continue
        union, common = 0, rest
        for g, _ in members:
            union |= g
            common &= g
        union &= rest
        outside += ((1 << rest.bit_count()) - (1 << union.bit_count())) << free
        free += common.bit_count()
        rest = union & ~common
        if rest.bit_count() <= MAX_BITS:
            found.append(_piece(members, rest, free))
            continue
        high = 1 << (rest.bit_length() - 1)
        below = rest ^ high
        open_branches.append((members, below, free))
        open_branches.append(([member for member in members if member[0] & high], below, free))
    return outside, found


def _piece(members: list[tuple[int, int]], rest: int, free: int) -> SubsetsPiece:
    places = [b for b in range(rest.bit_length()) if rest >> b & 1]
    sets = [sum((g >> b & 1) << i for i, b in enumerate(places)) for g, _ in members]
    nets = [net for _, net in members]
    return SubsetsPiece(np.array(sets, dtype=np.int64), np.array(nets, dtype=np.int64), len(places), free)


def tally_of(piece: SubsetsPiece, reach: int, max_nodes: int) -> tuple[Ints, int]:
    """Count the subsets of one piece by net, net ``-reach`` first; and the nodes visited."""
    space = make_space(len(piece.nets), piece.live, tally_reach=reach)
    space.sets[: len(piece.nets)], space.nets[: len(piece.nets)] = piece.sets, piece.nets
    open_root(space, len(piece.nets), piece.live)
    _, nodes = branch(space, 0, np.empty(0), max_nodes)
    return space.tally, nodes
