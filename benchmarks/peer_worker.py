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
import warnings
from importlib.metadata import version
from pathlib import Path

WEKA = "/usr/share/java/weka.jar"  # Debian's package weka


def framing(columns, types, X):
    """Return what makes a frame of rows: a missing category is one of its own, a missing number the median of X."""
    import pandas as pd  # noqa: PLC0415 - each learner needs only its own packages

    medians = {}

    def framed(rows):
        frame = pd.DataFrame(rows, columns=columns)
        for name, kind in zip(columns, types, strict=True):
            if kind == "nominal":
                frame[name] = frame[name].fillna("missing")
            else:
                numbers = pd.to_numeric(frame[name]).astype(float)
                median = medians.setdefault(name, numbers.median() if numbers.notna().any() else 0.0)
                frame[name] = numbers.fillna(median)
        return frame

    framed(X)
    return framed


def ripper(columns, types, X, y):
    """Learn rules of the rarest class first, as RIPPER does; the most frequent class is the default."""
    import wittgenstein as lw  # noqa: PLC0415

    framed = framing(columns, types, X)
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


def jrip(columns, types, X, y):  # noqa: ARG001 - names are left out, so that none has to be quoted
    """Learn by Weka's RIPPER, in Java, with its defaults. Columns, values and classes go by number."""
    import subprocess  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    classes = sorted(set(y))
    values = [
        sorted({row[j] for row in X if row[j] is not None}) if t == "nominal" else None for j, t in enumerate(types)
    ]
    codes = [None if found is None else {value: f"v{i}" for i, value in enumerate(found)} for found in values]
    domains = ["numeric" if c is None else "{" + ",".join(c.values() or ["v0"]) + "}" for c in codes]
    domains.append("{" + ",".join(f"k{i}" for i in range(len(classes))) + "}")
    folder = tempfile.TemporaryDirectory()

    def write(name, rows, labels):
        lines = ["@relation table", *(f"@attribute c{j} {domain}" for j, domain in enumerate(domains)), "@data"]
        for row, label in zip(rows, labels, strict=True):
            cells = [
                "?" if v is None else str(v) if c is None else c.get(v, "?") for v, c in zip(row, codes, strict=True)
            ]
            lines.append(",".join([*cells, label]))
        path = Path(folder.name) / name
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return str(path)

    def weka(*arguments):
        command = ["java", "-Xmx2g", "-cp", WEKA, "weka.classifiers.rules.JRip", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    model = str(Path(folder.name) / "model")
    said = weka("-t", write("train.arff", X, [f"k{classes.index(label)}" for label in y]), "-no-cv", "-d", model)
    found = [line for line in said.splitlines() if "=>" in line and line.startswith("(")]

    def predict(rows):
        lines = weka("-l", model, "-T", write("test.arff", rows, ["?"] * len(rows)), "-p", "0").splitlines()
        fields = [line.split() for line in lines if line.strip()[:1].isdigit()]
        return [classes[int(field[2].partition(":k")[2])] for field in fields]

    return predict, {"rules": len(found), "literals": sum(line.count(" and ") + 1 for line in found)}


def greedy_list(columns, types, X, y):  # noqa: ARG001
    """Learn imodels' greedy rule list with its defaults, for two classes; categories become indicators."""
    import numpy as np  # noqa: PLC0415
    from imodels import GreedyRuleListClassifier  # noqa: PLC0415

    classes = sorted(set(y))
    if len(classes) != 2:
        raise ValueError("GreedyRuleListClassifier is for two classes")
    tests = []
    for j, kind in enumerate(types):
        seen = [row[j] for row in X if row[j] is not None]
        if kind == "nominal":
            tests += [(j, value) for value in sorted(set(seen))]
        else:
            tests.append((j, None))
    medians = {j: float(np.median([row[j] for row in X if row[j] is not None] or [0.0])) for j, v in tests if v is None}

    def coded(rows):
        return np.array(
            [
                [float(row[j] == v) if v is not None else medians[j] if row[j] is None else row[j] for j, v in tests]
                for row in rows
            ],
            dtype=float,
        )

    model = GreedyRuleListClassifier()
    model.fit(coded(X), np.array([classes.index(label) for label in y]))
    n_rules = sum("cutoff" in rule for rule in model.rules_)
    return lambda rows: [classes[int(code)] for code in model.predict(coded(rows))], {
        "rules": n_rules,
        "literals": n_rules,
    }


def ripper_of_ibm(columns, types, X, y):
    """Learn by rulelearn's RIPPER, with its defaults: an ordered list, with the rarest class first."""
    import pandas as pd  # noqa: PLC0415
    from rulelearn.algorithms.ripper.ripper import RipperExplainer  # noqa: PLC0415

    framed = framing(columns, types, X)
    model = RipperExplainer().fit(framed(X), pd.Series(y))
    found = [rule for rules in model._rule_map.values() for rule in rules]
    facts = {"rules": len(found), "literals": sum(len(rule) for rule in found)}
    return lambda rows: model.predict(framed(rows)).tolist(), facts


def column_generation(columns, types, X, y):
    """Learn BRCG's formula for the second class by rulelearn, with its defaults: a beam search for IBM's solver.

    As in Dash, Gunluk & Wei (2018), numbers are compared with their deciles and categories with each value, both ways.
    A missing value satisfies no condition on a number, and differs from every category.
    """
    import numpy as np  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415
    from rulelearn.algorithms.rbm.boolean_rule_cg import BooleanRuleCG  # noqa: PLC0415

    classes = sorted(set(y))
    if len(classes) != 2:
        raise ValueError("BooleanRuleCG is for two classes")
    tests = []
    for j, kind in enumerate(types):
        seen = [row[j] for row in X if row[j] is not None]
        if kind == "nominal":
            tests += [(columns[j], sign, value, j) for value in sorted(set(seen)) for sign in ("==", "!=")]
        elif seen:
            cuts = np.unique(np.quantile(seen, np.arange(1, 10) / 10)).tolist()
            tests += [(columns[j], sign, cut, j) for cut in cuts for sign in ("<=", ">")]

    def holds(value, sign, other):
        if sign in ("==", "!="):
            return (value == other) == (sign == "==")
        return value is not None and (value <= other) == (sign == "<=")

    def coded(rows):
        bits = np.array([[holds(row[j], sign, other) for _, sign, other, j in tests] for row in rows], dtype=int)
        return pd.DataFrame(bits, columns=pd.MultiIndex.from_tuples([test[:3] for test in tests]))

    model = BooleanRuleCG(silent=True, solver="CLARABEL")
    model.fit(coded(X), np.array([classes.index(label) for label in y]))
    lengths = model.z.loc[:, model.w > 0.5].to_numpy().sum(axis=0)
    return lambda rows: [classes[int(code)] for code in model.predict(coded(rows))], {
        "rules": len(lengths),
        "literals": int(lengths.sum()),
    }


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
    "jrip": (jrip, "weka"),
    "imodels": (greedy_list, "imodels"),
    "brcg": (column_generation, "rulelearn"),
    "rulelearn": (ripper_of_ibm, "rulelearn"),
    "lightgbm": (lightgbm, "lightgbm"),
    "tsetlin": (tsetlin, "tmu"),
}


def spent():
    """Return the seconds of processor time so far, of this process and those that it has waited for."""
    return sum(os.times()[:4])


def answer(learner, job):
    """Fit and predict each split."""
    fit, package = LEARNERS[learner]
    folds = []
    for train, test in job["splits"]:
        X, y = [job["X"][i] for i in train], [job["y"][i] for i in train]
        start = spent()
        predict, facts = fit(job["columns"], job["types"], X, y)
        fitted = spent()
        predicted = predict([job["X"][i] for i in test])
        folds.append({"predicted": predicted, "fit": fitted - start, "predict": spent() - fitted, **facts})
    release = Path(WEKA).resolve().stem.partition("-")[2] if package == "weka" else version(package)
    return {"version": f"{package} {release}", "folds": folds}


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
