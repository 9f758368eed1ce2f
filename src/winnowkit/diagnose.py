"""Diagnostics of the Markov chains of a ladder: effective sample sizes and R-hat of every rung, and a plot.

Needs ArviZ (``pip install "winnowkit[diagnose]"``).
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np

from winnowkit.core.optional import import_optional
from winnowkit.dnf import Agreement, Ladder
from winnowkit.dnf.mcmc.ladder_kernel import NO_GUESS, Walk


def diagnose(ladder: Ladder, agreement: Agreement, alpha: float, *, chains: int = 4, rng: Any = None) -> Any:
    """Run a ladder several times, and return the samples of its rungs as ArviZ data.

    Parameters
    ----------
    ladder : Ladder
        The engine.
    agreement : Agreement
        The example compared with the log.
    alpha : float
        The learning rate, above 1.
    chains : int
        Number of independent runs, which R-hat compares; at least two.
    rng : int, SeedSequence, Generator or None
        Source of randomness.

    Returns
    -------
    arviz.InferenceData
        ``posterior["f"]`` has dimensions chain, draw and rung: means of f over as many steps as there are attributes,
        rung 2 first. ``arviz.summary(data)`` lists R-hat and ESS per rung; `plot_rungs` plots them.

    See Also
    --------
    plot_rungs : Plots the result.

    Examples
    --------
    >>> from winnowkit.dnf import MistakeLog
    >>> log = MistakeLog(8)
    >>> generator = np.random.default_rng(0)
    >>> for sign in generator.choice([-1, 1], 20):
    ...     log.append(generator.integers(0, 3, 8), sign)
    >>> data = diagnose(Ladder(steps=2000), Agreement.of(log, np.ones(8)), alpha=1.5, rng=0)
    >>> dict(data.posterior["f"].sizes)
    {'chain': 4, 'draw': 250, 'rung': 9}
    """
    arviz = _arviz()
    if chains < 2:
        raise ValueError(f"chains must be at least 2, got {chains}")
    if len(agreement.nets) == 0 or agreement.n_attributes == 0:
        raise ValueError("all terms of this example have the same weight, so that its sum is known and needs no chain")
    source = np.random.default_rng(rng)
    runs = []
    for _ in range(chains):
        problem, plan, record = ladder.prepare(agreement, alpha, source, together=True)
        ladder.climb(problem, plan, Walk(NO_GUESS, 0.0, 0.0, 0.0), record, (0, len(record.means)))
        runs.append(record.blocks.T)
    rungs = np.arange(2, runs[0].shape[1] + 2)
    return arviz.from_dict({"f": np.array(runs)}, coords={"rung": rungs}, dims={"f": ["rung"]})


def plot_rungs(data: Any, axes: Any = None) -> Any:
    """Plot the effective sample size and R-hat of every rung, from the result of :func:`diagnose`.

    Parameters
    ----------
    data : arviz.InferenceData
        The result of :func:`diagnose`.
    axes : two matplotlib axes, optional
        The axes to draw on; None makes a new figure.

    Returns
    -------
    array of two matplotlib axes
        The axes that were drawn on.

    See Also
    --------
    diagnose : Computes the data.

    Examples
    --------
    >>> from winnowkit.dnf import MistakeLog
    >>> log = MistakeLog(3)
    >>> log.append([0, 1, 2], 1)
    >>> axes = plot_rungs(diagnose(Ladder(steps=2000), Agreement.of(log, [0, 1, 1]), alpha=1.5, rng=0))
    >>> axes[0].get_ylabel(), axes[1].get_ylabel()
    ('effective sample size', 'R-hat')
    """
    arviz = _arviz()
    if axes is None:
        axes = import_module("matplotlib.pyplot").subplots(1, 2, figsize=(9, 3.2), layout="constrained")[1]
    rungs = data.posterior["rung"]
    for axis, name, values in ((axes[0], "effective sample size", arviz.ess), (axes[1], "R-hat", arviz.rhat)):
        axis.plot(rungs, values(data)["f"], marker=".", linewidth=0.8)
        axis.set(xlabel="rung", ylabel=name)
    axes[0].set_ylim(0, None)
    axes[1].axhline(1.01, linestyle=":", color="gray")
    return axes


def _arviz() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # it announces its next version
        return import_optional("arviz", "diagnose needs ArviZ", "winnowkit[diagnose]")
