"""From the words of a command to its function, and from errors to one sentence and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from importlib import import_module

from winnowkit.cli.errors import BROKEN_PIPE, FAILURE, INTERRUPTED, OK, USER_ERROR, UserError, sentence, visible
from winnowkit.cli.options import build

MODULES: dict[str, str] = {}
COMPILED = ("fit", "predict", "evaluate", "bench", "reproduce")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The words after ``winnowkit``; None takes those of the process.

    Returns
    -------
    int
        0 done, 1 failed, 2 something to mend, 130 interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stderr is None:  # closed: what would be said is lost, but the exit code is not
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - until the process ends
    try:
        if sys.stdout is None:
            raise UserError("standard output is closed; send it to a file, or to /dev/null")
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except SystemExit as leaving:  # argparse's --help
        return int(leaving.code or 0)
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (ValueError, ImportError, OSError) as error:
        return _failed(error, USER_ERROR, arguments)
    except Exception as error:
        return _failed(error, FAILURE, arguments)


def _run(arguments: Sequence[str]) -> int:
    parser = build()
    found = parser.parse_args(arguments)
    if found.version:
        sys.stdout.write(f"winnowkit {import_module('winnowkit').__version__}\n")
        return OK
    if found.command is None:
        parser.print_help()
        return OK
    if found.command == "completion":
        found.parser = parser
    module = import_module(f"winnowkit.cli.{MODULES.get(found.command, found.command)}")
    if found.command in COMPILED and not found.quiet:
        announce_compilation()
    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("ignore")  # what matters is said in errors
        code: int = module.run(found)
    return code


def announce_compilation() -> None:
    """Say why the first run takes longer."""
    from winnowkit.core.jit import is_compiled  # noqa: PLC0415 - imports numba

    if not is_compiled():
        sys.stderr.write("compiling for the first time: up to a minute for a learner, kept on disk for later runs\n")


def _failed(error: Exception, code: int, arguments: Sequence[str]) -> int:
    if "--traceback" in arguments:
        traceback.print_exc()
    text = sentence(error)
    if code == FAILURE:
        text = f"{type(error).__name__}: {text} (--traceback says where)"
    elif isinstance(error, OSError):
        text = f"{error.filename or 'standard output'}: {(error.strerror or 'cannot be used').lower()}"
    _say(text)
    return code


def _say(text: str) -> None:
    sys.stderr.write(visible(f"winnowkit: {text}\n"))
