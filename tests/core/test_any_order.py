"""fit, partial_fit, save, load, clone, predict in any order: a learner and its twin answer alike, or refuse alike."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

import winnowkit
from any_order import machine
from flat_parameters import dnf
from winnowkit import DNFWinnow

SHARED = {"binarize": [0.0, 0.5, None], "negations": [False, True], "max_epochs": [1, 3], "shuffle": [False, True]}
COUNTED = SHARED | {"binarize": [0.0, 0.5]}
FACTORS = {"alpha": [1.5, 1 + 1e-12, 2.0, 1e300]}
WINNOW = SHARED | FACTORS | {"theta": ["auto", 1e-300, 1.0, 1e300]}
AVERAGED = {"max_epochs": [1, 3], "shuffle": [False, True]}
MACHINES = {
    "Elimination": SHARED,
    "Winnow1": WINNOW,
    "Winnow2": WINNOW | {"floor": [0.0, 1e-300, 0.5]},
    "BalancedWinnow": WINNOW | {"margin": [0.0, 1e-300, 1e300]},
    "NormalizedWinnow": SHARED | FACTORS | {"k": [1, 10], "policy": ["mistake", "always"]},
    "ThresholdedBEG": SHARED | {"alpha": [1.5, 1 + 1e-12, 1e300], "policy": ["mistake", "always"]},
    "BayesBEG": SHARED | {"preset": ["theorem-4", "theorem-3"], "policy": ["mistake", "always"]},
    "DirectedDrift": COUNTED
    | {"mode": ["multiple", "online", "single"], "flips": ["paper", "majority"], "batch": [1, 7]},
    "DirectBayes": COUNTED | {"k": [1, 2], "noise": [1e-9, 0.1, 0.49], "prediction": ["majority", "probability"]},
    "SBSB": COUNTED | {"voting": [0, 3]},
    "SASB": COUNTED | {"voting": [0, 3]},
    "AROW": AVERAGED | {"r": [1e-300, 0.1, 1.0, 1e300]},
    "CoinBetting": AVERAGED,
    "AdaptiveWinnow": AVERAGED,
    "Committee": {"share": [0.0, 0.1, 1 - 1e-9], "max_epochs": [1, 3], "shuffle": [False, True]},
    "DNFWinnow": {
        "alpha": [1.5, 1 + 1e-12, 1e6],
        "theta": ["auto", 1e-300, 1e300],
        "missing": ["ignore", "value", "most_frequent"],
        "two_class": ["single", "pair"],
        "max_literals": [None, 1, 2],
        "max_mistakes": [None, 2],
        "max_epochs": [1, 4],
        "shuffle": [False, True],
    },
}


def run(name, max_examples, steps, *, derandomize):
    kind, further = getattr(winnowkit, name), {}
    if kind is DNFWinnow:
        kind, further = dnf, {"verbose": False}

    def begin(**parameters):
        return kind(random_state=3, **parameters, **further)

    begin.__name__ = name
    run_state_machine_as_test(
        machine(begin, MACHINES[name]),
        settings=settings(
            max_examples=max_examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=derandomize,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_every_learner_has_a_machine():
    assert set(MACHINES) == {name for name in winnowkit.__all__ if name[0].isupper()}


@pytest.mark.parametrize("name", MACHINES)
def test_any_order(name):
    run(name, 6, 10, derandomize=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_any_order_at_length(name):
    run(name, 300, 30, derandomize=False)
