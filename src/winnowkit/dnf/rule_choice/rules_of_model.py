"""From a fitted model and rows to rule sets: the trade-off of accuracy and complexity, and a choice from it."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from winnowkit.core.checks import require
from winnowkit.core.multiclass import encode_labels
from winnowkit.core.progress import Progress
from winnowkit.core.validation import times_class_weights
from winnowkit.data.column_builder import warned_already
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf.interpretation import checked_labels
from winnowkit.dnf.kernels.problem import Codes, Floats, Ints
from winnowkit.dnf.rule_choice.curve import CurvePoint, CurveTask, curve
from winnowkit.dnf.rule_choice.local_search import Candidate, RuleLimits
from winnowkit.dnf.rule_choice.merged_rows import RuleColumns, RuleTable
from winnowkit.dnf.rule_choice.trust import LITTLE_NOISE, MOST_ROWS, Teacher, counts_of
from winnowkit.dnf.table_fit import rows_of
from winnowkit.rulesets.condition import Condition
from winnowkit.rulesets.model_report import Report
from winnowkit.rulesets.rule import Rule
from winnowkit.rulesets.ruleset import RuleSet
from winnowkit.rulesets.trade_off import TradeOff, TradeOffPoint

MAX_LITERALS = 6
"""The most conditions of a rule, by default."""
TEACHING, ONE_TEACHER = 0.5, 0.125
"""The shares of `max_time` that the training of all teachers, and of one, may take; the rest is for the search."""
MAX_CUTS, ROWS_PER_CELL = 31, 10
"""The most cuts of a column of numbers, and the fewest rows between two of them, on average."""


class ChoiceLimits(NamedTuple):
    """Limits of the rules, as the user gives them.

    Parameters
    ----------
    max_complexity, max_rules, max_literals : int, optional
        The most rules and conditions, rules, and conditions of a rule; None stands for no limit, and 6 conditions.
    max_time : float, optional
        The most seconds.
    monotonic_cst : mapping of str to int, or array-like of int, optional
        As in scikit-learn: 1 if class 1 may only become more likely as the column grows, -1 if less likely, else 0.
    """

    max_complexity: int | None = None
    max_rules: int | None = None
    max_literals: int | None = None
    max_time: float | None = None
    monotonic_cst: Mapping[str, int] | npt.ArrayLike | None = None

    def check(self) -> None:
        """Raise ValueError for a limit that makes no sense."""
        for name in ("max_complexity", "max_rules", "max_literals"):
            limit = getattr(self, name)
            least = 0 if name != "max_literals" else 1
            valid = limit is None or (isinstance(limit, int) and not isinstance(limit, bool) and limit >= least)
            require(valid, f"{name} must be an integer >= {least} or None", limit)
        require(self.max_time is None or self.max_time > 0, "max_time must be > 0 or None", self.max_time)

    def for_search(self) -> RuleLimits:
        """The limits with numbers for everything, and the time at which the search must end."""
        most = sys.maxsize
        deadline = np.inf if self.max_time is None else time.monotonic() + self.max_time
        return RuleLimits(
            most if self.max_rules is None else self.max_rules,
            MAX_LITERALS if self.max_literals is None else self.max_literals,
            most if self.max_complexity is None else self.max_complexity,
            deadline,
        )


class ChoiceModel(NamedTuple):
    """The facts about a fitted model that the choice of rules needs.

    Parameters
    ----------
    encoder : CategoryEncoder
        The fitted encoder.
    classes : array
        The labels, sorted.
    class_weight : mapping, "balanced" or None
        Weights of the classes.
    n_jobs : int
        The number of threads.
    verbose : bool
        Whether to show a progress bar.
    soft_literals : int, optional
        The length of the longest term of a model that learned by soft updates.
    error : float
        The error of such a model on rows held out.
    """

    encoder: CategoryEncoder
    classes: npt.NDArray[Any]
    class_weight: Any
    n_jobs: int
    verbose: bool
    soft_literals: int | None
    error: float

    def teacher(self, n_rows: int) -> Teacher | None:
        """Make what trains models like this one; None if it did not learn by soft updates, or there is no need."""
        right = self.error < LITTLE_NOISE
        has_numbers = any(len(cuts) for cuts in self.encoder.cuts_)
        if self.soft_literals is None or (right and (n_rows > MOST_ROWS or not has_numbers)):
            return None
        found = Teacher.like(self.encoder, self.soft_literals, len(self.classes), self.n_jobs, n_rows)
        return found._replace(labels_are_right=right)


def trade_off(
    model: ChoiceModel, X: Any, y: npt.ArrayLike | None, predicted: npt.NDArray[Any], limits: ChoiceLimits
) -> TradeOff:
    """Compute the trade-off; see :meth:`winnowkit.DNFWinnow.trade_off`."""
    limits.check()
    if not len(predicted):
        raise ValueError("rules are chosen by their errors on rows, and X has no rows")
    labels = predicted if y is None else checked_labels(X, y)
    search_limits, max_time = limits.for_search(), np.inf if limits.max_time is None else limits.max_time
    teaching_ends = time.monotonic() + TEACHING * max_time
    encoder, cells = encoded(model.encoder, X, labels)
    targets = encode_labels(model.classes, labels)
    weights = _weights(model, targets)
    monotonic = _monotonic(limits.monotonic_cst, encoder, model.classes)
    teacher = None if y is None else model.teacher(len(targets))

    def table_of(rows: npt.NDArray[np.bool_], cells: Codes, columns: RuleColumns) -> RuleTable:
        now = time.monotonic()
        if teacher is None or now > teaching_ends:
            counts = counts_of(targets[rows], weights[rows], len(model.classes))
        else:
            deadline = min(teaching_ends, now + ONE_TEACHER * max_time)
            cells, counts = teacher.taught(
                rows_of(X, rows), targets[rows], weights[rows], cells, columns.n_ordered, deadline
            )
        return RuleTable(cells, counts, columns)

    def part(held_out: npt.NDArray[np.bool_]) -> tuple[RuleTable, Codes]:
        learned, held, columns = _part(encoder, cells, X, labels, held_out, monotonic)
        return table_of(~held_out, learned, columns), held

    columns = RuleColumns(encoder.n_ordered_, encoder.n_categories_, monotonic)
    table = table_of(np.ones(len(targets), dtype=np.bool_), cells, columns)
    task = CurveTask(cells, targets, weights, table, part, search_limits, 0, model.n_jobs)
    if model.verbose:
        with Progress() as progress:
            points = curve(task._replace(report=progress.rule_sets))
    else:
        points = curve(task)
    wording = Wording(encoder, table, model.classes)
    complete = not search_limits.over
    distinct = _distinct(points, table)
    return TradeOff(
        [
            _point(point, wording.rule_set(point.chosen), X, labels, predicted, y is not None, complete)
            for point in distinct
        ]
    )


def compact(
    model: ChoiceModel, X: Any, y: npt.ArrayLike | None, predicted: npt.NDArray[Any], limits: ChoiceLimits
) -> RuleSet:
    """Choose the rules of the best point that has any; see :meth:`winnowkit.DNFWinnow.compact`."""
    points = trade_off(model, X, y, predicted, limits).points
    with_rules = TradeOff([point for point in points if len(point.rules)] or points)  # no rules explain nothing
    if y is None:
        return max(with_rules.points, key=lambda point: (point.accuracy, -point.complexity)).rules
    return with_rules.best.rules


class Wording(NamedTuple):
    """Writes lists of rules in the names and values of the table."""

    encoder: CategoryEncoder
    table: RuleTable
    classes: npt.NDArray[Any]

    def rule_set(self, chosen: Candidate) -> RuleSet:
        """Write a list as a rule set; rules for one class are in the order of what they get right."""
        rules = list(chosen.rules)
        if len({rule.c for rule in rules}) == 1:
            rules.sort(key=lambda rule: -float(self.table.weights[rule.c][rule.covered].sum()))
        names = self.encoder.feature_names_
        written = [
            Rule(
                [
                    Condition(names[column], *test)
                    for first, last, column in self.table.ranges(rule.term)
                    for test in self.encoder.tests(column, first, last)
                ],
                self.classes[rule.c],
            )
            for rule in rules
        ]
        return RuleSet(written, self.classes[chosen.default], names)


def _point(
    point: CurvePoint,
    rules: RuleSet,
    X: Any,
    labels: npt.NDArray[Any],
    predicted: npt.NDArray[Any],
    labelled: bool,
    complete: bool,
) -> TradeOffPoint:
    """Measure the rules of a point on the rows."""
    covered = rules.covers(X)
    said = np.full(len(labels), rules.default, dtype=object)
    curve_of_errors = [float(np.mean(said != labels))]
    free = np.ones(len(labels), dtype=np.bool_)
    for k, rule in enumerate(rules):
        said[free & covered[:, k]] = rule.label
        free &= ~covered[:, k]
        curve_of_errors.append(float(np.mean(said != labels)))
    agreement = float(np.mean(said == predicted))
    report = Report(len(labels), agreement, curve_of_errors[-1] if labelled else None, curve_of_errors)
    measured = replace(rules.measured(X, labels), complete=complete, report=report)
    return TradeOffPoint(rules.complexity, point.accuracy, point.standard_error, measured, point.hits)


def _distinct(points: Sequence[CurvePoint], table: RuleTable) -> list[CurvePoint]:
    """Keep one point per complexity: the list with the fewest wrong rows, with the mean of the accuracies."""
    by_complexity: dict[int, list[CurvePoint]] = {}
    for point in points:
        by_complexity.setdefault(point.chosen.complexity, []).append(point)
    kept = []
    for same in by_complexity.values():
        best = min(same, key=lambda point: point.chosen.wrong(table))
        hits = np.mean([point.hits for point in same], axis=0)
        error = float(np.mean([point.standard_error for point in same]))
        accuracy = min(1.0, float(hits.sum()))  # a sum of shares, rounded
        kept.append(best._replace(accuracy=accuracy, standard_error=error, hits=hits))
    return kept


def encoded(encoder: CategoryEncoder, X: Any, labels: npt.NDArray[Any]) -> tuple[CategoryEncoder, Codes]:
    """Encode the rows with bounds for numbers, with cuts of their own; what the model leaves out stays left out."""
    if not any(len(cuts) for cuts in encoder.cuts_):
        return encoder, encoder.transform(X)
    copy = clone(encoder).set_params(numbers="bounds")
    max_cuts = min(MAX_CUTS, max(1, len(labels) // ROWS_PER_CELL))
    with warned_already():
        cells = copy.fit_transform(X, labels, max_cuts=max_cuts)
    left_out = encoder.n_categories_ == 0
    cells[:, left_out] = 0
    for sizes in (copy.n_categories_, copy.n_ordered_):
        sizes[left_out] = 0
    return copy, cells


def _part(
    encoder: CategoryEncoder,
    cells: Codes,
    X: Any,
    labels: npt.NDArray[Any],
    held_out: npt.NDArray[np.bool_],
    monotonic: Ints,
) -> tuple[Codes, Codes, RuleColumns]:
    """Encode the rows by an encoder that has not seen those held out: those to learn from, and those."""
    own = encoder
    learned, held = cells[~held_out], cells[held_out]
    if any(len(cuts) for cuts in encoder.cuts_):
        # `forbid` may name a value that these rows lack; then the encoder of all rows serves.
        with suppress(ValueError):
            own, learned = encoded(encoder, rows_of(X, ~held_out), labels[~held_out])
            held = own.transform(rows_of(X, held_out))
    return learned, held, RuleColumns(own.n_ordered_, own.n_categories_, monotonic)


def _weights(model: ChoiceModel, targets: Ints) -> Floats:
    """Return the weights of the rows by their classes, of which some may be absent from the rows."""
    if isinstance(model.class_weight, str):  # "balanced" is by the rows given
        present, targets = np.unique(targets, return_inverse=True)
        weights = times_class_weights(None, model.class_weight, model.classes[present], targets)
    else:
        weights = times_class_weights(None, model.class_weight, model.classes, targets)
    return np.ones(len(targets)) if weights is None else weights


def _monotonic(
    constraints: Mapping[str, int] | npt.ArrayLike | None, encoder: CategoryEncoder, classes: npt.NDArray[Any]
) -> Ints:
    """Return the direction of each column: 1, -1 or 0."""
    names = encoder.feature_names_
    found = np.zeros(len(names), dtype=np.int64)
    if constraints is None:
        return found
    if isinstance(constraints, Mapping):
        unknown = [name for name in constraints if name not in names]
        if unknown:
            raise ValueError(f"monotonic_cst names {unknown[0]!r}, which is none of the columns {', '.join(names)}")
        for name, direction in constraints.items():
            found[names.index(name)] = direction
    else:
        directions = np.asarray(constraints)
        if directions.shape != found.shape:
            raise ValueError(f"monotonic_cst must have {len(names)} numbers, got shape {directions.shape}")
        found[:] = directions
    if not np.isin(found, (-1, 0, 1)).all():
        raise ValueError(f"monotonic_cst must be -1, 0 or 1 for each column, got {found.tolist()}")
    if len(classes) > 2 and found.any():
        raise ValueError(f"monotonic_cst is for two classes, and there are {len(classes)}")
    unordered = [names[j] for j in np.flatnonzero(found) if not encoder.n_ordered_[j] and encoder.n_categories_[j]]
    if unordered:
        raise ValueError(f"monotonic_cst is for columns of numbers, and {unordered[0]!r} has categories")
    return found
