"""Run code in a process of its own that can take little more memory and time than it has."""

import json
import os
import subprocess
import sys

PREAMBLE = """
import json, resource, sys, traceback, warnings
from pathlib import Path
def confine(megabytes, seconds):
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    spent = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(spent.ru_utime + spent.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
def outcome(function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
        return ["returned", ""]
    except BaseException as error:
        return [type(error).__name__, str(error)]
"""


def confined(code, *arguments):
    """What the code prints last, as JSON; it calls `confine(megabytes, seconds)` once it has imported what it needs."""
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLE + code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"},
    )
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-2000:]}"
    return json.loads(done.stdout.splitlines()[-1])
