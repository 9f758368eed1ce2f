"""The lecture on Winnow1 and Winnow2: its bounds against mistakes actually made.

The quick scale takes one minute on one core.

There are random examples of a disjunction or of an r-of-k function, half of them positive, with an eighth of the
attributes active, or only two, which is hard for the elimination algorithm; and there is an adversary. It hides a
disjunction of k variables, one in each of k blocks of n/k, shows one half of what is left of a block, and answers the
opposite of the prediction. This forces k floor(log2(n/k)) mistakes on any learner whatever, which is why the lecture
calls O(k log n) optimal. There are 20 runs per point at the quick scale, and 30 at the scale of the paper (the lecture
gives no sizes).
"""

from __future__ import annotations

from math import floor, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit import bounds
from winnowkit.data import streams
from winnowkit.experiments.frame import Cell, CellResult, Experiment, Plot, ReportTable, Result, Scale, Summary, Verdict
from winnowkit.experiments.frame.judge import ARITHMETIC, alike, exact, less, within
from winnowkit.linear.winnow import Elimination, Winnow1, Winnow2

ROWS = 3000
K, SIZES = 4, (32, 128, 512, 2048)
THRESHOLDS = ((1, 4), (2, 4), (3, 4), (2, 8))  # (r, k), over 256 attributes
N_THRESHOLD = 256
NOISE = 0.02
SPARSE = 2  # active attributes per row
KINDS = {
    "disjunction": "random examples, an eighth of the attributes active",
    "sparse": f"random examples, {SPARSE} attributes active",
    "adversary": "an adversary's examples",
}


def cells(scale: Scale, seed: int) -> list[Cell]:
    """Return one cell per kind of stream, size and run; the adversary needs a single run."""
    found: list[Cell] = []
    for run in range(20 if scale == "quick" else 30):
        found += [{"kind": "disjunction", "n": n, "r": 1, "k": K, "run": run, "seed": seed} for n in SIZES]
        found += [{"kind": "sparse", "n": n, "r": 1, "k": K, "run": run, "seed": seed} for n in SIZES]
        found += [{"kind": "noisy", "n": 128, "r": 1, "k": K, "run": run, "seed": seed}]
        found += [
            {"kind": "threshold", "n": N_THRESHOLD, "r": r, "k": k, "run": run, "seed": seed} for r, k in THRESHOLDS
        ]
    return found + [{"kind": "adversary", "n": n, "r": 1, "k": K, "run": 0, "seed": seed} for n in SIZES]


