"""Soft training: every row moves all of its terms, by as much as its probability was wrong.

Winnow promotes the terms of a row by a whole factor, if it errs. Here the factor is a fraction of it, the residual of a
logistic regression over all terms: exponentiated gradient (Kivinen & Warmuth 1997), in its balanced form with one
signed weight ``beta * sinh(link)`` per term (hypentropy: Ghai, Hazan & Singer 2020). All terms move at once after each
batch of rows; the step of a term is a Newton step for it alone, and no score is more than an average of weights, so
that together they do not overshoot (parallel updates: Collins, Schapire & Singer 2002).

:mod:`winnowkit.dnf.soft_folds` trains models on parts of the rows, and averages them.
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_softmax
from sklearn.base import BaseEstimator

from winnowkit.dnf.kernels.problem import Floats, Ints


class Soft(BaseEstimator):
    """Learn by soft updates: each row moves all of its terms, by as much as its probability was wrong.

    It has no parameters. Terms have at most `max_literals` literals, which may be bounds of numbers.

    See Also
    --------
    winnowkit.DNFWinnow : Takes it as its parameter `training`.
    winnowkit.dnf.MistakeDriven : The other way of learning, which has theorems.

    Examples
    --------
    >>> from winnowkit import DNFWinnow
    >>> from winnowkit.dnf import Soft
    >>> ages = [age for age in range(20, 80) for _ in range(3)]
    >>> model = DNFWinnow(max_literals=1, training=Soft(), random_state=0)
    >>> model.fit([[age] for age in ages], [age > 40 for age in ages]).predict([[37], [44]])
    array([False,  True])
    """


def losses_of(scores: Floats, targets: Ints) -> Floats:
    """Compute the logistic loss of each row, given scores of shape (learners, rows)."""
    if len(scores) == 1:
        losses: Floats = np.logaddexp(0.0, np.where(targets == 1, -scores[0], scores[0]))
        return losses
    chosen: Floats = -log_softmax(scores, axis=0)[targets, np.arange(len(targets))]
    return chosen


def calibration(scores: Floats, targets: Ints, weights: Floats, *, shifted: bool = True) -> tuple[float, float]:
    """Find the factor of the scores, and perhaps the shift of a single one, with the least logistic loss (Platt 1999).

    Two further rows, one right and one wrong at the mean distance from 0, keep the factor finite where all rows are
    right. The loss is convex, so that Newton's method with halved steps finds the least. The factor stays positive.
    """
    two_class = len(scores) == 1
    if two_class:
        sides = (2 * targets - 1) * scores[0]  # the loss is log(1 + e^-(scale side + shift sign))
        signs = (2.0 * targets - 1.0).astype(np.float64)
    else:
        others = scores.copy()
        others[targets, np.arange(len(targets))] = -np.inf
        sides = scores[targets, np.arange(len(targets))] - others.max(axis=0)  # against the best rival
        signs = np.zeros(len(targets))
    typical = float(np.abs(sides) @ weights / weights.sum())
    sides, signs = np.append(sides, [typical, -typical]), np.append(signs, [0.0, 0.0])
    weights = np.append(weights, [1.0, 1.0])
    features = np.stack([sides, signs]) if two_class and shifted else sides[None]
    at = np.eye(len(features))[0]

    def loss(at: Floats) -> float:
        return float(np.logaddexp(0.0, -(at @ features)) @ weights)

    present = loss(at)
    for _ in range(50):
        wrong = 1.0 / (1.0 + np.exp(np.clip(at @ features, -30, 30)))
        hessian = (features * (weights * wrong * (1 - wrong))) @ features.T + 1e-9 * np.eye(len(features))
        step = np.linalg.solve(hessian, features @ (weights * wrong))
        tries = [at + step / 2**halvings for halvings in range(12)]
        better = next((new for new in tries if new[0] > 0.0 and loss(new) < present), None)
        if better is None or present - loss(better) < 1e-9 * weights.sum():
            break
        at, present = better, loss(better)
    return float(at[0]), float(at[1]) if len(at) > 1 else 0.0
