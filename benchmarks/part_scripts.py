"""Parts that are separate scripts; the report includes their printed output."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from environments import ours
from results import Part

HERE = Path(__file__).parent


class Script(NamedTuple):
    """A script and its arguments by scale; None means that it does not run at this scale."""

    title: str
    file: str
    arguments: dict[str, list[str] | None]


SCRIPTS = {
    "dnf-sums": Script("Exact sums over all terms", "dnf.py", {"tiny": None, "quick": ["cuts"], "full": []}),
    "dnf-errors": Script(
        "Errors of DNFWinnow beside Tao & Scott's Table V",
        "dnf_errors.py",
        {"tiny": None, "quick": ["iris", "tic-tac-toe"], "full": ["--seeds", "3"]},
    ),
    "chains": Script("Steps of Markov chains", "chains.py", {"tiny": None, "quick": [], "full": []}),
    "rules": Script("Rules read from DNFWinnow", "rules.py", {"tiny": None, "quick": ["known"], "full": []}),
}


def measure(name: str, scale: str, data: Path | None, say: Callable[[str], None]) -> Part:  # noqa: ARG001
    """Run the script and return its output."""
    title, file, arguments = SCRIPTS[name]
    part = Part(name, title, "", scale, environment=ours())
    chosen = arguments[scale]
    if chosen is None:
        part.absent.append(f"{file}: not run at this scale")
        return part
    command = [sys.executable, str(HERE / file), *chosen]
    part.about = f"`python benchmarks/{' '.join([file, *chosen])}`"
    say(part.about)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    part.text = done.stdout.strip()
    if done.returncode:
        part.absent.append(f"{file} failed: {(done.stderr.strip().splitlines() or ['no message'])[-1][:200]}")
    return part


PARTS = {name: partial(measure, name) for name in SCRIPTS}
