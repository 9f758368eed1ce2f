"""Real processes for tests: the command line, a Dask scheduler and its workers, and a training on them."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress

from winnowkit import Winnow2
from winnowkit.distributed import fit
from winnowkit.model_file import save

SECONDS = 300  # most that anything may take on a busy machine


def until(condition, what):
    """Wait, and fail with words."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise TimeoutError(f"{what} did not come in {SECONDS} seconds")


def files(folder):
    """What a run left, by name, without what it was writing when it died."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".part")
    return {path.relative_to(folder): path.read_bytes() for path in found}


@contextmanager
def process(*words, **options):
    """A process in a group of its own, which is gone at the end."""
    started = subprocess.Popen([sys.executable, *map(str, words)], start_new_session=True, **options)
    try:
        yield started
    finally:
        kill(started)


def kill(started):
    """``kill -9`` of a process and of all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGKILL)
    started.wait(30)


@contextmanager
def cluster(folder, n_workers=2, security=()):
    """The address of a Dask scheduler, and the processes of its workers; `security` are options of both."""
    with scheduler(folder, security) as (address, _), workers(address, folder, n_workers, security) as started:
        yield address, started


@contextmanager
def scheduler(folder, security=()):
    """The address of a Dask scheduler, and its process."""
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file, *security)
    with _logged(folder) as quiet, process("-m", "dask", "scheduler", *options, **quiet) as started:
        yield until(lambda: _address(file), "Dask's scheduler"), started


@contextmanager
def workers(address, folder, n_workers, security=()):
    """The processes of workers that the scheduler at an address knows."""
    options = ("--no-nanny", "--nthreads", "1", "--no-dashboard", *security)
    with ExitStack() as stack:
        quiet = stack.enter_context(_logged(folder))
        begun = [
            stack.enter_context(
                process("-m", "dask", "worker", address, *options, "--local-directory", folder / f"worker{i}", **quiet)
            )
            for i in range(n_workers)
        ]
        if not security:
            wait = f"from dask.distributed import Client; Client({address!r}).wait_for_workers({n_workers})"
            subprocess.run([sys.executable, "-c", wait], check=True, timeout=SECONDS, **quiet)
        yield begun


@contextmanager
def _logged(folder):
    """Where a process writes to: all that it says goes to a file."""
    with (folder / "dask.log").open("a") as log:
        yield {"stdout": subprocess.DEVNULL, "stderr": log}


def _address(file):
    """The scheduler's, once its file is written."""
    with suppress(FileNotFoundError, ValueError):
        return json.loads(file.read_text())["address"]


def parquet_of(path, stream, n_files, rows_per_file):
    """Parquet files of the first examples of a stream."""
    import pandas as pd  # noqa: PLC0415 - optional

    X, y = stream.take(n_files * rows_per_file)
    for i in range(n_files):
        some = slice(rows_per_file * i, rows_per_file * (i + 1))
        columns = [f"x{j}" for j in range(X.shape[1])]
        table = pd.DataFrame(X[some].toarray().astype("int8"), columns=columns).assign(label=y[some])
        table.to_parquet(path / f"part{i}.parquet")
    return path


def trained(folder, client, n_shards, **options):
    """A model that the workers of a cluster learned from Parquet files."""
    learner = Winnow2(random_state=0, max_epochs=2)
    return fit(learner, folder, "label", client, n_shards=n_shards, verbose=False, **options)


def file_of(model, folder):
    """The bytes of a model's file."""
    save(model, folder / "model.winnow")
    return (folder / "model.winnow").read_bytes()


def undisturbed(folder, path, n_shards):
    """The bytes of a model that was trained while nothing happened."""
    from dask.distributed import Client  # noqa: PLC0415 - optional

    with cluster(path) as (address, _), Client(address) as client:
        return file_of(trained(folder, client, n_shards), path)
