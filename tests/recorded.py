"""Predictions of every learner and engine, recorded, to show that a re-organisation moved nothing.

    python tests/recorded.py write FILE.npz      store all arrays ("case/array")
    python tests/recorded.py compare FILE.npz    recompute; print what differs in any bit; exit 1 if anything does
    ... [PART ...]                         only cases whose name contains one of these (compare only, or to try things)

Only the helpers of the next section know names and parameters that will change: adapt those, and nothing else.
`python -c "import recorded; recorded.cases()['dnf/monks']()"` runs one case.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
import warnings
import zipfile
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp

# === to adapt: everything below takes the OLD parameter names =====================================================


def linear(name, **old):
    """Any learner but DNFWinnow, by its class name and the old parameters (n_epochs, shuffle, ...)."""
    import winnowkit
    from winnowkit.linear.classifier import LinearClassifier

    old = {"max_epochs": old.pop("n_epochs", 1), "shuffle": False, **old}
    if name == "DirectedDrift":
        old = {"stop": "paper", **old}
    if issubclass(getattr(winnowkit, name), LinearClassifier):
        old["average"] = False
    return getattr(winnowkit, name)(**old)


def dnf(**old):
    """DNFWinnow, by the old parameters (weighted_sum, missing, categorical, monotone, forbid, margin, keep, ...)."""
    from winnowkit import DNFWinnow
    from winnowkit.data import CategoryEncoder
    from winnowkit.dnf import MistakeDriven

    if "weighted_sum" in old:
        old["engine"] = old.pop("weighted_sum")
    encoder, training = (
        kind(**{name: old.pop(name) for name in kind().get_params() if name in old})
        for kind in (CategoryEncoder, MistakeDriven)
    )
    return DNFWinnow(encoder=encoder, training=training, **old)


def engine(name, *args, **old):
    """An engine of winnowkit.dnf."""
    import winnowkit.dnf

    return getattr(winnowkit.dnf, name)(*args, **old)


def river(learner, **old):
    """RiverClassifier."""
    from winnowkit.river import RiverClassifier

    return RiverClassifier(learner, **old)


def encoder(**old):
    """CategoryEncoder (missing, categorical, monotone, forbid, discretizer)."""
    from winnowkit.data.encode import CategoryEncoder

    if "discretizer" in old:
        old["cuts"] = old.pop("discretizer")
    return CategoryEncoder(**{"missing": "ignore", **old})


def discretizer(**old):
    """MultisplitDiscretizer."""
    from winnowkit.data import MultisplitDiscretizer

    return MultisplitDiscretizer(**old)


def ruleset_classes():
    """Condition, Rule, RuleSet."""
    from winnowkit.rulesets import Condition, Rule, RuleSet

    return Condition, Rule, RuleSet


def chosen(model):
    """What `fit` of DNFWinnow learned with: missing, two_class, margin, max_updates; empty if it has not."""
    if not hasattr(model, "chosen_"):
        return []
    training = model.training
    two_class = model.chosen_["two_class"] if training.two_class == "adaptive" else training.two_class
    return [repr(value) for value in (model.encoder.missing, two_class, float(training.margin), training.max_updates)]


def encoder_of(model):
    """The fitted encoder of a DNFWinnow."""
    return model.encoder_


def condition_of(c):
    """A condition of a rule as (column, operator, repr of the value)."""
    return c.column, c.operator, repr(c.value)


def rule_of(rule):
    """A rule as (conditions, label, log weight, support, precision)."""
    return [condition_of(c) for c in rule.conditions], rule.label, rule.log_weight, rule.support, rule.precision


def ruleset_of(rules):
    """A rule set as (rules, default, columns, complete, log_enough, report as numbers)."""
    report = rules.report
    numbers = [] if report is None else [report.n_rows, report.agreement, report.error, *report.curve]
    return list(rules), rules.default, list(rules.columns), rules.complete, rules.log_enough, numbers


def bound_of(model, **given):
    """Mistakes and bound of a certificate."""
    found = model.certificate(**given)
    return found.mistakes, found.bound


def tops_of(model, count):
    """Top attributes as (condition, label, weight, part)."""
    return [(condition_of(a.condition), a.label, a.weight, a.part) for a in model.top_attributes(count)]


def explained(model, x):
    """The numbers and terms of an explanation, without its words."""
    why = model.explain(x)
    terms = [(rule_of(t.rule)[0], t.alone, t.share) for t in why.terms]
    flips = [([condition_of(c) for c in f.conditions], f.label) for f in why.flips]
    return why.label, why.evidence_for, why.log_ratio, why.rest, terms, flips


def river_weights(model):
    """Weights of a river classifier, by attribute (and label)."""
    return model.weights


# === arrays =======================================================================================================


def _none(value):
    return math.nan if value is None else value


def _text(values):
    return np.array([str(v) for v in values], dtype=np.str_)


def _labels(values):
    """Labels as an array of str or int."""
    array = np.asarray(values)
    return array if array.dtype.kind in "iub" else _text(array.tolist())


def ruleset_arrays(rules, prefix=""):
    """Arrays of a rule set, independent of wording."""
    found, default, columns, complete, enough, report = ruleset_of(rules)
    parts = [rule_of(rule) for rule in found]
    return {
        f"{prefix}conditions": _text(json.dumps(part[0]) for part in parts),
        f"{prefix}labels": _text([*(repr(part[1]) for part in parts), repr(default), complete, *columns]),
        f"{prefix}numbers": np.array([[_none(v) for v in part[2:]] for part in parts], dtype=float).reshape(-1, 3),
        f"{prefix}report": np.array([_none(enough), *map(_none, report)], dtype=float),
    }


# === data =========================================================================================================


@cache
def bits_two():
    """Two classes of ints; sparse; noisy disjunction of 40 attributes."""
    from winnowkit.data import streams

    return streams.disjunction(n=40, k=3, active=12, label_noise=0.04, seed=11).take(260)


@cache
def bits_pure():
    """The same without noise, for learners that eliminate: noise would leave them nothing."""
    from winnowkit.data import streams

    return streams.disjunction(n=40, k=3, active=12, seed=11).take(260)


@cache
def bits_clean():
    """A clean disjunction, with negated literals."""
    from winnowkit.data import streams

    return streams.disjunction(n=30, k=3, active=10, negations=True, seed=5).take(260)


@cache
def bits_many():
    """Four classes of strings: the car table as indicators."""
    from winnowkit.data import load_dataset

    X, y = load_dataset("car", return_X_y=True)
    pick = np.random.default_rng(3).permutation(len(y))[:220]
    X, y = X[pick], y[pick]
    columns = [X[:, j] == value for j in range(X.shape[1]) for value in sorted(set(X[:, j].tolist()))]
    return sp.csr_array(np.stack(columns, axis=1).astype(float)), y


@cache
def bits_matches():
    """Fair labels that attributes match (for SBSB, SASB)."""
    from winnowkit.data import streams

    return streams.bernoulli(n=25, k=10, p=0.3, seed=2).take(260)


@cache
def half_space():
    """Vertices of both half-spaces (for DirectedDrift), dense -1 and 1."""
    from winnowkit.data import streams

    X, y = streams.half_spaces(21, labels="both", seed=4).take(1500)
    return np.asarray(X, dtype=float), y


@cache
def fractions_in_unit():
    """Values in [0, 1], two and three classes."""
    rng = np.random.default_rng(8)
    X = np.round(rng.random((240, 14)) * (rng.random((240, 14)) < 0.5), 3)
    X[:, [0, 3, 5]] *= X[:, [0, 3, 5]] > 0.3  # a clean disjunction whether cut at 0 or at 0.3
    y = (X[:, 0] + X[:, 3] > 0).astype(int)
    return X, y, np.where(y, "b", np.where(X[:, 5] > 0, "c", "a"))


@cache
def thresholds():
    from winnowkit.data import streams

    return streams.threshold(n=30, r=2, k=5, active=10, seed=9).take(260)


@cache
def drifting():
    from winnowkit.data import streams

    return streams.disjunction(n=40, k=2, active=10, drift_every=100, seed=6).take(320)


@cache
def table(name, step, offset=0, count=10_000):
    from winnowkit.data import load_dataset

    X, y = load_dataset(name, return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[offset::step][:count]  # files are sorted
    return X[rows], y[rows]


# === learners of boolean attributes ===============================================================================


def counts_of(model):
    return np.array([model.n_trials_, model.n_mistakes_, *np.ravel(model.n_updates_)])


def reloaded(model):
    from winnowkit import load, save

    with tempfile.TemporaryDirectory() as folder:
        save(model, Path(folder) / "m.winnow")
        return load(Path(folder) / "m.winnow")


def _state(model, X, prefix):
    out = {
        f"{prefix}labels": _labels(model.predict(X)),
        f"{prefix}decision": model.decision_function(X),
        f"{prefix}counts": counts_of(model),
    }
    if hasattr(model, "predict_proba"):
        out[f"{prefix}proba"] = model.predict_proba(X)
    return out


def _weights(model, prefix):
    names = "coef_", "matches_"
    out = {f"{prefix}{name}": np.asarray(getattr(model, name)) for name in names if hasattr(model, name)}
    small = "intercept_", "n_disjunctions_", "n_epochs_", "converged_"
    small = [np.ravel(getattr(model, name)).astype(float) for name in small if hasattr(model, name)]
    return out | ({f"{prefix}numbers": np.concatenate(small)} if small else {})


def boolean(name, params, data, full=True):
    """All ways into one boolean learner."""
    params = dict(params)
    X, y = data()[:2]
    dense = X.toarray() if sp.issparse(X) else X
    sparse = sp.csr_array(X) if (dense >= 0).all() else None
    n, cut = dense.shape[1], len(y) * 2 // 3
    seen = slice(0, cut)
    test = dense[cut : cut + (36 if len(np.unique(y)) == 2 else 24)]
    threshold = params.get("binarize", 0.0) or 0.0
    active = [np.flatnonzero(row > threshold).astype(np.int64) for row in dense]
    classes = np.unique(y)
    out = {}

    def make(**more):
        p = {"random_state": 3, **params, **more}
        return linear(name, **p)

    # fit, in several epochs and orders
    model = make(n_epochs=3, shuffle=True).fit(dense[seen], y[seen])
    out |= _state(model, test, "fit.") | _weights(model, "fit.")
    if full:
        in_order = make(n_epochs=2).fit(dense[seen] if sparse is None else sparse[seen], y[seen])
        out |= _state(in_order, test if sparse is None else sparse[cut : cut + len(test)], "sparse.")
        threads = make(n_jobs=2).fit(dense[seen], y[seen])
        out["threads.decision"] = threads.decision_function(test)[:8]

    # progressive predictions in two batches, the second sparse
    model = make()
    half = cut // 2
    first = model.partial_fit_predict(dense[:half], y[:half], classes)
    second = model.partial_fit_predict((dense if sparse is None else sparse)[half:cut], y[half:cut])
    out["stream.labels"] = _labels(np.concatenate([first, second]))
    out |= {k: v for k, v in _state(model, test, "stream.").items() if not k.endswith("labels")}
    again = reloaded(model)
    out["loaded.decision"] = again.decision_function(test)[:8]
    out["loaded.labels"] = _labels(again.partial_fit_predict(dense[cut:], y[cut:]))
    out["loaded.counts"] = counts_of(again)
    model.partial_fit(dense[half:], y[half:])
    out["partial.labels"] = _labels(model.predict(test))
    out["partial.counts"] = counts_of(model)

    # one by one
    if full:
        one = make().begin(n, classes)
        said = [one.learn_one(dense[i], y[i]) for i in range(100)]
        out["one.labels"] = _labels([*said, *(one.predict_one(row) for row in test)])
        fast = make().begin(n, classes)
        said = [fast.learn_active(active[i], y[i]) for i in range(120)]
        out["active.labels"] = _labels([*said, *(fast.predict_active(active[cut + i]) for i in range(len(test)))])
        out["active.counts"] = np.concatenate([counts_of(one), counts_of(fast)])
        loaded = reloaded(fast)
        said = [loaded.learn_active(active[i], y[i]) for i in range(120, 200)]
        out["active-loaded.labels"] = _labels(said)
    return merged(out)


def merged(out):
    """All counts in one array, and so all labels but those predicted on the way: small arrays cost room in the file."""
    kinds = {
        "counts": [key for key in out if key.endswith("counts")],
        "final labels": [key for key in out if key in ("fit.labels", "sparse.labels", "partial.labels")],
        "labels on the way": [
            key for key in out if key.endswith(".labels") and not key.startswith(("fit", "sp", "part"))
        ],
    }
    for name, keys in kinds.items():
        parts = [out.pop(key) for key in keys]
        if parts:
            out[name] = np.concatenate(parts)
    return out


DRIFT = [
    (f"{mode}-{flips}", {"mode": mode, "flips": flips})
    for mode in ("multiple", "online", "single")
    for flips in ("paper", "majority")
]
LINEAR = {
    "Elimination": [("", {})],
    "Winnow1": [("", {}), ("alpha", {"alpha": 3.0, "theta": 7.5})],
    "Winnow2": [
        ("", {}),
        ("alpha", {"alpha": 1.2, "theta": 6.0}),
        ("delta", {"delta": 0.4}),
        ("floor", {"floor": 0.05}),
    ],
    "BalancedWinnow": [("", {}), ("margin", {"margin": 0.5, "alpha": 1.3}), ("theta", {"theta": 3.0, "alpha": 2.0})],
    "NormalizedWinnow": [("", {}), ("k", {"k": 3, "alpha": 2.0}), ("always", {"policy": "always", "k": 4})],
    "ThresholdedBEG": [
        ("", {}),
        ("always", {"policy": "always"}),
        ("preset", {"preset": "noise-free"}),
        ("betas", {"beta0": 0.5, "beta1": 3.0, "theta": 0.5, "initial": 0.02}),
        ("margin", {"margin": 0.2, "alpha": 1.8}),
    ],
    "BayesBEG": [
        ("", {}),
        ("always", {"policy": "always"}),
        ("theorem-3", {"preset": "theorem-3"}),
        ("theorem-3-always", {"preset": "theorem-3", "policy": "always"}),
        ("own", {"preset": None, "beta0": 0.3, "beta1": 2.0, "gamma": 0.01, "initial": 0.05}),
    ],
}
COUNTING = {
    "SBSB": [
        ("", {}),
        ("mistake", {"policy": "mistake"}),
        ("voting", {"voting": 5}),
        ("mistake-voting", {"policy": "mistake", "voting": 4}),
    ],
    "SASB": [("", {}), ("voting", {"voting": 7})],
    "DirectBayes": [
        ("", {}),
        ("mistake", {"policy": "mistake"}),
        ("k3", {"k": 3, "noise": 0.05}),
        ("k1-random", {"k": 1, "prediction": "probability"}),
        ("random-mistake", {"prediction": "probability", "policy": "mistake", "noise": 0.2}),
    ],
}


def boolean_cases():
    found = {}

    def add(label, name, params, data, full=True):
        found[f"{name}/{label}"] = partial(boolean, name, params, data, full)

    def three():
        X, _, y = fractions_in_unit()
        return X, y

    for name, variants in LINEAR.items():
        for label, params in variants:
            label = label or "plain"
            eliminates = name in ("Elimination", "Winnow1") or label.startswith(("preset", "theorem-3"))
            add(f"{label}/2", name, params, bits_pure if eliminates else bits_two)
            add(f"{label}/4", name, params, bits_many, full=label == "plain" or label == "default")
        params = variants[0][1]
        add("negations/2", name, {**params, "negations": True}, bits_clean)
        add("negations/4", name, {**params, "negations": True}, bits_many, full=False)
        add("fractions/2", name, {**params, "binarize": None}, fractions_in_unit)
        add("fractions/3", name, {**params, "binarize": None}, three, full=False)
        add("fractions-negations", name, {**params, "binarize": None, "negations": True}, fractions_in_unit, full=False)
        add("cut", name, {**params, "binarize": 0.3}, fractions_in_unit, full=False)
    add("drifting", "Winnow2", {"floor": 0.02}, drifting, full=False)
    add("thresholds", "Winnow2", {"delta": 0.2}, thresholds, full=False)
    for name, variants in COUNTING.items():
        for label, params in variants:
            label = label or "plain"
            add(f"{label}/2", name, params, bits_matches if name != "DirectBayes" else bits_two)
            add(f"{label}/4", name, params, bits_many, full=label == "plain")
    add("negations/2", "DirectBayes", {"negations": True}, bits_clean)
    add("negations/4", "DirectBayes", {"negations": True}, bits_many, full=False)
    for label, params in DRIFT:
        add(f"{label}/2", "DirectedDrift", params, half_space)
        add(f"{label}/batch", "DirectedDrift", {**params, "batch": 9, "delta": 0.2}, half_space, full=False)
        add(f"{label}/4", "DirectedDrift", {**params, "batch": 5}, bits_many, full=label == "multiple-paper")
    add("negations/2", "DirectedDrift", {"negations": True, "batch": 20}, bits_clean)
    add("negations/4", "DirectedDrift", {"negations": True, "batch": 7, "mode": "single"}, bits_many, full=False)
    found["linear/unusual rows"] = unusual_rows
    found["linear/rules"] = linear_rules
    found["linear/certificates"] = certificates
    found["linear/frames"] = linear_frames
    return found


def unusual_rows():
    """Unsorted and repeated indices, explicit zeros, empty rows, one attribute, int64 indices, labels of many kinds."""
    out = {}
    data = np.array([1.0, 1.0, 0.0, 2.0, 1.0, 1.0, 1.0])
    indices, indptr = np.array([3, 1, 2, 0, 4, 4, 1]), np.array([0, 2, 2, 4, 7])
    messy = sp.csr_matrix((data, indices, indptr), shape=(4, 5))
    for name in ("Winnow2", "SASB", "DirectBayes", "DirectedDrift", "Elimination"):
        model = linear(name, n_epochs=2, random_state=0).fit(messy, ["no", "yes", "yes", "no"])
        out[f"{name}.messy"] = model.decision_function(messy)
        model = linear(name, n_epochs=2, random_state=0).fit(
            [[1], [0], [1], [0], [0]], [True, False, True, True, False]
        )
        out[f"{name}.single"] = model.decision_function([[0], [1]])
        model = linear(name, random_state=0).begin(6, [2, 7, -1])
        said = [model.learn_active(np.array(i, dtype=np.int64), y) for i, y in [([0, 0, 3], 7), ([], 2), ([5, 1], -1)]]
        out[f"{name}.repeated"] = np.array([*said, model.predict_active(np.array([3], dtype=np.int32))])
    return out


def linear_rules():
    out = {}
    for name, params, data in [
        ("Winnow2", {}, bits_two),
        ("Winnow1", {}, bits_many),
        ("Elimination", {"negations": True}, bits_clean),
        ("BalancedWinnow", {}, bits_many),
        ("NormalizedWinnow", {"k": 4}, bits_two),
        ("ThresholdedBEG", {"negations": True}, bits_clean),
        ("BayesBEG", {"policy": "always"}, bits_two),
        ("Winnow2", {"binarize": None}, fractions_in_unit),
    ]:
        X, y = data()[:2]
        key = name + "-".join(params)
        model = linear(name, **params).fit(X, y)
        out |= ruleset_arrays(model.rules(), f"{key}.rules.")
        measured = model.rules(X, y, max_rules=6)
        out |= ruleset_arrays(measured, f"{key}.measured.")
        out |= ruleset_arrays(model.rules(X, max_rules=3), f"{key}.alike.")
        out[f"{key}.predicted"] = _labels(measured.predict(X)[:60])
        tops = tops_of(model, 5)
        out[f"{key}.top"] = _text(json.dumps([list(t[0]), str(t[1])]) for t in tops)
        out[f"{key}.top weights"] = np.array([t[2:] for t in tops])
    return out


def certificates():
    numbers = []
    for name, variants in LINEAR.items():
        for _, params in variants:
            model = linear(name, random_state=0, **params).fit(*bits_clean())
            numbers += [bound_of(model, k=3), bound_of(model, k=2, attribute_errors=4)]
    numbers.append(bound_of(linear("DirectBayes").fit(*bits_two()), best_mistakes=5))
    return {"bounds": np.array(numbers, dtype=float)}


def linear_frames():
    """Frames of pandas and polars with names."""
    import pandas as pd
    import polars as pl

    X, y = bits_two()
    frame = pd.DataFrame(X.toarray()[:, :12], columns=[f"c{j}" for j in range(12)])
    out = {}
    for name in ("Winnow2", "SBSB", "DirectedDrift"):
        model = linear(name, random_state=1).fit(frame, y)
        out[f"{name}.pandas"] = model.decision_function(frame[:30])
        out[f"{name}.names"] = _text(model.feature_names_in_)
        out[f"{name}.polars"] = (
            linear(name, random_state=1).fit(pl.from_pandas(frame), y).decision_function(pl.from_pandas(frame[:30]))
        )
    return out


# === DNFWinnow ====================================================================================================


def log_arrays(model, prefix=""):
    """The logs of mistakes, in an order of their own: a learner, the net, the codes."""
    rows = [
        np.column_stack([np.full(len(log), c), log.nets, log.codes]) for c, log in enumerate(model.logs_) if len(log)
    ]
    rows = np.concatenate(rows) if rows else np.zeros((0, 2), dtype=np.int64)
    rows = rows[np.lexsort(rows.T[::-1])]
    small = np.int16 if np.abs(rows).max(initial=0) < 30_000 else np.int64
    return {f"{prefix}log": rows.astype(small)}


def estimates(found, prefix):
    flat = [e for row in found for e in row]
    return {
        f"{prefix}values": np.array([[e.log_sum, e.std_err, e.ess, e.acceptance, e.swap_rate] for e in flat]),
        f"{prefix}work": np.array([[e.exact, e.chains, e.steps] for e in flat], dtype=np.int64),
    }


def dnf_state(model, test, prefix="", asked=None):
    out = {
        f"{prefix}labels": _labels(model.predict(test)),
        f"{prefix}decision": model.decision_function(test),
        f"{prefix}counts": np.array(
            [model.n_trials_, model.n_mistakes_, getattr(model, "n_epochs_", -1), *np.ravel(model.n_updates_)]
        ),
        f"{prefix}sums": model.log_weighted_sum(test[:6], asked),
        f"{prefix}chosen": _text([*chosen(model), repr(model.theta_), repr(model.log_theta_)]),
    }
    return out | log_arrays(model, prefix)


def learned(make, data, test, every=True):
    """One DNFWinnow: fit, save and load; and if `every`, as a stream too."""
    (X, y), (T, _) = data, test
    model = make().fit(X, y)
    out = dnf_state(model, T)
    again = reloaded(model)
    out["loaded"] = again.decision_function(T[:8])
    if every:
        model = make()
        half = len(y) // 2
        first = model.partial_fit_predict(X[:half], y[:half], np.unique(y))
        second = model.partial_fit_predict(X[half:], y[half:])
        out["stream.labels"] = _labels(np.concatenate([first, second]))
        out["stream.decision"] = model.decision_function(T[:12])
        again = reloaded(model)
        said = [again.learn_one(x, label) for x, label in zip(X[:30], y[:30], strict=True)]
        out["one.labels"] = _labels([*said, *(again.predict_one(x) for x in T[:15])])
        out["stream.counts"] = np.array(
            [model.n_trials_, model.n_mistakes_, *model.n_updates_, again.n_mistakes_, *again.n_updates_]
        )
    return merged(out)


MONKS = ("monks-1", 1), ("monks-1-test", 9)
BOARDS = ("tic-tac-toe", 6), ("tic-tac-toe", 23, 1)
VOTING = ("voting", 4), ("voting", 9, 1)
IRIS = ("iris", 2), ("iris", 3, 1)
CAR = ("car", 12), ("car", 43, 1)
CANCER = ("breast-cancer", 3), ("breast-cancer", 7, 1)
AUTO = ("auto", 3), ("auto", 8, 1)
ANNEALING = ("annealing", 10), ("annealing-test", 4)
# Settings that `fit` once chose for itself where they were "auto": missing, two_class, margin, max_updates.
USUAL = {"missing": "informative", "two_class": "adaptive", "margin": 0.1, "max_updates": "half"}
CHOSEN = {
    "two_class/auto/boards": ("informative", "single", 0.1, "half"),
    "two_class/auto/voting": ("informative", "single", 0.1, "half"),
    "two_class/auto/monks": ("informative", "pair", 0.1, "half"),
    "auto everything/voting": ("informative", "single", 1.0, 4),
    "auto everything/iris": ("informative", "single", 1.0, 4),
    "auto everything/cancer": ("informative", "pair", 1.0, 8),
    "margin auto/cancer": ("informative", "pair", 1.0, "half"),
    "margin auto/car": ("informative", "single", 0.1, "half"),
    "max_updates auto/cancer": ("informative", "pair", 0.1, "half"),
    "max_updates auto/car": ("informative", "single", 0.1, "half"),
    "missing/auto/voting": ("informative", "pair", 0.1, "half"),
    "missing/auto/auto": ("informative", "single", 0.1, "half"),
    "missing/auto/pair": ("informative", "pair", 0.0, "half"),
}
PAPER = {"two_class": "pair", "margin": 0, "max_updates": None, "missing": "ignore", "keep": "last", "shuffle": False}


def _ladder(**more):
    return engine("Ladder", **{"steps": 150, "burn_in": 15, **more})


ENGINES = {
    "auto": lambda: "auto",
    "exact": lambda: engine("Exact"),
    "exact-budget": lambda: engine("Exact", 100_000),
    "descent": lambda: engine("Descent"),
    "descent-small": lambda: engine("Descent", max_nodes=20, max_descents=30, population=few()),
    "population": lambda: few(),
    "ladder": _ladder,
    "ladder-metropolis": lambda: _ladder(sampler="metropolis", guess="label"),
    "ladder-metropolized": lambda: _ladder(sampler="metropolized-gibbs", bounds="totals", early_stop=False),
    "ladder-tempering": lambda: _ladder(tempering=0.9, group=4, guess="one"),
    "auto-ladder": lambda: engine("Auto", engine("Exact", 20), _ladder(guess="start")),
    "auto-descent": lambda: engine("Auto", engine("Exact", 5), engine("Descent", max_nodes=10, max_descents=20)),
    "auto-population": lambda: engine("Auto", engine("Exact", 5), few()),
}


def few():
    return engine("Population", size=8, tempers=3, min_populations=4, max_populations=8)


def dnf_cases():
    found = {}

    def add(label, sets, every=True, made=None, **params):
        """`made`: parameters that are made anew each time, by functions."""
        for name, value in zip(("missing", "two_class", "margin", "max_updates"), CHOSEN.get(label, ()), strict=False):
            params[name] = value if params.get(name) == "auto" else params.get(name, USUAL[name])

        def run():
            def make():
                return dnf(**{"random_state": 5, **params, **{k: f() for k, f in (made or {}).items()}})

            return learned(make, table(*sets[0]), table(*sets[1]), every)

        found[f"dnf/{label}"] = run

    everything = {
        "monks": MONKS, "boards": BOARDS, "voting": VOTING, "iris": IRIS, "car": CAR, "cancer": CANCER, "auto": AUTO,
    }  # fmt: skip
    for label, sets in everything.items():
        add(label, sets)
        add(f"{label}/paper", sets, **PAPER, max_epochs=25)
    add("annealing", ANNEALING, categorical=[1], max_epochs=8)  # a constant column
    for label, make in ENGINES.items():
        sampled = label.startswith(("ladder", "population", "descent-small", "auto-"))
        short = {"max_epochs": 3} if sampled else {}
        add(f"engine/{label}/monks", (("monks-1", 2), MONKS[1]), made={"weighted_sum": make}, **short)
        add(f"engine/{label}/iris", (("iris", 4), ("iris", 9, 1)), made={"weighted_sum": make}, **short)
        if sampled:
            add(
                f"engine/{label}/pair", (("monks-3", 3), MONKS[1]), every=False, made={"weighted_sum": make},
                two_class="pair", margin=0, **short,
            )  # fmt: skip
        if not sampled or label.startswith("auto-"):
            add(
                f"engine/{label}/voting",
                (("voting", 7), ("voting", 19, 1)),
                every=sampled,
                made={"weighted_sum": make},
                **short,
            )
    for two_class in ("single", "pair", "adaptive", "auto"):
        add(f"two_class/{two_class}/boards", BOARDS, two_class=two_class)
        if two_class != "adaptive":  # which is the default
            add(f"two_class/{two_class}/voting", VOTING, two_class=two_class)
        add(f"two_class/{two_class}/monks", (("monks-3", 1), MONKS[1]), two_class=two_class, every=False)
    add(
        "auto everything/voting",
        VOTING,
        every=False,
        missing="auto",
        margin="auto",
        max_updates="auto",
        two_class="auto",
    )
    add("auto everything/iris", IRIS, every=False, missing="auto", margin="auto", max_updates="auto", two_class="auto")
    add("auto everything/cancer", CANCER, every=False, missing="auto", margin="auto", max_updates="auto")
    for label, params in {
        "margin 0": {"margin": 0},
        "margin 1": {"margin": 1.0, "max_updates": 8},
        "margin auto": {"margin": "auto"},
        "max_updates 4": {"max_updates": 4},
        "max_updates none": {"max_updates": None, "max_epochs": 12},
        "max_updates auto": {"max_updates": "auto"},
        "keep last": {"keep": "last", "max_updates": None, "max_epochs": 6},
        "keep longest": {"keep": "longest", "max_updates": None, "max_epochs": 6},
        "no shuffle": {"shuffle": False},
        "alpha": {"alpha": 2.0},
        "alpha theta": {"alpha": 1.25, "theta": 5000.0},
        "theta fraction": {"theta": Fraction(12345, 7)},
        "one epoch": {"max_epochs": 1},
        "n_jobs": {"n_jobs": 2},
        "max_mistakes": {"max_mistakes": 25, "max_epochs": 10},
        "max_mistakes pair": {"max_mistakes": 12, "two_class": "pair", "max_epochs": 6},
        "max_literals 1": {"max_literals": 1, "max_epochs": 20},
        "max_literals 2": {"max_literals": 2},
        "max_literals 3": {"max_literals": 3},
    }.items():
        add(f"{label}/cancer", CANCER, **params)
        few_only = label in ("theta fraction", "one epoch", "max_mistakes pair", "n_jobs")
        add(f"{label}/car", CAR, every=not few_only, **params)
    add("max_literals 2/mistakes", CANCER, max_literals=2, max_mistakes=20, max_epochs=5)
    add("max_literals 2/pair", VOTING, max_literals=2, two_class="pair", margin=0)
    for missing in ("informative", "ignore", "value", "most_frequent", "auto"):
        if missing != "informative":  # which is the default
            add(f"missing/{missing}/voting", VOTING, missing=missing)
        add(
            f"missing/{missing}/auto", AUTO, missing=missing, max_epochs=10, every=missing in ("value", "most_frequent")
        )
        add(f"missing/{missing}/pair", CANCER, missing=missing, two_class="pair", margin=0, every=False)
    add("forbid/voting", VOTING, forbid=[3, (4, "y"), (0, "n")])
    add("forbid/car", CAR, forbid=[5, (0, "low")], every=False)
    add("forbid/max_literals", CAR, forbid=[5, (0, "low")], max_literals=2, every=False)
    add("experts/single", (("monks-1", 2), MONKS[1]), experts=[({0: "1", 1: "1"}, "1", "theta"), ({4: "1"}, "1", 3)])
    add("experts/pair", (("monks-1", 2), MONKS[1]), two_class="pair",
        experts=[({0: "1", 1: "2"}, "0", 4), ({4: "1"}, "1", "theta"), ({3: "2"}, "1", -2)])  # fmt: skip
    add("experts/max_literals", (("monks-1", 2), MONKS[1]), max_literals=2, experts=[({0: "1", 1: "1"}, "1", 5)])
    add("experts/many", CAR, experts=[({5: "low"}, "unacc", "theta"), ({3: "2"}, "unacc", 6)], every=False)
    found["dnf/monotone"] = monotone
    found["dnf/numeric"] = numeric
    found["dnf/frames"] = frames
    found["dnf/estimate"] = estimate
    found["dnf/other engines"] = other_engines
    found["dnf/rules"] = dnf_rules
    found["dnf/compact"] = dnf_compact
    found["dnf/explained"] = dnf_explained
    found["dnf/budget"] = dnf_budget
    found["dnf/fit_until"] = fit_until
    return found


def monotone():
    from winnowkit.data import streams

    out = {}
    X, y = streams.monotone_dnf(12, terms=3, seed=3).take(200)
    X = X.toarray().astype(int)
    for label, params in {
        "plain": {},
        "paper": {**PAPER, "two_class": "single"},
        "short": {"max_literals": 3},
        "noisy": {"max_updates": 4, "margin": 0.5},
        "adaptive": {"two_class": "single", "margin": 1.0},
    }.items():
        make = partial(dnf, random_state=2, monotone=True, **params)
        found = learned(make, (X[:150], y[:150]), (X[150:190], None), every=label in ("plain", "paper"))
        out |= {f"{label}.{key}": value for key, value in found.items()}
    return out


def numeric():
    out = {}
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.integers(0, 40, 160), rng.integers(0, 3, 160), rng.integers(0, 25, 160)])
    y = np.where((X[:, 0] > 17) & (X[:, 1] == 1) | (X[:, 2] < 6), "yes", "no")
    for label, params in {"none": [0, 1, 2], "two": [1], "one": [1, 2]}.items():
        found = learned(partial(dnf, random_state=2, categorical=params), (X[:120], y[:120]), (X[120:], None))
        out |= {f"{label}.{key}": value for key, value in found.items()}
    floats = X + 0.25
    floats[::7, 0] = np.nan
    for missing in ("ignore", "value", "most_frequent", "informative"):
        model = dnf(random_state=2, missing=missing).fit(floats[:120], y[:120])
        out[f"{missing}.decision"] = model.decision_function(floats[120:])
        fitted = encoder_of(model)
        out[f"{missing}.categories"] = _text(map(repr, fitted.categories_))
    return out


def frames():
    """pandas and polars, columns in another order, mappings, unseen categories."""
    import polars as pl

    from winnowkit.data import load_dataset

    out = {}
    for name, step in (("voting", 5), ("iris", 3), ("cancer", 5)):
        bunch = load_dataset("breast-cancer" if name == "cancer" else name, as_frame=True)
        X, y = bunch.data[::step], bunch.target[::step]
        model = dnf(random_state=1).fit(X, y)
        T = bunch.data[1::13]
        out[f"{name}.pandas"] = model.decision_function(T)
        some = T.to_dict("records")[:15]
        out[f"{name}.mappings"] = _labels(
            [
                model.predict_one({k: v for k, v in row.items() if i % 3 or k != T.columns[0]})
                for i, row in enumerate(some)
            ]
        )
        plain = T.astype({c: object for c in T.columns if T[c].dtype.name == "category"})
        fitted = dnf(random_state=1).fit(pl.from_pandas(X), np.asarray(y))
        out[f"{name}.polars"] = fitted.decision_function(pl.from_pandas(T))
        out[f"{name}.objects"] = model.decision_function(plain)
    X, y = table("car", 12)
    model = dnf(random_state=1).fit(X, y)
    odd = X[:20].copy()
    odd[::2, 0], odd[::3, 3], odd[5, :] = "never seen", None, "?"
    out["unseen"] = model.decision_function(odd)
    return out


def estimate():
    out = {}
    for name, sets, params in [("monks", MONKS, {}), ("iris", IRIS, {}), ("short", CANCER, {"max_literals": 2})]:
        X, y = table(*sets[0])
        T = table(*sets[1])[0][:6]
        model = dnf(random_state=1, **params).fit(X, y)
        out |= estimates(model.estimate(T), f"{name}.own.")
        if name != "short":
            for label, make in ENGINES.items():
                if label != "auto":
                    out |= estimates(model.estimate(T, make()), f"{name}.{label}.")
    return out


def other_engines():
    """Sums of one fitted model by every engine."""
    X, y = table("voting", 6)
    T = table("voting", 40, 1)[0]
    out = {}
    for two_class in ("single", "pair"):
        model = dnf(random_state=1, two_class=two_class).fit(X, y)
        for label, make in ENGINES.items():
            if label != "auto":
                out[f"{two_class}.{label}"] = model.log_weighted_sum(T, make())
    return out


def dnf_rules():
    out = {}
    for name, sets, params in [
        ("monks", MONKS, {}),
        ("boards", BOARDS, {}),
        ("voting", VOTING, {"two_class": "pair"}),
        ("iris", IRIS, {}),
        ("missing", CANCER, {"missing": "value"}),
        ("short", CAR, {"max_literals": 2}),
        ("sampled", (("monks-1", 2), MONKS[1]), {"weighted_sum": "ladder", "max_epochs": 3}),
    ]:
        X, y = table(*sets[0])
        T = table(*sets[1])[0]
        if params.get("weighted_sum") == "ladder":
            params = {**params, "weighted_sum": _ladder()}
        model = dnf(random_state=1, **params).fit(X, y)
        rules = model.rules(X, y, max_rules=6)
        out |= ruleset_arrays(rules, f"{name}.")
        out[f"{name}.predicted"] = _labels(rules.predict(T))
        out |= ruleset_arrays(model.rules(max_rules=4, max_literals=2), f"{name}.bare.")
        if name in ("monks", "boards", "iris"):
            out |= ruleset_arrays(model.rules(X, y, max_rules=5, min_precision=0.95), f"{name}.precise.")
            out |= ruleset_arrays(model.rules(X, max_rules=3, max_nodes=30), f"{name}.given up.")
    return out


def dnf_compact():
    out = {}
    for name, sets in [("monks", MONKS), ("boards", BOARDS)]:
        X, y = table(*sets[0])
        T = table(*sets[1])[0]
        model = dnf(random_state=1).fit(X, y)
        for label, rules in {"labels": model.compact(X, y), "few": model.compact(X, y, max_rules=2)}.items():
            out |= ruleset_arrays(rules, f"{name}.{label}.")
            out[f"{name}.{label}.predicted"] = _labels(rules.predict(T))
            if label == "labels":
                out |= exported(rules, f"{name}.")
    return out


def exported(rules, prefix):
    """Formats that must not change."""
    _, _, RuleSet = ruleset_classes()
    return {
        f"{prefix}sql": _text([rules.to_sql(), rules.to_sql(table="a table", name="said")]),
        f"{prefix}python": _text([rules.to_python(), rules.to_python(name="f")]),
        f"{prefix}pmml": _text([rules.to_pmml()]),
        f"{prefix}back": np.array(
            [RuleSet.from_text(rules.to_text()) == rules, RuleSet.from_json(rules.to_json()) == rules]
        ),
    }


def written_rules():
    """A rule set made by hand, with every operator and awkward names and values."""
    Condition, Rule, RuleSet = ruleset_classes()
    C = Condition
    rules = RuleSet(
        [
            Rule([C("a b", "=", 'say "hi"'), C("n", ">=", 2.5), C("n", "<", 7)], "yes", log_weight=2.25),
            Rule([C("q'uote", "=", "it's"), C("flag", "=", True)], "no", log_weight=-1.0),
            Rule([C("m", "missing")], "maybe & <so>"),
            Rule([C("m", "present"), C("n", "<=", -1e-300), C("i", "=", 3)], "yes"),
            Rule([C("n", ">", 1e300)], "no"),
        ],
        default="ünïcode",
        columns=["a b", "n", "q'uote", "flag", "m", "i"],
    )
    X = [
        ['say "hi"', 3.0, "it's", True, None, 3],
        ["x", 3.0, "it's", True, 1.0, 3],
        ["x", 3.0, "its", False, None, 3],
        ["x", -5.0, "its", False, 1.0, 3],
        ["x", 1e301, "its", False, "?", 4],
        ["x", 1e301, "its", False, "v", 4],
        ["x", None, "its", False, "v", 4],
    ]
    X = np.array(X, dtype=object)
    out = exported(rules, "") | ruleset_arrays(rules, "") | ruleset_arrays(rules.measured(X, ["yes"] * 7), "measured.")
    out["predicted"] = _labels(rules.predict(X))
    out["one by one"] = _labels([rules.predict_one(list(row)) for row in X])
    out["covers"] = rules.covers(X)
    numbers = RuleSet([Rule([C("u", "=", 1), C("v", ">", 0)], 1), Rule([], 0)], default=2, columns=["u", "v"])
    out |= exported(numbers, "numbers.")
    out["numbers"] = numbers.predict(sp.csr_array(np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 0.0]])))
    namespace = {}
    exec(rules.to_python(), namespace)
    said = [namespace["predict"](dict(zip(rules.columns, row, strict=True))) for row in X]
    out["python runs"] = _labels(said)
    return out


def dnf_explained():
    out = {}
    for name, sets, params in [
        ("monks", MONKS, {}),
        ("voting", VOTING, {"two_class": "pair"}),
        ("iris", IRIS, {}),
        ("boards", BOARDS, {}),
    ]:
        model = dnf(random_state=1, **params).fit(*table(*sets[0]))
        numbers, words = [], []
        for x in table(*sets[1])[0][:4]:
            label, evidence, log_ratio, rest, terms, flips = explained(model, x)
            numbers += [log_ratio, rest, *(v for t in terms for v in t[1:])]
            words.append(
                json.dumps([str(label), str(evidence), [t[0] for t in terms], [[f[0], str(f[1])] for f in flips]])
            )
        out[f"{name}.numbers"], out[f"{name}.terms"] = np.array(numbers), _text(words)
    return out


def dnf_budget():
    """A budget that is too small: what is raised, and that nothing was learned."""
    from winnowkit.dnf import BudgetExceeded

    X, y = table("voting", 6)
    model, said = dnf(random_state=1, weighted_sum=engine("Exact", 1)), []
    for run in (lambda: model.fit(X, y), lambda: model.partial_fit(X, y, np.unique(y))):
        try:
            run()
            said.append("nothing")
        except BudgetExceeded as error:
            said.append(f"BudgetExceeded {error.nodes} {error.max_nodes}")
    full = dnf(random_state=1).fit(X, y)
    try:
        full.log_weighted_sum(X[:5], engine("Exact", 1))
    except BudgetExceeded as error:
        said.append(f"BudgetExceeded {error.nodes} {error.max_nodes}")
    return {"raised": _text([*said, hasattr(model, "classes_")])}


def fit_until():
    out = {}
    for two_class in ("single", "adaptive"):
        model = dnf(random_state=1, two_class=two_class)._fit(*table("breast-cancer", 3), stop=lambda epoch: epoch == 3)
        out |= dnf_state(model, table("breast-cancer", 7, 1)[0], f"{two_class}.")
    return out


# === engines by themselves ========================================================================================


@cache
def problems():
    """Logs and examples: (name, agreement, log, x)."""
    from winnowkit.dnf import Agreement, MistakeLog

    found = {}

    def add(name, log, x):
        found[name] = Agreement.of(log, x), log, np.asarray(x)

    rng = np.random.default_rng(0)
    empty = MistakeLog(9)
    add("empty", empty, [1, 0, 1, 1, 1, 1, 0, 1, 1])
    log = MistakeLog(3)
    log.append([1, 1, 2], +1)
    log.append([1, 2, 2], -1)
    add("tiny", log, [1, 1, 1])
    for name, n, m, low, high, up in [
        ("gaps", 12, 40, 0, 3, 0.5),
        ("binary", 16, 90, 1, 3, 0.5),
        ("up", 14, 60, 1, 4, 0.8),
        ("middle", 24, 60, 1, 3, 0.55),
        ("edge", 62, 25, 1, 3, 0.6),
        ("wide", 90, 40, 1, 3, 0.6),
    ]:
        log = MistakeLog(n)
        for _ in range(m):
            log.append(rng.integers(low, high, n), 1 if rng.random() < up else -1)
        add(name, log, np.ones(n, dtype=int))
        x = rng.integers(low, high, n)
        x[:2] = 0
        add(f"{name}-other", log, x)
    log = MistakeLog(10, max_mistakes=15)
    for _ in range(60):
        log.append(rng.integers(1, 3, 10), int(rng.choice([-1, 1])))
    add("forgetful", log, np.ones(10, dtype=int))
    log = MistakeLog(6)
    for k, net in enumerate((40_000, -25_000, 13)):
        log.give(rng.integers(1, 3, 6), net)
        log.give(1 + (np.arange(6) == k), -net + 5)
    add("large nets", log, np.ones(6, dtype=int))
    log = MistakeLog(7)
    for _ in range(300):
        log.append([1, 1, 1, 1, 2, 2, 1], +1)
        log.append([1, 2, 1, 1, 1, 2, 1], +1)
    add("steep", log, np.ones(7, dtype=int))
    return found


DIRECT = {
    **{name: make for name, make in ENGINES.items() if name != "auto"},
    "auto-default": lambda: engine("Auto"),
    "exact-tight": lambda: engine("Exact", 3),
    "population-jobs": lambda: engine(
        "Population", size=16, tempers=3, min_populations=8, max_populations=16, n_jobs=2
    ),
    "ladder-max": lambda: _ladder(size="max", kappa=0.5),
    "ladder-restart": lambda: _ladder(restart=True, steps=40, burn_in=20),
    "ladder-jobs": lambda: _ladder(n_jobs=2),
    "ladder-late": lambda: _ladder(early_stop=False, sampler="metropolis", tempering=0.5, group=3),
    "ladder-accuracy": lambda: engine("Ladder", accuracy=0.9, burn_in=10, kappa=2.0),
    "ladder-auto-steps": lambda: engine("Ladder"),
}
SLOW = {
    "ladder-accuracy": ("empty", "tiny"),
    "ladder-auto-steps": ("gaps", "tiny"),
    "ladder-restart": ("gaps", "tiny", "up"),
}
SLOW |= {"exact": ("wide", "wide-other", "edge", "edge-other")}  # here: those left out


def engine_case(label):
    """log_sum and decide of an engine on all problems."""
    from winnowkit.dnf import BudgetExceeded, Threshold

    asked, values, work, sides = [], [], [], []
    for name, (agreement, _, _) in problems().items():
        if label in SLOW and label != "exact" and name not in SLOW[label]:
            continue
        if label == "exact" and name in SLOW["exact"]:
            continue
        if "ladder" in label and name in ("large nets", "steep", "wide", "wide-other", "edge", "edge-other"):
            continue  # chains by the hundred
        for alpha in (1.5, 2.0) if "ladder" not in label and label not in ("descent", "auto-default") else (1.5,):
            try:
                e = DIRECT[label]().log_sum(agreement, alpha, rng=7)
                values.append([e.log_sum, e.std_err, e.ess, e.acceptance, e.swap_rate])
                work.append([e.exact, e.chains, e.steps])
                asked.append(f"{name} {alpha}")
            except BudgetExceeded as error:
                asked.append(f"{name} {alpha} BudgetExceeded {error.nodes}")
            start = agreement.n_attributes * math.log(2)
            for log_theta, guess in ((start - 0.7, None), (start, 1), (start + 2.0, 0)):
                try:
                    d = DIRECT[label]().decide(agreement, Threshold(alpha, log_theta), guess, 3)
                    sides.append([d.label, d.certain, d.chains, d.chains_saved, d.steps, d.doubt, *d.log_bounds])
                except BudgetExceeded as error:
                    sides.append([-1, -1, error.nodes, 0, 0, 0, 0, 0])
    return {
        "asked": _text(asked),
        "values": np.array(values, dtype=float).reshape(-1, 5),
        "work": np.array(work, dtype=np.int64).reshape(-1, 3),
        "sides": np.array(sides, dtype=float).reshape(-1, 8),
    }


def exact_details():
    """counts, ties with theta, many rows at once."""
    from winnowkit.dnf import Threshold

    exact, out = engine("Exact"), {}
    for name, (agreement, log, x) in problems().items():
        shape = agreement.n_live, agreement.n_dead, agreement.n_free, agreement.n_promotions, agreement.n_demotions
        out[f"{name}.agreement"] = np.array([*shape, agreement.n_columns, agreement.reach, len(agreement.nets)])
        if name.startswith(("wide", "edge")):
            continue
        found = exact.counts(agreement)
        out[f"{name}.counts"] = _text(f"{net}:{count}" for net, count in found.items())
        if name == "large nets":
            continue
        total = sum(count * Fraction(3, 2) ** net for net, count in found.items())
        thetas = total, total * (1 + Fraction(1, 10**15)), total * (1 - Fraction(1, 10**15))
        log_total = math.log(total.numerator) - math.log(total.denominator)
        out[f"{name}.ties"] = np.array(
            [exact.decide(agreement, Threshold(1.5, log_total, theta)).label for theta in thetas]
        )
        rng = np.random.default_rng(1)
        X = np.where(rng.random((12, len(x))) < 0.8, x, rng.integers(0, 3, (12, len(x))))
        out[f"{name}.rows"] = exact.log_sums(log, X, 1.5)
        out[f"{name}.rows by two"] = exact.log_sums(log, X, 1.5, n_jobs=2)
        start = len(x) * math.log(2)
        out[f"{name}.labels"] = exact.labels(log, X, Threshold(1.5, start))
        out[f"{name}.labels theta"] = exact.labels(log, X, Threshold(1.5, start, 2 ** len(x)), n_jobs=2)
    return out


def mistake_logs():
    """What a log holds after appending, giving, forgetting."""
    out = {}
    for name, (_, log, _) in problems().items():
        rows = np.column_stack([log.nets, log.last, log.codes]) if len(log) else np.zeros((0, 3), dtype=np.int64)
        rows = rows[np.lexsort(rows.T[::-1])]
        out[f"{name}.log"] = rows.astype(np.int32)
        out[f"{name}.numbers"] = np.array([len(log), log.n_promotions, log.n_demotions, log.n_forgotten, log.reach])
    return out


def heaviest_terms():
    from winnowkit.dnf import heaviest

    out = {}
    for name, (_, log, x) in problems().items():
        if name.startswith(("wide", "edge", "middle")):
            continue
        for label, params in {
            "all": {},
            "short": {"max_literals": 2},
            "own": {"x": x},
            "slack": {"slack": 2},
            "given up": {"max_nodes": 50},
        }.items():
            found = heaviest(log, 6, **params)
            terms = [json.dumps([[list(map(int, pair)) for pair in t.literals], int(t.net)]) for t in found.terms]
            out[f"{name}.{label}"] = _text([*terms, found.complete])
    return out


def training_epochs():
    from winnowkit.dnf import Exact, Threshold

    rng = np.random.default_rng(2)
    X = rng.integers(1, 4, (80, 7))
    y = ((X[:, 0] == 1) & (X[:, 3] == 2) | (X[:, 5] == 3)).astype(int)
    y[::17] ^= 1
    out = {}
    for label, params in {"plain": {}, "margin": {"margin": 0.5}, "limit": {"max_updates": 3}}.items():
        training = Exact().training(X, y, Threshold(1.5, 7 * math.log(4)), **params)
        orders = [None, np.arange(80)[::-1], np.random.default_rng(1).permutation(80), None]
        out[f"{label}.mistaken"] = np.array([row for order in orders for row in [-1, *training.mistaken(order)]])
    return out


def engine_cases():
    found = {f"engine/{label}": partial(engine_case, label) for label in DIRECT}
    found["engine/exact details"] = exact_details
    found["engine/logs"] = mistake_logs
    found["engine/heaviest"] = heaviest_terms
    found["engine/training"] = training_epochs
    return found


# === river ========================================================================================================


@cache
def river_rows(kind):
    """Dictionaries whose keys, categories and classes turn up over time."""
    rng = np.random.default_rng(12)
    rows = []
    if kind == "strings":  # categories; keys come in as the stream goes on; labels of strings, a third one late
        X, y = table("car", 9, 2, 150)
        order = np.random.default_rng(1).permutation(len(y))
        for i, (x, label) in enumerate(zip(X[order], y[order], strict=True)):
            width = min(6, 2 + i // 15)
            row = {f"k{j}": x[j] for j in range(width) if rng.random() < 0.9}
            rows.append((row, label if i > 60 or label in ("unacc", "acc") else "unacc"))
    elif kind == "ints":  # sparse booleans by number, two classes
        X, y = bits_two()
        dense = X.toarray()
        for i in range(150):
            rows.append((dict.fromkeys(np.flatnonzero(dense[i])[: 4 + i // 8].tolist(), 1), bool(y[i])))
    else:  # mixed: numbers, booleans, strings, missing; int labels, the first alone for a while
        for i in range(150):
            row = {"n": round(float(rng.normal()), 3), "flag": bool(rng.random() < 0.5), "c": "abc"[rng.integers(3)]}
            if i > 40:
                row["late"] = round(float(rng.random()), 3)
            if i % 7 == 0:
                row["c"] = None
            if i % 11 == 0:
                row["n"] = math.nan
            if i == 20:
                row = {}
            label = int(row.get("flag", False) and row.get("c") == "a") + int(row.get("late", 0) > 0.7)
            rows.append((row, 0 if i < 8 else label))
    return rows


def river_run(make, kind, **given):
    model = river(make(), **given)
    said, proba, keys = [], [], []
    for i, (x, y) in enumerate(river_rows(kind)):
        said.append(model.predict_one(x))
        if i % 6 == 0 or i > 142:
            shares = model.predict_proba_one(x)
            keys.append("|".join(map(repr, shares)))
            proba += shares.values()
        model.learn_one(x, y)
    out = {
        "labels": _text(map(repr, said)),
        "proba": np.array(proba),
        "classes": _text(keys),
        "counts": np.array([model.n_trials, model.n_mistakes]),
    }
    try:
        weights = river_weights(model)
    except AttributeError:
        return out
    nested = weights and isinstance(next(iter(weights.values())), dict)
    flat = {(k, a): v for k, w in weights.items() for a, v in w.items()} if nested else weights
    out["weights"] = np.array(list(flat.values()))
    out["weight keys"] = _text(map(repr, flat))
    return out


RIVER = {
    "Elimination": {},
    "Winnow1": {},
    "Winnow2": {},
    "BalancedWinnow": {},
    "NormalizedWinnow": {"k": 4},
    "ThresholdedBEG": {},
    "BayesBEG": {"policy": "always"},
    "SBSB": {},
    "SASB": {"voting": 3},
    "DirectBayes": {},
    "DirectedDrift": {"batch": 8},
}


def river_many():
    """Frames: learn_many, predict_many, predict_proba_many."""
    import pandas as pd

    X, y = bits_two()
    frame, labels = pd.DataFrame(X.toarray()[:, :15], columns=[f"c{j}" for j in range(15)]), pd.Series(y)
    multi = labels + (frame["c3"] > 0).astype(int)
    mixed = pd.DataFrame([row for row, _ in river_rows("strings")])
    mixed_labels = pd.Series([label for _, label in river_rows("strings")])
    out = {}
    for name in ("Winnow2", "SBSB", "DirectedDrift", "DirectBayes", "BalancedWinnow"):
        for label, (F, target) in {
            "two": (frame, labels),
            "three": (frame, multi),
            "mixed": (mixed, mixed_labels),
        }.items():
            model = river(linear(name, random_state=2))
            model.learn_many(F[:60], target[:60])
            model.learn_many(F[60:110], target[60:110])
            said = model.predict_many(F[110:135])
            out[f"{name}.{label}.labels"] = _text(said.tolist())
            out[f"{name}.{label}.proba"] = model.predict_proba_many(F[110:135]).to_numpy()
    model = river(dnf(random_state=2))
    model.learn_many(mixed[:100], mixed_labels[:100])
    out["dnf.labels"] = _text(model.predict_many(mixed[100:]).tolist())
    out["dnf.proba"] = model.predict_proba_many(mixed[100:]).to_numpy()
    return out


def river_cases():
    found = {}
    for name, params in RIVER.items():
        for kind in ("strings", "ints", "mixed"):
            found[f"river/{name}/{kind}"] = partial(river_run, partial(linear, name, random_state=4, **params), kind)
    extras = {
        "Winnow2/negations": ("Winnow2", {"negations": True}),
        "Winnow2/floor": ("Winnow2", {"floor": 0.05, "theta": 4.0}),
        "BayesBEG/mistake": ("BayesBEG", {}),
        "SBSB/mistake": ("SBSB", {"policy": "mistake", "voting": 2}),
        "DirectBayes/negations": ("DirectBayes", {"negations": True, "policy": "mistake"}),
        "DirectBayes/random": ("DirectBayes", {"prediction": "probability"}),
        "DirectBayes/few": ("DirectBayes", {"max_disjunctions": 60}),
        "DirectedDrift/online": ("DirectedDrift", {"mode": "online"}),
        "DirectedDrift/single": ("DirectedDrift", {"mode": "single", "flips": "majority", "batch": 5}),
        "DirectedDrift/negations": ("DirectedDrift", {"negations": True, "batch": 6}),
    }
    for label, (name, params) in extras.items():
        for kind in ("strings", "ints"):
            found[f"river/{label}/{kind}"] = partial(river_run, partial(linear, name, random_state=4, **params), kind)
    found["river/Winnow2/fractions"] = partial(river_run, lambda: linear("Winnow2", binarize=None), "ints")
    found["river/Winnow2/cut"] = partial(river_run, lambda: linear("Winnow2", binarize=0.5), "mixed")
    found["river/Winnow2/classes"] = partial(
        river_run, lambda: linear("Winnow2"), "strings", classes=("vgood", "unacc", "acc", "good")
    )
    for label, params, given in [
        ("plain", {}, {}),
        ("pair", {"two_class": "pair"}, {}),
        ("value", {"missing": "value"}, {"warm_up": 30}),
        ("most_frequent", {"missing": "most_frequent"}, {"warm_up": 50}),
        ("theta", {"theta": 300.0, "alpha": 2.0}, {}),
        ("numeric", {"max_mistakes": 30}, {"warm_up": 25}),
    ]:
        for kind in ("strings", "ints", "mixed"):
            found[f"river/DNFWinnow/{label}/{kind}"] = partial(
                river_run, partial(dnf, random_state=4, **params), kind, **given
            )
    found["river/DNFWinnow/classes/strings"] = partial(
        river_run, partial(dnf, random_state=4), "strings", classes=("vgood", "unacc", "acc", "good")
    )
    found["river/DNFWinnow/sampled/strings"] = partial(
        river_run, lambda: dnf(random_state=4, weighted_sum=_ladder(steps=60, burn_in=6)), "strings"
    )
    found["river/many"] = river_many
    return found


# === encoders =====================================================================================================


def discretized():
    out = {}
    X, y = table("iris", 1)
    X = X.astype(float)
    A, b = table("auto", 2)
    numbers = np.array(
        [[math.nan if v is None else v for v in row] for row in A[:, [0, 8, 9, 10, 11, 12, 20, 23]]], dtype=float
    )
    rng = np.random.default_rng(3)
    for name, (values, labels) in {
        "iris": (X, y),
        "auto": (numbers, b),
        "noise": (rng.normal(size=(120, 3)), rng.integers(0, 2, 120)),
    }.items():
        for label, params in {
            "plain": {},
            "bic": {"stop": "bic"},
            "none": {"stop": None, "max_intervals": 5},
            "few": {"max_intervals": 3},
        }.items():
            fitted = discretizer(**params).fit(values, labels)
            cuts = fitted.cuts_
            out[f"{name}.{label}.cuts"] = np.concatenate([[len(c), *c] for c in cuts])
            out[f"{name}.{label}.ordinal"] = fitted.transform(values[::5]).astype(np.float32)
        for encode in ("interval", "threshold"):
            fitted = discretizer(encode=encode).fit(values, labels)
            coded = fitted.transform(values[::9])
            out[f"{name}.{encode}"] = (
                _text(map(str, coded.ravel())).reshape(coded.shape) if encode == "interval" else coded
            )
            out[f"{name}.{encode}.names"] = _text(fitted.get_feature_names_out())
    return out


def encoded():
    out = {}
    for name, (X, y) in {
        "voting": table("voting", 5),
        "iris": table("iris", 3),
        "auto": table("auto", 3),
        "cancer": table("breast-cancer", 4),
    }.items():
        T = table({"cancer": "breast-cancer"}.get(name, name), 11, 1)[0]
        for missing in ("ignore", "value", "informative", "most_frequent"):
            fitted = encoder(missing=missing)
            out[f"{name}.{missing}.train"] = fitted.fit_transform(X, y).astype(np.int16)
            out[f"{name}.{missing}.test"] = fitted.transform(T).astype(np.int16)
            out[f"{name}.{missing}.sizes"] = np.stack([fitted.n_categories_, fitted.n_allowed_])
            out[f"{name}.{missing}.one"] = np.array([fitted.transform_one(list(x)) for x in T[:4]]).astype(np.int16)
        out[f"{name}.categories"] = _text(map(repr, fitted.categories_))
        tests = [
            [j, code, [[op, repr(v)] for op, v in fitted.tests(j, code)]] for j in range(X.shape[1]) for code in (1,)
        ]
        out[f"{name}.tests"] = _text(map(json.dumps, tests))
    X, y = table("voting", 5)
    fitted = encoder(forbid=[2, (3, "y")]).fit(X, y)
    out["forbid"] = fitted.transform(X).astype(np.int16)
    out["forbid.sizes"] = np.stack([fitted.n_categories_, fitted.n_allowed_])
    numbers = np.random.default_rng(0).integers(0, 30, (60, 3))
    fitted = encoder(categorical=[1], discretizer=discretizer(stop=None, max_intervals=4))
    out["numeric"] = fitted.fit_transform(numbers, numbers[:, 0] > numbers[:, 2])
    out["monotone"] = encoder(monotone=True).fit_transform((numbers > 15).astype(int))
    return out


# === all of them ==================================================================================================


def cases():
    """Name -> function without arguments that returns a dict of named arrays."""
    found = boolean_cases() | dnf_cases() | engine_cases() | river_cases()
    found["rules/written"] = written_rules
    found["data/discretizer"] = discretized
    found["data/encoder"] = encoded
    return found


def checked(name, arrays):
    for key, value in arrays.items():
        array = arrays[key] = np.asarray(value)
        if array.dtype.kind not in "biufU":
            raise TypeError(f"{name}/{key} has dtype {array.dtype}: only numbers and strings are kept")
    return arrays


def write(path, parts):
    begun, total, slow, failed = time.perf_counter(), {}, [], []
    for name, run in chosen_cases(parts).items():
        start = time.perf_counter()
        try:
            arrays = checked(name, run())
        except Exception as error:
            failed.append(name)
            print(f"{name}: raised {type(error).__name__}: {' '.join(str(error).split())[:300]}", flush=True)
            continue
        took = time.perf_counter() - start
        slow.append((took, name))
        print(f"{took:8.3f} s  {len(arrays):3d} arrays  {name}", flush=True)
        total |= {f"{name}/{key}": value for key, value in arrays.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for key, array in total.items():
            entry = zipfile.ZipInfo(f"{key}.npy")  # without a date: the same arrays, the same file
            entry.compress_type = zipfile.ZIP_DEFLATED
            with file.open(entry, "w") as part:
                np.lib.format.write_array(part, array, allow_pickle=False)
    print("slowest:", ", ".join(f"{name} {took:.1f} s" for took, name in sorted(slow)[:-9:-1]))
    took, size = time.perf_counter() - begun, Path(path).stat().st_size
    print(f"{len(slow)} cases, {len(total)} arrays, {took:.1f} s, {size:,} bytes")
    if failed:
        print(f"NOT RECORDED, as they raised: {failed}")
    return 1 if failed else 0


def difference(old, new):
    """One line on how two arrays differ; None if they do not."""
    if old.shape != new.shape:
        return f"shape {old.shape} -> {new.shape}"
    if old.dtype.kind != new.dtype.kind or (old.dtype.kind != "U" and old.dtype != new.dtype):
        return f"dtype {old.dtype} -> {new.dtype}"
    if np.array_equal(old, new, equal_nan=True) if old.dtype.kind == "f" else np.array_equal(old, new):
        return None
    if old.dtype.kind == "U":
        first = np.flatnonzero(old.ravel() != new.ravel())
        a, b = str(old.ravel()[first[0]]), str(new.ravel()[first[0]])
        return f"{len(first)} of {old.size} strings, first at {first[0]}: {a[:150]!r} -> {b[:150]!r}"
    a, b = old.astype(float).ravel(), new.astype(float).ravel()
    wrong = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    with np.errstate(all="ignore"):
        gap = np.abs(a - b)[wrong]
        share = gap / np.maximum(np.abs(a), np.abs(b))[wrong]
    return f"{wrong.sum()} of {a.size} numbers, max abs {np.max(gap):.3g}, max rel {np.max(share):.3g}"


def compare(path, parts):
    begun, differences, seen, names = time.perf_counter(), 0, 0, chosen_cases(parts)
    with np.load(path, allow_pickle=False) as file:
        kept = {key: file[key] for key in file.files}
    by_case = {}
    for key in kept:
        by_case.setdefault(max((n for n in cases() if key.startswith(f"{n}/")), key=len, default="?"), []).append(key)
    if not parts:
        for name in by_case.keys() - names.keys():
            print(f"{name}: in the file, but no case")
            differences += 1
    for name, run in names.items():
        try:
            arrays = checked(name, run())
        except Exception as error:
            print(f"{name}: raised {type(error).__name__}: {' '.join(str(error).split())[:300]}", flush=True)
            differences += 1
            continue
        new = {f"{name}/{key}": value for key, value in arrays.items()}
        for key in [*by_case.get(name, []), *(key for key in new if key not in kept)]:
            seen += 1
            said = "gone" if key not in new else "new" if key not in kept else difference(kept[key], new[key])
            if said is not None:
                print(f"{key}: {said}", flush=True)
                differences += 1
    print(f"{len(names)} cases, {seen} arrays, {differences} differences, {time.perf_counter() - begun:.1f} s")
    return 1 if differences else 0


def chosen_cases(parts):
    return {name: run for name, run in cases().items() if not parts or any(part in name for part in parts)}


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("write", "compare"):
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    sys.exit({"write": write, "compare": compare}[sys.argv[1]](sys.argv[2], sys.argv[3:]))
