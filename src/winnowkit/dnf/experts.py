"""Rules known beforehand, as initial weights of terms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from winnowkit.core.multiclass import class_of
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.bound_literals import BoundLiterals
from winnowkit.dnf.learners import Learners

MAX_CONDITIONS = 8
"""The most conditions of a rule known beforehand: 8 conditions take 2^8 entries of the log."""


def teach(
    learners: Learners,
    encoder: CategoryEncoder,
    classes: Sequence[Any],
    experts: Sequence[tuple[Mapping[Any, Any], Any, Any]],
    max_literals: int | None,
) -> None:
    """Give each expert's term, and no other, its promotions.

    A log consists of examples, which promote every term that they satisfy. An example that specifies only the term T
    promotes the terms of some of T's literals too; these are demoted by examples that specify one literal less, and so
    on: the example of each subset S of T gets the promotions times (-1)^|T - S|, and all terms but T itself come to 0.
    """
    bounds = BoundLiterals(encoder)
    for expert in experts:
        if len(expert) != 3 or not isinstance(expert[0], Mapping):
            raise ValueError(
                f"experts must be triples (mapping from columns to values, label, promotions), got {expert!r}"
            )
        conditions, label, promotions = expert
        longest = MAX_CONDITIONS if max_literals is None else min(MAX_CONDITIONS, max_literals)
        if not 1 <= len(conditions) <= longest:
            raise ValueError(f"an expert's rule must have from 1 to {longest} conditions here, got {len(conditions)}")
        if promotions == "theta":
            promotions = max(1, math.ceil(learners.log_theta / math.log(learners.alpha) + 1e-9))
        if not isinstance(promotions, int | np.integer) or isinstance(promotions, bool):
            raise ValueError(f"promotions must be an integer or 'theta', got {promotions!r}")
        log = learners.logs[_learner(label, classes, len(learners.logs))]
        literals = [encoder.code_of(column, value) for column, value in conditions.items()]
        for j, code in literals:
            if encoder.is_forbidden(j, code):
                raise ValueError(f"an expert's rule asks for {encoder.describe(j, code)!r}, which is forbidden")
        literals = [bounds.literal(j, code) for j, code in literals]
        for size in range(len(literals) + 1):
            for part in combinations(literals, size):
                example = np.zeros(log.n_attributes, dtype=np.int32)
                for j, code in part:
                    example[j] = code
                log.give(example, int(promotions) * (-1) ** (len(literals) - size))


def _learner(label: Any, classes: Sequence[Any], n_learners: int) -> int:
    if label not in classes:
        raise ValueError(f"an expert's label must be one of {list(classes)}, got {label!r}")
    for c in range(n_learners):
        if classes[class_of(c, n_learners)] == label:
            return c
    raise ValueError(
        f"the single learner of two classes learns {classes[1]!r}, and an expert's rule predicts {label!r}; "
        'use MistakeDriven(two_class="pair"), which has one learner per class'
    )
