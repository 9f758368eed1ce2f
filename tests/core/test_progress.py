"""The bar of a long fit, as a terminal shows it."""

import io
import sys

from winnowkit.core.progress import Progress


class FakeTerminal(io.StringIO):
    def isatty(self):
        return True


def test_a_share_is_shown_with_what_is_done(monkeypatch):
    shown = FakeTerminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr("winnowkit.core.progress._PATIENCE", 0.0)
    with Progress() as progress:
        progress.share(0.25, "epoch 1, 2 workers")
        progress._bar.refresh()
    lines = shown.getvalue().split("\r")
    assert any(line.startswith("epoch 1, 2 workers:  25%|") for line in lines)
    assert not any("rows/s" in line for line in lines[2:])  # the first is drawn before anything is known
