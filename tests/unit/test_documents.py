"""Code in the documents runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = [
    pytest.param(code, id=f"{path.name}-{i}")
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    for i, code in enumerate(["\n".join(re.findall(r"```python\n(.*?)```", path.read_text(), flags=re.DOTALL))])
    if code
]


@pytest.mark.parametrize("code", BLOCKS)
def test_examples_run(code):
    exec(compile(code, "<document>", "exec"), {"__name__": "__main__"})
