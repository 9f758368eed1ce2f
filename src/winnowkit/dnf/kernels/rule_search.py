"""Find the conjunction of conditions with the largest gain over rows: a beam search, one more condition at each step.

Every row has a gain: positive if it would be good to cover it, negative if it would be bad. A conjunction is worth the
gains of the rows that it covers, less a price for itself and for each of its conditions. Whether one more condition
pays is counted for all conditions of a column at once, by cumulative sums of the gains of its cells.

Summing the gains of rows by cell takes nearly all of the time. So the gain of a row and its mark, a random number that
tells sets of rows apart, are two fields of one integer, and one addition sums both.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnowkit.core.jit import jit, jit_uncounted
from winnowkit.dnf.kernels.problem import Floats, Ints

Marks = npt.NDArray[np.uint64]

AT_MOST, ABOVE, EQUAL = 0, 1, 2
"""Kinds of conditions: ordered cells up to a cell, ordered cells above a cell, and one unordered cell."""
CAREFUL = 4.0
"""How much a loss weighs in comparison with a gain for the careful half of the beam."""


PATIENCE = 2
"""Conditions that are added in vain before the search ends."""


class RuleCells(NamedTuple):
    """Rows as the search sees them.

    Row i lies in the place ``places[i, j]`` of column j, whose places begin with ``first[j]`` (nothing specified); the
    next ``n_ordered[j]`` are its ordered cells. ``marks`` has a random number per row: sums of them tell sets of rows
    apart.
    """

    places: npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
    first: Ints
    n_ordered: Ints
    marks: Marks


class SearchLimits(NamedTuple):
    """The limits of the search (most conditions, width of the beam) and its costs."""

    max_literals: int
    width: int
    price: float
    wrong_cost: float


class Best(NamedTuple):
    """The best so far: their scores, the marks of the rows that they cover, and what they are; and their number.

    What scores no more than ``floor[0]`` is not among them.
    """

    scores: Floats
    marks: Marks
    what: Ints
    n: Ints
    floor: Floats


class Beam(NamedTuple):
    """Conjunctions that are to be extended: their conditions as (column, kind, cell), and the rows that they cover."""

    terms: Ints
    lengths: Ints
    rows: npt.NDArray[np.uint32]
    sizes: Ints


class Found(NamedTuple):
    """The result so far; the next members of the beam by their gains, and by gains with losses counted more.

    The result has its worth in ``worth[0]``, its number of conditions in ``length[0]``, and the conditions themselves
    in `term`. In both scores of the beam the losses are multiplied by `scale`, which makes those of all rows no more
    than their gains.
    """

    worth: Floats
    length: Ints
    term: Ints
    broad: Best
    careful: Best
    scale: float


class Packed(NamedTuple):
    """The gains of the rows, as integers: ``values[i]`` has the size of the gain of row i above, and its mark below.

    Sums of the marks take the lowest ``mark_bits`` bits; what is above them, times `unit`, is the sum of the gains.
    ``first[i]`` is where the sums of its sign begin: those of gains come first, those of losses after all places.
    """

    values: Marks
    first: Marks
    mark_bits: np.uint64
    unit: float


@jit_uncounted
def holds(cell: int, kind: int, code: int, n_ordered: int) -> bool:
    """Tell whether a cell satisfies a condition."""
    if kind == AT_MOST:
        return 1 <= cell <= code
    if kind == ABOVE:
        return code < cell <= n_ordered
    return cell == code


@jit_uncounted
def offer(best: Best, score: float, mark: np.uint64, b: int, j: int, kind: int, code: int) -> None:
    """Take in a candidate if it is among the best and no other covers the same rows."""
    n, at = best.n[0], -1
    for q in range(n):
        if best.marks[q] == mark:
            if score <= best.scores[q]:
                return
            at = q
    if at < 0 and n < best.scores.size:
        at, best.n[0] = n, n + 1
    if at < 0:
        at = 0
        for q in range(1, n):
            if best.scores[q] < best.scores[at]:
                at = q
        if score <= best.scores[at]:
            return
    best.scores[at], best.marks[at] = score, mark
    best.what[at, 0], best.what[at, 1], best.what[at, 2], best.what[at, 3] = b, j, kind, code
    if best.n[0] == best.scores.size:
        best.floor[0] = np.inf
        for q in range(best.scores.size):
            best.floor[0] = min(best.floor[0], best.scores[q])


@jit
def pack(cells: RuleCells, gains: Floats) -> Packed:
    """Pack gains and marks so that sums over all rows fit; the unit is a power of two, so few gains are rounded."""
    values, first, largest = np.empty(gains.size, np.uint64), np.zeros(gains.size, np.uint64), 1e-270
    for i in range(gains.size):
        largest = max(largest, abs(gains[i]))
    count_bits = math.frexp(float(gains.size))[1]
    mark_bits = (63 - 2 * count_bits) // 2
    gain_bits = 63 - 2 * count_bits - mark_bits
    scale = math.ldexp(1.0, gain_bits - math.frexp(largest)[1])
    below, unused = np.uint64(mark_bits + count_bits), np.uint64(64 - mark_bits)
    for i in range(gains.size):
        size, mark = np.uint64(abs(gains[i]) * scale + 0.5), cells.marks[i] >> unused | np.uint64(1)
        values[i] = size << below | mark
        if gains[i] < 0.0:
            first[i] = cells.first[-1]
    return Packed(values, first, below, 1.0 / scale)


@jit_uncounted
def gain_of(packed: Packed, sums: np.uint64) -> float:
    """Return the sum of gains in a sum of packed values."""
    return float(sums >> packed.mark_bits) * packed.unit


@jit_uncounted
def mark_of(packed: Packed, sums: np.uint64) -> np.uint64:
    """Return the sum of marks in a sum of packed values."""
    return sums & ((np.uint64(1) << packed.mark_bits) - np.uint64(1))


@jit_uncounted
def add_up(cells: RuleCells, packed: Packed, beam: Beam, b: int, sums: Marks) -> np.uint64:
    """Sum the gains of the rows of a member by place, and their losses by place; return the sum of their marks."""
    places, rows, total = cells.places, beam.rows[b], np.uint64(0)
    sums[:] = 0
    for q in range(beam.sizes[b]):
        i = rows[q]
        value, first = packed.values[i], packed.first[i]
        total += mark_of(packed, value)
        for j in range(places.shape[1]):
            sums[first + places[i, j]] += value
    return total


@jit_uncounted
def asks(beam: Beam, b: int, j: int, kind: int) -> bool:
    """Tell whether a member has no room for a condition of this kind on column j."""
    for l in range(beam.lengths[b]):  # noqa: E741 - the place of a literal
        if beam.terms[b, l, 0] == j:
            other = beam.terms[b, l, 1]
            if kind in (EQUAL, other) or other == EQUAL:
                return True
    return False


@jit_uncounted
def copy_terms(conditions: Ints, length: int, out: Ints) -> None:
    """Copy conditions; numba's own assignment of arrays takes far longer to compile."""
    for l in range(length):  # noqa: E741 - the place of a literal
        out[l, 0], out[l, 1], out[l, 2] = conditions[l, 0], conditions[l, 1], conditions[l, 2]


