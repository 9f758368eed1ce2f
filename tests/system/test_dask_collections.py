"""Prediction, one-vs-rest training and on-line learning over Dask's collections, on real workers."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.multiclass import OneVsRestClassifier

import clusters
from winnowkit import DNFWinnow, Winnow2
from winnowkit.data import load_dataset, streams

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # Dask's own, of sockets and loops it closes late
]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    from dask.distributed import Client  # noqa: PLC0415 - optional

    with clusters.cluster(tmp_path_factory.mktemp("dask")) as (address, _), Client(address) as connected:
        yield connected


@pytest.fixture(scope="module")
def car():
    X, y = load_dataset("car", return_X_y=True)
    return np.asarray(X), np.asarray(y)


@pytest.mark.usefixtures("client")
def test_predictions_over_an_array_and_a_frame_are_those_of_one_machine(car):
    X, y = car
    model = DNFWinnow(random_state=0).fit(X[::2], y[::2])
    rows = da.from_array(X, chunks=(300, -1))
    labels = rows.map_blocks(model.predict, drop_axis=1, dtype=y.dtype, meta=y[:0])
    assert (labels.compute() == model.predict(X)).all()
    table = pd.DataFrame(X, columns=list("abcdef"))
    model = DNFWinnow(random_state=0).fit(table[::2], y[::2])
    frame = dd.from_pandas(table, npartitions=3)
    found = frame.map_partitions(lambda part: pd.Series(model.predict(part), part.index), meta=("label", y.dtype))
    assert (found.compute().to_numpy() == model.predict(table)).all()


@pytest.mark.usefixtures("client")
def test_classes_trained_on_workers_are_those_trained_here(car):
    X, y = car
    divided = OneVsRestClassifier(DNFWinnow(random_state=0, verbose=False), n_jobs=-1)
    here = divided.fit(X[::2], y[::2]).predict(X)
    with parallel_config(backend="dask"):
        there = divided.fit(X[::2], y[::2]).predict(X)
    assert (here == there).all()
    assert (there[1::2] == y[1::2]).mean() > 0.85


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("kind", ["array", "frame", "sparse"])
def test_partial_fit_over_blocks_is_partial_fit(car, kind):
    from dask import delayed  # noqa: PLC0415 - optional

    X, y = car
    X, y, classes, learner = X[:600], y[:600], np.unique(y), DNFWinnow(random_state=0)
    if kind == "array":
        blocks = da.from_array(X, chunks=(200, -1)).to_delayed().ravel()
    elif kind == "frame":
        X = pd.DataFrame(X, columns=list("abcdef"))
        blocks = dd.from_pandas(X, npartitions=3).to_delayed()
    else:
        X, y = streams.disjunction(n=1000, k=3, seed=0).take(600)
        classes, learner = [0, 1], Winnow2()
        blocks = [delayed(X[i : i + 200]) for i in range(0, 600, 200)]
    expected = type(learner)(**learner.get_params())
    for i in range(0, 600, 200):
        expected.partial_fit(X[i : i + 200], y[i : i + 200], classes=classes)
    learn = delayed(lambda model, rows, labels: model.partial_fit(rows, labels, classes=classes))
    for i, block in enumerate(blocks):
        learner = learn(learner, block, y[200 * i : 200 * i + 200])
    learner = learner.compute()
    assert learner.n_trials_ == 600
    assert learner.n_mistakes_ == expected.n_mistakes_
    assert (learner.decision_function(X) == expected.decision_function(X)).all()
