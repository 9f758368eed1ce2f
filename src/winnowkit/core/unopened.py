"""Linear models from files that predict before scikit-learn is imported, which takes over a second.

A program that loads a model to predict a few rows of numbers needs numpy alone. So it gets an :class:`Unopened` model,
which predicts such rows, and becomes the model itself, an ordinary estimator, as soon as it is asked for anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.csr import Rows
from winnowkit.core.encoded_rows import REAL, Binarize, check_binarize, encode_rows
from winnowkit.core.multiclass import check_classes, chosen, decision_values, n_learners_for


def unopened(parts: Mapping[str, Any], whole: Callable[[], Any]) -> Unopened | None:
    """Return a model that predicts by its parts; None if that takes scikit-learn, or if they do not fit together.

    Parameters
    ----------
    parts : mapping of str to object
        Attributes of the model: ``_learner``, ``classes_``, and others that predictions depend on.
    whole : callable
        Returns the whole model.
    """
    learner, classes, binarize = parts["_learner"], parts["classes_"], parts.get("binarize", REAL)
    check_classes(classes)
    check_binarize(binarize)
    fits = len(learner.counts) == 1 + n_learners_for(len(classes)) and parts["n_features_in_"] == learner.n_features
    if not fits or "feature_names_in_" in parts or parts["n_jobs"] not in (None, 1):
        return None
    return Unopened(Opening(learner, classes, binarize, whole))


class Opening(NamedTuple):
    """The part of a linear model that predicts, and how the rest of it is read.

    Parameters
    ----------
    learner : learner
        Decides.
    classes : array
        The labels, sorted.
    binarize : float, "real" or None
        What is made of values.
    whole : callable
        Returns the whole model.
    """

    learner: Any
    classes: NDArray[Any]
    binarize: Binarize
    whole: Callable[[], Any]

    def rows(self, X: Any) -> Rows | None:
        """Return the rows of a list or an array of finite numbers; None for all else, also for anything wrong."""
        if type(X) not in (list, np.ndarray):
            return None
        try:
            table = np.asarray(X)
        except ValueError:  # rows of different lengths
            return None
        if table.dtype.kind not in "biuf" or table.ndim != 2 or table.shape[1] != self.learner.n_features:
            return None
        table = table.astype(np.float64)
        if not table.size or not np.isfinite(table).all():
            return None
        return encode_rows(table, self.binarize)


class Unopened:
    """A linear model from a file, of which so far only what predicts has been read."""

    def __init__(self, opening: Opening) -> None:
        self.__dict__["_opening"] = opening

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a label for each row."""
        opening, decisions = _decided(self, X)
        return opened(self).predict(X) if decisions is None else opening.classes[chosen(decisions)]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score of each row minus the threshold."""
        _, decisions = _decided(self, X)
        return opened(self).decision_function(X) if decisions is None else decision_values(decisions)

    @property  # type: ignore[misc]  # nobody sets it
    def __class__(self) -> Any:
        """The class of the model, for ``isinstance``."""
        return type(opened(self))

    def __getattr__(self, name: str) -> Any:
        return getattr(opened(self), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(opened(self), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(opened(self), name)

    def __dir__(self) -> list[str]:
        return dir(opened(self))

    def __repr__(self) -> str:
        return repr(opened(self))

    def __getstate__(self) -> Any:
        return opened(self).__getstate__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Copies and pickles are those of the model."""
        return opened(self).__reduce_ex__(protocol)


_opening_one = RLock()


def opened(model: Any) -> Any:
    """Make an unopened model what it is, and return it.

    Threads that are in one of its methods go on with what has been read so far.
    """
    with _opening_one:
        if type(model) is Unopened:
            whole = model.__dict__["_opening"].whole()
            model.__dict__.update(whole.__dict__)
            object.__dict__["__class__"].__set__(model, type(whole))
            del model.__dict__["_opening"]
    return model


def _decided(model: Unopened, X: Any) -> tuple[Any, NDArray[np.float64] | None]:
    """Return what has been read, and the decisions on X; None if that is not enough."""
    opening: Opening | None = model.__dict__.get("_opening")  # None if another thread has just opened it
    if opening is None or (rows := opening.rows(X)) is None:
        return opening, None
    return opening, opening.learner.decide(rows, 0, rows.indptr.size - 1)
