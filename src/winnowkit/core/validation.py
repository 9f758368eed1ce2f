"""Parameters, classes, tables and weights, checked as scikit-learn does it; tables become rows that kernels walk."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_X_y, validate_data

from winnowkit.core.checks import require
from winnowkit.core.columns import check_frame, masked_error
from winnowkit.core.csr import NOT_FINITE, UNSORTED, Rows, check
from winnowkit.core.encoded_rows import encode_rows
from winnowkit.core.frame import Frame
from winnowkit.core.labels import CUT, check_labels, plain_labels
from winnowkit.core.remedies import refuse_dates, with_remedy
from winnowkit.core.sparse import check_sparse

NO_Y = "no_validation"  # scikit-learn's marker for a call without labels
LARGEST = sys.float_info.max
MOST_FEATURES = 2**31 - 1  # attributes of a learner, whose numbers have 32 bits in some kernels
MOST_PRESENTATIONS = 2**28  # of rows in one call: more would fill the memory


# --- parameters and classes ------------------------------------------------------------------------------------------


def is_count(value: object) -> bool:
    """Tell whether a value is an integer of at least 1."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= 1)


def check_numbers(parameters: Mapping[str, Any]) -> None:
    """Raise ValueError for an integer that no floating-point number can hold, and a raw OverflowError would follow."""
    for name, value in parameters.items():
        if isinstance(value, int) and abs(value) > LARGEST:
            raise ValueError(f"{name} must be at most {LARGEST:.1e}, got an integer of {value.bit_length():,} bits")


def classes_for(estimator: Any, classes: ArrayLike | None) -> NDArray[Any]:
    """Return the classes of a call of `partial_fit`: those given in the first one, which may not change later."""
    if not estimator.__sklearn_is_fitted__():
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return known_classes(classes)
    known: NDArray[Any] = estimator.classes_
    if classes is not None and not np.array_equal(known_classes(classes), known):
        given = known_classes(classes).tolist()
        raise ValueError(f"classes must stay {known.tolist()} after the first call, got {given}")
    return known


def check_are_classes(y: Any) -> None:
    """Raise ValueError if labels are no classes, in scikit-learn's words, and say what to do about a quantity.

    Examples
    --------
    >>> check_are_classes([0.5, 1.25])
    Traceback (most recent call last):
    ValueError: Unknown label type: continuous. winnowkit has classifiers only, and y is a quantity: cut it into ...
    """
    try:
        check_classification_targets(y)
    except ValueError as error:
        if not str(error).startswith("Unknown label type: continuous."):
            raise
        raise ValueError(
            f"Unknown label type: continuous. winnowkit has classifiers only, and y is a quantity: {CUT}"
        ) from None


def known_classes(classes: ArrayLike) -> NDArray[Any]:
    """All labels that may occur, sorted and without repetitions."""
    labels = np.asarray(plain_labels(classes))
    if labels.ndim != 1 or labels.dtype.kind not in "biuU":  # others may not be labels at all
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "so many classes for so few examples": these are no examples
            check_are_classes(labels)
    return np.unique(labels)


def check_two_classes(classes: NDArray[Any]) -> None:
    """Refuse fewer than two classes."""
    if len(classes) < 2:
        raise ValueError(f"y contains only one class, {classes.tolist()}; a classifier needs at least two")


def check_n_features(estimator: Any, n_features: int) -> None:
    """Raise ValueError unless the attributes of a restored classifier are as many as its learner has."""
    claimed, names = getattr(estimator, "n_features_in_", None), getattr(estimator, "feature_names_in_", None)
    if type(claimed) is not int or claimed != n_features:
        raise ValueError(f"n_features_in_ must be {n_features}, as the learner has it, got {claimed!r}")
    if names is not None and (not isinstance(names, np.ndarray) or names.shape != (n_features,)):
        raise ValueError(f"feature_names_in_ must be an array of {n_features} names")


def generator(random_state: Any) -> np.random.Generator:
    """The generator that `random_state` stands for."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31))


# --- tables ----------------------------------------------------------------------------------------------------------


def validate(estimator: Any, X: Any, y: Any = NO_Y, *, reset: bool, **options: Any) -> Any:
    """Validate as scikit-learn's `validate_data`; the names of a `Frame` set, or must match, `feature_names_in_`."""
    for array, name in ((X, "X"), (y, "y")):
        if np.ma.isMaskedArray(array):
            raise masked_error(name)
    check_frame(X)
    if y is not None and not isinstance(y, str):
        check_labels(y)
        y = plain_labels(y)
    if issparse(X):
        check_sparse(X, entries=False)
    bare = options.get("skip_check_array", False)
    if not isinstance(X, Frame):
        with overflow_as_value_error("X"), with_remedy(estimator, X):
            if not bare:
                refuse_dates(X)
            return validate_data(estimator, X, y, reset=reset, **options)
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


def is_plain(X: Any, y: Any) -> bool:
    """Tell whether a learner can take X and y as they are: matrices of finite floats, and labels with a type.

    Most of the time of a call with few rows would go into `validate`, which would return the same. Anything else, also
    anything wrong, is left to it.
    """
    sparse = isinstance(X, csr_array | csr_matrix)
    if sparse:
        check_sparse(X, entries=False)
    elif type(X) is not np.ndarray:
        return False
    if X.ndim != 2 or X.dtype != np.float64 or 0 in X.shape:
        return False
    if not isinstance(y, str) and not (type(y) is np.ndarray and y.dtype.kind in "biuU" and y.shape == X.shape[:1]):
        return False
    return sparse or bool(np.isfinite(X).all())


