"""Model files: one file per model, without pickle, and no code runs on loading.

The arrays stand in a safetensors file, everything else in its header as JSON (:mod:`.codec`). The file has a checksum
and is replaced atomically (:mod:`.container`). Only classes of this package are known (:mod:`.records`). See
docs/models.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from winnowkit.model_file.codec import Arrays, Decoder, Encoder
from winnowkit.model_file.container import ModelFileError, read, write
from winnowkit.model_file.known_steps import KNOWN_STEPS
from winnowkit.model_file.records import LINEAR, PREDICTING, is_model, is_public, unknown_steps

__all__ = ["Contents", "ModelFileError", "load", "read_contents", "save"]


class Contents(NamedTuple):
    """The contents of a model file.

    Parameters
    ----------
    model : estimator
        The learner.
    notes : dict
        The notes that were saved beside the model.
    version : str
        The version of winnowkit that wrote the file.

    See Also
    --------
    read_contents : Returns the contents of a file.

    Examples
    --------
    >>> Contents(model=None, notes={"rows": 0}, version="0.1.0").notes
    {'rows': 0}
    """

    model: Any
    notes: dict[str, Any]
    version: str


def save(model: Any, path: str | PathLike[str], *, notes: Mapping[str, Any] | None = None) -> None:
    """Write a model, fitted or not, to one file.

    An existing file is replaced in one step, when the new one is safely on disk: if the program is killed, the file
    holds either the old model or the new one.

    Parameters
    ----------
    model : estimator
        Any learner of ``winnowkit.__all__``, or a pipeline of scikit-learn that ends in one, after a
        :class:`~winnowkit.data.TableEncoder`, a scaler, a `OneHotEncoder` or a vectorizer of text.
    path : path-like
        The file.
    notes : mapping, optional
        Numbers, strings and lists by name, saved beside the model. The command line saves the column names there.

    See Also
    --------
    load : Reads the model again.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from winnowkit import Winnow2, load, save
    >>> model = Winnow2().begin(n_features=1000, classes=["ham", "spam"])
    >>> _ = model.learn_active([3, 17], "spam")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, Path(folder) / "spam.winnow")
    ...     same = load(Path(folder) / "spam.winnow")
    >>> same.n_mistakes_, bool((same.coef_ == model.coef_).all())
    (1, True)
    """
    if not is_model(model):
        raise TypeError(_refusal(model))
    encoder = Encoder()
    learner = model.steps[-1][1] if type(model).__name__ == "Pipeline" else model
    with learner._lock.reading:  # while it is written, too, as the arrays are the model's own
        document = {"model": encoder.encode(model), "notes": encoder.encode(dict(notes or {}), "notes")}
        write(Path(path), document, encoder.arrays)


def _refusal(model: Any) -> str:
    """Say why a model cannot be saved, and what can."""
    name = type(model).__name__
    if is_model(getattr(model, "best_estimator_", None)):
        return (
            f"save accepts learners of winnowkit, got {name}; save the one it found: save(search.best_estimator_, path)"
        )
    if name != "Pipeline":
        return f"save accepts learners of winnowkit, got {name}; use pickle or joblib for other objects"
    steps = ", ".join(sorted({"TableEncoder", *KNOWN_STEPS} - {"Pipeline"}))
    unknown = unknown_steps(model)
    found = f"its step {unknown[0]!r} is not one of them" if unknown else "its last step is not a learner of winnowkit"
    return (
        f"save accepts pipelines that end in a learner of winnowkit, after steps among {steps}; {found}. Encode the "
        "table by winnowkit.data.TableEncoder, or use pickle or joblib"
    )


def load(path: str | PathLike[str]) -> Any:
    """Read a model that :func:`save` wrote; it predicts and continues to learn exactly as the saved one.

    No code of the file is run: it is safe to load a file from a stranger. Where scikit-learn is not imported yet, which
    takes over a second, only the part of a linear model that predicts is read, and the rest when the model is asked for
    anything but labels and decisions of lists or arrays.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    estimator
        The learner.

    Raises
    ------
    ModelFileError
        If the file is not a model, is damaged, or was written by a version whose format differs.

    See Also
    --------
    save : Writes a model, with an example.

    Examples
    --------
    >>> import tempfile
    >>> from winnowkit import Winnow2, load, save
    >>> with tempfile.NamedTemporaryFile(suffix=".winnow") as file:
    ...     save(Winnow2(alpha=1.3), file.name)
    ...     load(file.name)
    Winnow2(alpha=1.3)
    """
    document, arrays = read(Path(path))

    def whole() -> Any:
        return _contents(path, document, arrays).model

    return whole() if "sklearn" in sys.modules else _unopened(document, arrays, whole) or whole()


def read_contents(path: str | PathLike[str]) -> Contents:
    """Read a model file: the model, the notes beside it and the version that wrote it.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    Contents
        The model, notes and version.

    See Also
    --------
    load : Reads the model alone.

    Examples
    --------
    >>> import tempfile
    >>> from winnowkit import Winnow2, save
    >>> with tempfile.NamedTemporaryFile(suffix=".winnow") as file:
    ...     save(Winnow2(), file.name, notes={"rows": 0})
    ...     read_contents(file.name).notes
    {'rows': 0}
    """
    return _contents(path, *read(Path(path)))


_DAMAGE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, MemoryError)
"""Errors that decoding a file without a valid model may raise."""


def _contents(path: str | PathLike[str], document: dict[str, Any], arrays: Arrays) -> Contents:
    try:
        decoder = Decoder(arrays)
        model, notes = decoder.decode(document["model"]), decoder.decode(document["notes"])
        if not is_model(model) or not isinstance(notes, dict):
            raise ValueError("it contains no learner")
        return Contents(model, notes, str(document["version"]))
    except _DAMAGE as error:
        raise ModelFileError(f"{path} does not contain a valid model ({error}); save it again") from error


def _unopened(document: dict[str, Any], arrays: Arrays, whole: Callable[[], Any]) -> Any:
    """Return a linear model of which only the part that predicts is read; None for other models, also damaged ones."""
    try:
        state = document["model"]["value"]
        if state["_learner"]["type"] not in LINEAR or not is_public(document["model"]["type"]):
            return None
        decoder = Decoder(arrays)
        parts = {name: decoder.decode(state[name]) for name in PREDICTING & state.keys()}
        return import_module("winnowkit.core.unopened").unopened(parts, whole)
    except _DAMAGE:
        return None
