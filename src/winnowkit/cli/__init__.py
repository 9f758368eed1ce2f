"""The command line: ``winnowkit fit``, ``predict``, ``evaluate``, ``inspect`` and more. See docs/cli.md."""

from winnowkit.cli.main import main

__all__ = ["main"]
