"""Models in files: one file a model, no pickle, nothing run on loading.

The arrays stand in a safetensors file, all else in its header as JSON (:mod:`.codec`); the file is checksummed and
replaced at once (:mod:`.container`); only classes of this package are known (:mod:`.records`). See docs/models.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from winnowkit.model_file.codec import Decoder, Encoder
from winnowkit.model_file.container import read, write
from winnowkit.model_file.errors import ModelFileError
from winnowkit.model_file.records import is_estimator

__all__ = ["Contents", "ModelFileError", "load", "read_contents", "save"]


class Contents(NamedTuple):
    """What a model file holds.

    Parameters
    ----------
    model : estimator
        The learner.
    notes : dict
        What whoever saved it wanted to remember of the data.
    version : str
        Of the winnowkit that wrote it.

    See Also
    --------
    read_contents : What returns it.

    Examples
    --------
    >>> Contents(model=None, notes={"rows": 0}, version="0.1.0").notes
    {'rows': 0}
    """

    model: Any
    notes: dict[str, Any]  # what whoever saved it wanted to remember of the data
    version: str  # of the winnowkit that wrote it


def save(model: Any, path: str | PathLike[str], *, notes: Mapping[str, Any] | None = None) -> None:
    """Write a model, begun or fitted or neither, to one file.

    A file that is there already is replaced at once, when the new one is safely on disk: whenever the program is
    killed, there is the old model or the new one.

    Parameters
    ----------
    model : estimator
        Any learner of ``winnowkit.__all__``.
    path : path-like
        The file.
    notes : mapping, optional
        Strings to numbers, strings, lists: kept beside the model. The command line keeps the names of columns there.

    See Also
    --------
    load : The way back.

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
    if not is_estimator(type(model)):
        raise TypeError(
            f"save takes the learners of winnowkit, got {type(model).__name__}; pickle or joblib keep other objects"
        )
    encoder = Encoder()
    document = {"model": encoder.encode(model), "notes": encoder.encode(dict(notes or {}), "notes")}
    write(Path(path), document, encoder.arrays)


def load(path: str | PathLike[str]) -> Any:
    """Read a model that :func:`save` wrote: it predicts, and goes on learning, exactly as the one that was saved.

    No code comes out of the file: it is safe to load one from a stranger.

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
        If the file is no model, is damaged, or was written by a newer winnowkit.

    See Also
    --------
    save : The way here, with an example.

    Examples
    --------
    >>> import tempfile
    >>> from winnowkit import Winnow2, load, save
    >>> with tempfile.NamedTemporaryFile(suffix=".winnow") as file:
    ...     save(Winnow2(alpha=1.3), file.name)
    ...     load(file.name)
    Winnow2(alpha=1.3)
    """
    return read_contents(path).model


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
    load : The model alone.

    Examples
    --------
    >>> import tempfile
    >>> from winnowkit import Winnow2, save
    >>> with tempfile.NamedTemporaryFile(suffix=".winnow") as file:
    ...     save(Winnow2(), file.name, notes={"rows": 0})
    ...     read_contents(file.name).notes
    {'rows': 0}
    """
    document, arrays = read(Path(path))
    try:
        decoder = Decoder(arrays)
        model, notes = decoder.decode(document["model"]), decoder.decode(document["notes"])
        if not is_estimator(type(model)) or not isinstance(notes, dict):
            raise ValueError("there is no learner in it")
        return Contents(model, notes, str(document["version"]))
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, MemoryError) as error:
        raise ModelFileError(f"{path} holds no model that makes sense ({error}); save it anew") from error
