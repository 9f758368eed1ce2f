"""What every experiment shares: cells that are run anywhere and kept, tables, plots, verdicts and a report of them."""

from winnowkit.experiments.frame.experiment import Cell, Experiment, Outcome, Plot, Result, Scale, Summary, Table
from winnowkit.experiments.frame.verdict import Verdict, by_z, z_score

__all__ = [
    "Cell",
    "Experiment",
    "Outcome",
    "Plot",
    "Result",
    "Scale",
    "Summary",
    "Table",
    "Verdict",
    "by_z",
    "z_score",
]
