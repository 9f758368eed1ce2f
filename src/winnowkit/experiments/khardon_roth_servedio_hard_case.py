"""Khardon, Roth & Servedio (2001): a Perceptron over all conjunctions where Winnow over all terms makes few mistakes.

Either scale takes about a minute on one core.

Tao & Scott (section 2.1) cite it as the reason for Winnow: a Perceptron over all conjunctions can be computed by a
kernel, but makes exponentially many mistakes in the worst case. The target here is one conjunction of more than w of n
attributes, w = 0.47 n. The sequence begins with the empty set, labelled 0, and the full set, labelled 1; then random
sets of w attributes follow, labelled 0. The kernel of two sets is 2 to the number of attributes they share. Winnow over
all monotone conjunctions sees the same sequence; and, as that sequence is no test for Winnow, an adversary of its own,
which picks wrong predictions among random examples of the same target for as long as there are any.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit import bounds
from winnowkit.dnf import Agreement, Exact, MistakeLog
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Plot, ReportTable, Result, Scale, Summary
from winnowkit.experiments.frame.judge import alike, within
from winnowkit.experiments.trials import ALPHA

SIZES = (20, 28, 36, 44, 52, 60)
SHARE = 0.47  # of the attributes in a random set: the growth is nearly the largest there
LONG = 4.0  # examples, in multiples of the number after which Markov's inequality says nothing
CANDIDATES = 100

Sets = NDArray[np.uint64]


def cells(scale: Scale, seed: int) -> list[Cell]:
    """Return one cell per number of attributes and run."""
    return [{"n": n, "run": run, "seed": seed} for n in SIZES for run in range(5 if scale == "quick" else 20)]


def run(cell: Cell) -> Result:
    """Count mistakes on the hard sequence, and those that an adversary forces on Winnow."""
    n = cell["n"]
    rng = np.random.default_rng([cell["seed"], n, cell["run"]])
    sets = random_sets(n, size(n), length(n), rng)
    return {"perceptron": perceptron(sets), "winnow": winnow(sets[:200], n), "forced": attack(n, size(n), rng)}


def size(n: int) -> int:
    """Return the size of the random sets."""
    return round(SHARE * n)


def length(n: int) -> int:
    """Return the number of random sets of a sequence."""
    return int(LONG * 2 * bounds.kernel_perceptron(n, size(n)))


def random_sets(n: int, w: int, count: int, rng: np.random.Generator) -> Sets:
    """Draw sets of w of n attributes, as the bits of a number."""
    chosen = np.argpartition(rng.random((count, n)), w, axis=1)[:, :w]
    return np.bitwise_or.reduce(np.uint64(1) << chosen.astype(np.uint64), axis=1)


def perceptron(sets: Sets) -> int:
    """Count the mistakes of the kernel Perceptron, which predicts 1 iff its sum is > 0, on the whole sequence.

    Examples
    --------
    >>> sets = random_sets(20, 9, 100, np.random.default_rng(0))
    >>> perceptron(sets) > 5
    True
    """
    bits = np.unpackbits(sets[:, None].view(np.uint8), axis=1).astype(np.float32)
    wrong = np.empty_like(bits)
    count = 0
    for x in bits:
        total = np.exp2(x.sum()) - np.exp2(wrong[:count] @ x, dtype=np.float64).sum()
        if total > 0:
            wrong[count] = x
            count += 1
    return 1 + count  # and the full set: its sum was 0; the empty one before it was predicted 0, correctly


def winnow(sets: Sets, n: int) -> int:
    """Count the mistakes of Winnow over all monotone conjunctions on the beginning of the sequence.

    As long as it makes none, it has nothing to forget: the rest of the sequence is like the beginning.
    """
    learner = TermWinnow(n)
    return learner.trial(0, 0) + learner.trial(2**n - 1, 1) + sum(learner.trial(int(x), 0) for x in sets)


class TermWinnow:
    """Winnow over all monotone conjunctions of n attributes, theta = 2^n, with exact sums."""

    def __init__(self, n: int) -> None:
        self.n, self.log = n, MistakeLog(n)

    def predict(self, x: int) -> int:
        """Predict the label of a set."""
        return int(Exact().log_sum(Agreement.of(self.log, self.row(x)), ALPHA).log_sum >= self.n * np.log(2) - 1e-9)

    def trial(self, x: int, label: int) -> bool:
        """Perform one trial; whether it was a mistake."""
        wrong = self.predict(x) != label
        if wrong:
            self.log.append(self.row(x), 1 if label else -1)
        return wrong

    def row(self, x: int) -> NDArray[np.int32]:
        """Return a set as a row: 0 is unspecified."""
        return np.array([x >> j & 1 for j in range(self.n)], dtype=np.int32)


def attack(n: int, w: int, rng: np.random.Generator) -> int:
    """Count the mistakes that an adversary forces on Winnow: wrong predictions among random examples of the target.

    The target is the conjunction of the first w + 1 attributes. The adversary gives up once none of so many examples is
    predicted wrongly.
    """
    learner, mistakes = TermWinnow(n), 0
    target = 2 ** (w + 1) - 1
    while True:
        for _ in range(CANDIDATES):
            others = int(random_sets(n, int(rng.integers(1, n)), 1, rng)[0])
            label = int(rng.random() < 0.5)
            x = others | target if label else others & ~(1 << int(rng.integers(w + 1)))
            if learner.trial(x, label):
                mistakes += 1
                break
        else:
            return mistakes


def upper_bound(n: int) -> float:
    """Return the bound of Winnow over 2^n terms on a target of one term."""
    return bounds.winnow_disjunction(1, 2**n, ALPHA, 2.0**n)


def summarize(outcomes: list[CellResult]) -> Summary:
    """Draw the plot and judge the claims."""
    kernel, same, forced = (
        {n: np.array([o.result[name] for o in outcomes if o.cell["n"] == n], dtype=np.float64) for n in SIZES}
        for name in ("perceptron", "winnow", "forced")
    )
    lower = {n: bounds.kernel_perceptron(n, size(n)) for n in SIZES}
    logs = np.log([kernel[n] for n in SIZES])
    slopes = np.polyfit(SIZES, logs, 1)[0]
    expected = float(np.polyfit(SIZES, np.log([lower[n] for n in SIZES]), 1)[0])
    power = np.polyfit(np.log(SIZES), logs, 1)[0]
    verdicts = [
        alike(
            "a Perceptron over all conjunctions makes exponentially many mistakes: as fast as the lower bound grows",
            slopes - expected,
            0.02,
            f"like e^({slopes.mean():.3f} n), the bound like e^({expected:.3f} n); as a power of n, {power.mean():.1f}",
        ),
        within(
            "and no fewer than the lower bound, in the mean over the runs",
            [lower[n] / kernel[n].mean() for n in SIZES],
            ", ".join(f"n = {n}: {kernel[n].mean():,.0f} of at least {lower[n]:,.0f}" for n in SIZES),
        ),
        within(
            "Winnow over all terms makes few mistakes, whatever the sequence: O(n) for one term",
            np.concatenate([made / upper_bound(n) for n in SIZES for made in (same[n], forced[n])]),
            f"on the same sequence {max(made.max() for made in same.values()):.0f} mistakes; by its own adversary "
            + ", ".join(f"n = {n}: {forced[n].mean():.0f} of at most {upper_bound(n):.0f}" for n in SIZES),
        ),
    ]
    header = ["n", "Perceptron", "its lower bound", "Winnow, same sequence", "Winnow, own adversary", "Winnow's bound"]
    rows = [
        [
            str(n),
            f"{kernel[n].mean():,.0f}",
            f"{lower[n]:,.0f}",
            f"{same[n].mean():.0f}",
            f"{forced[n].mean():.0f}",
            f"{upper_bound(n):.0f}",
        ]
        for n in SIZES
    ]
    records = [
        {"n": o.cell["n"], "run": o.cell["run"], "learner": name, "mistakes": made}
        for o in outcomes
        for name, made in o.result.items()
    ]

    def draw(axes: Any) -> None:
        axes.plot(SIZES, [kernel[n].mean() for n in SIZES], "o-", label="kernel Perceptron")
        axes.plot(SIZES, [lower[n] for n in SIZES], "C0:", label="its lower bound")
        axes.plot(SIZES, [forced[n].mean() for n in SIZES], "s-", label="Winnow, own adversary")
        axes.plot(SIZES, [upper_bound(n) for n in SIZES], "C1:", label="Winnow's bound")
        axes.set(xlabel="attributes n", ylabel="mistakes", yscale="log")

    caption = "Mistakes on the hard sequence; Winnow makes none on it"
    return Summary(records, [ReportTable("Mean mistakes", header, rows)], [Plot(caption, draw)], verdicts)


def seconds(cell: Cell) -> float:
    """Return the approximate time, as measured."""
    return 0.2 + length(cell["n"]) / 20_000


EXPERIMENT = Experiment(
    "khardon-roth-servedio-hard-case",
    "Khardon, Roth & Servedio (2001): mistakes of a kernel Perceptron and of Winnow over all terms",
    __doc__,
    cells,
    run,
    summarize,
    seconds,
)
