"""``winnowkit fit``: learn from a file or a stream, and write a model file."""

from __future__ import annotations

import argparse
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from winnowkit.cli.column_notes import note_on_repeated_rows, note_on_telling_column, warnings_as_notes
from winnowkit.cli.error_of_fit import ErrorRate, error_rate
from winnowkit.cli.labelled_rows import DataSource, check_classes
from winnowkit.cli.messages import INTERRUPTED, OK, UserError
from winnowkit.cli.output import counted, listed, note, pairs, show, show_json
from winnowkit.cli.paths import check_output
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.progress_line import Interrupts
from winnowkit.cli.session import LearningSession
from winnowkit.core.labels import odd_classes
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.linear.averaging import AveragingClassifier

RARE = 0.05
"""A class of a smaller share of the rows is rare."""
FEW_ROWS = 50
"""A model of fewer rows may be no better than the baseline for that reason alone."""
STANDARD_ERRORS = 2.0
"""A smaller gain over the baseline, in standard errors of the measured error, may be chance."""
MANY_NUMBERS = 20
"""A target of more different numbers may be a quantity."""


def run(arguments: argparse.Namespace) -> int:
    """Fit a model and write it to a file."""
    output = Path(arguments.output or arguments.resume or "")
    if not arguments.output and not arguments.resume:
        raise UserError("name the file for the model: --output MODEL")
    check_output(output)
    if arguments.dask is not None:
        return on_cluster(arguments, output)
    data = DataSource.of(arguments)
    session = LearningSession(data, arguments, resume(arguments, data))
    with Interrupts() as interrupts:
        try:
            pipeline = data.consistently(lambda: fit(session, interrupts, arguments.passes))
        except KeyboardInterrupt:
            if interrupts.asked_twice:
                raise
            return interrupted(session, output, arguments)
        pipeline.save(output)
    if arguments.quiet and not arguments.json:
        return OK
    seconds = session.progress.seconds
    try:
        rate = error_rate(session, pipeline, arguments.passes or 1)
    except KeyboardInterrupt:
        session.progress.close()
        note(f"interrupted before the error was measured; the model is in {output}")
        return INTERRUPTED
    report(session, pipeline, output, rate, seconds)
    return OK


def on_cluster(arguments: argparse.Namespace, output: Path) -> int:
    """Fit a model to files on a Dask cluster."""
    from winnowkit.cli import cluster  # noqa: PLC0415 - needs Dask

    session, pipeline, rate, seconds = cluster.fit(arguments, output)
    if not arguments.quiet or arguments.json:
        report(session, pipeline, output, rate, seconds)
    return OK


def resume(arguments: argparse.Namespace, data: DataSource) -> Pipeline | None:
    """Return the pipeline of --resume, and have its columns read; None without --resume."""
    if not arguments.resume:
        return None
    if arguments.learner or arguments.set:
        raise UserError("--resume continues with the learner in the model file; leave out --learner and --set")
    pipeline = Pipeline.load(Path(arguments.resume))
    data.target = data.target or pipeline.target
    data.columns, data.types, data.ignore = pipeline.columns, {**pipeline.types, **data.types}, ()
    data.n_features = pipeline.width or data.n_features
    data.missing = (*pipeline.missing, *data.missing)
    data.fixed = True
    return pipeline


def fit(session: LearningSession, interrupts: Interrupts, passes: int | None) -> Pipeline:
    """Learn on line, or, for a new `DNFWinnow`, from all rows at once until they are learned."""
    pipeline = session.begin()
    if session.resumed is None and isinstance(pipeline.model, DNFWinnow):
        return fit_table(session, pipeline, interrupts, passes)
    if pipeline.columns and session.fits_in_memory and isinstance(pipeline.model, AveragingClassifier):
        return fit_whole(session, interrupts, passes)
    return session.learn(interrupts, passes or 1)


