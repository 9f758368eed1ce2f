"""Packages that only some features need."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def import_optional(module: str, purpose: str, install: str) -> Any:
    """Import a module, or raise an ImportError that says what it is for and how to install it.

    Parameters
    ----------
    module : str
        The module, by its full name.
    purpose : str
        The beginning of the message, such as "to_frame needs pandas".
    install : str
        What pip should install.

    Returns
    -------
    module
        The module.

    Examples
    --------
    >>> import_optional("winnowkit_extra", "This example needs winnowkit_extra", "winnowkit[extra]")
    Traceback (most recent call last):
    ImportError: This example needs winnowkit_extra: pip install 'winnowkit[extra]'
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"{purpose}: pip install {install if install.isalnum() else repr(install)}") from error
