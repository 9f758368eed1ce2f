"""Linear learners as plain numbers, from which the page computes the same decisions (assets/linear.js)."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.data.encode import CategoryEncoder
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.linear.committee import Committee
from winnowkit.linear.committee_learner import CommitteeLearner
from winnowkit.linear.family import COIN_G, COIN_L, COIN_R, COIN_T, N_BEGS, linear_weights, of_learners
from winnowkit.linear.scaled import ScaledClassifier
from winnowkit.linear.scaling import typical
from winnowkit.linear.weights import OFFSET, TOTAL

MOST_BYTES = 600_000
"""A model with more bytes of weights than this is not put into the page."""


def export(model: Any, encoder: CategoryEncoder | None, kept: NDArray[np.int64] | None = None) -> dict[str, Any] | None:
    """Return the numbers of a learner; None if they are too many, or if the page cannot compute with it.

    Given `kept`, the numbers are those of these attributes only: enough for rows that have no others.
    """
    found = _numbers(model, np.arange(model.n_features_in_) if kept is None else kept)
    if found is None:
        return None
    arrays = {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
    if sum(array.nbytes for array in arrays.values()) > MOST_BYTES:
        return None
    packed = {name: pack(array) for name, array in arrays.items()}
    return {**found, **packed, "encode": None if encoder is None else cells_of(encoder)}


def pack(array: NDArray[Any]) -> dict[str, Any]:
    """Return an array of floating-point numbers in the bytes that JavaScript reads, little-endian."""
    bits = 32 if array.dtype == np.float32 else 64
    return {"bits": bits, "data": base64.b64encode(array.astype(f"<f{bits // 8}").tobytes()).decode("ascii")}


def cells_of(encoder: CategoryEncoder) -> list[list[list[tuple[str, Any]]]]:
    """Return, for each column and each of its codes, the tests of the raw value under which the code applies."""
    counts = encoder.n_categories_.tolist()
    return [[encoder.tests(j, code) for code in range(1, k + 1)] for j, k in enumerate(counts)]


def _numbers(model: Any, kept: NDArray[np.int64]) -> dict[str, Any] | None:
    if isinstance(model, LinearClassifier):
        return _of_linear(model, kept)
    if isinstance(model, ScaledClassifier):
        return _of_scaled(model, kept)
    return _of_committee(model, kept) if isinstance(model, Committee) else None


def _of_linear(model: LinearClassifier, kept: NDArray[np.int64]) -> dict[str, Any] | None:
    """Return coefficients, and how a score is cut: (offset + sum of coefficients) / total - theta."""
    binarize = model._begun.binarize
    if binarize is not None and binarize < 0:
        return None
    learner = model._linear
    learner._settle()
    state = learner.state
    return {
        "rule": "linear",
        "learners": len(state.coef),
        "binarize": binarize,
        "coef": np.ascontiguousarray(state.coef[:, kept]),
        "offset": state.totals[:, OFFSET].tolist(),
        "total": state.totals[:, TOTAL].tolist(),
        "theta": state.parameters["theta"].tolist(),
        "strict": state.parameters["strict"].astype(bool).tolist(),
        "posterior": _has_probabilities(model),
    }


def _has_probabilities(model: Any) -> bool:
    return hasattr(model, "predict_proba")


def _of_scaled(model: ScaledClassifier, kept: NDArray[np.int64]) -> dict[str, Any]:
    """Return the records of the rule, the bias first."""
    learner = model._scaled
    records = learner.state.records[np.append(0, kept + 1)]
    return {
        "rule": ("arow", "coin", "hypentropy")[learner.rule],
        "learners": records.shape[1],
        "fields": records.shape[2],
        "records": np.ascontiguousarray(records),  # (places, learners, fields)
        "largest": learner.state.largest[kept],
        "typical": float(typical(learner.state.scale)),
        "slopes": learner.state.weights.tolist() if _has_probabilities(model) else None,
    }


def _of_committee(model: Committee, kept: NDArray[np.int64]) -> dict[str, Any] | None:
    """Return the weights of all experts, what the coin bettor's depend on, and the mix of their scores."""
    learner = model._learner
    if not isinstance(learner, CommitteeLearner):
        return None
    family, mix = learner.family, learner.mix
    places = np.append(0, kept + 1)  # the bias comes first
    coin = of_learners(family)[places][:, [COIN_T, COIN_G, COIN_R, COIN_L]].swapaxes(1, 2)
    return {
        "rule": "committee",
        "learners": learner.n_learners,
        "experts": mix.resting.shape[1],
        "begs": N_BEGS,
        "limits": learner.limits.tolist(),
        "weights": linear_weights(family)[places].astype(np.float32),  # (places, learners, experts)
        "coin": np.ascontiguousarray(coin),  # (places, learners, 4)
        "largest": family.largest[kept],
        "typical": float(typical(family.scale)),
        "mix": mix.weights.tolist(),
        "votes": mix.votes.tolist(),
        "resting": mix.resting.tolist(),
    }
