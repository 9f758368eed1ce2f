"""``winnowkit fit``: learn from a file or a stream, and keep the model."""

from __future__ import annotations

import argparse
from pathlib import Path
from shlex import quote

import numpy as np
from scipy.sparse import vstack

from winnowkit.cli.errors import INTERRUPTED, OK, UserError
from winnowkit.cli.interrupt import Interrupts
from winnowkit.cli.output import counted, counted_lessons, listed, note, pairs, show, show_json
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.session import Learning
from winnowkit.cli.source import Data, Restart, Rows, check_classes, check_columns
from winnowkit.core.frame import Frame
from winnowkit.dnf.classifier import DNFWinnow


def run(arguments: argparse.Namespace) -> int:
    """Fit a model."""
    output = Path(arguments.output or arguments.resume or "")
    if not arguments.output and not arguments.resume:
        raise UserError("name the file that the model goes to: --output MODEL")
    check_output(output)
    data = Data.of(arguments)
    resumed = resume(arguments, data)
    learning = Learning(data, arguments, resumed)
    with Interrupts() as interrupts:
        try:
            pipeline = fit(learning, interrupts, arguments)
        except KeyboardInterrupt:
            return interrupted(learning, output, arguments)
        pipeline.save(output)
    report(learning, pipeline, output, arguments)
    return OK


def check_output(path: Path) -> None:
    """Refuse a place where nothing can be written, before any work is done."""
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file in it, such as {path / 'model.winnow'}")
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is no regular file, and a model takes a file's place; name a file")
    if not path.absolute().parent.is_dir():
        raise UserError(f"there is no folder {path.absolute().parent}; make it first, or name another --output")


def resume(arguments: argparse.Namespace, data: Data) -> Pipeline | None:
    """The model to go on with, and its columns; None if it is a new one."""
    if not arguments.resume:
        return None
    if arguments.learner or arguments.set:
        raise UserError("--resume goes on with the learner in the model file; leave out --learner and --set")
    pipeline = Pipeline.load(Path(arguments.resume))
    data.target = data.target or pipeline.target
    data.columns, data.types, data.ignore = pipeline.columns, {**pipeline.types, **data.types}, ()
    data.n_features = pipeline.width or data.n_features
    return pipeline


def fit(learning: Learning, interrupts: Interrupts, arguments: argparse.Namespace) -> Pipeline:
    """Learn on line; or, if it is a table for `DNFWinnow`, from all rows at once until they are learned."""
    while learning.pipeline is None:
        pipeline = learning.peek()
        if not isinstance(pipeline.model, DNFWinnow):
            break
        try:
            return fit_table(learning, pipeline, whole(list(learning.rest())), interrupts, arguments)
        except Restart:
            learning.pipeline = None
    return learning.run(interrupts, arguments.passes or 1)


def whole(chunks: list[Rows]) -> Rows:
    """All rows together."""
    y = np.concatenate([chunk.y for chunk in chunks])
    if isinstance(chunks[0].X, Frame):
        return Rows(Frame.concatenate([chunk.X for chunk in chunks]), y)
    return Rows(vstack([chunk.X for chunk in chunks], format="csr"), y)


def fit_table(
    learning: Learning, pipeline: Pipeline, rows: Rows, interrupts: Interrupts, arguments: argparse.Namespace
) -> Pipeline:
    """Epoch after epoch over a table; after Ctrl-C the epoch at hand is the last."""
    check_columns(rows.X, learning.data.path)
    check_classes(np.unique(rows.y), learning.data.target_name, learning.data.path)
    model = pipeline.model
    if arguments.passes:
        model.set_params(max_epochs=arguments.passes)
    learning.pipeline, pipeline.rows = pipeline, len(rows.y)

    def stop(epoch: int) -> bool:
        learning.progress.say(f"epoch {epoch + 1} over {len(rows.y):,} rows")
        return interrupts.asked

    try:
        with interrupts.step():
            model._fit(rows.X, rows.y, stop)
    finally:
        learning.progress.close()
    return pipeline


def interrupted(learning: Learning, output: Path, arguments: argparse.Namespace) -> int:
    """Keep what has been learned."""
    learning.progress.close()
    pipeline = learning.pipeline
    if pipeline is None or not pipeline.begun:
        note("interrupted before anything was learned; no model was written")
        return INTERRUPTED
    pipeline.save(output)
    go_on = f"winnowkit fit {quote(arguments.data)} --resume {quote(str(output))}"
    if not hasattr(pipeline.model, "n_epochs_"):
        go_on += f" --skip {pipeline.rows}"
    note(f"interrupted: what was learned from {counted(pipeline.rows, 'row')} is in {output}; to go on: {go_on}")
    return INTERRUPTED


def report(learning: Learning, pipeline: Pipeline, output: Path, arguments: argparse.Namespace) -> None:
    """Say what was done."""
    model, rows, seconds = pipeline.model, pipeline.rows, learning.progress.seconds
    if arguments.json:
        show_json(
            {
                "model": str(output),
                "learner": type(model).__name__,
                "reason": learning.reason,
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
    chosen = f" ({learning.reason}; --learner takes another)" if learning.reason else ""
    data = f"{counted(rows, 'row')} of {learning.data.path}"
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
                ("learner", type(model).__name__ + chosen),
                ("data", data),
                ("target", f"{target}{len(model.classes_)} classes: {listed(model.classes_.tolist())}"),
                ("learning", made),
                ("model", f"{output} (look at it: winnowkit inspect {output})"),
            ]
        )
    )
