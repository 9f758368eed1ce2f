"""Errors of Winnow over all terms with sampled sums (section 6.2 of Tao & Scott 2004).

Training follows the paper's optimised algorithm: chains stop early, by the bounds u and -v. Prediction takes the class
with the largest estimate. "BF", brute force, stands for exact sums, which are computed here by branching. The paper
keeps the last weights; "BF, pocket" keeps the weights that predicted the longest run of rows correctly, our default.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf import Exact, Ladder
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.dnf.engine import Engine
from winnowkit.dnf.mistake_driven import MistakeDriven
from winnowkit.experiments.frame import CellResult, Plot, ReportTable, Result, Verdict, by_z, z_score
from winnowkit.experiments.trials import ALPHA, SAMPLERS, Fold, nominal

CLEAR = 2.0  # standard errors that make a difference clear
CHANCE = "the paper's own intervals overlap there; the difference is a few rows"
POCKET = "BF, pocket"
METHODS = (*SAMPLERS, "BF", POCKET)
UNKNOWN = "the paper does not give the partition, the order of rows, the cuts of numbers or the end of training"
Interval = tuple[float, float]
"""The mean error in per cent, and half the width of its 95% confidence interval."""


def engine_of(method: str, steps: int | str, burn_in: int | str) -> Engine:
    """Return the engine of a method."""
    if method not in SAMPLERS:
        return Exact()
    sampler, tempering = SAMPLERS[method]
    return Ladder(
        sampler=sampler,  # type: ignore[arg-type]
        tempering=tempering,
        steps=steps,  # type: ignore[arg-type]
        burn_in=burn_in,  # type: ignore[arg-type]
        bounds="totals",
    )


def errors(
    fold: Fold,
    method: str,
    engine: Engine,
    rounds: int,
    seed: int,
    *,
    missing: str = "ignore",
    monotone: bool = False,
    two_class: str = "single",
) -> Result:
    """Train for so many rounds, or until a round has no mistake, and test, on one fold."""
    training = MistakeDriven(
        margin=0.0,
        max_updates=None,  # the paper has neither a margin nor a limit
        two_class=two_class,
        keep="longest" if method == POCKET else "last",
        shuffle=False,  # the fold's own order, in every round
    )
    model = DNFWinnow(
        max_literals=None,
        alpha=ALPHA,
        max_epochs=rounds + 1,  # never reached: the rounds are the paper's, and no reason for a warning
        encoder=CategoryEncoder(missing=missing, monotone=monotone, categorical=nominal(fold.X)),
        engine=engine,
        training=training,
        random_state=seed,
        verbose=False,
    )
    model._fit(fold.X, fold.y, stop=lambda epochs: epochs >= rounds)
    wrong = model.predict(fold.X_test) != fold.y_test
    updates = int(model.n_updates_.sum())
    return {"rows": len(wrong), "wrong": int(wrong.sum()), "epochs": model.n_epochs_, "mistakes": updates}


def interval(shares: Sequence[float]) -> Interval:
    """Return the mean in per cent, and half the width of its 95% interval by Student's t.

    Examples
    --------
    >>> [round(value, 2) for value in interval([0.04, 0.05, 0.06])]
    [5.0, 2.48]
    """
    values = 100 * np.asarray(shares, dtype=np.float64)
    if len(values) < 2:
        return float(values.mean()), math.inf
    half = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values))
    return float(values.mean()), float(half)


Grid = dict[Any, dict[str, Interval]]
"""Intervals by place (data set, steps or size) and method."""


def grid(outcomes: Sequence[CellResult], axis: str) -> Grid:
    """Return the errors at each place, with their intervals over folds or sets."""
    found: dict[Any, dict[str, list[float]]] = {}
    for cell, result in outcomes:
        found.setdefault(cell[axis], {}).setdefault(cell["method"], []).append(result["wrong"] / result["rows"])
    return {place: {method: interval(shares) for method, shares in own.items()} for place, own in found.items()}


Paper = Mapping[str, Sequence[str]]
"""The paper's numbers by method: "error half" at each place, "-" where blank."""


