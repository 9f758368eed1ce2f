"""The site builds without a warning, its links lead somewhere, its pages fetch nothing from elsewhere."""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
FETCHES = {"script": "src", "img": "src", "iframe": "src", "link": "href"}


class Page(HTMLParser):
    """Anchors of a page, where its links go, and what it needs from elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.fetched = set(), set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors.update(given[name] for name in ("id", "name") if given.get(name))
        if tag == "a" and given.get("href"):
            self.links.add(given["href"])
        if urlsplit(given.get(FETCHES.get(tag), "") or "").netloc:
            self.fetched.add(given[FETCHES[tag]])


@pytest.mark.slow
def test_builds_and_hangs_together(tmp_path):
    made = shutil.ignore_patterns("_build", "gallery", "generated")  # as in a clean checkout
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=made)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copytree(ROOT / "src", tmp_path / "src")
    for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    site = tmp_path / "html"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", tmp_path / "docs", site]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    pages = {
        path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if "_static" not in path.parts
    }
    assert len(pages) > 80
    broken = [
        f"{path.relative_to(site)} -> {link}"
        for path, page in pages.items()
        for link in page.links
        if not (urlsplit(link).netloc or urlsplit(link).scheme) and not leads(path, link, pages)
    ]
    assert broken == []
    assert {url for page in pages.values() for url in page.fetched} == set()
    assert len(re.findall("sphx-glr-thumbcontainer", (site / "gallery" / "index.html").read_text())) >= 8


def leads(path, link, pages):
    parts = urlsplit(link)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.exists():
        return False
    return not parts.fragment or target not in pages or unquote(parts.fragment) in pages[target].anchors
