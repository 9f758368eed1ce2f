"""Learning from a source, chunk by chunk in constant memory."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.cli import learners
from winnowkit.cli.errors import UserError
from winnowkit.cli.interrupt import Interrupts
from winnowkit.cli.output import listed, note
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.prequential import cuts_numbers, hint_on_codes, learn_first
from winnowkit.cli.progress import Progress
from winnowkit.cli.source import Data, Restart, Rows, all_classes, check_classes, check_columns

NO_PASSES = "--passes needs a file: a pipe can be read once only"


class Learning:
    """A pipeline that learns from a source; the first rows decide what is not said.

    Parameters
    ----------
    data : Data
        The source.
    arguments : argparse.Namespace
        What the user said.
    resumed : Pipeline, optional
        One that goes on.
    on_line : bool, default=False
        Whether predictions of the first rows must not know how labels of later ones cut numbers.

    Attributes
    ----------
    pipeline : Pipeline or None
        None until the first rows have been seen.
    reason : str or None
        Why this learner was taken, if none was named.
    progress : Progress
        Rows and mistakes so far.
    """

    def __init__(
        self, data: Data, arguments: argparse.Namespace, resumed: Pipeline | None = None, *, on_line: bool = False
    ) -> None:
        self.data, self.arguments, self.on_line = data, arguments, on_line
        self._hinted = False
        self.pipeline = resumed
        self.reason: str | None = None
        self.progress = Progress("off" if arguments.quiet else arguments.progress)
        if data.path == "-" and (arguments.passes or 1) > 1 and (arguments.learner or "DNFWinnow") != "DNFWinnow":
            raise UserError(NO_PASSES)
        self._resumed = resumed is not None
        self._opened: Iterator[Rows] | None = None
        self._classes = None if not arguments.classes else np.array([_label(text) for text in arguments.classes])

    def run(self, interrupts: Interrupts, passes: int = 1) -> Pipeline:
        """Learn from all rows, so many times over."""
        if passes > 1 and not self.data.can_be_read_again:
            raise UserError(NO_PASSES)
        while True:
            try:
                for number in range(1, passes + 1):
                    self.progress.prefix = f"pass {number} of {passes}: " if passes > 1 else ""
                    self._pass(interrupts)
                    self.data.skip = 0  # of the first pass only
                break
            except Restart:
                self.pipeline = None
                self.progress.rows = self.progress.mistakes = 0
            finally:
                self.progress.close()
        if self.pipeline is None or self.progress.rows == 0:
            raise self._empty()
        return self.pipeline

    def peek(self) -> Pipeline:
        """The pipeline that the first rows decide on; `run` will learn from them all the same."""
        while True:
            try:
                chunks = self.data.all_chunks()
                first = next(chunks, None)
                break
            except Restart:
                continue
        if first is None:
            raise self._empty()
        self._opened = chain([first], chunks)
        if self.pipeline is None:
            self.pipeline = self.begin(first)
        return self.pipeline

    def rest(self) -> Iterator[Rows]:
        """All rows: those that have been opened, or the source from its beginning."""
        opened, self._opened = self._opened, None
        yield from self.data.all_chunks() if opened is None else opened

    def _empty(self) -> UserError:
        return UserError(f"{self.data.path} has no rows to learn from" + (" after --skip" if self.data.skip else ""))

    def _pass(self, interrupts: Interrupts) -> None:
        rows_seen = self.data.skip
        for rows in self.rest():
            if self.pipeline is None:
                self.pipeline = self.begin(rows)
            classes = self._known(rows.y)
            with interrupts.step():
                if self.on_line and not self.pipeline.begun and cuts_numbers(self.pipeline, rows.X):
                    self.pipeline, predicted = learn_first(self.pipeline, rows, classes)
                else:
                    predicted = self.pipeline.learn(rows.X, rows.y, classes)
                rows_seen += len(rows.y)
                self.pipeline.rows = rows_seen
                self.progress.add(rows.y, predicted, self.data.reader)

    def begin(self, rows: Rows) -> Pipeline:
        """A learner, and its way to the data, for rows like these."""
        check_columns(rows.X, self.data.path)
        settings = learners.parameters(self.arguments.set)
        shared = {"random_state": self.arguments.seed, "n_jobs": self.arguments.jobs}
        model, self.reason = learners.choose(rows.X, self.arguments.learner, settings, shared)
        pipeline = Pipeline.begin(model, rows.X, rows.y, self.data.target_name, cut="binarize" in settings)
        self._hint(pipeline, rows.X)
        return pipeline

    def _hint(self, pipeline: Pipeline, X: Any) -> None:
        """Say, once, which numbers may be codes."""
        hint = hint_on_codes(X, self.data.types) if cuts_numbers(pipeline, X) else None
        if hint and not self._hinted:
            note(hint, quiet=self.arguments.quiet)
        self._hinted = True

    def _known(self, y: NDArray[Any]) -> NDArray[Any]:
        """All classes; those of the first rows, until others turn up in a file, which is then looked through."""
        if self._resumed and self.pipeline is not None:
            known: NDArray[Any] = self.pipeline.model.classes_
            if unknown := _unknown(y, known):
                raise UserError(
                    f"the model knows the classes {listed(known.tolist())}, and {self.data.path} has {unknown[0]!r}: "
                    "fit a new model, without --resume"
                )
            return known
        if self._classes is None:
            self._classes = np.unique(y)
            if len(self._classes) < 2 and self.data.can_be_read_again:
                self._classes = all_classes(self.data)
            check_classes(self._classes, self.data.target_name, self.data.path)
        elif unknown := _unknown(y, self._classes):
            if self.arguments.classes or not self.data.can_be_read_again:
                raise UserError(
                    f"{self.data.path} has the class {unknown[0]!r}, which is not among those of the first rows or of "
                    f"--classes ({listed(self._classes.tolist())}): name them all, --classes A B ..."
                )
            self._classes = all_classes(self.data)
            check_classes(self._classes, self.data.target_name, self.data.path)
            raise Restart("more classes")
        return self._classes


def _unknown(y: NDArray[Any], classes: NDArray[Any]) -> list[Any]:
    known = set(classes.tolist())
    return [label for label in np.unique(y).tolist() if label not in known]


def _label(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return text
