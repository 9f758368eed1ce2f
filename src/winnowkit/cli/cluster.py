"""``fit``, ``predict`` and ``evaluate`` with ``--dask``: the same on a cluster, or on all cores of this machine."""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline as SklearnPipeline

from winnowkit.cli.error_of_fit import BY_SECOND, IN_PARTS, MOST_ROWS, ErrorRate
from winnowkit.cli.file_table import FileTable, Selection, matching, visible_to_workers
from winnowkit.cli.labelled_rows import DataSource, LabelledRows, check_classes, check_folds
from winnowkit.cli.messages import UserError
from winnowkit.cli.output import counted, error_of_choice, note
from winnowkit.cli.pipeline import Pipeline
from winnowkit.cli.predict import Predicted, confused, joined, predicted
from winnowkit.cli.session import LearningSession
from winnowkit.core.progress import Progress
from winnowkit.distributed import evaluate
from winnowkit.distributed import fit as fit_on
from winnowkit.distributed.all_terms import SampleWarning
from winnowkit.distributed.cluster import connect, in_order
from winnowkit.distributed.survey import SAMPLE, Survey, sample_of, survey_of
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.linear.classifier import LinearClassifier

FEW_HELD_OUT, SMALL_SHARE, LARGE_SHARE = 10_000, 0.2, 0.04
"""A share of a small table is held out from a second model; of a large one, at most so many rows from the model."""
MOST_FILES = 20
"""The most files that rows are held out of: these are read once more."""
NOT_WITH_DASK = {
    "resume": "--resume goes on with a model on one machine; leave out --dask",
    "skip": "--skip is of a single source; leave out --dask, or name other files",
    "jobs": "--jobs applies to one machine; a Dask cluster has the workers that were started for it",
}


def check_options(arguments: argparse.Namespace) -> None:
    """Refuse options that have no meaning on a cluster."""
    for name, problem in NOT_WITH_DASK.items():
        if getattr(arguments, name, None):
            raise UserError(problem)