def paper_grid(paper: Paper, places: Iterable[Any]) -> Grid:
    """Return the paper's numbers as a grid."""
    cells = list(places)
    found: Grid = {place: {} for place in cells}
    for method, row in paper.items():
        for place, text in zip(cells, row, strict=True):
            if text != "-":
                mean, half = map(float, text.split())
                found[place][method] = mean, half
    return found


def records(ours: Grid, theirs: Grid, axis: str) -> list[dict[str, Any]]:
    """Return the rows of the tidy table."""
    rows = []
    for place, own in ours.items():
        for method, (mean, half) in own.items():
            paper = theirs.get(place, {}).get(method, (None, None))
            shown = None if math.isinf(half) else round(half, 4)
            record = {axis: place, "method": method, "error": round(mean, 4), "half": shown}
            rows.append(record | {"paper_error": paper[0], "paper_half": paper[1]})
    return rows


def table(ours: Grid, theirs: Grid, caption: str, axis: str) -> ReportTable:
    """Return a table with one row per method and one column per place, the paper's numbers in brackets."""

    def text(value: Interval | None) -> str:
        if value is None:
            return "-"
        return f"{value[0]:.1f} ± {value[1]:.1f}" if math.isfinite(value[1]) else f"{value[0]:.1f}"

    def both(place: Any, method: str) -> str:
        shown = text(ours[place].get(method))
        return f"{shown} ({text(theirs.get(place, {}).get(method))})" if theirs else shown

    present = [method for method in METHODS if any(method in own for own in ours.values())]
    body = [[method, *(both(place, method) for place in ours)] for method in present]
    beside = ", the paper's in brackets" if theirs else ""
    return ReportTable(f"{caption}: errors in % with 95% intervals{beside}", [axis, *map(str, ours)], body)


def plot(ours: Grid, caption: str, axis: str) -> Plot:
    """Plot errors with intervals, methods side by side."""

    def draw(axes: Any) -> None:
        for i, method in enumerate(METHODS):
            if not any(method in own for own in ours.values()):
                continue
            values = [own.get(method, (math.nan, 0.0)) for own in ours.values()]
            places = np.arange(len(ours)) + 0.1 * (i - 3.5)
            halves = [half if math.isfinite(half) else 0.0 for _, half in values]
            style = {"color": f"C{i % 3}" if i < 6 else "k", "marker": "os^"[i % 3] if i < 6 else "*x"[i - 6]}
            fill = {"markerfacecolor": "none"} if 3 <= i < 6 else {}
            means = [mean for mean, _ in values]
            axes.errorbar(
                places, means, halves, linestyle="", markersize=4, elinewidth=0.8, label=method, **style, **fill
            )
        axes.set_xticks(np.arange(len(ours)), [str(place).replace("-", "\n") for place in ours])
        axes.set(xlabel=axis, ylabel="error, %", ylim=(0, None))

    return Plot(caption, draw)


def overlap(ours: Grid, claim: str) -> Verdict:
    """Whether all intervals of the samplers at a place overlap."""
    apart = []
    for place, own in ours.items():
        intervals = [(mean - half, mean + half) for method, (mean, half) in own.items() if method in SAMPLERS]
        if max(low for low, _ in intervals) > min(high for _, high in intervals):
            apart.append(str(place))
    return Verdict.of(claim, not apart, f"apart: {', '.join(apart) or 'none'} of {len(ours)}", "chance, or cut sizes")


def pairs(
    outcomes: Sequence[CellResult], a: Collection[str], b: Collection[str], axis: str, places: Collection[Any]
) -> npt.NDArray[np.float64]:
    """Return the mean errors of methods `a` and `b` in per cent, one row per place and fold."""
    shares: dict[tuple[Any, int], dict[str, float]] = {}
    for cell, result in outcomes:
        if cell[axis] in places:
            own = shares.setdefault((cell[axis], cell["fold"]), {})
            own[cell["method"]] = 100 * result["wrong"] / result["rows"]
    rows = [(np.mean([own[m] for m in a]), np.mean([own[m] for m in b])) for own in shares.values()]
    return np.array(rows, dtype=np.float64).reshape(-1, 2)


