"""One decision of a linear learner as a sum: how much each attribute of an example adds to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows
from winnowkit.core.multiclass import class_of
from winnowkit.core.notebook import html_grid
from winnowkit.core.online_classifier import OnlineClassifier
from winnowkit.core.validation import require
from winnowkit.linear.attributes import column_names
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
from winnowkit.linear.mixing import WIDEST
from winnowkit.linear.scaling import typical
from winnowkit.rulesets.words import word


class Contribution(NamedTuple):
    """An attribute of an example, and what it adds to the decision.

    See Also
    --------
    LinearExplanation : Contains these.
    """

    name: str
    value: float
    amount: float


@dataclass(frozen=True)
class LinearExplanation:
    """A decision as a sum: what it is without any attribute, and what each attribute that is not 0 adds.

    Parameters
    ----------
    label : str, bool, int or float
        The prediction.
    evidence_for : str, bool, int or float
        The label that positive amounts speak for: with two classes ``classes_[1]``, whatever is predicted.
    decision : float
        The decision on `evidence_for`: the sum of `base` and all contributions, up to rounding.
    base : float
        The decision on an example without any attribute.
    contributions : tuple of Contribution
        Those farthest from 0 first.
    max_attributes : int
        How many of them are printed.

    See Also
    --------
    winnowkit.Committee.explain : Returns it.
    winnowkit.Winnow2.explain : Returns it.
    """

    label: Any
    evidence_for: Any
    decision: float
    base: float
    contributions: tuple[Contribution, ...]
    max_attributes: int = 10

    @property
    def _head(self) -> str:
        return f"predicted {word(self.label)}; the decision for {word(self.evidence_for)} is {self.decision:+.4g}"

    @property
    def _rows(self) -> list[tuple[str, str]]:
        shown, others = self.contributions[: self.max_attributes], self.contributions[self.max_attributes :]
        rows = [(f"{c.amount:+.4g}", f"{word(c.name)} = {c.value:g}") for c in shown]
        if others:
            total = sum(c.amount for c in others)
            rows.append((f"{total:+.4g}", f"{len(others)} other attribute{'s' * (len(others) > 1)}"))
        return [*rows, (f"{self.base:+.4g}", "without any attribute")]

    def __str__(self) -> str:
        return "\n".join([self._head, *(f"{amount:>10}  {name}" for amount, name in self._rows)])

    def _repr_html_(self) -> str:
        return html_grid(self._head, [("adds", "attribute"), *self._rows])


def explained(model: OnlineClassifier, x: Any, label: Any, max_attributes: int, names: Any) -> LinearExplanation:
    """Explain the decision on one example, for the prediction or for another label."""
    model._check_begun()
    require(max_attributes >= 1, "max_attributes must be at least 1", max_attributes)
    row = x.toarray().ravel() if hasattr(x, "toarray") else np.asarray(x, dtype=np.float64)
    predicted = model._code(model.predict_one(row))  # which checks the row
    columns, rows = column_names(model, names), model._rows(row.reshape(1, -1))
    learner = model._learner
    amounts = committee_amounts(learner, rows) if isinstance(learner, CommitteeLearner) else linear_amounts(model, rows)
    k = 0 if len(amounts) == 1 else predicted if label is None else model._code(label)
    base, *added = amounts[k].tolist()
    found = [
        Contribution(columns[i], float(row[i]), amount) for i, amount in zip(rows.indices.tolist(), added, strict=True)
    ]
    return LinearExplanation(
        label=model.classes_.tolist()[predicted],
        evidence_for=model.classes_.tolist()[class_of(k, len(amounts))],
        decision=float(amounts[k].sum()),
        base=base,
        contributions=tuple(sorted(found, key=lambda c: -abs(c.amount))),
        max_attributes=max_attributes,
    )


def linear_amounts(model: Any, rows: Rows) -> NDArray[np.float64]:
    """Return each learner's intercept, and what each active attribute of the row adds to its decision."""
    return np.column_stack([model.intercept_, model.coef_[:, rows.indices] * rows.data])


def committee_amounts(learner: CommitteeLearner, rows: Rows) -> NDArray[np.float64]:
    """Return the log-odds of each learner without attributes, and what each attribute of the row adds to them.

    An expert's score is a sum over attributes, and so is what the mix makes of it: the mix sees the score cut at a
    limit, which is the score times a slope of at most 1. The amounts add up to the log-odds of the mix.
    """
    family, mix = learner.family, learner.mix
    x = rows.data / np.maximum(family.largest[rows.indices], np.abs(rows.data))
    length = np.sqrt(x @ x)
    z = x / length if length > 0.0 else np.zeros_like(x)
    parts = score_parts(family, rows.indices, np.append(1.0, x), np.append(1.0, z))
    scores = parts.sum(axis=0)
    widest = np.where(np.arange(scores.shape[1]) < N_BEGS, 1.0, WIDEST)
    slopes = np.divide(np.clip(scores, -widest, widest), scores, out=np.ones_like(scores), where=scores != 0.0)
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
    weights, records = linear_weights(few), by_learner(few.records)
    largest = np.maximum(np.maximum(records[..., COIN_L], np.abs(z)[:, None]), typical(family.scale))
    stakes = (largest + records[..., COIN_R]) / (largest * (records[..., COIN_G] + largest))
    weights[..., COIN] = records[..., COIN_T] * stakes
    factors = np.repeat(x[:, None], weights.shape[2], axis=1)
    factors[:, :N_BEGS] = (x > 0.0)[:, None]
    factors[:, AROW_QUICK:GRADIENT] = z[:, None]
    return weights * factors[:, None, :]
