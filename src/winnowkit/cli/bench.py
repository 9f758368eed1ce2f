"""``winnowkit bench``: how fast the learners are on this machine, and how many mistakes they make."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from winnowkit.cli import learners
from winnowkit.cli.errors import OK, UserError
from winnowkit.cli.output import note, show, show_json, table
from winnowkit.data import streams

FAST = ("Winnow2", "ThresholdedBEG", "BayesBEG", "SASB", "Committee")


def run(arguments: argparse.Namespace) -> int:
    """One pass of each learner over the same generated stream, the best of several."""
    for name in ("attributes", "relevant", "rows", "repeat"):
        if getattr(arguments, name) < 1:
            raise UserError(f"--{name} must be at least 1, got {getattr(arguments, name)}")
    if arguments.relevant > arguments.attributes:
        raise UserError(f"--relevant must be at most --attributes, {arguments.attributes}; got {arguments.relevant}")
    if not 0 <= arguments.noise < 0.5:
        raise UserError(f"--noise must be in [0, 0.5), got {arguments.noise}")
    models = [learners.make(name, {}) for name in arguments.learner or FAST]
    stream = streams.disjunction(
        n=arguments.attributes, k=arguments.relevant, label_noise=arguments.noise, seed=arguments.seed or 0
    )
    X, y = stream.take(arguments.rows)
    note(
        f"{arguments.rows:,} rows of {arguments.attributes:,} boolean attributes, {X.nnz / X.shape[0]:.0f} active in "
        f"each; the label is an OR of {arguments.relevant}, {arguments.noise:.0%} of labels flipped",
        quiet=arguments.quiet,
    )
    results = [measure(model, X, y, arguments.repeat) for model in models]
    if arguments.json:
        show_json({"rows": arguments.rows, "attributes": arguments.attributes, "results": results})
        return OK
    header = ["learner", "mistakes", "rows a second", "milliseconds"]
    body = []
    for result in results:
        rate = float(f"{result['rows_per_second']:.3g}")
        line = [f"{result['mistakes']:,}", f"{rate:,.0f}", f"{1000 * result['seconds']:,.1f}"]
        body.append([result["learner"], *line])
    show(table(header, body))
    return OK


def measure(model: Any, X: Any, y: Any, repeat: int) -> dict[str, Any]:
    """Mistakes of one pass, and its time: the best of several after one that compiles."""
    kind = type(model)
    kind().partial_fit_predict(X[:100], y[:100], classes=[0, 1])
    best = np.inf
    for _ in range(repeat):
        learner = kind()
        start = time.perf_counter()
        learner.partial_fit_predict(X, y, classes=[0, 1])
        best = min(best, time.perf_counter() - start)
    return {
        "learner": kind.__name__,
        "mistakes": learner.n_mistakes_,
        "seconds": best,
        "rows_per_second": len(y) / best,
    }
