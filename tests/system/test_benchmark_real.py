"""The benchmark on real data, with files that are made up, and the loops that stand for scikit-learn's learners."""

import csv
import gzip
import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import Perceptron, SGDClassifier

pytestmark = pytest.mark.usefixtures("benchmarks")


def matrix(rows, n, seed=0):
    X = sparse.random_array((rows, n), density=0.3, rng=np.random.default_rng(seed), format="csr")
    return sparse.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("rule", "model"),
    [
        ("PERCEPTRON", Perceptron(shuffle=False)),
        (
            "PASSIVE_AGGRESSIVE",
            SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0, shuffle=False),
        ),
        ("HINGE", SGDClassifier(shuffle=False)),
        ("LOG_LOSS", SGDClassifier(loss="log_loss", shuffle=False)),
    ],
)
def test_the_loops_learn_what_scikit_learn_learns(rule, model, n_classes):
    import loops  # noqa: PLC0415

    X, y = matrix(300, 20), np.random.default_rng(1).integers(0, n_classes, 300)
    classes = np.arange(n_classes)
    model = clone(model).partial_fit(X, y, classes=classes)
    w, intercepts = np.zeros_like(model.coef_), np.zeros_like(model.intercept_)
    mistakes = loops.scikit_learn_mistakes(X.data, X.indices, X.indptr, y, getattr(loops, rule), w, intercepts)
    assert 0 < mistakes < 300
    np.testing.assert_allclose(w, model.coef_, atol=1e-8)
    np.testing.assert_allclose(intercepts, model.intercept_, atol=1e-8)


def test_idf_is_that_of_the_rows_so_far():
    import loops  # noqa: PLC0415

    X = matrix(50, 10)
    weighted = sparse.csr_matrix((loops.idf_so_far(X.data, X.indices, X.indptr, 10), X.indices, X.indptr))
    for r in (0, 7, 49):
        expected = TfidfTransformer().fit(X[: r + 1]).transform(X[r])
        np.testing.assert_allclose(weighted[r].toarray(), expected.toarray(), atol=1e-12)


@pytest.fixture
def folder(tmp_path):
    """A folder with small files of every set."""
    rng = np.random.default_rng(0)
    for name in ("sparse/a9a.libsvm.gz", "sparse/a9a.t.libsvm.gz"):
        (tmp_path / "sparse").mkdir(exist_ok=True)
        with gzip.open(tmp_path / name, "wt") as file:
            for label in rng.choice(["+1", "-1"], 50):
                file.write(f"{label} {rng.integers(1, 60)}:1 {rng.integers(61, 123)}:1\n")
    for name, classes in (("reuters-r8", ["acq", "crude", "earn"]), ("20newsgroups", ["a", "b", "c", "d"])):
        X = matrix(60, 30)
        y = rng.integers(0, len(classes), 60)
        arrays = {"indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape), "y": y}
        np.savez(tmp_path / "sparse" / f"{name}.npz", classes=np.array(classes), n_train=40, **arrays)
    (tmp_path / "text").mkdir()
    with gzip.open(tmp_path / "text" / "sms-spam.csv.gz", "wt", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label"])
        writer.writerows([" ".join(rng.choice(list("abcdefgh"), 6)), rng.choice(["ham", "spam"])] for _ in range(60))
    return tmp_path


def test_all_that_is_there_is_measured(folder):
    import part_real  # noqa: PLC0415

    part = part_real.measure("tiny", folder, lambda _: None)
    sets = ["a9a", "R8, earn", "R8, acq", "R8, crude", "R8, 8 classes", "20newsgroups", "sms-spam"]
    assert list(dict.fromkeys(r["data"] for r in part.records if r["what"] == "mistakes")) == sets
    measured = {"mistakes", "log-loss", "held out", "difference", "new split", "time", "stream"}
    assert {r["what"] for r in part.records} >= measured
    for table in part.tables:
        assert {len(row) for row in table.rows} == {len(table.header)}
    assert len(part.verdicts) >= 3 * len(sets)
    json.dumps(part.records)


def test_without_data_a_sentence_says_so_and_streams_are_measured(tmp_path):
    import part_real  # noqa: PLC0415

    part = part_real.measure("tiny", tmp_path, lambda _: None)
    assert any("name a folder that has them by DATA=folder" in line for line in part.absent)
    assert {r["what"] for r in part.records} == {"stream", "time"}
