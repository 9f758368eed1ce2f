"""A learner by name, and the way from the rows of a file to what it takes: the contents of a model file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline as SklearnPipeline
from sklearn.pipeline import make_pipeline

from winnowkit.cli.messages import UserError, instead
from winnowkit.core.frame import Frame
from winnowkit.data.encode import CategoryEncoder
from winnowkit.data.table_encoder import TableEncoder
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.dnf.mistake_driven import MistakeDriven
from winnowkit.model_file import ModelFileError, read_contents, save

KINDS = {"f": "numeric", "M": "date"}  # of the columns of a frame, by the kind of their type; others are categories
WORDS = {"true": True, "false": False, "none": None, "null": None}


# --- learners -----------------------------------------------------------------------------------------------------


def value_of(text: str) -> Any:
    """Return the value of a parameter: a number, true, false, none, or the text itself.

    Examples
    --------
    >>> [value_of(text) for text in ("1.5", "3", "auto", "none", "true")]
    [1.5, 3, 'auto', None, True]
    """
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        number = json.loads(text)
    except ValueError:
        return text
    return number if isinstance(number, int | float) else text


def parameters(settings: Sequence[str]) -> dict[str, Any]:
    """Return parameters given as "name=value"."""
    found = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise UserError(f"--set takes name=value, such as alpha=1.3, got {setting!r}")
        found[name] = value_of(text)
    return found


def special_values(settings: Sequence[str]) -> dict[str | int, Sequence[float]]:
    """Return special values given as "column=value,value".

    Examples
    --------
    >>> special_values(["age=-9,-8", "days=999"])
    {'age': [-9.0, -8.0], 'days': [999.0]}
    """
    found: dict[str | int, Sequence[float]] = {}
    for setting in settings:
        name, _, values = setting.rpartition("=")
        try:
            found[name] = [float(value) for value in values.split(",")]
        except ValueError:
            name = ""
        if not name:
            raise UserError(f"--special takes column=numbers, such as age=-9,-8, got {setting!r}")
    return found


def make_learner(name: str, settings: dict[str, Any]) -> Any:
    """Return a new learner with these parameters; those of its parts are named as in ``training__margin``."""
    known = parameter_names(name)
    for setting in settings:
        if setting not in known:
            raise UserError(f"{name} has no parameter {setting!r}. {instead(setting, sorted(known))}")
    named = {setting.partition("__")[0] for setting in settings if "__" in setting}
    return _kind(name)(**{part: _parts(name)[part]() for part in named}).set_params(**settings)


def parameter_names(name: str) -> set[str]:
    """Return the names of the parameters of a learner, and of its parts."""
    return set(_kind(name)(**{part: make() for part, make in _parts(name).items()}).get_params())


def _kind(name: str) -> Any:
    return getattr(import_module("winnowkit"), name)


def _parts(name: str) -> dict[str, Any]:
    return {"encoder": CategoryEncoder, "training": MistakeDriven} if name == "DNFWinnow" else {}


def configured_learner(name: str, settings: dict[str, Any], shared: dict[str, Any]) -> Any:
    """Return a new learner with these parameters.

    Parameters
    ----------
    name : str
        The name of a learner.
    settings : dict
        Its parameters.
    shared : dict
        Parameters to set if the learner has them and `settings` does not.
    """
    model = make_learner(name, settings)
    known = model.get_params(deep=False)
    model.set_params(**{key: value for key, value in shared.items() if key in known and key not in settings})
    return model


def is_boolean(X: Frame) -> bool:
    """Whether all columns hold nothing but 0, 1 and missing values."""
    return all(
        X[name].dtype.kind == "f" and bool(np.isin(X[name][~np.isnan(X[name])], (0.0, 1.0)).all()) for name in X.columns
    )


# --- from rows to learners ----------------------------------------------------------------------------------------


class DeclaredColumns(NamedTuple):
    """The options of the user about columns."""

    text: Sequence[str] = ()
    categorical: Sequence[str] = ()
    special: Sequence[str] = ()
    cut: bool = False  # whether `binarize` cuts the numbers

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Self:
        """Return what the options say."""
        cut = "binarize" in parameters(arguments.set)
        return cls(arguments.text, arguments.categorical, arguments.special, cut)


@dataclass
class Pipeline:
    """A model, and how the data that it learned from become its input.

    `DNFWinnow` takes a table as it is. A linear learner takes numbers: the columns themselves if they are boolean, or
    if the user says where to cut them (`binarize`); otherwise numbers, categories and words as found in the first rows
    (`encoder`).
    """

    model: Any
    target: str | None = None
    columns: list[str] | None = None  # None for sparse data
    types: dict[str, str] = field(default_factory=dict)  # of the columns
    encoder: TableEncoder | None = None
    rows: int = 0  # learned from in the last pass over the source
    missing: list[str] = field(default_factory=list)  # fields of text that stand for missing values, besides the usual

    @classmethod
    def begin(cls, model: Any, X: Any, target: str | None, declared: DeclaredColumns) -> Self:
        """Return a pipeline for rows like these."""
        if not isinstance(X, Frame):
            if isinstance(model, DNFWinnow):
                raise UserError("DNFWinnow learns from tables of categories, and these data are sparse; use Committee")
            return cls(model, target)
        kinds = {name: KINDS.get(X[name].dtype.kind, "category") for name in X.columns}
        self = cls(model, target, list(X.columns), kinds)
        numeric = all(kind == "numeric" for kind in kinds.values())
        codes = special_values(declared.special)
        if isinstance(model, DNFWinnow):
            said = {"special": codes, "categorical": [name for name in declared.categorical if name in X.columns]}
            if given := {name: value for name, value in said.items() if value}:
                model.set_params(encoder=(model.encoder or CategoryEncoder()).set_params(**given))
        elif not is_boolean(X) and not (declared.cut and numeric):
            known = {name: [c for c in getattr(declared, name) if c in X.columns] for name in ("text", "categorical")}
            self.encoder = TableEncoder(special=codes, **known).fit(X)
        return self

    def attributes(self, X: Any) -> Any:
        """Return rows as the learner takes them; missing values of boolean columns count as 0."""
        if not isinstance(X, Frame) or isinstance(self.model, DNFWinnow):
            return X
        if self.encoder is not None:
            return self.encoder.transform(X)
        return Frame({name: np.nan_to_num(X[name]) for name in X.columns})

    @property
    def width(self) -> int | None:
        """The number of attributes that sparse rows must have; None for tables, whose columns have names."""
        return None if self.columns is not None else getattr(self.model, "n_features_in_", None)

    def names(self) -> list[str] | None:
        """Return the names of the learner's attributes, if they have any."""
        return self.columns if self.encoder is None else self.encoder.get_feature_names_out().tolist()

    def learn(self, X: Any, y: NDArray[Any], classes: NDArray[Any] | None) -> NDArray[Any]:
        """Learn from more rows, and return the labels predicted before each update."""
        predicted: NDArray[Any] = self.model.partial_fit_predict(self.attributes(X), y, classes)
        return predicted

    def predict(self, X: Any) -> NDArray[Any]:
        """Return one label per row."""
        predicted: NDArray[Any] = self.model.predict(self.attributes(X))
        return predicted

    def decisions(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values: one per row, or one per row and class."""
        decisions: NDArray[np.float64] = self.model.decision_function(self.attributes(X))
        return decisions

    @property
    def begun(self) -> bool:
        """Whether the model has learned anything."""
        return bool(self.model.__sklearn_is_fitted__())

    def save(self, path: Path) -> None:
        """Write a model file; what `winnowkit.load` reads from it takes the rows of the table, as the command does."""
        notes = {name: getattr(self, name) for name in ("target", "columns", "types", "rows", "missing")}
        save(self.model if self.encoder is None else make_pipeline(self.encoder, self.model), path, notes=notes)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Return the pipeline in a model file, written by the command line or by `winnowkit.save`."""
        if not path.exists():
            raise UserError(f"{path}: no such model file; make one with winnowkit fit DATA --output {path}")
        model, notes, _ = read_contents(path)
        if isinstance(model, SklearnPipeline):
            self = cls._of_steps(model, path)
        else:
            if not model.__sklearn_is_fitted__():
                raise UserError(f"the model in {path} has not learned anything yet; fit it first")
            names = getattr(model, "feature_names_in_", None)
            self = cls(model, columns=None if names is None else names.tolist())
        return self._as_noted(notes, path) if notes else self  # there are none if it was saved from Python

    def _as_noted(self, notes: dict[str, Any], path: Path) -> Self:
        """Return the pipeline with what the command line noted about the rows."""
        known = {name: notes.get(name) for name in ("target", "columns", "encoder")}  # the encoder in older files only
        for name, kind in (("target", str), ("columns", list), ("encoder", TableEncoder)):
            if not isinstance(known[name], kind | None):
                raise ModelFileError(f"the notes on {name} in {path} are invalid; fit the model again")
        return replace(
            self,
            **{name: value for name, value in known.items() if value is not None},
            types=dict(notes.get("types") or self.types),
            rows=int(notes.get("rows") or 0),
            missing=[str(text) for text in notes.get("missing") or []],
        )

    @classmethod
    def _of_steps(cls, steps: SklearnPipeline, path: Path) -> Self:
        """Return a pipeline saved from Python, if it is an encoder of tables and a learner."""
        encoder, model = steps[0], steps[-1]
        if len(steps) != 2 or not isinstance(encoder, TableEncoder) or not model.__sklearn_is_fitted__():
            raise UserError(
                f"{path} holds a pipeline of {', '.join(type(step).__name__ for _, step in steps.steps)}; the command "
                "line reads a fitted learner, alone or after a TableEncoder: load this one in Python"
            )
        kinds = {"number": "numeric", "flag": "numeric", "time": "date"}
        types = {name: kinds.get(use, "category") for name, use in encoder.uses_.items()}
        return cls(model, columns=encoder.feature_names_, types=types, encoder=encoder)
