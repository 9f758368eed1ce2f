"""Compares linear learners with scikit-learn, Vowpal Wabbit and river: time per pass and per example, and mistakes.

Streams are disjunctions of 5 of n attributes, 65 of them active in each row. scikit-learn learns in the order of the
rows (shuffle=False), except plain "Perceptron": its default shuffles, which takes longer than learning. Vowpal Wabbit
reads its own binary cache, so that no text is parsed while the clock runs, and has a thread for reading in addition to
the one that learns; river is given dictionaries made beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import peers
from disjunction_streams import SIZES, StreamCell, cells
from environments import ours
from peers import REFERENCE, Contender, all_rounds, data_of
from real_data import VARIABLE, Named, folder_of, real
from results import Part, Record, Table, distinct, mean_and_error, quartiles, rows_of, spread


class Size(NamedTuple):
    """The sizes of the measurements."""

    sizes: tuple[int, ...]
    rows: int
    rounds: int
    single_rows: int
    mistake_rows: int
    seeds: int


SCALES = {
    "tiny": Size((1_000,), 300, 2, 100, 300, 1),
    "quick": Size((1_000, 100_000), 20_000, 5, 5_000, 10_000, 5),
    "full": Size(SIZES, 200_000, 11, 50_000, 100_000, 10),
}
WHY_SLOWER = "it does less a row, or skips the checks that we make of every row"
WHY_MISTAKES = {
    "Vowpal Wabbit": "adaptive, normalised steps for every attribute are robust where no disjunction fits the labels",
    "Vowpal Wabbit --coin": "coin betting needs no rate and averages, which pays where no disjunction fits the labels",
    "perceptron": "an additive rule with an intercept suits dense labels that many attributes move a little",
}
WHY_STREAM = {
    "Vowpal Wabbit --coin": "its steps adapt from the first example on, which tells most on short streams",
    "perceptron": "on uniform attributes without noise its additive steps get better as n grows",
}


def streams_for_speed(size: Size, folder: Path | None) -> Iterator[Named]:
    for n in size.sizes:
        (X, y), _ = StreamCell(n).draw(size.rows, seed=0)
        yield Named(f"uniform, n = {n:,}", X, y)
    for name, X, y in real(folder):
        yield Named(name, X[: size.rows], y[: size.rows])


def measure(scale: str, data: Path | None, say: Callable[[str], None]) -> Part:
    """Measure all three tables."""
    size, folder = SCALES[scale], folder_of(data)
    part = Part("linear", "Linear learners beside their peers", __doc__.replace("\n", " ").strip(), scale)
    part.environment = ours("vowpalwabbit", "river")
    part.absent = [f"{name}: not installed" for name in peers.missing()]
    if folder is None:
        part.absent.append(f"a9a and Reuters R8: no folder has them ({VARIABLE} or --data); generated streams only")
    for name, X, y in streams_for_speed(size, folder):
        say(f"speed: {name}")
        part.records += times("speed", Named(name, X, y), peers.passes(), size.rounds)
    for n in size.sizes:
        say(f"one at a time: n = {n:,}")
        (X, y), _ = StreamCell(n).draw(size.single_rows, seed=0)
        part.records += times("single", Named(f"n = {n:,}", X, y), peers.singles(), size.rounds)
    for cell in cells(size.sizes):
        for seed in range(size.seeds):
            say(f"mistakes: {cell}, seed {seed}")
            (X, y), flipped = cell.draw(size.mistake_rows, seed)
            part.records += mistakes(Named(str(cell), X, y), seed)
            part.records.append(_mistakes(str(cell), "flipped labels", seed, int(flipped.sum())))
    for named in real(folder):
        say(f"mistakes: {named.name}")
        few = size.mistake_rows
        part.records += mistakes(Named(named.name, named.X[:few], named.y[:few]), 0, real_data=True)
    part.tables = [speed_table(part.records), single_table(part.records), mistake_table(part.records)]
    part.verdicts = verdicts(part.records)
    return part


def times(what: str, named: Named, contenders: list[Contender], rounds: int) -> list[Record]:
    with data_of(named.X, named.y) as examples:
        return [
            {"what": what, "data": named.name, "who": who, "round": turn, "us": 1e6 * seconds, "rows": rows}
            for who, (found, rows) in all_rounds(contenders, examples, rounds).items()
            for turn, seconds in enumerate(found)
        ]


def mistakes(named: Named, seed: int, *, real_data: bool = False) -> list[Record]:
    with data_of(named.X, named.y) as examples:
        return [_mistakes(named.name, c.name, seed, c.start(examples)(), real_data) for c in peers.mistake_makers()]


def _mistakes(data: str, who: str, seed: int, count: int, real_data: bool = False) -> Record:
    return {"what": "mistakes", "data": data, "who": who, "seed": seed, "mistakes": count, "real": real_data}


def speed_table(records: list[Record]) -> Table:
    """Return microseconds per row, and the ratio of medians to that of Winnow2."""
    records = rows_of(records, what="speed")
    sets = distinct(records, "data")
    rows = []
    for who in distinct(records, "who"):
        row = [who]
        for name in sets:
            times = [r["us"] for r in rows_of(records, data=name, who=who)]
            base = [r["us"] for r in rows_of(records, data=name, who=REFERENCE)]
            row.append(f"{spread(times)}, x{quartiles(times)[1] / quartiles(base)[1]:.2f}" if times else "absent")
        rows.append(row)
    note = f"a pass of partial_fit; median of the rounds (quartiles), and its ratio to that of {REFERENCE}"
    return Table("Microseconds per row", ["", *sets], rows, note)


def single_table(records: list[Record]) -> Table:
    """Return examples per second."""
    records = rows_of(records, what="single")
    sets = distinct(records, "data")
    rows = [
        [who, *(spread([1e6 / r["us"] for r in rows_of(records, data=name, who=who)]) for name in sets)]
        for who in distinct(records, "who")
    ]
    return Table("Examples per second, learned one at a time", ["", *sets], rows, "median of the rounds (quartiles)")


def mistake_table(records: list[Record]) -> Table:
    records = rows_of(records, what="mistakes")
    sets = distinct(records, "data")
    rows = []
    for who in distinct(records, "who"):
        row = [who]
        for name in sets:
            found = [r["mistakes"] for r in rows_of(records, data=name, who=who)]
            row.append("" if not found else _mean(found))
        rows.append(row)
    return Table("Progressive mistakes", ["", *sets], rows, "mean of the seeds (its standard error, if several)")


def _mean(counts: list[int]) -> str:
    mean, error = mean_and_error(counts)
    return f"{mean:,.1f} ({error:.1f})" if len(counts) > 1 else f"{mean:,.0f}"


def verdicts(records: list[Record]) -> list[str]:
    """Say who wins where."""
    own = {*peers.OURS, *(c.name for c in peers.mistake_makers() if c.name not in ("perceptron", *peers.VW))}
    said = []
    for name in distinct(rows_of(records, what="speed"), "data"):
        found = {
            who: quartiles([r["us"] for r in rows_of(records, what="speed", data=name, who=who)])[1]
            for who in distinct(rows_of(records, what="speed", data=name), "who")
            if who != peers.BARE
        }
        best = min((who for who in found if who not in own), key=found.__getitem__)
        ratio = found[REFERENCE] / found[best]
        if ratio > 1:
            said.append(f"**{name}**, speed: {best} is {ratio:.2f} times as fast as {REFERENCE}: {WHY_SLOWER}.")
        else:
            said.append(f"{name}, speed: {REFERENCE} is {1 / ratio:.2f} times as fast as the best peer, {best}.")
    for name in distinct(rows_of(records, what="mistakes"), "data"):
        rows = rows_of(records, what="mistakes", data=name)
        means = {
            who: mean_and_error([r["mistakes"] for r in rows_of(rows, who=who)])[0]
            for who in distinct(rows, "who")
            if who != "flipped labels"
        }
        best, mine = (
            min((who for who in means if (who in own) == ours_), key=means.__getitem__) for ours_ in (False, True)
        )
        if means[best] < means[mine]:
            why = WHY_MISTAKES.get(best, "") if rows[0].get("real") else WHY_STREAM.get(best, "")
            said.append(
                f"**{name}**, mistakes: {best} makes {means[best]:,.0f}, the best of ours, {mine}, {means[mine]:,.0f}"
                + (f": {why}." if why else ".")
            )
        else:
            said.append(
                f"{name}, mistakes: {mine} makes {means[mine]:,.0f}, the best peer, {best}, {means[best]:,.0f}."
            )
    return said
