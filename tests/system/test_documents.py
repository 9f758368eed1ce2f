"""Code in the documents runs, and prints what they say it prints."""

import os
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
spec = spec_from_file_location("outputs", ROOT / "docs" / "outputs.py")
outputs = module_from_spec(spec)
spec.loader.exec_module(outputs)
PAGES = outputs.documents()


@pytest.mark.parametrize("path", list(filter(outputs.runs, PAGES)), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples_run_and_print_what_is_said(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert outputs.filled(path) == path.read_text(encoding="utf-8"), "make outputs brings it up to date"


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
