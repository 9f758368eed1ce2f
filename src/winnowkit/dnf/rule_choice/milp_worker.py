"""Solve an integer programme in a process of its own, which can be ended: HiGHS may overrun its time limit by far.

Usage: python milp_worker.py < problem.npz > solution.npz. It imports numpy and scipy only.
"""

from __future__ import annotations

import io
import sys

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array


def main() -> None:
    """Read the problem, solve it, and write the solution, which is empty if none was found."""
    with np.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False) as given:
        matrix = csr_array((given["data"], given["indices"], given["indptr"]), shape=tuple(given["shape"]))
        found = milp(
            given["cost"],
            integrality=given["integral"],
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, given["low"], np.inf),
            options={"time_limit": float(given["seconds"])},
        )
    out = io.BytesIO()
    x = np.empty(0) if found.x is None else found.x
    np.savez(out, x=x, optimal=np.array(found.status == 0))
    sys.stdout.buffer.write(out.getvalue())


if __name__ == "__main__":
    main()
