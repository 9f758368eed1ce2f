"""The demo: 100,000 attributes, of which 5 are relevant. It takes about ten seconds once the kernels are compiled.

Several learners and a perceptron see the same two streams, one clean and one with 2% of its labels flipped, and have to
predict each example before they are shown its label. Then `DNFWinnow` is cross-validated on two bundled tables.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

N, K, ROWS, NOISE = 100_000, 5, 50_000, 0.02

FOLDS = 10
TABLES = {
    "voting": "16 votes of 435 members of congress, some missing: which party?",
    "tic-tac-toe": "958 final boards: has x won?",
}


class DemoResult(NamedTuple):
    """The result of one learner on one stream."""

    wrong: NDArray[np.bool_]  # one entry per trial
    seconds: float
    bound: float
    heaviest: list[int]


def main(argv: Sequence[str] | None = None) -> None:
    """Run the demo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("output"), help="folder for the plot")
    parser.add_argument("--rows", type=int, default=ROWS, help=f"examples per stream (default: {ROWS})")
    arguments = parser.parse_args(argv)
    announce_compilation()

    from winnowkit.data import streams  # noqa: PLC0415 - after the announcement

    clean = streams.disjunction(n=N, k=K, seed=1)
    noisy = streams.disjunction(n=N, k=K, seed=1, label_noise=NOISE)
    print(f"\n{N:,} attributes, about 65 active in each of {arguments.rows:,} examples; the label is 1 iff")
    print(f"    {clean.target}")
    results = {}
    for name, stream in {"clean": clean, "noisy": noisy}.items():
        X, y = stream.take(arguments.rows)
        flipped = int(np.sum(stream.target(X) != y))
        errors = attribute_errors(stream.target, X, y)
        results[name] = {learner: run(make, X, y, errors) for learner, make in contenders().items()}
        print(f"\nthe same stream with {flipped:,} labels flipped" if flipped else "\na clean stream")
        print_table(results[name], set(stream.target.variables))
    plot(results, clean.target, arguments.output / "demo.png")
    cross_validate_tables()


def announce_compilation() -> None:
    """Explain why the first run takes longer."""
    from winnowkit.core.jit import is_compiled  # noqa: PLC0415 - imports numba

    if not is_compiled():
        print(
            "compiling the kernels for the first time: about a minute, cached for later runs",
            flush=True,
        )


def contenders() -> dict[str, Any]:
    """Return the learners by name."""
    import winnowkit as wk  # noqa: PLC0415

    return {
        "Winnow1": wk.Winnow1,
        "Winnow2": wk.Winnow2,
        "NormalizedWinnow(k=5)": lambda: wk.NormalizedWinnow(k=K),
        "ThresholdedBEG": wk.ThresholdedBEG,
        "BayesBEG": wk.BayesBEG,
        "BayesBEG(policy='always')": lambda: wk.BayesBEG(policy="always"),
        "Committee": wk.Committee,
        "perceptron": Perceptron,
    }


class Perceptron:
    """Rosenblatt's perceptron, for comparison: with additive updates, mistakes grow with n rather than log n."""

    def __init__(self) -> None:
        self.weights = np.zeros(N)
        self.bias = 0.0

    def partial_fit_predict(self, X: Any, y: NDArray[np.int64], classes: list[int]) -> NDArray[np.int64]:
        """Run one trial per row and return the labels predicted before each update."""
        predicted = np.empty(len(y), dtype=np.int64)
        for r in range(len(y)):
            active = X.indices[X.indptr[r] : X.indptr[r + 1]]
            predicted[r] = classes[int(self.weights[active].sum() + self.bias > 0)]
            self.weights[active] += y[r] - predicted[r]
            self.bias += y[r] - predicted[r]
        return predicted


def attribute_errors(target: Any, X: Any, y: NDArray[np.int64]) -> int:
    """Count the bits that would have to change for the target to give these labels; noisy bounds depend on this."""
    present = np.asarray(X[:, list(target.variables)].sum(axis=1)).ravel()
    return int(np.sum(np.where(y == 1, present == 0, present)))


