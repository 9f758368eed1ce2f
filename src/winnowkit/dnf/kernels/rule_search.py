"""Find the conjunction of conditions with the largest gain over rows: a beam search, one more condition at each step.

Every row has a gain: positive if it would be good to cover it, negative if it would be bad. A conjunction is worth the
gains of the rows that it covers, less a price for itself and for each of its conditions. Whether one more condition
pays is counted for all conditions of a column at once, by cumulative sums of the gains of its cells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnowkit.core.jit import jit
from winnowkit.dnf.kernels.problem import Floats, Ints

Marks = npt.NDArray[np.uint64]

AT_MOST, ABOVE, EQUAL = 0, 1, 2
"""Kinds of conditions: ordered cells up to a cell, ordered cells above a cell, and one unordered cell."""
CAREFUL = 4.0
"""How much a loss weighs in comparison with a gain for the careful half of the beam."""


class RuleCells(NamedTuple):
    """Rows as the search sees them.

    Row i lies in the place ``places[i, j]`` of column j, whose places begin with ``first[j]`` (nothing specified); the
    next ``n_ordered[j]`` are its ordered cells. ``marks`` has a random number per row: sums of them tell sets of rows
    apart.
    """

    places: npt.NDArray[np.int32]
    first: Ints
    n_ordered: Ints
    marks: Marks


class SearchLimits(NamedTuple):
    """What the search may do: the most conditions, the width of the beam, the number of results; and the costs."""

    max_literals: int
    width: int
    n_kept: int
    price: float
    wrong_cost: float


class Best(NamedTuple):
    """The best so far: their scores, the marks of the rows that they cover, and what they are; and their number."""

    scores: Floats
    marks: Marks
    what: Ints
    n: Ints


class Beam(NamedTuple):
    """Conjunctions that are to be extended: their conditions as (column, kind, cell), and the rows that they cover."""

    terms: Ints
    lengths: Ints
    rows: npt.NDArray[np.int32]
    sizes: Ints


class Found(NamedTuple):
    """The results so far; the next members of the beam by their gains, and by gains with losses counted more.

    In both scores the losses are multiplied by `scale`, which makes those of all rows no more than their gains.
    """

    kept: Best
    broad: Best
    careful: Best
    scale: float


class Step(NamedTuple):
    """A further condition, and the mark of the rows that are left."""

    column: int
    kind: int
    code: int
    mark: np.uint64


class Sums(NamedTuple):
    """Of each place: the sums of positive gains, of negative ones without their sign, and of the marks of its rows."""

    up: Floats
    down: Floats
    marks: Marks


@jit
def holds(cell: int, kind: int, code: int, n_ordered: int) -> bool:
    """Tell whether a cell satisfies a condition."""
    if kind == AT_MOST:
        return 1 <= cell <= code
    if kind == ABOVE:
        return code < cell <= n_ordered
    return cell == code


@jit
def offer(best: Best, score: float, mark: np.uint64, b: int, j: int, kind: int, code: int) -> int:
    """Take in a candidate if it is among the best and no other covers the same rows; return its place, or -1."""
    n, at = best.n[0], -1
    for q in range(n):
        if best.marks[q] == mark:
            if score <= best.scores[q]:
                return -1
            at = q
    if at < 0 and n < best.scores.size:
        at, best.n[0] = n, n + 1
    if at < 0:
        at = 0
        for q in range(1, n):
            if best.scores[q] < best.scores[at]:
                at = q
        if score <= best.scores[at]:
            return -1
    best.scores[at], best.marks[at] = score, mark
    best.what[at, 0], best.what[at, 1], best.what[at, 2], best.what[at, 3] = b, j, kind, code
    return at


@jit
def keep(kept: Best, at: int, beam: Beam, b: int) -> None:
    """Write down all conditions of a result: those of the member `b` of the beam come first."""
    length = beam.lengths[b]
    for l in range(length):  # noqa: E741 - the place of a literal
        for x in range(3):
            kept.what[at, 5 + 3 * l + x] = beam.terms[b, l, x]
    for x in range(3):
        kept.what[at, 5 + 3 * length + x] = kept.what[at, 1 + x]
    kept.what[at, 4] = length + 1


@jit
def add_up(cells: RuleCells, gains: Floats, beam: Beam, b: int, sums: Sums) -> np.uint64:
    """Sum the gains of the rows of a member by place; return the sum of their marks."""
    sums.up[:] = 0.0
    sums.down[:] = 0.0
    sums.marks[:] = 0
    total = np.uint64(0)
    for q in range(beam.sizes[b]):
        i = beam.rows[b, q]
        gain, mark = gains[i], cells.marks[i]
        total += mark
        for j in range(cells.places.shape[1]):
            place = cells.places[i, j]
            sums.marks[place] += mark
            if gain > 0.0:
                sums.up[place] += gain
            else:
                sums.down[place] -= gain
    return total


@jit
def asks(beam: Beam, b: int, j: int, kind: int) -> bool:
    """Tell whether a member has no room for a condition of this kind on column j."""
    for l in range(beam.lengths[b]):  # noqa: E741 - the place of a literal
        if beam.terms[b, l, 0] == j:
            other = beam.terms[b, l, 1]
            if kind in (EQUAL, other) or other == EQUAL:
                return True
    return False


@jit
def keep_if_good(found: Found, beam: Beam, b: int, limits: SearchLimits, up: float, down: float, at: Step) -> bool:
    """Take in a conjunction as a result if it is worth something; tell whether it may be worth more with conditions."""
    cost = limits.price * (beam.lengths[b] + 2)
    value = up - limits.wrong_cost * down - cost
    if value > 0.0:
        place = offer(found.kept, value, at.mark, b, at.column, at.kind, at.code)
        if place >= 0:
            keep(found.kept, place, beam, b)
    return beam.lengths[b] + 1 < limits.max_literals and up > cost + limits.price


@jit
def extend_by_value(
    cells: RuleCells, beam: Beam, b: int, sums: Sums, own: np.uint64, limits: SearchLimits, found: Found, j: int
) -> None:
    """Offer a member with one more condition: column j has one of its unordered cells."""
    first = cells.first[j]
    for code in range(cells.n_ordered[j] + 1, cells.first[j + 1] - first):
        up, down, mark = sums.up[first + code], sums.down[first + code], sums.marks[first + code]
        if mark == own or up <= 0.0:
            continue
        if keep_if_good(found, beam, b, limits, up, down, Step(j, EQUAL, code, mark)):
            offer(found.broad, up - found.scale * down, mark, b, j, EQUAL, code)
            offer(found.careful, up - CAREFUL * found.scale * down, mark, b, j, EQUAL, code)


@jit
def extend_by_bound(
    cells: RuleCells,
    beam: Beam,
    b: int,
    sums: Sums,
    own: np.uint64,
    limits: SearchLimits,
    found: Found,
    j: int,
    kind: int,
) -> None:
    """Offer a member with one more condition, a bound of column j; the beam takes the best bound by either score."""
    n_ordered, at = cells.n_ordered[j], 1 if kind == AT_MOST else cells.n_ordered[j]
    up, down, mark = 0.0, 0.0, np.uint64(0)
    top, top_mark, top_code = -np.inf, np.uint64(0), -1
    sure, sure_mark, sure_code = -np.inf, np.uint64(0), -1
    for _ in range(n_ordered - 1):
        place = cells.first[j] + at
        up, down, mark = up + sums.up[place], down + sums.down[place], mark + sums.marks[place]
        code = at if kind == AT_MOST else at - 1
        at += 1 if kind == AT_MOST else -1
        if mark == own or up <= 0.0:
            continue
        if keep_if_good(found, beam, b, limits, up, down, Step(j, kind, code, mark)):
            if up - found.scale * down > top:
                top, top_mark, top_code = up - found.scale * down, mark, code
            if up - CAREFUL * found.scale * down > sure:
                sure, sure_mark, sure_code = up - CAREFUL * found.scale * down, mark, code
    if top_code >= 0:
        offer(found.broad, top, top_mark, b, j, kind, top_code)
        offer(found.careful, sure, sure_mark, b, j, kind, sure_code)


@jit
def extend(
    cells: RuleCells, gains: Floats, beam: Beam, b: int, sums: Sums, allowed: Ints, limits: SearchLimits, found: Found
) -> None:
    """Offer all conjunctions of a member and one more condition."""
    own = add_up(cells, gains, beam, b, sums)
    for j in range(cells.places.shape[1]):
        if (allowed[j] >> EQUAL) & 1 and not asks(beam, b, j, EQUAL):
            extend_by_value(cells, beam, b, sums, own, limits, found, j)
        for kind in (AT_MOST, ABOVE):
            if (allowed[j] >> kind) & 1 and not asks(beam, b, j, kind):
                extend_by_bound(cells, beam, b, sums, own, limits, found, j, kind)


@jit
def add_member(cells: RuleCells, beam: Beam, b: int, what: Ints, new: Beam, at: int) -> None:
    """Make the member `at` of the next beam out of the member `b` and one more condition."""
    j, kind, code, length = what[1], what[2], what[3], beam.lengths[b]
    new.terms[at] = beam.terms[b]
    new.terms[at, length, 0], new.terms[at, length, 1], new.terms[at, length, 2] = j, kind, code
    new.lengths[at] = length + 1
    n = 0
    for q in range(beam.sizes[b]):
        i = beam.rows[b, q]
        if holds(cells.places[i, j] - cells.first[j], kind, code, cells.n_ordered[j]):
            new.rows[at, n] = i
            n += 1
    new.sizes[at] = n


@jit
def next_members(cells: RuleCells, beam: Beam, found: Found, new: Beam) -> int:
    """Make the next beam; return its size. A conjunction that is the best by both scores comes once."""
    n_broad, n_members = found.broad.n[0], 0
    for s in range(n_broad):
        add_member(cells, beam, found.broad.what[s, 0], found.broad.what[s], new, n_members)
        n_members += 1
    for s in range(found.careful.n[0]):
        twice = False
        for q in range(n_broad):
            twice = twice or found.broad.marks[q] == found.careful.marks[s]
        if not twice:
            add_member(cells, beam, found.careful.what[s, 0], found.careful.what[s], new, n_members)
            n_members += 1
    return n_members


@jit
def new_beam(n_members: int, max_literals: int, n_rows: int) -> Beam:
    """Allocate a beam."""
    return Beam(
        np.zeros((n_members, max_literals, 3), np.int64),
        np.zeros(n_members, np.int64),
        np.empty((n_members, n_rows), np.int32),
        np.zeros(n_members, np.int64),
    )


@jit
def new_best(n: int, width: int) -> Best:
    """Allocate an empty list of the best."""
    return Best(np.empty(n), np.empty(n, np.uint64), np.zeros((n, width), np.int64), np.zeros(1, np.int64))


@jit
def start_beam(cells: RuleCells, gains: Floats, starts: Ints, start_lengths: Ints, beam: Beam) -> float:
    """Begin with the empty conjunction and with `starts`; return the gains of all rows over their losses, at most 1."""
    total_up, total_down, n = 1e-9, 1e-9, 0
    for i in range(gains.size):
        if gains[i] != 0.0:
            beam.rows[0, n] = i
            n += 1
            total_up += max(gains[i], 0.0)
            total_down -= min(gains[i], 0.0)
    beam.sizes[0] = n
    for s in range(start_lengths.size):
        beam.terms[s + 1] = starts[s]
        beam.lengths[s + 1] = start_lengths[s]
        n = 0
        for q in range(beam.sizes[0]):
            i, inside = beam.rows[0, q], True
            for l in range(start_lengths[s]):  # noqa: E741 - the place of a literal
                j = starts[s, l, 0]
                cell = cells.places[i, j] - cells.first[j]
                inside = inside and holds(cell, starts[s, l, 1], starts[s, l, 2], cells.n_ordered[j])
            if inside:
                beam.rows[s + 1, n] = i
                n += 1
        beam.sizes[s + 1] = n
    return min(1.0, total_up / total_down)


@jit
def search(
    cells: RuleCells, gains: Floats, allowed: Ints, limits: SearchLimits, starts: Ints, start_lengths: Ints
) -> tuple[Floats, Ints]:
    """Find conjunctions that are worth most; return their worths and conditions, the best first.

    Bit k of ``allowed[j]`` says whether column j may have conditions of kind k. `starts` are conjunctions to extend,
    beside the empty one. A result is an array: the number of conditions in place 4, then (column, kind, cell) for each.
    """
    n_starts, half = start_lengths.size, max(1, limits.width // 2)
    n_members, most = 1 + n_starts, max(2 * half, 1 + n_starts)
    beam = new_beam(most, limits.max_literals, gains.size)
    new = new_beam(most, limits.max_literals, gains.size)
    scale = start_beam(cells, gains, starts, start_lengths, beam)
    n_places = cells.first[-1]
    sums = Sums(np.zeros(n_places), np.zeros(n_places), np.zeros(n_places, np.uint64))
    kept = new_best(limits.n_kept, 5 + 3 * limits.max_literals)
    found = Found(kept, new_best(half, 4), new_best(half, 4), scale)
    for _ in range(limits.max_literals):
        found.broad.n[0] = found.careful.n[0] = 0
        for b in range(n_members):
            if beam.lengths[b] < limits.max_literals and beam.sizes[b]:
                extend(cells, gains, beam, b, sums, allowed, limits, found)
        n_members = next_members(cells, beam, found, new)
        if not n_members:
            break
        beam, new = new, beam
    order = np.argsort(-kept.scores[: kept.n[0]])
    return kept.scores[order], kept.what[order]
