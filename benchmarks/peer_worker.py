"""Runs one learner on the folds of one table, in the interpreter of an environment that has it (see README).

Usage: python peer_worker.py LEARNER [SECONDS] < job.json > answer.json; SECONDS limits the processor time.
The job has columns, types ("nominal" or "numeric" of each), X (numbers, strings, null where missing), y and splits,
[[training rows], [rows held out]] each. The answer has the version of the package and, for each split, predicted, fit
and predict in seconds of processor time, and, of rule learners, rules and literals. It uses the standard
library only, apart from the packages of the learner.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import warnings
from importlib.metadata import version


def ripper(columns, types, X, y):
    """Learn rules of the rarest class first, as RIPPER does; the most frequent class is the default."""
    import pandas as pd  # noqa: PLC0415 - each learner needs only its own packages
    import wittgenstein as lw  # noqa: PLC0415

    def framed(rows):
        frame = pd.DataFrame(rows, columns=columns)
        for name, kind in zip(columns, types, strict=True):
            if kind == "nominal":
                frame[name] = frame[name].fillna("missing")
            else:
                numbers = pd.to_numeric(frame[name])
                frame[name] = numbers.fillna(numbers.median() if numbers.notna().any() else 0.0)
        return frame

    frame, models, left = framed(X), [], list(range(len(y)))
    *rare, rest = sorted(sorted(set(y)), key=y.count)
    for label in rare:
        model = lw.RIPPER(random_state=0)
        model.fit(frame.iloc[left].reset_index(drop=True), [y[i] == label for i in left], pos_class=True)
        models.append((label, model))
        left = [i for i in left if y[i] != label]

    def predict(rows):
        later = framed(rows)
        said = [rest] * len(rows)
        for label, model in reversed(models):  # the rarest class decides last
            for i, hit in enumerate(model.predict(later)):
                said[i] = label if hit else said[i]
        return said

    found = [rule for _, model in models for rule in model.ruleset_.rules]
    return predict, {"rules": len(found), "literals": sum(len(rule.conds) for rule in found)}


def cn2(columns, types, X, y):
    import numpy as np  # noqa: PLC0415
    from Orange.classification.rules import CN2Learner  # noqa: PLC0415
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table  # noqa: PLC0415

    variables = [
        ContinuousVariable(name)
        if kind == "numeric"
        else DiscreteVariable(name, sorted({row[j] for row in X if row[j] is not None}))
        for j, (name, kind) in enumerate(zip(columns, types, strict=True))
    ]
    target = DiscreteVariable("the class", sorted(set(y)))
    domain = Domain(variables, target)
    codes = [None if v.is_continuous else {value: i for i, value in enumerate(v.values)} for v in variables]

    def coded(rows):
        return np.array(
            [
                [np.nan if v is None else v if c is None else c.get(v, np.nan) for v, c in zip(row, codes, strict=True)]
                for row in rows
            ],
            dtype=float,
        )

    labels = np.array([target.values.index(label) for label in y], dtype=float)
    model = CN2Learner()(Table.from_numpy(domain, coded(X), labels))

    def predict(rows):
        later = coded(rows)
        said = model(Table.from_numpy(domain, later, np.full(len(later), np.nan)))
        return [target.values[int(code)] for code in said]

    found = [rule for rule in model.rule_list if rule.selectors]
    return predict, {"rules": len(found), "literals": sum(len(rule.selectors) for rule in found)}


def lightgbm(columns, types, X, y):  # noqa: ARG001
    """Fit LightGBM with its defaults, with categories and missing values as such."""
    import numpy as np  # noqa: PLC0415
    from lightgbm import LGBMClassifier  # noqa: PLC0415

    nominal = [j for j, kind in enumerate(types) if kind == "nominal"]
    codes = {j: {v: i for i, v in enumerate(sorted({row[j] for row in X if row[j] is not None}))} for j in nominal}

    def coded(rows):
        table = [[codes[j].get(v) if j in codes else v for j, v in enumerate(row)] for row in rows]
        return np.array([[np.nan if v is None else v for v in row] for row in table], dtype=float)

    model = LGBMClassifier(n_jobs=1, random_state=0, verbose=-1)
    model.fit(coded(X), np.array(y), categorical_feature=nominal)
    return lambda rows: model.predict(coded(rows)).tolist(), {}


def tsetlin(columns, types, X, y, *, clauses=200, epochs=60, s=5.0):  # noqa: ARG001
    """Fit a multiclass Tsetlin machine over indicators of categories and ten thresholds per number."""
    import numpy as np  # noqa: PLC0415
    from tmu.models.classification.vanilla_classifier import TMClassifier  # noqa: PLC0415

    tests = []  # of one column each: whether a value is that category, or is above that threshold
    for j, kind in enumerate(types):
        values = [row[j] for row in X if row[j] is not None]
        if kind == "nominal":
            tests += [(j, value, False) for value in sorted(set(values))]
        elif values:
            tests += [(j, cut, True) for cut in np.unique(np.quantile(values, np.arange(1, 11) / 11)).tolist()]

    def booleans(rows):
        bits = [
            [row[j] is not None and (row[j] > value if above else row[j] == value) for j, value, above in tests]
            for row in rows
        ]
        return np.array(bits, dtype=np.uint32)

    classes = sorted(set(y))
    model = TMClassifier(clauses, clauses // 4, s, platform="CPU", seed=1)
    bits, labels = booleans(X), np.array([classes.index(label) for label in y], dtype=np.uint32)
    order = np.random.default_rng(0)
    for _ in range(epochs):
        rows = order.permutation(len(labels))
        model.fit(np.ascontiguousarray(bits[rows]), np.ascontiguousarray(labels[rows]))
    return lambda rows: [classes[int(code)] for code in model.predict(booleans(rows))], {}


LEARNERS = {
    "ripper": (ripper, "wittgenstein"),
    "cn2": (cn2, "Orange3"),
    "lightgbm": (lightgbm, "lightgbm"),
    "tsetlin": (tsetlin, "tmu"),
}


def answer(learner, job):
    """Fit and predict each split."""
    fit, package = LEARNERS[learner]
    folds = []
    for train, test in job["splits"]:
        X, y = [job["X"][i] for i in train], [job["y"][i] for i in train]
        start = time.process_time()
        predict, facts = fit(job["columns"], job["types"], X, y)
        fitted = time.process_time()
        predicted = predict([job["X"][i] for i in test])
        folds.append({"predicted": predicted, "fit": fitted - start, "predict": time.process_time() - fitted, **facts})
    return {"version": f"{package} {version(package)}", "folds": folds}


def main() -> None:
    warnings.simplefilter("ignore")
    if len(sys.argv) > 2:
        seconds = max(1, int(sys.argv[2]))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    job = json.load(sys.stdin)
    kept = os.dup(1)
    os.dup2(2, 1)  # packages that print write to standard error
    found = answer(sys.argv[1], job)
    with os.fdopen(kept, "w") as out:
        json.dump(found, out)


if __name__ == "__main__":
    main()
