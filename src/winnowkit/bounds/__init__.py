"""Mistake bounds as pure functions: the most mistakes that any sequence of examples can force.

Each function states its theorem and raises ValueError for parameters that the theorem does not cover. Attribute errors
are the bits of the examples that must change for the target to label every example correctly.
"""

from winnowkit.bounds.apobayesian import sasb, sasb_threshold
from winnowkit.bounds.entropy import (
    normalized_winnow_disjunction,
    unnormalized_relative_entropy,
    winnow,
    winnow_disjunction,
)
from winnowkit.bounds.hard_case import kernel_perceptron
from winnowkit.bounds.helmbold_panizza_warmuth import (
    bayes_beg_theorem3,
    bayes_beg_theorem4,
    binary_relative_entropy,
    thresholded_beg,
    thresholded_beg_disjunction,
    thresholded_beg_noise_free,
)
from winnowkit.bounds.littlestone import winnow1, winnow2, winnow2_disjunction, winnow2_threshold
from winnowkit.bounds.others import dnf_winnow, elimination, fixed_share, weighted_majority
from winnowkit.bounds.regret import adaptive_winnow, arow, coin_betting
from winnowkit.bounds.shifting import winnow_shifting

__all__ = [
    "adaptive_winnow",
    "arow",
    "bayes_beg_theorem3",
    "bayes_beg_theorem4",
    "binary_relative_entropy",
    "coin_betting",
    "dnf_winnow",
    "elimination",
    "fixed_share",
    "kernel_perceptron",
    "normalized_winnow_disjunction",
    "sasb",
    "sasb_threshold",
    "thresholded_beg",
    "thresholded_beg_disjunction",
    "thresholded_beg_noise_free",
    "unnormalized_relative_entropy",
    "weighted_majority",
    "winnow",
    "winnow1",
    "winnow2",
    "winnow2_disjunction",
    "winnow2_threshold",
    "winnow_disjunction",
    "winnow_shifting",
]
