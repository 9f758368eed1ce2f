"""Training on many machines, with processes of this one in their place: errors, speed, traffic, memory, a simulation.

Usage: ``python benchmarks/many_machines.py accuracy|terms|speed|traffic|table|simulation``; see also ``--help``.
`accuracy` and `traffic` read ../shared/data/sparse/20newsgroups.npz if it is there, and a generated stream otherwise.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone

from winnowkit import AROW, Committee, DNFWinnow, ThresholdedBEG, Winnow2
from winnowkit.data import load_dataset, streams
from winnowkit.distributed import all_terms, fit, shard
from winnowkit.distributed.checkpoint import Checkpoint
from winnowkit.distributed.parameter_mixing import ROUNDS, n_epochs_of, train
from winnowkit.distributed.parts import shard_pieces

TEXTS = Path(__file__).parents[1] / "../shared/data/sparse/20newsgroups.npz"
LEARNERS = {
    "Winnow2": Winnow2(),
    "ThresholdedBEG": ThresholdedBEG(),
    "AROW": AROW(),
    "Committee": Committee(max_epochs=2),
}


class Simulated:
    """Rounds as on a cluster, one shard after the other in this process; it counts what would travel."""

    def __init__(self, X, y, n_shards, seed):
        self.X, self.y, self.seed, self.bytes, self.touched = X, y, seed, [], []
        self.pieces = shard_pieces(1, n_shards, ROUNDS)

    def round(self, model, epoch, number, shuffle, frozen, _=""):
        """Play a round."""
        changes, ends = [], []
        for s, pieces in enumerate(self.pieces):
            now, order = shard.begin_shard(model), np.arange(len(pieces))
            if shuffle:
                order = np.random.default_rng((self.seed, epoch, s)).permutation(order)
            for i in order[len(pieces) * number // ROUNDS : len(pieces) * (number + 1) // ROUNDS]:
                orders = shard.Orders((self.seed, epoch, *pieces[i]) if shuffle else None, frozen)
                now = shard.learn_piece(now, None, self.X, self.y, pieces[i], orders)
            ends.append(now)
        if len(ends) == 1:
            return shard.model_of(ends[0])
        changes = [shard.change_of(model, end) for end in ends]
        self.bytes += [change.nbytes for change in changes]
        self.touched += [len(change.places) for change in changes]
        return shard.moved_model(model, shard.merged(model, changes))


def texts():
    if not TEXTS.exists():
        X, y = streams.disjunction(n=20_000, k=20, label_noise=0.05, seed=0).take(20_000)
        return X[:12_000], y[:12_000], X[12_000:], y[12_000:]
    file = np.load(TEXTS, allow_pickle=True)
    X = csr_matrix((np.ones(len(file["indices"])), file["indices"], file["indptr"]), shape=tuple(file["shape"]))
    X.sort_indices()
    n = int(file["n_train"])
    return X[:n], file["y"][:n], X[n:], file["y"][n:]


def accuracy(arguments):
    """Held-out error of 1, 2, 4 and 8 shards at the same number of epochs."""
    X, y, new_X, new_y = texts()
    for name in arguments.learners or LEARNERS:
        for n_shards in (1, 2, 4, 8):
            errors = []
            for seed in range(arguments.orders):
                order = np.random.default_rng(seed).permutation(len(y))
                model = LEARNERS[name].begin(X.shape[1], np.unique(y))
                mixing = Simulated(X[order], y[order], n_shards, seed)
                model = train(mixing, model, n_epochs_of(model), True, Checkpoint(None))
                errors.append(100 * np.mean(model.predict(new_X) != new_y))
            error = np.std(errors, ddof=1) / len(errors) ** 0.5 if len(errors) > 1 else float("nan")
            print(f"{name:15} {n_shards} shards  {np.mean(errors):6.2f} +- {error:.2f}%", flush=True)


def tables_of_terms():
    """Yield tables whose classes are terms of several literals."""
    for name in ("tic-tac-toe", "car"):
        X, y = load_dataset(name, return_X_y=True)
        yield name, np.asarray(X, dtype=object), np.asarray(y)
    for noise in (0.0, 0.05):
        rng = np.random.default_rng(7)
        X, y = rng.choice(list("abc"), size=(3000, 10)).astype(object), np.zeros(3000, bool)
        columns = [rng.choice(10, 3, replace=False) for _ in range(4)]
        for some in columns:
            y |= (X[:, some] == rng.choice(list("abc"), 3)).all(axis=1)
        yield f"terms, noise {noise}", X, y ^ (rng.random(3000) < noise)


def terms(arguments, n_shards=4):
    """Held-out error of all terms: one machine, a shard, a vote of shards, and the rows of their logs learned anew."""
    for name, X, y in tables_of_terms():
        found = []
        for seed in range(arguments.orders):
            order, n = np.random.default_rng(seed).permutation(len(y)), 2 * len(y) // 3
            train, new = order[:n], order[n:]
            learner = DNFWinnow(max_literals=None, random_state=seed, verbose=False)
            shards = [train[s::n_shards] for s in range(n_shards)]
            kept = np.concatenate([all_terms._counting(learner, X, y, rows) for rows in shards])
            one, anew, *others = [
                clone(learner).fit(X[rows], y[rows]).predict(X[new]) for rows in (train, kept, *shards)
            ]
            votes = [np.sum([labels == label for labels in others], axis=0) for label in np.unique(y)]
            voted = np.unique(y)[np.argmax(votes, axis=0)]
            errors = [np.mean(labels != y[new]) for labels in (one, others, voted, anew)]
            found.append([*errors, len(kept) / n])
        means, spread = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / len(found) ** 0.5
        figures = [f"{100 * mean:.2f} +- {100 * error:.2f}" for mean, error in zip(means, spread, strict=True)]
        print(name, "one machine {}, one shard {}, vote {}, logged rows {} ({}% of all)".format(*figures), flush=True)


def traffic(_):
    """Bytes of a shard's change per round, beside those of the weights that it touched."""
    X, y, _, _ = texts()
    for name in ("Winnow2", "AROW", "Committee"):
        model = LEARNERS[name].begin(X.shape[1], np.unique(y))
        mixing = Simulated(X, y, 8, 0)
        train(mixing, model, 1, True, Checkpoint(None))
        size = {"Winnow2": 8, "AROW": 16, "Committee": 64}[name] + 4
        up, copy = np.mean(mixing.bytes), np.mean(mixing.touched) * size
        print(
            f"{name:10} up {up / 1e6:6.2f} MB a round and shard, {up / copy:.2f} copies of the changed weights",
            flush=True,
        )


