"""Greedy choice of rules that cover rows, the first that holds deciding."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnowkit.core.jit import jit
from winnowkit.dnf.kernels.problem import Ints, U

Covers = npt.NDArray[np.bool_]


class Wanted(NamedTuple):
    """How many rules there may be, how many rows each must put right, and how many a row it gets wrong is worth."""

    max_rules: int
    min_gain: int
    penalty: float


@jit
def count(covers: Covers, target: Ints, n_classes: int) -> Ints:
    """Rows that each rule covers, by class."""
    counts = np.zeros((covers.shape[1], n_classes), dtype=np.int64)
    for i in range(covers.shape[0]):
        for k in range(covers.shape[1]):
            counts[U(k), target[i]] += covers[U(i), U(k)]
    return counts


@jit
def best_rule(counts: Ints, classes: Ints, default: int, wanted: Wanted) -> int:
    """Rule with the most rows right, less the penalty for those wrong; of equals the first; -1 if none is worth it."""
    best, highest = -1, 0.0
    for k in range(classes.size):
        right, covered = counts[U(k), classes[k]], np.int64(0)
        if right - counts[U(k), default] < wanted.min_gain:
            continue
        for c in range(counts.shape[1]):
            covered += counts[U(k), c]
        score = right - wanted.penalty * (covered - right)
        if score > highest:
            best, highest = k, score
    return best


@jit
def greedy(covers: Covers, classes: Ints, target: Ints, default: int, counts: Ints, wanted: Wanted) -> Ints:
    """Choose the best rule, take away the rows it covers, and so on; `counts` are of all rows, and used up."""
    chosen = np.zeros(min(wanted.max_rules, classes.size), dtype=np.int64)
    free = np.ones(target.size, dtype=np.bool_)
    for length in range(chosen.size):
        rule = best_rule(counts, classes, default, wanted)
        if rule < 0:
            return chosen[:length]
        chosen[length] = rule
        for i in range(target.size):
            if free[i] and covers[i, rule]:
                free[i] = False
                for k in range(classes.size):
                    counts[U(k), target[i]] -= covers[U(i), U(k)]
    return chosen


@jit
def count_wrong(covers: Covers, classes: Ints, target: Ints, default: int, chosen: Ints) -> int:
    """Rows on which the first of the chosen rules that holds, or the default, says something else than the target."""
    wrong = 0
    for i in range(target.size):
        said = default
        for k in chosen:
            if covers[U(i), U(k)]:
                said = classes[k]
                break
        wrong += said != target[i]
    return wrong
