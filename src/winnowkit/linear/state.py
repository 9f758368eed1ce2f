"""The arrays of linear learners: new ones, restored ones, and those with room for more attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.arrays import check_arrays, check_consistent
from winnowkit.core.checks import require
from winnowkit.linear import weights as updates
from winnowkit.linear.rule import PARAMETERS, LinearRule
from winnowkit.linear.weights import FRESH, LinearState, Link


def begun_state(rules: Sequence[LinearRule], n_classes: int, n_features: int, negations: bool) -> LinearState:
    """Return the state of learners that have seen nothing: one per class and rule, all of them balanced or none."""
    balanced = rules[0].update.balanced
    require(all(rule.update.balanced == balanced for rule in rules), "all rules must be balanced, or none", "some")
    n_learners, n_blocks = n_classes * len(rules), (1 + negations) * (1 + balanced)
    state = _assembled(
        {
            "weights": np.zeros((n_learners, n_blocks, n_features)),
            "totals": np.zeros((n_learners, FRESH + n_blocks)),
            "counts": np.zeros((1 + n_learners, 2), dtype=np.int64),
            "parameters": parameters_of([*rules] * n_classes, negations),
        }
    )
    updates.begin(state)
    return state


def restored_state(arrays: Mapping[str, NDArray[Any]]) -> LinearState:
    """Return the state that these arrays, all but `coef`, were taken from."""
    state = _assembled({name: np.require(array, requirements=["C", "W"]) for name, array in arrays.items()})
    refresh(state)
    return state


def longer_state(state: LinearState, capacity: int) -> LinearState:
    """Return the state with room for more attributes.

    Spare room has the weights of new attributes, or 0 if the sum of all weights counts.
    """
    normalized = state.parameters["normalized"]
    n_learners, n_blocks, n = state.weights.shape
    longer = np.zeros((n_learners, n_blocks, capacity))
    longer[:, :, :n] = state.weights
    longer[~normalized, :, n:] = state.totals[~normalized, FRESH:, None]
    grown = _assembled({**state._asdict(), "weights": longer})
    if not np.shares_memory(grown.coef, longer):  # sum anew the new coefficients only
        grown.coef[:, :n] = state.coef
        updates.refresh_at(*grown, np.arange(n, capacity))
    return grown


def refresh(state: LinearState) -> None:
    """Derive anew all that follows from the weights."""
    for k in range(state.coef.shape[0]):
        updates.refresh(state, k)


def check_linear(arrays: Mapping[str, NDArray[Any]]) -> int:
    """Refuse arrays that do not belong to one family of learners, and return the number of learners."""
    lengths = check_arrays(
        arrays,
        {
            "weights": (np.float64, ("learners", "blocks", "n")),
            "totals": (np.float64, ("learners", "totals")),
            "counts": (np.int64, ("rows", 2)),
            "parameters": (PARAMETERS, ("learners",)),
        },
    )
    blocks = (1 + arrays["parameters"]["negations"]) * (1 + arrays["parameters"]["balanced"])
    check_consistent(lengths["learners"] >= 1 and lengths["n"] >= 1, "it has no weights")
    check_consistent((blocks == lengths["blocks"]).all(), "weights per attribute")
    check_consistent(lengths["totals"] == FRESH + lengths["blocks"], "totals")
    check_consistent(lengths["rows"] == 1 + lengths["learners"], "counts")
    return lengths["learners"]


def _assembled(arrays: Mapping[str, NDArray[Any]]) -> LinearState:
    """A state with these arrays; its `coef` is a view of the weights where they are the same, else not filled in.

    In memory an attribute's coefficients of all learners are neighbours, as all learners look the same ones up.
    """
    weights = arrays["weights"]
    shared = weights.shape[1] == 1 and (arrays["parameters"]["link"] == Link.WEIGHT).all()
    coef = weights[:, 0] if shared else np.empty(weights[:, 0].shape[::-1]).T
    return LinearState(weights, coef, arrays["totals"], arrays["counts"], arrays["parameters"])


def parameters_of(rules: Sequence[LinearRule], negations: bool) -> NDArray[Any]:
    """One record of PARAMETERS per rule.

    Examples
    --------
    >>> from winnowkit.linear.rule import Prediction, Update
    >>> parameters_of([LinearRule(Prediction(theta=8.0), Update(up=2.0, down=2.0))], negations=False)["theta"]
    array([8.])
    """
    records = [(*r.prediction, *r.update, r.policy == "always", r.margin, negations) for r in rules]
    return np.array(records, dtype=PARAMETERS)


def changed_parameters(
    parameters: NDArray[np.void], before: Sequence[LinearRule], after: Sequence[LinearRule]
) -> NDArray[np.void]:
    """Return a copy of the parameters, in which record k has the numbers of rule k % len(after) instead of `before`.

    This is faster than :func:`parameters_of`, as most often few numbers differ. The copy is one of bytes: numpy takes
    ten times as long to copy records, field by field.
    """
    copy = np.frombuffer(bytearray(parameters.tobytes()), dtype=PARAMETERS)
    for m, (old, new) in enumerate(zip(before, after, strict=True)):
        for was, becomes in ((old.prediction, new.prediction), (old.update, new.update)):
            if was != becomes:
                for name, x, y in zip(was._fields, was, becomes, strict=True):
                    if x != y:
                        copy[name][m :: len(after)] = y
        if old.margin != new.margin:
            copy["margin"][m :: len(after)] = new.margin
    return copy
