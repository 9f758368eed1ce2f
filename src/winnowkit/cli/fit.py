"""``winnowkit fit``: learn from a file or a stream, and write a model file."""

from __future__ import annotations

import argparse
from pathlib import Path
from shlex import quote

import numpy as np

from winnowkit.cli.column_notes import warnings_as_notes
from winnowkit.cli.labelled_rows import DataSource, check_classes, check_columns
from winnowkit.cli.messages import INTERRUPTED, OK, UserError
from winnowkit.cli.output import counted, counted_lessons, listed, note, pairs, show, show_json
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.progress_line import Interrupts
from winnowkit.cli.session import LearningSession
from winnowkit.dnf.classifier import DNFWinnow


def run(arguments: argparse.Namespace) -> int:
    """Fit a model and write it to a file."""
    output = Path(arguments.output or arguments.resume or "")
    if not arguments.output and not arguments.resume:
        raise UserError("name the file for the model: --output MODEL")
    check_output(output)
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
    report(session, pipeline, output, arguments)
    return OK


def check_output(path: Path) -> None:
    """Refuse a path that cannot be written, before any work is done."""
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file in it, such as {path / 'model.winnow'}")
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is not a regular file; name a file to write")
    if not path.absolute().parent.is_dir():
        raise UserError(f"there is no folder {path.absolute().parent}; create it first, or name another --output")


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
    data.fixed = True
    return pipeline


def fit(session: LearningSession, interrupts: Interrupts, passes: int | None) -> Pipeline:
    """Learn on line, or, for a new `DNFWinnow`, from all rows at once until they are learned."""
    pipeline = session.begin()
    if session.resumed is None and isinstance(pipeline.model, DNFWinnow):
        return fit_table(session, pipeline, interrupts, passes)
    return session.learn(interrupts, passes or 1)


def fit_table(session: LearningSession, pipeline: Pipeline, interrupts: Interrupts, passes: int | None) -> Pipeline:
    """Go over a table epoch by epoch; after Ctrl-C the current epoch is the last."""
    data, rows = session.data, session.all_rows()
    check_columns(rows.X, data.path)
    check_classes(np.unique(rows.y), data.target_name, data.path)
    model = pipeline.model
    if passes:
        model.set_params(max_epochs=passes)
    pipeline.rows = len(rows.y)

    def stop(epoch: int) -> bool:
        session.progress.say(f"epoch {epoch + 1} over {len(rows.y):,} rows")
        return interrupts.asked

    try:
        with interrupts.step(), warnings_as_notes(quiet=session.arguments.quiet):
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


def report(session: LearningSession, pipeline: Pipeline, output: Path, arguments: argparse.Namespace) -> None:
    """Print a summary."""
    model, rows, seconds = pipeline.model, pipeline.rows, session.progress.seconds
    if arguments.json:
        show_json(
            {
                "model": str(output),
                "learner": type(model).__name__,
                "reason": session.reason,
                "target": pipeline.target,
                "classes": model.classes_,
                "rows": rows,
                "attributes": model.n_features_in_,
                "trials": model.n_trials_,
                "mistakes": model.n_mistakes_,
                "seconds": round(seconds, 3),
            }
        )
        return
    if arguments.quiet:
        return
    data = f"{counted(rows, 'row')} of {session.data.path}"
    if pipeline.encoder is not None and pipeline.columns is not None:
        data += f"; {counted(len(pipeline.columns), 'column')} as {model.n_features_in_:,} boolean attributes"
    else:
        data += f", {model.n_features_in_:,} {'columns' if pipeline.columns else 'attributes'}"
    target = "" if pipeline.target is None else f"{pipeline.target!r}, "
    epochs = f" in {counted(model.n_epochs_, 'epoch')}" if hasattr(model, "n_epochs_") else ""
    made = f"{counted_lessons(model)} in {model.n_trials_:,} trials{epochs}, {seconds:.1f} s"
    show(
        pairs(
            [
                ("learner", session.learner()),
                ("data", data),
                ("target", f"{target}{len(model.classes_)} classes: {listed(model.classes_.tolist())}"),
                ("learning", made),
                ("model", f"{output} (to see what was learned: winnowkit inspect {output})"),
            ]
        )
    )
