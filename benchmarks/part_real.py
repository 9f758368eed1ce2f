"""Committee on real data beside Vowpal Wabbit and scikit-learn's on-line classifiers, and on streams of disjunctions.

Progressive mistakes are those of one pass, where each label is predicted before it is learned; all contenders see the
same orders of the rows. Nobody looks ahead: scikit-learn's learners are given tf-idf with the documents counted so far.
Held-out errors are those on a9a.t and on the test parts of R8 and 20newsgroups; of the other texts a fifth is held out.
With two classes, they are measured on further splits of all rows, too: a third of the rows is held out each time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
import peers
import real_peers
import real_tables
from disjunction_streams import StreamCell, cells
from environments import ours
from memory_worker import STATUS
from real_data import SHARED, VARIABLE, RealSet, folder_of, real_sets
from real_peers import COMMITTEE, LOGISTIC, VWFiles
from real_tables import BEFORE, COIN
from results import Part, Record, mean_and_error

WORKER = Path(__file__).with_name("many_classes_worker.py")
# Progressive mistakes of Committee as it was before it had experts for real values (BEGs and Weighted Majority): one
# partial_fit on 20,000 rows of each stream, seeds 0 to 9, measured with the last code that had it.
OLD_MISTAKES = {
    "1,000 uniform 0%": (29, 28, 28, 18, 23, 27, 27, 26, 25, 18),
    "1,000 uniform 2%": (468, 456, 387, 398, 432, 435, 467, 447, 452, 438),
    "1,000 zipf 0%": (27, 22, 22, 24, 17, 22, 25, 19, 24, 23),
    "1,000 zipf 2%": (483, 420, 443, 463, 454, 447, 435, 449, 454, 467),
    "100,000 uniform 0%": (18, 19, 19, 16, 15, 17, 16, 18, 17, 16),
    "100,000 uniform 2%": (406, 397, 444, 442, 413, 398, 416, 422, 411, 434),
    "100,000 zipf 0%": (16, 23, 25, 23, 15, 23, 25, 24, 22, 16),
    "100,000 zipf 2%": (479, 445, 505, 427, 473, 480, 453, 474, 466, 475),
}


class RealSize(NamedTuple):
    """The sizes of the measurements."""

    rows: int | None
    orders: int
    passes: int
    splits: int
    new_splits: int
    log_loss_orders: int
    rounds: int
    stream_sizes: tuple[int, ...]
    stream_rows: int
    stream_seeds: int
    classes: int
    attributes: int


SCALES = {
    "tiny": RealSize(60, 2, 2, 1, 2, 1, 1, (1_000,), 300, 1, 0, 0),
    "quick": RealSize(None, 5, 5, 2, 10, 5, 7, (1_000, 100_000), 20_000, 10, 105, 55_000),
    "full": RealSize(None, 10, 5, 5, 20, 10, 11, (1_000, 100_000), 20_000, 10, 105, 55_000),
}


def measure(scale: str, data: Path | None, say: Callable[[str], None]) -> Part:
    """Measure all tables."""
    size, folder = SCALES[scale], folder_of(data)
    part = Part("real", "Real data", __doc__.replace("\n", " ").strip(), scale, environment=ours("vowpalwabbit"))
    if peers.Workspace is None:
        part.absent.append("vowpalwabbit: not installed")
    sets = [] if folder is None else list(real_sets(folder))
    if not sets:
        part.absent.append(
            f"all real data: none are in {data or os.environ.get(VARIABLE) or SHARED}; "
            f"name a folder that has them by DATA=folder, --data or {VARIABLE}"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # boolean learners warn that they make word counts 0 or 1
        for examples in sets:
            part.records += of_one_set(examples.head(size.rows), size, say)
    for cell in cells(size.stream_sizes):
        for seed in range(size.stream_seeds):
            say(f"streams: {cell}, seed {seed}")
            part.records += of_one_stream(cell, seed, size.stream_rows)
    if size.classes and STATUS.exists():  # memory is measured on Linux only
        part.records += many_classes(size.classes, size.attributes, say)
    part.tables = real_tables.tables(part.records)
    part.verdicts = real_tables.verdicts(part.records)
    return part


# --- measurements -----------------------------------------------------------------------------------------------------


def of_one_set(examples: RealSet, size: RealSize, say: Callable[[str], None]) -> Iterator[Record]:
    """Measure mistakes, log-loss, held-out errors and times on one set."""
    name = examples.name
    for order in range(size.orders):
        say(f"{name}: mistakes, order {order}")
        shuffled = examples.shuffled(order)
        for who in real_peers.contenders():
            yield _record("mistakes", name, who.name, order, mistakes=who.mistakes(shuffled), rows=len(shuffled.y))
        if order < size.log_loss_orders:
            yield _record("log-loss", name, COMMITTEE, order, loss=real_peers.our_log_loss(shuffled))
            if peers.Workspace is not None:
                yield _record("log-loss", name, LOGISTIC, order, loss=real_peers.vw_log_loss(shuffled))
    yield from held_out(examples, size, say)
    if examples.n_classes == 2:
        yield from split_anew(examples, size, say)
    say(f"{name}: times")
    yield from times(examples.shuffled(0), size.rounds)


def _record(what: str, data: str, who: str, order: int, **values: float) -> Record:
    return {"what": what, "data": data, "who": who, "order": order, **values}


def held_out(examples: RealSet, size: RealSize, say: Callable[[str], None]) -> Iterator[Record]:
    """Held-out errors after each pass, and differences from Committee's after the last, with standard errors."""
    name, wrong = examples.name, {}
    for seed in range(size.splits):
        say(f"{name}: held out, seed {seed}")
        ordered = examples.ordered(seed)
        for who in real_peers.contenders():
            found = who.wrong(ordered, range(1, size.passes + 1), seed)
            wrong.setdefault(who.name, []).append(found)
            for done, error in enumerate(found.mean(axis=1), start=1):
                yield _record("held out", name, who.name, seed, passes=done, error=float(error))
        yield _record("sorted", name, COMMITTEE, seed, error=error_of_sorted_rows(ordered, size.passes, seed))
    same_rows = len(examples.y_test) > 0
    for who, found in wrong.items():
        for done in range(size.passes):
            mine = [ours_[-1] for ours_ in wrong[COMMITTEE]]
            more = [a.astype(float) - b[done] for a, b in zip(mine, found, strict=True)]
            # the same rows are held out each time, or others: then they are so many more rows
            each = np.mean(more, axis=0) if same_rows else np.concatenate(more)
            mean, error = mean_and_error(each.tolist())
            yield _record("difference", name, who, 0, passes=done + 1, more=mean, error=error)


