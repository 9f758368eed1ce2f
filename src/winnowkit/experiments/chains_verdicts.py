"""Tables VIII and IX of Tao & Scott (2004) for the report, with verdicts on the claims of section 6.3.

Claims about the numbers of a table are about its rows, and judged by Student's t over them. Where savings differ from
the paper's, three causes are tested: the length of training, the last rung of the paper, and ratios that are sampled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from winnowkit.experiments.chains_saved import Row
from winnowkit.experiments.frame import Plot, ReportTable, Result, Verdict
from winnowkit.experiments.frame.judge import alike, alike_by, correlated, exact, within

DRAWN = "each number is exact; means are over the trials that were asked, and over trainings drawn at random"
TWICE = math.log(2)
"""How far savings and chains may be from the paper's: half to twice."""

Paper = dict[str, tuple[float | None, float, float, float | None]]
"""The paper's epsilon, MCMC in thousands, savings and savings by theory in per cent."""


def records(rows: dict[str, Row], paper: Paper) -> list[dict[str, Any]]:
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


def table(rows: dict[str, Row], paper: Paper, caption: str) -> ReportTable:
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
        "error",
        "so far %",
        "as printed %",
        "sampled %",
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
                f"{row['std_err']:.2f}",
                f"{row['so_far']:.1f}",
                f"{row['printed']:.1f}",
                f"{row['sampled']:.1f}" if "sampled" in row else "-",
                both(row["theory"], theory, 2),
                f"{row['one_side']:.2f}",
                f"{row['promised']:.2f}",
                f"{row['tighter']:.1f}",
            ]
        )
    return ReportTable(caption + "; the paper's in brackets", header, body)


def plot(rows: dict[str, Row], paper: Paper, caption: str) -> Plot:
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


def verdicts(rows: dict[str, Row], paper: Paper, trainings: Sequence[Result], cause: str) -> list[Verdict]:
    """Judge the claims of section 6.3; `cause` is why chains and distances differ."""
    listed = ", ".join(f"{name} {row['savings']:.1f} ± {row['std_err']:.1f}%" for name, row in rows.items())
    promised = [row["promised"] / max(row["savings"], 1e-9) for row in rows.values()]
    eps = {name: (row["epsilon"], paper[name][0]) for name, row in rows.items()}
    chains = {name: row["chains"] / 1000 / paper[name][1] for name, row in rows.items()}
    fits = {
        which: [abs(math.log(row[which] / theory)) for name, row in rows.items() if (theory := paper[name][3])]
        for which in ("theory", "one_side")
    }
    by_theory, saved = ([own[name] / own["seen"] for own in trainings if own["seen"]] for name in ("theory", "savings"))
    computed = partial(exact, power=DRAWN)
    return [
        computed(
            "not all chains need be run, on every data set", min(row["savings"] for row in rows.values()) > 0, listed
        ),
        within("Theorem 7's promise is kept: savings are at least its whole chains", promised),
        correlated(
            "where savings by theory are large, the true savings are often large",
            by_theory,
            saved,
            unit="trainings of a learner",
        ),
        _beside(rows, paper, "savings", "savings are as large as the paper's, half to twice: the mean over the rows"),
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
        alike(
            "trainings need as many chains as the paper's, half to twice: the mean over the rows",
            [math.log(ratio) for ratio in chains.values()],
            TWICE,
            "ours divided by the paper's: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in chains.items()),
            cause,
            " in ln of the chains",
        ),
        alike(
            "the mean distance from theta is the paper's, within 0.15: the mean over the rows",
            [ours - theirs for ours, theirs in eps.values() if theirs is not None],
            0.15,
            ", ".join(f"{name} {a:.2f}" + (f" ({b:.2f})" if b else " (-)") for name, (a, b) in eps.items()),
            cause,
        ),
    ]


def causes(rows: dict[str, Row], paper: Paper, pairs: Sequence[tuple[Result, Result]]) -> list[Verdict]:
    """Test what might make our savings smaller than the paper's.

    `pairs` are trainings with exact sums, and the same with sums of the paper's last rung.
    """
    shares, difference, std_err = _pooled([[(own["seen"], own["printed"]) for own in pair] for pair in pairs])
    return [
        _beside(
            rows,
            paper,
            "so_far",
            "ours, a cause tested: up to the paper's number of chains, savings are the paper's, half to twice",
        ),
        alike_by(
            "ours, another: training by the sums of the paper's last rung changes savings by less than a point",
            difference,
            std_err,
            len(pairs) - 1,
            1.0,
            f"savings as printed {shares[0]:.2f}% and {shares[1]:.2f}% of all chains of these trainings",
            unit=" points",
        ),
        _beside(
            {name: row for name, row in rows.items() if row.get("sampled", 0.0) > 0},
            paper,
            "sampled",
            "ours, another: with ratios sampled as in the paper, savings are the paper's, half to twice",
        ),
    ]


def _pooled(pairs: Sequence[Sequence[tuple[float, float]]]) -> tuple[list[float], float, float]:
    """Return the pooled savings in per cent of both members of all pairs, their difference, and its standard error.

    A member is a number of chains, and how many of them are saved. Pairs count by their chains: a learner with few
    mistakes saves a large share of a small number.
    """
    numbers = np.array(pairs, dtype=np.float64)  # by pair, member, and chains or savings
    seen, saved = numbers.sum(axis=0).T
    shares = 100 * saved / seen
    rest = (100 * numbers[:, :, 1] - shares * numbers[:, :, 0]) / seen
    spread = rest[:, 1] - rest[:, 0]
    std_err = math.sqrt(len(pairs) / max(1, len(pairs) - 1) * float((spread**2).sum()))
    return shares.tolist(), float(shares[1] - shares[0]), std_err


def _beside(rows: dict[str, Row], paper: Paper, which: str, claim: str) -> Verdict:
    """Judge whether one kind of savings is that of the paper, half to twice, in the geometric mean over the rows."""
    ratios = {name: row[which] / paper[name][2] for name, row in rows.items()}
    figures = ", ".join(f"{name} {row[which]:.1f} ({paper[name][2]:.1f}) %" for name, row in rows.items())
    mean = math.exp(np.mean([math.log(ratio) for ratio in ratios.values()]))
    why = f"ours are {mean:.2f} of the paper's; the causes that were tested are below, and none of them is enough"
    return alike(claim, [math.log(ratio) for ratio in ratios.values()], TWICE, figures, why, " in ln of the savings")