def written(folder, rows, n_columns, k=5):
    """Write a generated stream as Parquet files of 50 million values."""
    import pandas as pd  # noqa: PLC0415 - optional

    rng, at_once = np.random.default_rng(0), 50_000_000 // n_columns
    for i in range(-(-rows // at_once)):
        X = (rng.integers(0, 256, (min(at_once, rows - i * at_once), n_columns), np.uint8) < 26).astype(np.int8)
        y = X[:, :k].any(axis=1) ^ (rng.random(len(X)) < 0.02)
        table = pd.DataFrame(X, columns=[f"x{j}" for j in range(n_columns)])
        table.assign(label=y).to_parquet(folder / f"part{i:05}.parquet")


def speed(arguments):
    """Time of one epoch with one worker and with two, on the same Parquet files, which --folder keeps."""
    from dask.distributed import Client  # noqa: PLC0415 - optional

    with tempfile.TemporaryDirectory() as made:
        folder = Path(arguments.folder or made)
        if not any(folder.glob("*.parquet")):
            written(folder, arguments.rows, arguments.columns)
        seconds = {}
        for n_workers in arguments.workers:
            with Client(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as client:
                warm = Winnow2(max_epochs=1, random_state=0)
                fit(warm, folder / "part00000.parquet", "label", client, n_shards=n_workers, verbose=False)
                begun = time.perf_counter()
                model = Winnow2(max_epochs=1, random_state=0)
                fit(model, folder, "label", client, n_shards=n_workers, verbose=False)
                seconds[n_workers] = time.perf_counter() - begun
                print(f"{n_workers} workers: {model.n_trials_:,} rows in {seconds[n_workers]:.1f} s", flush=True)
        print(f"ratio {seconds[min(seconds)] / seconds[max(seconds)]:.2f}")


def table(arguments):
    """DNFWinnow of short terms: time and the largest memory of a worker, for a tenth of the rows and for all."""
    import pandas as pd  # noqa: PLC0415 - optional
    from dask.distributed import Client  # noqa: PLC0415 - optional

    for rows in (arguments.rows // 10, arguments.rows):
        with tempfile.TemporaryDirectory() as name:
            rng = np.random.default_rng(0)
            for i in range(-(-rows // 250_000)):
                X = rng.normal(size=(min(250_000, rows - i * 250_000), 8))
                y = (X[:, 0] > 0.5) & (X[:, 1] < 0.7) | (X[:, 2] > 1.5)
                frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(label=y ^ (rng.random(len(y)) < 0.05))
                frame.to_parquet(Path(name) / f"part{i:05}.parquet")
            with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
                begun = time.perf_counter()
                model = DNFWinnow(random_state=0, max_literals=2, verbose=False)
                fit(model, name, "label", client, n_shards=2, verbose=False)
                spent, most = time.perf_counter() - begun, max(client.run(_peak).values())
            new = np.random.default_rng(1).normal(size=(50_000, 8))
            right = (new[:, 0] > 0.5) & (new[:, 1] < 0.7) | (new[:, 2] > 1.5)
            error = np.mean(model.predict(pd.DataFrame(new, columns=list("abcdefgh"))) != right)
            print(f"{rows:,} rows: {spent:.0f} s, {most:.0f} MB per worker at most, {error:.2%} error", flush=True)


def _peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def simulation(arguments):
    """Time of an epoch against the number of workers, from costs that `speed` and `traffic` measure."""
    rows, per_row, state, wire, latency = 10**9, arguments.per_row, arguments.state, 1.25e8, 0.05
    for workers in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000):
        depth = int(np.ceil(np.log(max(workers, 2)) / np.log(16))) if workers > 1 else 0
        combining = ROUNDS * depth * (16 * state / wire + 16 * state / 4e8)
        sending = ROUNDS * (state / wire * np.ceil(np.log2(workers + 1)) + latency)
        learning = rows * per_row / workers
        total = learning + (combining + sending if workers > 1 else 0)
        print(f"{workers:5} workers {total:10.1f} s an epoch ({learning / total:.0%} learning)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["accuracy", "terms", "traffic", "speed", "table", "simulation"])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--learners", nargs="*", choices=list(LEARNERS))
    parser.add_argument("--per-row", type=float, default=4e-6, help="seconds, reading included")
    parser.add_argument("--state", type=float, default=4e6, help="bytes")
    warnings.simplefilter("ignore")
    arguments = parser.parse_args()
    globals()[arguments.what](arguments)
