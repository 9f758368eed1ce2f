"""The frame that every experiment shares: cells that can run anywhere, tables, plots, verdicts and a report.

The frame knows no experiment.
"""

from winnowkit.experiments.frame.experiment import (
    Cell,
    CellResult,
    Experiment,
    Plot,
    ReportTable,
    Result,
    Scale,
    Summary,
    Verdict,
)

__all__ = [
    "Cell",
    "CellResult",
    "Experiment",
    "Plot",
    "ReportTable",
    "Result",
    "Scale",
    "Summary",
    "Verdict",
]
