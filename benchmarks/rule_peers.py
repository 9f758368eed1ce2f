"""RIPPER (wittgenstein) and CN2 (Orange3) on one training and test table; run by rules.py in the peers' interpreter.

Usage: python rule_peers.py LEARNER < split.json. The object read has columns, X, y, test; the one written has rules,
literals, predicted (labels of the test rows) and seconds. One-vs-rest for RIPPER where there are more than two classes.
"""

from __future__ import annotations

import json
import sys
import time
import warnings


def ripper(columns, X, y, test):
    import pandas as pd  # noqa: PLC0415 - each learner needs its own packages only
    import wittgenstein as lw  # noqa: PLC0415

    classes = sorted(set(y))
    frame, later = (pd.DataFrame(rows, columns=columns).fillna("missing") for rows in (X, test))
    rarest_first = sorted(classes, key=y.count)
    predicted, n_rules, n_literals = [rarest_first[-1]] * len(test), 0, 0
    left = list(range(len(y)))
    said = [False] * len(test)
    for label in rarest_first[:-1]:  # as RIPPER does with many classes: the rarest first, the most frequent is the rest
        part = frame.iloc[left]
        model = lw.RIPPER(random_state=0)
        model.fit(part, [y[i] == label for i in left], pos_class=True)
        n_rules += len(model.ruleset_.rules)
        n_literals += sum(len(rule.conds) for rule in model.ruleset_.rules)
        for i, hit in enumerate(model.predict(later)):
            if hit and not said[i]:
                predicted[i], said[i] = label, True
        left = [i for i in left if y[i] != label]
    return n_rules, n_literals, predicted


def cn2(columns, X, y, test):
    import numpy as np  # noqa: PLC0415
    from Orange.classification.rules import CN2Learner  # noqa: PLC0415
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table  # noqa: PLC0415

    variables = []
    for j, name in enumerate(columns):
        values = {row[j] for row in [*X, *test] if row[j] is not None}
        numeric = all(isinstance(value, float) for value in values)
        variables.append(ContinuousVariable(name) if numeric else DiscreteVariable(name, sorted(values)))
    target = DiscreteVariable("the class", sorted(set(y)))
    domain = Domain(variables, target)
    read = [
        (lambda v: np.nan if v is None else v)
        if variable.is_continuous
        else (lambda v, variable=variable: np.nan if v is None else variable.values.index(v))
        for variable in variables
    ]
    coded, later = (
        np.array([[f(v) for f, v in zip(read, row, strict=True)] for row in rows], dtype=float) for rows in (X, test)
    )
    model = CN2Learner()(Table.from_numpy(domain, coded, np.array([target.values.index(v) for v in y], dtype=float)))
    said = model(Table.from_numpy(domain, later, np.full(len(later), np.nan)))
    rules = [rule for rule in model.rule_list if rule.selectors]
    return len(rules), sum(len(rule.selectors) for rule in rules), [target.values[int(c)] for c in said]


def main() -> None:
    split, learner = json.load(sys.stdin), {"ripper": ripper, "cn2": cn2}[sys.argv[1]]
    warnings.simplefilter("ignore")
    start = time.process_time()
    n_rules, n_literals, predicted = learner(split["columns"], split["X"], split["y"], split["test"])
    seconds = time.process_time() - start
    json.dump({"rules": n_rules, "literals": n_literals, "predicted": predicted, "seconds": seconds}, sys.stdout)


if __name__ == "__main__":
    main()
