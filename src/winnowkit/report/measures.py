"""Figures of predictions on held-out rows, each with its uncertainty."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.rulesets.intervals import wilson

BINS = 10
"""Groups of equally many rows in a calibration curve."""
RESAMPLES = 200
"""Bootstrap samples of the rows, for the band of a ROC curve."""
MOST_RESAMPLED = 5_000
"""The most rows that are resampled."""
GRID = np.linspace(0.0, 1.0, 101)
"""False-positive rates at which the band of a ROC curve is drawn."""

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


class RowShare(NamedTuple):
    """A share of rows with Wilson's 95% interval."""

    value: float
    low: float
    high: float
    hits: int
    total: int


def share(count: int, total: int) -> RowShare:
    """Return a share with its interval.

    Examples
    --------
    >>> [round(float(x), 3) for x in share(1, 10)[:3]]
    [0.1, 0.018, 0.404]
    """
    return RowShare(count / total, *wilson(count, total), count, total)


def error(truth: Codes, predicted: Codes) -> RowShare:
    """Return the share of wrong labels."""
    return share(int(np.sum(truth != predicted)), len(truth))


def confusion(truth: Codes, predicted: Codes, n_classes: int) -> NDArray[np.int64]:
    """Count rows by their class and the class predicted."""
    counts = np.zeros((n_classes, n_classes), dtype=np.int64)
    np.add.at(counts, (truth, predicted), 1)
    return counts


class Curve(NamedTuple):
    """A ROC curve with a bootstrapped 95% band, and the area below it with its interval."""

    x: Floats
    y: Floats
    low: Floats
    high: Floats
    area: float
    area_low: float
    area_high: float


def roc(positive: NDArray[np.bool_], scores: Floats, rng: np.random.Generator) -> Curve | None:
    """Return the ROC curve of scores for a class; None unless both kinds of rows are there."""
    if positive.all() or not positive.any():
        return None
    x, y = _roc(positive, scores)
    some = rng.permutation(len(scores))[:MOST_RESAMPLED]
    heights, areas = [], []
    for _ in range(RESAMPLES):
        again = some[rng.integers(len(some), size=len(some))]
        if positive[again].all() or not positive[again].any():
            continue
        fx, fy = _roc(positive[again], scores[again])
        heights.append(np.interp(GRID, fx, fy))
        areas.append(_area(fx, fy))
    shrink = np.sqrt(len(some) / len(scores))  # a band from a part of the rows is too wide for all of them
    middle, area = np.interp(GRID, x, y), _area(x, y)
    low, high = np.quantile(heights, [0.025, 0.975], axis=0)
    area_low, area_high = np.quantile(areas, [0.025, 0.975])
    centre, mean = np.mean(heights, axis=0), float(np.mean(areas))
    return Curve(
        GRID,
        middle,
        np.clip(middle + shrink * (low - centre), 0, 1),
        np.clip(middle + shrink * (high - centre), 0, 1),
        area,
        max(0.0, area + shrink * (area_low - mean)),
        min(1.0, area + shrink * (area_high - mean)),
    )


def _roc(positive: NDArray[np.bool_], scores: Floats) -> tuple[Floats, Floats]:
    """Return false- and true-positive rates for falling thresholds; equal scores are one step."""
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    true = np.cumsum(positive[order])[ends]
    false = ends + 1 - true
    return np.append(0.0, false / false[-1]), np.append(0.0, true / true[-1])


def _area(x: Floats, y: Floats) -> float:
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)


class Bin(NamedTuple):
    """Rows of similar probability: the mean probability, and how often they were right."""

    predicted: float
    observed: RowShare


def calibration(happened: NDArray[np.bool_], probability: Floats) -> list[Bin]:
    """Return bins of about equally many rows, from low to high probability; equal probabilities share a bin.

    Examples
    --------
    >>> [bin.observed.hits for bin in calibration(np.array([False, True, True]), np.array([0.2, 0.7, 0.7]))]
    [0, 2]
    """
    edges = np.unique(np.quantile(probability, np.linspace(0, 1, BINS + 1)[1:-1]))
    places = np.searchsorted(edges, probability, side="right")
    found = []
    for place in np.unique(places):
        rows = places == place
        found.append(Bin(float(probability[rows].mean()), share(int(happened[rows].sum()), int(rows.sum()))))
    return found


def expected_calibration_error(bins: list[Bin]) -> float:
    """Return the mean distance between probability and frequency, weighted by rows."""
    total = sum(group.observed.total for group in bins)
    return sum(group.observed.total * abs(group.predicted - group.observed.value) for group in bins) / total


def log_loss(truth: Codes, probabilities: Floats) -> float:
    """Return the mean negative logarithm of the probability of the right class."""
    right = probabilities[np.arange(len(truth)), truth]
    return float(-np.log(np.clip(right, 1e-15, 1.0)).mean())
