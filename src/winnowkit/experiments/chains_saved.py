"""Markov chains saved by stopping early (section 6.3 of Tao & Scott 2004), for Tables VIII and IX.

Winnow is trained with exact sums. "MCMC" counts the chains of Chawla et al.'s ladder at all trials, r_t - 1 each. At a
sample of the trials, Table I is followed with exact ratios of rungs, where the guess is the last prediction of the same
row: this gives the chains saved with the paper's bounds u and -v on the nets of terms, and with our tighter ones.
Epsilon is the mean of |W - theta| / theta; savings by theory are the paper's sum of |ln(1 +- epsilon)|; Theorem 7
promises the integer part of each. "One side" is the sum of ln(1 + epsilon) on both sides of theta, which the column of
Table IX fits better than the formula that the paper gives for it. "As printed" takes the paper's rungs, whose last one
lies above alpha, and looks at the side only after a chain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.dnf import Agreement, Exact
from winnowkit.dnf.mcmc.chains import pack_problem
from winnowkit.dnf.mcmc.ladder_kernel import Walk
from winnowkit.dnf.mcmc.rungs import (
    count_rungs,
    first_guess,
    net_limits,
    promised_savings,
    rung_step,
    stop_early,
)
from winnowkit.dnf.training import Guesses
from winnowkit.experiments.frame import Plot, ReportTable, Result, Verdict
from winnowkit.experiments.frame.judge import exact, within
from winnowkit.experiments.trials import ALPHA, Task, run_trials

DRAWN = "each number is exact; means are over the trials that were asked, and over trainings drawn at random"
SAVED = ("savings", "theory", "promised", "tighter", "printed", "one_side")


def rung_ratios(agreement: Agreement, n_rungs: int, step: float | None = None) -> NDArray[np.float64]:
    """Return the exact logarithms of W(alpha_i) / W(alpha_(i - 1)), starting with rung 2.

    `step` is the logarithm of the ratio of two rungs; by default the last rung is alpha.
    """
    counts = Exact().counts(agreement)
    logs = np.array([math.log(count) for count in counts.values()])
    nets = np.array([float(net) for net in counts])
    rates = np.arange(n_rungs) * (math.log(ALPHA) / (n_rungs - 1) if step is None else step)
    sums: NDArray[np.float64] = np.logaddexp.reduce(logs + rates[:, None] * nets, axis=1)
    return np.diff(sums)


def count(learner: Task, share: float, max_epochs: int, seed: Sequence[int]) -> Result:
    """Count chains over the training of one learner; sums are over the sampled trials."""
    rng = np.random.default_rng(seed)
    guesses = Guesses("last", learner.y.tolist())
    trials = chains = asked = seen = epochs = 0
    epsilon, saved = 0.0, np.zeros(len(SAVED))
    for row, agreement, log_sum in run_trials(learner, max_epochs):
        trials += 1
        epochs += row == 0
        guess = guesses[row]
        if guess is None:
            guess = first_guess(agreement.n_attributes, learner.log_theta)
        guesses.predicted(row, int(log_sum >= learner.log_theta))
        if agreement.n_mistakes == 0:
            continue
        n_rungs = count_rungs(agreement, ALPHA, 1.0, "sum")
        chains += n_rungs - 1
        if rng.random() < share:
            asked, seen = asked + 1, seen + n_rungs - 1
            epsilon += abs(math.expm1(log_sum - learner.log_theta))
            saved += savings_at(agreement, log_sum, learner.log_theta, n_rungs, guess)
    return {
        "trials": trials,
        "epochs": epochs,
        "chains": chains,
        "asked": asked,
        "seen": seen,
        "epsilon": epsilon,
        **dict(zip(SAVED, saved.tolist(), strict=True)),
    }


def savings_at(agreement: Agreement, log_sum: float, log_theta: float, n_rungs: int, guess: int) -> tuple[float, ...]:
    """Count the chains saved at one trial: one number for each name of SAVED."""
    problem = pack_problem(agreement.sets, agreement.nets, (agreement.n_live, agreement.n_dead, agreement.n_free))

    def saved(bounds: str, *, as_printed: bool = False) -> int:
        step = rung_step(agreement, ALPHA, 1.0, "sum", as_printed=as_printed)
        ratios = rung_ratios(agreement, n_rungs, step).tolist()
        bound = net_limits(agreement, problem, bounds)[1 - guess] * step
        start = agreement.n_attributes * math.log(2) + (n_rungs - 1) * bound
        return n_rungs - 1 - stop_early(ratios, Walk(guess, start, -bound, log_theta), as_printed=as_printed)[1]

    distance = abs(log_sum - log_theta)
    promised = min(n_rungs - 1, promised_savings(log_sum, log_theta))
    one_side = math.log1p(abs(math.expm1(log_sum - log_theta)))
    return saved("totals"), distance, promised, saved("pairs"), saved("totals", as_printed=True), one_side


def merge(results: Sequence[Result], runs: int = 1) -> dict[str, float]:
    """Return one row of a table: chains per run, mean epsilon, savings in per cent."""
    total = {name: sum(result[name] for result in results) for name in results[0]}
    row = {
        "chains": total["chains"] / runs,
        "trials": total["trials"] / runs,
        "epsilon": total["epsilon"] / total["asked"],
    }
    return row | {name: 100 * total[name] / total["seen"] for name in SAVED}


Paper = dict[str, tuple[float | None, float, float, float | None]]
"""The paper's epsilon, MCMC in thousands, savings and savings by theory in per cent."""


