"""Tables in, codes out: bundled data sets, discretiser, encoder."""

from importlib import import_module
from typing import Any

_HOMES = {
    "load_dataset": "bundle",
    "MultisplitDiscretizer": "discretize",
}

__all__ = ["MultisplitDiscretizer", "load_dataset"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
