"""Models in a notebook: scikit-learn's diagram as ever, and below it what was learned."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils import estimator_html_repr

import winnowkit as wk
from winnowkit.core.frame import Frame
from winnowkit.data import load_dataset

HOSTILE = "<script>alert(1)</script>"


def attributes(n_classes=2):
    rng = np.random.default_rng(0)
    X = (rng.random((80, 6)) < 0.5).astype(float)
    names = [HOSTILE, *(f"column {i}" for i in range(5))]
    return Frame(dict(zip(names, X.T, strict=True))), (X[:, 0] + X[:, 1] * (n_classes > 2)).astype(int)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "learner",
    [
        wk.Winnow2(),
        wk.BayesBEG(),
        wk.AROW(),
        wk.CoinBetting(),
        wk.Committee(),
        wk.SBSB(),
        wk.DirectBayes(k=1),
        wk.DirectedDrift(mode="online", random_state=0),
    ],
    ids=repr,
)
def test_what_was_learned_stands_below_the_diagram(learner, n_classes):
    model = clone(learner)
    assert "has learned" not in model._repr_html_()
    X, y = attributes(n_classes)
    model.fit(X, y)
    shown = model._repr_html_()
    assert "has learned from" in shown
    assert estimator_html_repr(model).split("</style>")[0] in shown  # the diagram is there
    assert model._repr_mimebundle_()["text/html"].count("has learned from") == 1
    assert HOSTILE not in shown
    if hasattr(model, "coef_") and not isinstance(model, wk.DirectedDrift):
        assert "column 0" in shown  # among the heaviest


def test_terms_and_rules():
    boards = load_dataset("tic-tac-toe", as_frame=True)
    soft = wk.DNFWinnow(max_literals=2, max_epochs=3, random_state=0)
    with pytest.warns(UserWarning, match="max_epochs=3"):
        soft.fit(boards.data, boards.target)
    assert "a weight for every term of up to 2 literals" in soft._repr_html_()
    assert "if " in soft._learned()[1][1][1]
    mistakes = wk.DNFWinnow(max_literals=None, random_state=0).fit(boards.data[::9], boards.target[::9])
    assert "mistakes on the way. Its heaviest terms" in mistakes._repr_html_()


def test_scikit_learn_decides_whether_there_is_a_diagram():
    X, y = attributes()
    model = wk.Winnow2().fit(X, y)
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert list(model._repr_mimebundle_()) == ["text/plain"]
    pipeline = make_pipeline(MaxAbsScaler(), wk.Committee()).fit(np.asarray(X), y)
    assert "Committee" in pipeline._repr_html_()
