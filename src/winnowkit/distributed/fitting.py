"""`fit`, `partial_fit`, `predict` and `evaluate` over Dask's collections."""

from __future__ import annotations

import math
import time
import warnings
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from winnowkit.core.checks import require
from winnowkit.core.progress import Progress
from winnowkit.core.validation import (
    check_class_weight,
    check_two_classes,
    classes_for,
    generator,
    is_count,
)
from winnowkit.distributed import table_shard
from winnowkit.distributed.all_terms import fit_all_terms
from winnowkit.distributed.checkpoint import Checkpoint
from winnowkit.distributed.cluster import connected, constant, dask
from winnowkit.distributed.forms import form_of
from winnowkit.distributed.parameter_mixing import ROUNDS, Mixing, n_epochs_of, train
from winnowkit.distributed.parts import blocks_of, labels_for, over, parts_of
from winnowkit.distributed.survey import SAMPLE, Survey, head_of, sample_of, survey_of
from winnowkit.dnf.classifier import DNFWinnow
from winnowkit.linear.averaging import AveragingClassifier
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.linear.members import MembersLearner


def fit(
    model: Any,
    X: Any,
    y: Any = None,
    client: Any = None,
    *,
    n_shards: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    verbose: bool = True,
) -> Any:
    """Forget everything and learn from a table on many machines, by iterative parameter mixing.

    Each shard learns from its parts of the table by itself; four times per epoch what the shards have learned is
    combined, and they go on from there. The result is the same to the byte whatever becomes of the workers.

    Parameters
    ----------
    model : estimator
        A linear learner, `Committee` or `DNFWinnow`; or a pipeline that ends in one, whose other steps are fitted on a
        sample of up to 100,000 rows if they need it.
    X : Dask array, data frame or bag, path, or list of parts
        The rows. A path names Parquet files or a folder of them. A bag holds pairs of a row and its label.
    y : Dask array or series, or str
        The labels; for a data frame or files, the name of the column of labels.
    client : dask.distributed.Client, optional
        The cluster. By default the present client; if there is none, all cores of this machine.
    n_shards : int, optional
        How many shards learn by themselves. By default as many as the cluster has threads now. The result depends on
        it, but not on the number of workers.
    checkpoint : path-like, optional
        A file that is replaced after every round. If it exists, training goes on from it.
    verbose : bool, default=True
        Whether to show a progress bar.

    Returns
    -------
    estimator
        The model, which is changed in place.

    See Also
    --------
    partial_fit : Goes on from what the model knows.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from winnowkit import Winnow2
    >>> from winnowkit.data import streams
    >>> from winnowkit.distributed import fit
    >>> X, y = streams.disjunction(n=200, k=3, seed=0).take(4000)
    >>> rows, labels = da.from_array(X.toarray(), chunks=(1000, -1)), da.from_array(y, chunks=1000)
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0") as client:
    ...     model = fit(Winnow2(random_state=0), rows, labels, client, n_shards=4)
    >>> float((model.predict(X) == y).mean())
    1.0
    """
    with connected(client) as cluster, Progress() if verbose else nullcontext() as progress:
        parts = parts_of(X, y)
        survey = survey_of(cluster, parts)
        check_two_classes(survey.classes)
        steps, learner = _split(model)
        kept = Checkpoint(checkpoint)
        known = kept.seed() if learner.random_state is None else None
        seed = int(generator(learner.random_state).integers(2**62)) if known is None else known
        if steps is not None and any(get_tags(step).requires_fit for _, step in steps.steps):
            steps.fit(*sample_of(cluster, parts, survey, seed)[0])
        weights = _class_weights(learner.class_weight, survey)
        shards = _n_shards(n_shards, cluster)
        mixing = Mixing(cluster, parts, survey.n_rows.tolist(), shards, seed, weights, steps, progress)
        run = {"model": repr(learner), "parts": len(parts), "rows": int(survey.n_rows.sum()), "shards": shards}
        kept.run = {**run, "seed": seed}
        if isinstance(learner, DNFWinnow):
            fitted = _fit_table(learner, mixing, survey, kept)
        else:
            head = head_of(cluster, parts, survey)
            begun = _begun(learner, steps, head, survey)
            fitted = train(mixing, begun, n_epochs_of(learner), learner.shuffle, kept)
    _become(learner, fitted)
    return model


