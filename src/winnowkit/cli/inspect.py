"""``winnowkit inspect``: what a model has learned; ``winnowkit explain``: why it predicts what it predicts."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from winnowkit.cli.labelled_rows import DataSource
from winnowkit.cli.messages import OK, UserError
from winnowkit.cli.output import counted, counted_lessons, listed, pairs, plain, show, show_json, table
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.predict import tables
from winnowkit.counting.direct_bayes import DirectBayes
from winnowkit.counting.sbsb import SymmetricClassifier
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.linear.committee import Committee
from winnowkit.linear.scaled import ScaledClassifier
from winnowkit.model_file import read_contents
from winnowkit.rulesets.ruleset import RuleSet

Item = TypeVar("Item")


class AttributeWeights(NamedTuple):
    """One number per attribute and learner, and its meaning."""

    meaning: str
    values: NDArray[np.float64]  # (learners, attributes)
    names: list[str] | None


def run(arguments: argparse.Namespace) -> int:
    """Show a model."""
    path = Path(arguments.model)
    pipeline = Pipeline.load(path)
    model, weights = pipeline.model, weights_of(pipeline)
    certificate = certificate_of(model, arguments.k)
    heaviest = [] if weights is None else top(weights, model, arguments.top)
    rules = heaviest_rules(model, arguments.top) if isinstance(model, DNFWinnow) and arguments.top else None
    if arguments.json:
        show_json(
            {
                "file": str(path),
                "version": read_contents(path).version,
                "learner": type(model).__name__,
                "parameters": model.get_params(deep=False),
                "target": pipeline.target,
                "classes": model.classes_,
                "columns": pipeline.columns,
                "attributes": model.n_features_in_,
                "attribute_names": pipeline.names(),
                "trials": model.n_trials_,
                "mistakes": model.n_mistakes_,
                "updates": getattr(model, "n_updates_", None),
                "certificate": None
                if certificate is None
                else {**vars(certificate), "kept": certificate.kept, "text": str(certificate)},
                "weights": {"meaning": weights.meaning, "heaviest": heaviest} if weights else None,
                "rules": None if rules is None else json.loads(rules.to_json()),
            }
        )
        return OK
    show(pairs(summary(pipeline, path, certificate)))
    if rules is not None:
        show(f"\nheaviest terms\n{rules}")
    if weights is not None:
        show(f"\n{weights.meaning}")
        many = len({line["class"] for line in heaviest}) > 1
        header = [*(["class"] if many else []), "attribute", "weight"]
        body = [
            [*([str(line["class"])] if many else []), line["attribute"], f"{line['weight']:.4g}"] for line in heaviest
        ]
        show(table(header, body, left=len(header) - 1))
    return OK


def summary(pipeline: Pipeline, path: Path, certificate: Any) -> list[tuple[str, str]]:
    """Return the lines that apply to any model."""
    model = pipeline.model
    size = path.stat().st_size
    defaults = type(model)().get_params(deep=False)
    given = {name: value for name, value in model.get_params(deep=False).items() if value != defaults[name]}
    lines = [
        ("file", f"{path}, {size:,} bytes, written by winnowkit {read_contents(path).version}"),
        ("learner", type(model).__name__),
        ("parameters", ", ".join(f"{name}={value!r}" for name, value in given.items()) or "all default"),
        ("classes", listed(model.classes_.tolist()) + (f" (target {pipeline.target!r})" if pipeline.target else "")),
    ]
    if pipeline.columns is not None:
        what = f"{len(pipeline.columns):,}: {listed(pipeline.columns, 5)}"
        if pipeline.encoder is not None:
            what += f"; as {model.n_features_in_:,} attributes"
        lines.append(("columns", what))
    else:
        lines.append(("attributes", f"{model.n_features_in_:,}"))
    epochs = f", {counted(model.n_epochs_, 'epoch')}" if hasattr(model, "n_epochs_") else ""
    lines.append(("learning", f"{model.n_trials_:,} trials{epochs}, {counted_lessons(model)}"))
    if isinstance(model, Committee):
        heaviest = np.argsort(-model.expert_weights_, kind="stable")
        experts = [f"{model.expert_names_[e]} {model.expert_weights_[e]:.2f}" for e in heaviest]
        lines.append(("experts", "log-odds per unit of score: " + listed(experts)))
    if isinstance(model, DNFWinnow) and model._soft is not None:
        lines.append(("terms", f"of up to {counted(model._soft.max_literals, 'literal')}, by soft updates"))
    elif isinstance(model, DNFWinnow):
        lines.append(("terms", f"{model.theta_:,} in total" if isinstance(model.theta_, int) else "theta was given"))
        logs = "; ".join(f"{len(log):,} examples, {log.n_mistakes:,} updates" for log in model.logs_[:8])
        lines.append(("log", logs))
    if certificate is not None:
        lines.append(("guarantee", str(certificate)))
    return lines


def certificate_of(model: Any, k: int) -> Any:
    """Return the mistake bound of this model, if theory has one."""
    if isinstance(model, Committee | DirectBayes | ScaledClassifier):
        return model.certificate()
    return model.certificate(k=k) if hasattr(model, "certificate") else None


def weights_of(pipeline: Pipeline) -> AttributeWeights | None:
    """Return what the model has learned about each attribute."""
    model = pipeline.model
    classes = model.classes_.tolist()
    of = f" of {classes[1]}" if len(classes) == 2 else ""
    if isinstance(model, SymmetricClassifier):
        trials = np.maximum(model.n_updates_, 1)[:, None]
        agreement = 2.0 * model.matches_ / trials - 1.0
        return AttributeWeights("agreement with the label, from -1 to 1", agreement, pipeline.names())
    if isinstance(model, Committee):
        return AttributeWeights(
            f"contribution of an attribute to the log-odds{of}", model.attribute_weights_, pipeline.names()
        )
    if hasattr(model, "coef_"):
        return AttributeWeights(f"contribution of an attribute to the score{of}", model.coef_, pipeline.names())
    return None


def top(weights: AttributeWeights, model: Any, most: int) -> list[dict[str, Any]]:
    """Return so many attributes, of all classes in turn those whose weights are farthest from the median."""
    classes = model.classes_.tolist()
    labels = classes if len(weights.values) == len(classes) > 1 else [classes[1]]
    lines: list[dict[str, Any]] = []
    for label, values in zip(labels, weights.values, strict=True):
        usual = float(np.median(values))
        order = np.argsort(-np.abs(np.where(np.isfinite(values), values, inf) - usual), kind="stable")[:most]
        for i in order.tolist():
            name = weights.names[i] if weights.names is not None else f"attribute {i}"
            lines.append({"class": label, "attribute": name, "weight": float(values[i])})
    return taking_turns(lines, [line["class"] for line in lines], most)


def heaviest_rules(model: DNFWinnow, most: int) -> RuleSet:
    """Return so many rules, of all classes in turn the heaviest, the heaviest first."""
    found = model.rules(max_rules=most)
    return replace(found, rules=taking_turns(found.rules, [rule.label for rule in found.rules], most))


def taking_turns(items: Sequence[Item], groups: Sequence[Any], most: int) -> list[Item]:
    """Return at most so many items, in their order: the first of each group, then the second of each, and so on.

    Examples
    --------
    >>> taking_turns("abcdef", [1, 1, 1, 1, 2, 3], 4)
    ['a', 'b', 'e', 'f']
    """
    seen: Counter[Any] = Counter()
    turns = []
    for group in groups:
        turns.append(seen[group])
        seen[group] += 1
    chosen = sorted(range(len(items)), key=turns.__getitem__)[:most]
    return [items[i] for i in sorted(chosen)]


def explain(arguments: argparse.Namespace) -> int:
    """Show what speaks for the predictions for some rows; for DNFWinnow, also what would flip them."""
    pipeline = Pipeline.load(Path(arguments.model))
    shown = []
    for place, row in rows_by_number(pipeline, DataSource.of(arguments), sorted(set(arguments.rows))):
        explanation = explanation_of(pipeline, row, arguments.terms)
        if arguments.html:
            shown.append((f"Row {place}", explanation._repr_html_()))
        elif arguments.json:
            show(json.dumps(plain({"row": place, **asdict(explanation)}), ensure_ascii=False))
        else:
            show(f"row {place}: {explanation}\n")
    if arguments.html:
        from winnowkit.report.small_page import small_page  # noqa: PLC0415 - it loads what other commands do not need

        sys.stdout.write(small_page(f"Why {Path(arguments.model).stem} predicts what it predicts", shown))
    return OK


def explanation_of(pipeline: Pipeline, row: Any, most: int) -> Any:
    """Return the terms or the attributes that carry the prediction for a table of one row."""
    if isinstance(pipeline.model, DNFWinnow):
        return pipeline.model.explain({name: row[name][0] for name in row.columns}, max_terms=most)
    try:
        return pipeline.model.explain(csr_matrix(pipeline.attributes(row)), max_attributes=most, names=pipeline.names())
    except TypeError as error:  # what the learner is has no explanation, and the error says why
        raise UserError(str(error)) from error


def rows_by_number(pipeline: Pipeline, data: DataSource, wanted: list[int]) -> list[tuple[int, Any]]:
    """Return rows by their numbers, counted from 0, each as a table of one row."""
    found: list[tuple[int, Any]] = []
    total = 0
    for X, _ in tables(pipeline, data):
        n_rows = X.shape[0]
        here = [place for place in wanted if total <= place < total + n_rows]
        found += [(place, X[place - total : place - total + 1]) for place in here]
        total += n_rows
        if len(found) == len(wanted):
            return found
    missing = next(place for place in wanted if place >= total)
    raise UserError(f"{data.path} has {total:,} rows, counted from 0: there is no row {missing} (--rows)")
