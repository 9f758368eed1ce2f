"""Dispatches a command to its function, and turns errors into one sentence and an exit code."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module

from winnowkit.cli.messages import (
    BROKEN_PIPE,
    FAILURE,
    INTERRUPTED,
    OK,
    TERMINATED,
    USER_ERROR,
    UserError,
    sentence,
    visible,
)
from winnowkit.cli.options import build
from winnowkit.cli.termination import Ending, Terminated

COMMANDS = {  # the module and function of each command; a module is imported when its command runs
    "fit": ("fit", "run"),
    "predict": ("predict", "run"),
    "evaluate": ("evaluate", "run"),
    "inspect": ("inspect", "run"),
    "explain": ("inspect", "explain"),
    "report": ("report", "run"),
    "convert": ("convert", "run"),
    "datasets": ("datasets", "run"),
    "demo": ("measurements", "demo"),
    "bench": ("measurements", "bench"),
    "reproduce": ("measurements", "reproduce"),
    "warmup": ("warmup", "run"),
    "completion": ("completion", "run"),
}
COMPILED = ("fit", "predict", "evaluate", "report", "bench", "reproduce")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after ``winnowkit``; None takes those of the process.

    Returns
    -------
    int
        0 for success, 1 for a failure, 2 for a usage or input error, 130 if interrupted, 143 if terminated.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stderr is None:  # closed: messages are lost, but the exit code is not
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - until the process ends
    ending = Ending()
    try:
        if sys.stdout is None:
            raise UserError("standard output is closed; redirect it to a file, or to /dev/null")
        run = _command(arguments)  # imports it: there is nothing to remove yet, so the system's own end will do
        with ending:
            code = run()
            sys.stdout.flush()
        return code
    except SystemExit as leaving:  # argparse's --help
        return int(leaving.code or 0)
    except (KeyboardInterrupt, Terminated) as ended:
        ending.end()
        _say("terminated" if isinstance(ended, Terminated) else "interrupted")
        return TERMINATED if isinstance(ended, Terminated) else INTERRUPTED
    except BrokenPipeError:  # the reader of the output closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (ValueError, ImportError, OSError, MemoryError) as error:
        return _failed(error, USER_ERROR, arguments)
    except Exception as error:
        return _failed(error, FAILURE, arguments)


def _command(arguments: Sequence[str]) -> Callable[[], int]:
    """Return what the command line asks for, with everything imported that it is made of."""
    parser = build()
    found = parser.parse_args(arguments)
    if found.version:
        return _print_version
    if found.command is None:
        return partial(_print_help, parser)
    if found.command == "completion":
        found.parser = parser
    module, function = COMMANDS[found.command]
    return partial(_run, getattr(import_module(f"winnowkit.cli.{module}"), function), found)


def _print_version() -> int:
    sys.stdout.write(f"winnowkit {import_module('winnowkit').__version__}\n")
    return OK


def _print_help(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return OK


def _run(command: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    if arguments.command in COMPILED and not arguments.quiet:
        announce_compilation()
    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("ignore")  # errors say what matters
        return command(arguments)


def announce_compilation() -> None:
    """Explain why the first run takes longer."""
    from winnowkit.core.jit import is_compiled  # noqa: PLC0415 - imports numba

    if not is_compiled():
        sys.stderr.write("compiling for the first time: seconds per learner, cached for later runs\n")


def _failed(error: Exception, code: int, arguments: Sequence[str]) -> int:
    if "--traceback" in arguments:
        traceback.print_exc()
    text = "the memory does not suffice" if isinstance(error, MemoryError) and not str(error) else sentence(error)
    if code == FAILURE:
        text = f"{type(error).__name__}: {text} (--traceback shows where)"
    elif isinstance(error, OSError):
        text = f"{error.filename or 'standard output'}: {(error.strerror or 'cannot be used').lower()}"
    _say(text)
    return code


def _say(text: str) -> None:
    sys.stderr.write(visible(f"winnowkit: {text}\n"))
