"""The steps of scikit-learn that a model file may hold as data, and what is checked when one is read.

Their state is parameters and arrays. A parameter that is a function, such as a tokenizer, cannot be written.
"""

from __future__ import annotations

from typing import Any

import numpy as np

KNOWN_STEPS = {
    "Pipeline": "sklearn.pipeline",
    "StandardScaler": "sklearn.preprocessing",
    "MinMaxScaler": "sklearn.preprocessing",
    "MaxAbsScaler": "sklearn.preprocessing",
    "OneHotEncoder": "sklearn.preprocessing",
    "CountVectorizer": "sklearn.feature_extraction.text",
    "HashingVectorizer": "sklearn.feature_extraction.text",
    "TfidfTransformer": "sklearn.feature_extraction.text",
    "TfidfVectorizer": "sklearn.feature_extraction.text",
}
"""The classes, and the modules that they are imported from."""

_TYPES = {kind.__name__: kind for kind in (np.float64, np.float32, np.int64, np.int32, np.int8, np.uint8, np.bool_)}


def type_name(kind: type) -> str:
    """Return the name of a type of numbers, which some steps have as a parameter.

    Examples
    --------
    >>> type_name(np.float64)
    'float64'
    """
    if _TYPES.get(kind.__name__) is not kind:
        raise TypeError(f"a model file cannot hold the type {kind.__module__}.{kind.__qualname__}")
    return kind.__name__


def type_named(name: str) -> type:
    """Return the type of numbers of this name; raise ValueError for any other."""
    if name not in _TYPES:
        raise ValueError(f"unknown type {name!r}")
    return _TYPES[name]


def plain_state(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a step with words numbered by plain integers, which take less room than numpy's."""
    if not isinstance(state.get("vocabulary_"), dict):
        return state
    return {**state, "vocabulary_": {word: int(place) for word, place in state["vocabulary_"].items()}}


def check_step(step: Any) -> None:
    """Raise ValueError for a restored step that would read files, or whose columns are out of range."""
    steps = getattr(step, "steps", None)
    if type(step).__name__ == "Pipeline" and not (
        isinstance(steps, list) and steps and all(isinstance(pair, tuple) and len(pair) == 2 for pair in steps)
    ):
        raise ValueError("a pipeline must have steps")
    if getattr(step, "input", "content") != "content":
        raise ValueError("a vectorizer in a model file must take texts, not names of files")
    vocabulary = getattr(step, "vocabulary_", None)
    if vocabulary is not None:
        words = isinstance(vocabulary, dict) and all(isinstance(word, str) for word in vocabulary)
        if not words or sorted(vocabulary.values()) != list(range(len(vocabulary))):
            raise ValueError("the words of a vectorizer must be numbered from 0")
