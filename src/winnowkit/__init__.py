"""Attribute-efficient on-line learning: Winnow and its relatives, with proven mistake bounds and readable rules.

Names are imported when first used, so that ``import winnowkit`` stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from winnowkit import bounds as bounds
    from winnowkit.estimators.beg import BayesBEG as BayesBEG
    from winnowkit.estimators.beg import ThresholdedBEG as ThresholdedBEG
    from winnowkit.estimators.committee import Committee as Committee
    from winnowkit.estimators.direct import DirectBayes as DirectBayes
    from winnowkit.estimators.dnf import DNFWinnow as DNFWinnow
    from winnowkit.estimators.drift import DirectedDrift as DirectedDrift
    from winnowkit.estimators.symmetric import SASB as SASB
    from winnowkit.estimators.symmetric import SBSB as SBSB
    from winnowkit.estimators.winnow import BalancedWinnow as BalancedWinnow
    from winnowkit.estimators.winnow import Elimination as Elimination
    from winnowkit.estimators.winnow import NormalizedWinnow as NormalizedWinnow
    from winnowkit.estimators.winnow import Winnow1 as Winnow1
    from winnowkit.estimators.winnow import Winnow2 as Winnow2
    from winnowkit.model_file import load as load
    from winnowkit.model_file import save as save

__version__ = "0.1.0"

_HOME = {
    "Elimination": "winnowkit.estimators.winnow",
    "Winnow1": "winnowkit.estimators.winnow",
    "Winnow2": "winnowkit.estimators.winnow",
    "BalancedWinnow": "winnowkit.estimators.winnow",
    "NormalizedWinnow": "winnowkit.estimators.winnow",
    "ThresholdedBEG": "winnowkit.estimators.beg",
    "BayesBEG": "winnowkit.estimators.beg",
    "DirectedDrift": "winnowkit.estimators.drift",
    "DirectBayes": "winnowkit.estimators.direct",
    "SBSB": "winnowkit.estimators.symmetric",
    "SASB": "winnowkit.estimators.symmetric",
    "Committee": "winnowkit.estimators.committee",
    "DNFWinnow": "winnowkit.estimators.dnf",
    "save": "winnowkit.model_file",
    "load": "winnowkit.model_file",
}
_MODULES = ("bounds",)

__all__ = [*_HOME, *_MODULES]  # noqa: PLE0604 - they are strings


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in _MODULES:
        value = import_module(f"winnowkit.{name}")
    else:
        raise AttributeError(f"module 'winnowkit' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
