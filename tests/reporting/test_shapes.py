"""What a column adds to the score, by its value."""

import re

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from winnowkit import AROW, DNFWinnow
from winnowkit.data import Frame
from winnowkit.report.of_linear import LinearSubject
from winnowkit.report.of_terms import TermsSubject
from winnowkit.report.shapes import MOST_GROUPS, ColumnShape, RowGroup, shapes_of
from winnowkit.report.shapes_section import shapes_html
from winnowkit.report.table import SparseTable, table_of

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def weather():
    rng = np.random.default_rng(0)
    sky = rng.choice(["rain", "sunny", HOSTILE], 300).astype(object)
    degrees = rng.uniform(0, 40, 300).round()
    wind = rng.choice(np.array(["no", "yes", None], dtype=object), 300)
    return Frame({"sky": sky, "degrees": degrees, "wind": wind}), np.where((sky == "sunny") ^ (degrees < 10), "a", "b")


def test_groups_differ_by_what_the_column_adds_to_the_decision(weather):
    """Terms of one literal add up, so that a row's decision moves as the mean of its group does."""
    X, y = weather
    model = DNFWinnow(max_literals=1, random_state=0, verbose=False).fit(X, y)
    shapes = {shape.name: shape for shape in shapes_of(TermsSubject(model), table_of(X), np.full(3, 1 / 3))}
    assert set(shapes) == {"sky", "degrees", "wind"}
    groups = {group.low: group for group in shapes["sky"].groups}
    assert {value: group.n_rows for value, group in groups.items()} == {
        value: int(sum(X["sky"] == value)) for value in ("rain", "sunny", HOSTILE)
    }
    one = Frame({name: X[name][:1].repeat(2) for name in X.columns} | {"sky": np.array(["sunny", "rain"], object)})
    sunny, rain = model.decision_function(one)
    assert groups["sunny"].mean - groups["rain"].mean == pytest.approx(sunny - rain, abs=1e-9)
    assert groups["sunny"].least == pytest.approx(groups["sunny"].most)
    assert shapes["wind"].missing.n_rows == sum(value is None for value in X["wind"])


def test_numbers_are_cut_into_groups_that_hold_all_rows(weather):
    X, y = weather
    model = DNFWinnow(max_literals=2, random_state=0, verbose=False).fit(X, y)
    (shape,) = [s for s in shapes_of(TermsSubject(model), table_of(X), np.array([0.1, 0.8, 0.1])) if s.is_number]
    assert sum(group.n_rows for group in shape.groups) == 300
    assert 2 <= len(shape.groups) <= 2 * MOST_GROUPS
    assert all(before.high < after.low for before, after in zip(shape.groups, shape.groups[1:], strict=False))
    assert all(group.least - 1e-9 <= group.mean <= group.most + 1e-9 for group in shape.groups if group.n_rows > 20)
    assert max(group.most - group.least for group in shape.groups) > 0.01  # the sky matters, too: terms of two literals


def test_a_far_value_does_not_squeeze_the_others():
    groups = [RowGroup(float(k), float(k), 10, 0.1 * k, 0.0, 1.0) for k in range(5)] + [
        RowGroup(6.0, 99_999.0, 1, 1.0, 1, 1)
    ]
    shown = shapes_html([ColumnShape("gain", "yes", True, groups, None)])
    assert "values go from 0 to 99,999" in shown
    ticks = [float(t) for t in re.findall(r'class="tick" text-anchor="middle">([\d.,]+)<', shown)]
    assert max(ticks) < 20
    assert "values go" not in shapes_html([ColumnShape("gain", "yes", True, groups[:5], None)])


def test_amounts_of_a_linear_learner_are_centred(weather):
    X, y = weather
    numbers = np.column_stack([X["degrees"], X["sky"] == "sunny"])
    model = AROW(random_state=0).fit(numbers, y)
    (moved,) = LinearSubject(model).moved(table_of(numbers))
    decisions = model.decision_function(numbers)
    assert moved.sum(axis=1) == pytest.approx(decisions - decisions.mean(), abs=1e-9)
    assert len(shapes_of(LinearSubject(model), table_of(numbers), np.array([0.5, 0.5]))) == 2


def test_no_shapes_without_a_sum_over_columns_or_of_sparse_rows(weather):
    X, y = weather
    from_mistakes = DNFWinnow(verbose=False).partial_fit(X, y, classes=["a", "b"])
    assert shapes_of(TermsSubject(from_mistakes), table_of(X), np.full(3, 1 / 3)) == []
    sparse = csr_matrix(np.eye(4))
    model = AROW().fit(sparse, [0, 1, 0, 1])
    assert shapes_of(LinearSubject(model), table_of(sparse), np.full(4, 1 / 4)) == []
    assert shapes_html([]) == ""


def test_names_and_values_are_escaped(weather):
    X, y = weather
    model = DNFWinnow(max_literals=1, random_state=0, verbose=False).fit(X, y)
    shown = shapes_html(shapes_of(TermsSubject(model), table_of(X), np.full(3, 1 / 3)))
    assert HOSTILE not in shown
    assert "&lt;img" in shown
    assert shown.count("<figure") == 3
    turned = [
        ColumnShape("a\u202eb", "c\u202ed", number, [RowGroup(1.0, 2.0, 3, 0.1, 0.0, 0.2)], None)
        for number in (True, False)
    ]
    assert "\u202e" not in shapes_html(turned)  # which would turn the text around it


def test_a_shuffled_column_of_sparse_rows_keeps_its_values_and_all_others():
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 3, (50, 4)).astype(float)
    mixed = SparseTable(csr_matrix(dense), list("abcd")).shuffled(2, rng)
    assert mixed.has_canonical_format
    found = mixed.toarray()
    assert sorted(found[:, 2]) == sorted(dense[:, 2])
    assert (found[:, 2] != dense[:, 2]).any()
    assert (np.delete(found, 2, axis=1) == np.delete(dense, 2, axis=1)).all()
