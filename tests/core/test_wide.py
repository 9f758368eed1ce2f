"""Tables wider than the memory, or than 32 bits can count: refused in time, with a remedy."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import winnowkit
from confined import confined
from winnowkit import Winnow2
from winnowkit.data import DataError, write_table

NAMES = [name for name in winnowkit.__all__ if name[0].isupper() and name != "DNFWinnow"]


def wide(n_features):
    """Return two rows whose last attributes are active."""
    places = np.array([0, n_features - 1, 5, n_features - 2], dtype=np.int64)
    return csr_array((np.ones(4), places, np.array([0, 2, 4], dtype=np.int64)), shape=(2, n_features))


@pytest.mark.parametrize("n_features", [2**31, 2**40, 2**63 - 1])
@pytest.mark.parametrize("name", NAMES)
def test_more_attributes_than_kernels_count(name, n_features):
    model = getattr(winnowkit, name)()
    for call in (
        lambda: model.fit(wide(n_features), [0, 1]),
        lambda: model.partial_fit(wide(n_features), [0, 1], [0, 1]),
        lambda: model.begin(n_features, [0, 1]),
    ):
        with pytest.raises(
            ValueError, match=r"at most 2,147,483,647 attributes, got .*FeatureHasher|must not exceed max_disjunctions"
        ):
            call()
        assert not hasattr(model, "classes_")


def test_a_fitted_model_refuses_wider_rows():
    model = Winnow2().begin(5, [0, 1])
    with pytest.raises(ValueError, match="2147483648 features, but Winnow2 is expecting 5"):
        model.predict(wide(2**31))


COMMANDS = """
import os
import winnowkit
from winnowkit.cli import main
folder = Path(sys.argv[1])
for name in ("Winnow2", "Committee", "AROW", "SASB", "DirectedDrift"):
    getattr(winnowkit, name)().begin(3, [0, 1])  # compiles
confine(700, 60)
found = [outcome(getattr(winnowkit, name)().begin, 2_000_000_000, [0, 1])
         for name in ("Winnow2", "Committee", "AROW", "SASB", "DirectedDrift")]
words = [["fit", folder / "wide.libsvm", "--output", folder / "model", "--learner", "Winnow2", "--quiet"],
         ["evaluate", folder / "wide.libsvm", "--learner", "Winnow2", "--quiet"],
         *(["convert", folder / "wide.libsvm", folder / f"out.{suffix}"] for suffix in ("csv", "tsv", "arff", "vw"))]
codes = [main([str(word) for word in line]) for line in words]
print(json.dumps([found, codes, sorted(os.listdir(folder))]))
"""


def test_a_line_of_twenty_bytes_does_not_take_the_memory(tmp_path):
    (tmp_path / "wide.libsvm").write_text("1 1:1 2000000000:1\n0 5:1\n")
    found, codes, files = confined(COMMANDS, tmp_path)
    assert [kind for kind, _ in found] == ["MemoryError"] * 5
    assert all("2,000,000,000 attributes" in text and "FeatureHasher" in text for _, text in found)
    assert codes == [2, 2, 2, 2, 2, 0]
    assert files == ["out.vw", "wide.libsvm"]


def test_formats_that_name_every_column(tmp_path):
    for suffix in ("csv", "tsv", "arff"):
        with pytest.raises(DataError, match=r"X has 1,000,001 columns.*write libsvm or vw"):
            write_table(wide(1_000_001), [0, 1], tmp_path / f"out.{suffix}")
        assert not list(tmp_path.iterdir())
    write_table(wide(1_000_001), [0, 1], tmp_path / "out.libsvm")
    assert (tmp_path / "out.libsvm").read_text() == "0 1:1 1000001:1\n1 6:1 1000000:1\n"


def test_wide_rows_are_written_in_blocks_of_few(tmp_path):
    rows = csr_array(np.eye(7, 50_000))
    write_table(rows, np.arange(7), tmp_path / "wide.csv")
    lines = (tmp_path / "wide.csv").read_text().splitlines()
    assert [line.split(",")[:7].index("1") for line in lines[1:]] == list(range(7))
