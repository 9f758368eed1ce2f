"""The argument parser, and the names that ``--help`` and completion need without importing a learner."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

from winnowkit.cli.messages import UserError, instead

LEARNERS = (
    "Committee",
    "DNFWinnow",
    "Winnow2",
    "Winnow1",
    "BalancedWinnow",
    "NormalizedWinnow",
    "ThresholdedBEG",
    "BayesBEG",
    "AROW",
    "CoinBetting",
    "AdaptiveWinnow",
    "SASB",
    "SBSB",
    "DirectBayes",
    "DirectedDrift",
    "Elimination",
)
FORMATS = ("csv", "tsv", "parquet", "feather", "arff", "libsvm", "vw", "snow")


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence that says what to do."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Raise `UserError` instead of printing the usage."""
        unknown = re.match(r"unrecognized arguments: (\S+)", message)
        if unknown:
            flags = [flag for action in self._actions for flag in action.option_strings if flag.startswith("--")]
            self._refuse("option", unknown[1], flags)
        choice = re.match(r"argument (\S+): invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if choice:
            known = [name.strip("' ") for name in choice[3].split(",")]
            kind = {"COMMAND": "command", "--learner": "learner"}.get(choice[1], f"value for {choice[1]}:")
            self._refuse(kind, choice[2], known)
        if "required" in message:
            message += "; put it before the options that take several values"
        raise UserError(f"{message} (see {self.prog} --help)")

    def _refuse(self, kind: str, name: str, known: list[str]) -> NoReturn:
        raise UserError(f"Unknown {kind} {name!r}. {instead(name, known)} (see {self.prog} --help)")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown options here, where the options of the command are known."""
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"unrecognized arguments: {rest[0]}")
        return found, rest


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"expected a whole number of at least {least}, got {text!r}")
        return value

    return number


positive, count = _at_least(1), _at_least(0)


def learner_name(text: str) -> str:
    """Return the name of a learner in its usual spelling, whatever the case."""
    return {name.lower(): name for name in LEARNERS}.get(text.lower(), text)
