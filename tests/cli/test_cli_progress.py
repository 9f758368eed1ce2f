"""The line that a person watches."""

import sys
from types import SimpleNamespace

import numpy as np

from winnowkit.cli import progress_line
from winnowkit.cli.progress_line import ProgressLine


def test_a_line_only_for_people(monkeypatch, capsys):
    assert ProgressLine("auto").way == "off"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert ProgressLine("auto").way == "line"
    assert capsys.readouterr().err == ""


def test_rows_mistakes_and_share_of_the_file(monkeypatch, capsys):
    monkeypatch.setattr(progress_line, "EVERY", -1.0)
    line = ProgressLine("line")
    line.prefix = "pass 2 of 3: "
    y = np.zeros(1000, dtype=int)
    line.add(y, (np.arange(1000) < 25).astype(int), SimpleNamespace(bytes_read=30, total_bytes=120))
    shown = capsys.readouterr().err
    assert shown.startswith("\rpass 2 of 3: 1,000 rows, ")
    assert shown.endswith("25 mistakes (2.50%), 25% of the file")
    line.add(y, y, SimpleNamespace(bytes_read=30, total_bytes=None))
    assert capsys.readouterr().err.rstrip().endswith("25 mistakes (1.25%)")  # a pipe has no share
    line.close()
    assert capsys.readouterr().err.strip(" \r") == ""
