"""Small parts of DNFWinnow, each against what it says it is."""

import numpy as np
import pytest

from winnowkit import DNFWinnow
from winnowkit.data import CategoryEncoder
from winnowkit.dnf import Agreement, MistakeDriven, MistakeLog
from winnowkit.dnf.bound_search import MOST_LOG2, Search
from winnowkit.dnf.explain import flips_of
from winnowkit.dnf.kernels.rule_search import ABOVE, AT_MOST, EQUAL
from winnowkit.dnf.rule_choice.merged_rows import RuleColumns
from winnowkit.dnf.rule_choice.rules_of_model import encoded
from winnowkit.dnf.short_term_tables import MOST_LITERALS, check_size


def kinds(*allowed):
    return sum(1 << kind for kind in allowed)


def test_which_conditions_a_monotonic_constraint_leaves():
    """A column of numbers that may rise, one that may fall, a free one, one with special values, and categories."""
    columns = RuleColumns(np.array([5, 5, 5, 5, 0]), np.array([5, 5, 5, 7, 3]), np.array([1, -1, 0, 0, 0]))
    free = [kinds(AT_MOST, ABOVE), kinds(AT_MOST, ABOVE, EQUAL), kinds(EQUAL)]
    assert columns.allowed(1).tolist() == [kinds(ABOVE), kinds(AT_MOST), *free]
    assert columns.allowed(0).tolist() == [kinds(AT_MOST), kinds(ABOVE), *free]


class Steps:
    """Predicts by the code of the first column: 0 up to code 2, 1 up to code 5, then 2."""

    def predict(self, X, *_):
        return np.searchsorted([2, 5], X[:, 0])


def test_neighbouring_values_with_one_label_are_one_flip():
    numbers = np.arange(80.0)[:, None] / 2
    encoder = CategoryEncoder(numbers="bounds").fit(numbers, (numbers[:, 0] > 30).astype(int), max_cuts=6)
    cuts = encoder.cuts_[0].tolist()
    assert len(cuts) == 6
    x = np.array([4], dtype=np.int32)
    flips = flips_of(Steps(), encoder, np.array(["low", "middle", "high"]), x, 1)
    assert [(flip.label, [str(condition) for condition in flip.conditions]) for flip in flips] == [
        ("low", [f"x0 <= {cuts[1]:g}"]),
        ("high", [f"x0 > {cuts[4]:g}"]),
    ]


def test_rules_have_cuts_of_their_own_for_numbers_alone():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    words = rng.choice(["a", "b", "c"], (200, 2)).astype(object)
    encoder = CategoryEncoder().fit(words, labels)
    same, cells = encoded(encoder, words, labels)
    assert same is encoder
    assert np.array_equal(cells, encoder.transform(words))
    numbers = rng.random((200, 1))
    encoder = CategoryEncoder(numbers="intervals").fit(numbers, (numbers[:, 0] > 0.5).astype(int))
    own, cells = encoded(encoder, numbers, (numbers[:, 0] > 0.5).astype(int))
    assert own.numbers == "bounds"
    assert len(own.cuts_[0]) > len(encoder.cuts_[0])
    assert cells.max() == len(own.cuts_[0]) + 1


@pytest.mark.parametrize(("theta", "promotions"), [(1.2, 1), (1.5, 2), (2.2, 2), (3.3, 3)])
def test_an_expert_of_weight_theta_has_the_fewest_promotions_that_exceed_it(theta, promotions):
    X = np.array([[0, 1], [1, 0], [0, 0], [1, 1]])
    training = MistakeDriven(experts=[({"x0": 1}, 1, "theta")])
    model = DNFWinnow(max_literals=None, theta=theta, training=training)
    model.partial_fit(X, [1, 1, 1, 1], classes=[0, 1])
    *_, (term, net) = model.logs_[0]._given  # the term itself comes last, after its parts
    assert np.count_nonzero(term) == 1
    assert net == promotions


@pytest.mark.parametrize(
    ("alpha", "theta", "theorem"),
    [
        (1.5, "auto", "Tao & Scott 2004"),
        (1.5, 7, "Auer & Warmuth 1998"),
        (1.4, "auto", "Auer & Warmuth 1998"),
        (1.4, 9, "Auer & Warmuth 1998"),
    ],
)
def test_which_theorem_covers_which_parameters(alpha, theta, theorem):
    X = [["a", "x"], ["b", "y"], ["a", "y"], ["b", "x"]]
    training = MistakeDriven(margin=0, max_updates=None, two_class="single", keep="last")
    model = DNFWinnow(max_literals=None, alpha=alpha, theta=theta, training=training)
    assert model.partial_fit(X, [0, 1, 1, 0], classes=[0, 1]).certificate(1).theorem.startswith(theorem)


@pytest.mark.parametrize("sign", [1, -1])
def test_thresholds_that_a_search_in_floats_takes(sign):
    log = MistakeLog(3)  # the threshold is divided by 2^3 for its free attributes
    log.append([1, 2, 1], +1)
    agreement = Agreement.of(log, np.array([1, 2, 1], dtype=np.int32))
    for share, taken in ((0.999, True), (1.001, False)):
        assert Search.takes(agreement, (sign * share * MOST_LOG2 + 3) * np.log(2)) == taken


def test_as_many_categories_as_tables_of_short_terms_may_have():
    check_size([MOST_LITERALS - 5, 5], 1)
    with pytest.raises(ValueError, match="drop such columns or merge categories"):
        check_size([MOST_LITERALS - 5, 6], 1)
