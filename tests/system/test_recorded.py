"""Every learner and engine predicts as it did when `recorded.npz` was written."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import recorded

pytestmark = pytest.mark.filterwarnings("ignore")  # few epochs, and data that scikit-learn warns about


@cache
def arrays():
    """Recorded arrays by case."""
    found = {name: {} for name in recorded.cases()}
    with np.load(Path(recorded.__file__).with_suffix(".npz"), allow_pickle=False) as file:
        for key in file.files:
            case = max((name for name in found if key.startswith(f"{name}/")), key=len)
            found[case][key.removeprefix(f"{case}/")] = file[key]
    return found


@pytest.mark.parametrize("name", recorded.cases())
def test_predictions_are_those_recorded(name):
    expected, found = arrays()[name], recorded.checked(name, recorded.cases()[name]())
    assert found.keys() == expected.keys()
    for key, array in expected.items():
        if array.dtype.kind == "f":  # the last bits depend on the processor
            np.testing.assert_allclose(found[key], array, rtol=1e-12, atol=1e-12, err_msg=key)
        else:
            np.testing.assert_array_equal(found[key], array, err_msg=key)
