"""Attribute-efficient on-line learning: Winnow and its relatives, with proven mistake bounds and readable rules.

Names are imported when first used, so that ``import winnowkit`` stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnowkit.core.first_use import importer

if TYPE_CHECKING:
    from winnowkit import bounds as bounds
    from winnowkit.counting.direct_bayes import DirectBayes as DirectBayes
    from winnowkit.counting.directed_drift import DirectedDrift as DirectedDrift
    from winnowkit.counting.sbsb import SASB as SASB
    from winnowkit.counting.sbsb import SBSB as SBSB
    from winnowkit.dnf.classifier import DNFWinnow as DNFWinnow
    from winnowkit.linear.beg import BayesBEG as BayesBEG
    from winnowkit.linear.beg import ThresholdedBEG as ThresholdedBEG
    from winnowkit.linear.committee import Committee as Committee
    from winnowkit.linear.scaled import AROW as AROW
    from winnowkit.linear.scaled import AdaptiveWinnow as AdaptiveWinnow
    from winnowkit.linear.scaled import CoinBetting as CoinBetting
    from winnowkit.linear.winnow import BalancedWinnow as BalancedWinnow
    from winnowkit.linear.winnow import Elimination as Elimination
    from winnowkit.linear.winnow import NormalizedWinnow as NormalizedWinnow
    from winnowkit.linear.winnow import Winnow1 as Winnow1
    from winnowkit.linear.winnow import Winnow2 as Winnow2
    from winnowkit.model_file import load as load
    from winnowkit.model_file import save as save
    from winnowkit.precompile import warmup as warmup

__version__ = "0.2.0"

_HOME = {
    "Elimination": "winnowkit.linear.winnow",
    "Winnow1": "winnowkit.linear.winnow",
    "Winnow2": "winnowkit.linear.winnow",
    "BalancedWinnow": "winnowkit.linear.winnow",
    "NormalizedWinnow": "winnowkit.linear.winnow",
    "ThresholdedBEG": "winnowkit.linear.beg",
    "BayesBEG": "winnowkit.linear.beg",
    "DirectedDrift": "winnowkit.counting.directed_drift",
    "DirectBayes": "winnowkit.counting.direct_bayes",
    "SBSB": "winnowkit.counting.sbsb",
    "SASB": "winnowkit.counting.sbsb",
    "AROW": "winnowkit.linear.scaled",
    "CoinBetting": "winnowkit.linear.scaled",
    "AdaptiveWinnow": "winnowkit.linear.scaled",
    "Committee": "winnowkit.linear.committee",
    "DNFWinnow": "winnowkit.dnf.classifier",
    "save": "winnowkit.model_file",
    "load": "winnowkit.model_file",
    "warmup": "winnowkit.precompile",
    "bounds": "winnowkit.bounds",
}

__all__ = [*_HOME]  # noqa: PLE0604 - they are strings

__getattr__ = importer(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
