"""The scripts of the gallery run, and draw something."""

from pathlib import Path

import matplotlib as mpl
import pytest

mpl.use("Agg")
from matplotlib import pyplot as plt

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("plot_*.py"))


def test_there_are_at_least_eight():
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_runs_and_draws(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plt, "show", lambda: None)  # without a screen it would warn
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"__name__": "__main__"})
        axes = [axis for number in plt.get_fignums() for axis in plt.figure(number).axes]
        assert axes
        assert all(axis.has_data() or axis.texts for axis in axes)
    finally:
        plt.close("all")
