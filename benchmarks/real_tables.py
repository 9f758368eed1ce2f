"""Tables and verdicts of the benchmark on real data, from its records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from real_peers import COMMITTEE, LOGISTIC
from results import Record, Table, distinct, mean_and_error, quartiles, rows_of, short

COIN = "Vowpal Wabbit --coin"
BEFORE = "Committee of BEGs alone, as it was"

# --- tables -----------------------------------------------------------------------------------------------------------


def tables(records: list[Record]) -> list[Table]:
    """Return all tables that have rows."""
    found = [mistake_table(records), log_loss_table(records), pass_table(records), held_out_table(records)]
    found += [new_split_table(records), time_table(records), stream_table(records), memory_table(records)]
    return [table for table in found if table.rows]


def _values(records: list[Record], key: str, what: str, data: str, who: str, **more: Any) -> NDArray[np.float64]:
    return np.array([record[key] for record in rows_of(records, what=what, data=data, who=who, **more)])


def _body(records: list[Record], what: str, entry: Callable[[str, str], str]) -> tuple[list[str], list[list[str]]]:
    rows = rows_of(records, what=what)
    sets = distinct(rows, "data")
    return ["", *sets], [[who, *(entry(name, who) for name in sets)] for who in distinct(rows, "who")]


def _compared(records: list[Record], what: str, name: str, who: str) -> str:
    """Return the mean number of mistakes, and how it differs from Committee's on the same orders or seeds."""
    mine, theirs = (_values(records, "mistakes", what, name, w) for w in (COMMITTEE, who))
    mean, error = mean_and_error((theirs - mine).tolist())
    return f"{theirs.mean():,.1f}" if who == COMMITTEE else f"{theirs.mean():,.1f} ({mean:+,.1f} ± {error:.1f})"


def mistake_table(records: list[Record]) -> Table:
    def entry(name: str, who: str) -> str:
        return _compared(records, "mistakes", name, who)

    note = f"mean of the orders; in brackets the paired difference from {COMMITTEE} and its standard error"
    return Table("Progressive mistakes", *_body(records, "mistakes", entry), note)


def log_loss_table(records: list[Record]) -> Table:
    def entry(name: str, who: str) -> str:
        return f"{_values(records, 'loss', 'log-loss', name, who).mean():.4f}"

    return Table("Progressive log-loss per row", *_body(records, "log-loss", entry), "natural logarithms")


def _error(records: list[Record], name: str, who: str, passes: int) -> float:
    return 100 * float(_values(records, "error", "held out", name, who, passes=passes).mean())


def _passes(records: list[Record]) -> list[int]:
    return distinct(rows_of(records, what="held out"), "passes")


def pass_table(records: list[Record]) -> Table:
    """Held-out errors of Committee by passes."""
    passes = _passes(records)
    rows = []
    for name in distinct(rows_of(records, what="held out"), "data"):
        errors = [_error(records, name, COMMITTEE, done) for done in passes]
        errors.append(100 * float(_values(records, "error", "sorted", name, COMMITTEE).mean()))
        rows.append([name, *(f"{error:.2f}" for error in errors)])
    header = ["", *map(str, passes), f"{max(passes, default=0)}, rows sorted by class"]
    return Table(f"Held-out error of {COMMITTEE} after each pass, %", header, rows)


def held_out_table(records: list[Record]) -> Table:
    last = max(_passes(records), default=0)

    def entry(name: str, who: str) -> str:
        shown = f"{_error(records, name, who, last):.2f}"
        (found,) = rows_of(records, what="difference", data=name, who=who, passes=last) or [None]
        return shown if who == COMMITTEE else f"{shown} ({-100 * found['more']:+.2f} ± {100 * found['error']:.2f})"

    note = f"in brackets the paired difference from {COMMITTEE} and its standard error over the rows"
    return Table(f"Held-out error after {last} passes, %", *_body(records, "held out", entry), note)


def new_split_table(records: list[Record]) -> Table:
    """Errors on other splits; the second line is Committee after its first pass."""
    splits = rows_of(records, what="new split")
    last = max(distinct(splits, "passes"), default=0)

    def entry(name: str, who: str, passes: int = last) -> str:
        mine = 100 * _values(splits, "error", "new split", name, COMMITTEE, passes=last)
        theirs = 100 * _values(splits, "error", "new split", name, who, passes=passes)
        mean, error = mean_and_error((theirs - mine).tolist())
        shown = f"{theirs.mean():.2f}"
        return shown if (who, passes) == (COMMITTEE, last) else f"{shown} ({mean:+.2f} ± {error:.2f})"

    header, rows = _body(splits, "new split", entry)
    if rows:
        rows.insert(1, [f"{COMMITTEE}, 1 pass", *(entry(name, COMMITTEE, 1) for name in header[1:])])
    note = f"mean of the splits; in brackets the paired difference from {COMMITTEE} and its standard error"
    return Table(f"Held-out error after {last} passes on other splits, %", header, rows, note)


def _time(records: list[Record], name: str, who: str) -> float:
    found = _values(records, "ms", "time", name, who)
    return quartiles(found.tolist())[1] if len(found) else float("nan")


def time_table(records: list[Record]) -> Table:
    def entry(name: str, who: str) -> str:
        mine = _time(records, name, who)
        return f"{short(mine)} (x{mine / _time(records, name, 'Winnow2'):.1f})"

    return Table(
        "Milliseconds of a pass",
        *_body(records, "time", entry),
        "processor time, median; in brackets the ratio to Winnow2's",
    )


