"""Errors of Winnow over all terms with sampled sums (section 6.2 of Tao & Scott 2004).

Training follows the paper's optimised algorithm: chains stop early, by the bounds u and -v. Prediction takes the class
with the largest estimate. "BF", brute force, stands for exact sums, which are computed here by branching. The paper
keeps the last weights; "BF, pocket" keeps the weights that predicted the longest run of rows correctly, our default.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf import Exact, Ladder
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.dnf.engine import Engine
from winnowkit.dnf.mistake_driven import MistakeDriven
from winnowkit.experiments.frame import CellResult, Plot, ReportTable, Result, Verdict
from winnowkit.experiments.frame.judge import alike_by
from winnowkit.experiments.trials import ALPHA, SAMPLERS, TableFold, nominal

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
    fold: TableFold,
    method: str,
    engine: Engine,
    rounds: int,
    seed: int,
    *,
    missing: str = "ignore",
    monotone: bool = False,
    two_class: str = "single",
) -> Result:
    """Train for so many rounds, or until a round has no mistake, and test, on one fold.

    Brute force is also tested with our pocket, which changes nothing if each learner had a round without a mistake.
    """

    def fitted(keep: str) -> DNFWinnow:
        model = DNFWinnow(
            max_literals=None,
            alpha=ALPHA,
            max_epochs=rounds + 1,  # never reached: the rounds are the paper's, and no reason for a warning
            encoder=CategoryEncoder(missing=missing, monotone=monotone, categorical=nominal(fold.X)),
            engine=engine,
            training=MistakeDriven(
                margin=0.0,
                max_updates=None,  # the paper has neither a margin nor a limit
                two_class=two_class,
                keep=keep,
                shuffle=False,  # the fold's own order, in every round
            ),
            random_state=seed,
            verbose=False,
        )
        return model._fit(fold.X, fold.y, stop=lambda epochs: epochs >= rounds)

    def wrong(model: DNFWinnow) -> int:
        return int(np.count_nonzero(model.predict(fold.X_test) != fold.y_test))

    model = fitted("last")
    updates = int(model.n_updates_.sum())
    result = {"rows": len(fold.y_test), "wrong": wrong(model), "epochs": model.n_epochs_, "mistakes": updates}
    if method == "BF":
        result["pocket"] = result["wrong"] if model.n_epochs_ < rounds else wrong(fitted("longest"))
    return result


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
        own = found.setdefault(cell[axis], {})
        own.setdefault(cell["method"], []).append(result["wrong"] / result["rows"])
        if "pocket" in result:
            own.setdefault(POCKET, []).append(result["pocket"] / result["rows"])
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


def as_the_papers(exact: Grid, theirs: Grid, margin: float, why: str, folds: int = 10) -> Verdict:
    """Judge whether the errors of exact sums are those of the paper's brute force, on average over places.

    The standard errors are those of both intervals, which rest on about ten folds or sets each.
    """
    places = [place for place, paper in theirs.items() if "BF" in paper and place in exact]
    pairs = [(exact[place]["BF"], theirs[place]["BF"]) for place in places]
    mean = float(np.mean([ours[0] - paper[0] for ours, paper in pairs]))
    halves = [half for pair in pairs for _, half in pair]
    std_err = math.sqrt(sum(half**2 for half in halves)) / stats.t.ppf(0.975, folds - 1) / len(places)
    listed = ", ".join(
        f"{place} {ours[0]:.1f} ({paper[0]:.1f})" for place, (ours, paper) in zip(places, pairs, strict=True)
    )
    claim = f"brute force errs as the paper's does, within {margin:g} points on average"
    return alike_by(claim, mean, std_err, folds - 1, margin, f"{listed} %", why, " points")
