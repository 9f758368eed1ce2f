"""``winnowkit demo``: the main job on generated streams."""

from __future__ import annotations

import argparse

from winnowkit.cli.errors import OK
from winnowkit.experiments import demo


def run(arguments: argparse.Namespace) -> int:
    """Run the demo."""
    rows = [] if arguments.rows is None else ["--rows", str(arguments.rows)]
    demo.main([*rows, "--output", arguments.output])
    return OK
