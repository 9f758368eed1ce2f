"""Weighted sums over exponentially many terms, from the log of past mistakes."""

from winnowkit.dnf.agreement import Agreement
from winnowkit.dnf.answers import Decision, Estimate, Threshold
from winnowkit.dnf.auto import Auto
from winnowkit.dnf.descent import Descent
from winnowkit.dnf.engine import Engine
from winnowkit.dnf.exact import BudgetExceeded, Exact
from winnowkit.dnf.heaviest import Heaviest, Term, heaviest
from winnowkit.dnf.log import MistakeLog
from winnowkit.dnf.mcmc.ladder import Ladder
from winnowkit.dnf.mistake_driven import PAPER, MistakeDriven
from winnowkit.dnf.population import Population
from winnowkit.dnf.soft_training import Soft
from winnowkit.dnf.training import Training

__all__ = [
    "PAPER",
    "Agreement",
    "Auto",
    "BudgetExceeded",
    "Decision",
    "Descent",
    "Engine",
    "Estimate",
    "Exact",
    "Heaviest",
    "Ladder",
    "MistakeDriven",
    "MistakeLog",
    "Population",
    "Soft",
    "Term",
    "Threshold",
    "Training",
    "heaviest",
]