@jit_uncounted
def keep(found: Found, beam: Beam, worth: float, b: int, j: int, kind: int, code: int) -> None:
    """Make the member `b` of the beam with one more condition the result."""
    length, term = beam.lengths[b], found.term
    found.worth[0], found.length[0] = worth, length + 1
    copy_terms(beam.terms[b], length, term)
    term[length, 0], term[length, 1], term[length, 2] = j, kind, code


@jit_uncounted
def extend_by_value(
    cells: RuleCells,
    packed: Packed,
    beam: Beam,
    b: int,
    sums: Marks,
    own: np.uint64,
    limits: SearchLimits,
    found: Found,
    j: int,
) -> None:
    """Offer a member with one more condition: column j has one of its unordered cells."""
    first, n_places, cost = cells.first[j], cells.first[-1], limits.price * (beam.lengths[b] + 2)
    goes_on, best, broad, careful = beam.lengths[b] + 1 < limits.max_literals, found.worth, found.broad, found.careful
    for code in range(cells.n_ordered[j] + 1, cells.first[j + 1] - first):
        plus, minus = sums[first + code], sums[n_places + first + code]
        up, down = gain_of(packed, plus), gain_of(packed, minus)
        mark = mark_of(packed, plus) + mark_of(packed, minus)
        if mark == own or up - cost <= best[0]:  # whatever further conditions it gets, it gains no more
            continue
        worth = up - limits.wrong_cost * down - cost
        if worth > best[0]:
            keep(found, beam, worth, b, j, EQUAL, code)
        if goes_on and up - found.scale * down > broad.floor[0]:
            offer(broad, up - found.scale * down, mark, b, j, EQUAL, code)
        if goes_on and up - CAREFUL * found.scale * down > careful.floor[0]:
            offer(careful, up - CAREFUL * found.scale * down, mark, b, j, EQUAL, code)


