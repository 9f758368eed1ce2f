"""Rule sets as PMML, run by two products that are not ours: JPMML and PMML4S."""

import json
import math
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from winnowkit import DNFWinnow
from winnowkit.data import CategoryEncoder, load_dataset
from winnowkit.data.catalogue import names
from winnowkit.rulesets import Condition, Rule, RuleSet

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:These columns are left out"),  # one of annealing is constant
]
WORKER = Path(__file__).resolve().parent / "pmml_worker.py"
PACKAGES = {"jpmml": "jpmml_evaluator", "pmml4s": "pypmml"}
NAMES = ["it's", 'say "no"', "<a> & <b>", "prediction", "a\tb\nc", " ", "Ünïcode ☃", "\u202e", "1", "true", "]]>"]


@pytest.fixture(params=PACKAGES)
def said(request):
    """What a product predicts for rows, given as dictionaries."""
    product = request.param
    if find_spec(PACKAGES[product]) is None:
        pytest.skip(f"{PACKAGES[product]} is not installed: pip install --group pmml")
    if shutil.which("java") is None:
        pytest.skip(f"{PACKAGES[product]} needs Java, and there is no java on the PATH")

    def run(cases):
        jobs = [
            {"document": rules.to_pmml(), "rows": [dict(zip(rules.columns, row, strict=True)) for row in rows]}
            for rules, rows in cases
        ]
        command = [sys.executable, str(WORKER), product]
        done = subprocess.run(command, input=json.dumps(jobs), capture_output=True, text=True, check=False, timeout=600)
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout)

    return run


def predicted(cases):
    return [[str(rules.predict_one(row)) for row in rows] for rules, rows in cases]


@pytest.fixture(scope="module")
def bundled():
    """Compact rules and heaviest terms of every bundled set, its rows, and these again with a tenth of values gone."""
    cases, rng = [], np.random.default_rng(0)
    for name in names():
        if name.endswith("-test") or name == "sms-spam":  # free text has no rules
            continue
        data = load_dataset(name, as_frame=True)
        rows = data.data.astype(object).to_numpy()
        rows = np.where(data.data.isna().to_numpy(), None, rows)
        holes = np.where(rng.random(rows.shape) < 0.1, None, rows)
        for missing in ("ignore", "value"):
            model = DNFWinnow(
                max_literals=None, encoder=CategoryEncoder(missing=missing), random_state=0, max_epochs=3
            ).fit(data.data, data.target)
            found = model.compact(data.data, data.target, max_literals=3), model.rules(max_rules=10)
            cases += [(rules, [*rows.tolist(), *holes.tolist()]) for rules in found]
    return cases


def test_products_predict_as_the_rules_do(bundled, said):
    assert len(bundled) == 48
    assert said(bundled) == predicted(bundled)
    asked = [condition.operator for rules, _ in bundled for rule in rules for condition in rule.conditions]
    assert {"=", "<", ">=", "missing"} <= set(asked)


def test_names_and_values_may_contain_anything_that_xml_can_hold(said):
    rules = RuleSet(
        [Rule([Condition(name, "=", name)], label) for name, label in zip(NAMES, NAMES[1:] + NAMES[:1], strict=True)],
        "none of them",
        NAMES,
    )
    rows = [[name if k == j else None for k, name in enumerate(NAMES)] for j in range(len(NAMES) + 1)]
    assert said([(rules, rows)]) == predicted([(rules, rows)]) == [[*NAMES[1:], NAMES[0], "none of them"]]


def test_numbers_and_booleans_are_compared_as_such(said):
    tests = [
        ([("=", 3, "x"), ("missing", None, "y")], [3, 4, None]),
        ([("=", True, "x")], [True, False, None]),
        ([("=", 2.5, "x"), ("=", 1, "y")], [2.5, 1, 1.0, 0.0, None]),
        ([("=", 10**12, "x")], [10**12, 10**12 + 1]),
        ([("<=", 1, "x"), (">", 2, "y")], [1, 1.5, 2.5, None]),
        ([("present", None, "x"), ("missing", None, "y")], ["b", None]),
        ([], [1, None]),
    ]
    cases = [
        (RuleSet([Rule([Condition("a", *test)], label) for *test, label in rules], "z", ["a"]), [[v] for v in values])
        for rules, values in tests
    ]
    cases.append((RuleSet([Rule([Condition("a", "=", "b")], "x"), Rule([], "y")], "z", ["a"]), [["b"], [None]]))
    assert said(cases) == predicted(cases)
    assert math.prod(len(set(labels)) for labels in predicted(cases)) > 100