@contextmanager
def learners_in_memory(name: str, n_features: int) -> Iterator[None]:
    """Make learners in this block: say what to do if kernels cannot count the attributes, or memory is too small."""
    remedy = "map them to fewer, as scikit-learn's FeatureHasher does"
    if n_features > MOST_FEATURES:
        raise ValueError(f"X must have at most {MOST_FEATURES:,} attributes, got {n_features:,}: {remedy}")
    try:
        yield
    except MemoryError as error:
        raise MemoryError(
            f"the weights of {n_features:,} attributes of {name} do not fit into memory: {remedy}"
        ) from error


@contextmanager
def overflow_as_value_error(name: str) -> Iterator[None]:
    """Raise ValueError where an integer is too large to become a floating-point number."""
    try:
        yield
    except OverflowError as error:
        raise ValueError(f"{name} contains an integer that is too large for a floating-point number") from error


def _difference(known: list[str], names: list[str]) -> str:
    missing = [name for name in known if name not in names]
    unseen = [name for name in names if name not in known]
    if not missing and not unseen:
        return "the columns are not in the order of fit; reorder them: X.select(model.feature_names_in_)"
    return f"the columns must be those of fit; missing: {missing[:5]}, not seen in fit: {unseen[:5]}"


def repaired_rows(X: Any, flags: int, estimator: Any) -> Rows:
    """Rows that a kernel can walk, after it refused those of X: repeated indices are added up and all are sorted.

    If that does not help, raises an error that says what is wrong with X.
    """
    if flags == UNSORTED:
        X = X.copy()
        X.sum_duplicates()
        rows = encode_rows(X, estimator.binarize)
        flags = check(rows, 0, X.shape[0], X.shape[1])
        if not flags:
            return rows
    if flags & NOT_FINITE:
        assert_all_finite(X.data, input_name="X", estimator_name=type(estimator).__name__)
    raise ValueError(f"X is a broken sparse matrix: its column indices must be in 0 ... {X.shape[1] - 1}")


# --- weights of rows -------------------------------------------------------------------------------------------------


def present_rows(X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Any, Any, NDArray[np.float64] | None]:
    """Return the rows of X and y whose weight is above 0, and their weights."""
    if sample_weight is None:
        return X, y, None
    if isinstance(sample_weight, Number):
        sample_weight = np.full(X.shape[0], sample_weight)
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    require(weights.shape == X.shape[:1], f"sample_weight must have shape {X.shape[:1]}", weights.shape)
    require(weights.min() >= 0.0, "sample_weight must be >= 0", float(weights.min()))
    present = weights > 0.0
    return (X, y, weights) if present.all() else (X[present], y[present], weights[present])


def times_class_weights(
    weights: NDArray[np.float64] | None,
    class_weight: Mapping[Any, float] | str | None,
    classes: NDArray[Any],
    labels: NDArray[np.int64],
) -> NDArray[np.float64] | None:
    """Return the weights of rows (None: all 1) times the weights of their classes; None if all of them are 1."""
    if class_weight is not None:
        of_rows = _class_weights(class_weight, classes, labels)[labels]
        weights = of_rows if weights is None else weights * of_rows
    if weights is None or (weights == 1.0).all():
        return None
    total = float(np.ceil(weights).sum())
    require(
        total <= MOST_PRESENTATIONS,
        f"weights must add up to at most {MOST_PRESENTATIONS}, as a weight of w stands for w presentations: divide "
        "them by their mean",
        total,
    )
    return weights


def _class_weights(
    class_weight: Mapping[Any, float] | str, classes: NDArray[Any], labels: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return one weight per class; classes that a dict does not name have weight 1."""
    if isinstance(class_weight, str):
        balanced: NDArray[np.float64] = compute_class_weight(class_weight, classes=np.arange(len(classes)), y=labels)
        return balanced
    known = classes.tolist()
    unknown = [label for label in class_weight if label not in known]
    if unknown and any(label not in class_weight for label in known):
        raise ValueError(f"class_weight names {unknown[0]!r}, which is not among the classes {known}")
    return np.array([class_weight.get(label, 1.0) for label in known], dtype=np.float64)


def check_class_weight(class_weight: Any, *, online: bool = False) -> None:
    """Refuse anything but None, "balanced" (not on line, where no label is known in advance) and a dict."""
    if isinstance(class_weight, str):
        require(class_weight == "balanced", "class_weight must be a dict, 'balanced' or None", class_weight)
        if online:
            raise ValueError(
                "class_weight='balanced' needs all labels at once; in partial_fit give a dict such as "
                "dict(zip(classes, compute_class_weight('balanced', classes=classes, y=y)))"
            )
    elif class_weight is not None:
        require(isinstance(class_weight, Mapping), "class_weight must be a dict, 'balanced' or None", class_weight)
        sound = all(0.0 < weight < np.inf for weight in class_weight.values())
        require(sound, "class weights must be finite and above 0", class_weight)


def column_names(model: Any, names: Any = None) -> list[str]:
    """Return the names given, or those of the columns, or x0, x1, ... if they have none."""
    if names is not None:
        found = [str(name) for name in names]
        if len(found) != model.n_features_in_:
            raise ValueError(f"names must have one name per attribute, {model.n_features_in_:,}, got {len(found):,}")
        return found
    return list(getattr(model, "feature_names_in_", [f"x{i}" for i in range(model.n_features_in_)]))