@jit_uncounted
def extend_by_bound(
    cells: RuleCells,
    packed: Packed,
    beam: Beam,
    b: int,
    sums: Marks,
    own: np.uint64,
    limits: SearchLimits,
    found: Found,
    j: int,
    kind: int,
) -> None:
    """Offer a member with one more condition, the bound of column j that is best by each of the scores."""
    n_ordered, at = cells.n_ordered[j], 1 if kind == AT_MOST else cells.n_ordered[j]
    cost, scale, wrong_cost = limits.price * (beam.lengths[b] + 2), found.scale, limits.wrong_cost
    least, first, n_places = found.worth[0], cells.first[j], cells.first[-1]
    plus = minus = mark = np.uint64(0)
    worth, best_code = least, -1
    top, top_mark, top_code = found.broad.floor[0], mark, -1
    sure, sure_mark, sure_code = found.careful.floor[0], mark, -1
    for _ in range(n_ordered - 1):
        place = first + at
        plus, minus = plus + sums[place], minus + sums[n_places + place]
        up, down = gain_of(packed, plus), gain_of(packed, minus)
        mark = mark_of(packed, plus) + mark_of(packed, minus)
        code = at if kind == AT_MOST else at - 1
        at += 1 if kind == AT_MOST else -1
        if mark == own or up - cost <= least:  # whatever further conditions it gets, it gains no more
            continue
        if up - wrong_cost * down - cost > worth:
            worth, best_code = up - wrong_cost * down - cost, code
        if up - scale * down > top:
            top, top_mark, top_code = up - scale * down, mark, code
        if up - CAREFUL * scale * down > sure:
            sure, sure_mark, sure_code = up - CAREFUL * scale * down, mark, code
    if best_code >= 0:
        keep(found, beam, worth, b, j, kind, best_code)
    if beam.lengths[b] + 1 < limits.max_literals:
        if top_code >= 0:
            offer(found.broad, top, top_mark, b, j, kind, top_code)
        if sure_code >= 0:
            offer(found.careful, sure, sure_mark, b, j, kind, sure_code)


@jit_uncounted
def extend(
    cells: RuleCells, packed: Packed, beam: Beam, b: int, sums: Marks, allowed: Ints, limits: SearchLimits, found: Found
) -> None:
    """Offer all conjunctions of a member and one more condition."""
    own = add_up(cells, packed, beam, b, sums)
    for j in range(cells.places.shape[1]):
        if (allowed[j] >> EQUAL) & 1 and not asks(beam, b, j, EQUAL):
            extend_by_value(cells, packed, beam, b, sums, own, limits, found, j)
        for kind in (AT_MOST, ABOVE):
            if (allowed[j] >> kind) & 1 and not asks(beam, b, j, kind):
                extend_by_bound(cells, packed, beam, b, sums, own, limits, found, j, kind)


@jit_uncounted
def add_member(cells: RuleCells, beam: Beam, b: int, what: Ints, new: Beam, at: int) -> None:
    """Make the member `at` of the next beam out of the member `b` and one more condition."""
    j, kind, code, length = what[1], what[2], what[3], beam.lengths[b]
    copy_terms(beam.terms[b], length, new.terms[at])
    new.terms[at, length, 0], new.terms[at, length, 1], new.terms[at, length, 2] = j, kind, code
    new.lengths[at] = length + 1
    n = 0
    for q in range(beam.sizes[b]):
        i = beam.rows[b, q]
        if holds(cells.places[i, j] - cells.first[j], kind, code, cells.n_ordered[j]):
            new.rows[at, n] = i
            n += 1
    new.sizes[at] = n


@jit_uncounted
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
        np.empty((n_members, n_rows), np.uint32),
        np.zeros(n_members, np.int64),
    )


@jit
def new_best(n: int) -> Best:
    """Allocate an empty list of the best."""
    what = np.zeros((n, 4), np.int64)
    return Best(np.empty(n), np.empty(n, np.uint64), what, np.zeros(1, np.int64), np.empty(1))


@jit_uncounted
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
        copy_terms(starts[s], start_lengths[s], beam.terms[s + 1])
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
) -> Ints:
    """Find the conjunction that is worth most; return its conditions, (column, kind, cell) each: none if none gains.

    Bit k of ``allowed[j]`` says whether column j may have conditions of kind k. `starts` are conjunctions to extend,
    beside the empty one.
    """
    n_starts, half = start_lengths.size, max(1, limits.width // 2)
    n_members, most = 1 + n_starts, max(2 * half, 1 + n_starts)
    beam = new_beam(most, limits.max_literals, gains.size)
    new = new_beam(most, limits.max_literals, gains.size)
    scale = start_beam(cells, gains, starts, start_lengths, beam)
    packed, sums = pack(cells, gains), np.zeros(2 * cells.first[-1], np.uint64)
    term = np.zeros((limits.max_literals, 3), np.int64)
    found = Found(np.zeros(1), np.zeros(1, np.int64), term, new_best(half), new_best(half), scale)
    before, in_vain = 0.0, 0
    for _ in range(limits.max_literals):
        found.broad.n[0] = found.careful.n[0] = 0
        found.broad.floor[0] = found.careful.floor[0] = -np.inf
        for b in range(n_members):
            if beam.lengths[b] < limits.max_literals and beam.sizes[b]:
                extend(cells, packed, beam, b, sums, allowed, limits, found)
        before, in_vain = found.worth[0], 0 if found.worth[0] > before else in_vain + 1
        n_members = next_members(cells, beam, found, new)
        if not n_members or (before > 0.0 and in_vain == PATIENCE):
            break
        beam, new = new, beam
    return term[: found.length[0]]
