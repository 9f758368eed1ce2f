"""A long stream takes no more memory than a short one."""

import subprocess
import sys

import numpy as np
import pytest

EVALUATE = """
import resource, sys
from winnowkit.cli import main
code = main(["evaluate", "-", "--format", "libsvm", "--n-features", "1000", "--learner", "Winnow2", "-q", "--json"])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


def kilobytes(text, times):
    process = subprocess.Popen(
        [sys.executable, "-c", EVALUATE], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    for _ in range(times):
        process.stdin.write(text)
    _, err = process.communicate()
    assert process.returncode == 0, err
    return int(err.split()[-1])


@pytest.mark.slow
def test_memory_stays_flat():
    rng = np.random.default_rng(0)
    rows = [np.sort(rng.choice(1000, 60, replace=False)) + 1 for _ in range(20_000)]
    text = "".join(f"{row[0] % 2} {' '.join(f'{i}:1' for i in row)}\n" for row in rows).encode()  # about 7 MB
    short, long = kilobytes(text, 8), kilobytes(text, 80)
    assert long < short + 20_000, (short, long)
