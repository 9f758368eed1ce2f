from hypothesis import given, settings
from hypothesis import strategies as st

from winnowkit.core.columns import is_missing
from winnowkit.data.encode import CategoryEncoder

values = st.one_of(st.none(), st.just("?"), st.integers(-3, 3), st.sampled_from("abc"), st.tuples(st.integers(0, 1)))
tables = st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(values, min_size=width, max_size=width), min_size=1))


@settings(max_examples=100, deadline=None)
@given(tables)
def test_codes_tell_the_values_they_came_from(rows):
    encoder = CategoryEncoder(missing="ignore", categorical=range(len(rows[0])))
    codes = encoder.fit_transform(rows)
    for row, coded in zip(rows, codes.tolist(), strict=True):
        for j, (value, code) in enumerate(zip(row, coded, strict=True)):
            assert is_missing(value) if code == 0 else encoder.categories_[j][code - 1] == value


@settings(max_examples=100, deadline=None)
@given(tables, st.sampled_from(["ignore", "value", "most_frequent"]), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter_and_rows_code_alone_as_together(rows, missing, random):
    labels = [random.randrange(2) for _ in rows]
    order = random.sample(range(len(rows)), len(rows))
    encoder = CategoryEncoder(missing=missing)
    codes = encoder.fit_transform(rows, labels)
    shuffled = CategoryEncoder(missing=missing).fit_transform([rows[i] for i in order], [labels[i] for i in order])
    assert shuffled.tolist() == codes[order].tolist()
    alone = [encoder.transform_one(row, label).tolist() for row, label in zip(rows, labels, strict=True)]
    assert alone == codes.tolist()
