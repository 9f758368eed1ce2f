"""``winnowkit evaluate``: mistakes made on line, in cross-validation, or by an existing model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from winnowkit.cli.fit import baseline, chosen, read_as
from winnowkit.cli.labelled_rows import DataSource, check_classes, check_folds
from winnowkit.cli.messages import INTERRUPTED, OK, UserError
from winnowkit.cli.output import counted, listed, note, pairs, show, show_json, table
from winnowkit.cli.pipeline import DeclaredColumns, Pipeline
from winnowkit.cli.predict import confused
from winnowkit.cli.progress_line import Interrupts
from winnowkit.cli.session import LearningSession


def run(arguments: argparse.Namespace) -> int:
    """Evaluate in the way that the options ask for."""
    if arguments.model and (arguments.folds or arguments.learner or arguments.set):
        raise UserError("--model evaluates a model without learning; leave out --folds, --learner and --set")
    if arguments.dask is not None and not (arguments.model or arguments.folds):
        raise UserError(
            "--dask needs --folds K or --model MODEL; without them rows are learned from one by one, on one machine"
        )
    data = DataSource.of(arguments)
    if arguments.model:
        return of_model(Pipeline.load(Path(arguments.model)), data, arguments)
    if arguments.folds:
        return folds(data, arguments)
    return progressive(LearningSession(data, arguments, on_line=True), arguments)


def progressive(session: LearningSession, arguments: argparse.Namespace) -> int:
    """Predict each row, then learn from it, in constant memory however long the source is."""
    code = OK

    def learn() -> None:
        session.begin()
        session.learn(interrupts, arguments.passes or 1)

    with Interrupts() as interrupts:
        try:
            session.data.consistently(learn)
        except KeyboardInterrupt:
            session.progress.close()
            code = INTERRUPTED
    progress, pipeline = session.progress, session.pipeline
    if pipeline is None or not progress.rows:
        note("interrupted before anything was learned")
        return code
    name, share = type(pipeline.model).__name__, progress.mistakes / progress.rows
    if arguments.json:
        show_json(
            {
                "way": "progressive",
                "learner": name,
                **chosen(session),
                "rows": progress.rows,
                "mistakes": progress.mistakes,
                "error": share,
                "error_of_most_frequent_class": session.baseline()[1],
                "seconds": round(progress.seconds, 3),
                "complete": code == OK,
            }
        )
    else:
        rate = progress.rows / max(progress.seconds, 1e-9)
        lines = [
            ("learner", session.learner()),
            ("method", "each row is predicted, then learned from" + ("" if code == OK else " (interrupted)")),
            *read_as(session),
            ("rows", f"{progress.rows:,}, {float(f'{rate:.2g}'):,.0f} per second"),
            ("mistakes", f"{progress.mistakes:,}, {share:.2%}"),
            ("majority-class baseline", baseline(session)),
        ]
        show(pairs(lines))
    return code


def folds(data: DataSource, arguments: argparse.Namespace) -> int:
    """Cross-validate: fit on all folds but one, and predict that one."""
    if arguments.dask is None:
        session: LearningSession = LearningSession(data, arguments, on_line=False)
        n_rows, wrong = _folds_here(session, arguments)
    else:
        from winnowkit.cli.cluster import folds as on_cluster  # noqa: PLC0415 - needs Dask

        session, n_rows, wrong = on_cluster(arguments)
    session.progress.close()
    assert session.pipeline
    mean, error = float(np.mean(wrong)), float(np.std(wrong, ddof=1) / np.sqrt(len(wrong)))
    if arguments.json:
        show_json(
            {
                "way": f"{arguments.folds}-fold",
                "learner": type(session.pipeline.model).__name__,
                **chosen(session),
                "rows": n_rows,
                "errors": wrong,
                "error": mean,
                "standard_error": error,
                "error_of_most_frequent_class": session.baseline()[1],
            }
        )
        return OK
    lines = [
        ("learner", session.learner()),
        ("method", f"{arguments.folds}-fold cross-validation of {counted(n_rows, 'row')}"),
        *read_as(session),
        ("error", f"{mean:.2%} of held-out rows, standard error {error:.2%}"),
        ("error per fold", listed([f"{share:.1%}" for share in wrong], 12)),
        ("majority-class baseline", baseline(session)),
    ]
    show(pairs(lines))
    return OK


def _folds_here(session: LearningSession, arguments: argparse.Namespace) -> tuple[int, list[float]]:
    """Return the number of rows, and the error of each fold."""
    model, rows = session.data.consistently(lambda: (session.begin().model, session.all_rows()))
    classes, counts = np.unique(rows.y, return_counts=True)
    check_classes(classes, session.data.target_name, session.data.path, len(rows.y))
    check_folds(arguments.folds, len(rows.y))
    kind = StratifiedKFold if counts.min() >= arguments.folds else KFold
    wrong: list[float] = []
    for train, test in kind(arguments.folds, shuffle=True, random_state=arguments.seed or 0).split(rows.y, rows.y):
        session.progress.say(f"fold {len(wrong) + 1} of {arguments.folds}")
        wrong.append(float(np.mean(_predicted(model, rows.X, rows.y, train, test, arguments) != rows.y[test])))
    return len(rows.y), wrong


def _predicted(
    model: Any,
    X: Any,
    y: NDArray[Any],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    arguments: argparse.Namespace,
) -> NDArray[Any]:
    """Return labels of the test rows by a model and an encoder fitted to the training rows."""
    fresh = clone(model)
    if arguments.passes:
        fresh.set_params(max_epochs=arguments.passes)
    pipeline = Pipeline.begin(fresh, X[train], None, DeclaredColumns.of(arguments))
    pipeline.model.fit(pipeline.attributes(X[train]), y[train])
    return pipeline.predict(X[test])


def of_model(pipeline: Pipeline, data: DataSource, arguments: argparse.Namespace) -> int:
    """Evaluate a model on labelled rows: its errors, and its confusion matrix."""
    pipeline.target = arguments.target or pipeline.target
    if arguments.dask is None:
        data.target = None
        pairs_seen = confused(pipeline, data)
    else:
        from winnowkit.cli.cluster import confusion as on_cluster  # noqa: PLC0415 - needs Dask

        arguments.target = None
        pairs_seen = on_cluster(pipeline, arguments)
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
