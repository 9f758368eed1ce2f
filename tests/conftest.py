"""Fixtures that the tests of several rooms share; other helpers are modules beside the tests that use them."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session", autouse=True)
def compiled():
    """Test machine code even where the interpreter would be asked first; this comes before any kernel is called."""
    from winnowkit.core.interpreted import compile_at_once  # noqa: PLC0415

    compile_at_once()


@pytest.fixture(scope="session")
def python():
    """Run code in a new interpreter, with more environment variables if asked, and return what it prints."""

    def run(code, *arguments, **environment):
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **environment},
        )
        assert done.returncode == 0, done.stderr[-5000:]
        return done.stdout.strip()

    return run


@pytest.fixture
def run_command(capsys, monkeypatch, tmp_path):
    """Run a command of winnowkit in an empty folder, and return its exit code, output and messages."""
    from winnowkit.cli import main  # noqa: PLC0415 - only where it is asked for

    monkeypatch.chdir(tmp_path)

    def call(*words, stdin=None):
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def benchmarks(monkeypatch):
    """Make the modules of the benchmarks importable, and return their folder."""
    folder = ROOT / "benchmarks"
    monkeypatch.syspath_prepend(str(folder))
    return folder
