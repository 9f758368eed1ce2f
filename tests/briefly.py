"""A plugin of pytest for runs without the JIT: a test is left after so many seconds of processor time.

What it ran until then counts for coverage. That it holds to its end is for the run with the JIT to show.
"""

import signal
from pathlib import Path

import pytest

SECONDS, AGAIN = 1.0, 0.005
OURS = {Path(__file__).parent, Path(__file__).parents[1] / "src"}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup():
    return (yield from _briefly())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    return (yield from _briefly())


def _briefly():
    def leave(_, frame):
        # Not from the midst of another package: coverage would keep a lock for ever, hypothesis take it for a failure.
        if OURS.isdisjoint(Path(frame.f_code.co_filename).parents):
            signal.setitimer(signal.ITIMER_VIRTUAL, AGAIN)
        else:
            pytest.skip(f"left after {SECONDS} s")

    before = signal.signal(signal.SIGVTALRM, leave)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
