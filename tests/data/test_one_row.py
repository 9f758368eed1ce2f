"""One row in all its forms is encoded and explained alike."""

import numpy as np
import pandas as pd
import pytest

from winnowkit import DNFWinnow
from winnowkit.core.frame import Frame
from winnowkit.data import CategoryEncoder, read_table, write_table


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, 60),
            "job": pd.Categorical(rng.choice(["nurse", "cook", "clerk"], 60)),
            "income": np.where(rng.random(60) < 0.2, np.nan, rng.normal(50, 15, 60).round()),
        }
    )


def forms(frame, i):
    """Return a row in every form that is understood."""
    row = frame.iloc[[i]]
    yield row
    yield row[["income", "age", "job"]]  # in another order
    yield row.assign(more="unused")
    yield frame.iloc[i]
    yield frame.iloc[i][["job", "income", "age"]]
    yield frame.iloc[i].to_dict()
    yield frame.iloc[i].tolist()
    yield row.to_numpy(dtype=object)
    yield frame.iloc[i].to_numpy(dtype=object)
    yield pd.Series(frame.iloc[i].tolist())  # without names
    polars = pytest.importorskip("polars")
    yield polars.DataFrame({name: [None if pd.isna(value) else value] for name, value in frame.iloc[i].items()})


def test_all_forms_of_a_row_have_the_codes_of_the_table(people):
    encoder = CategoryEncoder(missing="ignore", numbers="bounds").fit(people)
    codes = encoder.transform(people)
    assert len(np.unique(codes, axis=0)) > 20
    for i in range(0, 60, 7):
        for form in forms(people, i):
            np.testing.assert_array_equal(encoder.transform_one(form), codes[i])


def test_explain_takes_a_row_of_a_frame(people, tmp_path):
    y = np.where(people.age > 40, "yes", "no")
    model = DNFWinnow(max_literals=1, max_epochs=5, random_state=0).fit(people, y)
    expected = str(model.explain(people.iloc[3].tolist()))
    assert expected != str(model.explain(people.iloc[4].tolist()))
    for form in forms(people, 3):
        assert str(model.explain(form)) == expected
    write_table(people, y, tmp_path / "people.csv", target="class")
    X, _ = read_table(tmp_path / "people.csv", "class")
    assert isinstance(X, Frame)
    assert str(model.explain(X[3:4])) == expected


def test_what_is_not_one_row_is_refused(people):
    encoder = CategoryEncoder(missing="ignore", numbers="bounds").fit(people)
    with pytest.raises(ValueError, match=r"expected a single row, got a table of 2 rows; pass one of them"):
        encoder.transform_one(people[:2])
    with pytest.raises(ValueError, match=r"expected a single row, got a table of 0 rows"):
        encoder.transform_one(people[:0])
    with pytest.raises(ValueError, match=r"the row has no column 'job', which the model learned from"):
        encoder.transform_one(people[["age", "income"]][:1])
    with pytest.raises(ValueError, match=r"X has 2 features, but CategoryEncoder is expecting 3"):
        encoder.transform_one(np.zeros((1, 2)))
