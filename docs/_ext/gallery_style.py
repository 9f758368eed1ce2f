"""The style of the plots in the gallery."""

from typing import Any

from matplotlib import pyplot as plt


def reset(gallery_conf: dict[str, Any], fname: str) -> None:  # noqa: ARG001 - sphinx-gallery's names
    """Set light axes and a type size that is readable on a phone, before each example."""
    plt.rcParams.update(
        {
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.grid": True,
            "axes.grid.axis": "y",
            "font.size": 11,
            "grid.alpha": 0.25,
            "legend.frameon": False,
            "savefig.dpi": 110,
        }
    )
