"""Fang & Venkatesh, "On batch learning in a binary weight setting": the laws of Directed Drift.

The quick scale takes 2 minutes on one core.

The abstract makes three claims about the expected number of mistakes: exponential in n on line, O(n) with single-bit
batches, and constant with multiple-bit batches. A mistake is an epoch opened by a misclassified example (footnote 2).
Examples are uniform vertices labelled by a random w*: for odd n, the mirror images of the negative ones make them
uniform on the positive half-space. A run ends at w*, where no example is misclassified, or at the confidence stop. The
claims are about runs without the stop, so mistakes are counted in these. Further runs use the paper's stop, and others
the valid one of :class:`winnowkit.DirectedDrift`, and the proportion of them that ended at w* is reported. The quick
scale has 40 runs per point and n up to 201 (on line 19). The paper gives no sizes; its scale here has 200 runs and n up
to 401 (on line 25), and takes 20 minutes.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, exp, log
from typing import Any, NamedTuple

import numpy as np

from winnowkit.core.csr import Trials
from winnowkit.counting.directed_drift_learner import DriftLearner, Flips, Mode, Packed, Stop, directed_drift
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Plot, ReportTable, Result, Scale, Summary, Verdict
from winnowkit.experiments.frame.judge import at_most, exact, share_at_least

NO_STOP = 1e-300  # a delta so small that the run of consistent examples it asks for never occurs by chance
DELTA = 0.05
CHUNK = 2048  # examples drawn at a time
BLOCK = 20  # runs per cell
LOWER_BOUND = 0.139  # of the paper: on line, mistakes grow at least like exp(0.139 n)

SERIES: list[tuple[Mode, Flips]] = [
    ("online", "paper"),
    ("single", "paper"),
    ("multiple", "paper"),
    ("multiple", "majority"),
]
SIZES = (21, 51, 101, 201, 401)


class Run(NamedTuple):
    """The end of one run."""

    mistakes: int
    at_target: bool


class LawPoint(NamedTuple):
    """Means over runs, with standard errors."""

    mode: Mode
    flips: Flips
    n: int
    runs: int
    mistakes: float  # until w*, without the confidence stop
    std_err: float
    stopped_mistakes: float  # until the paper's confidence stop
    stopped_std_err: float
    at_target: tuple[bool, ...]  # whether each of those runs ended at w*
    valid_at_target: tuple[bool, ...]  # the same with the valid stop


def cells(scale: Scale, seed: int) -> list[Cell]:
    """Return one cell per mode, size and block of runs."""
    quick = scale == "quick"
    runs = 40 if quick else 200
    return [
        {"mode": mode, "flips": flips, "n": n, "first": first, "runs": BLOCK, "seed": seed}
        for mode, flips in SERIES
        for n in (range(5, 21 if quick else 27, 2) if mode == "online" else SIZES[: 4 if quick else 5])
        for first in range(0, runs, BLOCK)
    ]


def run_cell(cell: Cell) -> Result:
    """Run without a confidence stop, then again with the paper's, and with the valid one."""
    shape = cell["n"], cell["mode"], cell["flips"]
    free = runs_of(*shape, NO_STOP, "paper", cell["runs"], (cell["seed"], 0, cell["first"]))
    stopped = runs_of(*shape, DELTA, "paper", cell["runs"], (cell["seed"], 1, cell["first"]))
    valid = runs_of(*shape, DELTA, "valid", cell["runs"], (cell["seed"], 2, cell["first"]))
    return {
        "free": [r.mistakes for r in free],
        "stopped": [r.mistakes for r in stopped],
        "at_target": [r.at_target for r in stopped],
        "valid_at_target": [r.at_target for r in valid],
    }


def seconds(cell: Cell) -> float:
    """Estimate the time: exponential in n on line, and somewhat more than n^2 in batches."""
    if cell["mode"] == "online":
        return float(0.2 + cell["runs"] * 1e-6 * exp(0.55 * cell["n"]))
    return float(0.2 + cell["runs"] * (cell["n"] / 401) ** (3 if cell["mode"] == "single" else 2) * 0.6)