def run(cell: Cell) -> Result:
    """Count the mistakes of each learner, and compute its bound."""
    n, r, k = cell["n"], cell["r"], cell["k"]
    if cell["kind"] == "adversary":
        return {
            name: {"mistakes": fooled(model, n, k), "bound": bound} for name, model, bound in disjunction_learners(n, k)
        }
    seed, noise = 1000 * cell["seed"] + cell["run"], NOISE if cell["kind"] == "noisy" else 0.0
    active = SPARSE if cell["kind"] == "sparse" else max(r, n // 8)
    X, y = streams.threshold(n, r, k, active, label_noise=noise, seed=seed).take(ROWS)
    if cell["kind"] == "threshold":
        model = Winnow2(delta=1 / r)
        made = model.begin(n, [0, 1]).partial_fit(X, y).n_mistakes_
        return {"Winnow2": {"mistakes": made, "bound": bounds.winnow2_threshold(r, k, n)}}
    result: Result = {}
    for name, model, bound in disjunction_learners(n, k):
        wrong = model.begin(n, [0, 1]).partial_fit_predict(X, y) != y
        result[name] = {
            "mistakes": int(wrong.sum()),
            "late": int(wrong[ROWS // 2 :].sum()),
            "promotions": int((wrong & (y == 1)).sum()),
            "demotions": int((wrong & (y == 0)).sum()),
            "heaviest": float(model.coef_.max()),
            "bound": None if noise else bound,
        }
    return result


def disjunction_learners(n: int, k: int) -> list[tuple[str, Any, float]]:
    """Return Winnow1, Winnow2 and the elimination algorithm, with their bounds for a disjunction."""
    return [
        ("Elimination", Elimination(), bounds.elimination(n)),
        ("Winnow1", Winnow1(), bounds.winnow1(k, n)),
        ("Winnow2", Winnow2(), bounds.winnow2_disjunction(k, n)),
    ]


def fooled(model: Any, n: int, k: int) -> int:
    """Count the mistakes that the adversary forces on a learner, and check that its answers fit a disjunction.

    Examples
    --------
    >>> fooled(Winnow1(), n=64, k=4)  # 4 log2(16)
    16
    """
    model = model.begin(n, [0, 1])
    rows, labels = [], []
    for block in np.array_split(np.arange(n), k):
        left = block
        while len(left) > 1:
            half = left[: len(left) // 2]
            label = 1 - int(model.predict_active(half))
            model.learn_active(half, label)
            left = half if label else np.setdiff1d(left, half)
            rows.append(half)
            labels.append(label)
        hidden = left[0]
        if any(
            (hidden in row) != bool(label) for row, label in zip(rows, labels, strict=True) if np.isin(row, block).all()
        ):
            raise RuntimeError(f"the adversary contradicted itself in the block of {hidden}")
    return int(model.n_mistakes_)


def lower_bound(n: int, k: int) -> int:
    """Return the number of mistakes that the adversary forces on any learner, for k that divides n."""
    return k * floor(log2(n / k))


def mean(outcomes: list[CellResult], name: str, what: str = "mistakes", **where: Any) -> float:
    """Return the mean over the runs of a point."""
    return float(np.mean(values(outcomes, name, what, **where)))


def values(outcomes: list[CellResult], name: str, what: str = "mistakes", **where: Any) -> NDArray[np.float64]:
    """Return a quantity for each run of a point."""
    chosen = [o.result[name][what] for o in outcomes if all(o.cell[key] == value for key, value in where.items())]
    return np.array(chosen, dtype=np.float64)


def summarize(outcomes: list[CellResult]) -> Summary:
    """Compare mistakes with bounds, and judge the lecture's claims."""
    records = [
        {**{key: cell[key] for key in ("kind", "n", "r", "k", "run")}, "learner": name, **numbers}
        for cell, result in outcomes
        for name, numbers in result.items()
    ]
    names = ["Elimination", "Winnow1", "Winnow2"]

    def both(kind: str, name: str, n: int) -> str:
        bound = mean(outcomes, name, "bound", kind=kind, n=n)
        return f"{mean(outcomes, name, kind=kind, n=n):.1f} ({bound:,.0f})"

    tables = [
        ReportTable(
            f"Mistakes on a disjunction of {K} of n attributes, {what}; the bound in brackets",
            ["learner", *(f"n = {n:,}" for n in SIZES)],
            [[name, *(both(kind, name, n) for n in SIZES)] for name in names],
        )
        for kind, what in KINDS.items()
    ]
    rows = [
        [
            f"{r} of {k}",
            f"{mean(outcomes, 'Winnow2', kind='threshold', r=r, k=k):.1f}",
            f"{mean(outcomes, 'Winnow2', 'bound', kind='threshold', r=r, k=k):,.0f}",
        ]
        for r, k in THRESHOLDS
    ]
    tables.append(
        ReportTable(f"Winnow2 on r-of-k functions of {N_THRESHOLD} attributes", ["target", "mistakes", "bound"], rows)
    )

    def plot(kind: str) -> Plot:
        def draw(axes: Any) -> None:
            for i, name in enumerate(names):
                made, bound = (
                    [mean(outcomes, name, what, kind=kind, n=n) for n in SIZES] for what in ("mistakes", "bound")
                )
                axes.plot(SIZES, made, "o-", color=f"C{i}", label=name)
                axes.plot(SIZES, bound, ":", color=f"C{i}")
            if kind == "adversary":
                axes.plot(SIZES, [lower_bound(n, K) for n in SIZES], "k--", label="k log2(n/k)")
            axes.set(xlabel="n", ylabel="mistakes", xscale="log", yscale="log")
            axes.set_xticks(SIZES, [str(n) for n in SIZES], minor=False)
            axes.minorticks_off()

        return Plot(f"Disjunction of {K}, {KINDS[kind]} (dotted: bounds)", draw)

    plots = [plot(kind) for kind in KINDS]
    return Summary(records, tables, plots, verdicts(outcomes))


def verdicts(outcomes: list[CellResult]) -> list[Verdict]:
    """Judge the lecture's claims."""
    bounded = [
        numbers["mistakes"] / numbers["bound"]
        for o in outcomes
        for numbers in o.result.values()
        if numbers["bound"] is not None
    ]
    clean = [(o.cell, o.result["Winnow1"]) for o in outcomes if o.cell["kind"] in ("disjunction", "sparse")]
    largest = SIZES[-1]
    one, many = (values(outcomes, name, kind="sparse", n=largest) for name in ("Winnow1", "Elimination"))
    dense = [mean(outcomes, name, kind="disjunction", n=largest) for name in ("Winnow1", "Elimination")]
    made = np.array([values(outcomes, "Winnow1", kind="disjunction", n=n) for n in SIZES])
    first, last = made[1] - made[0], made[-1] - made[-2]  # each from n to 4 n
    forced = {n: mean(outcomes, "Winnow1", kind="adversary", n=n) for n in SIZES}
    worst = max(mean(outcomes, "Winnow1", "bound", kind="adversary", n=n) / lower_bound(n, K) for n in SIZES)
    noisy = {name: values(outcomes, name, "late", kind="noisy") for name in ("Winnow1", "Winnow2")}
    thresholds = {
        (r, k): values(outcomes, "Winnow2", kind="threshold", r=r, k=k) / (r * r + k * r * log2(N_THRESHOLD))
        for r, k in THRESHOLDS
    }
    useless = bounds.winnow2(1.0, 20, 2.0**-20, 20)
    return [
        within("no run breaks its bound (Theorems 4.1.1, 4.2.1)", bounded),
        within("Lemma 4.1.4: no weight exceeds 2n", [run["heaviest"] / (2 * cell["n"]) for cell, run in clean]),
        within(
            "Lemma 4.1.5: at most k log2(2n) promotions",
            [run["promotions"] / (cell["k"] * log2(2 * cell["n"])) for cell, run in clean],
        ),
        within(
            "Lemma 4.1.6: at most one more demotion than promotions",
            [run["demotions"] / (run["promotions"] + 1) for _, run in clean],
        ),
        less(
            "Winnow1 errs much less than elimination when k << n: a fifth as often",
            0.2 * many - one,
            0.05 * float(many.mean()),
            f"n = {largest:,}, {SPARSE} active: {one.mean():.1f} and {many.mean():.1f} mistakes; with an eighth "
            f"active, where a negative example eliminates many attributes at once, {dense[0]:.1f} and {dense[1]:.1f}",
            unit=" mistakes",
        ),
        alike(
            "its mistakes grow like log n: by the same number each time that n is multiplied by 4",
            last - first,
            0.5 * float(first.mean()),
            ", ".join(f"{row.mean():.1f}" for row in made),
            unit=" mistakes",
        ),
        exact(
            "the bound is optimal: an adversary forces k log2(n/k) mistakes, a constant factor below it",
            all(count >= lower_bound(n, K) for n, count in forced.items()) and worst < 6,
            "; ".join(f"n = {n:,}: {count:.0f} of at least {lower_bound(n, K)}" for n, count in forced.items())
            + f"; the bound is at most {worst:.1f} times as large",
            power="the adversary forces these mistakes on any learner, by construction; that the bound is at most 6 "
            "times as large could have failed",
        ),
        less(
            f"Winnow1 is bad with noisy data: {NOISE:.0%} of the labels flipped, twice Winnow2's late mistakes",
            noisy["Winnow1"] - 2 * noisy["Winnow2"],
            0.5 * float(noisy["Winnow2"].mean()),
            f"mistakes in the last {ROWS // 2} trials: "
            + ", ".join(f"{name} {late.mean():.0f}" for name, late in noisy.items()),
            unit=" mistakes",
        ),
        within(
            "Winnow2 makes O(r^2 + k r log n) mistakes on r-of-k functions: at most 2 (r^2 + k r log2 n)",
            np.concatenate(list(thresholds.values())) / 2,
            ", ".join(f"{r} of {k} {shares.mean():.2f}" for (r, k), shares in thresholds.items()),
        ),
        exact(
            "for decision lists, delta = 2^-O(n), the bound says little",
            useless > 2**20,
            f"n = 20, delta = 2^-20: bound {useless:.1e}, more than all 2^20 examples",
            power=ARITHMETIC,
        ),
    ]


EXPERIMENT = Experiment(
    "lecture-bounds",
    "The lecture's bounds of Winnow1 and Winnow2, against mistakes made",
    __doc__,
    cells,
    run,
    summarize,
    lambda cell: 0.1 + cell["n"] / 4000,
)
