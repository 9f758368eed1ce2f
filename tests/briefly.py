"""A plugin of pytest for runs without the JIT: a test is left after so many seconds of processor time.

What it ran until then counts for coverage. That it holds to its end is for the run with the JIT to show.
"""

import signal

import pytest

SECONDS = 1.0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup():
    return (yield from _briefly())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    return (yield from _briefly())


def _briefly():
    def leave(*_):
        pytest.skip(f"left after {SECONDS} s")

    before = signal.signal(signal.SIGVTALRM, leave)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
