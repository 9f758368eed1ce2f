"""Every estimator passes scikit-learn's own checks, except those of sample weights that change the order of rows."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import winnowkit

ESTIMATORS = [getattr(winnowkit, name)() for name in winnowkit.__all__ if name[0].isupper()]
ORDER = "the check shuffles the weighted rows only; on-line learners depend on their order, as scikit-learn's SGD does"


def depends_on_order(estimator):
    """Checks in which one model sees the rows in another order than the other."""
    if not isinstance(estimator, winnowkit.Committee):
        return {}
    return dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"), ORDER
    )


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=depends_on_order)
def test_scikit_learn_check(estimator, check):
    check(estimator)
