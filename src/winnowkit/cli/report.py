"""``winnowkit report``: one page on a model for the people who decide."""

from __future__ import annotations

import argparse
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from winnowkit.cli.labelled_rows import DataSource, LabelledRows, tidy, whole
from winnowkit.cli.messages import OK, UserError
from winnowkit.cli.output import note
from winnowkit.cli.paths import check_output
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.predict import tables, text
from winnowkit.model_file import read_contents
from winnowkit.report import report
from winnowkit.rulesets.ruleset import RuleSet
from winnowkit.rulesets.text import FIRST_LINE


def run(arguments: argparse.Namespace) -> int:
    """Read a model and its data, and write the page."""
    output = Path(arguments.output)
    check_output(output)
    rules = read_rules(Path(arguments.model))
    pipeline = None if rules is not None else Pipeline.load(Path(arguments.model))
    source = DataSource.of(arguments)
    other = replace(source, path=arguments.test) if arguments.test else None
    data = _of_rules(rules, source) if rules is not None else _of_model(pipeline, source)
    test = None
    if other is not None:
        test = _of_rules(rules, other) if rules is not None else _of_model(pipeline, other)
    target = pipeline.target if pipeline is not None else source.target_name
    page = report(
        rules if pipeline is None else pipeline.model,
        data.X,
        data.y,
        None if test is None else test.X,
        None if test is None else test.y,
        title=arguments.title or (f"{Path(arguments.model).stem}: {target}" if target else None),
        target=target,
        note=arguments.note,
        rows=not arguments.no_rows,
        encoder=None if pipeline is None else pipeline.encoder,
        facts=_files(arguments, pipeline),
        verbose=not arguments.quiet,
    )
    page.save(output)
    note(f"{output}: {len(page.html.encode()):,} bytes; open it in a browser", quiet=arguments.quiet)
    return OK


def read_rules(path: Path) -> RuleSet | None:
    """Return the rule set in a file of text or JSON; None if the file is none, or is not there."""
    try:
        with path.open("rb") as file:
            first = file.read(200)
    except OSError:
        return None  # the reader of models says what is wrong
    try:
        if first.lstrip().startswith(b"{") and b'"winnowkit rules' in first:
            return RuleSet.from_json(path.read_text(encoding="utf-8"))
        if first.startswith((FIRST_LINE.encode(), b"columns:", b"if ")):
            return RuleSet.from_text(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UserError(f"{path}: {error}") from error
    return None


def _of_model(pipeline: Pipeline | None, source: DataSource) -> LabelledRows:
    """Return the rows of a file with the columns of the model, and their labels."""
    assert pipeline is not None
    if source.target is not None and pipeline.target is None:
        pipeline.target = source.target
    chunks: list[LabelledRows] = []
    for X, y in (
        tables(pipeline, replace(source, target=None)) if pipeline.columns is not None else _sparse(pipeline, source)
    ):
        if y is None:
            wanted = f"column {pipeline.target!r}" if pipeline.target else "target (--target)"
            raise UserError(f"{source.path} has no {wanted} to compare predictions with; a report needs labels")
        chunks.append(LabelledRows(X, tidy(y, source.path, sum(len(rows.y) for rows in chunks), pipeline.target)))
    if not chunks:
        raise UserError(f"{source.path} has no rows")
    rows = whole(chunks)
    return LabelledRows(rows.X, _as_known(rows.y, pipeline.model.classes_))


def _sparse(pipeline: Pipeline, source: DataSource) -> Any:
    source.n_features = pipeline.width
    return source.chunks()


def _as_known(y: Any, classes: Any) -> Any:
    """Return labels of the type that the model knows: a file may show numbers where it learned text."""
    if y.dtype.kind == classes.dtype.kind:
        return y
    known = {text(label): label for label in classes.tolist()}
    return np.array([known.get(text(label), text(label)) for label in y.tolist()])


def _of_rules(rules: RuleSet, source: DataSource) -> LabelledRows:
    rows = whole(list(source.chunks()))
    return LabelledRows(rows.X, _as_known(rows.y, np.array(rules.classes)))


def _files(arguments: argparse.Namespace, pipeline: Pipeline | None) -> list[tuple[str, str]]:
    """Return the files that took part, with their fingerprints."""
    found = [("Model file", _named(arguments.model)), ("Data file", _named(arguments.data))]
    found += [("Test file", _named(arguments.test))] if arguments.test else []
    if pipeline is not None:
        found.append(("Model written by", f"winnowkit {read_contents(Path(arguments.model)).version}"))
    return found


def _named(path: str) -> str:
    if not Path(path).is_file():
        return "standard input" if path == "-" else path
    with Path(path).open("rb") as file:
        return f"{Path(path).name}, SHA-256 {hashlib.file_digest(file, 'sha256').hexdigest()}"
