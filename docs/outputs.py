"""Run the Python blocks of a document, and put their output into the text block that follows, if there is one.

``make outputs`` updates all documents; the tests run every document through :func:`filled`, and fail if the output
differs.
"""

from __future__ import annotations

import io
import re
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MADE = {"_build", "gallery", "generated"}  # made by the build of the site
ELSEWHERE = {"adding-a-rule.md"}  # its blocks are files of a package, which have their own test
BLOCK = re.compile(r"```python\n(?P<code>.*?)```(?P<shown>\n\n```text\n.*?```)?", flags=re.DOTALL)


def documents() -> list[Path]:
    """Return README, CONTRIBUTING and all hand-written pages."""
    pages = (path for path in (ROOT / "docs").rglob("*.md") if not MADE & set(path.relative_to(ROOT).parts))
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(pages)]


def runs(path: Path) -> bool:
    """Whether a document has code that can be run."""
    return path.name not in ELSEWHERE and BLOCK.search(path.read_text(encoding="utf-8")) is not None


def filled(path: Path) -> str:
    """Return the text of a document with the output of its code."""
    names: dict[str, Any] = {"__name__": "__main__"}

    def run(match: re.Match[str]) -> str:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(match["code"], str(path), "exec"), names)
        block = f"```python\n{match['code']}```"
        return f"{block}\n\n```text\n{printed.getvalue()}```" if match["shown"] else block

    return BLOCK.sub(run, path.read_text(encoding="utf-8"))


def main() -> None:
    """Update all documents."""
    for path in filter(runs, documents()):
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            before, after = path.read_text(encoding="utf-8"), filled(path)
        if before != after:
            path.write_text(after, encoding="utf-8")
            print("changed:", path.relative_to(ROOT))


if __name__ == "__main__":
    main()
