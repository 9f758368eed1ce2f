"""``winnowkit evaluate``: how many mistakes on line, or by cross-validation, or of a model that there is."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from winnowkit.cli.errors import INTERRUPTED, OK, UserError
from winnowkit.cli.fit import whole
from winnowkit.cli.interrupt import Interrupts
from winnowkit.cli.output import counted, listed, note, pairs, show, show_json, table
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.predict import tables, text
from winnowkit.cli.session import Learning
from winnowkit.cli.source import Data, Restart, check_classes, check_columns


def run(arguments: argparse.Namespace) -> int:
    """Evaluate in the way asked for."""
    if arguments.model and (arguments.folds or arguments.learner or arguments.set):
        raise UserError("--model evaluates a model as it is; leave out --folds, --learner and --set")
    data = Data.of(arguments)
    if arguments.model:
        return of_model(Pipeline.load(Path(arguments.model)), data, arguments)
    learning = Learning(data, arguments, on_line=not arguments.folds)
    return folds(learning, arguments) if arguments.folds else progressive(learning, arguments)


def progressive(learning: Learning, arguments: argparse.Namespace) -> int:
    """Predict each row, then learn from it: in constant memory, however long the source is."""
    code = OK
    with Interrupts() as interrupts:
        try:
            learning.peek()
            learning.run(interrupts, arguments.passes or 1)
        except KeyboardInterrupt:
            learning.progress.close()
            code = INTERRUPTED
    progress, pipeline = learning.progress, learning.pipeline
    if pipeline is None or not progress.rows:
        note("interrupted before anything was learned")
        return code
    name, share = type(pipeline.model).__name__, progress.mistakes / progress.rows
    if arguments.json:
        show_json(
            {
                "way": "progressive",
                "learner": name,
                "reason": learning.reason,
                "rows": progress.rows,
                "mistakes": progress.mistakes,
                "error": share,
                "seconds": round(progress.seconds, 3),
                "complete": code == OK,
            }
        )
    else:
        chosen = f" ({learning.reason}; --learner takes another)" if learning.reason else ""
        rate = progress.rows / max(progress.seconds, 1e-9)
        lines = [
            ("learner", name + chosen),
            ("way", "each row predicted, then learned from" + ("" if code == OK else "; interrupted")),
            ("rows", f"{progress.rows:,}, {float(f'{rate:.2g}'):,.0f} a second"),
            ("mistakes", f"{progress.mistakes:,}, {share:.2%}"),
        ]
        show(pairs(lines))
    return code


def folds(learning: Learning, arguments: argparse.Namespace) -> int:
    """Cross-validation: fit on all but one part of the rows, predict that part."""
    while True:
        try:
            model = learning.peek().model
            rows = whole(list(learning.rest()))
            break
        except Restart:
            learning.pipeline = None
    classes, counts = np.unique(rows.y, return_counts=True)
    check_classes(classes, learning.data.target_name, learning.data.path)
    check_columns(rows.X, learning.data.path)
    if not 2 <= arguments.folds <= len(rows.y):
        raise UserError(f"--folds must be from 2 to the number of rows, {len(rows.y)}; got {arguments.folds}")
    kind = StratifiedKFold if counts.min() >= arguments.folds else KFold
    wrong: list[float] = []
    for train, test in kind(arguments.folds, shuffle=True, random_state=arguments.seed or 0).split(rows.y, rows.y):
        learning.progress.say(f"part {len(wrong) + 1} of {arguments.folds}")
        wrong.append(float(np.mean(_predicted(model, rows.X, rows.y, train, test, arguments) != rows.y[test])))
    learning.progress.close()
    mean, error = float(np.mean(wrong)), float(np.std(wrong, ddof=1) / np.sqrt(len(wrong)))
    most = Counter(rows.y.tolist()).most_common(1)[0]
    if arguments.json:
        show_json(
            {
                "way": f"{arguments.folds}-fold",
                "learner": type(model).__name__,
                "reason": learning.reason,
                "rows": len(rows.y),
                "errors": wrong,
                "error": mean,
                "standard_error": error,
                "error_of_most_frequent_class": 1 - most[1] / len(rows.y),
            }
        )
        return OK
    chosen = f" ({learning.reason}; --learner takes another)" if learning.reason else ""
    lines = [
        ("learner", type(model).__name__ + chosen),
        ("way", f"{arguments.folds}-fold cross-validation of {counted(len(rows.y), 'row')}"),
        ("errors", f"{mean:.2%} of rows held out, standard error {error:.2%}"),
        ("parts", listed([f"{share:.1%}" for share in wrong], 12)),
        ("always", f"{most[0]!r} would err on {1 - most[1] / len(rows.y):.2%}"),
    ]
    show(pairs(lines))
    return OK


def _predicted(
    model: Any,
    X: Any,
    y: NDArray[Any],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    arguments: argparse.Namespace,
) -> NDArray[Any]:
    """Labels of the test rows by a model of the training rows, encoder and all."""
    fresh = clone(model)
    if arguments.passes:
        fresh.set_params(max_epochs=arguments.passes)
    cut = any(setting.startswith("binarize=") for setting in arguments.set)
    pipeline = Pipeline.begin(fresh, X[train], y[train], None, cut=cut)
    pipeline.model.fit(pipeline.attributes(X[train]), y[train])
    return pipeline.predict(X[test])


def of_model(pipeline: Pipeline, data: Data, arguments: argparse.Namespace) -> int:
    """A model as it is on labelled rows: its errors, and which classes it takes for which."""
    pipeline.target = arguments.target or pipeline.target
    data.target = None
    pairs_seen: Counter[tuple[str, str]] = Counter()
    for X, y in tables(pipeline, data):
        if y is None:
            raise UserError(f"{data.path} has no column {pipeline.target!r} with the right labels; name it: --target")
        predicted = pipeline.predict(X).tolist()
        pairs_seen.update(zip(map(text, y.tolist()), map(text, predicted), strict=True))
    total = sum(pairs_seen.values())
    wrong = total - sum(count for (label, said), count in pairs_seen.items() if label == said)
    if arguments.json:
        confusion = [{"label": a, "predicted": b, "rows": count} for (a, b), count in sorted(pairs_seen.items())]
        show_json({"way": "model", "rows": total, "wrong": wrong, "error": wrong / total, "confusion": confusion})
        return OK
    show(pairs([("rows", f"{total:,}"), ("wrong", f"{wrong:,}, {wrong / total:.2%}")]))
    labels = sorted({label for pair in pairs_seen for label in pair})
    if len(labels) <= 12:
        body = [[label, *(f"{pairs_seen[label, said]:,}" for said in labels)] for label in labels]
        show("\n" + table(["label \\ predicted", *labels], body))
    return OK
