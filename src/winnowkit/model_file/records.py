"""The classes that a model file may name. Nothing else is ever imported or called on loading.

An object is kept as its state: what ``__getstate__`` gives, or its attributes. A new learner of ``winnowkit.__all__``
and a new engine of ``winnowkit.dnf`` need no line here; a class that is only met inside others needs one below.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from inspect import isclass
from typing import Any

INSIDE = {
    "CategoryEncoder": "winnowkit.data.encode",
    "Booleans": "winnowkit.data.coders",
    "Categories": "winnowkit.data.coders",
    "Intervals": "winnowkit.data.coders",
    "MultisplitDiscretizer": "winnowkit.data.discretize",
    "LinearLearner": "winnowkit.linear.learner",
    "CommitteeLearner": "winnowkit.linear.committee_learner",
    "SymmetricLearner": "winnowkit.counting.sbsb_learner",
    "DirectLearner": "winnowkit.counting.direct_bayes_learner",
    "DriftLearner": "winnowkit.counting.directed_drift_learner",
    "Learners": "winnowkit.dnf.learners",
    "MistakeLog": "winnowkit.dnf.log",
    "ShortLearners": "winnowkit.dnf.bounded",
    "ShortLog": "winnowkit.dnf.bounded",
}
PUBLIC = {"winnowkit": "predict", "winnowkit.dnf": "log_sum"}  # learners and engines, by what they can do


@cache
def find(name: str) -> Any:
    """The class of this name; ValueError if it is not one of those that files may name."""
    if name in INSIDE:
        return getattr(import_module(INSIDE[name]), name)
    for package, method in PUBLIC.items():
        if name in import_module(package).__all__:
            value = getattr(import_module(package), name)
            if isclass(value) and hasattr(value, method):
                return value
    raise ValueError(f"unknown class {name!r}")


def name_of(kind: type) -> str | None:
    """The name that stands for a class in a file, if it may be there."""
    try:
        return kind.__name__ if find(kind.__name__) is kind else None
    except ValueError:
        return None


def is_estimator(kind: type) -> bool:
    """Whether a class is one of the public learners."""
    return kind.__name__ in import_module("winnowkit").__all__ and name_of(kind) is not None


def state_of(record: object) -> dict[str, Any]:
    """What there is to be kept of an object."""
    state: dict[str, Any] = record.__getstate__() or {}  # type: ignore[assignment]  # slots, which none here has
    return state


def restored(name: str, state: dict[str, Any]) -> object:
    """An object of this class and state."""
    kind = find(name)
    record = kind.__new__(kind)
    if hasattr(record, "__setstate__"):
        record.__setstate__(state)
    else:
        record.__dict__.update(state)
    for attribute in vars(record):
        shadowed = getattr(kind, attribute, None)
        if attribute.startswith("__") or callable(shadowed) or isinstance(shadowed, property):
            raise ValueError(f"{name} keeps no {attribute!r}")
    return record
