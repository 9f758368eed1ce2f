"""README's way through the shell works as typed."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_as_typed(tmp_path):
    (block,) = re.findall(r"```sh\n(.*?)```", README.read_text(), flags=re.DOTALL)
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "winnowkit"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m winnowkit "$@"\n')
    command.chmod(0o755)
    script = f'export PATH="{tmp_path / "bin"}:$PATH"\nset -ex\n{block}'
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "DNFWinnow (it is a table of categories or numbers" in result.stdout
    assert "physician-fee-freeze = y" in result.stdout
    assert "10-fold cross-validation of 435 rows" in result.stdout
    labels = (tmp_path / "labels.txt").read_text().split()
    assert len(labels) == 135
    wrong = int(re.search(r"(\d+) of 135 labels are wrong", result.stderr)[1])
    truth = [line.rsplit(",", 1)[1] for line in (tmp_path / "new.csv").read_text().split("\n")[1:-1]]
    assert wrong == sum(a != b for a, b in zip(labels, truth, strict=True)) <= 20
