"""The heaviest terms of a log of mistakes, by branch and bound.

A term is a set of literals (column, code); its net is the sum of the nets of the mistakes that it covers. Wanted are
the terms of largest net whose parts (the terms of some of their literals, but not of none) all have smaller ones, or at
least none larger by `slack` or more; one for each set of mistakes covered. The search adds literals in the order of
columns: a term that extends another covers some of its mistakes, so its net is at most the sum of the positive ones
among them; and it must not fall behind the net of any term on the way to it. A column none of whose literals can join
a term cannot join what extends the term either (as in Webb's OPUS, 1995): each node looks at its parent's columns only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from winnowkit.core.jit import jit_uncounted
from winnowkit.dnf.kernels.problem import Codes, Ints, U

MOST_LITERALS = 20
"""Longest term that is looked for: its sub-terms are compared in a table of ``2**20`` cells."""


class Kept(NamedTuple):
    """The best terms so far, the best first: nets, lengths, literals; `size` counts terms kept and nodes visited."""

    nets: Ints
    lengths: Ints
    columns: Ints
    codes: Ints
    size: Ints


class Path(NamedTuple):
    """Scratch memory of the search: one row per literal of the current term.

    `columns` are those that may give this literal, `at` which of them does; `net` and `positive` have a cell for each
    code of each column, those of a column from `starts` on.
    """

    column: Ints
    code: Ints
    best: Ints
    ends: Ints
    cover: Ints
    columns: Ints
    n_columns: Ints
    at: Ints
    starts: Ints
    net: Ints
    positive: Ints
    table: Ints


@jit_uncounted
def is_wanted(net: int, length: int, kept: Kept) -> bool:
    """Tell whether a term of this net and length would be among the best: equal nets go by length, then by columns."""
    last = kept.nets.size - 1
    if kept.size[0] <= last:
        return net > 0
    return net > kept.nets[last] or (net == kept.nets[last] and length < kept.lengths[last])


@jit_uncounted
def histogram(codes: Codes, nets: Ints, path: Path, depth: int, column: int) -> None:
    """Nets and positive nets of the mistakes covered at `depth`, by their code in a column."""
    net, positive = path.net[depth], path.positive[depth]
    start, end = path.starts[column], path.starts[column + 1]
    for cell in range(start, end):
        net[cell], positive[cell] = 0, 0
    own = codes[column]
    for k in range(path.ends[depth], path.ends[depth + 1]):
        s = path.cover[U(k)]
        cell = start + own[U(s)]
        net[U(cell)] += nets[U(s)]
        positive[U(cell)] += max(0, nets[U(s)])


@jit_uncounted
def open_node(codes: Codes, nets: Ints, path: Path, kept: Kept, depth: int, slack: int) -> None:
    """Find the columns that may give the literal at `depth`: of the parent's, those after its own."""
    first = 0 if depth == 0 else path.at[depth - 1] + 1
    count = 0
    for i in range(first, path.n_columns[max(depth - 1, 0)] if depth else codes.shape[0]):
        column = path.columns[depth - 1, i] if depth else i
        histogram(codes, nets, path, depth, column)
        for cell in range(path.starts[column] + 1, path.starts[column + 1]):  # the first cell is of the unspecified
            positive = path.positive[depth, cell]
            if positive + slack > path.best[depth] and is_wanted(positive, depth + 1, kept):
                path.columns[depth, count] = column
                count += 1
                break
    path.n_columns[depth], path.at[depth] = count, -1
    path.column[depth], path.code[depth] = -1, 0


@jit_uncounted
def misses(codes: Codes, s: int, path: Path, length: int) -> np.int64:
    """Bits of the literals of the current term that mistake `s` does not satisfy."""
    bits = np.int64(0)
    for i in range(length):
        bits |= np.int64(codes[path.column[i], s] != path.code[i]) << i
    return bits


@jit_uncounted
def is_shortest(codes: Codes, n_mistakes: int, path: Path, length: int) -> bool:
    """Tell whether each literal matters: it is the only one, or some mistake is not covered because of it alone."""
    needed, every = np.int64(length == 1), (1 << length) - 1
    for s in range(n_mistakes):
        bits = misses(codes, s, path, length)
        if bits & (bits - 1) == 0:
            needed |= bits
            if needed == every:
                return True
    return needed == every


