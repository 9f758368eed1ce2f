"""Environments of peers: each has its own interpreter, so that its requirements cannot break ours.

``make peers`` builds them. A job goes to a worker as JSON on standard input; the answer comes on standard output.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WORKER = Path(__file__).with_name("peer_worker.py")
PEERS = {  # the environment of each learner
    "ripper": ".venv-peers",
    "cn2": ".venv-peers",
    "jrip": ".venv-peers",  # and Debian's packages weka and default-jre-headless
    "imodels": ".venv-peers",
    "brcg": ".venv-rulelearn",
    "rulelearn": ".venv-rulelearn",
    "lightgbm": ".venv-peers",
    "tsetlin": ".venv-tmu",
}
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class AbsentError(Exception):
    """Says that a peer cannot take part, and why."""


def interpreter(learner: str) -> Path:
    """Return the interpreter of a peer."""
    path = ROOT / PEERS[learner] / "bin" / "python"
    if not path.exists():
        raise AbsentError(f"there is no {PEERS[learner]}: make peers")
    return path


def ask(learner: str, job: dict[str, Any], *, timeout: float, python: Path | None = None) -> dict[str, Any]:
    """Run a job with a peer; raise AbsentError if it is not installed, fails, or takes too long.

    These are of processor time, as others may be busy; by the clock it has ten times as long.
    """
    command = [str(python or interpreter(learner)), str(WORKER), learner, f"{timeout:.0f}"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(job),
            capture_output=True,
            text=True,
            check=False,
            timeout=10 * timeout,
            env=os.environ | ONE_THREAD,
        )
    except subprocess.TimeoutExpired:
        raise AbsentError(f"took more than {10 * timeout:.0f} s by the clock") from None
    if done.returncode == -signal.SIGXCPU:
        raise AbsentError(f"took more than {timeout:.0f} s of processor time")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise AbsentError(last[:200])
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def ours(*more: str) -> str:
    """Return the versions of the packages in our own environment."""
    found = []
    for name in ("numpy", "scipy", "scikit-learn", "numba", *more):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return f"{os.cpu_count()} cores; Python {platform.python_version()}, {', '.join(found)}"
