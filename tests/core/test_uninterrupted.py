"""Signals that come while nothing may be interrupted."""

import signal
import subprocess
import sys
import threading

import pytest

from winnowkit.core.uninterrupted import uninterrupted


class TerminatedError(Exception):
    """Raised by a handler."""


@pytest.fixture
def raising():
    def end(*_):
        raise TerminatedError

    # A process that a shell started in the background ignores Ctrl-C.
    handlers = {signal.SIGTERM: end, signal.SIGINT: signal.default_int_handler}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(("number", "error"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, TerminatedError)])
@pytest.mark.usefixtures("raising")
def test_a_signal_is_raised_at_the_end(number, error):
    done = []

    def work():
        signal.raise_signal(number)
        signal.raise_signal(number)
        with uninterrupted():
            done.append("inner")
        done.append("outer")

    with pytest.raises(error), uninterrupted():
        work()
    assert done == ["inner", "outer"]


@pytest.mark.usefixtures("raising")
def test_without_a_signal_the_handlers_are_as_before():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with uninterrupted():
        pass
    assert before == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


def test_an_error_inside_is_not_hidden():
    with pytest.raises(ValueError, match="inside"), uninterrupted():
        raise ValueError("inside")


def test_a_thread_holds_nothing_back():
    """Python refuses to set handlers outside the main thread."""
    seen = []

    def work():
        with uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


COMPILED_WHILE_INTERRUPTED = """
import signal
from numba.core.codegen import JITCodeLibrary
from winnowkit.core.jit import jit

signal.signal(signal.SIGINT, signal.default_int_handler)
hook = JITCodeLibrary._object_compiled_hook

def interrupted(module, code):
    signal.raise_signal(signal.SIGINT)
    hook(module, code)

JITCodeLibrary._object_compiled_hook = staticmethod(interrupted)

@jit
def twice(x):
    return 2 * x

try:
    twice(3)
except KeyboardInterrupt:
    print("interrupted", twice(4))
"""


def test_a_kernel_that_is_interrupted_while_it_is_compiled_is_whole(tmp_path):
    """LLVM calls Python back when it is done, and an exception there would be printed and lost."""
    script = tmp_path / "compiled.py"
    script.write_text(COMPILED_WHILE_INTERRUPTED)
    child = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=120)
    assert (child.stdout, child.stderr) == ("interrupted 8\n", "")
