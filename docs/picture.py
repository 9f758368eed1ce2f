"""Draw the picture of README and the home page from bundled data: `make picture`. It takes about a minute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import Perceptron

from winnowkit import Committee, DNFWinnow
from winnowkit.data import load_dataset

OURS, THEIRS, TEXT, QUIET = "#1f6feb", "#8a8f98", "#24292f", "#57606a"
PATH = Path(__file__).parent / "_static" / "mistakes.svg"


def main() -> None:
    """Draw the picture and print its path."""
    mpl.use("Agg")
    plt.rcParams.update(
        {"font.size": 11, "svg.hashsalt": "winnowkit", "axes.spines.top": False, "axes.spines.right": False}
    )
    figure = plt.figure(figsize=(13, 4.3), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1, 1.05])
    draw_rules(left.subplots())
    draw_stream(right.subplots())
    PATH.parent.mkdir(exist_ok=True)
    figure.savefig(PATH, metadata={"Date": None})
    print(PATH, f"{PATH.stat().st_size // 1024} KiB")


def draw_rules(axis: Any) -> None:
    """Write down the rules that are learned from half of the patients of the heart table."""
    heart = load_dataset("heart", as_frame=True)
    X, y = heart.data, heart.target
    model = DNFWinnow(random_state=0).fit(X[::2], y[::2])
    rules = model.trade_off(X[::2], y[::2], max_complexity=12)[-1].rules
    errors = [float((each.predict(X[1::2]) != y[1::2]).mean()) for each in (rules, model)]
    baseline = float((y[1::2] != y[::2].mode()[0]).mean())
    axis.axis("off")
    axis.set_title("A table becomes rules: who has heart disease?", fontsize=13, loc="left", color=TEXT)
    n_lines = sum(len(rule.conditions) + 1.6 for rule in rules) + 1  # a gap after each rule
    height, step = 0.93, min(0.08, 0.7 / n_lines)  # the caption stands below
    for rule in rules:
        for place, condition in enumerate(rule.conditions):
            words = f"{'and' if place else 'if'} {condition}"
            axis.text(0.02, height, words, fontsize=12, color=TEXT, family="monospace", transform=axis.transAxes)
            height -= step
        axis.text(0.06, height, f"then {rule.label}", fontsize=12, color=OURS, family="monospace", weight="bold")
        height -= 1.6 * step
    axis.text(0.02, height, f"else {rules.default}", fontsize=12, color=OURS, family="monospace", weight="bold")
    found = (
        f"Learned from {len(X[::2])} patients. Error on {len(X[1::2])} others: {errors[0]:.0%} by these rules,\n"
        f"{errors[1]:.0%} by the whole model, {baseline:.0%} by always answering with the larger class."
    )
    codes = 'thal = "3": the thallium scan is normal; exercise_angina = "0": exercise causes no pain'
    axis.text(0.02, 0.0, f"{found}\n{codes}", fontsize=10.5, color=QUIET, transform=axis.transAxes)


def draw_stream(axis: Any) -> None:
    """Plot mistakes so far on the text messages, each predicted before its label is learned."""
    sms = load_dataset("sms-spam")
    X, y = HashingVectorizer(n_features=2**18).transform(sms.data[:, 0]), sms.target
    committee = Committee().partial_fit_predict(X, y, classes=["ham", "spam"]) != y
    for name, wrong, colour in [
        ("always 'ham'", y == "spam", "#d0d7de"),
        ("scikit-learn's Perceptron", perceptron_mistakes(X, y), THEIRS),
        ("winnowkit's Committee", committee, OURS),
    ]:
        so_far = np.cumsum(wrong)
        axis.plot(np.arange(1, len(y) + 1), so_far, color=colour, linewidth=2.2)
        axis.text(
            len(y) * 1.01,
            so_far[-1],
            f"{name}: {so_far[-1]}",
            color=colour if name != "always 'ham'" else THEIRS,
            va="center",
            clip_on=False,
        )
    axis.set(xlabel="text messages so far", ylabel="mistakes so far", xlim=(0, len(y)), ylim=(0, None))
    axis.set_xticks([0, 1000, 2000, 3000, 4000, 5000])
    axis.set_title("A stream becomes a model: is this message spam?", fontsize=13, loc="left", color=TEXT)


def perceptron_mistakes(X: Any, y: Any) -> Any:
    """Return whether scikit-learn's perceptron was wrong on each row, before it learned from the row."""
    model, wrong = Perceptron(), np.zeros(len(y), dtype=bool)
    for row, label in enumerate(y):
        wrong[row] = row > 0 and model.predict(X[row])[0] != label
        model.partial_fit(X[row], [label], classes=["ham", "spam"])
    return wrong


if __name__ == "__main__":
    main()