def higher(
    claim: str,
    outcomes: Sequence[CellResult],
    a: Collection[str],
    b: Collection[str],
    axis: str,
    places: Collection[Any],
) -> Verdict:
    """Whether methods `a` err more than `b`, by differences paired by place and fold; two standard errors decide."""
    found = pairs(outcomes, a, b, axis, places)
    if len(found) == 0:
        return Verdict(claim, "undecided", "not run at this scale", "run it with --scale paper")
    first, second = found.T
    return by_z(claim, z_score(first - second), f"{first.mean():.2f}% and {second.mean():.2f}%", CHANCE, clear=CLEAR)


def means(ours: Grid) -> dict[str, float]:
    """Return the mean error of each method over all places."""
    return {
        m: float(np.mean([own[m][0] for own in ours.values()])) for m in METHODS if all(m in o for o in ours.values())
    }


def brute_force_not_better(ours: Grid) -> Verdict:
    """Whether exact sums have no significant advantage: no place where their interval lies below all samplers'."""
    better = [
        str(place)
        for place, own in ours.items()
        if all(sum(own["BF"]) < mean - half for m, (mean, half) in own.items() if m in SAMPLERS)
    ]
    found = means(ours)
    best, worst = min(found[m] for m in SAMPLERS), max(found[m] for m in SAMPLERS)
    return Verdict.of(
        "brute force has no significant advantage over sampling",
        not better,
        f"better at {', '.join(better) or 'no place'}; mean {found['BF']:.2f}%, samplers {best:.2f} to {worst:.2f}%",
        "with few steps the samplers' sums are far off (Guess Error)",
    )


def often_worse(outcomes: Sequence[CellResult], axis: str) -> Verdict:
    """Whether brute force errs at least as often as several of the approximations."""
    ours = grid(outcomes, axis)
    ranks = {place: sum(own[m][0] <= own["BF"][0] for m in SAMPLERS) for place, own in ours.items()}
    first, second = pairs(outcomes, tuple(SAMPLERS), ["BF"], axis, list(ours)).T
    return unless_chance(
        "brute force's error is often at least that of several approximations",
        2 * sum(rank >= 2 for rank in ranks.values()) >= len(ranks),
        "samplers at or below brute force, of six: " + ", ".join(f"{place}: {rank}" for place, rank in ranks.items()),
        z_score(first - second),
    )


def best_of(claim: str, outcomes: Sequence[CellResult], name: str, among: Collection[str], axis: str) -> Verdict:
    """Whether a sampler has the lowest mean error, or another one clearly has."""
    found = {m: value for m, value in means(grid(outcomes, axis)).items() if m in among}
    best = min(found, key=lambda method: found[method])
    first, second = pairs(outcomes, [name], [best], axis, {cell[axis] for cell, _ in outcomes}).T
    listed = "mean error " + ", ".join(f"{m} {value:.2f}%" for m, value in found.items())
    return unless_chance(claim, found[name] <= found[best], listed, z_score(first - second))


def unless_chance(claim: str, shows: bool, figures: str, z: float) -> Verdict:
    """Judge a claim; if it does not show, it counts as refuted only if the difference is z > 2 standard errors."""
    if shows or z > CLEAR:
        return Verdict.of(claim, shows, figures, "paired by fold, the difference here is larger than chance explains")
    return Verdict(claim, "undecided", f"{figures}, z = {z:.1f}", CHANCE)


def within_the_papers(exact: Grid, theirs: Grid, why: str) -> Verdict:
    """Whether the errors of exact sums agree with the paper's brute force: intervals overlap."""
    apart, listed = [], []
    for place, paper in theirs.items():
        if "BF" in paper and place in exact:
            (a, da), (b, db) = exact[place]["BF"], paper["BF"]
            listed.append(f"{place} {a:.1f} ({b:.1f})")
            if abs(a - b) > da + db:
                apart.append(str(place))
    return Verdict.of(
        "brute force errs as the paper's does: intervals overlap",
        not apart,
        ", ".join(listed) + " %",
        f"{why}; apart at {', '.join(apart)}",
    )
