"""``winnowkit inspect``: what is in a model file, for people."""

from __future__ import annotations

import argparse
import json
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.errors import OK
from winnowkit.cli.output import counted, counted_lessons, listed, pairs, show, show_json, table
from winnowkit.cli.pipeline import Pipeline
from winnowkit.counting.direct_bayes import DirectBayes
from winnowkit.counting.sbsb import SymmetricClassifier
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.linear.committee import Committee
from winnowkit.model_file import read_contents


class Weights(NamedTuple):
    """A number for each attribute and learner, and what it means."""

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
    rules = model.rules(max_rules=arguments.top) if isinstance(model, DNFWinnow) and arguments.top else None
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
                "updates": model.n_updates_,
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
    """What there is to say of any model."""
    model = pipeline.model
    size = path.stat().st_size
    defaults = type(model)().get_params(deep=False)
    given = {name: value for name, value in model.get_params(deep=False).items() if value != defaults[name]}
    lines = [
        ("file", f"{path}, {size:,} bytes, by winnowkit {read_contents(path).version}"),
        ("learner", type(model).__name__),
        ("parameters", ", ".join(f"{name}={value!r}" for name, value in given.items()) or "all as by default"),
        ("classes", listed(model.classes_.tolist()) + (f" (target {pipeline.target!r})" if pipeline.target else "")),
    ]
    if pipeline.columns is not None:
        what = f"{len(pipeline.columns):,}: {listed(pipeline.columns, 5)}"
        if pipeline.encoder is not None:
            what += f"; as {model.n_features_in_:,} boolean attributes"
        lines.append(("columns", what))
    else:
        lines.append(("attributes", f"{model.n_features_in_:,}"))
    epochs = f", {counted(model.n_epochs_, 'epoch')}" if hasattr(model, "n_epochs_") else ""
    lines.append(("learning", f"{model.n_trials_:,} trials{epochs}, {counted_lessons(model)}"))
    if isinstance(model, Committee):
        shares = model.weights_ / model.weights_.sum(axis=1, keepdims=True)
        lines.append(("votes", "members have " + listed([f"{share:.1%}" for share in shares[0]]) + " of the weight"))
    if isinstance(model, DNFWinnow):
        lines.append(("terms", f"{model.theta_:,} in all" if isinstance(model.theta_, int) else "theta was given"))
        logs = "; ".join(f"{len(log):,} examples, {log.n_mistakes:,} updates" for log in model.logs_[:8])
        lines.append(("log", logs))
    if certificate is not None:
        lines.append(("promise", str(certificate)))
    return lines


def certificate_of(model: Any, k: int) -> Any:
    """What theory promises of this model, if it does."""
    if isinstance(model, Committee | DirectBayes):
        return model.certificate()
    return model.certificate(k=k) if hasattr(model, "certificate") else None


def weights_of(pipeline: Pipeline) -> Weights | None:
    """What is known of each attribute."""
    model = pipeline.model
    if isinstance(model, SymmetricClassifier):
        trials = np.maximum(model.n_updates_, 1)[:, None]
        agreement = 2.0 * model.matches_ / trials - 1.0
        return Weights("agreement with the label, from -1 to 1", agreement, pipeline.names())
    if isinstance(model, Committee):
        return Weights("what an attribute adds to the leading member's score", model.leader_coef_, pipeline.names())
    if hasattr(model, "coef_"):
        return Weights("what an attribute adds to the score", model.coef_, pipeline.names())
    return None


def top(weights: Weights, model: Any, most: int) -> list[dict[str, Any]]:
    """The attributes that say most: the farthest from what is usual among them."""
    classes = model.classes_.tolist()
    labels = classes if len(weights.values) == len(classes) > 1 else [classes[1]]
    lines = []
    for label, values in zip(labels, weights.values, strict=True):
        usual = float(np.median(values))
        order = np.argsort(-np.abs(np.where(np.isfinite(values), values, inf) - usual), kind="stable")[:most]
        for i in order.tolist():
            name = weights.names[i] if weights.names is not None else f"attribute {i}"
            lines.append({"class": label, "attribute": name, "weight": float(values[i])})
    return lines
