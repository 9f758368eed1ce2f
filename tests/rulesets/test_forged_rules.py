"""Rules in JSON and in text of which some values are wrong."""

import copy
import json
import random
from collections import Counter
from contextlib import suppress

import pytest

from winnowkit.rulesets import RuleSet

ROWS = [["sunny", 3, "1", "2021-05-01"], ["rain", 50.5, "?", "2020-01-01"], [None, None, None, None]]
SOUND = """\
if sky = sunny and 2.5 <= age < 40 then play (log weight 3.5)
if wind missing then stay
if signed > 2021-03-04 then 3.5
else stay
"""
VALUES = [None, True, -1, 0, 2, 1.5, -0.5, 1e300, 2**62, 2**63, 10**400, "", "a", "<", "NaN", [], ["a"], {}, {"a": 1}]


def forged(node, rng):
    """Replace one value of a JSON document."""
    key = rng.choice([*node] if isinstance(node, dict) else range(len(node)))
    if isinstance(node[key], dict | list) and node[key] and rng.random() < 0.9:
        forged(node[key], rng)
    else:
        node[key] = copy.deepcopy(rng.choice(VALUES))


def test_forged_documents_are_refused_or_can_be_used():
    sound = RuleSet.from_text(SOUND)
    document = json.loads(sound.measured(ROWS, ["play", "stay", "stay"]).to_json())
    rng, seen = random.Random(0), Counter()
    for _ in range(2000):
        lie = copy.deepcopy(document)
        for _ in range(rng.choice([1, 1, 2, 3])):
            forged(lie, rng)
        try:
            rules = RuleSet.from_json(json.dumps(lie))
        except ValueError:
            seen["refused"] += 1
            continue
        seen["accepted"] += 1
        with suppress(ValueError):  # values of a column that are no numbers, columns that are absent
            rules.predict(ROWS)
            rules.predict_proba(ROWS)
        str(rules), rules._repr_html_(), [(rule.weight, rule.precision_interval) for rule in rules]
        assert RuleSet.from_json(rules.to_json()) == rules
        assert RuleSet.from_text(rules.to_text()) == rules
    assert seen["refused"] > 500
    assert seen["accepted"] > 100


@pytest.mark.parametrize(
    ("name", "value"), [("then", None), ("then", ["a"]), ("then", {}), ("log_weight", "heavy"), ("log_weight", [1])]
)
def test_values_that_no_rule_has(name, value):
    document = json.loads(RuleSet.from_text(SOUND).to_json())
    document["rules"][0][name] = value
    with pytest.raises(ValueError, match=r"cannot be written in a rule|log_weight must be a number"):
        RuleSet.from_json(json.dumps(document))


@pytest.mark.parametrize("value", [None, 1, "yes"])
def test_complete_is_true_or_false(value):
    document = json.loads(RuleSet.from_text(SOUND).to_json()) | {"complete": value}
    with pytest.raises(ValueError, match="complete must be true or false, got"):
        RuleSet.from_json(json.dumps(document))


def test_a_weight_in_text_is_a_number():
    with pytest.raises(ValueError, match="log_weight must be a number, got 'heavy'"):
        RuleSet.from_text("if sky = sunny then play (log weight heavy)\nelse stay")
