"""Learning from a source chunk by chunk, in constant memory."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli.choice import Request, SuitedLearner, suited
from winnowkit.cli.column_notes import note_on_empty_columns, notes_on_numbers_as_text, warnings_as_notes
from winnowkit.cli.labelled_rows import (
    DataSource,
    LabelledRows,
    UnknownClassError,
    check_classes,
    classes_of,
    whole,
)
from winnowkit.cli.messages import UserError
from winnowkit.cli.output import listed, note
from winnowkit.cli.pipeline import DeclaredColumns, Pipeline, configured_learner, parameters
from winnowkit.cli.prequential import cuts_numbers, hint_on_codes, learn_first
from winnowkit.cli.progress_line import Interrupts, ProgressLine
from winnowkit.data.formats.kinds import infer
from winnowkit.dnf.classifier import DNFWinnow

LARGEST_FILE = 200_000_000
"""Bytes of the largest file that is read whole; a larger one is learned from in its order, in constant memory."""

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
    suited : SuitedLearner or None
        The learner that the first rows suggest, if the user named none.
    progress : ProgressLine
        Rows and mistakes so far.
    first_pass : (int, int)
        Rows and mistakes of the first pass over the rows.
    labels : Counter
        How many rows were learned from with each label.
    table : LabelledRows or None
        All rows, if they were read at once.
    """

    def __init__(
        self, data: DataSource, arguments: argparse.Namespace, resumed: Pipeline | None = None, *, on_line: bool = False
    ) -> None:
        self.data, self.arguments, self.resumed, self.on_line = data, arguments, resumed, on_line
        self.pipeline = resumed
        self.suited: SuitedLearner | None = None
        self.progress = ProgressLine("off" if arguments.quiet else arguments.progress)
        if data.path == "-" and (arguments.passes or 1) > 1 and arguments.learner != "DNFWinnow":
            raise UserError(NO_PASSES)
        if arguments.classes:
            whole = infer(arguments.classes, label=True) == "integer"
            data.classes = np.array([int(text) if whole else text for text in arguments.classes])
        self.first_pass = (0, 0)
        self.labels: Counter[Any] = Counter()
        self._runs = 0
        self._last: Any = None
        self.table: LabelledRows | None = None
        self._hinted = False
        self._opened: Iterator[LabelledRows] | None = None

    def begin(self) -> Pipeline:
        """Read the first rows and return the pipeline that they decide on; they are learned from later."""
        self.pipeline, self.table = self.resumed, None
        self.progress.reset()
        self.labels.clear()
        self._runs, self._last = 0, None
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
        if self.table is None:
            self.table = whole(list(self._chunks()))
            self._count(self.table.y)
        return self.table

    def learn(self, interrupts: Interrupts, passes: int = 1) -> Pipeline:
        """Learn from all rows, `passes` times over, after `begin`."""
        if passes > 1 and not self.data.can_be_read_again:
            raise UserError(NO_PASSES)
        pipeline = self.pipeline
        try:
            for number in range(1, passes + 1):
                self.progress.prefix = f"pass {number} of {passes}: " if passes > 1 else ""
                pipeline = self._learn_once(interrupts, self.data.skip if number == 1 else 0)
                if number == 1:
                    self.first_pass = (self.progress.rows, self.progress.mistakes)
        finally:
            self.progress.close()
        assert pipeline is not None  # `begin` made one
        return pipeline

    def learner(self) -> str:
        """Return the name of the learner, why it was chosen, and the alternative."""
        assert self.pipeline is not None
        name, suited = type(self.pipeline.model).__name__, self.suited
        if suited is None:
            return name
        return f"{name} (chosen {'by' if suited.tried else 'because'} {suited.reason}; {suited.alternative})"

    @property
    def is_stream(self) -> bool:
        """Whether rows are learned from as they come: from a pipe, with a resumed model, or predicted one by one."""
        if getattr(self.arguments, "folds", None):
            return False
        return self.on_line or self.resumed is not None or not self.data.can_be_read_again

    @property
    def fits_in_memory(self) -> bool:
        """Whether all rows are in a file of moderate size, or needed at once, to be learned from in any order."""
        if self.is_stream or self.data.skip:
            return False
        return bool(getattr(self.arguments, "folds", None)) or Path(self.data.path).stat().st_size <= LARGEST_FILE

    @property
    def begun(self) -> Pipeline:
        """The pipeline, after `begin`."""
        assert self.pipeline is not None
        return self.pipeline

    def baseline(self) -> tuple[Any, float]:
        """Return the most frequent label, and the error of always predicting it."""
        label, rows = self.labels.most_common(1)[0]
        return label, 1 - rows / self.labels.total()

    @property
    def grouped(self) -> bool:
        """Whether rows of a class stand together: there are fewer than half of the runs of a random order."""
        n = self.labels.total()
        repeats = sum((rows / n) ** 2 for rows in self.labels.values())
        return self._runs < n * (1 - repeats) / 2

    def begin_with(self, model: Any, rows: LabelledRows) -> Pipeline:
        """Return a new pipeline with this model for rows like these."""
        pipeline = Pipeline.begin(model, rows.X, self.data.target_name, DeclaredColumns.of(self.arguments))
        pipeline.missing = list(self.data.missing)
        return pipeline

    def _count(self, y: NDArray[Any]) -> None:
        labels, counts = np.unique(y, return_counts=True)
        self.labels.update(dict(zip(labels.tolist(), counts.tolist(), strict=True)))
        self._runs += int(np.count_nonzero(y[1:] != y[:-1])) + bool(y[0] != self._last)
        self._last = y[-1]

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
                self._count(rows.y)
                pipeline.rows = rows_seen
                self.pipeline = pipeline
                self.progress.add(rows.y, predicted, self.data.reader)
        return pipeline

    def _pipeline_for(self, rows: LabelledRows) -> Pipeline:
        """Return a learner for rows like these, and the way from the data to it."""
        self.suited = None if self.arguments.learner else self._suited(rows)
        name = self.suited.name if self.suited else self.arguments.learner
        shared = {"random_state": self.arguments.seed, "n_jobs": self.arguments.jobs}
        model = configured_learner(name, parameters(self.arguments.set), shared)
        with warnings_as_notes(quiet=self.arguments.quiet, decimal=self.arguments.decimal):
            pipeline = self.begin_with(model, rows)
        self._hint(pipeline, rows.X)
        return pipeline

    def _suited(self, first: LabelledRows) -> SuitedLearner:
        arguments = self.arguments
        declared, settings = DeclaredColumns.of(arguments), parameters(arguments.set)
        request = Request(declared, settings, arguments.seed or 0, self.is_stream)

        def rows() -> LabelledRows:
            found = self.all_rows() if self.fits_in_memory else first
            self.progress.say("trying DNFWinnow and Committee on a sample")
            return found

        try:
            return suited(first.X, request, rows)
        finally:
            self.progress.close()

    def _hint(self, pipeline: Pipeline, X: Any) -> None:
        """Name the numbers that may be codes, columns without any value, and numbers that were read as text, once."""
        as_table = pipeline.encoder is not None or isinstance(pipeline.model, DNFWinnow)
        codes = hint_on_codes(X, self.data.types) if as_table else None
        for hint in (codes, note_on_empty_columns(X), *notes_on_numbers_as_text(X, self.arguments.categorical)):
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