@jit_uncounted
def outweighs_parts(codes: Codes, nets: Ints, path: Path, length: int, net: int) -> bool:
    """Tell whether all parts of the current term have nets below `net`; by sums over subsets of what is missed."""
    size = 1 << length
    table = path.table[:size]
    table[:] = 0
    for s in range(nets.size):
        table[misses(codes, s, path, length)] += nets[s]
    for i in range(length):
        for cell in range(size):
            if cell >> i & 1:
                table[cell] += table[cell ^ (1 << i)]
    # Cell by cell, the literals in it left out: covered is what misses no other.
    highest = net - 1
    for cell in range(1, size - 1):
        highest = max(highest, table[cell])
    return highest < net


@jit_uncounted
def covers_alike(codes: Codes, n_mistakes: int, path: Path, length: int, kept: Kept, k: int) -> bool:
    """Tell whether the current term covers the same mistakes as the kept term `k`."""
    for s in range(n_mistakes):
        other = True
        for i in range(kept.lengths[k]):
            other = other and codes[kept.columns[k, i], s] == kept.codes[k, i]
        if other != (misses(codes, s, path, length) == 0):
            return False
    return True


@jit_uncounted
def keep(codes: Codes, n_mistakes: int, path: Path, length: int, net: int, kept: Kept) -> None:
    """Put the current term among the best, in place of a longer one that covers the same mistakes."""
    size = kept.size[0]
    last = min(size, kept.nets.size - 1)
    for k in range(size):
        if kept.nets[k] == net and covers_alike(codes, n_mistakes, path, length, kept, k):
            if kept.lengths[k] <= length:
                return
            last, size = k, size - 1
            break
    at = last
    while at > 0 and (kept.nets[at - 1] < net or (kept.nets[at - 1] == net and kept.lengths[at - 1] > length)):
        kept.nets[at], kept.lengths[at] = kept.nets[at - 1], kept.lengths[at - 1]
        for i in range(kept.columns.shape[1]):
            kept.columns[at, i], kept.codes[at, i] = kept.columns[at - 1, i], kept.codes[at - 1, i]
        at -= 1
    kept.nets[at], kept.lengths[at] = net, length
    for i in range(length):
        kept.columns[at, i], kept.codes[at, i] = path.column[i], path.code[i]
    kept.size[0] = min(size + 1, kept.nets.size)


@jit_uncounted
def descend(codes: Codes, path: Path, depth: int, net: int) -> None:
    """Make the mistakes that the current term covers those of the next depth."""
    column, value = codes[path.column[depth]], path.code[depth]
    end = path.ends[depth + 1]
    for k in range(path.ends[depth], path.ends[depth + 1]):
        s = path.cover[U(k)]
        path.cover[U(end)] = s
        end += column[U(s)] == value
    path.ends[depth + 2] = end
    path.best[depth + 1] = max(path.best[depth], net)


@jit_uncounted
def next_literal(path: Path, depth: int) -> bool:
    """Go on to the next code, or to the next column that may give one; False if there is none."""
    path.code[depth] += 1
    column = path.column[depth]
    if path.at[depth] >= 0 and path.code[depth] < path.starts[column + 1] - path.starts[column]:
        return True
    path.at[depth] += 1
    if path.at[depth] >= path.n_columns[depth]:
        return False
    path.column[depth], path.code[depth] = path.columns[depth, path.at[depth]], 1
    return True


@jit_uncounted
def search(codes: Codes, nets: Ints, limits: tuple[int, int, int], path: Path, kept: Kept) -> tuple[bool, bool]:
    """Add the best terms to `kept`; `limits` are literals, slack and nodes.

    Returns whether there were no more nodes than that, and whether longer terms might be among the best.
    """
    max_literals, slack, max_nodes = limits
    for s in range(nets.size):
        path.cover[s] = s
    path.ends[0], path.ends[1], path.best[0] = 0, nets.size, 0
    depth, longer = 0, False
    open_node(codes, nets, path, kept, depth, slack)
    while depth >= 0:
        if not next_literal(path, depth):
            depth -= 1
            continue
        cell, length = path.starts[path.column[depth]] + path.code[depth], depth + 1
        net, positive = path.net[depth, cell], path.positive[depth, cell]
        if positive + slack <= path.best[depth]:
            continue
        good = net + slack > path.best[depth] and is_wanted(net, length, kept)
        more = positive + slack > net and is_wanted(positive, length + 1, kept)
        if not (good or more) or not is_shortest(codes, nets.size, path, length):
            continue
        if good and outweighs_parts(codes, nets, path, length, net + slack):
            keep(codes, nets.size, path, length, net, kept)
        if more and length == max_literals:
            longer = True
        elif more:
            kept.size[1] += 1
            if kept.size[1] > max_nodes:
                return False, True
            descend(codes, path, depth, net)
            depth += 1
            open_node(codes, nets, path, kept, depth, slack)
    return True, longer
