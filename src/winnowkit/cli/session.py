"""Learning from a source chunk by chunk, in constant memory."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.column_notes import warnings_as_notes
from winnowkit.cli.labelled_rows import (
    DataSource,
    LabelledRows,
    UnknownClassError,
    check_classes,
    check_columns,
    classes_of,
    whole,
)
from winnowkit.cli.messages import UserError
from winnowkit.cli.output import listed, note
from winnowkit.cli.pipeline import Pipeline, choose_learner, parameters
from winnowkit.cli.prequential import cuts_numbers, hint_on_codes, learn_first
from winnowkit.cli.progress_line import Interrupts, ProgressLine

NO_PASSES = "--passes needs a file, because a pipe can be read only once"


class LearningSession:
    """A pipeline that learns from a source; the first rows decide what the user left open.

    A session may be begun again: `begin` forgets what was learned from the source before. Call it inside
    `DataSource.consistently`.

    Parameters
    ----------
    data : DataSource
        The source.
    arguments : argparse.Namespace
        The options of the command.
    resumed : Pipeline, optional
        A pipeline that continues to learn.
    on_line : bool, default=False
        Whether the first rows must be predicted without cuts of numbers that depend on later labels.

    Attributes
    ----------
    pipeline : Pipeline or None
        None until the first rows have been read.
    reason : str or None
        Why this learner was chosen, if the user named none.
    progress : ProgressLine
        Rows and mistakes so far.
    """

    def __init__(
        self, data: DataSource, arguments: argparse.Namespace, resumed: Pipeline | None = None, *, on_line: bool = False
    ) -> None:
        self.data, self.arguments, self.resumed, self.on_line = data, arguments, resumed, on_line
        self.pipeline = resumed
        self.reason: str | None = None
        self.progress = ProgressLine("off" if arguments.quiet else arguments.progress)
        if data.path == "-" and (arguments.passes or 1) > 1 and (arguments.learner or "DNFWinnow") != "DNFWinnow":
            raise UserError(NO_PASSES)
        if arguments.classes:
            data.classes = np.array([_label(text) for text in arguments.classes])
        self._hinted = False
        self._opened: Iterator[LabelledRows] | None = None

    def begin(self) -> Pipeline:
        """Read the first rows and return the pipeline that they decide on; they are learned from later."""
        self.pipeline = self.resumed
        self.progress.reset()
        chunks = self.data.chunks()
        first = next(chunks, None)
        if first is None:
            skipped = " after --skip" if self.data.skip else ""
            raise UserError(f"{self.data.path} has no rows to learn from{skipped}")
        self._opened = chain([first], chunks)
        if self.pipeline is None:
            self.pipeline = self._pipeline_for(first)
        return self.pipeline

    def all_rows(self) -> LabelledRows:
        """Return all rows of the source, after `begin`."""
        return whole(list(self._chunks()))

    def learn(self, interrupts: Interrupts, passes: int = 1) -> Pipeline:
        """Learn from all rows, `passes` times over, after `begin`."""
        if passes > 1 and not self.data.can_be_read_again:
            raise UserError(NO_PASSES)
        pipeline = self.pipeline
        try:
            for number in range(1, passes + 1):
                self.progress.prefix = f"pass {number} of {passes}: " if passes > 1 else ""
                pipeline = self._learn_once(interrupts, self.data.skip if number == 1 else 0)
        finally:
            self.progress.close()
        assert pipeline is not None  # `begin` made one
        return pipeline

    def learner(self) -> str:
        """Return the name of the learner, and why it was chosen."""
        assert self.pipeline is not None
        why = f" (chosen because {self.reason}; --learner selects another)" if self.reason else ""
        return type(self.pipeline.model).__name__ + why

    def _chunks(self) -> Iterator[LabelledRows]:
        """Yield all rows: those opened by `begin`, or the source from its beginning."""
        opened, self._opened = self._opened, None
        yield from self.data.chunks(skip=0) if opened is None else opened

    def _learn_once(self, interrupts: Interrupts, rows_seen: int) -> Pipeline:
        pipeline = self.pipeline
        assert pipeline is not None  # `begin` made one
        for rows in self._chunks():
            classes = self._classes(rows.y)
            with interrupts.step():
                if self.on_line and not pipeline.begun and cuts_numbers(pipeline, rows.X):
                    pipeline, predicted = learn_first(pipeline, rows, classes)
                else:
                    predicted = pipeline.learn(rows.X, rows.y, classes)
                rows_seen += len(rows.y)
                pipeline.rows = rows_seen
                self.pipeline = pipeline
                self.progress.add(rows.y, predicted, self.data.reader)
        return pipeline

    def _pipeline_for(self, rows: LabelledRows) -> Pipeline:
        """Return a learner for rows like these, and the way from the data to it."""
        check_columns(rows.X, self.data.path)
        settings = parameters(self.arguments.set)
        shared = {"random_state": self.arguments.seed, "n_jobs": self.arguments.jobs}
        model, self.reason = choose_learner(rows.X, self.arguments.learner, settings, shared)
        with warnings_as_notes(quiet=self.arguments.quiet):
            pipeline = Pipeline.begin(
                model,
                rows.X,
                rows.y,
                self.data.target_name,
                cut="binarize" in settings,
                special=self.arguments.special,
            )
        self._hint(pipeline, rows.X)
        return pipeline

    def _hint(self, pipeline: Pipeline, X: Any) -> None:
        """Name the numbers that may be codes, once."""
        hint = hint_on_codes(X, self.data.types) if cuts_numbers(pipeline, X) else None
        if hint and not self._hinted:
            note(hint, quiet=self.arguments.quiet)
        self._hinted = True

    def _classes(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return all classes: those of the model, of --classes, or of the first rows."""
        data = self.data
        if self.resumed is not None:
            known: NDArray[Any] = self.resumed.model.classes_
            if unknown := _unknown(y, known):
                raise UserError(
                    f"the model knows the classes {listed(known.tolist())}, and {data.path} has {unknown[0]!r}: "
                    "fit a new model, without --resume"
                )
            return known
        if data.classes is None:
            classes = np.unique(y)
            if len(classes) < 2 and data.can_be_read_again:
                classes = classes_of(data)
            check_classes(classes, data.target_name, data.path)
            data.classes = classes
        elif unknown := _unknown(y, data.classes):
            message = (
                f"{data.path} has the class {unknown[0]!r}, which is not among those of the first rows or of "
                f"--classes ({listed(data.classes.tolist())}); name all classes: --classes A B ..."
            )
            raise UserError(message) if self.arguments.classes else UnknownClassError(message, unknown[0])
        return data.classes


def _unknown(y: NDArray[Any], classes: NDArray[Any]) -> list[Any]:
    known = set(classes.tolist())
    return [label for label in np.unique(y).tolist() if label not in known]


def _label(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return text
