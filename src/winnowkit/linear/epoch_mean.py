"""The mean of what linear learners were at the end of each epoch of `fit`.

With noisy labels an on-line learner never settles: its last few examples decide what it is after the last trial.
The mean over the ends of several epochs, of what each weight contributes to the score, varies and errs far less. A
learner that went through an epoch without an update has settled: it is consistent with all rows, and stays as it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from winnowkit.linear import weights as updates
from winnowkit.linear.learner import LinearLearner
from winnowkit.linear.weights import FRESH, TOTAL, TOUCHED, LinearState, Link

Floats = NDArray[np.float64]
LARGEST_LOG = 600.0  # as in `winnowkit.linear.weights.contribution`


class EpochMean:
    """The mean over epochs, brought up to date after each one."""

    def __init__(self, learner: LinearLearner) -> None:
        """Begin with the end of the first epoch."""
        self.learner = learner
        self.epochs = 1
        self.states = _states(learner.state)
        self.settled = np.zeros(len(self.states), dtype=np.bool_)

    def add(self, settled: NDArray[np.bool_]) -> None:
        """Take in the end of another epoch; learners that are `settled` made no update in it."""
        state = self.learner.state
        states = between(self.states, _states(state), 1.0 / (self.epochs + 1), state.parameters)
        self.states, self.epochs, self.settled = states, self.epochs + 1, settled.copy()

    def put_in_place(self) -> bool:
        """Make each learner that has not settled the mean over its epochs, and return whether there is one."""
        if self.epochs == 1 or self.settled.all():
            return False
        state = self.learner.state
        for k in np.flatnonzero(~self.settled).tolist():
            state.weights[k] = self.states[k, :, :-1]
            state.totals[k, FRESH:] = self.states[k, :, -1]
            state.totals[k, TOTAL] = 1.0
            updates.refresh(state, k)
            if state.parameters["normalized"][k]:
                state.totals[k, TOUCHED] = np.inf
                updates.renormalize(state, k)
        return True


def _states(state: LinearState) -> Floats:
    """Return a copy of the states of all weights, and of those of a new attribute behind them.

    If the sum of all weights divides the score, they are divided by it.
    """
    copy = np.concatenate([state.weights, state.totals[:, FRESH:, None]], axis=2)
    normalized = state.parameters["normalized"]
    copy[normalized] /= state.totals[normalized, TOTAL][:, None, None]
    return copy


def between(here: Floats, there: Floats, part: float, parameters: NDArray[np.void]) -> Floats:
    """Return the states whose contributions are a part of the way from those of `here` to those of `there`.

    All learners have the same link; the first axis is that of learners. Where a link is flat its inverse is inexact, so
    the result is kept between the two states.
    """
    link = parameters["link"][0]
    if link == Link.WEIGHT:
        return here + part * (there - here)
    w1, beta0, beta1 = (parameters[name][:, None, None] for name in ("initial", "beta0", "beta1"))
    first = np.log(w1 / (1.0 - w1))
    with np.errstate(divide="ignore"):
        if link == Link.PROBABILITY:
            one = (1.0 - part) * expit(here + first) + part * expit(there + first)
            zero = (1.0 - part) * expit(-(here + first)) + part * expit(-(there + first))
            log_odds = np.log(one) - np.log(zero)
        else:  # z - shift = ln((1 + o beta1) / (1 + o beta0)), solved for the odds o
            odds = [np.exp(np.minimum(states, LARGEST_LOG) + first) for states in (here, there)]
            z = [np.log1p(beta1 * o) - np.log1p(beta0 * o) for o in odds]
            excess = np.expm1((1.0 - part) * z[0] + part * z[1])
            log_odds = np.log(excess) - np.log(np.maximum(beta1 - beta0 - beta0 * excess, 0.0))
    found: Floats = np.clip(log_odds - first, np.minimum(here, there), np.maximum(here, there))
    return found
