"""Parameters of engines and of DNFWinnow: the last value that is taken, and the first that is refused."""

import math

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from winnowkit import DNFWinnow
from winnowkit.dnf import Agreement, Descent, Exact, MistakeLog, Population, Threshold
from winnowkit.dnf.certify import _plain
from winnowkit.dnf.term_layout import blocks_of, n_terms


@pytest.mark.parametrize(
    ("engine", "name", "least", "message"),
    [
        (Exact, "max_nodes", 1, "max_nodes must be at least 1 or None, got 0"),
        (Descent, "max_nodes", 1, "max_nodes must be at least 1, got 0"),
        (Descent, "max_descents", 1, "max_descents must be at least 1, got 0"),
        (Descent, "widest", 0, "widest must be at least 0, got -1"),
        (Population, "size", 1, "size must be an integer >= 1, got 0"),
        (Population, "tempers", 2, "tempers must be an integer >= 2, got 1"),
        (Population, "min_populations", 2, "min_populations must be an integer >= 2, got 1"),
        (Population, "n_jobs", 1, "n_jobs must be an integer >= 1, got 0"),
        (Population, "error", 0, "error must be at least 0, got -1"),
    ],
)
def test_the_least_values_of_engines(engine, name, least, message):
    assert getattr(engine(**{name: least}), name) == least
    with pytest.raises(ValueError, match=message):
        engine(**{name: least - 1})


@pytest.mark.parametrize("engine", [Descent, Population])
def test_doubt_is_allowed_between_0_and_a_half(engine):
    for delta in (1e-300, np.nextafter(0.5, 0)):
        assert engine(delta=delta).delta == delta
    for delta in (0.0, 0.5):
        with pytest.raises(ValueError, match=r"delta must be in \(0, 0.5\)"):
            engine(delta=delta)


def test_populations_may_be_as_many_as_they_must_be():
    assert Population(min_populations=5, max_populations=5).max_populations == 5
    with pytest.raises(ValueError, match="max_populations must be an integer >= 5, got 4"):
        Population(min_populations=5, max_populations=4)


def test_alpha_is_above_1_and_finite():
    log = MistakeLog(2)
    log.append([1, 1], 1)
    agreement = Agreement.of(log, [1, 1])
    assert Exact().log_sum(agreement, np.nextafter(1.0, 2.0)).log_sum == pytest.approx(math.log(4))
    for alpha in (1.0, math.inf):
        with pytest.raises(ValueError, match="alpha must be > 1 and finite"):
            Exact().decide(agreement, Threshold(alpha, 0.0))


def test_max_time_is_more_than_0():
    X, y = [["a"], ["b"]] * 30, [0, 1] * 30
    with pytest.warns(ConvergenceWarning, match="fit ended at max_time=1e-09"):
        DNFWinnow(max_literals=1, max_time=1e-9, random_state=0).fit(X, y)
    for limit in (0, -1, "long"):
        with pytest.raises(ValueError, match="max_time must be a number of seconds > 0"):
            DNFWinnow(max_time=limit).fit(X, y)


def test_an_explanation_has_one_to_eight_terms():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 9)).astype(str)
    model = DNFWinnow(max_literals=1, max_epochs=2, random_state=0).fit(X, X[:, 0])
    for n in (1, 8):
        assert len(model.explain(X[0], max_terms=n).terms) == n
    for n in (0, 9):
        with pytest.raises(ValueError, match="max_terms must be from 1 to 8"):
            model.explain(X[0], max_terms=n)


def test_long_numbers_are_rounded_from_sixteen_digits_on():
    assert _plain(10**15 - 1) == "999,999,999,999,999"
    assert _plain(10**15) == "about 10^15"


@pytest.mark.parametrize("max_literals", [1, 2, 3, 4, 9])
@pytest.mark.parametrize(("n_ordered", "n_other"), [([3, 0, 5, 2], [0, 2, 1, 0]), ([0, 1], [0, 0]), ([4], [3])])
def test_counted_terms_are_those_listed(n_ordered, n_other, max_literals):
    def literals(j, form):
        n_cuts = max(n_ordered[j] - 1, 0)
        return 2 * n_cuts + n_other[j] if form == 1 else n_cuts * (n_cuts - 1) // 2

    listed = sum(
        math.prod(literals(j, form) for j, form in zip(*block, strict=True))
        for block in blocks_of(n_ordered, n_other, max_literals)
    )
    assert n_terms(n_ordered, n_other, max_literals) == listed
