"""``winnowkit explain``: which terms carry a model's prediction for some rows, and what would flip it."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from winnowkit.cli.errors import OK, UserError
from winnowkit.cli.output import plain, show
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.predict import tables
from winnowkit.cli.source import Data
from winnowkit.core.frame import Frame
from winnowkit.dnf.classifier import DNFWinnow


def run(arguments: argparse.Namespace) -> int:
    """Explain the rows asked for, by their numbers from 0."""
    pipeline = Pipeline.load(Path(arguments.model))
    if not isinstance(pipeline.model, DNFWinnow):
        raise UserError(
            f"explain is for DNFWinnow, and the model is a {type(pipeline.model).__name__}; "
            "winnowkit inspect shows its heaviest attributes"
        )
    for place, row in some(pipeline, Data.of(arguments), sorted(set(arguments.rows))):
        explanation = pipeline.model.explain(row, max_terms=arguments.terms)
        if arguments.json:
            show(json.dumps(plain({"row": place, **asdict(explanation)}), ensure_ascii=False))
        else:
            show(f"row {place}: {explanation}\n")
    return OK


def some(pipeline: Pipeline, data: Data, wanted: list[int]) -> list[tuple[int, dict[str, Any]]]:
    """Rows by number, as values by column name."""
    found: list[tuple[int, dict[str, Any]]] = []
    total = 0
    for X, _ in tables(pipeline, data):
        assert isinstance(X, Frame)  # DNFWinnow learns from tables
        here = [place for place in wanted if total <= place < total + len(X)]
        found += [(place, {name: X[name][place - total] for name in X.columns}) for place in here]
        total += len(X)
        if len(found) == len(wanted):
            return found
    missing = next(islice((place for place in wanted if place >= total), 1))
    raise UserError(f"{data.path} has {total:,} rows, counted from 0: there is no row {missing}; see --rows")
