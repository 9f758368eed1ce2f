"""Readers, encoders, bundled data sets and stream generators, imported when first used."""

from importlib import import_module
from typing import Any

_HOMES = {"load_dataset": "bundle", "MultisplitDiscretizer": "discretize"}
_MODULES = {"streams"}

__all__ = ["MultisplitDiscretizer", "load_dataset", "streams"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
