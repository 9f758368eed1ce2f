"""scikit-learn's validation of tables, extended to our frames, whose column names it cannot see."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_X_y, validate_data

from winnowkit.core.frame import Frame

NO_Y = "no_validation"  # scikit-learn's marker for a call without labels


def validate(estimator: Any, X: Any, y: Any = NO_Y, *, reset: bool, **options: Any) -> Any:
    """Validate as scikit-learn's `validate_data`; the names of a `Frame` set, or must match, `feature_names_in_`."""
    if not isinstance(X, Frame):
        return validate_data(estimator, X, y, reset=reset, **options)
    bare = options.get("skip_check_array", False)
    table = X if bare else np.asarray(X)
    known = getattr(estimator, "feature_names_in_", None)
    if reset or known is None:
        checked = validate_data(estimator, table, y, reset=reset, **options)
        if reset:
            estimator.feature_names_in_ = np.array(X.columns, dtype=object)
        return checked
    if known.tolist() != X.columns:
        raise ValueError(_difference(known.tolist(), X.columns))
    if bare:
        return table
    if isinstance(y, str) and y == NO_Y:
        return check_array(table, estimator=estimator, input_name="X", **options)
    return check_X_y(table, y, estimator=estimator, **options)


def _difference(known: list[str], names: list[str]) -> str:
    missing = [name for name in known if name not in names]
    unseen = [name for name in names if name not in known]
    if not missing and not unseen:
        return "the columns are not in the order of fit; reorder them: X.select(model.feature_names_in_)"
    return f"the columns must be those of fit; missing: {missing[:5]}, not seen in fit: {unseen[:5]}"
