"""The walk through docs/adding-a-rule.md works: its files, where it says they go, pass the tests it ends with."""

import os
import re
import subprocess
import sys
from pathlib import Path

import winnowkit

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-rule.md"

# The new files join the installed packages from a folder of their own; nothing is copied, so no kernel compiles again.
RUNNER = """
import doctest
import sys
from importlib import import_module
from pathlib import Path

import pytest
import winnowkit
import winnowkit.data

for package in ("bounds", "linear"):
    import_module(f"winnowkit.{package}").__path__.append(str(Path("src/winnowkit", package).absolute()))
names = {NAMES}
winnowkit._HOME.update(names)
winnowkit.__all__.extend(names)
examples = [doctest.testmod(import_module(f"winnowkit.{p}.asymmetric")) for p in ("bounds", "linear")]
assert all(result.attempted and not result.failed for result in examples), examples
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "tests"]))
"""


def test_as_written(tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    files = re.findall(r"```python\n# ((?:src|tests)/\S+)\n(.*?)```", text, flags=re.DOTALL)
    assert [Path(name).parts[0] for name, _ in files] == ["src", "src", "tests"]
    for name, code in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
    (line,) = re.findall(r"^\+ +(\".*)$", text, flags=re.MULTILINE)
    source = Path(winnowkit.__file__).parents[1]
    result = subprocess.run(
        [sys.executable, "-c", RUNNER.replace("{NAMES}", "{" + line + "}")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert int(re.search(r"(\d+) passed", result.stdout)[1]) > 30
