"""The benchmark on sets that no setting was chosen by: columns are coded and standardised as it says."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

pytestmark = pytest.mark.usefixtures("benchmarks")


def test_rows_are_standardised_by_the_rows_up_to_them():
    import fresh  # noqa: PLC0415

    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(1e6, 3.0, 40), rng.gamma(2.0, 5.0, 40), rng.integers(0, 2, 40)])
    found = fresh.standardised_so_far(fresh.whole("made up", X, rng.integers(0, 2, 40))).X.toarray()
    for r in (1, 7, 39):
        expected = StandardScaler().fit(X[: r + 1]).transform(X[: r + 1])[r]
        assert found[r, :2] == pytest.approx(expected[:2], abs=1e-4)
    assert (found[:, 2] == X[:, 2]).all()  # columns of 0 and 1 stay as they are


def test_the_test_part_is_standardised_by_the_training_part():
    import fresh  # noqa: PLC0415

    rng = np.random.default_rng(1)
    X, y = rng.normal(5.0, 2.0, (60, 3)), rng.integers(0, 2, 60)
    parts = fresh.whole("made up", X, y).split_anew(0)
    scale, found = StandardScaler().fit(parts.X.toarray()), fresh.standardised(parts)
    assert found.X_test.toarray() == pytest.approx(scale.transform(parts.X_test.toarray()))


def test_columns_of_numbers_stay_and_others_become_one_per_value():
    import fresh  # noqa: PLC0415

    many = [str(i) for i in range(11)]
    X = fresh.encoded([["1.5"] * 12, ["a", "b"] * 6, [*many, "?"], ["0", "?"] * 6])
    assert X.shape == (12, 1 + 2 + 2 + 2)
    assert X[-1].tolist() == [1.5, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]  # a missing number is 0, and marked


def test_where_committee_is_behind_is_bold():
    import fresh  # noqa: PLC0415

    mine = [10.0, 12.0, 11.0]
    found = {
        fresh.COMMITTEE: mine,
        fresh.STANDARDISED: [9.0, 11.5, 10.0],
        "AROW": [20.0, 21.0, 22.0],
        "Vowpal Wabbit": [30.0, 30.0, 30.0],
        "Vowpal Wabbit, hinge": mine,
        "scikit-learn Perceptron": [10.0, 11.0, 12.0],
    }
    assert fresh.line("made up", found) == (
        "| made up | 11.00 | **-0.83 ± 0.17** | +10.00 ± 0.58 | +0.00 ± 0.00 | +0.00 ± 0.58 |"
    )
