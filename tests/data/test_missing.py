"""Gaps that go with the classes, and what DNFWinnow makes of them by default."""

import numpy as np
import pytest

from winnowkit import DNFWinnow
from winnowkit.data.coded_table import LEVEL, informative
from winnowkit.data.encode import CategoryEncoder
from winnowkit.dnf import MistakeDriven


def test_accidents_are_seldom_taken_for_more():
    """At the level 1% of 4,000 columns are expected, give or take 6; five standard errors fail once in 10^6 runs."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 600)
    share = informative(rng.random((600, 4000)) < 0.2, labels).mean()
    assert abs(share - LEVEL) < 5 * np.sqrt(LEVEL * (1 - LEVEL) / 4000)
    tied = rng.random((600, 200)) < np.where(labels == 0, 0.4, 0.2)[:, None]
    assert informative(tied, labels).mean() > 0.9


def test_one_gap_in_a_rare_class_is_no_sign():
    labels = np.array(["rare"] * 3 + ["usual"] * 100 + ["other"] * 97)
    gaps = np.zeros((200, 2), dtype=bool)
    gaps[0, 0] = True
    gaps[:, 1] = True  # a column of nothing but gaps says nothing either
    assert informative(gaps, labels).tolist() == [False, False]


def test_gaps_that_tell_become_a_category():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 100)
    X = rng.choice(["a", "b"], (100, 3)).astype(object)
    X[y == 1, 0] = None
    X[rng.random(100) < 0.2, 1] = None
    encoder = CategoryEncoder(missing="informative").fit(X, y)
    assert encoder.categories_ == [["a", "b", None], ["a", "b"], ["a", "b"]]
    model = DNFWinnow(max_literals=None, random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert "missing" in str(model.rules(max_rules=1))
    assert (
        DNFWinnow(
            max_literals=None,
            training=MistakeDriven(two_class="single"),
            encoder=CategoryEncoder(missing="ignore"),
            max_epochs=5,
            random_state=0,
        )
        .fit(X, y)
        .score(X, y)
        < 1.0
    )


def test_classes_are_needed():
    with pytest.raises(ValueError, match=r"informative.*needs the class of each row"):
        CategoryEncoder(missing="informative").fit([["a"], [None]])
