"""Draw the picture of README and the home page from real output: `make picture`. It takes about ten seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

from winnowkit import Committee, DNFWinnow, Winnow2
from winnowkit.data import load_dataset, streams
from winnowkit.experiments.demo import Perceptron

N, K, ROWS = 100_000, 5, 50_000
COLOURS = {"perceptron": "#8a8f98", "Winnow2": "#e08e0b", "Committee": "#1f6feb"}
PATH = Path(__file__).parent / "_static" / "mistakes.svg"


def main() -> None:
    """Draw the picture and print its path."""
    mpl.use("Agg")
    plt.rcParams.update(
        {"font.size": 11, "svg.hashsalt": "winnowkit", "axes.spines.top": False, "axes.spines.right": False}
    )
    figure = plt.figure(figsize=(13, 3.9), layout="constrained")
    left, middle, right = figure.subfigures(1, 3, width_ratios=[1, 1, 0.8])
    draw_stream(left.subplots(), 0.0, "clean labels")
    draw_stream(middle.subplots(), 0.02, "2% of the labels flipped")
    draw_rules(right)
    PATH.parent.mkdir(exist_ok=True)
    figure.savefig(PATH, metadata={"Date": None})
    print(PATH, f"{PATH.stat().st_size // 1024} KiB")


def draw_stream(axis: Any, noise: float, title: str) -> None:
    """Plot mistakes so far against examples, with the proven bound or the wrong labels."""
    stream = streams.disjunction(n=N, k=K, label_noise=noise, seed=1)
    X, y = stream.take(ROWS)
    spaced = np.linspace if noise else np.geomspace
    shown = np.unique(spaced(1, ROWS, 300).astype(int)) - 1
    winnow = Winnow2()
    for name, model in {"perceptron": Perceptron(), "Winnow2": winnow, "Committee": Committee()}.items():
        so_far = np.cumsum(model.partial_fit_predict(X, y, classes=[0, 1]) != y)
        axis.plot(shown + 1, so_far[shown], color=COLOURS[name], linewidth=2, label=f"{name}: {so_far[-1]:,}")
    if noise:
        wrong = np.cumsum(stream.target(X) != y)
        axis.plot(
            shown + 1, wrong[shown], color="#8a8f98", linewidth=1, linestyle=":", label=f"wrong labels: {wrong[-1]:,}"
        )
    else:
        bound = winnow.certificate(k=K).bound
        axis.axhline(bound, color=COLOURS["Winnow2"], linewidth=1, linestyle=":")
        axis.text(ROWS, bound, "Winnow2's proven bound", color=COLOURS["Winnow2"], va="bottom", ha="right", fontsize=9)
        axis.set_ylim(0, bound * 1.12)
    axis.set(xscale="linear" if noise else "log", xlabel="examples", ylabel="mistakes so far")
    axis.set_title(f"{K} of {N:,} attributes matter, {title}", fontsize=11)
    axis.legend(frameon=False, loc="upper left", fontsize=10, bbox_to_anchor=(0, 0.93))


def draw_rules(figure: Any) -> None:
    """Draw the rules that DNFWinnow finds in half of the boards of tic-tac-toe."""
    boards = load_dataset("tic-tac-toe", as_frame=True)
    X, y = boards.data, boards.target
    model = DNFWinnow(max_literals=None, random_state=0).fit(X[::2], y[::2])
    rules = model.compact(X[::2], y[::2], max_literals=4)
    errors = int((rules.predict(X[1::2]) != y[1::2]).sum())
    columns = list(X.columns)
    axes = figure.subplots(2, 4)
    for axis in axes.flat:
        axis.axis("off")
    for axis, rule in zip(axes.flat, rules, strict=True):
        for edge in (0.5, 1.5):
            axis.axhline(edge, color="#b6bcc6", linewidth=1)
            axis.axvline(edge, color="#b6bcc6", linewidth=1)
        for condition in rule.conditions:
            row, column = divmod(columns.index(condition.column), 3)
            axis.text(
                column, row, "x", ha="center", va="center", fontsize=19, color=COLOURS["Committee"], weight="bold"
            )
        axis.set(xlim=(-0.5, 2.5), ylim=(2.5, -0.5), aspect="equal")
    found = f"DNFWinnow's {len(rules)} rules for tic-tac-toe,\n{errors} errors on {len(X[1::2])} boards not seen"
    figure.suptitle(found, fontsize=11)


if __name__ == "__main__":
    main()
