"""Every estimator passes scikit-learn's own checks, none expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import winnowkit

ESTIMATORS = [getattr(winnowkit, name)() for name in winnowkit.__all__ if name[0].isupper()]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