class Prepared(BaseEstimator):
    """Rows as the learner of a pipeline takes them, as the step of a scikit-learn pipeline that is fitted already."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - as scikit-learn calls it
        """Return the step as it is."""
        return self

    def transform(self, X: Any) -> Any:
        """Return rows as the learner takes them."""
        return self.pipeline.attributes(X)

    def __sklearn_tags__(self) -> Any:
        """Return tags that say that nothing is to be fitted."""
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


class ClusterSession(LearningSession):
    """A pipeline that learns from the files of a table on a cluster; a sample decides what the user left open."""

    is_stream, fits_in_memory = False, True

    def __init__(self, table: FileTable, arguments: argparse.Namespace, client: Any) -> None:
        super().__init__(DataSource.of(arguments), arguments)
        self.files, self.client = table, client
        self.seed = arguments.seed or 0
        self.data.target_name, self.data.missing = table.target, arguments.missing

    def survey(self) -> Survey:
        """Count the labels of all files."""
        n_workers = len(self.client.nthreads())
        self.progress.say(f"reading {counted(len(self.files.sources), 'file')}, {counted(n_workers, 'worker')}")
        found = survey_of(self.client, self.files.parts())
        check_classes(found.classes, self.data.target_name, self.data.path, int(found.n_rows.sum()))
        self.labels.update(dict(zip(found.classes.tolist(), found.counts.tolist(), strict=True)))
        return found

    def begin_on(self, survey: Survey) -> Pipeline:
        """Draw a sample, and return the pipeline that it decides on."""
        ((X, y),) = sample_of(self.client, self.files.parts(), survey, self.seed, (SAMPLE,))
        self.table = LabelledRows(X, y)
        self.pipeline = self._pipeline_for(self.table)
        self.pipeline.model.set_params(random_state=self.seed)
        if isinstance(self.pipeline.model, LinearClassifier) or self.arguments.passes:
            self.pipeline.model.set_params(max_epochs=self.arguments.passes or 1)
        self.pipeline.rows = int(survey.n_rows.sum())
        self.progress.close()
        return self.pipeline

    def fit(self, model: Any, pipeline: Pipeline, left: Selection | None, checkpoint: Path | None = None) -> None:
        """Fit a model to the rows that are left after a selection was held out."""
        steps = SklearnPipeline([("rows", Prepared(pipeline)), ("learner", model)])
        table = model if isinstance(model, DNFWinnow) else steps
        show = not self.arguments.quiet and self.arguments.progress != "off"
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", SampleWarning)
            fit_on(table, self.files.parts(left), client=self.client, checkpoint=checkpoint, verbose=show)
        for warning in caught:
            note(f"note: {warning.message}", quiet=self.arguments.quiet)

    def error_of(self, model: Any, pipeline: Pipeline, held: Selection) -> ErrorRate | None:
        """Return the error of a model on the rows that were held out."""
        steps = SklearnPipeline([("rows", Prepared(pipeline)), ("learner", model)])
        n_wrong, n_rows = evaluate(steps, self.files.parts(held._replace(held=True)), client=self.client)
        return ErrorRate(n_wrong / n_rows, n_rows, "held-out") if n_rows else None


def held_out(survey: Survey, seed: int) -> Selection:
    """Choose the rows that are held out, in a few files drawn at random.

    Examples
    --------
    >>> survey = Survey(np.array([0, 1]), np.array([6, 4]), np.array([500_000] * 40))
    >>> chosen = held_out(survey, seed=0)
    >>> len(chosen.files), chosen.last  # 10,000 of 20 files with half a million rows each
    (20, 0.001)
    """
    n_rows, n_files = int(survey.n_rows.sum()), len(survey.n_rows)
    if n_rows <= MOST_ROWS:
        return Selection(seed, frozenset(range(n_files)), 0.0, SMALL_SHARE)
    files = np.random.default_rng((seed, n_files)).permutation(n_files)[:MOST_FILES]
    share = min(SMALL_SHARE, min(FEW_HELD_OUT, LARGE_SHARE * n_rows) / int(survey.n_rows[files].sum()))
    return Selection(seed, frozenset(files.tolist()), 0.0, share)


def fit(arguments: argparse.Namespace, output: Path) -> tuple[ClusterSession, Pipeline, ErrorRate | None, float]:
    """Fit a model on a cluster and write it; return all that a summary needs, and the seconds it took.

    The error is that of the model on rows that it did not learn from. A small table is learned from whole, and the
    error is that of a second model, as without a cluster.
    """
    check_options(arguments)
    checkpoint = output.with_name(output.name + ".checkpoint")
    with connect(arguments.dask) as client:
        table = FileTable.of(arguments, client)
        session = ClusterSession(table, arguments, client)
        survey = session.survey()
        pipeline = session.begin_on(survey)
        left = held_out(survey, session.seed)
        is_small, rate = pipeline.rows <= MOST_ROWS, None
        try:
            session.fit(pipeline.model, pipeline, None if is_small else left, checkpoint)
        except KeyboardInterrupt:
            if checkpoint.exists():
                note(f"interrupted: what was learned is in {checkpoint}; the same command goes on from there")
            raise
        seconds = session.progress.seconds
        pipeline.save(output)
        checkpoint.unlink(missing_ok=True)
        if not arguments.quiet or arguments.json:
            rate = _error(session, pipeline, left, is_small=is_small)
    return session, pipeline, rate, seconds


def _error(session: ClusterSession, pipeline: Pipeline, left: Selection, *, is_small: bool) -> ErrorRate | None:
    if not is_small:
        return session.error_of(pipeline.model, pipeline, left)
    if (found := error_of_choice(pipeline.model)) is not None:
        return ErrorRate(found, pipeline.rows, "held-out", IN_PARTS)
    second = clone(pipeline.model)
    try:
        session.fit(second, pipeline, left)
    except ValueError:  # the training rows lack a class
        return None
    rate = session.error_of(second, pipeline, left)
    return rate and rate._replace(how=BY_SECOND)


def folds(arguments: argparse.Namespace) -> tuple[ClusterSession, int, list[float]]:
    """Cross-validate what `fit` learns on a cluster; return the session, the number of rows, the error of each fold.

    Every row is in one fold, at random. Folds follow one another, and each is learned from by all workers, so that a
    table need not fit into the memory of one machine.
    """
    check_options(arguments)
    with connect(arguments.dask) as client:
        session = ClusterSession(FileTable.of(arguments, client), arguments, client)
        survey = session.survey()
        pipeline = session.begin_on(survey)
        check_folds(arguments.folds, pipeline.rows)
        bounds = np.linspace(0.0, 1.0, arguments.folds + 1)
        files, wrong = frozenset(range(len(survey.n_rows))), list[float]()
        for first, last in itertools.pairwise(bounds.tolist()):
            held, model = Selection(session.seed, files, first, last), clone(pipeline.model)
            session.progress.say(f"fold {len(wrong) + 1} of {arguments.folds}")
            session.fit(model, pipeline, held)
            if (rate := session.error_of(model, pipeline, held)) is None:
                raise UserError(f"one of {arguments.folds} folds drawn at random has no row; choose fewer folds")
            wrong.append(rate.error)
    return session, pipeline.rows, wrong


# --- models that are given --------------------------------------------------------------------------------------------


def predictions(pipeline: Pipeline, arguments: argparse.Namespace) -> Iterator[Predicted]:
    """Yield the predictions for each file of a table, in the order of the files."""
    yield from _over_files(_predict_file, pipeline, arguments, (arguments.scores,))


def confusion(pipeline: Pipeline, arguments: argparse.Namespace) -> Counter[tuple[str, str]]:
    """Count the pairs of true and predicted labels in all files of a table."""
    found: Counter[tuple[str, str]] = Counter()
    for some in _over_files(_evaluate_file, pipeline, arguments, ()):
        found.update(some)
    return found


def _over_files(
    function: Callable[..., Any], pipeline: Pipeline, arguments: argparse.Namespace, options: tuple[Any, ...]
) -> Iterator[Any]:
    """Yield what a function returns for each file, and show how many are done."""
    check_options(arguments)
    paths, common = matching(arguments.data), DataSource.of(arguments)
    with connect(arguments.dask) as client, nullcontext() if arguments.quiet else Progress() as progress:
        sent = client.submit(_same, pipeline, pure=False)
        items = [(sent, replace(common, path=path), *options) for path in paths]
        for done, found in enumerate(in_order(client, function, items), 1):
            if progress is not None:
                n_workers = counted(len(client.nthreads()), "worker")
                progress.share(done / len(paths), f"{done:,} of {counted(len(paths), 'file')}, {n_workers}")
            yield found


def _same(value: Any) -> Any:
    return value


def _predict_file(pipeline: Pipeline, source: DataSource, scores: bool) -> Predicted:
    """Predict the rows of a file; runs on a worker."""
    return joined(list(predicted(pipeline, visible_to_workers(source), scores=scores)))


def _evaluate_file(pipeline: Pipeline, source: DataSource) -> Counter[tuple[str, str]]:
    """Count the pairs of true and predicted labels in a file; runs on a worker."""
    return confused(pipeline, visible_to_workers(source))
