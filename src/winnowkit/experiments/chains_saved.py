"""Tao & Scott (2004), Tables VIII and IX: Markov chains that stopping early saves, on simulated and UCI data.

Run ``python -m winnowkit.experiments.chains_saved``; it takes about five minutes on one core (``--share 1``, every
trial, about an hour), and writes both tables and a verdict on each claim into a folder.

Winnow is trained with exact sums until an epoch has no mistake (100 at most, 20 on voting), one learner a class, on one
fold; annealing's "?" is a value. The paper's order of rows and its intervals are not known, and so nor is how long each
training takes: chains differ by up to a factor of five where it does not end early. "MCMC" is the chains of Chawla et
al.'s ladder at all trials, r_t - 1 each. At a share of the trials Table I is followed with exact ratios of rungs, the
guess being the last prediction of the same row and the bounds u and -v, as in the paper: the chains it needs, beside
what Theorem 7 promises. Epsilon is the mean distance of W from theta, in thetas. The paper leaves auto and annealing
blank where it needed exact sums; and the last column has our tighter bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.dnf import Agreement, Exact
from winnowkit.dnf.rungs import Guesses, count_rungs, net_limits, promised_savings, stop_early
from winnowkit.experiments.report import Verdict, arguments, write_table, write_verdicts
from winnowkit.experiments.trials import ALPHA, FOLDS, Task, one_fold, run_trials, simulated
from winnowkit.kernels.chains import pack_problem
from winnowkit.kernels.ladder import Walk

# Epsilon, MCMC in thousands, savings and savings by theory in per cent.
PAPER: dict[str, tuple[float, float, float, float]] = {
    "n = 10": (0.351, 4.6, 11.3, 6.4),
    "n = 15": (0.365, 11.9, 6.3, 3.9),
    "n = 20": (0.340, 20.8, 10.0, 7.0),
    "n = 25": (0.454, 23.5, 9.7, 6.8),
    "n = 30": (0.363, 40.8, 8.1, 5.1),
    "n = 35": (0.421, 58.7, 9.7, 6.2),
    "n = 40": (0.294, 60.9, 12.7, 6.8),
    "iris": (0.472, 217.7, 8.0, 1.14),
    "car": (0.529, 14272.7, 1.7, 0.12),
    "breast-cancer": (0.500, 45176.2, 0.2, 0.04),
    "voting": (0.587, 1185.5, 4.5, 0.48),
    "auto": (math.nan, 13822.8, 0.5, math.nan),
    "annealing": (math.nan, 4855.2, 22.1, math.nan),
}
ROUNDS = {"voting": 20}  # section 6.1; its learners never have a clean epoch
SIZES = (10, 15, 20, 25, 30, 35, 40)
ROWS = 50


class Count(NamedTuple):
    """A row of the tables; savings in per cent."""

    name: str
    trials: int
    epsilon: float
    chains: int
    savings: float
    by_theory: float
    tighter: float


def rung_ratios(agreement: Agreement, n_rungs: int) -> NDArray[np.float64]:
    """Exact logarithms of W(alpha_i) / W(alpha_(i - 1)), rung 2 first."""
    counts = Exact().counts(agreement)
    logs = np.array([math.log(count) for count in counts.values()])
    nets = np.array([float(net) for net in counts])
    rates = np.arange(n_rungs) * (math.log(ALPHA) / (n_rungs - 1))
    sums: NDArray[np.float64] = np.logaddexp.reduce(logs + rates[:, None] * nets, axis=1)
    return np.diff(sums)


def count(name: str, tasks: Iterable[Task], share: float, *, max_epochs: int = 100, seed: int = 0) -> Count:
    """Count chains over the training of these learners."""
    rng = np.random.default_rng(seed)
    trials = chains = seen = 0
    asked: list[tuple[float, int, int, int]] = []  # epsilon, and chains saved: by Table I, promised, by tighter bounds
    for task in tasks:
        guesses = Guesses("last", task.y.tolist())
        for row, agreement, log_sum in run_trials(task, max_epochs):
            trials += 1
            guess = guesses[row]
            if guess is None:
                guess = int(agreement.n_attributes * math.log(2) >= task.log_theta)
            guesses.predicted(row, int(log_sum >= task.log_theta))
            if agreement.n_mistakes == 0:
                continue
            n_rungs = count_rungs(agreement, ALPHA, 1.0, "sum")
            chains += n_rungs - 1
            if rng.random() >= share:
                continue
            seen += n_rungs - 1
            ratios = rung_ratios(agreement, n_rungs).tolist()
            shape = agreement.n_live, agreement.n_dead, agreement.n_free
            problem = pack_problem(agreement.sets, agreement.nets, shape)
            saved = []
            for bounds in ("totals", "pairs"):
                bound = net_limits(agreement, problem, bounds)[1 - guess] * math.log(ALPHA) / (n_rungs - 1)
                start = agreement.n_attributes * math.log(2) + (n_rungs - 1) * bound
                _, run = stop_early(ratios, Walk(guess, start, -bound, task.log_theta))
                saved.append(n_rungs - 1 - run)
            epsilon = abs(math.expm1(log_sum - task.log_theta))
            asked.append((epsilon, saved[0], min(n_rungs - 1, promised_savings(log_sum, task.log_theta)), saved[1]))
    mean, *savings = np.array(asked).sum(axis=0) / [len(asked), seen / 100, seen / 100, seen / 100]
    return Count(name, trials, float(mean), chains, *map(float, savings))


def table_viii(share: float, formulas: int = 10, sizes: Sequence[int] = SIZES) -> list[Count]:
    """Simulated data: chains are those of an average formula."""
    found = []
    for n in sizes:
        counted = count(f"n = {n}", [simulated(n, ROWS, seed) for seed in range(formulas)], share, seed=n)
        found.append(counted._replace(chains=counted.chains // formulas, trials=counted.trials // formulas))
    return found


def table_ix(share: float, names: Sequence[str] = tuple(FOLDS)) -> list[Count]:
    """UCI data, one fold."""
    return [count(name, one_fold(name), share, max_epochs=ROUNDS.get(name, 100)) for name in names]


def verdicts(simulations: Sequence[Count], uci: Sequence[Count]) -> list[Verdict]:
    """What the paper says of its tables."""
    every = [*simulations, *uci]
    savings = {row.name: row.savings for row in every}
    order = np.corrcoef(
        [math.log(row.savings + 0.01) for row in every], [math.log(row.by_theory + 0.01) for row in every]
    )
    within = [row.chains / 1000 / PAPER[row.name][1] for row in every]
    return [
        Verdict(
            "some chains are saved on every data set, and more than Theorem 7 promises",
            all(row.savings >= row.by_theory and row.savings > 0 for row in every),
            ", ".join(f"{name} {value:.1f}%" for name, value in savings.items()),
        ),
        Verdict(
            "savings are between 0.2% and 22%",
            all(0.1 < value < 25 for value in savings.values()),
            f"{min(savings.values()):.2f}% to {max(savings.values()):.1f}%",
        ),
        Verdict(
            "when Theorem 7 promises much, the savings are large",
            bool(order[0, 1] > 0.5),
            f"correlation of logarithms {order[0, 1]:.2f}",
        ),
        Verdict(
            "our trainings need about as many chains as the paper's (half to twice)",
            all(0.5 < ratio < 2 for ratio in within),
            ", ".join(f"{row.name} {ratio:.2f}" for row, ratio in zip(every, within, strict=True)),
        ),
    ]


def main() -> None:
    """Print and keep both tables and the verdicts."""
    given = arguments(__doc__, "chains_saved", 10, share=0.05)
    simulations, uci = table_viii(min(1.0, 10 * given.share), given.runs), table_ix(given.share)
    header = [*Count._fields, "paper_epsilon", "paper_thousands", "paper_savings", "paper_by_theory"]
    rows = [(*row, *PAPER[row.name]) for row in (*simulations, *uci)]
    write_table(given.output / "tables.csv", header, rows)
    print(f"{'':14} {'epsilon':>16} {'thousand chains':>20} {'savings %':>14} {'by theory %':>16} {'tighter %':>10}")
    for row in (*simulations, *uci):
        paper = PAPER[row.name]
        print(
            f"{row.name:14} {row.epsilon:8.3f} ({paper[0]:5.3f}) {row.chains / 1000:10.1f} ({paper[1]:7.1f}) "
            f"{row.savings:6.1f} ({paper[2]:4.1f})  {row.by_theory:6.2f} ({paper[3]:5.2f}) {row.tighter:9.1f}"
        )
    print("(in brackets: the paper's)")
    write_verdicts(given.output / "verdicts.txt", verdicts(simulations, uci))
    print(f"table and verdicts are in {given.output}")


if __name__ == "__main__":
    main()
