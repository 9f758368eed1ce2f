"""Logs of mistakes for tests: given ones, and random ones."""

import numpy as np

from winnowkit.dnf import Agreement, MistakeLog


def log_of(mistakes, n_attributes):
    """Return a log of mistakes, given as pairs of an example and a sign."""
    log = MistakeLog(n_attributes)
    for z, sign in mistakes:
        log.append(z, sign)
    return log


def agreement_of(mistakes, x):
    """Return the agreement of an example with a log of these mistakes."""
    return Agreement.of(log_of(mistakes, len(x)), x)


def random_mistakes(rng, n_mistakes, n_attributes, n_values=2, missing=0.0):
    codes = rng.integers(1, n_values + 1, (n_mistakes, n_attributes))
    codes[rng.random(codes.shape) < missing] = 0
    return list(zip(codes.tolist(), rng.choice([-1, 1], n_mistakes).tolist(), strict=True))


def random_agreement(seed, n=10, size=30, promoted=0.6):
    """Return the agreement of an example of ones with random mistakes of codes 0, 1 and 2."""
    rng = np.random.default_rng(seed)
    signs = rng.choice([1, -1], size, p=[promoted, 1 - promoted])
    return agreement_of([(rng.integers(0, 3, n), int(sign)) for sign in signs], np.ones(n))
