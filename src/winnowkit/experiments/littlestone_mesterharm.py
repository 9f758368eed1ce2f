"""Littlestone & Mesterharm, "An apobayesian relative of Winnow", Figure 1: mistakes of SBSB, SASB and SASB with voting.

Run ``python -m winnowkit.experiments.littlestone_mesterharm``; it takes about two minutes, and writes a table, a plot
and a verdict on each claim into a folder.

Labels are fair coins, k of n = 20 attributes match the label with probability 1 - p, the others are coins: 10,000
trials, the mean of 30 runs, for (p, k) = (0.01, 1) and (0.1, 5). "Optimal" knows p and which attributes count. The
voting procedure of the figure is not in the paper: ours is that of :class:`winnowkit.SASB`, with 30 voters.

Beside the figure, what section 4 says of Weighted Majority: over the attributes, mistake-driven, with the best and the
worst of some beta in hindsight. That depends on the experts: with the complements of the attributes among them, beta
hardly matters, and "worse for bad choices of parameters" does not show. And a mistake-driven naive Bayes.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.data import streams
from winnowkit.estimators.symmetric import SASB, SBSB
from winnowkit.experiments.report import Verdict, arguments, write_table, write_verdicts, z_score

N = 20
SETTINGS = ((0.01, 1), (0.1, 5))  # (p, k)
TRIALS = 10_000
RUNS = 30
VOTERS = 30
BETAS = (0.02, 0.3, 0.6, 0.8, 0.9, 0.98, 0.999)
CLEAR = 4.0  # standard errors that a mean of paired differences must be from 0

Mistakes = NDArray[np.bool_]  # (runs, trials)


class Batch(NamedTuple):
    """The same setting in many runs."""

    bits: NDArray[np.int8]  # (runs, trials, n)
    labels: NDArray[np.int64]  # (runs, trials)


class Figure(NamedTuple):
    """Who erred in which trial of which run, in one setting."""

    p: float
    k: int
    mistakes: dict[str, Mistakes]

    def totals(self, name: str) -> NDArray[np.int64]:
        """Mistakes of a learner in each run."""
        return np.asarray(self.mistakes[name].sum(axis=1))

    def late(self, name: str) -> NDArray[np.int64]:
        """Its mistakes in the second half: the slope of its line."""
        wrong = self.mistakes[name]
        return np.asarray(wrong[:, wrong.shape[1] // 2 :].sum(axis=1))


def figure(p: float, k: int, *, runs: int, trials: int, seed: int = 0) -> Figure:
    """One plot of Figure 1, with the baselines."""
    tables = [streams.bernoulli(n=N, k=k, p=p, seed=seed + run) for run in range(runs)]
    examples = [table.take(trials) for table in tables]
    labels = np.array([y for _, y in examples])
    mistakes = {"optimal": np.array([table.target(X) != y for table, (X, y) in zip(tables, examples, strict=True)])}
    for name, model in (("SBSB", SBSB()), ("SASB", SASB()), ("SASB + voting", SASB(voting=VOTERS))):
        predicted = [model.begin(N, [0, 1]).partial_fit_predict(X, y) for X, y in examples]
        mistakes[name] = np.array(predicted) != labels
    batch = Batch(np.array([X.toarray() for X, _ in examples]).astype(np.int8), labels)
    tried = {f"WM, beta = {beta:g}": weighted_majority(batch, beta) for beta in BETAS}
    ranked = sorted(tried, key=lambda name: int(tried[name].sum()))
    mistakes |= {name: tried[name] for name in (ranked[0], ranked[-1])}
    mistakes["naive Bayes"] = naive_bayes(batch)
    return Figure(p, k, mistakes)


def weighted_majority(batch: Batch, beta: float) -> Mistakes:
    """Mistake-driven Weighted Majority over the attributes, all runs side by side."""
    errors = np.zeros((len(batch.labels), N))
    wrong = np.empty(batch.labels.shape, dtype=np.bool_)
    for trial in range(batch.labels.shape[1]):
        x, y = batch.bits[:, trial], batch.labels[:, trial]
        weights = np.exp((errors - errors.min(axis=1, keepdims=True)) * np.log(beta))
        wrong[:, trial] = ((2.0 * x - 1.0) * weights).sum(axis=1) > 0.0
        wrong[:, trial] ^= y == 1
        errors += wrong[:, [trial]] & (x != y[:, None])
    return wrong


def naive_bayes(batch: Batch) -> Mistakes:
    """Mistake-driven naive Bayes with Laplace's corrections, all runs side by side."""
    runs = len(batch.labels)
    ones = np.ones((runs, 2, N))  # updates of each class in which an attribute was 1, plus 1
    updates = np.zeros((runs, 2))
    every = np.arange(runs)
    wrong = np.empty(batch.labels.shape, dtype=np.bool_)
    for trial in range(batch.labels.shape[1]):
        x, y = batch.bits[:, trial], batch.labels[:, trial]
        share = ones / (updates[:, :, None] + 2.0)
        log_joint = np.log(np.where(x[:, None] == 1, share, 1.0 - share)).sum(axis=2) + np.log(updates + 1.0)
        wrong[:, trial] = (log_joint[:, 1] > log_joint[:, 0]) != y
        ones[every, y] += wrong[:, [trial]] * x
        updates[every, y] += wrong[:, trial]
    return wrong


