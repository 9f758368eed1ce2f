"""A linear learner in words: its heaviest attributes, and the disjunction that they amount to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from winnowkit.core.multiclass import class_of
from winnowkit.core.notebook import html_grid
from winnowkit.core.validation import column_names
from winnowkit.rulesets.condition import Condition
from winnowkit.rulesets.model_report import Report
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.ruleset import RuleSet
from winnowkit.rulesets.words import word

if TYPE_CHECKING:
    from winnowkit.linear.classifier import LinearClassifier
    from winnowkit.linear.committee import Committee

HALF = 0.5
MOST_VIEWED = 12
"""Attributes in the view of a model in a notebook."""


class Attribute(NamedTuple):
    """An attribute that is evidence for a label.

    `part` is the part of the decision threshold that it reaches on its own: from 1 on it decides alone.

    See Also
    --------
    TopAttributes : A sequence of these.
    """

    condition: Condition
    label: Any
    weight: float
    part: float

    def __str__(self) -> str:
        if self.part >= 1:
            return f"{self.condition}: decides for class {word(self.label)} on its own"
        return f"{self.condition}: {self.part:.1%} of the decision threshold for class {word(self.label)}"


class LogOdds(NamedTuple):
    """An attribute of a committee that is evidence for a label, by this much at its largest value.

    See Also
    --------
    TopAttributes : A sequence of these.
    """

    name: str
    label: Any
    weight: float

    def __str__(self) -> str:
        return f"{word(self.name)}: log-odds for class {word(self.label)}"


@dataclass(frozen=True)
class TopAttributes(Sequence[Attribute | LogOdds]):
    """The heaviest attributes of each label, the heaviest first, for terminals and notebooks.

    See Also
    --------
    winnowkit.Winnow2.top_attributes : The method that returns it.
    """

    attributes: tuple[Attribute | LogOdds, ...]

    def __getitem__(self, i: Any) -> Any:
        return self.attributes[i]

    def __len__(self) -> int:
        return len(self.attributes)

    def __str__(self) -> str:
        return "\n".join(f"{attribute.weight:10.4g}  {attribute}" for attribute in self.attributes)

    def _repr_html_(self) -> str:
        rows = [(f"{attribute.weight:.4g}", str(attribute)) for attribute in self.attributes]
        return html_grid("the heaviest attributes", [("weight", "attribute"), *rows])


def heaviest_attributes(model: LinearClassifier, max_attributes: int, names: Any = None) -> tuple[Attribute, ...]:
    """Return the attributes that add most to the decision, at most so many per learner.

    The decision is at least ``base``, its value when every attribute is evidence against the label. An attribute that
    is evidence for it adds ``|coef|``, whatever the others are.
    """
    if max_attributes < 1:
        raise ValueError(f"max_attributes must be at least 1, got {max_attributes}")
    found, columns = [], column_names(model, names)
    for c, (coef, intercept) in enumerate(zip(model.coef_, model.intercept_, strict=True)):
        base = float(intercept + np.minimum(coef, 0).sum())
        label = model.classes_[class_of(c, len(model.coef_))]
        label = label.item() if isinstance(label, np.generic) else label
        for i in np.argsort(-np.abs(coef), kind="stable")[:max_attributes].tolist():
            weight = float(abs(coef[i]))
            if weight > 0:
                part = weight / -base if base < 0 else math.inf
                found.append(Attribute(_condition(model.binarize, columns[i], coef[i] > 0, part), label, weight, part))
    return tuple(found)


def heaviest_log_odds(model: Committee, max_attributes: int, names: Any = None) -> TopAttributes:
    """Return the attributes that add most to the log-odds, at most so many per learner.

    With two classes, an attribute that lowers the log-odds is evidence for the first one.
    """
    if max_attributes < 1:
        raise ValueError(f"max_attributes must be at least 1, got {max_attributes}")
    found, columns, classes = [], column_names(model, names), model.classes_.tolist()
    for c, weights in enumerate(model.attribute_weights_):
        heaviest = np.argsort(-(np.abs(weights) if len(classes) == 2 else weights), kind="stable")[:max_attributes]
        for i in heaviest.tolist():
            weight = float(weights[i])
            if weight > 0.0:
                found.append(LogOdds(columns[i], classes[class_of(c, len(model.attribute_weights_))], weight))
            elif weight < 0.0 and len(classes) == 2:
                found.append(LogOdds(columns[i], classes[0], -weight))
    return TopAttributes(tuple(found))


def heaviest_rows(model: Any) -> list[tuple[str, str]]:
    """Return a few of the heaviest attributes as rows with a heading, for a view of the model."""
    most = 5 if len(model.classes_) == 2 else 2
    if hasattr(model, "top_attributes"):
        found = [(f"{a.weight:.4g}", str(a)) for a in model.top_attributes(most)]
        return [("weight", "attribute"), *found[:MOST_VIEWED]]
    rows: list[tuple[str, str]] = []
    columns, classes = column_names(model), model.classes_.tolist()
    for c, coef in enumerate(model.coef_):
        label = word(classes[class_of(c, len(model.coef_))])
        heaviest = np.argsort(-np.abs(coef), kind="stable")[:most].tolist()
        rows += [(f"{coef[i]:+.4g}", f"{word(columns[i])}: for class {label}") for i in heaviest]
    return [("weight", "attribute"), *rows[:MOST_VIEWED]]


def disjunction(model: LinearClassifier, max_rules: int, X: Any, y: ArrayLike | None) -> RuleSet:
    """Return rules of one attribute each: the heaviest, as many as predict X best, or all that reach half of theta."""
    heavy = sorted(heaviest_attributes(model, max_rules), key=lambda a: -a.part)
    default = model.classes_[int(np.argmax(model.intercept_)) if len(model.classes_) > 2 else 0]
    rules = [Rule([a.condition], a.label, log_weight=math.log(a.weight)) for a in heavy]
    names = column_names(model)
    if X is None:
        return RuleSet([rule for rule, a in zip(rules, heavy, strict=True) if a.part >= HALF], default, names)
    own: NDArray[Any] = model.predict(X)
    labels = own if y is None else np.asarray(y)
    prefixes = [RuleSet(rules[:k], default, names).predict(X) for k in range(len(rules) + 1)]
    curve = [float(np.mean(prefix != labels)) for prefix in prefixes]
    k = int(np.argmin(curve))
    report = Report(len(labels), float(np.mean(prefixes[k] == own)), None if y is None else curve[k], curve[: k + 1])
    return replace(RuleSet(rules[:k], default, names).measured(X, labels), report=report)


def _condition(binarize: float | None, name: str, on: bool, part: float) -> Condition:
    """The condition under which an attribute is evidence; for values in [0, 1], under which it decides alone."""
    if binarize is not None:
        return Condition(name, ">" if on else "<=", int(binarize) if binarize == int(binarize) else binarize)
    needed = min(1.0, 1 / part)
    return Condition(name, ">=", needed) if on else Condition(name, "<=", 1 - needed)