def partial_fit(
    model: Any,
    X: Any,
    y: Any = None,
    client: Any = None,
    *,
    classes: ArrayLike | None = None,
    n_shards: int | None = None,
    verbose: bool = True,
) -> Any:
    """Go on learning from a table on many machines, in one pass, from what a linear model knows.

    Parameters
    ----------
    model : estimator
        As for :func:`fit`, but for `DNFWinnow`; the other steps of a pipeline must be fitted, or need no fitting.
    X, y, client, n_shards, verbose : Dask collection, Dask collection, Client, int, bool
        As for :func:`fit`.
    classes : array-like, optional
        All labels that may occur; by default, in the first call, those that do.

    Returns
    -------
    estimator
        The model, which is changed in place.

    See Also
    --------
    fit : Begins from nothing, and makes several passes.
    """
    with connected(client) as cluster, Progress() if verbose else nullcontext() as progress:
        parts = parts_of(X, y)
        survey = survey_of(cluster, parts)
        steps, learner = _split(model)
        if isinstance(learner, DNFWinnow):
            raise TypeError("partial_fit on many machines takes linear learners and Committee; use fit for DNFWinnow")
        check_class_weight(learner.class_weight, online=True)
        if learner.__sklearn_is_fitted__():
            classes_for(learner, classes)
            begun = learner
        else:
            known = survey.classes if classes is None else classes_for(learner, classes)
            begun = _begun(learner, steps, head_of(cluster, parts, survey), survey._replace(classes=known))
        shards = _n_shards(n_shards, cluster)
        mixing = Mixing(cluster, parts, survey.n_rows.tolist(), shards, 0, learner.class_weight, steps, progress)
        for number in range(ROUNDS):
            begun = mixing.round(begun, 0, number, False, None)
    _become(learner, begun)
    return model


def predict(model: Any, X: Any) -> Any:
    """Predict a label for each row of a Dask collection; Dask computes them when they are asked for.

    Parameters
    ----------
    model : estimator
        A fitted model.
    X : Dask array, data frame or bag
        The rows.

    Returns
    -------
    Dask array
        One label per row.

    Examples
    --------
    >>> import dask.array as da
    >>> from winnowkit import Winnow2
    >>> from winnowkit.data import streams
    >>> X, y = streams.disjunction(n=200, k=3, seed=0).take(500)
    >>> model = Winnow2(random_state=0).fit(X.toarray(), y)
    >>> labels = predict(model, da.from_array(X.toarray(), chunks=(100, -1)))
    >>> bool((labels.compute(scheduler="sync") == model.predict(X)).all())
    True
    """
    check_is_fitted(model)
    array, delayed = dask("array"), dask("delayed").delayed
    kept, label = delayed(model), delayed(_labels)
    dtype = model.classes_.dtype
    return array.concatenate(
        [array.from_delayed(label(kept, block), shape=(np.nan,), dtype=dtype) for block in blocks_of(X)],
        allow_unknown_chunksizes=True,
    )


def evaluate(model: Any, X: Any, y: Any = None, client: Any = None) -> tuple[int, int]:
    """Count the rows of a table, and those whose label a model predicts wrongly.

    Parameters
    ----------
    model : estimator
        A fitted model.
    X, y, client : Dask collection, Dask collection, Client
        As for :func:`fit`.

    Returns
    -------
    n_wrong, n_rows : int
        How many labels were wrong, of how many.
    """
    with connected(client) as cluster:
        kept = constant(cluster, model)
        found = cluster.gather(cluster.compute([over(_errors, part, kept) for part in parts_of(X, y)]))
    return sum(wrong for wrong, _ in found), sum(rows for _, rows in found)


def _split(model: Any) -> tuple[Any, Any]:
    """Return the steps before the learner, if there are any, and the learner."""
    steps, learner = (model[:-1] or None, model[-1]) if isinstance(model, Pipeline) else (None, model)
    if not isinstance(learner, (LinearClassifier, AveragingClassifier, DNFWinnow)):
        form_of(learner)
    return steps, learner


