"""Forged states of every learner, in a child whose kernels are compiled with bounds checks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import forgeries

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("name", forgeries.models())
def test_forged_models_are_refused_or_stay_within_their_arrays(name):
    """What loads may predict nonsense or raise; it must not crash, leave its arrays, or take long."""
    done = subprocess.run(
        [sys.executable, forgeries.__file__, "300", name],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(ROOT / "output" / "bounds-checked")},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    outcome = json.loads(done.stdout)
    assert outcome["findings"] == []
    assert outcome["refused"] > 30
    assert outcome["accepted"] > 30


def test_forgeries_are_told_from_sound_models():
    """The control: a use that leaves an array of a kernel is a finding."""

    class Broken:
        def __getattr__(self, name):
            raise IndexError("index is out of bounds")

    assert forgeries.used(Broken(), [], []) == "use 0: IndexError: index is out of bounds"
