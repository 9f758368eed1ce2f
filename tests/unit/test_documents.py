"""Code in the documents runs."""

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MADE = {"_build", "gallery", "generated"}  # by the build of the site
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if not MADE & set(path.relative_to(ROOT).parts)),
]
ELSEWHERE = {"adding-a-rule.md"}  # its blocks are files of a package: see test_adding_a_rule.py


def python_of(path):
    return "\n".join(re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), flags=re.DOTALL))


BLOCKS = [
    pytest.param(python_of(path), id=path.relative_to(ROOT).as_posix())
    for path in PAGES
    if python_of(path) and path.name not in ELSEWHERE
]


@pytest.mark.parametrize("code", BLOCKS)
def test_examples_run(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "<document>", "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_to_files_lead_somewhere(path):
    links = re.findall(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)", path.read_text(encoding="utf-8"))
    local = [link.split("#")[0] for link in links if "://" not in link and not link.startswith("#")]
    missing = [link for link in local if not (path.parent / link).exists() and not stands_for_example(path, link)]
    assert missing == []


def stands_for_example(path, link):
    """Whether a link is to a page of the gallery, which is made from a script, or of the reference."""
    target = Path(os.path.normpath(path.parent / link)).relative_to(ROOT / "docs")
    if target.parts[0] != "gallery":
        return False
    return target.name == "index.rst" or (ROOT / "examples" / target.with_suffix(".py").name).exists()
