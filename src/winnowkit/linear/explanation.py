"""One decision of a linear learner as a sum: how much each attribute of an example adds to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows
from winnowkit.core.explaining import Asked
from winnowkit.linear.committee_learner import CommitteeLearner
from winnowkit.linear.family import (
    AROW_QUICK,
    COIN,
    COIN_G,
    COIN_L,
    COIN_R,
    COIN_T,
    GRADIENT,
    N_BEGS,
    Family,
    by_learner,
    linear_weights,
)
from winnowkit.linear.scaled_kernel import COIN as COIN_RULE
from winnowkit.linear.scaled_kernel import HYPENTROPY
from winnowkit.linear.scaled_learner import ScaledLearner, stakes
from winnowkit.linear.scaling import typical
from winnowkit.rulesets.explanation import Contribution, LinearExplanation


def explained(asked: Asked, indices: NDArray[Any], amounts: NDArray[np.float64]) -> LinearExplanation:
    """Explain a decision by the amounts of the learner asked: its base, and one for each of these attributes."""
    base, *added = amounts[asked.learner].tolist()
    found = [
        Contribution(asked.names[i], float(asked.row[i]), amount)
        for i, amount in zip(indices.tolist(), added, strict=True)
    ]
    return LinearExplanation(
        label=asked.label,
        evidence_for=asked.evidence_for,
        decision=float(amounts[asked.learner].sum()),
        base=base,
        contributions=tuple(sorted(found, key=lambda c: -abs(c.amount))),
        max_attributes=asked.most,
    )


def linear_amounts(model: Any, rows: Rows) -> NDArray[np.float64]:
    """Return each learner's intercept, and what each active attribute of the row adds to its decision."""
    return np.column_stack([model.intercept_, model.coef_[:, rows.indices] * rows.data])


def scaled_amounts(learner: ScaledLearner, rows: Rows) -> NDArray[np.float64]:
    """Return the bias of each learner of scaled values, and what each attribute of the row adds to its score."""
    state = learner.state
    x = rows.data / np.maximum(state.largest[rows.indices], np.abs(rows.data))
    values = np.append(1.0, x if learner.rule == HYPENTROPY else unit(x))[:, None]
    records = state.records[np.append(0, rows.indices.astype(np.int64) + 1)]
    weights = records[..., 0]
    if learner.rule == COIN_RULE:
        weights = weights * stakes(records, np.maximum(np.abs(values), typical(state.scale)))
    amounts: NDArray[np.float64] = (weights * values).T
    return amounts


def unit(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a vector divided by its length; zeros stay zeros."""
    length = np.sqrt(x @ x)
    return x / length if length > 0.0 else np.zeros_like(x)


def committee_amounts(learner: CommitteeLearner, rows: Rows) -> NDArray[np.float64]:
    """Return the log-odds of each learner without attributes, and what each attribute of the row adds to them.

    An expert's score is a sum over attributes, and so is what the mix makes of it: the mix sees the score cut at a
    limit, which is the score times a slope of at most 1. The amounts add up to the log-odds of the mix.
    """
    family, mix = learner.family, learner.mix
    x = rows.data / np.maximum(family.largest[rows.indices], np.abs(rows.data))
    z = unit(x)
    parts = score_parts(family, rows.indices, np.append(1.0, x), np.append(1.0, z))
    scores = parts.sum(axis=0)
    limits = learner.limits
    slopes = np.divide(np.clip(scores, -limits, limits), scores, out=np.ones_like(scores), where=scores != 0.0)
    per_score = np.where(mix.resting, 0.0, mix.weights[:-1] * slopes)
    amounts: NDArray[np.float64] = np.einsum("pke,ke->kp", parts, per_score)
    if learner.n_learners == 1:
        amounts[0, 0] += mix.weights[-1]
    return amounts


def score_parts(
    family: Family, columns: NDArray[Any], x: NDArray[np.float64], z: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what the bias and each attribute add to each expert's score, (1 + attributes, learners, experts)."""
    places = np.append(0, columns.astype(np.int64) + 1)
    full = family.full_weights[:, places] if family.full_weights.size else family.full_weights
    few = family._replace(records=family.records[places], full_weights=full)
    weights, records = linear_weights(few), by_learner(few)
    largest = np.maximum(np.maximum(records[..., COIN_L], np.abs(z)[:, None]), typical(family.scale))
    stakes = (largest + records[..., COIN_R]) / (largest * (records[..., COIN_G] + largest))
    weights[..., COIN] = records[..., COIN_T] * stakes
    factors = np.repeat(x[:, None], weights.shape[2], axis=1)
    factors[:, :N_BEGS] = (x > 0.0)[:, None]
    factors[:, AROW_QUICK:GRADIENT] = z[:, None]
    return weights * factors[:, None, :]
