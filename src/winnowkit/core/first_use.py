"""Packages whose names are imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def importer(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package, which imports a name from its module and keeps it.

    A name whose home is a module of that name in the package is this module.

    Parameters
    ----------
    package : str
        The name of the package.
    homes : mapping of str to str
        The full name of the module that has each name.

    Examples
    --------
    >>> find = importer(__name__, {"sqrt": "math"})
    >>> find("sqrt")(9.0)
    3.0
    >>> find("root")
    Traceback (most recent call last):
    AttributeError: module 'winnowkit.core.first_use' has no attribute 'root'
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(homes[name])
        value = home if home.__name__ == f"{package}.{name}" else getattr(home, name)
        setattr(sys.modules[package], name, value)
        return value

    return find
