"""The gain that pairs of columns promise: what their cells tell about the residuals of a model of single columns."""

from __future__ import annotations

import numpy as np

from winnowkit.core.jit import jit
from winnowkit.dnf.kernels.problem import Floats, Ints, U
from winnowkit.dnf.kernels.soft_terms import Cells


@jit
def gain_of_cells(
    where: Ints, n_cells: int, residuals: Floats, variances: Floats, prior: float, sums: Floats, spread: Floats
) -> tuple[float, float, float]:
    """Compute the gain of a split of the rows into cells, and what it is if residuals do not depend on the cell.

    The residuals of a cell have the sum g. If the cell tells nothing, g is about normal and its square is the sum v of
    their variances on average: so the sum of g^2 / (v + prior) has the mean of all v / (v + prior), and as variance the
    sum of 2 (v / (v + prior))^2. The gain is that sum minus its mean. The prior keeps cells of few rows small.

    Returns the gain, the mean that it is above, and the variance.
    """
    gain, mean, variance = 0.0, 0.0, 0.0
    for c in range(residuals.shape[0]):
        for u in range(n_cells):
            sums[U(u)] = 0.0
            spread[U(u)] = 0.0
        for r in range(where.size):
            u = where[U(r)]
            sums[U(u)] += residuals[c, U(r)]
            spread[U(u)] += variances[c, U(r)]
        for u in range(n_cells):
            part = spread[U(u)] / (spread[U(u)] + prior)
            gain += sums[U(u)] * sums[U(u)] / (spread[U(u)] + prior) - part
            mean += part
            variance += 2.0 * part * part
    return gain, mean, variance


@jit
def pair_gains(X: Cells, n_cells: Ints, residuals: Floats, variances: Floats, prior: float) -> Floats:
    """Compute the gain of each pair of columns above those of its two, in the order (0, 1), (0, 2), ...

    Below the gains are the means and variances of a pair that tells nothing, as :func:`gain_of_cells` has them.
    """
    n_columns, n_rows = X.shape
    most = n_cells.max()
    sums, spread = np.empty(most * most), np.empty(most * most)
    where, alone = np.empty(n_rows, dtype=np.int64), np.empty(n_columns)
    for i in range(n_columns):
        for r in range(n_rows):
            where[U(r)] = X[i, U(r)]
        alone[i], _, _ = gain_of_cells(where, n_cells[i], residuals, variances, prior, sums, spread)
    gains, at = np.empty((3, n_columns * (n_columns - 1) // 2)), 0
    for i in range(n_columns):
        for j in range(i + 1, n_columns):
            for r in range(n_rows):
                where[U(r)] = np.int64(X[i, U(r)]) * n_cells[j] + X[j, U(r)]
            n_pair = n_cells[i] * n_cells[j]
            gain, mean, variance = gain_of_cells(where, n_pair, residuals, variances, prior, sums, spread)
            gains[0, at] = gain - alone[i] - alone[j]
            gains[1, at] = mean
            gains[2, at] = variance
            at += 1
    return gains