def fit_whole(session: LearningSession, interrupts: Interrupts, passes: int | None) -> Pipeline:
    """Read a file whole and learn from its rows in random orders, so that sorted rows do no harm."""
    rows = session.all_rows()
    check_classes(np.unique(rows.y), session.data.target_name, session.data.path, len(rows.y))
    with warnings_as_notes(quiet=True):  # the first rows have been remarked on
        pipeline = session.begin_with(session.begun.model, rows)
    session.pipeline, pipeline.rows = pipeline, len(rows.y)
    if passes:
        pipeline.model.set_params(max_epochs=passes)
    session.progress.say(f"learning from {counted(len(rows.y), 'row')}")
    try:
        X = pipeline.attributes(rows.X)
        with interrupts.step():
            pipeline.model.fit(X, rows.y)
    finally:
        session.progress.close()
    return pipeline


def fit_table(session: LearningSession, pipeline: Pipeline, interrupts: Interrupts, passes: int | None) -> Pipeline:
    """Go over a table epoch by epoch; after Ctrl-C the current epoch is the last."""
    data, rows = session.data, session.all_rows()
    check_classes(np.unique(rows.y), data.target_name, data.path, len(rows.y))
    model = pipeline.model
    if passes:
        model.set_params(max_epochs=passes)
    pipeline.rows = len(rows.y)

    def stop(epoch: int) -> bool:
        session.progress.say(f"epoch {epoch + 1} over {len(rows.y):,} rows")
        return interrupts.asked

    try:
        with interrupts.step(), warnings_as_notes(quiet=session.arguments.quiet, decimal=data.decimal):
            model._fit(rows.X, rows.y, stop=stop)
    finally:
        session.progress.close()
    return pipeline


def interrupted(session: LearningSession, output: Path, arguments: argparse.Namespace) -> int:
    """Save what has been learned, and say how to continue."""
    session.progress.close()
    pipeline = session.pipeline
    if pipeline is None or not pipeline.begun:
        note("interrupted before anything was learned; no model was written")
        return INTERRUPTED
    pipeline.save(output)
    command = f"winnowkit fit {quote(arguments.data)} --resume {quote(str(output))}"
    if not hasattr(pipeline.model, "n_epochs_"):
        command += f" --skip {pipeline.rows}"
    note(f"interrupted: the model learned from {counted(pipeline.rows, 'row')} is in {output}; to continue: {command}")
    return INTERRUPTED


def chosen(session: LearningSession) -> dict[str, Any]:
    """Return why the learner was chosen, the alternative, and the errors in the trial if there was one, for JSON."""
    suited = session.suited
    return {name: getattr(suited, name, None) for name in ("reason", "alternative", "tried")}


def read_as(session: LearningSession) -> list[tuple[str, str]]:
    """Return the line that says how a table of text was read, if it was one."""
    return [("read as", session.data.dialect)] if session.data.dialect else []


def baseline(session: LearningSession) -> str:
    """Return the error of always predicting the most frequent class."""
    label, error = session.baseline()
    return f"{error:.2%} error (always {label!r})"


