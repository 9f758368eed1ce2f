"""Helmbold, Panizza & Warmuth, "Direct and indirect algorithms": mistakes and bounds against k, n and attribute noise.

Run ``python -m winnowkit.experiments.direct_indirect``; it takes about a minute, and writes a table, a plot and a
verdict on each claim into a folder.

The paper has no figure; this one draws what it says. A direct algorithm keeps a weight for each disjunction of at most
k variables (:class:`winnowkit.DirectBayes`), an indirect one a weight a variable. Without noise both make O(k log n)
mistakes. With noise, a direct one pays for wrong labels, an indirect one for attribute errors, of which a wrong label
may cost up to k. If their number A is known, Thresholded-BEG takes the alpha that makes its bound (16) least. Likewise
the direct algorithm, tuned, takes the beta that makes Weighted Majority's bound least; else the true share of wrong
labels.

Examples are 1,000 rows of a random disjunction, an eighth of the attributes active, half of the labels positive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from winnowkit import bounds
from winnowkit.data import streams
from winnowkit.estimators.beg import BayesBEG, ThresholdedBEG
from winnowkit.estimators.direct import DirectBayes
from winnowkit.estimators.winnow import NormalizedWinnow, Winnow2
from winnowkit.experiments.report import Verdict, arguments, write_table, write_verdicts
from winnowkit.rules.direct import n_disjunctions

ROWS = 1000
RUNS = 10
ALPHA = 1.5
LABEL_NOISE = 0.01  # what DirectBayes assumes at least: none is not a noise it can assume


class Setting(NamedTuple):
    """A point of a panel: a disjunction of k of n attributes, and the chance that a relevant attribute is flipped."""

    k: int
    n: int
    attribute_noise: float = 0.0


PANELS: dict[str, tuple[Setting, ...]] = {
    "k": tuple(Setting(k, 50) for k in (1, 2, 3, 4)),
    "n": tuple(Setting(2, n) for n in (25, 50, 100, 200, 400)),
    "attribute_noise": tuple(Setting(2, 100, noise) for noise in (0.0, 0.01, 0.02, 0.05, 0.1)),
}


class Errors(NamedTuple):
    """How far the target is from the labels of a table."""

    labels: int
    attributes: int  # A: bits of the examples that must change for it to be right


class Cell(NamedTuple):
    """A learner in a setting: mistakes and bound in each run."""

    panel: str
    setting: Setting
    learner: str
    mistakes: NDArray[np.int64]
    bounds: NDArray[np.float64]


def errors_of(target: streams.ThresholdFunction, X: Any, y: NDArray[np.int64]) -> Errors:
    """Label and attribute errors of a disjunction: one bit mends a missed positive, every active one a false alarm.

    Examples
    --------
    >>> X = np.array([[1, 1, 0], [0, 0, 1], [0, 1, 0]])
    >>> errors_of(streams.ThresholdFunction(1, (0, 1)), X, np.array([0, 1, 1]))
    Errors(labels=2, attributes=3)
    """
    relevant = np.asarray(X[:, list(target.variables)].sum(axis=1)).ravel()
    missed, alarms = (y == 1) & (relevant == 0), (y == 0) & (relevant > 0)
    return Errors(int((missed | alarms).sum()), int(missed.sum() + relevant[alarms].sum()))


def tuned_alpha(k: int, n: int, attribute_errors: float) -> float:
    """The alpha that makes Thresholded-BEG's bound (16) least, for a known number of attribute errors.

    Examples
    --------
    >>> [round(tuned_alpha(3, 1000, errors), 2) for errors in (0, 10, 1000)]
    [3.59, 2.61, 1.21]
    """

    def bound(log_alpha: float) -> float:
        return bounds.thresholded_beg_disjunction(k, n, float(np.exp(log_alpha)), attribute_errors=attribute_errors)

    return float(np.exp(minimize_scalar(bound, bounds=(1e-4, log(10.0)), method="bounded").x))


def tuned_beta(n_experts: int, best_mistakes: float) -> float:
    """The beta that makes Weighted Majority's bound least, for a known number of mistakes of the best expert.

    Examples
    --------
    >>> [round(tuned_beta(5050, mistakes), 2) for mistakes in (1, 10, 100)]
    [0.06, 0.27, 0.6]
    """
    found = minimize_scalar(
        lambda beta: bounds.weighted_majority(beta, n_experts, best_mistakes), bounds=(1e-3, 0.95), method="bounded"
    )
    return float(found.x)


def tuned_direct(setting: Setting, found: Errors) -> tuple[Any, float]:
    """The direct algorithm with the beta whose bound is least, told the number of wrong labels."""
    count = n_disjunctions(setting.n, setting.k)
    beta = tuned_beta(count, found.labels)
    return DirectBayes(k=setting.k, noise=beta / (1 + beta)), bounds.weighted_majority(beta, count, found.labels)


def direct(setting: Setting, found: Errors) -> tuple[Any, float]:
    """The direct algorithm, told the share of wrong labels."""
    noise = min(max(found.labels / ROWS, LABEL_NOISE), 0.49)
    count = n_disjunctions(setting.n, setting.k)
    return DirectBayes(k=setting.k, noise=noise), bounds.weighted_majority(noise / (1 - noise), count, found.labels)


def tuned_beg(setting: Setting, found: Errors) -> tuple[Any, float]:
    """Thresholded-BEG, told the attribute errors: Corollary 1 without any, else the best alpha."""
    k, n, errors = setting.k, setting.n, found.attributes
    if errors == 0:
        return ThresholdedBEG(preset="noise-free"), bounds.thresholded_beg_noise_free(k, n)
    alpha = tuned_alpha(k, n, errors)
    return ThresholdedBEG(alpha=alpha), bounds.thresholded_beg_disjunction(k, n, alpha, attribute_errors=errors)


def plain_beg(setting: Setting, found: Errors) -> tuple[Any, float]:
    """Thresholded-BEG, told nothing."""
    bound = bounds.thresholded_beg_disjunction(setting.k, setting.n, ALPHA, attribute_errors=found.attributes)
    return ThresholdedBEG(alpha=ALPHA), bound


def bayes_beg(setting: Setting, found: Errors) -> tuple[Any, float]:
    """Bayes-BEG with the parameters of Theorem 4, whose bound is for consistent examples."""
    return BayesBEG(), inf if found.attributes else bounds.bayes_beg_theorem4(setting.k, setting.n)


def normalized(setting: Setting, found: Errors) -> tuple[Any, float]:
    """Normalized Winnow, told k."""
    k, n = setting.k, setting.n
    bound = bounds.normalized_winnow_disjunction(k, n, ALPHA, attribute_errors=found.attributes)
    return NormalizedWinnow(alpha=ALPHA, k=k), bound


def winnow2(setting: Setting, found: Errors) -> tuple[Any, float]:
    """Winnow2, told nothing."""
    k, n = setting.k, setting.n
    return Winnow2(alpha=ALPHA), bounds.winnow_disjunction(k, n, ALPHA, float(n), found.attributes)


LEARNERS: dict[str, Callable[[Setting, Errors], tuple[Any, float]]] = {
    "DirectBayes": direct,
    "DirectBayes, tuned": tuned_direct,
    "ThresholdedBEG, tuned": tuned_beg,
    "ThresholdedBEG": plain_beg,
    "BayesBEG": bayes_beg,
    "NormalizedWinnow": normalized,
    "Winnow2": winnow2,
}


def cells(panel: str, setting: Setting, runs: int) -> Iterator[Cell]:
    """All learners on the same tables."""
    made: dict[str, list[tuple[int, float]]] = {name: [] for name in LEARNERS}
    for seed in range(runs):
        stream = streams.disjunction(
            setting.n, setting.k, max(2, setting.n // 8), attribute_noise=setting.attribute_noise, seed=seed
        )
        X, y = stream.take(ROWS)
        found = errors_of(stream.target, X, y)
        for name, build in LEARNERS.items():
            model, bound = build(setting, found)
            made[name].append((model.begin(setting.n, [0, 1]).partial_fit(X, y).n_mistakes_, bound))
    for name, pairs in made.items():
        yield Cell(panel, setting, name, np.array([m for m, _ in pairs]), np.array([b for _, b in pairs]))


def verdicts(table: list[Cell]) -> list[Verdict]:
    """What the paper says, as far as random examples can show it."""
    at = {c[:3]: c for c in table}

    def mean(panel: str, setting: Setting, learner: str) -> float:
        return float(at[panel, setting, learner].mistakes.mean())

    broken = [c.learner for c in table if (c.mistakes > c.bounds).any()]
    few, many = PANELS["n"][0], PANELS["n"][-1]
    growth = {name: mean("n", many, name) / mean("n", few, name) for name in LEARNERS}
    noisy = [("attribute_noise", s) for s in PANELS["attribute_noise"] if s.attribute_noise > 0]
    indirect = [name for name in LEARNERS if not name.startswith("Direct")]
    ahead = [min(mean(*s, name) for name in indirect) / mean(*s, "DirectBayes") for s in noisy]
    tuned, plain = "ThresholdedBEG, tuned", "ThresholdedBEG"
    noisy_bounds = [
        min(float(at[*s, name].bounds.mean()) for name in indirect) / float(at[*s, "DirectBayes, tuned"].bounds.mean())
        for s in noisy
    ]
    bound_ratios = [float(at[*s, tuned].bounds.mean() / at[*s, plain].bounds.mean()) for s in noisy]
    mistake_ratios = [mean(*s, tuned) / mean(*s, plain) for s in noisy]
    return [
        Verdict("no run breaks its bound", not broken, f"{len(table)} cells, broken by {broken or 'none'}"),
        Verdict(
            "without noise mistakes grow like log n for all: 16 times the attributes, at most 4 times the mistakes",
            max(growth.values()) < 4,
            ", ".join(f"{name} {ratio:.1f}" for name, ratio in growth.items()),
        ),
        Verdict(
            "with attribute noise the direct algorithm errs least",
            min(ahead) > 1,
            f"best indirect over direct: {_list(ahead)}",
        ),
        Verdict(
            "and its bound, tuned to the wrong labels, is below those of the indirect ones",
            min(noisy_bounds) > 1,
            f"best indirect over direct: {_list(noisy_bounds)}",
        ),
        Verdict(
            "knowing A improves Thresholded-BEG's bound",
            max(bound_ratios) < 1,
            f"over that of alpha = 1.5: {_list(bound_ratios)} (mistakes on these examples: {_list(mistake_ratios)})",
        ),
    ]


def _list(ratios: list[float]) -> str:
    return ", ".join(f"{ratio:.3f}" for ratio in ratios)


def plot(table: list[Cell], path: Path) -> None:
    """Mean mistakes (lines) and bounds (dotted) in each panel."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - only a plot needs it

    fig, axes = plt.subplots(1, len(PANELS), figsize=(15, 5), layout="constrained")
    for axis, (panel, settings) in zip(axes, PANELS.items(), strict=True):
        x = [getattr(setting, panel) for setting in settings]
        for name in LEARNERS:
            mine = [c for c in table if c.panel == panel and c.learner == name]
            (line,) = axis.plot(x, [c.mistakes.mean() for c in mine], marker="o", label=name)
            limits = [c.bounds.mean() for c in mine]
            axis.plot(x, [b if b < inf else np.nan for b in limits], ":", color=line.get_color())
        axis.set(xlabel=panel.replace("_", " "), ylabel="mistakes (dotted: bound)", yscale="log")
        if panel == "n":
            axis.set_xscale("log")
        axis.set_xticks(x, [f"{value:g}" for value in x], minor=False)
        axis.minorticks_off()
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(LEARNERS))
    fig.savefig(path, dpi=150)
    plt.close(fig)


def main() -> None:
    """Run all panels, print and keep the table and the verdicts."""
    given = arguments(__doc__, "direct_indirect", RUNS)
    table = [cell for panel, points in PANELS.items() for point in points for cell in cells(panel, point, given.runs)]
    header = ["panel", "k", "n", "attribute_noise", "learner", "mistakes", "std_err", "bound"]
    rows = [
        (
            c.panel,
            *c.setting,
            c.learner,
            round(float(c.mistakes.mean()), 2),
            round(float(c.mistakes.std(ddof=1) / np.sqrt(len(c.mistakes))), 2),
            round(float(c.bounds.mean()), 1),
        )
        for c in table
    ]
    write_table(given.output / "mistakes.csv", header, rows)
    for panel, k, n, noise, learner, mistakes, error, bound in rows:
        print(f"{panel:16} k={k} n={n:<4} noise={noise:<5} {learner:22} {mistakes:7.1f} +- {error:<5} bound {bound}")
    write_verdicts(given.output / "verdicts.txt", verdicts(table))
    if not given.no_plot:
        plot(table, given.output / "mistakes.png")
    print(f"table, verdicts and plot are in {given.output}")


if __name__ == "__main__":
    main()