def vertices(rng: np.random.Generator, rows: int, n: int) -> Packed:
    """Draw uniform vertices of the n-cube."""
    words = rng.integers(2**64, size=(rows, -(-n // 64)), dtype=np.uint64)
    if n % 64:
        words[:, -1] &= np.uint64(2 ** (n % 64) - 1)
    return Packed(words)


def run(n: int, mode: Mode, flips: Flips, delta: float, stop: Stop, rng: np.random.Generator) -> Run:
    """Learn a random w* until it is found, or until the confidence stop.

    Examples
    --------
    >>> run(51, "multiple", "majority", NO_STOP, "paper", np.random.default_rng(0)).at_target
    True
    """
    rule = directed_drift(n, mode, flips, "auto", delta, stop)
    target, learner = (DriftLearner.begin(rule, n, 1, False, rng) for _ in range(2))
    while not learner.converged[0] and (learner.state.weights != target.state.weights).any():
        examples = vertices(rng, CHUNK, n)
        labels = (target.decide(examples, 0, CHUNK)[:, 0] > 0).astype(np.int64)
        learner.learn(Trials(examples, labels))
    at_target = bool((learner.state.weights == target.state.weights).all())
    return Run(int(learner.opened[0]), at_target)


def runs_of(n: int, mode: Mode, flips: Flips, delta: float, stop: Stop, runs: int, seed: tuple[int, ...]) -> list[Run]:
    """Run several times, each with its own random stream."""
    children = np.random.SeedSequence((*seed, n)).spawn(runs)
    return [run(n, mode, flips, delta, stop, np.random.default_rng(child)) for child in children]


def mean_of(values: Iterable[int]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    array = np.fromiter(values, dtype=np.float64)
    return float(array.mean()), float(array.std(ddof=1) / np.sqrt(array.size))


def exact_online_mistakes(n: int) -> float:
    """Compute the expected mistakes of Algorithm D from random weights until w*, for odd n, from its Markov chain.

    Only the number d of wrong weights matters. Of the vertices, C(n - d, a) C(d, b) differ from w at a right and b
    wrong weights, that is from w* at a + d - b. Such a vertex is a positive example if 2 (a + d - b) < n, misclassified
    if 2 (a + b) > n, and an update on it lowers d with probability b / (a + b), else raises it.

    Examples
    --------
    >>> [round(exact_online_mistakes(n), 1) for n in (3, 5, 11)]
    [3.8, 12.6, 218.8]
    """
    expected = 0.0
    passage = 0.0  # expected mistakes from d wrong weights to d - 1: 1 + P(up) (passage from d + 1 + passage from d)
    starts = 0  # initial weights of which at least d are wrong: they all pass from d to d - 1
    for d in range(n, 0, -1):
        cases = lowered = 0.0
        for a in range(n - d + 1):
            for b in range(d + 1):
                if 2 * (a + d - b) < n < 2 * (a + b):
                    count = comb(n - d, a) * comb(d, b)
                    cases += count
                    lowered += count * b / (a + b)
        passage = (cases + (cases - lowered) * passage) / lowered
        starts += comb(n, d)
        expected += passage * starts / 2**n
    return expected


def predicted_epochs(n: int) -> float:
    """Compute how many epochs multiple-bit batches take for odd n, if every vote is right.

    The example that opens an epoch asks for floor((1 - Y) / 2) flips, Y its product with w. With d weights wrong, d of
    the signs of a random vertex add up to B and the others to A; w* sees A + B > 0, w sees Y = A - B < 0. So Y >= 1 -
    2d, and no more weights are flipped than are wrong; and Y is of the order of sqrt(n). From n/2 wrong weights, this
    takes of the order of sqrt(n) epochs, however large the batch is.

    Examples
    --------
    >>> [round(predicted_epochs(n), 1) for n in (21, 51, 101, 201)]
    [5.5, 10.0, 16.0, 25.0]
    """
    wrong, epochs = n / 2, 0.0
    while wrong >= 0.5:
        flips = expected_flips(n, max(1, round(wrong)))
        epochs += min(1.0, wrong / flips)
        wrong -= flips
    return epochs


def expected_flips(n: int, wrong: int) -> float:
    """Compute the mean of floor((1 - Y) / 2) over the misclassified examples, with so many weights wrong."""
    a = np.arange(n - wrong + 1)  # right weights that agree with the example, and wrong ones
    b = np.arange(wrong + 1)
    A, B = 2 * a[:, None] - (n - wrong), 2 * b[None, :] - wrong
    log_count = [[log(comb(n - wrong, i)) + log(comb(wrong, j)) for j in b.tolist()] for i in a.tolist()]
    weight = np.exp(np.array(log_count) - n * log(2)) * ((A + B > 0) & (A - B < 0))
    return float((weight * ((1 - (A - B)) // 2)).sum() / weight.sum())


def point(outcomes: list[CellResult]) -> LawPoint:
    """Combine the blocks of one point."""
    cell = outcomes[0].cell
    free, stopped, at_target, valid = (
        [value for o in outcomes for value in o.result[key]]
        for key in ("free", "stopped", "at_target", "valid_at_target")
    )
    counts = (*mean_of(free), *mean_of(stopped))
    return LawPoint(cell["mode"], cell["flips"], cell["n"], len(free), *counts, tuple(at_target), tuple(valid))


def growth(points: list[LawPoint], *, exponential: bool = False) -> tuple[float, float]:
    """Fit the exponent of growth, as a power of n or e, by weighted least squares; return it and its standard error."""
    x = np.array([p.n for p in points], dtype=np.float64)
    x = x if exponential else np.log(x)
    y, weight = np.log([p.mistakes for p in points]), np.array([p.mistakes / max(p.std_err, 1e-3) for p in points])
    _, covariance = np.polyfit(x, y, 1, w=weight, cov="unscaled")
    slope = float(np.polyfit(x, y, 1, w=weight)[0])
    return slope, float(np.sqrt(covariance[0, 0]))


def summarize(outcomes: list[CellResult]) -> Summary:
    """Summarise the series and judge the claims of the abstract."""
    groups: dict[tuple[Mode, Flips], dict[int, list[CellResult]]] = {key: {} for key in SERIES}
    for outcome in outcomes:
        groups[outcome.cell["mode"], outcome.cell["flips"]].setdefault(outcome.cell["n"], []).append(outcome)
    series = {key: [point(own) for own in sizes.values()] for key, sizes in groups.items()}
    points = [p for own in series.values() for p in own]
    exact = {p.n: exact_online_mistakes(p.n) for p in series["online", "paper"]}
    records = [
        {
            **{key: record_of(value) for key, value in p._asdict().items()},
            "exact_mistakes": round(exact[p.n], 4) if p.mode == "online" else None,
        }
        for p in points
    ]
    header = ["mode", "flips", "n", "mistakes until w*", "exact", "with the paper's stop", "at w*", "valid stop: at w*"]
    rows = [
        [
            p.mode,
            p.flips,
            str(p.n),
            f"{p.mistakes:,.1f} ± {p.std_err:,.1f}",
            f"{exact[p.n]:,.1f}" if p.mode == "online" else "",
            f"{p.stopped_mistakes:,.1f} ± {p.stopped_std_err:,.1f}",
            f"{np.mean(p.at_target):.0%}",
            f"{np.mean(p.valid_at_target):.0%}",
        ]
        for p in points
    ]
    return Summary(
        records,
        [ReportTable("Mean mistakes ± standard errors", header, rows)],
        plots(series, exact),
        verdicts(series, exact),
    )


def record_of(value: Any) -> Any:
    """Return a number, rounded; for runs that ended at w* or elsewhere, their share."""
    if isinstance(value, tuple):
        return round(float(np.mean(value)), 4)
    return round(value, 4) if isinstance(value, float) else value


def verdicts(series: dict[tuple[Mode, Flips], list[LawPoint]], exact_chain: dict[int, float]) -> list[Verdict]:
    """Judge the claims of the abstract, and the promise of the confidence stop."""
    online, single = series["online", "paper"], series["single", "paper"]
    printed, majority = series["multiple", "paper"], series["multiple", "majority"]
    sizes = [n for n in exact_chain if n >= 11]
    rate = float(np.polyfit(sizes, [log(exact_chain[n]) for n in sizes], 1)[0])
    off = max(abs(p.mistakes - exact_chain[p.n]) / p.std_err for p in online)
    level, level_error = growth(majority)
    share = {f"{mode}, {flips}": [at for p in own for at in p.at_target] for (mode, flips), own in series.items()}
    worst = min(share, key=lambda name: float(np.mean(share[name])))
    valid = [at for own in series.values() for p in own for at in p.valid_at_target]
    expected = [predicted_epochs(p.n) for p in printed]
    ratios = [p.mistakes / e for p, e in zip(printed, expected, strict=True)]
    return [
        exact(
            f"on line, mistakes grow at least like e^({LOWER_BOUND} n)",
            rate > LOWER_BOUND,
            f"like e^({rate:.2f} n) by the exact Markov chain; runs are at most {off:.1f} standard errors off it",
        ),
        at_most(
            "with single-bit batches of (1/2) pi n ln n examples they are O(n): the power of n is at most 1",
            *growth(single),
            1.0,
            0.1,
            ", ".join(f"{p.mistakes:.1f}" for p in single),
        ),
        at_most(
            "with multiple-bit batches of pi n ln n examples they are constant: the power of n is 0",
            *growth(printed),
            0.0,
            0.1,
            ", ".join(f"{p.mistakes:.1f}" for p in printed),
            "floor((1 - Y)/2) never exceeds the number of wrong weights, and |Y| is of the order of sqrt(n): n/2 wrong "
            "weights take of the order of sqrt(n) epochs, however large the batch; see the next claim",
        ),
        exact(
            "ours, the cause: these epochs are those of flips that are always right (within a tenth)",
            max(abs(ratio - 1) for ratio in ratios) < 0.1,
            "predicted " + ", ".join(f"{e:.1f}" for e in expected),
        ),
        at_most(
            "ours: flipping every index with more than half the votes (clipped Hebb) makes them constant",
            level,
            level_error,
            0.0,
            0.1,
            ", ".join(f"{p.mistakes:.2f}" for p in majority),
        ),
        share_at_least(
            f"the paper's confidence stop ends at w* with confidence above {1 - DELTA:.0%}",
            share[worst],
            1 - DELTA,
            "; ".join(f"{name} {np.mean(at):.0%}" for name, at in share.items()),
            "each wrong hypothesis has a chance of 5% to pass, and many are tried; see the next claim",
        ),
        share_at_least(
            f"ours, the cause: a stop that grows with the hypotheses tried keeps the confidence of {1 - DELTA:.0%}",
            valid,
            1 - DELTA,
            "all modes and sizes together",
        ),
    ]


def plots(series: dict[tuple[Mode, Flips], list[LawPoint]], exact: dict[int, float]) -> list[Plot]:
    """Plot on-line mistakes with the exact chain and the lower bound, and mistakes in batches."""

    def draw_online(axes: Any) -> None:
        points = series["online", "paper"]
        n = [p.n for p in points]
        axes.errorbar(n, [p.mistakes for p in points], [2 * p.std_err for p in points], fmt="o", label="measured")
        axes.plot(n, [exact[k] for k in n], "k:", label="exact Markov chain")
        axes.plot(n, [exp(LOWER_BOUND * k) for k in n], "k--", label=f"lower bound exp({LOWER_BOUND} n)")
        axes.set(xlabel="n", ylabel="mistakes until w*", yscale="log")

    def draw_batches(axes: Any) -> None:
        for (mode, flips), points in series.items():
            if mode != "online":
                label = mode + (f", {flips}" if mode == "multiple" else "")
                sizes, errors = [p.n for p in points], [2 * p.std_err for p in points]
                axes.errorbar(sizes, [p.mistakes for p in points], errors, fmt="o-", label=label)
        axes.set(xlabel="n", ylabel="mistakes until w*", xscale="log", yscale="log")
        axes.set_xticks(sizes, labels=map(str, sizes))
        axes.set_xticks([], minor=True)

    return [
        Plot("One example per update: mean mistakes, two standard errors", draw_online),
        Plot("One batch per update: mean mistakes, two standard errors", draw_batches),
    ]


EXPERIMENT = Experiment(
    "fang-venkatesh-laws",
    "Fang & Venkatesh: the laws of Directed Drift",
    __doc__,
    cells,
    run_cell,
    summarize,
    seconds,
)
