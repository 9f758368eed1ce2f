"""Send SIGTERM before each step of what begins and ends a command; run by test_terminated.py in a small process.

Prints the exit codes of the forks as JSON, one per step: it forks a hundred times, which takes long in a large process.
"""

import json
import os
import signal
import sys

from winnowkit.cli import main
from winnowkit.cli.termination import Ending

LEFT, TOO_FAR = 99, 98  # something was not put back; there are no more steps
NAMES = {"main", "__enter__", "__exit__", "end"}
FILES = {sys.modules[Ending.__module__].__file__, sys.modules["winnowkit.cli.main"].__file__}


def signalled_at(step):
    """Run a command in a fork, with SIGTERM before one step; return how the fork ended."""
    steps = 0

    def trace(frame, event, _):
        nonlocal steps
        if frame.f_code.co_filename not in FILES or frame.f_code.co_name not in NAMES:
            return None
        frame.f_trace_opcodes = True
        steps += event == "opcode"
        if event == "opcode" and steps == step:
            signal.raise_signal(signal.SIGTERM)
        return trace

    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = LEFT
    try:
        sys._getframe().f_trace_opcodes = True  # Python 3.12 traces steps only if this was set before
        sys.settrace(trace)
        code = main(["datasets"])
        sys.settrace(None)
        clean = signal.getsignal(signal.SIGTERM) == signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
        clean = clean and signal.getitimer(signal.ITIMER_REAL) == (0, 0)
        code = code if clean and sys.unraisablehook is sys.__unraisablehook__ else LEFT
    finally:
        os._exit(code if steps >= step else TOO_FAR)


def run():
    if sys.argv[1] == "fails":
        raise ValueError("a wrong file")
    return 0


if __name__ == "__main__":
    sys.modules["winnowkit.cli.main"]._command = lambda _: run
    codes = [signalled_at(1)]
    while codes[-1] != TOO_FAR:
        codes.append(signalled_at(len(codes) + 1))
    print(json.dumps(codes[:-1]))