def error_of_sorted_rows(examples: RealSet, passes: int, seed: int) -> float:
    """Held-out error of Committee if the rows are sorted by class."""
    order = np.argsort(examples.y, kind="stable")
    by_class = examples._replace(X=examples.X[order], y=examples.y[order])
    return float(real_peers.our_wrong(peers.wk.Committee, by_class, [passes], seed).mean())


def split_anew(examples: RealSet, size: RealSize, say: Callable[[str], None]) -> Iterator[Record]:
    """Held-out errors after the last pass, on other splits of all rows; Committee's after the first, too."""
    for seed in range(size.new_splits):
        say(f"{examples.name}: split {seed}")
        split = examples.split_anew(seed)
        for who in real_peers.contenders():
            passes = (1, size.passes) if who.name == COMMITTEE else (size.passes,)
            for done, error in zip(passes, who.wrong(split, passes, seed).mean(axis=1), strict=True):
                yield _record("new split", examples.name, who.name, seed, passes=done, error=float(error))


def times(examples: RealSet, rounds: int) -> Iterator[Record]:
    """Seconds of a pass, the contenders in turns."""
    with _files(examples) as files:
        runs = real_peers.timed(examples, files)
        for turn in range(-1, rounds):  # the first compiles
            for who, run in runs.items():
                start = process_time()
                run()
                if turn >= 0:
                    yield _record("time", examples.name, who, turn, ms=1e3 * (process_time() - start))


@contextmanager
def _files(examples: RealSet) -> Iterator[VWFiles | None]:
    if peers.Workspace is None:
        yield None
    else:
        with VWFiles(examples, "") as files:
            yield files


def of_one_stream(cell: StreamCell, seed: int, rows: int) -> Iterator[Record]:
    """Mistakes on a stream of disjunctions, and the time of a pass for the first seed."""
    (X, y), _ = cell.draw(rows, seed)
    examples = RealSet(str(cell), X, y, X[:0], y[:0], words=False)
    yield _record("stream", str(cell), COMMITTEE, seed, mistakes=real_peers.our_mistakes(peers.wk.Committee, examples))
    if peers.Workspace is not None:
        yield _record("stream", str(cell), COIN, seed, mistakes=real_peers.vw_mistakes("--coin", examples))
    if rows == 20_000:
        yield _record("stream", str(cell), BEFORE, seed, mistakes=OLD_MISTAKES[str(cell)][seed])
    if seed == 0:
        yield from times(examples, 5)


def many_classes(n_classes: int, n: int, say: Callable[[str], None]) -> Iterator[Record]:
    """Memory of Committee with many classes, in processes of their own."""
    for how in ("partial_fit", "fit"):
        say(f"memory: {how} with {n_classes} classes")
        command = [sys.executable, str(WORKER), how, str(n_classes), str(n), "2000"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=900)
        found = json.loads(done.stdout.splitlines()[-1])
        yield _record("memory", f"{n_classes} classes, {n:,} attributes", how, 0, mib=found["mib"])
