"""Littlestone & Mesterharm, Figure 1: mistakes of SBSB, SASB and SASB with voting.

Either scale takes one minute on one core.

"An apobayesian relative of Winnow". Labels are fair coins; k of n = 20 attributes match the label with probability 1 -
p, and the others are coins. There are 10,000 trials and 30 runs for each of (p, k) = (0.01, 1) and (0.1, 5). "Optimal"
knows p and the relevant attributes. The paper does not describe the voting procedure of the figure: ours is that of
:class:`winnowkit.SASB`, with 30 voters. The paper's figure is a drawing without numbers.

In addition to the figure, the claims of section 4 about Weighted Majority are tested: it is run over the attributes,
mistake-driven, with the best and the worst of several values of beta in hindsight. So is a mistake-driven naive Bayes,
which often does very well according to section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.counting.sbsb import SASB, SBSB
from winnowkit.data import streams
from winnowkit.experiments.frame import (
    Cell,
    CellResult,
    Experiment,
    Plot,
    ReportTable,
    Result,
    Scale,
    Summary,
    Verdict,
)
from winnowkit.experiments.frame.judge import less

N = 20
SETTINGS = ((0.01, 1), (0.1, 5))  # (p, k)
TRIALS, RUNS, BLOCK = 10_000, 30, 10
VOTERS = 30
BETAS = (0.02, 0.3, 0.6, 0.8, 0.9, 0.98, 0.999)
POINTS = 50  # points stored per curve

Mistakes = NDArray[np.bool_]  # (runs, trials)


class Batch(NamedTuple):
    """Many runs of the same setting."""

    bits: NDArray[np.int8]  # (runs, trials, n)
    labels: NDArray[np.int64]  # (runs, trials)


def cells(scale: Scale, seed: int) -> list[Cell]:  # noqa: ARG001 - the paper's size is quick
    """Return one cell per setting and block of runs."""
    return [
        {"p": p, "k": k, "first": first, "runs": BLOCK, "trials": TRIALS, "seed": seed}
        for p, k in SETTINGS
        for first in range(0, RUNS, BLOCK)
    ]


def run(cell: Cell) -> Result:
    """Count the mistakes of every learner: per run, in the second half of each run, and as a mean curve."""
    first = 1000 * cell["seed"] + cell["first"]
    tables = [streams.bernoulli(N, cell["k"], cell["p"], seed=first + i) for i in range(cell["runs"])]
    examples = [table.take(cell["trials"]) for table in tables]
    labels = np.array([y for _, y in examples])
    mistakes = {"optimal": np.array([table.target(X) != y for table, (X, y) in zip(tables, examples, strict=True)])}
    for name, model in (("SBSB", SBSB()), ("SASB", SASB()), ("SASB + voting", SASB(voting=VOTERS))):
        predicted = [model.begin(N, [0, 1]).partial_fit_predict(X, y) for X, y in examples]
        mistakes[name] = np.array(predicted) != labels
    batch = Batch(np.array([X.toarray() for X, _ in examples]).astype(np.int8), labels)
    mistakes |= {f"WM, beta = {beta:g}": weighted_majority(batch, beta) for beta in BETAS}
    mistakes["naive Bayes"] = naive_bayes(batch)
    half, places = cell["trials"] // 2, _places(cell["trials"])
    return {
        name: {
            "totals": wrong.sum(axis=1).tolist(),
            "late": wrong[:, half:].sum(axis=1).tolist(),
            "curve": wrong.cumsum(axis=1)[:, places].sum(axis=0).tolist(),
        }
        for name, wrong in mistakes.items()
    }


def _places(trials: int) -> NDArray[np.int64]:
    return np.linspace(0, trials - 1, POINTS).astype(np.int64)


def weighted_majority(batch: Batch, beta: float) -> Mistakes:
    """Run mistake-driven Weighted Majority over the attributes, for all runs at once."""
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
    """Run mistake-driven naive Bayes with Laplace smoothing, for all runs at once."""
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


class Figure:
    """The runs of all blocks of a setting, for one plot."""

    def __init__(self, outcomes: Sequence[CellResult]) -> None:
        self.p, self.k, self.trials = (outcomes[0].cell[name] for name in ("p", "k", "trials"))
        self.results = [outcome.result for outcome in outcomes]
        tried = sorted((n for n in self.results[0] if n.startswith("WM")), key=lambda name: self.totals(name).sum())
        self.best, self.worst = tried[0], tried[-1]
        self.names = ["optimal", "SBSB", "SASB", "SASB + voting", self.best, self.worst, "naive Bayes"]

    def totals(self, name: str, what: str = "totals") -> NDArray[np.float64]:
        """Return the mistakes of a learner per run; `what="late"` counts the second half, the slope of its line."""
        return np.concatenate([np.array(result[name][what], dtype=np.float64) for result in self.results])

    def curve(self, name: str) -> NDArray[np.float64]:
        """Return mean cumulative mistakes at the stored points."""
        summed = np.sum([result[name]["curve"] for result in self.results], axis=0)
        return np.asarray(summed / len(self.totals(name)))

    def plot(self) -> Plot:
        """Plot mean cumulative mistakes against trials."""

        def draw(axes: Any) -> None:
            styles = {"optimal": "-", "SBSB": ":", "SASB": "--", "SASB + voting": "-."}
            for name in self.names:
                wide = 1.8 if name in styles else 0.8
                axes.plot(_places(self.trials), self.curve(name), styles.get(name, "-"), label=name, linewidth=wide)
            axes.set(xlabel="trials", ylabel="mistakes", ylim=(0, 250))

        return Plot(f"Figure 1, p = {self.p:g}, k = {self.k}, n = {N}: mistakes, mean of the runs", draw)


def summarize(outcomes: list[CellResult]) -> Summary:
    """Draw the two plots and judge the claims of section 4."""
    one, five = (Figure([o for o in outcomes if (o.cell["p"], o.cell["k"]) == setting]) for setting in SETTINGS)
    records = []
    for shown in (one, five):
        for name in shown.names:
            totals = shown.totals(name)
            error = totals.std(ddof=1) / np.sqrt(len(totals))
            row = {"p": shown.p, "k": shown.k, "learner": name, "mistakes": round(float(totals.mean()), 2)}
            late = round(float(shown.totals(name, "late").mean()), 2)
            records.append(row | {"std_err": round(float(error), 2), "mistakes_in_second_half": late})
    body = [
        [
            f"{r['p']:g}",
            f"{r['k']}",
            r["learner"],
            f"{r['mistakes']:.1f} ± {r['std_err']:.1f}",
            f"{r['mistakes_in_second_half']:.1f}",
        ]
        for r in records
    ]
    header = ["p", "k", "learner", "mistakes in 10,000 ± standard error", "in the second half"]
    tables = [ReportTable("Mistakes, mean of the runs", header, body)]
    return Summary(records, tables, [one.plot(), five.plot()], verdicts(one, five))


def verdicts(one: Figure, five: Figure) -> list[Verdict]:
    """Judge the paper's claims about Figure 1 and Weighted Majority on paired runs; a tenth is what matters."""

    def fewer(
        claim: str, a: NDArray[np.float64], b: NDArray[np.float64], factor: float = 1.0, why: str = ""
    ) -> Verdict:
        least = 0.1 * float(b.mean())
        return less(claim, factor * b - a, least, f"{a.mean():.1f} and {b.mean():.1f} mistakes", why, " mistakes")

    found = [
        fewer("with one relevant attribute SBSB errs less than SASB", one.totals("SBSB"), one.totals("SASB")),
        fewer("with five SASB errs less than half as often as SBSB", five.totals("SASB"), five.totals("SBSB"), 0.5),
        fewer(
            "SBSB cannot use more than one relevant attribute, SASB can: it nears the optimum",
            five.totals("SASB", "late") - five.totals("optimal", "late"),
            five.totals("SBSB", "late") - five.totals("optimal", "late"),
            0.5,
        ),
    ]
    for shown in (one, five):
        where = f"(p = {shown.p:g}, k = {shown.k})"
        sasb = shown.totals("SASB")
        voting = shown.totals("SASB + voting", "late")
        found += [
            fewer(f"voting improves SASB's asymptotic rate {where}", voting, shown.totals("SASB", "late")),
            fewer(
                f"well tuned Weighted Majority errs less than SASB {where}, {shown.best}",
                shown.totals(shown.best),
                sasb,
            ),
            fewer(
                f"badly tuned Weighted Majority errs more than SASB {where}, {shown.worst}",
                sasb,
                shown.totals(shown.worst),
                why="it depends on the experts: here the attributes, none of which is misleading",
            ),
        ]
    return found


EXPERIMENT = Experiment(
    "littlestone-mesterharm-figure-1",
    "Littlestone & Mesterharm, Figure 1: SBSB, SASB and voting",
    __doc__,
    cells,
    run,
    summarize,
    lambda cell: 1.2 * cell["trials"] / 1000,
)
