"""The lecture on Winnow1 and Winnow2: its bounds against mistakes actually made.

The quick scale takes one minute on one core.

There are random examples of a disjunction or of an r-of-k function, half of them positive, with an eighth of the
attributes active, or only two, which is hard for the elimination algorithm; and there is an adversary. It hides a
disjunction of k variables, one in each of k blocks of n/k, shows one half of what is left of a block, and answers the
opposite of the prediction. This forces k floor(log2(n/k)) mistakes on any learner whatever, which is why the lecture
calls O(k log n) optimal. There are 5 runs per point at the quick scale, and 30 at the scale of the paper (the lecture
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
    for run in range(5 if scale == "quick" else 30):
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
    broken = [
        f"{name} on {o.cell}"
        for o in outcomes
        for name, numbers in o.result.items()
        if numbers["bound"] is not None and numbers["mistakes"] > numbers["bound"]
    ]
    clean = [(o.cell, o.result["Winnow1"]) for o in outcomes if o.cell["kind"] in ("disjunction", "sparse")]
    promoted = max(made["promotions"] / (cell["k"] * log2(2 * cell["n"])) for cell, made in clean)
    demoted = max(made["demotions"] - made["promotions"] for _, made in clean)
    heaviest = max(made["heaviest"] / (2 * cell["n"]) for cell, made in clean)
    one, many = (
        [mean(outcomes, name, kind=kind, n=SIZES[-1]) for kind in ("sparse", "disjunction")]
        for name in ("Winnow1", "Elimination")
    )
    rise = one[1] / mean(outcomes, "Winnow1", kind="disjunction", n=SIZES[0])
    forced = {n: mean(outcomes, "Winnow1", kind="adversary", n=n) for n in SIZES}
    worst = max(mean(outcomes, "Winnow1", "bound", kind="adversary", n=n) / lower_bound(n, K) for n in SIZES)
    noisy = {name: mean(outcomes, name, "late", kind="noisy") for name in ("Winnow1", "Winnow2")}
    thresholds = [mean(outcomes, "Winnow2", kind="threshold", r=r, k=k) for r, k in THRESHOLDS]
    shapes = [r * r + k * r * log2(N_THRESHOLD) for r, k in THRESHOLDS]
    shares = [made / shape for made, shape in zip(thresholds, shapes, strict=True)]
    return [
        Verdict.of("no run breaks its bound (Theorems 4.1.1, 4.2.1)", not broken, f"broken: {broken or 'none'}"),
        Verdict.of(
            "Lemma 4.1.4: no weight exceeds 2n", heaviest <= 1, f"heaviest weight divided by 2n: {heaviest:.2f}"
        ),
        Verdict.of(
            "Lemma 4.1.5: at most k log2(2n) promotions",
            promoted <= 1,
            f"most promotions, divided by that: {promoted:.2f}",
        ),
        Verdict.of(
            "Lemma 4.1.6: at most one more demotion than promotions",
            demoted <= 1,
            f"demotions minus promotions: {demoted}",
        ),
        Verdict.of(
            "Winnow1 errs much less than elimination when k << n",
            one[0] < 0.2 * many[0],
            f"n = {SIZES[-1]:,}, {SPARSE} active: {one[0]:.1f} and {many[0]:.1f} mistakes; with an eighth active, "
            f"where each negative example eliminates many attributes at once, {one[1]:.1f} and {many[1]:.1f}",
        ),
        Verdict.of(
            "its mistakes grow like log n",
            rise < 2 * log2(2 * SIZES[-1]) / log2(2 * SIZES[0]),
            f"{SIZES[-1] // SIZES[0]} times the attributes, {rise:.1f} times the mistakes",
        ),
        Verdict.of(
            "the bound is optimal: an adversary forces k log2(n/k) mistakes, a constant factor below it",
            all(made >= lower_bound(n, K) for n, made in forced.items()) and worst < 6,
            "; ".join(f"n = {n:,}: {made:.0f} of at least {lower_bound(n, K)}" for n, made in forced.items()),
        ),
        Verdict.of(
            f"Winnow1 is bad with noisy data: {NOISE:.0%} of the labels flipped",
            noisy["Winnow1"] > 2 * noisy["Winnow2"],
            f"mistakes in the last {ROWS // 2} trials: "
            + ", ".join(f"{name} {made:.0f}" for name, made in noisy.items()),
        ),
        Verdict.of(
            "Winnow2 makes O(r^2 + k r log n) mistakes on r-of-k functions",
            max(shares) < 4 * min(shares) or max(shares) < 2,
            "mistakes divided by r^2 + k r log2 n: "
            + ", ".join(f"{r} of {k} {s:.2f}" for (r, k), s in zip(THRESHOLDS, shares, strict=True)),
        ),
        Verdict.of(
            "for decision lists, delta = 2^-O(n), the bound says little",
            bounds.winnow2(1.0, 20, 2.0**-20, 20) > 2**20,
            f"n = 20, delta = 2^-20: bound {bounds.winnow2(1.0, 20, 2.0**-20, 20):.1e}, more than all 2^20 examples",
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