def report(session: LearningSession, pipeline: Pipeline, output: Path, rate: ErrorRate | None, seconds: float) -> None:
    """Print a summary."""
    model, rows = pipeline.model, pipeline.rows
    if session.arguments.json:
        show_json(
            {
                "model": str(output),
                "learner": type(model).__name__,
                **chosen(session),
                "read_as": session.data.dialect,
                "target": pipeline.target,
                "classes": model.classes_,
                "rows": rows,
                "attributes": model.n_features_in_,
                "trials": model.n_trials_,
                "mistakes": model.n_mistakes_,
                "error": rate.error if rate else None,
                "error_measured_on": f"{rate.way} rows" if rate else None,
                "rows_measured_on": rate.rows if rate else 0,
                "error_of_most_frequent_class": session.baseline()[1],
                "seconds": round(seconds, 3),
            }
        )
        return
    data = f"{counted(rows, 'row')} of {session.data.path}"
    if pipeline.encoder is not None and pipeline.columns is not None:
        data += f"; {counted(len(pipeline.columns), 'column')} as {model.n_features_in_:,} attributes"
    else:
        data += f", {counted(model.n_features_in_, 'column' if pipeline.columns else 'attribute')}"
    target = "" if pipeline.target is None else f"{pipeline.target!r}, "
    epochs = f" in {counted(model.n_epochs_, 'epoch')}" if hasattr(model, "n_epochs_") else ""
    show(
        pairs(
            [
                ("learner", session.learner()),
                ("data", data),
                *read_as(session),
                ("target", f"{target}{len(model.classes_)} classes: {listed(model.classes_.tolist())}"),
                ("learning", f"{model.n_trials_:,} trials{epochs}, {seconds:.1f} s"),
                ("error", str(rate) if rate else "not measured: there are too few rows to hold some out"),
                ("majority-class baseline", baseline(session)),
                ("model", f"{output} (to see what was learned: winnowkit inspect {output})"),
            ]
        )
    )
    odd = odd_classes(model.classes_.tolist())
    if odd is not None:
        note(f"note: {odd}")
    single = [label for label, rows in session.labels.items() if rows == 1]
    if single and session.labels.total() >= FEW_ROWS:
        which = (
            f"class {single[0]!r} has" if len(single) == 1 else f"{len(single)} classes, such as {single[0]!r}, have"
        )
        note(f"note: {which} a single row, which is too little to learn from; is it a mistake?")
    if session.table is not None:
        for said in (note_on_telling_column(*session.table), note_on_repeated_rows(*session.table)):
            if said is not None:
                note(said)
    if model.classes_.dtype.kind in "iu" and len(model.classes_) > MANY_NUMBERS:
        note(
            f"note: the target holds {len(model.classes_)} different numbers, and each is a class of its own; if it is "
            "a quantity, cut it into a few classes first, or use a tool for regression"
        )
    useless = rate and _no_gain(rate, session.baseline()[1])
    if rate is not None and useless is not None:
        note(f"note: {useless}; {_remedy(session, rate)}")
    elif session.table is None and session.grouped:
        note(
            f"note: rows of the same class stand together, and {type(model).__name__} learned from them in that order; "
            "shuffle the rows of the file, or use Committee, AROW or DNFWinnow, which learn in random order"
        )


def _no_gain(rate: ErrorRate, baseline: float) -> str | None:
    """Return a sentence on a model that has gained nothing, or no more than chance would; None if it has.

    Examples
    --------
    >>> _no_gain(ErrorRate(0.48, 600, "held-out"), 0.48), _no_gain(ErrorRate(0.40, 600, "held-out"), 0.48)
    ('the model is no better than the baseline', None)
    >>> _no_gain(ErrorRate(0.47, 600, "held-out"), 0.48)
    'the model may be no better than the baseline, as chance alone may make such a difference'
    """
    if rate.error > baseline - 1e-9:  # both are shares of rows, rounded
        return "the model is no better than the baseline"
    if rate.error > baseline - STANDARD_ERRORS * rate.standard_error:
        return "the model may be no better than the baseline, as chance alone may make such a difference"
    return None


def _remedy(session: LearningSession, rate: ErrorRate) -> str:
    """Return what to do about a model that has learned nothing."""
    if session.labels.total() < FEW_ROWS:
        return f"{counted(session.labels.total(), 'row')} may be too few to learn from"
    label, rows = session.labels.most_common()[-1]
    if len(session.labels) == 2 and rows < RARE * session.labels.total():
        return (
            f"only {rows / session.labels.total():.1%} of the rows are of class {label!r}, and hardly any row is more "
            "likely to be of it than not; predict --scores still shows which rows are the likeliest"
        )
    if session.suited is not None and session.suited.name == "DNFWinnow":
        return "check that --target names the right column, and that the others can tell its classes apart"
    if rate.way == "held-out":
        return "try another --learner, and shuffle the rows of the file if they are sorted"
    return "try another --learner, or fit a file instead of a stream"
