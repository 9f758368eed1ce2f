"""The demo runs, says what it found and draws its plot."""

import sys

import pytest

from winnowkit.cli import main
from winnowkit.experiments import demo


def test_demo(tmp_path, capsys):
    assert main(["demo", "--rows", "2000", "--output", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "rules learned from 135 patients; the first line has their error on these:" in text
    assert "then present" in text or "then absent" in text
    assert text.count("majority-class baseline") == 2
    assert "text: call" in text
    assert "Winnow2" in text
    assert "proven bound" in text
    assert "5 of 5" in text
    assert (tmp_path / "demo.png").stat().st_size > 10_000


def test_it_is_a_program_of_its_own(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["demo", "--help"])
    with pytest.raises(SystemExit):
        demo.main()
    assert "folder for the plot" in capsys.readouterr().out
