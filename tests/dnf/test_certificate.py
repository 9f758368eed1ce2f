"""DNFWinnow's certificate: the bound of corollary 2 where it holds, and the reason where it does not."""

import math

import numpy as np
import pandas as pd
import pytest

from winnowkit import DNFWinnow, load, save
from winnowkit.data import CategoryEncoder
from winnowkit.dnf import Auto, Engine, Exact, Ladder, MistakeDriven
from winnowkit.dnf.short_term_tables import n_short_terms

PLAIN = MistakeDriven(margin=0, max_updates=None)


def categories(n_rows=300, seed=0):
    X = np.random.default_rng(seed).integers(0, 3, (n_rows, 6)).astype(str)
    y = ((X[:, 0] == "1") & (X[:, 1] == "2") | (X[:, 3] == "0") & (X[:, 4] == "0")).astype(int)
    return X, y


@pytest.mark.parametrize("max_literals", [2, None])
def test_the_bound_is_that_of_corollary_2_on_line_and_in_fit(max_literals):
    X, y = categories()
    n_terms = 4**6 if max_literals is None else n_short_terms([3] * 6, 2)
    model = DNFWinnow(max_literals=max_literals, training=PLAIN, random_state=0)
    for trained in (model.partial_fit(X, y, classes=[0, 1]), model.fit(X, y)):
        certificate = trained.certificate(k=2)
        assert certificate.bound == pytest.approx(8 + 14 * 2 * math.log(n_terms))
        assert certificate.mistakes == max(trained.n_updates_) <= certificate.bound
        assert certificate.kept
        assert f"at most 2 of {n_terms:,} terms" in str(certificate)


def test_labels_that_no_small_formula_explains_break_the_bound():
    """The control: the bound does not hold of everything."""
    X, _ = categories()
    noise = np.random.default_rng(1).integers(0, 2, len(X))
    model = DNFWinnow(max_literals=2, training=PLAIN, random_state=0, max_epochs=5)
    with pytest.warns(Warning, match="max_epochs"):
        certificate = model.fit(X, noise).certificate(k=1)
    assert not certificate.kept
    assert str(certificate).endswith("which it is not")


class Asking(Engine):
    """An engine of somebody else's."""

    def __init__(self, **attributes):
        vars(self).update(attributes)

    def log_sum(self, agreement, alpha, rng=None):
        return Exact().log_sum(agreement, alpha, rng)

    def decide(self, agreement, threshold, guess=None, rng=None):
        return Exact().decide(agreement, threshold, guess, rng)


def test_the_bound_is_given_for_every_engine_that_says_it_is_exact():
    X, y = categories(60)
    said = {}
    for name, engine in {
        "exact": Exact(),
        "own": Asking(compares_exactly=True, samples=False),
        "auto": Auto(),
        "mixed": Asking(compares_exactly=True),
        "rounding": Asking(samples=False),
        "ladder": Ladder(steps=50),
    }.items():
        model = DNFWinnow(engine=engine, training=PLAIN, random_state=0, max_epochs=2)
        said[name] = str(model.partial_fit(X, y, classes=[0, 1]).certificate(k=2))
    assert "Tao & Scott 2004, corollary 2" in said["exact"]
    assert "if all sums were exact" not in said["exact"]
    assert said["own"] == said["exact"]
    assert "if all sums were exact" in said["auto"]
    assert said["mixed"] == said["auto"]
    assert "sampled or rounded" in said["rounding"]
    assert "sampled or rounded" in said["ladder"]


def test_other_parameters_have_the_bound_of_auer_and_warmuth():
    X, y = categories()
    model = DNFWinnow(max_literals=2, alpha=2.0, theta=50.0, training=PLAIN).partial_fit(X, y, classes=[0, 1])
    certificate = model.certificate(k=2)
    assert certificate.theorem == "Auer & Warmuth 1998"
    assert certificate.kept
    assert certificate.bound < math.inf


@pytest.mark.parametrize("theta", [0.5, 1.0, 50.0])
def test_a_bound_for_at_most_k_terms_covers_smaller_formulas(theta):
    X, y = categories(10)
    model = DNFWinnow(max_literals=2, alpha=1.2, theta=theta, training=PLAIN).partial_fit(X, y, classes=[0, 1])
    found = [model.certificate(k=k).bound for k in (1, 2, 5)]
    assert found == sorted(found)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"training": MistakeDriven()}, "margin=0, max_updates=None"),
        ({"training": MistakeDriven(margin=0, max_updates=None, experts=[({0: "1"}, 1, 3)])}, "known beforehand"),
        ({"training": MistakeDriven(margin=0, max_updates=None, max_mistakes=3)}, "forgotten"),
        ({"encoder": CategoryEncoder(missing="most_frequent")}, "most_frequent"),
    ],
)
@pytest.mark.filterwarnings("ignore:fit ended at max_epochs")
def test_other_trainings_say_why_there_is_no_bound(changed, reason):
    X, y = categories()
    model = DNFWinnow(max_literals=2, random_state=0, max_epochs=5, **{"training": PLAIN} | changed).fit(X, y)
    assert model.certificate(k=2).bound == math.inf
    assert reason in str(model.certificate(k=2))


def test_cuts_chosen_by_labels_void_the_bound_and_even_cuts_do_not(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(18, 80, 400), "job": rng.choice(["cook", "nurse"], 400)})
    y = (X.age > 50).to_numpy().astype(int)
    over_bounds = CategoryEncoder(numbers="bounds", missing="ignore")
    model = DNFWinnow(max_literals=2, training=PLAIN, encoder=over_bounds, random_state=0)
    assert "chosen by the labels in 'age'" in str(model.fit(X, y).certificate(k=1))
    on_line = DNFWinnow(max_literals=2, training=PLAIN, encoder=over_bounds).partial_fit(X, y, classes=[0, 1])
    assert on_line.certificate(k=1).bound < math.inf
    assert "chosen by the labels" in str(
        DNFWinnow(max_literals=2).partial_fit(X, y, classes=[0, 1]).certificate(k=1)
    )  # intervals
    save(on_line, tmp_path / "model")
    assert load(tmp_path / "model").certificate(k=1) == on_line.certificate(k=1)


def test_soft_updates_have_no_theorem_and_count_mistakes_on_line_only():
    X, y = categories()
    certificate = DNFWinnow(max_literals=1, random_state=0).fit(X, y).certificate(k=2)
    assert (certificate.mistakes, certificate.bound) == (None, math.inf)
    assert str(certificate).startswith("no bound: soft updates")
    assert "not counted" in certificate._repr_html_()
    with pytest.raises(ValueError, match="k must be an integer"):
        DNFWinnow(max_literals=1, random_state=0).fit(X, y).certificate(k=0)
