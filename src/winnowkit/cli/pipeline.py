"""A learner and the way from a file's rows to what it takes: what the command line keeps in a model file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.errors import UserError
from winnowkit.cli.learners import is_boolean
from winnowkit.core.frame import Frame
from winnowkit.data.encode import CategoryEncoder
from winnowkit.data.indicators import indicators
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.model_file import ModelFileError, read_contents, save


@dataclass
class Pipeline:
    """A model, and what there is to know of the data that it learned from.

    A table goes to `DNFWinnow` as it is. To a linear learner it goes as boolean attributes: as it is if its columns are
    boolean, or if the user says where to cut (`binarize`); else one attribute for each category or interval, which the
    first rows decide (`encoder`).
    """

    model: Any
    target: str | None = None
    columns: list[str] | None = None  # of a table
    types: dict[str, str] = field(default_factory=dict)  # of them
    encoder: CategoryEncoder | None = None
    rows: int = 0  # of the source that were learned from, in its last pass

    @classmethod
    def begin(cls, model: Any, X: Any, y: NDArray[Any], target: str | None, *, cut: bool) -> Self:
        """A pipeline for rows like these; `cut`: numbers are to be cut by `binarize`."""
        table, takes_tables = isinstance(X, Frame), isinstance(model, DNFWinnow)
        if not table:
            if takes_tables:
                raise UserError("DNFWinnow learns tables of categories, and these data are sparse; take Committee")
            return cls(model, target)
        kinds = {name: "numeric" if X[name].dtype.kind == "f" else "category" for name in X.columns}
        self = cls(model, target, list(X.columns), kinds)
        numeric = all(kind == "numeric" for kind in kinds.values())
        if not takes_tables and not is_boolean(X) and not (cut and numeric):
            self.encoder = CategoryEncoder(missing="ignore").fit(X, y)
        return self

    # --- data -------------------------------------------------------------------------------------------------------

    def attributes(self, X: Any) -> Any:
        """Rows as the learner takes them; gaps in boolean columns count as 0."""
        if not isinstance(X, Frame) or isinstance(self.model, DNFWinnow):
            return X
        if self.encoder is not None:
            return indicators(self.encoder.transform(X), self.encoder.n_categories_)
        return Frame({name: np.nan_to_num(X[name]) for name in X.columns})

    @property
    def width(self) -> int | None:
        """Attributes that sparse rows must have; None for tables, whose columns have names."""
        return None if self.columns is not None else getattr(self.model, "n_features_in_", None)

    def names(self) -> list[str] | None:
        """Names of the learner's attributes, if it takes any."""
        if self.encoder is None:
            return self.columns
        counts = self.encoder.n_categories_.tolist()
        return [self.encoder.describe(j, code) for j, k in enumerate(counts) for code in range(1, k + 1)]

    # --- learning and predicting ------------------------------------------------------------------------------------

    def learn(self, X: Any, y: NDArray[Any], classes: NDArray[Any] | None) -> NDArray[Any]:
        """Go on learning: the labels predicted before each update."""
        predicted: NDArray[Any] = self.model.partial_fit_predict(self.attributes(X), y, classes)
        return predicted

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of rows."""
        predicted: NDArray[Any] = self.model.predict(self.attributes(X))
        return predicted

    def decisions(self, X: Any) -> NDArray[np.float64]:
        """Decisions on rows, one a row or one a class."""
        decisions: NDArray[np.float64] = self.model.decision_function(self.attributes(X))
        return decisions

    @property
    def begun(self) -> bool:
        """Whether there is anything to keep."""
        return bool(self.model.__sklearn_is_fitted__())

    # --- files ------------------------------------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Keep it in a model file; the learner alone is what `winnowkit.load` gives."""
        notes = {name: getattr(self, name) for name in ("target", "columns", "types", "encoder", "rows")}
        save(self.model, path, notes=notes)

    @classmethod
    def load(cls, path: Path) -> Self:
        """The pipeline in a model file, be it from the command line or from `winnowkit.save`."""
        if not path.exists():
            raise UserError(f"{path}: no such model file; make one with winnowkit fit DATA --output {path}")
        model, notes, _ = read_contents(path)
        if not model.__sklearn_is_fitted__():
            raise UserError(f"the model in {path} has learned nothing yet; fit it first")
        if not notes:  # saved from Python
            names = getattr(model, "feature_names_in_", None)
            return cls(model, columns=None if names is None else names.tolist())
        known = {name: notes.get(name) for name in ("target", "columns", "encoder")}
        for name, kind in (("target", str), ("columns", list), ("encoder", CategoryEncoder)):
            if not isinstance(known[name], kind | None):
                raise ModelFileError(f"the notes on {name} in {path} make no sense; fit the model anew")
        return cls(model, **known, types=dict(notes.get("types") or {}), rows=int(notes.get("rows") or 0))