def verdicts(one: Figure, five: Figure) -> list[Verdict]:
    """What the paper says of Figure 1 and of Weighted Majority, each tested on paired runs."""

    def fewer(claim: str, a: NDArray[np.int64], b: NDArray[np.int64], factor: float = 1.0) -> Verdict:
        z = z_score(factor * b - a)
        return Verdict(claim, z > CLEAR, f"{a.mean():.1f} and {b.mean():.1f} mistakes, z = {z:.1f}")

    found = [
        fewer("with one relevant attribute SBSB errs less than SASB", one.totals("SBSB"), one.totals("SASB")),
        fewer("with five SASB errs less than half as often as SBSB", five.totals("SASB"), five.totals("SBSB"), 0.5),
    ]
    for shown in (one, five):
        where = f"(p = {shown.p:g}, k = {shown.k})"
        best, worst = [name for name in shown.mistakes if name.startswith("WM")]
        sasb = shown.totals("SASB")
        found += [
            fewer(f"voting improves SASB's slope {where}", shown.late("SASB + voting"), shown.late("SASB")),
            fewer(f"well tuned Weighted Majority errs less than SASB {where}, {best}", shown.totals(best), sasb),
            fewer(f"badly tuned Weighted Majority errs more than SASB {where}, {worst}", sasb, shown.totals(worst)),
        ]
    return found


def plot(figures: list[Figure], path: Path) -> None:
    """Cumulative mistakes against trials, mean of the runs."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - only a plot needs it

    fig, axes = plt.subplots(1, len(figures), figsize=(11, 4.5), layout="constrained")
    for axis, shown in zip(axes, figures, strict=True):
        for name, wrong in shown.mistakes.items():
            style = {"optimal": "-", "SBSB": ":", "SASB": "--", "SASB + voting": "-."}.get(name)
            mean = wrong.cumsum(axis=1).mean(axis=0)
            axis.plot(mean, style or "-", label=name, linewidth=1.6 if style else 0.7)
        axis.set(title=f"p = {shown.p:g}, k = {shown.k}, n = {N}", xlabel="trials", ylabel="mistakes", ylim=(0, 250))
        axis.legend()
    fig.savefig(path, dpi=150)
    plt.close(fig)


def main() -> None:
    """Draw the figure, print and keep its table and verdicts."""
    given = arguments(__doc__, "littlestone_mesterharm", RUNS)
    figures = [figure(p, k, runs=given.runs, trials=TRIALS) for p, k in SETTINGS]
    header = ["p", "k", "learner", "mistakes", "std_err", "mistakes_in_second_half"]
    rows = [
        (
            shown.p,
            shown.k,
            name,
            round(float(totals.mean()), 2),
            round(float(totals.std(ddof=1) / np.sqrt(len(totals))), 2),
            round(float(shown.late(name).mean()), 2),
        )
        for shown in figures
        for name in shown.mistakes
        for totals in [shown.totals(name)]
    ]
    write_table(given.output / "figure1.csv", header, rows)
    print("\n".join(f"p = {p:<5} k = {k}  {name:16} {mean:8.1f} +- {error:.1f}" for p, k, name, mean, error, _ in rows))
    write_verdicts(given.output / "verdicts.txt", verdicts(*figures))
    if not given.no_plot:
        plot(figures, given.output / "figure1.png")
    print(f"table, verdicts and plot are in {given.output}")


if __name__ == "__main__":
    main()
