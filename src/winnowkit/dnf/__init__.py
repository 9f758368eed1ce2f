"""Weighted sums over exponentially many terms, from the log of past mistakes. Names are imported when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnowkit.core.first_use import importer

if TYPE_CHECKING:
    from winnowkit.dnf.agreement import Agreement as Agreement
    from winnowkit.dnf.answers import Decision as Decision
    from winnowkit.dnf.answers import Estimate as Estimate
    from winnowkit.dnf.answers import Threshold as Threshold
    from winnowkit.dnf.auto import Auto as Auto
    from winnowkit.dnf.descent import Descent as Descent
    from winnowkit.dnf.engine import Engine as Engine
    from winnowkit.dnf.exact import BudgetExceeded as BudgetExceeded
    from winnowkit.dnf.exact import Exact as Exact
    from winnowkit.dnf.heaviest_search import Heaviest as Heaviest
    from winnowkit.dnf.heaviest_search import Term as Term
    from winnowkit.dnf.heaviest_search import heaviest as heaviest
    from winnowkit.dnf.log import MistakeLog as MistakeLog
    from winnowkit.dnf.mcmc.ladder import Ladder as Ladder
    from winnowkit.dnf.mistake_driven import PAPER as PAPER
    from winnowkit.dnf.mistake_driven import MistakeDriven as MistakeDriven
    from winnowkit.dnf.population import Population as Population
    from winnowkit.dnf.soft_training import Soft as Soft
    from winnowkit.dnf.training import Training as Training

_HOMES = {
    "Agreement": "winnowkit.dnf.agreement",
    "Auto": "winnowkit.dnf.auto",
    "BudgetExceeded": "winnowkit.dnf.exact",
    "Decision": "winnowkit.dnf.answers",
    "Descent": "winnowkit.dnf.descent",
    "Engine": "winnowkit.dnf.engine",
    "Estimate": "winnowkit.dnf.answers",
    "Exact": "winnowkit.dnf.exact",
    "Heaviest": "winnowkit.dnf.heaviest_search",
    "Ladder": "winnowkit.dnf.mcmc.ladder",
    "MistakeDriven": "winnowkit.dnf.mistake_driven",
    "MistakeLog": "winnowkit.dnf.log",
    "PAPER": "winnowkit.dnf.mistake_driven",
    "Population": "winnowkit.dnf.population",
    "Soft": "winnowkit.dnf.soft_training",
    "Term": "winnowkit.dnf.heaviest_search",
    "Threshold": "winnowkit.dnf.answers",
    "Training": "winnowkit.dnf.training",
    "heaviest": "winnowkit.dnf.heaviest_search",
}

__all__ = [*_HOMES]  # noqa: PLE0604 - they are strings

__getattr__ = importer(__name__, _HOMES)