def _n_shards(given: int | None, client: Any) -> int:
    require(given is None or (is_count(given) and given >= 1), "n_shards must be an integer >= 1", given)
    return int(given or max(1, sum(client.nthreads().values())))


def _class_weights(class_weight: Any, survey: Survey) -> Any:
    """Return the weights of classes as numbers, those of "balanced" by the counts of all parts."""
    if not isinstance(class_weight, str):
        return class_weight
    balanced = survey.counts.sum() / (len(survey.classes) * survey.counts)
    return dict(zip(survey.classes.tolist(), balanced.tolist(), strict=True))


def _begun(learner: Any, steps: Any, head: tuple[Any, NDArray[Any]], survey: Survey) -> Any:
    """Return a copy of a linear learner that knows the columns and the classes, and has seen nothing."""
    begun = clone(learner)
    rows = head[0] if steps is None else steps.transform(head[0])
    rows, _ = begun._validated(rows, head[1], reset=True)
    begun._start(rows.shape[1], survey.classes)
    begun._look_at(rows, stacklevel=3)
    if not isinstance(begun._learner, MembersLearner):
        form_of(begun._learner)
    return begun


def _fit_table(learner: DNFWinnow, mixing: Mixing, survey: Survey, checkpoint: Checkpoint) -> DNFWinnow:
    """Fit `DNFWinnow`: on one machine if the rows are few, else from a model of a sample on."""
    deadline = math.inf if learner.max_time is None else time.monotonic() + learner.max_time
    total = int(survey.n_rows.sum())
    if total <= SAMPLE:
        (rows,) = sample_of(mixing.client, mixing.parts, survey, mixing.seed, (total,))
        return _fitted_here(learner, mixing, *rows)
    if not learner._is_soft:
        return fit_all_terms(learner, mixing.client, mixing.parts, survey, mixing.seed)
    sizes = table_shard.HELD_OUT, SAMPLE
    held, sample = sample_of(mixing.client, mixing.parts, survey, mixing.seed, sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # training goes on
        first = _fitted_here(learner, mixing, *sample)
    if len(first.classes_) < len(survey.classes):
        rare = sorted(set(survey.classes.tolist()) - set(first.classes_.tolist()))
        raise ValueError(f"class {rare[0]!r} is not among {SAMPLE:,} rows of a sample: leave out such rare classes")
    if first._soft is None:
        return fit_all_terms(learner, mixing.client, mixing.parts, survey, mixing.seed)
    n_held = np.round(survey.n_rows * (min(1.0, total / sum(sizes)) * sizes[0] / total)).astype(int)
    rounds = replace(mixing, prepare=table_shard.HeldOut(mixing.seed, tuple(n_held.tolist())), functions=table_shard)
    return table_shard.Terms(rounds, held, checkpoint, deadline).train(first)


def _fitted_here(learner: DNFWinnow, mixing: Mixing, X: Any, y: Any) -> DNFWinnow:
    """Fit a copy on this machine; by all cores, as workers wait for it, unless the learner says how many."""
    here = {"n_jobs": learner.n_jobs or -1, "verbose": mixing.progress is not None}
    fitted: DNFWinnow = clone(learner).set_params(**here).fit(X, y)
    return fitted.set_params(n_jobs=learner.n_jobs, verbose=learner.verbose)


def _become(learner: Any, fitted: Any) -> None:
    """Take everything that a fitted copy knows; the parameters stay."""
    parameters = learner.get_params(deep=False)
    with learner._lock.writing:
        state = fitted.__getstate__()
        learner.__setstate__({**state, **parameters})


def _labels(model: Any, X: Any) -> NDArray[Any]:
    X = X if hasattr(X, "shape") else list(X)
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    labels: NDArray[Any] = model.predict(X) if n_rows else model.classes_[:0]
    return labels


def _errors(model: Any, X: Any, y: Any) -> tuple[int, int]:
    labels = labels_for(X, y)
    return (int(np.sum(model.predict(X) != labels)) if len(labels) else 0), len(labels)