def run(make: Any, X: Any, y: NDArray[np.int64], errors: int) -> DemoResult:
    """Run one pass over a stream, after a short pass of another instance that loads the kernels."""
    make().partial_fit_predict(X[:100], y[:100], classes=[0, 1])
    learner = make()
    start = time.perf_counter()
    predicted = learner.partial_fit_predict(X, y, classes=[0, 1])
    seconds = time.perf_counter() - start
    bound = learner.certificate(k=K, attribute_errors=errors).bound if hasattr(learner, "coef_") else inf
    return DemoResult(predicted != y, seconds, bound, np.argsort(-weights_of(learner), kind="stable")[:K].tolist())


def weights_of(learner: Any) -> NDArray[np.float64]:
    """Return one weight per attribute; for a committee, the contributions to its log-odds."""
    if isinstance(learner, Perceptron):
        return learner.weights
    weights: NDArray[np.float64] = (learner.coef_ if hasattr(learner, "coef_") else learner.attribute_weights_)[0]
    return weights


def print_table(results: dict[str, DemoResult], relevant: set[int]) -> None:
    """Print mistakes, the proven bound, and how many of the heaviest weights belong to relevant attributes."""
    header = ["learner", "mistakes", "proven bound", "in the last tenth", "found", "examples/s"]
    rows = []
    for name, result in results.items():
        last = int(result.wrong[-len(result.wrong) // 10 :].sum())
        rate = len(result.wrong) / result.seconds
        bound = "-" if result.bound == inf else f"{result.bound:,.0f}"
        found = f"{len(relevant & set(result.heaviest))} of {K}"
        rows.append([name, f"{result.wrong.sum():,}", bound, f"{last:,}", found, f"{float(f'{rate:.2g}'):,.0f}"])
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        print("  " + "  ".join([first.strip().ljust(widths[0]), *others]))


def plot(results: dict[str, dict[str, DemoResult]], target: object, path: Path) -> None:
    """Plot cumulative mistakes against trials."""
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an optional extra
    except ImportError:
        print("\nno plot: matplotlib is not installed (pip install 'winnowkit[plot]')")
        return
    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(1, len(results), figsize=(11, 4.5), sharey=True, layout="constrained")
    for axis, (name, by_learner) in zip(np.atleast_1d(axes), results.items(), strict=True):
        for learner, result in by_learner.items():
            style = {"color": "black", "linestyle": "--"} if learner == "perceptron" else {}
            trials = np.arange(1, len(result.wrong) + 1)
            axis.plot(trials, np.cumsum(result.wrong), label=learner, linewidth=1.5, **style)
        bound = by_learner["Winnow2"].bound
        if name == "clean":
            axis.axhline(bound, color="C1", linewidth=0.8, linestyle=":")
            axis.annotate("Winnow2's bound", (1, bound), color="C1", fontsize=8, va="bottom")
        axis.set(xscale="log", yscale="log", xlabel="trials", title="clean labels" if name == "clean" else "2% flipped")
    figure.axes[0].set_ylabel("mistakes so far")
    figure.axes[0].legend(fontsize=8)
    figure.suptitle(f"{N:,} attributes, {K} relevant: {target}", fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)
    print(f"\nmistakes against trials: {path}")


def cross_validate_tables() -> None:
    """Cross-validate `DNFWinnow` on two bundled data sets; print errors, updates and time."""
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415 - after the announcement

    from winnowkit import DNFWinnow  # noqa: PLC0415
    from winnowkit.data import load_dataset  # noqa: PLC0415

    print(f"\nconjunctions of categories: DNFWinnow with exact sums, {FOLDS}-fold cross-validation")
    for name, about in TABLES.items():
        X, y = load_dataset(name, return_X_y=True)
        DNFWinnow(max_literals=None, random_state=0).fit(X[::8], y[::8]).predict(
            X[:2]
        )  # loads the kernels, or compiles them
        wrong, updates, epochs, start = 0, [], [], time.perf_counter()
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
            model = DNFWinnow(max_literals=None, max_epochs=20, random_state=0).fit(X[train], y[train])
            wrong += int(np.sum(model.predict(X[test]) != y[test]))
            updates.append(model.n_mistakes_)
            epochs.append(model.n_epochs_)
        seconds = time.perf_counter() - start
        print(f"  {name}: {about}")
        print(
            f"    {wrong / len(y):.1%} error on held-out rows; {model.theta_:,} terms; on average "
            f"{np.mean(updates):.0f} updates in {np.mean(epochs):.0f} epochs of training; {seconds:.1f} s in total"
        )


if __name__ == "__main__":
    main()
