"""The demo: a table becomes rules, text messages become a filter, and a stream is learned with a proven bound.

It takes about ten seconds once the kernels are compiled. The table and the messages are real and come with the
package. In the stream 5 of 100,000 attributes are relevant; several learners and a perceptron predict each example
before they are shown its label, once with clean labels and once with 2% of them flipped.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

N, K, ROWS, NOISE = 100_000, 5, 50_000, 0.02

CODES = 'thal is a scan of the heart ("3": normal, "7": a defect that comes and goes); exercise_angina "0": no pain'
MESSAGES = 4_000  # text messages to learn from
MESSAGE = "Congratulations! Call now to claim your free prize"


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
    show_table()
    show_text()

    from winnowkit.data import streams  # noqa: PLC0415 - after the announcement

    clean = streams.disjunction(n=N, k=K, seed=1)
    noisy = streams.disjunction(n=N, k=K, seed=1, label_noise=NOISE)
    heading("3. A stream is learned as it comes, with a bound on the mistakes")
    print(f"{N:,} attributes, about 65 active in each of {arguments.rows:,} examples; the label is 1 iff")
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
    print("\nnext: docs/start.md, or winnowkit fit YOUR.csv --target COLUMN")


def announce_compilation() -> None:
    """Explain why the first run takes longer."""
    from winnowkit.core.jit import is_compiled  # noqa: PLC0415 - imports numba

    if not is_compiled():
        print(
            "the first run compiles the kernels of five learners, a few seconds each; later runs find them compiled",
            flush=True,
        )


def heading(text: str) -> None:
    """Print a heading."""
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def show_table() -> None:
    """Learn rules from half of the patients of a table, and try them on the others."""
    from winnowkit import DNFWinnow  # noqa: PLC0415 - after the announcement

    heading("1. A table becomes rules: which patients have heart disease?")
    X, y = bundled("heart")
    model = DNFWinnow(random_state=0).fit(X[::2], y[::2])
    rules = model.trade_off(X[::2], y[::2], max_complexity=12)[-1].rules
    print(f"rules learned from {len(X[::2])} patients; the first line has their error on these:\n")
    print(rules)
    print(CODES)
    print(f"\nerror on {len(X[1::2])} patients who were not used for learning:")
    print(f"  these rules              {error(rules.predict(X[1::2]), y[1::2])}")
    print(f"  the whole model          {error(model.predict(X[1::2]), y[1::2])}")
    print(f"  majority-class baseline  {error(Counter(y[::2].tolist()).most_common(1)[0][0], y[1::2])}")
    print(
        "A few rules are for people to read and check. The model weighs all short rules at once, and is for predicting."
    )
    print(f"\nwhy the model decides as it does on one of them:\n{model.explain(X[1:2], max_terms=3)}")


def show_text() -> None:
    """Learn a filter from raw text messages, and show the words that count."""
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415 - after the announcement

    from winnowkit import Committee  # noqa: PLC0415
    from winnowkit.data import TableEncoder  # noqa: PLC0415

    heading("2. Text becomes a model: which messages are spam?")
    X, y = bundled("sms-spam")
    model = make_pipeline(TableEncoder(), Committee(random_state=0)).fit(X[:MESSAGES], y[:MESSAGES])
    names = model[0].get_feature_names_out()
    new, labels = X[MESSAGES:], y[MESSAGES:]
    print(f"learned from {MESSAGES:,} messages; error on {len(new):,} others:")
    print(f"  Committee, not tuned     {error(model.predict(new), labels)}")
    print(f"  majority-class baseline  {error('ham', labels)}")
    print("\nthe words that count most, and what each adds to the log-odds of spam:")
    for word in model[-1].top_attributes(6, names=names):
        print(f"  {word.weight:+.2f}  {word.name.removeprefix('text: ')}")
    explained = model[-1].explain(model[0].transform([MESSAGE]), names=names, max_attributes=4)
    print(f"\n{MESSAGE!r}:\n{explained}")


def bundled(name: str) -> tuple[Any, NDArray[Any]]:
    """Return a bundled set with the names of its columns; a pandas frame would need pandas, which is optional."""
    from winnowkit.core.frame import Frame  # noqa: PLC0415
    from winnowkit.data import load_dataset  # noqa: PLC0415

    found = load_dataset(name)
    columns = dict(zip(found.feature_names, found.data.T, strict=True))
    return Frame({name: typed(values) for name, values in columns.items()}), found.target


def typed(values: NDArray[Any]) -> NDArray[Any]:
    """Return a column of numbers as floating-point numbers, and any other as it is."""
    is_text = any(isinstance(value, str) for value in values)
    return values if is_text else values.astype(np.float64)


def error(predicted: Any, labels: Any) -> str:
    """Return the share of wrong labels in per cent."""
    return f"{np.mean(np.asarray(predicted) != np.asarray(labels)):.1%}"


def contenders() -> dict[str, Any]:
    """Return the learners by name."""
    import winnowkit as wk  # noqa: PLC0415

    return {
        "Winnow2": wk.Winnow2,
        "ThresholdedBEG": wk.ThresholdedBEG,
        "BayesBEG": wk.BayesBEG,
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


if __name__ == "__main__":
    main()