def stream_table(records: list[Record]) -> Table:
    """Mean mistakes of each kind of stream, and their sums."""
    streams = rows_of(records, what="stream")
    header, rows = _body(streams, "stream", lambda cell, who: _compared(streams, "stream", cell, who))
    for row in rows:
        for kind in (" 0%", " 2%"):
            row.append(short(sum(_stream(streams, cell, row[0]) for cell in header[1:] if cell.endswith(kind)), 5))
    title = "Mistakes on streams of disjunctions (attributes, their kind, labels flipped)"
    note = f"mean of the seeds; in brackets the paired difference from {COMMITTEE} and its standard error"
    return Table(title, [*header, "sum, clean", "sum, noisy"] if rows else header, rows, note)


def memory_table(records: list[Record]) -> Table:
    def entry(name: str, who: str) -> str:
        return f"{_values(records, 'mib', 'memory', name, who)[0]:,.0f}"

    note = "peak while learning, beyond the memory with the examples loaded"
    return Table(f"MiB that {COMMITTEE} takes with many classes", *_body(records, "memory", entry), note)


def _stream(records: list[Record], cell: str, who: str) -> float:
    found = _values(records, "mistakes", "stream", cell, who)
    return float(found.mean()) if len(found) else float("nan")


# --- verdicts ---------------------------------------------------------------------------------------------------------


def verdicts(records: list[Record]) -> list[str]:
    """Say who wins where; where a peer wins, the line begins in bold."""
    said = []
    for name in distinct(rows_of(records, what="mistakes"), "data"):
        said += [_on_mistakes(records, name), _on_held_out(records, name), _on_times(records, name)]
        if losses := {r["who"] for r in rows_of(records, what="log-loss", data=name)} - {COMMITTEE}:
            mine, theirs = (
                float(_values(records, "loss", "log-loss", name, who).mean()) for who in (COMMITTEE, *losses)
            )
            begin = name if mine <= theirs else f"**{name}**"
            said.append(f"{begin}, log-loss: {COMMITTEE} has {mine:.4f}, {LOGISTIC} {theirs:.4f}.")
    return said + _on_streams(records)


def _peers(records: list[Record], what: str, name: str) -> list[str]:
    return [who for who in distinct(rows_of(records, what=what, data=name), "who") if who not in (COMMITTEE, "AROW")]


def _on_mistakes(records: list[Record], name: str) -> str:
    means = {
        who: float(_values(records, "mistakes", "mistakes", name, who).mean())
        for who in (COMMITTEE, *_peers(records, "mistakes", name))
    }
    mine = means.pop(COMMITTEE)
    best = min(means, key=means.__getitem__)
    begin = name if mine <= means[best] else f"**{name}**"
    return f"{begin}, mistakes: {COMMITTEE} makes {mine:,.1f}, the best peer, {best}, {means[best]:,.1f}."


def _on_held_out(records: list[Record], name: str) -> str:
    last = max(_passes(records))
    errors = {who: _error(records, name, who, last) for who in _peers(records, "held out", name)}
    best, mine = min(errors, key=errors.__getitem__), _error(records, name, COMMITTEE, last)
    (found,) = rows_of(records, what="difference", data=name, who=best, passes=last)
    worse = max(
        0.0,
        *(_error(records, name, COMMITTEE, b) - _error(records, name, COMMITTEE, b - 1) for b in range(2, last + 1)),
    )
    begin = name if mine <= errors[best] else f"**{name}**"
    return (
        f"{begin}, held out: {COMMITTEE} errs on {mine:.2f}%, the best peer, {best}, on {errors[best]:.2f}% "
        f"(standard error of the difference {100 * found['error']:.2f}); a pass makes it worse by {worse:.2f} at most."
    )


def _on_times(records: list[Record], name: str) -> str:
    mine, base = _time(records, name, COMMITTEE), _time(records, name, "Winnow2")
    peers_ = {who: _time(records, name, who) for who in _peers(records, "time", name) if who != "Winnow2"}
    if not peers_:
        return f"{name}, time: {COMMITTEE} takes {mine / base:.1f} times as long as Winnow2."
    best = min(peers_, key=peers_.__getitem__)
    begin = name if mine <= peers_[best] else f"**{name}**"
    return (
        f"{begin}, time: {COMMITTEE} takes {mine / base:.1f} times as long as Winnow2, "
        f"and {mine / peers_[best]:.2f} times as long as the fastest variant of Vowpal Wabbit."
    )


def _on_streams(records: list[Record]) -> list[str]:
    streams, said = rows_of(records, what="stream"), []
    cells_ = distinct(streams, "data")
    if rows_of(streams, who=COIN):
        mine = rows_of(streams, who=COMMITTEE)
        lost = []
        for r in mine:
            (peer,) = rows_of(streams, who=COIN, data=r["data"], order=r["order"])
            if r["mistakes"] >= peer["mistakes"]:
                lost.append(f"{r['data']}, seed {r['order']} ({r['mistakes']} and {peer['mistakes']})")
        if lost:
            where = f"{len(lost)} of {len(mine)} streams: {'; '.join(lost)}"
            said.append(f"**Streams**: {COMMITTEE} makes no fewer mistakes than {COIN} on {where}.")
        else:
            said.append(f"Streams: {COMMITTEE} makes fewer mistakes than {COIN} on all {len(mine)}.")
    if rows_of(streams, who=BEFORE):
        for kind, ending in (("clean", " 0%"), ("noisy", " 2%")):
            mine, old = (
                sum(_stream(streams, cell, who) for cell in cells_ if cell.endswith(ending))
                for who in (COMMITTEE, BEFORE)
            )
            begin = f"{kind.capitalize()} streams"
            said.append(f"{begin if mine <= old else f'**{begin}**'}: {mine:,.1f} mistakes in all, {old:,.1f} before.")
    return said
