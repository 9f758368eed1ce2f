"""Mistakes after a sudden change of the target, compared with those after the start.

A disjunction of 5 of n attributes, of which 65 are 1 in each example, is replaced by another one at regular intervals.
The table shows the mean mistakes in the first examples after the start and after each change, and their ratio, which is
1 for a learner that recovers as fast as it learned. The models of river run with their defaults; Vowpal Wabbit also
runs with rates that do not decrease as it learns, which suits a drifting target.

With n = 200, the default, the weights of irrelevant attributes of Winnow2 sink, and `floor` shortens their way back
when they become relevant. The setting was chosen to show this: in trials with n = 10,000 (floors up to 0.1) and n =
1,000 (up to 0.3), `floor` changed no count of mistakes.

Run ``python -m winnowkit.experiments.sudden_change``, which takes about a minute. river and Vowpal Wabbit take part if
they are installed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from winnowkit import Committee, Winnow2
from winnowkit.data import streams

K = 5
Learn = Callable[[Any, NDArray[np.int64]], NDArray[np.bool_]]  # X, y -> which examples were predicted wrongly


def ours(model: Any) -> Learn:
    """Return a function that runs a new copy of one of our learners."""

    def wrong(X: Any, y: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray(clone(model).partial_fit_predict(X, y, classes=[0, 1]) != y)

    return wrong


def river(name: str) -> Learn:
    """Return a function that runs a linear model of river with its defaults."""
    from river import linear_model  # noqa: PLC0415 - optional

    def wrong(X: Any, y: NDArray[np.int64]) -> NDArray[np.bool_]:
        model = getattr(linear_model, name)()
        found = np.empty(len(y), dtype=np.bool_)
        for i, label in enumerate(y):
            x = dict.fromkeys(X.indices[X.indptr[i] : X.indptr[i + 1]].tolist(), 1.0)
            found[i] = bool(model.predict_one(x)) != bool(label)
            model.learn_one(x, bool(label))
        return found

    return wrong


def vowpal_wabbit(options: str) -> Learn:
    """Return a function that runs Vowpal Wabbit with these options and the logistic loss."""
    from vowpalwabbit import Workspace  # noqa: PLC0415 - optional

    def wrong(X: Any, y: NDArray[np.int64]) -> NDArray[np.bool_]:
        workspace = Workspace(f"--quiet --loss_function logistic --noconstant -b 18 {options}")
        found = np.empty(len(y), dtype=np.bool_)
        for i, label in enumerate(y):
            features = " ".join(map(str, X.indices[X.indptr[i] : X.indptr[i + 1]].tolist()))
            example = workspace.parse(f"{1 if label else -1} | {features}")
            workspace.learn(example)  # VW predicts before it updates
            found[i] = (example.get_simplelabel_prediction() > 0) != bool(label)
            workspace.finish_example(example)
        workspace.finish()
        return found

    return wrong


def learners() -> dict[str, Learn]:
    """Return all learners that are installed."""
    models = [Winnow2(), Winnow2(floor=0.1), Winnow2(floor=0.3), Committee(), Committee(share=0.01)]
    found: dict[str, Learn] = {str(model): ours(model) for model in models}
    optional: list[tuple[str, Callable[[str], Learn], str]] = [
        ("river PAClassifier", river, "PAClassifier"),
        ("river Perceptron", river, "Perceptron"),
        ("VW", vowpal_wabbit, ""),
        ("VW --sgd", vowpal_wabbit, "--sgd"),
        ("VW --sgd, constant", vowpal_wabbit, "--sgd --power_t 0 -l 0.5"),
        ("VW --coin", vowpal_wabbit, "--coin"),
    ]
    for name, make, argument in optional:
        try:
            found[name] = make(argument)
        except ImportError:
            print(f"{name}: not installed")
    return found


def mistakes_by_target(learn: Learn, n: int, every: int, changes: int, window: int, seeds: int) -> NDArray[np.int64]:
    """Count the mistakes in the first examples of each target, one row per seed.

    Examples
    --------
    >>> mistakes_by_target(ours(Winnow2(floor=0.1)), n=200, every=1000, changes=1, window=500, seeds=2).shape
    (2, 2)
    """
    table = []
    for seed in range(seeds):
        X, y = streams.disjunction(n=n, k=K, drift_every=every, seed=seed).take(every * (changes + 1))
        table.append(learn(X, y).reshape(changes + 1, every)[:, :window].sum(axis=1))
    return np.array(table)


def plot(results: dict[str, NDArray[np.int64]], path: Path) -> None:
    """Plot the mean mistakes of each target, with two standard errors."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - optional

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for name, table in results.items():
        error = 2 * table.std(axis=0, ddof=1) / np.sqrt(len(table))
        axes.errorbar(np.arange(table.shape[1]), table.mean(axis=0), error, fmt="o-", label=name)
    axes.set(xlabel="changes of the target so far", ylabel="mistakes soon after", yscale="log")
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=150)


def main(arguments: list[str] | None = None) -> None:
    """Run all learners, print the table and write the plot."""
    parser = argparse.ArgumentParser(description="Mistakes after a sudden change of the target.")
    parser.add_argument("--n", type=int, default=200, help="attributes (default: 200)")
    parser.add_argument("--every", type=int, default=5000, help="examples per target (default: 5000)")
    parser.add_argument("--changes", type=int, default=4)
    parser.add_argument("--window", type=int, default=2000, help="examples counted after each change (default: 2000)")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path("output"), help="folder for the plot")
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    shape = options.n, options.every, options.changes, options.window, options.seeds
    results = {name: mistakes_by_target(learn, *shape) for name, learn in learners().items()}
    print(f"mistakes in {options.window} examples, mean of {options.seeds} seeds; a new target every {options.every}")
    print(f"{'learner':22}{'after the start':>16}{'after a change':>16}{'ratio':>8}")
    for name, table in results.items():
        first, later = table[:, 0].mean(), table[:, 1:].mean()
        print(f"{name:22}{first:16.1f}{later:16.1f}{later / first:8.2f}")
    options.output.mkdir(parents=True, exist_ok=True)
    plot(results, options.output / "drift.png")
    print(f"{time.perf_counter() - start:.0f} s; drift.png is in {options.output}/")


if __name__ == "__main__":
    main()