def records(rows: dict[str, dict[str, float]], paper: Paper) -> list[dict[str, Any]]:
    """Return the rows of the tidy table."""
    names = ("paper_epsilon", "paper_thousand_chains", "paper_savings", "paper_theory")
    return [
        {
            "data": name,
            **{key: round(value, 4) for key, value in row.items()},
            **dict(zip(names, paper[name], strict=True)),
        }
        for name, row in rows.items()
    ]


def table(rows: dict[str, dict[str, float]], paper: Paper, caption: str) -> ReportTable:
    """Return a table of our numbers, with the paper's in brackets."""

    def both(ours: float, theirs: float | None, digits: int) -> str:
        shown = "-" if theirs is None else f"{theirs:,.{digits}f}"
        return f"{ours:,.{digits}f} ({shown})"

    header = [
        "",
        "mean eps",
        "thousand chains",
        "optimised",
        "savings %",
        "as printed %",
        "by theory %",
        "one side %",
        "promised %",
        "our bounds %",
    ]
    body = []
    for name, row in rows.items():
        eps, thousands, savings, theory = paper[name]
        chains = row["chains"] / 1000
        body.append(
            [
                name,
                both(row["epsilon"], eps, 3),
                both(chains, thousands, 1),
                both(chains * (1 - row["savings"] / 100), thousands * (1 - savings / 100), 1),
                both(row["savings"], savings, 1),
                f"{row['printed']:.1f}",
                both(row["theory"], theory, 2),
                f"{row['one_side']:.2f}",
                f"{row['promised']:.2f}",
                f"{row['tighter']:.1f}",
            ]
        )
    return ReportTable(caption + "; the paper's in brackets", header, body)


def plot(rows: dict[str, dict[str, float]], paper: Paper, caption: str) -> Plot:
    """Plot our savings and the paper's, with one group of bars per row."""

    def draw(axes: Any) -> None:
        places = np.arange(len(rows))
        bars = {
            "paper": [paper[name][2] for name in rows],
            "here, bounds u and v": [row["savings"] for row in rows.values()],
            "here, our bounds": [row["tighter"] for row in rows.values()],
            "here, theory": [row["theory"] for row in rows.values()],
        }
        for i, (label, values) in enumerate(bars.items()):
            axes.bar(places + 0.2 * (i - 1.5), values, 0.2, label=label)
        axes.set_xticks(places, [name.replace(" ", "\n").replace("-", "\n") for name in rows], fontsize="small")
        axes.set(ylabel="chains saved, %")

    return Plot(caption, draw)


def verdicts(rows: dict[str, dict[str, float]], paper: Paper, cause: str) -> list[Verdict]:
    """Judge the claims of section 6.3; `cause` is why chains and distances differ."""
    savings = {name: row["savings"] for name, row in rows.items()}
    listed = ", ".join(f"{name} {value:.1f}%" for name, value in savings.items())
    promised = [row["promised"] / max(row["savings"], 1e-9) for row in rows.values()]
    ranks = [np.argsort(np.argsort(own)) for own in (list(savings.values()), [row["theory"] for row in rows.values()])]
    order = float(np.corrcoef(ranks[0], ranks[1])[0, 1])
    ratios = {name: row["chains"] / 1000 / paper[name][1] for name, row in rows.items()}
    eps = {name: (row["epsilon"], paper[name][0]) for name, row in rows.items()}
    far = [abs(ours - theirs) for ours, theirs in eps.values() if theirs is not None]
    printed = [rows[name]["printed"] / paper[name][2] for name in rows]
    fits = {
        which: [abs(math.log(row[which] / theory)) for name, row in rows.items() if (theory := paper[name][3])]
        for which in ("theory", "one_side")
    }
    computed = partial(exact, power=DRAWN)
    less_than = np.mean([paper[name][2] / max(value, 0.01) for name, value in savings.items()])
    return [
        computed("not all chains need be run, on every data set", min(savings.values()) > 0, listed),
        within("Theorem 7's promise is kept: savings are at least its whole chains", promised),
        computed(
            "where savings by theory are large, the true savings are often large",
            order > 0.3,
            f"rank correlation {order:.2f} over {len(rows)} rows",
            "ranks of rows that lie within a point or two of each other are chance",
        ),
        computed(
            "savings are as large as the paper's (half to twice)",
            all(0.5 < value / paper[name][2] < 2 for name, value in savings.items()),
            listed + "; the paper's: " + ", ".join(f"{paper[name][2]:.1f}%" for name in savings),
            f"the paper's are {less_than:.1f} times ours on average. Its last rung is not the cause: with the rungs as "
            f"printed, ours are {min(printed):.2f} to {max(printed):.2f} of the paper's. Its ratios were sampled, and "
            "it does not say how its trainings ended",
        ),
        computed(
            "the column of savings by theory is the formula stated for it, rather than ln(1 + epsilon) on both sides",
            float(np.mean(fits["theory"])) <= float(np.mean(fits["one_side"])),
            "mean factor from the paper's column: "
            + ", ".join(
                f"{name} {math.exp(np.mean(own)):.2f}"
                for name, own in (("stated", fits["theory"]), ("one side", fits["one_side"]))
            ),
            "below theta, ln(1 + epsilon) is less than the stated |ln(1 - epsilon)|; it fits the column better",
        ),
        computed(
            "trainings need as many chains as the paper's (half to twice)",
            all(0.5 < ratio < 2 for ratio in ratios.values()),
            "ours divided by the paper's: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()),
            cause,
        ),
        computed(
            "the mean distance from theta is the paper's (within 0.15)",
            max(far) <= 0.15,
            ", ".join(f"{name} {a:.2f}" + (f" ({b:.2f})" if b else " (-)") for name, (a, b) in eps.items()),
            cause,
        ),
    ]
