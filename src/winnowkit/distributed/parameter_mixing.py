"""Iterative parameter mixing: shards learn from a common state, what they learned is combined, and again.

Dask schedules; what it runs are pure functions of the common state and of rows (:mod:`.shard`), which it may run again
when a worker is lost. Changes are combined in the order of the shards, whichever is ready first, so that the result
does not depend on the workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.core.progress import Progress
from winnowkit.distributed import shard as work
from winnowkit.distributed.checkpoint import Checkpoint
from winnowkit.distributed.cluster import constant, dask
from winnowkit.distributed.combine import Change, without_evidence
from winnowkit.distributed.parts import AnyPart, Piece, over, shard_pieces
from winnowkit.linear.averaging import AveragingClassifier
from winnowkit.linear.classifier import LinearClassifier
from winnowkit.linear.committee import Committee
from winnowkit.linear.epoch_mean import EpochMean
from winnowkit.linear.scaled import AROW

ROUNDS = 4
"""How often shards are combined per epoch. Once is too rarely: docs/theory/mixing.md has the figures."""
FAN_IN = 16
"""Changes that are merged in one step, so that nobody has to hold those of all shards."""
MOST_CHANGES = 16
"""Rounds after which workers get the whole model instead of one more change: whoever joins later needs all of these."""


class _Round(NamedTuple):
    """The last round: its end, the change, the start of each worker, and how many changes followed a whole model."""

    model: Any
    change: Change
    starts: dict[str, Any]
    n_changes: int


@dataclass
class Mixing:
    """Rounds of training on a cluster.

    Parameters
    ----------
    client : dask.distributed.Client
        The cluster.
    parts : list of parts
        The table.
    n_rows : list of int
        The rows of each part.
    n_shards : int
        How many shards learn by themselves between two combinations.
    seed : int
        Seeds the orders of rows.
    class_weight : dict or None
        The weights of classes.
    prepare : transformer or None
        Transforms rows into what the learner takes.
    progress : Progress or None
        Shows what is done.
    functions : module
        Has `begin_shard`, `learn_piece`, `change_of`, `merged`, `moved_model` and `model_of`.
    """

    client: Any
    parts: list[AnyPart]
    n_rows: list[int]
    n_shards: int
    seed: int
    class_weight: Any = None
    prepare: Any = None
    progress: Progress | None = None
    functions: Any = work

    def __post_init__(self) -> None:
        self.pieces = shard_pieces(len(self.parts), self.n_shards, ROUNDS)
        self._prepare = None if self.prepare is None else constant(self.client, self.prepare)
        self._delayed = dask("delayed").delayed
        self._last: _Round | None = None

    def round(
        self, model: Any, epoch: int, number: int, shuffle: bool, frozen: NDArray[np.bool_] | None, what: str = ""
    ) -> Any:
        """Let all shards learn from their pieces of one round, and return the model that they make together."""
        functions, starts = self.functions, self._starts(model)
        at = sorted(starts)
        ends, steps = [], []
        for s, pieces in enumerate(self.pieces):
            start = starts[at[s % len(at)]]
            shard = self._on(at[s % len(at)], functions.begin_shard, start)
            for piece in self._of_round(s, pieces, epoch, number, shuffle):
                seed = (self.seed, epoch, *piece) if shuffle else None
                orders, part = work.Orders(seed, frozen, self.class_weight), self.parts[piece.part]
                shard = over(functions.learn_piece, part, shard, self._prepare, piece=piece, orders=orders)
                steps.append(shard)
            ends.append((start, shard))
        found = self._computed(steps, self._combined(ends), epoch, number, what)
        if len(ends) == 1:
            return found
        together = functions.moved_model(model, found)
        n_changes = 1 if self._last is None or self._last.model is not model else self._last.n_changes + 1
        self._last = _Round(together, without_evidence(found), starts, n_changes)
        return together

    def _starts(self, model: Any) -> dict[str, Any]:
        """Return the common start of the next round, for each worker as it gets it.

        If the last round ended with this model, that is the start of that round, which the worker has, and the change.
        """
        workers, last = sorted(self.client.nthreads()) or [""], self._last
        if last is None or last.model is not model or last.n_changes == MOST_CHANGES:
            whole, self._last = constant(self.client, model), None
            return dict.fromkeys(workers, whole)
        total, anywhere = constant(self.client, last.change), next(iter(last.starts.values()))
        return {
            worker: self._on(worker, self.functions.moved_model, last.starts.get(worker, anywhere), total)
            for worker in workers
        }

    def _on(self, worker: str, function: Any, *arguments: Any) -> Any:
        """Have a worker call a function; another one does so if it is lost.

        Left to Dask, all shards would begin where their start is, and wait until somebody takes them from there.
        """
        here = {"workers": worker, "allow_other_workers": True} if worker else {}
        return self.client.submit(function, *arguments, pure=False, **here)

    def _of_round(self, shard: int, pieces: list[Piece], epoch: int, number: int, shuffle: bool) -> list[Piece]:
        """Return the pieces of a shard in one round of an epoch."""
        order = np.arange(len(pieces))
        if shuffle:
            order = np.random.default_rng((self.seed, epoch, shard)).permutation(order)
        some = slice(len(pieces) * number // ROUNDS, len(pieces) * (number + 1) // ROUNDS)
        return [pieces[i] for i in order[some].tolist()]

    def _combined(self, ends: list[tuple[Any, Any]]) -> Any:
        """Return the change that shards make together, given their starts and ends, still to be computed.

        A single shard makes a model.
        """
        delayed, functions = self._delayed, self.functions
        if len(ends) == 1:
            return delayed(functions.model_of)(ends[0][1])
        changes = [delayed(functions.change_of)(start, end) for start, end in ends]
        while len(changes) > 1:
            changes = [
                delayed(functions.merged)(ends[0][0], changes[i : i + FAN_IN]) for i in range(0, len(changes), FAN_IN)
            ]
        return changes[0]

    def _computed(self, steps: list[Any], result: Any, epoch: int, number: int, what: str) -> Any:
        """Compute the result, and show how many steps are done."""
        *futures, last = self.client.compute([*steps, result])
        n_steps, n_workers = len(futures), len(self.client.nthreads())
        for done, future in enumerate(dask().as_completed(futures), 1):
            future.release()  # a shard's state is needed by its next step only
            if self.progress is not None:
                share = (number + done / n_steps) / ROUNDS
                self.progress.share(share, f"epoch {epoch + 1}{what}, {n_workers} workers")
        return last.result()


def train(mixing: Mixing, begun: Any, n_epochs: int, shuffle: bool, checkpoint: Checkpoint) -> Any:
    """Train an estimator that has begun, and return it; it goes on where a checkpoint says."""
    go_on = isinstance(begun, AROW) and len(mixing.pieces) > 1
    keeper = _EpochMeans(begun) if isinstance(begun, LinearClassifier) else _Passes(begun, go_on)
    model, epoch, number = keeper.begin(0), 0, 0
    if (kept := checkpoint.read()) is not None:
        model, notes = kept
        epoch, number = notes["epoch"], notes["round"]
        keeper.restore(notes["keeper"])
    while epoch < n_epochs and not keeper.is_over:
        for n in range(number, ROUNDS):
            model = mixing.round(model, epoch, n, shuffle, keeper.frozen, f" of at most {n_epochs}")
            if n + 1 < ROUNDS:
                checkpoint.write(model, epoch=epoch, round=n + 1, keeper=keeper.notes())
        keeper.end_epoch(model)
        epoch, number = epoch + 1, 0
        model = keeper.begin(epoch) or model
        checkpoint.write(model, epoch=epoch, round=0, keeper=keeper.notes())
    return keeper.result(model)


class _EpochMeans:
    """Epochs that go on from one another, for Winnows and BEGs; the model is the mean of their ends."""

    def __init__(self, begun: LinearClassifier) -> None:
        self._begun = begun
        self._mean: EpochMean | None = None
        self._counts = begun._learner.counts.copy()
        self.frozen = np.zeros(len(self._counts) - 1, dtype=np.bool_)

    def begin(self, epoch: int) -> Any:
        """Return the model to begin the first epoch with; later ones go on."""
        return self._begun if epoch == 0 else None

    @property
    def is_over(self) -> bool:
        """Whether all learners have settled."""
        return bool(self.frozen.all())

    def end_epoch(self, model: LinearClassifier) -> None:
        """Take in the end of an epoch."""
        learner = model._linear
        self.frozen = self.frozen | (learner.counts[1:] == self._counts[1:]).all(axis=1)
        self._counts = learner.counts.copy()
        if self._mean is None:
            self._mean = EpochMean(learner)
        else:
            self._mean.learner = learner
            self._mean.add(self.frozen)

    def notes(self) -> dict[str, Any]:
        """Return what a checkpoint needs besides the model."""
        mean = self._mean
        kept = None if mean is None else {"states": mean.states, "epochs": mean.epochs, "settled": mean.settled}
        return {"frozen": self.frozen, "counts": self._counts, "mean": kept}

    def restore(self, notes: dict[str, Any]) -> None:
        """Go on where a checkpoint was written."""
        self.frozen, self._counts = notes["frozen"], notes["counts"]
        if notes["mean"] is not None:
            self._mean = EpochMean(self._begun._linear)
            self._mean.states, self._mean.epochs = notes["mean"]["states"], notes["mean"]["epochs"]
            self._mean.settled = notes["mean"]["settled"]

    def result(self, model: LinearClassifier) -> LinearClassifier:
        """Return the model that is the mean over epochs, if that is asked for."""
        if self._mean is not None and model.average:
            self._mean.learner = model._linear
            if self._mean.put_in_place():
                model._mean_after = model.n_trials_
        return model


class _Passes:
    """Passes of AROW and its like and of Committee: each begins anew, and their mean is the model.

    Those of AROW on several shards go on from one another, and the last one is the model: a mean of S shards has moved
    only as far as an S-th of a pass takes AROW, whose steps are as short as its precision is large. It would have to
    begin there again, and the mean over passes would draw it back there. docs/theory/mixing.md has the figures.
    """

    frozen = None
    is_over = False

    def __init__(self, begun: AveragingClassifier, go_on: bool) -> None:
        self._begun, self._go_on = begun, go_on
        self._mean: Any = None
        self._passes = 0

    def begin(self, epoch: int) -> Any:
        """Return the model to begin a pass with; None if it goes on."""
        return None if self._go_on and epoch else self._begun

    def end_epoch(self, model: AveragingClassifier) -> None:
        """Take in the end of a pass."""
        self._passes += 1
        learner: Any = model._learner
        if self._mean is None or self._go_on:
            self._mean = learner
        else:
            self._mean.fold(learner, 1.0 / self._passes, slice(0, len(learner.counts) - 1))

    def notes(self) -> dict[str, Any]:
        """Return what a checkpoint needs besides the model."""
        return {"mean": self._mean, "passes": self._passes}

    def restore(self, notes: dict[str, Any]) -> None:
        """Go on where a checkpoint was written."""
        self._mean, self._passes = notes["mean"], notes["passes"]

    def result(self, model: AveragingClassifier) -> AveragingClassifier:
        """Return the model of all passes."""
        if self._mean is not None:
            model._learner = self._mean
        return model


def n_epochs_of(model: Any) -> int:
    """Return the most epochs of `fit`."""
    if isinstance(model, Committee) and not model._is_family:
        return 1
    return model._most_epochs if model.shuffle or isinstance(model, LinearClassifier) else 1
