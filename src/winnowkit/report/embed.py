"""Data and scripts inside a page, safely: nothing in the data can end the element that holds it."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

_UNSAFE = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


def json_for_html(value: Any) -> str:
    r"""Return JSON that can stand in a script element, whatever strings it holds.

    Examples
    --------
    >>> print(json_for_html({"</script>": "<!--"}))
    {"\u003c/script\u003e":"\u003c!--"}
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":")).translate(_UNSAFE)


def asset(name: str) -> str:
    """Return the text of a file of this package."""
    return files("winnowkit.report").joinpath("assets", name).read_text(encoding="utf-8")


def hashed(script: str) -> str:
    """Return the name by which a page's policy allows this script and no other."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
