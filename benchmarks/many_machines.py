"""Training on many machines, with processes of this one in their place: errors, speed, traffic, memory, a simulation.

Usage: ``python benchmarks/many_machines.py WHAT``; ``--help`` lists what there is.
`accuracy`, `traffic` and `speed` read ../shared/data/sparse/20newsgroups.npz, or a generated stream if it is not there.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.base import clone

from winnowkit import AROW, Committee, DNFWinnow, ThresholdedBEG, Winnow2
from winnowkit.data import load_dataset, streams
from winnowkit.distributed import all_terms, evaluate, fit, fitting, parameter_mixing, shard, table_shard
from winnowkit.distributed.checkpoint import Checkpoint
from winnowkit.distributed.combine import without_evidence
from winnowkit.distributed.forms import LinearForm, form_of
from winnowkit.distributed.parameter_mixing import n_epochs_of, train
from winnowkit.distributed.parts import Part, shard_pieces

DATA = Path(__file__).parents[1] / "../shared/data/sparse"
LEARNERS = {
    "Winnow2": Winnow2(),
    "ThresholdedBEG": ThresholdedBEG(),
    "AROW": AROW(),
    "Committee": Committee(max_epochs=2),
}


class Simulated:
    """Rounds as on a cluster, one shard after the other in this process; it counts what would travel."""

    def __init__(self, X, y, n_shards, seed):
        self.X, self.y, self.seed = X, y, seed
        self.up, self.down = [], []  # the bytes of changes, and how many weights these are of
        self.rounds = parameter_mixing.ROUNDS
        self.pieces = shard_pieces(1, n_shards, self.rounds)

    def round(self, model, epoch, number, shuffle, frozen, _=""):
        """Play a round."""
        changes, ends = [], []
        for s, pieces in enumerate(self.pieces):
            now, order = shard.begin_shard(model), np.arange(len(pieces))
            if shuffle:
                order = np.random.default_rng((self.seed, epoch, s)).permutation(order)
            for i in order[len(pieces) * number // self.rounds : len(pieces) * (number + 1) // self.rounds]:
                orders = shard.Orders((self.seed, epoch, *pieces[i]) if shuffle else None, frozen)
                now = shard.learn_piece(now, None, self.X, self.y, pieces[i], orders)
            ends.append(now)
        if len(ends) == 1:
            return shard.model_of(ends[0])
        changes = [shard.change_of(model, end) for end in ends]
        self.up += [(change.nbytes, len(change.places)) for change in changes]
        total = shard.merged(model, changes)
        self.down.append((without_evidence(total).nbytes, len(total.places)))
        return shard.moved_model(model, total)


def texts(name="20newsgroups"):
    """Return the rows of a set of texts, or of a generated stream, to learn from and to test on, with their labels."""
    path = DATA / f"{name}.npz"
    if not path.exists():
        X, y = streams.disjunction(n=20_000, k=20, label_noise=0.05, seed=0).take(20_000)
        return X[:12_000], y[:12_000], X[12_000:], y[12_000:]
    file = np.load(path, allow_pickle=True)
    X = csr_matrix((np.ones(len(file["indices"])), file["indices"], file["indptr"]), shape=tuple(file["shape"]))
    X.sort_indices()
    n = int(file["n_train"])
    return X[:n], file["y"][:n], X[n:], file["y"][n:]


def accuracy(arguments):
    """Held-out error of 1, 2, 4 and 8 shards at the same number of epochs, and how much more than that of 1 it is."""
    data, alone = texts(arguments.data), None
    parameter_mixing.ROUNDS = arguments.rounds
    for name in arguments.learners or LEARNERS:
        for n_shards in (1, 2, 4, 8):
            seeds = range(arguments.orders)
            errors = [
                error_of(name, divided(data, seed) if arguments.splits else data, n_shards, seed) for seed in seeds
            ]
            alone = errors if n_shards == 1 else alone
            more = with_error(np.subtract(errors, alone))
            print(f"{name:15} {n_shards} shards  {with_error(errors)}%, {more} more than one machine", flush=True)


def divided(data, seed):
    """Divide all rows into as many to learn from and to test on, at random."""
    X, y = vstack([data[0], data[2]], format="csr"), np.concatenate([data[1], data[3]])
    rows, new = np.split(np.random.default_rng((1, seed)).permutation(len(y)), [len(data[1])])
    return X[rows], y[rows], X[new], y[new]


def error_of(name, data, n_shards, seed, n_epochs=None):
    """Return the held-out error in per cent of a learner that was trained on shards."""
    X, y, new_X, new_y = data
    order = np.random.default_rng(seed).permutation(len(y))
    model = LEARNERS[name].begin(X.shape[1], np.unique(y))
    mixing = Simulated(X[order], y[order], n_shards, seed)
    model = train(mixing, model, n_epochs or n_epochs_of(model), True, Checkpoint(None))
    return 100 * np.mean(model.predict(new_X) != new_y)


def with_error(figures):
    """Return the mean and its standard error."""
    error = np.std(figures, ddof=1) / len(figures) ** 0.5 if len(figures) > 1 else float("nan")
    return f"{np.mean(figures):6.2f} +- {error:.2f}"


def means(arguments, n=20_000):
    """Held-out error of four shards by the mean of weights and, as a control, by the mean of their logarithms."""
    for active in (8, 65):
        for name in ("Winnow2", "ThresholdedBEG"):
            found = {}
            for seed in range(arguments.orders):
                stream = streams.disjunction(n=130, k=3, active=active, label_noise=0.02, seed=seed)
                X, y = stream.take(2 * n)
                for n_shards, factors in ((1, True), (4, False), (4, True)):
                    LinearForm.multiplies = factors
                    error = error_of(name, (X[:n], y[:n], X[n:], y[n:]), n_shards, seed, 2)
                    found.setdefault((n_shards, factors), []).append(error)
            one, logarithms, factors = (with_error(errors) for errors in found.values())
            print(f"{name}, {active} of 130 attributes active: one machine {one}%, mean of logarithms", end=" ")
            print(f"{logarithms}%, mean of weights {factors}%", flush=True)


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


def tables(arguments):
    """Held-out error of DNFWinnow of short terms: of one machine, and of shards, for which a quarter is the sample."""
    import dask.dataframe as dd  # noqa: PLC0415 - optional
    import pandas as pd  # noqa: PLC0415 - optional
    from dask.distributed import Client  # noqa: PLC0415 - optional

    table, found = pd.read_csv(DATA.parent / "tables/adult.csv.gz", na_values="?"), {}
    n = 2 * len(table) // 3
    fitting.SAMPLE, table_shard.HELD_OUT = n // 4, n // 10
    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0") as client:
        for seed in range(arguments.orders):
            mixed = table.sample(frac=1.0, random_state=seed, ignore_index=True)
            rows, new, labels = mixed[:n], mixed[n:].drop(columns="label"), mixed["label"][n:]
            for n_shards in (0, 1, 2, 4, 8):
                model = DNFWinnow(random_state=seed, max_literals=arguments.literals, verbose=False)
                if n_shards:
                    fit(model, dd.from_pandas(rows, npartitions=8), "label", client, n_shards=n_shards, verbose=False)
                else:
                    model.fit(rows.drop(columns="label"), rows["label"])
                found.setdefault(n_shards, []).append(100 * np.mean(model.predict(new) != labels))
    for n_shards, errors in found.items():
        more = with_error(np.subtract(errors, found[0]))
        print(f"{n_shards or 'no'} shards  {with_error(errors)}%, {more} more than one machine", flush=True)


def traffic(_):
    """Bytes per round: of what a shard sends, and of what a worker gets, which is the change of all shards."""
    X, y, _, _ = texts()
    for name in ("Winnow2", "AROW", "Committee"):
        model = LEARNERS[name].begin(X.shape[1], np.unique(y))
        mixing = Simulated(X, y, 8, 0)
        train(mixing, model, 1, True, Checkpoint(None))
        size = {"Winnow2": 8, "AROW": 16, "Committee": 64}[name] + 4  # of a weight and its position
        (up, sent), (down, got) = np.mean(mixing.up, axis=0), np.mean(mixing.down, axis=0)
        whole = len(form_of(model._learner).raw(model._learner)) * (size - 4)
        print(
            f"{name:10} up {up / 1e6:.2f} MB per shard, {up / (sent * size):.2f} copies of what it changed; "
            f"down {down / 1e6:.2f} MB, {down / (got * size):.2f} copies of what all shards changed; "
            f"all weights are {whole / 1e6:.2f} MB",
            flush=True,
        )


def speed(arguments):
    """Time and held-out error of Committee, or other learners, on texts with one worker and with two."""
    from dask.distributed import Client  # noqa: PLC0415 - optional

    X, y, new_X, new_y = texts(arguments.data)
    pieces = np.array_split(np.random.default_rng(0).permutation(len(y)), 32)
    for name in arguments.learners or ["Committee"]:
        seconds = {}
        for n_workers in (1, 2):
            with Client(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as client:
                parts = [Part(*client.scatter([X[rows], y[rows]])) for rows in pieces]
                model = clone(LEARNERS[name]).set_params(random_state=0)
                fit(clone(model).set_params(max_epochs=1), parts[:4], None, client, n_shards=n_workers, verbose=False)
                begun = time.perf_counter()
                fit(model, parts, None, client, n_shards=n_workers, verbose=False)
                seconds[n_workers] = time.perf_counter() - begun
            error = np.mean(model.predict(new_X) != new_y)
            print(f"{name}, {n_workers} workers: {seconds[n_workers]:.1f} s, held-out error {error:.2%}", flush=True)
        print(f"two workers are {seconds[1] / seconds[2]:.2f} times as fast as one")


def bits(rng, n_words, probability):
    """Return bits of 64 to a word, each of them 1 with this probability, a whole number of 256ths."""
    found = np.zeros(n_words, np.uint64)
    for place in range(8):  # from the lowest binary digit on: an AND halves the probability, an OR also adds a half
        drawn = rng.integers(0, 2**64, n_words, np.uint64)
        found = found | drawn if int(256 * probability) >> place & 1 else found & drawn
    return found


def write_stream(file, rows, n_columns, seed, k=5):
    """Write random booleans, 1/8 of them true; the label is a disjunction of k, and wrong in 5 rows of 256."""
    import pyarrow as pa  # noqa: PLC0415 - optional
    import pyarrow.parquet as pq  # noqa: PLC0415 - optional

    rng, n_words = np.random.default_rng((0, seed)), -(-rows // 64)
    columns = {f"x{j}": bits(rng, n_words, 32 / 256) for j in range(n_columns)}
    right = np.bitwise_or.reduce([columns[f"x{j}"] for j in range(k)])
    columns["label"] = right ^ bits(rng, n_words, 5 / 256)
    arrays = [pa.BooleanArray.from_buffers(pa.bool_(), rows, [None, pa.py_buffer(word)]) for word in columns.values()]
    pq.write_table(pa.table(arrays, names=list(columns)), file)


def stream(arguments, new_rows=4_000_000, rows_per_file=1_000_000):
    """Time and held-out error of one worker, and of two with 2, 4 and 8 shards, on files that --folder keeps."""
    from dask.distributed import Client  # noqa: PLC0415 - optional

    with tempfile.TemporaryDirectory() as made:
        folder, new = Path(arguments.folder or made) / "rows", Path(arguments.folder or made) / "new.parquet"
        if not new.exists():
            folder.mkdir(parents=True)
            for i, first in enumerate(range(0, arguments.rows, rows_per_file)):
                n = min(rows_per_file, arguments.rows - first)
                write_stream(folder / f"part{i:05}.parquet", n, arguments.columns, i + 1)
            write_stream(new, new_rows, arguments.columns, 0)
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(f"{size / 1e9:.2f} GB of Parquet files", flush=True)
        for name in arguments.learners or ["Winnow2"]:
            seconds = {}
            for n_workers, n_shards in ((1, 1), (2, 2), (2, 4), (2, 8)):
                with Client(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as client:
                    model = clone(LEARNERS[name]).set_params(max_epochs=arguments.epochs, random_state=0)
                    fit(clone(model), new, "label", client, n_shards=n_shards, verbose=False)  # loads the kernels
                    begun, used = time.perf_counter(), sum(client.run(time.process_time).values())
                    fit(model, folder, "label", client, n_shards=n_shards, verbose=False)
                    spent = time.perf_counter() - begun
                    used = sum(client.run(time.process_time).values()) - used
                    n_wrong, n_rows = evaluate(model, new, "label", client)
                seconds.setdefault(n_workers, spent)
                error = n_wrong / n_rows
                print(
                    f"{name}, {n_workers} workers, {n_shards} shards: {model.n_trials_:,} rows in {spent:.1f} s "
                    f"({1e6 * used / model.n_trials_:.2f} us of processor time per row), "
                    f"held-out error {error:.3%} +- {(error * (1 - error) / n_rows) ** 0.5:.3%}",
                    flush=True,
                )
            print(f"two workers are {seconds[1] / seconds[2]:.2f} times as fast as one")


class Watched:
    """The cost of a run: processor time here, of the busiest worker in each round, and the memory of its workers."""

    def __init__(self, client):
        self.client, self.of_workers, self.here, self.peaks = client, 0.0, [], []
        self._begun, self._then = time.process_time(), client.run(time.process_time)

    def look(self):
        """Look at the workers, between two rounds."""
        now = self.client.run(time.process_time)
        self.of_workers += max(now[worker] - self._then[worker] for worker in now)
        self._then = now
        self.peaks.append(max(self.client.run(_peak).values()))
        self.here.append(time.process_time() - self._begun)


def watched_fit(model, folder, client, n_shards):
    """Fit, and look at the workers before and after each round."""
    watched, plain = Watched(client), parameter_mixing.Mixing.round

    def round_of(*given):
        watched.look()
        return plain(*given)

    parameter_mixing.Mixing.round = round_of
    try:
        fit(model, folder, "label", client, n_shards=n_shards, verbose=False)
    finally:
        parameter_mixing.Mixing.round = plain
    watched.look()
    return watched


def table(arguments):
    """DNFWinnow of short terms: time, memory of a worker at most and error, for a fifth of the rows and for all."""
    import pandas as pd  # noqa: PLC0415 - optional
    from dask.distributed import Client  # noqa: PLC0415 - optional

    names = list("abcdefgh")
    new, seconds = np.random.default_rng(1).normal(size=(50_000, len(names))), {}
    for rows, workers in ((arguments.rows // 5, (2,)), (arguments.rows, (1, 2))):
        with tempfile.TemporaryDirectory() as name:
            rng = np.random.default_rng(0)
            for i in range(-(-rows // 250_000)):
                X = rng.normal(size=(min(250_000, rows - i * 250_000), len(names)))
                y = _inside(X) ^ (rng.random(len(X)) < 0.05)
                pd.DataFrame(X, columns=names).assign(label=y).to_parquet(Path(name) / f"part{i:05}.parquet")
            for n_workers in workers:
                with Client(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as client:
                    model = DNFWinnow(random_state=0, max_literals=2, verbose=False)
                    some = str(Path(name) / "part00000.parquet")
                    fit(
                        clone(model).set_params(max_epochs=1), some, "label", client, verbose=False
                    )  # loads the kernels
                    begun = time.perf_counter()
                    watched = watched_fit(model, name, client, n_workers)
                    spent = seconds[n_workers] = time.perf_counter() - begun
                error = np.mean(model.predict(pd.DataFrame(new, columns=names)) != _inside(new))
                print(
                    f"{rows:,} rows, {n_workers} workers: {spent:.0f} s; processor time: {watched.here[0]:.1f} s here "
                    f"before the first round and {watched.here[-1]:.1f} s in all, {watched.of_workers:.1f} s of the "
                    f"busiest worker of each round; {watched.peaks[parameter_mixing.ROUNDS]:.0f} MB per worker at most "
                    f"in the first epoch, {watched.peaks[-1]:.0f} MB in all {model.n_epochs_}; {error:.2%} error",
                    flush=True,
                )
    print(f"two workers are {seconds[1] / seconds[2]:.2f} times as fast as one")


def _inside(X):
    return (X[:, 0] > 0.5) & (X[:, 1] < 0.7) | (X[:, 2] > 1.5)


def _peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def simulation(arguments):
    """Time of an epoch against the number of workers, from costs that `stream` and `traffic` measure."""
    rounds = parameter_mixing.ROUNDS
    rows, per_row, state, wire, latency = 10**9, arguments.per_row, arguments.state, 1.25e8, 0.05
    for workers in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000):
        depth = int(np.ceil(np.log(max(workers, 2)) / np.log(16))) if workers > 1 else 0
        combining = rounds * depth * (16 * state / wire + 16 * state / 4e8)
        sending = rounds * (state / wire * np.ceil(np.log2(workers + 1)) + latency)
        learning = rows * per_row / workers
        total = learning + (combining + sending if workers > 1 else 0)
        print(f"{workers:5} workers {total:10.1f} s an epoch ({learning / total:.0%} learning)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what", choices=["accuracy", "means", "terms", "tables", "traffic", "speed", "stream", "table", "simulation"]
    )
    parser.add_argument("--data", choices=["20newsgroups", "reuters-r8"], default="20newsgroups")
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--columns", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--splits", action="store_true", help="divide the rows anew for each order")
    parser.add_argument("--literals", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=parameter_mixing.ROUNDS, help="combinations per epoch")
    parser.add_argument("--learners", nargs="*", choices=list(LEARNERS))
    parser.add_argument("--per-row", type=float, default=5.15e-7, help="seconds, reading included")
    parser.add_argument("--state", type=float, default=4e6, help="bytes")
    warnings.simplefilter("ignore")
    arguments = parser.parse_args()
    globals()[arguments.what](arguments)
