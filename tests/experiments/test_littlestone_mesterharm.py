"""The claims of Littlestone & Mesterharm's Figure 1, and of note 3 of Helmbold, Panizza & Warmuth.

A mean of paired differences over runs counts as clear if Student's t gives it less than RATE = 5e-7 to come by chance
when there is no difference. Seeds are fixed. Where a frequency must equal a probability, the tolerance is z = 5
standard errors: a right one fails in 6e-7 of cases. All together, with the other file here, that is less than 1e-5.
Each test has a control, on which the same test must fail.
"""

import numpy as np
import pytest
from scipy import stats

from winnowkit import SASB, SBSB, DirectBayes
from winnowkit.data import streams
from winnowkit.experiments.frame import CellResult
from winnowkit.experiments.littlestone_mesterharm_figure_1 import Figure, run, verdicts

Z = 5.0
RATE = 5e-7


def clearly_fewer(a, b):
    """Whether paired counts a are below b by more than chance."""
    difference = np.asarray(b) - np.asarray(a)
    if np.ptp(difference) < 1e-9:  # nothing is left to chance, and scipy would warn
        return bool(difference[0] > 0)
    return stats.ttest_1samp(difference, 0.0, alternative="greater").pvalue < RATE


def totals(model, p, k, runs=24, trials=2500, late=0):
    """Mistakes after the first `late` trials, in each run."""
    made = []
    for seed in range(runs):
        X, y = streams.bernoulli(n=20, k=k, p=p, seed=seed).take(trials)
        made.append((model.begin(20, [0, 1]).partial_fit_predict(X, y) != y)[late:].sum())
    return np.array(made)


def test_with_one_relevant_attribute_sbsb_is_ahead():
    assert clearly_fewer(totals(SBSB(), 0.01, 1), totals(SASB(), 0.01, 1))
    assert not clearly_fewer(totals(SBSB(), 0.1, 5), totals(SASB(), 0.1, 5))  # control: five relevant ones


def test_with_five_relevant_attributes_sasb_is_far_ahead():
    assert clearly_fewer(2 * totals(SASB(), 0.1, 5), totals(SBSB(), 0.1, 5))
    assert not clearly_fewer(2 * totals(SASB(), 0.01, 1), totals(SBSB(), 0.01, 1))  # control: one


@pytest.mark.parametrize(("p", "k"), [(0.01, 1), (0.1, 5)])
def test_voting_improves_the_slope(p, k):
    plain = totals(SASB(), p, k, late=1250)
    assert clearly_fewer(totals(SASB(voting=30), p, k, late=1250), plain)
    assert not clearly_fewer(totals(SASB(voting=0), p, k, late=1250), plain)  # control: nobody votes


def test_the_figure_draws_its_verdicts():
    shape = {"first": 0, "runs": 8, "trials": 1500, "seed": 0}
    cells = [{"p": p, "k": k, **shape} for p, k in ((0.01, 1), (0.1, 5))]
    one, five = (Figure([CellResult(cell, run(cell))]) for cell in cells)
    shown = verdicts(one, five)
    assert [v.shows for v in shown[:2]] == [True, True]
    assert set(one.names) >= {"optimal", "SBSB", "SASB", "SASB + voting", "naive Bayes"}
    assert one.totals("optimal").mean() <= min(one.totals(name).mean() for name in one.names)
    assert one.curve("SASB")[-1] == one.totals("SASB").mean()
    mixed = [v.shows for v in verdicts(five, one)[:2]]  # control: the plots exchanged
    assert mixed == [False, False]


def opponent(trials, n):
    """Rows and labels that fool the deterministic rule in every trial: chosen before any coin is tossed."""
    rng = np.random.default_rng(0)
    model, X, y = DirectBayes(k=1, noise=0.4).begin(n, [0, 1]), [], []
    for _ in range(trials):
        x = (rng.random(n) < 0.5).astype(int)
        label = 1 - int(model.predict_one(x))
        model.learn_one(x, label)
        X.append(x)
        y.append(label)
    return np.array(X), np.array(y)


def test_random_predictions_lose_the_factor_two():
    n, trials, beta = 8, 300, 0.4 / 0.6
    X, y = opponent(trials, n)
    best = min(int((X[:, i] != y).sum()) for i in range(n))
    # Littlestone & Warmuth, randomized: expected mistakes <= (ln N + m ln(1/beta)) / (1 - beta)
    bound = (np.log(n) + best * np.log(1 / beta)) / (1 - beta)

    def mistakes(prediction):
        models = [DirectBayes(k=1, noise=0.4, prediction=prediction, random_state=s) for s in range(25)]
        return np.array([m.begin(n, [0, 1]).partial_fit(X, y).n_mistakes_ for m in models])

    random, majority = mistakes("probability"), mistakes("majority")
    assert (majority == trials).all()  # fooled every time
    assert clearly_fewer(random, np.full(25, bound))
    assert clearly_fewer(random, np.full(25, 0.7 * trials))
    assert not clearly_fewer(majority, np.full(25, bound))  # control: no coin
    assert random.std() > 0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_are_drawn_in_proportion_to_the_posterior(n_classes):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, (12, 11)), rng.integers(0, n_classes, 12)
    rows = np.array(list(np.ndindex(*[2] * 11)))  # 2048, each with coins of its own
    # shares of the posterior without label noise, from the probabilities with it
    noisy = [DirectBayes(k=2, noise=0.3).fit(X, y == c).predict_proba(rows)[:, 1] for c in range(n_classes)]
    shares = (np.array(noisy) - 0.3) / 0.4
    expected = shares[1] if n_classes == 2 else shares[1] / shares.sum(axis=0)
    error = np.sqrt((expected * (1 - expected)).sum())

    def deviation(prediction):
        model = DirectBayes(k=2, noise=0.3, prediction=prediction, random_state=0).fit(X, y)
        return abs((model.predict(rows) == 1).sum() - expected.sum())

    assert deviation("probability") < Z * error
    assert deviation("majority") > Z * error  # control: no coin
