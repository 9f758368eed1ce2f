"""Plots as SVG: one panel each, the same bytes from the same numbers."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from winnowkit.experiments.frame.experiment import Plot

STYLE: Any = {
    "svg.fonttype": "path",  # looks alike everywhere
    "font.size": 9.0,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.fontsize": "small",
    "legend.framealpha": 0.8,
    "legend.columnspacing": 1.0,
}


MOST_INSIDE = 4
"""Entries of a legend within the axes; more go below them."""


def check_matplotlib() -> None:
    """Fail early, not after hours of running."""
    try:
        import matplotlib  # noqa: F401, PLC0415 - optional
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib: pip install 'winnowkit[plot]', or pass --no-plots (plots=False)"
        ) from error


def svg(plot: Plot) -> bytes:
    """Draw a panel."""
    from matplotlib import rc_context  # noqa: PLC0415 - optional
    from matplotlib.figure import Figure  # noqa: PLC0415

    with rc_context({**STYLE, "svg.hashsalt": plot.caption}):
        figure = Figure(figsize=(4.8, 3.8), layout="constrained")
        axes = figure.subplots()
        plot.draw(axes)
        entries = axes.get_legend_handles_labels()
        if len(entries[1]) > MOST_INSIDE:
            figure.legend(*entries, loc="outside lower center", ncols=3)
        elif entries[1]:
            axes.legend()
        buffer = BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()
