"""Connections to Dask's clusters: one by its address, the present one, or all cores of this machine."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pydoc import locate
from typing import Any

from winnowkit.core.optional import import_optional

PATIENCE = 10.0
"""Seconds in which a scheduler has to answer, and a first worker has to come."""

LOCAL = "local"
"""The address that stands for all cores of this machine."""


class ClusterError(RuntimeError):
    """The cluster cannot be used, or was lost; the message says what to do."""


def dask(module: str = "distributed") -> Any:
    """Import a module of Dask, or say how to install it."""
    return import_optional(f"dask.{module}", "Training on many machines needs Dask", "winnowkit[dask]")


@contextmanager
def connected(client: Any) -> Iterator[Any]:
    """Yield a client of Dask: the one given, the present one, or one of all cores of this machine for this while."""
    with ExitStack() as stack:
        stack.enter_context(_quietly())
        if client is None:
            try:
                client = dask().get_client()
            except ValueError:
                client = stack.enter_context(_of_this_machine())
        with _losses_told(client):
            yield client


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """Yield a client of the cluster at an address, or for "local" of all cores of this machine, whose workers are fit.

    Parameters
    ----------
    address : str
        Where the scheduler listens, such as ``tcp://10.0.0.1:8786``; ``tls://`` takes certificates from Dask's
        configuration. "local" starts one process per core, and ends them again.

    Raises
    ------
    ClusterError
        If nobody answers, if there is no worker, or if a worker lacks winnowkit or has another version of it.
    """
    with ExitStack() as stack:
        stack.enter_context(_quietly())
        client = stack.enter_context(_of_this_machine() if address == LOCAL else _at(address))
        _check_workers(client, address)
        with _losses_told(client):
            yield client


def in_order(client: Any, function: Callable[..., Any], items: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Yield what a function returns for each item, in order; only a few results wait at a time.

    Parameters
    ----------
    client : dask.distributed.Client
        The cluster.
    function : callable
        A pure function.
    items : iterable of tuples
        Its arguments.
    """
    most, waiting = 2 * max(1, sum(client.nthreads().values())), deque[Any]()
    for item in items:
        waiting.append(client.submit(function, *item, pure=False))
        if len(waiting) == most:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def constant(client: Any, value: Any) -> Any:
    """Return a value as a future that Dask can compute again, unlike one that was scattered."""
    return client.submit(_same, value, pure=False)


def _same(value: Any) -> Any:
    return value


def _quietly() -> Any:
    """Return a context without Dask's warning of large graphs: the common state is a part of every round."""
    return dask("config").set({"distributed.admin.large-graph-warning-threshold": "1TB"})


@contextmanager
def _of_this_machine() -> Iterator[Any]:
    distributed = dask()
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.ERROR}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@contextmanager
def _at(address: str) -> Iterator[Any]:
    distributed = dask()
    try:
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError, TypeError) as error:
        hint = "" if "://" in address else "; an address looks like tcp://10.0.0.1:8786"
        raise ClusterError(
            f"no Dask scheduler answers at {address} ({_first_line(error)}){hint}; start one with: dask scheduler"
        ) from None
    with client:
        yield client


def _check_workers(client: Any, address: str) -> None:
    """Refuse a cluster without workers, and workers without this version of winnowkit."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except dask().TimeoutError:
        raise ClusterError(
            f"the cluster at {address} has no workers; start some with: dask worker {address} --nthreads 1"
        ) from None
    here = import_module("winnowkit").__version__
    found = client.run(locate, "winnowkit.__version__", on_error="return")  # a function that every Python has
    for worker, version in sorted(found.items()):
        if not isinstance(version, str):
            raise ClusterError(
                f"the worker at {worker} cannot import winnowkit; install winnowkit {here} on every worker"
            )
        if version != here:
            raise ClusterError(
                f"the worker at {worker} has winnowkit {version}, and this is {here}: "
                "the same version is needed everywhere"
            )


@contextmanager
def _losses_told(client: Any) -> Iterator[None]:
    """Say in one sentence that the scheduler, or a worker again and again, was lost."""
    distributed = dask()
    closed = import_optional("distributed.comm", "Training on many machines needs Dask", "winnowkit[dask]")
    address = getattr(client.scheduler, "address", "its address")
    try:
        yield
    except distributed.KilledWorker as error:
        raise ClusterError(
            f"{error.allowed_failures + 1} workers died one after the other on the same work; if they ran out of "
            "memory, divide the table into smaller parts or files"
        ) from error
    except (distributed.CancelledError, OSError) as error:
        if client.status == "running" and not isinstance(error, closed.CommClosedError):
            raise
        raise ClusterError(
            f"the connection to the Dask scheduler at {address} was lost; once there is a scheduler again, the same "
            "call begins anew, or goes on from its checkpoint if it has one"
        ) from error


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]
