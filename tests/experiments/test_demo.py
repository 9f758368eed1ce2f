"""The demo runs, says what it found and draws its plot."""

import sys

from winnowkit.experiments import demo


def test_demo(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["demo", "--rows", "2000", "--output", str(tmp_path)])
    demo.main()
    text = capsys.readouterr().out
    assert "then present" in text or "then absent" in text
    assert text.count("majority-class baseline") == 2
    assert "text: call" in text
    assert "Winnow2" in text
    assert "proven bound" in text
    assert "5 of 5" in text
    assert (tmp_path / "demo.png").stat().st_size > 10_000
