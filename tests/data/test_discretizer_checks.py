from sklearn.utils.estimator_checks import parametrize_with_checks

from winnowkit.data import MultisplitDiscretizer

# encode="interval" gives names, which the checks would subtract from one another.


@parametrize_with_checks(
    [
        MultisplitDiscretizer(),
        MultisplitDiscretizer(stop="bic"),
        MultisplitDiscretizer(stop=None, max_intervals=3),
        MultisplitDiscretizer(encode="threshold"),
    ]
)
def test_scikit_learn_agrees(estimator, check):
    check(estimator)
