"""Which of many rules to keep, and in what order: few of them, right on as many rows as possible."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.dnf.kernels.covering import Covers, Wanted, count, count_wrong, greedy

Labels = NDArray[np.int64]

PENALTIES = (1.0, 2.0, 4.0, 8.0, 16.0, np.inf)
"""How many rows got right a row got wrong is worth: a careful choice leaves room for better rules later."""


class Choice(NamedTuple):
    """Rules by number, in order; the class if none holds; and the rows wrong with the first 0, 1, 2, ... rules."""

    rules: list[int]
    default: int
    wrong: list[int]


def select(covers: Covers, classes: Labels, target: Labels, default: int, max_rules: int, min_gain: int) -> Choice:
    """Choose rules greedily, the first that holds deciding, for several penalties; the best of the choices.

    Each rule must take `min_gain` rows from wrong to right; a choice costs that many rows a rule, so that a longer one
    must earn its length.

    Parameters
    ----------
    covers : array of bool, shape (rows, rules)
        Where the conditions of each rule hold.
    classes : array of int, shape (rules,)
        What each rule says.
    target : array of int, shape (rows,)
        What it should say.
    default : int
        What is said where no rule holds.
    max_rules, min_gain : int
        How many rules there may be, and how many rows each must be worth.

    Examples
    --------
    >>> covers = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0], [1, 0, 1]], dtype=bool)
    >>> select(covers, np.array([1, 1, 1]), np.array([1, 1, 0, 1]), default=0, max_rules=5, min_gain=1)
    Choice(rules=[1, 2], default=0, wrong=[3, 1, 0])
    """
    covers = np.ascontiguousarray(covers)
    counts = count(covers, target, int(max(target.max(initial=0), classes.max(initial=0), default)) + 1)
    greeds = [Wanted(max_rules, min_gain, min(penalty, float(len(target)))) for penalty in PENALTIES]
    choices = [greedy(covers, classes, target, default, counts.copy(), wanted).tolist() for wanted in greeds]
    choices = [list(chosen) for chosen in dict.fromkeys(map(tuple, choices))]
    choices = [_pruned(covers, classes, target, default, chosen, min_gain) for chosen in choices]
    wrongs = [_wrong(covers, classes, target, default, chosen) for chosen in choices]
    best = min(zip(wrongs, choices, strict=True), key=lambda pair: (pair[0] + min_gain * len(pair[1]), pair[0]))[1]
    return Choice(best, default, [_wrong(covers, classes, target, default, best[:k]) for k in range(len(best) + 1)])


def _pruned(
    covers: Covers, classes: Labels, target: Labels, default: int, chosen: list[int], min_gain: int
) -> list[int]:
    """Leave out rules that others have made worth less than `min_gain` rows, the latest first."""
    wrong = _wrong(covers, classes, target, default, chosen)
    for rule in reversed(chosen):
        fewer = [other for other in chosen if other != rule]
        without = _wrong(covers, classes, target, default, fewer)
        if without < wrong + min_gain:
            chosen, wrong = fewer, without
    return chosen


def _wrong(covers: Covers, classes: Labels, target: Labels, default: int, chosen: list[int]) -> int:
    return int(count_wrong(covers, classes, target, default, np.array(chosen, dtype=np.int64)))
