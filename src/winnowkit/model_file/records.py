"""The classes that a model file may name: ours and a few of scikit-learn. Loading imports and calls nothing else.

An object is saved as its state: the result of ``__getstate__``, or its attributes. A new learner in
``winnowkit.__all__`` and a new engine in ``winnowkit.dnf`` need no line here; a class that occurs only inside others
needs one in `INSIDE`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from inspect import isabstract, isclass
from typing import Any

from winnowkit.model_file.known_steps import KNOWN_STEPS, check_step, plain_state

INSIDE = {
    "CategoryEncoder": "winnowkit.data.encode",
    "TableEncoder": "winnowkit.data.table_encoder",
    "NumberFeatures": "winnowkit.data.column_features",
    "CategoryFeatures": "winnowkit.data.column_features",
    "TextFeatures": "winnowkit.data.column_features",
    "CodedTable": "winnowkit.data.coded_table",
    "BooleanCoder": "winnowkit.data.coders",
    "CategoryCoder": "winnowkit.data.coders",
    "ExcludedCoder": "winnowkit.data.coders",
    "BoundCoder": "winnowkit.data.number_coders",
    "IntervalCoder": "winnowkit.data.number_coders",
    "DateBoundCoder": "winnowkit.data.date_coders",
    "DateIntervalCoder": "winnowkit.data.date_coders",
    "DateFeatures": "winnowkit.data.column_features",
    "MultisplitDiscretizer": "winnowkit.data.discretize",
    "LinearLearner": "winnowkit.linear.learner",
    "CommitteeLearner": "winnowkit.linear.committee_learner",
    "MembersLearner": "winnowkit.linear.members",
    "ScaledLearner": "winnowkit.linear.scaled_learner",
    "SymmetricLearner": "winnowkit.counting.sbsb_learner",
    "DirectLearner": "winnowkit.counting.direct_bayes_learner",
    "DriftLearner": "winnowkit.counting.directed_drift_learner",
    "Learners": "winnowkit.dnf.learners",
    "MistakeDriven": "winnowkit.dnf.mistake_driven",
    "MistakeLog": "winnowkit.dnf.log",
    "ShortLog": "winnowkit.dnf.short_term_tables",
    "ShortTerms": "winnowkit.dnf.short_term_tables",
    "Soft": "winnowkit.dnf.soft_training",
    "SoftLearners": "winnowkit.dnf.soft_learners",
}
LINEAR = ("LinearLearner", "ScaledLearner", "CommitteeLearner")
"""Learners that are imported without scikit-learn."""
PREDICTING = {"_learner", "classes_", "binarize", "n_features_in_", "feature_names_in_", "n_jobs"}
"""The attributes of their models that predictions depend on."""
PUBLIC = {"winnowkit": "predict", "winnowkit.dnf": "log_sum"}  # learners and engines, recognised by a method


@cache
def find(name: str) -> Any:
    """Return the class of this name; raise ValueError if files may not name it."""
    if name in INSIDE or name in KNOWN_STEPS:
        return getattr(import_module(INSIDE.get(name) or KNOWN_STEPS[name]), name)
    for package, method in PUBLIC.items():
        if name in import_module(package).__all__:
            value = getattr(import_module(package), name)
            if isclass(value) and callable(getattr(value, method, None)) and not isabstract(value):
                return value
    raise ValueError(f"unknown class {name!r}")


def name_of(kind: type) -> str | None:
    """Return the name of a class in files, or None if files may not name it."""
    try:
        return kind.__name__ if find(kind.__name__) is kind else None
    except ValueError:
        return None


def is_public(name: str) -> bool:
    """Whether a name is one of those that `winnowkit` offers, as all learners are."""
    return name in import_module("winnowkit").__all__


def is_estimator(kind: type) -> bool:
    """Whether a class is one of the public learners."""
    return is_public(kind.__name__) and name_of(kind) is not None


def is_model(model: Any) -> bool:
    """Whether an object is a public learner, or a pipeline of known steps that ends in one."""
    kind = model.__class__  # not its type: an unopened model becomes what it is
    if kind.__name__ != "Pipeline" or name_of(kind) is None:
        return is_estimator(kind)
    return not unknown_steps(model) and is_estimator(type(model.steps[-1][1]))


def unknown_steps(pipeline: Any) -> list[str]:
    """Return the names of the steps of a pipeline that model files do not know."""
    return [name for name, step in pipeline.steps if step != "passthrough" and name_of(type(step)) is None]


def state_of(record: object) -> dict[str, Any]:
    """Return the state of an object that is saved."""
    state: dict[str, Any] = record.__getstate__() or {}  # type: ignore[assignment]  # no class here has slots
    return plain_state(state) if type(record).__name__ in KNOWN_STEPS else state


def restored(name: str, state: dict[str, Any]) -> object:
    """Return an object of this class with this state."""
    kind = find(name)
    record = kind.__new__(kind)
    if taken := vars(record).keys() & state.keys():
        raise ValueError(f"{name} has no attribute {min(taken)!r}")
    if hasattr(record, "__setstate__"):
        record.__setstate__(state)
    else:
        record.__dict__.update(state)
    for attribute in vars(record):
        shadowed = getattr(kind, attribute, None)
        if attribute.startswith("__") or callable(shadowed) or isinstance(shadowed, property):
            raise ValueError(f"{name} has no attribute {attribute!r}")
    if name in KNOWN_STEPS:
        check_step(record)
    return record
