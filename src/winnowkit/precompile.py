"""Compiles all kernels ahead of their first use: for container images, continuous integration and impatient users."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np


def warmup(*, n_jobs: int | None = None, progress: bool = True) -> None:
    """Compile every learner, engine and reader, in parallel processes, so that no later call has to.

    The machine code is kept on disk: beside the package or, if that cannot be written, in the user's cache; in the
    folder that the environment variable ``WINNOWKIT_CACHE_DIR`` names, if it is set and nobody but root and the owner
    of the folder can write there. A second call finds everything compiled and takes a few seconds.

    Parameters
    ----------
    n_jobs : int, optional
        The number of processes. None takes one per processor.
    progress : bool
        Whether a bar is shown, in terminals and notebooks.

    Raises
    ------
    RuntimeError
        If one of the processes fails; the message has its error.

    See Also
    --------
    Committee : The learner to try first on many attributes.
    DNFWinnow : The learner to try first on a table.

    Examples
    --------
    >>> from winnowkit import warmup
    >>> warmup(n_jobs=2)  # doctest: +SKIP
    """
    from tqdm.auto import tqdm  # noqa: PLC0415 - only where a bar is wanted

    bar = tqdm(total=len(TASKS), desc="compiling", unit=" parts", disable=None if progress else True, leave=False)
    with ThreadPoolExecutor(n_jobs or os.cpu_count() or 1) as pool, bar:
        try:
            for done in as_completed([pool.submit(_in_a_process, name) for name in TASKS]):
                done.result()
                bar.update()
        except BaseException:  # a failure, Ctrl-C or SIGTERM: do not wait for what is left
            pool.shutdown(wait=False, cancel_futures=True)
            for child in list(_CHILDREN):
                child.terminate()
            raise


_CHILDREN: set[subprocess.Popen[str]] = set()
"""The processes that compile now."""


def _in_a_process(name: str) -> None:
    code = f"from winnowkit.precompile import compile_task; compile_task({name!r})"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdout=pipe, stderr=pipe, text=True) as child:
        _CHILDREN.add(child)
        try:
            errors = child.communicate()[1]
        finally:
            _CHILDREN.discard(child)
    if child.returncode:
        last = errors.strip().splitlines()[-1:] or [f"exit code {child.returncode}"]
        raise RuntimeError(f"compiling {name!r} failed: {last[0]}")


def compile_task(name: str) -> None:
    """Run one of `TASKS` in this process."""
    from winnowkit.core.interpreted import compile_at_once  # noqa: PLC0415

    compile_at_once()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a few rows nothing can be learned well
        TASKS[name]()


# --- tasks: a few rows are enough to compile -----------------------------------------------------------------------


def _linear(*names: str, **parameters: Any) -> Callable[[], None]:
    """Return a task that uses learners of attributes in all ways: two classes and three, dense, sparse and single."""

    def run() -> None:
        from scipy.sparse import csr_matrix  # noqa: PLC0415

        import winnowkit  # noqa: PLC0415

        X = np.random.default_rng(0).integers(0, 2, size=(24, 4))
        for name in names:
            for y in (X[:, 0], X[:, 0] + X[:, 1]):
                model = getattr(winnowkit, name)(max_epochs=2, **parameters)
                for rows in (X, csr_matrix(X.astype(np.float64))):
                    model.fit(rows, y).partial_fit(rows, y).predict(rows)
                if hasattr(model, "predict_proba"):
                    model.predict_proba(X)
                model.learn_one(X[0], y[0])
                model.predict_one(X[0])
                model.learn_active(np.array([0, 2]), y[0])
                model.predict_active(np.array([0, 2]))

    return run


def _table() -> tuple[Any, Any]:
    """Return rows of categories and numbers, and labels that two short terms explain."""
    rng = np.random.default_rng(0)
    words = rng.integers(0, 3, size=(120, 5)).astype(str).astype(object)
    X = np.column_stack([words, rng.normal(size=(120, 2)).astype(object)])
    return X, ((words[:, 0] == "1") | ((words[:, 1] == "2") & (words[:, 2] == "0"))).astype(int)


def _soft() -> None:
    """Compile DNFWinnow as it is by default."""
    from winnowkit import DNFWinnow  # noqa: PLC0415

    X, y = _table()
    for labels in (y, y + (X[:, 3] == "1")):
        model = DNFWinnow(random_state=0).fit(X, labels)
        model.predict(X)
        model.predict_proba(X[:3])
        model.explain(X[0])
        model.partial_fit(X[:3], labels[:3])
    model.rules(max_rules=3)


def _terms(**parameters: Any) -> Callable[[], None]:
    """Return a task for DNFWinnow that learns from mistakes."""

    def run() -> None:
        from winnowkit import DNFWinnow  # noqa: PLC0415
        from winnowkit.dnf import MistakeDriven  # noqa: PLC0415

        X, y = _table()
        for labels in (y, y + (X[:, 3] == "1")):
            model = DNFWinnow(training=MistakeDriven(), max_epochs=2, random_state=0, **parameters).fit(X, labels)
            model.predict(X[:20])
            model.partial_fit(X[:3], labels[:3])
        model.explain(X[0])
        model.compact(X, labels)

    return run


def _engine(name: str) -> Callable[[], None]:
    """Return a task that asks an engine of terms for sums."""

    def run() -> None:
        import winnowkit.dnf  # noqa: PLC0415
        from winnowkit import DNFWinnow  # noqa: PLC0415

        X, y = _table()
        model = DNFWinnow(max_literals=None, max_epochs=1).fit(X, y)
        engine = getattr(winnowkit.dnf, name)()
        model.estimate(X[:2], engine)
        DNFWinnow(max_literals=None, engine=engine, max_epochs=1).fit(X[:40], y[:40]).predict(X[:2])

    return run


def _readers() -> None:
    """Compile the readers, the discretiser, and what makes rows of whole numbers."""
    from winnowkit.core.integer_rows import integer_rows  # noqa: PLC0415
    from winnowkit.data import MultisplitDiscretizer, read_libsvm, read_table  # noqa: PLC0415

    read_libsvm(io.BytesIO(b"1 1:0.5 3:2e-3\n-1 2:1\n"))
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(60, 2))
    MultisplitDiscretizer().fit(numbers, (numbers[:, 0] > 0.0).astype(int))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_text("a,b,c\n" + "".join(f"{x:.3f},{z:.5e},{x > z}\n" for x, z in numbers), encoding="utf-8")
        read_table(path)
    integer_rows(np.eye(2, dtype=np.int8), 0.0)


TASKS: dict[str, Callable[[], None]] = {  # the longest first
    "Committee": _linear("Committee"),
    "DNFWinnow from mistakes": _terms(max_literals=None),
    "DNFWinnow": _soft,
    "short terms from mistakes": _terms(max_literals=2),
    "Winnow": _linear("Winnow2"),
    "BEG": _linear("BayesBEG"),
    "Ladder": _engine("Ladder"),
    "Population": _engine("Population"),
    "Descent": _engine("Descent"),
    "scaled": _linear("AROW", "CoinBetting", "AdaptiveWinnow"),
    "SBSB": _linear("SBSB", "SASB"),
    "DirectBayes": _linear("DirectBayes"),
    "DirectedDrift": _linear("DirectedDrift"),
    "readers": _readers,
}
