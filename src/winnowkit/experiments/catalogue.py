"""What can be reproduced: one module a table or figure, loaded when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

from winnowkit.experiments.frame.experiment import Experiment

NAMES = (
    "tao-scott-figure-1",
    "tao-scott-figure-2",
    "tao-scott-table-5",
    "tao-scott-table-6",
    "tao-scott-table-7",
    "tao-scott-table-8",
    "tao-scott-table-9",
    "littlestone-mesterharm-figure-1",
    "fang-venkatesh-laws",
    "helmbold-panizza-warmuth-bounds",
    "lecture-bounds",
)


def find(name: str) -> Experiment:
    """The experiment of this name.

    Examples
    --------
    >>> find("lecture-bounds").title
    "The lecture's bounds of Winnow1 and Winnow2, against mistakes made"
    """
    experiment: Experiment = import_module(f"winnowkit.experiments.{name.replace('-', '_')}").EXPERIMENT
    return experiment


def choose(asked: Sequence[str]) -> list[str]:
    """Names asked for, in the catalogue's order; the beginning of a name stands for all that begin so; none is all.

    Examples
    --------
    >>> choose(["lecture", "tao-scott-figure"])
    ['tao-scott-figure-1', 'tao-scott-figure-2', 'lecture-bounds']
    """
    for word in asked:
        if not any(_begins(name, word) for name in NAMES):
            close = get_close_matches(word, NAMES, n=1)
            known = f"did you mean {close[0]}?" if close else f"there are {', '.join(NAMES)}"
            raise ValueError(f"nothing to reproduce is called {word!r}; {known}")
    return [name for name in NAMES if not asked or any(_begins(name, word) for word in asked)]


def _begins(name: str, word: str) -> bool:
    return name == word or name.startswith(word.rstrip("-") + "-")
