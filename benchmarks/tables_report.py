"""Tables, intervals and verdicts of the benchmark on tables, from its records.

Splits of one table share training rows, so that differences over splits vary less than over new tables of data. Their
intervals are those of the corrected resampled t-test (Nadeau & Bengio 2003): the variance of the mean of n differences
is multiplied by 1 + n * n_test / n_train.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

OURS = "DNFWinnow"
MEASURES = {"error": "error, %", "auc": "AUC", "log_loss": "log-loss", "fit": "seconds of processor time to fit"}
LARGER_IS_BETTER = ("auc",)
SCALE = {"error": 100.0}

Splits = dict[str, dict[str, float]]
"""The measures of one learner on one table, by the seed of the split."""
Records = dict[str, dict[str, Splits]]
"""Splits by table and learner."""


class Difference(NamedTuple):
    """How far we are behind a peer: the mean over common splits, and half of its 95% interval."""

    mean: float
    half: float
    n_splits: int


def corrected_half_width(differences: list[float], test_share: float = 0.3) -> float:
    """Compute half the width of the 95% interval of a mean over splits whose training sets overlap.

    Examples
    --------
    >>> round(corrected_half_width([1.0, 2.0, 3.0]), 3)  # 4.303 * sqrt(1 / 3 + 3 / 7)
    3.755
    """
    n = len(differences)
    if n < 2:
        return math.nan
    error = float(np.std(differences, ddof=1)) * math.sqrt(1 / n + test_share / (1 - test_share))
    return float(student.ppf(0.975, n - 1)) * error


def values(splits: Splits, measure: str) -> list[float]:
    """List a measure of all splits."""
    return [record[measure] for record in splits.values()]


def mean(splits: Splits, measure: str) -> float:
    """Average a measure over the splits; NaN if there are none."""
    return float(np.mean(values(splits, measure))) if splits else math.nan


def behind(ours: Splits, theirs: Splits, measure: str) -> Difference:
    """Tell how much worse we are, on the splits that both have done: positive if we are worse."""
    sign = -1.0 if measure in LARGER_IS_BETTER else 1.0
    common = [seed for seed in ours if seed in theirs]
    differences = [sign * (ours[seed][measure] - theirs[seed][measure]) for seed in common]
    return Difference(float(np.mean(differences)), corrected_half_width(differences), len(common))


def comparable(records: Records, measure: str) -> Iterator[tuple[str, Splits, dict[str, Splits]]]:
    """Yield each table on which we and a peer have the measure: its name, our splits, and the peers'."""
    for name, by_learner in records.items():
        known = {who: s for who, s in by_learner.items() if s and not np.isnan(values(s, measure)).any()}
        ours = known.pop(OURS, None)
        known = {who: s for who, s in known.items() if ours and ours.keys() & s.keys()}
        if ours and known:
            yield name, ours, known


def best_peer(ours: Splits, peers: dict[str, Splits], measure: str) -> str:
    """Return the peer that we are farthest behind, each on the splits that we have in common with it.

    Means over different splits are not comparable, as splits differ in difficulty.
    """
    return max(peers, key=lambda who: behind(ours, peers[who], measure).mean)


def behind_best(ours: Splits, peers: dict[str, Splits], measure: str) -> Difference:
    """Tell how much worse we are than the best peer."""
    return behind(ours, peers[best_peer(ours, peers, measure)], measure)


def ratio(ours: Splits, theirs: Splits, measure: str) -> float:
    """Divide our mean by theirs, on the splits that both have done."""
    common = [seed for seed in ours if seed in theirs]
    return sum(ours[seed][measure] for seed in common) / sum(theirs[seed][measure] for seed in common)


def show(records: Records, measure: str) -> Iterator[str]:
    """Yield the lines of the table of one measure: the mean of each learner, and our distance from the best peer."""
    learners = list(dict.fromkeys(who for by_learner in records.values() for who in by_learner))
    scale = SCALE.get(measure, 1.0)
    yield f"\n{MEASURES[measure]} (*: fewer splits than others)"
    yield f"{'':14}" + "".join(f"{who:>11}" for who in learners) + "   behind the best peer, 95% interval"
    found = {name: (ours, peers) for name, ours, peers in comparable(records, measure)}
    for name, by_learner in records.items():
        most = max(map(len, by_learner.values()))
        line = f"{name:14}"
        for who in learners:
            splits = by_learner.get(who, {})
            line += f"{scale * mean(splits, measure):10.4g}" + ("*" if 0 < len(splits) < most else " ")
        if name in found:
            ours, peers = found[name]
            best = best_peer(ours, peers, measure)
            difference, half, n = behind(ours, peers[best], measure)
            line += f"   {round(scale * difference, 6):+.4g} ± {scale * half:.2g} ({best}, {n} splits)"
        yield line


def verdicts(records: Records) -> Iterator[str]:
    """Yield one line per aim: how often it is met, and where it is not."""
    tables = list(comparable(records, "error"))
    lost = [
        name
        for name, ours, peers in tables
        if any((found := behind(ours, peer, "error")).mean > found.half for peer in peers.values())
    ]
    yield f"error significantly above any peer's on {_of(lost, tables)} (aim: at most three)"
    below = [
        name
        for name, ours, peers in tables
        if float(np.median([behind(ours, peer, "error").mean for peer in peers.values()])) < 0
    ]
    yield f"error below the median peer's on {_of(below, tables)} (aim: most)"
    tables = list(comparable(records, "auc"))
    near = [name for name, ours, peers in tables if behind_best(ours, peers, "auc").mean <= 0.01]
    yield f"AUC within .01 of the best peer's on {_of(near, tables)} (aim: two thirds)"
    for peer, measure, most, what in (
        ("LightGBM", "log_loss", 1.05, "log-loss at most 5% above LightGBM's on {} (aim: two thirds)"),
        ("EBM", "fit", 1.0, "fit faster than EBM's on {} (aim: all)"),
    ):
        tables = [(name, ours, peers) for name, ours, peers in comparable(records, measure) if peer in peers]
        met = [name for name, ours, peers in tables if ratio(ours, peers[peer], measure) <= most]
        yield what.format(_of(met, tables))


def _of(some: list[str], tables: list[tuple[str, Splits, dict[str, Splits]]]) -> str:
    """Count the tables that are named, and name the fewer: these or the others."""
    others = [name for name, *_ in tables if name not in some]
    named, which = (some, "") if len(some) <= len(others) else (others, "not ")
    return f"{len(some)} of {len(tables)} tables" + (f" ({which}{', '.join(named)})" if named else "")
