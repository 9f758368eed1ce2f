"""Ways through the shell, in README and the documents, work as typed."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from winnowkit.cli.options import build

ROOT = Path(__file__).parents[2]


def run(blocks, folder):
    (folder / "bin").mkdir()
    command = folder / "bin" / "winnowkit"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m winnowkit "$@"\n')
    command.chmod(0o755)
    script = "\n".join([f'export PATH="{folder / "bin"}:$PATH"', "set -ex", *blocks])
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, cwd=folder)


def blocks_of(path):
    """Blocks of shell, but for those that install."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), flags=re.DOTALL)
    return [block for block in blocks if not block.startswith("pip install")]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["docs/start.md", "docs/howto/csv-of-categories.md"])
def test_as_typed(path, tmp_path):
    blocks = blocks_of(path)
    assert blocks
    result = run(blocks, tmp_path)
    assert result.returncode == 0, result.stderr
    assert "DNFWinnow" in result.stdout


@pytest.mark.parametrize("path", ["README.md", "docs/start.md", "docs/howto/csv-of-categories.md"])
def test_the_command_line_knows_every_command(path):
    script = "".join(blocks_of(path)).replace("\\\n", " ")
    commands = [shlex.split(line, comments=True) for line in script.split("\n") if line.startswith("winnowkit ")]
    assert commands
    for words in commands:
        end = next((k for k, word in enumerate(words) if word[0] in "|><&"), len(words))
        assert build().parse_args(words[1:end]).command == words[1]


@pytest.mark.slow
def test_says_what_readme_says(tmp_path):
    result = run(blocks_of("README.md"), tmp_path)
    assert "DNFWinnow (chosen by a trial on 435 rows: " in result.stdout
    assert "physician-fee-freeze = y" in result.stdout
    labels = (tmp_path / "labels.txt").read_text().split()
    assert len(labels) == 435
    wrong = int(re.search(r"(\d+) of 435 labels are wrong", result.stderr)[1])
    truth = [line.rsplit(",", 1)[1] for line in (tmp_path / "voting.csv").read_text().split("\n")[1:-1]]
    assert wrong == sum(a != b for a, b in zip(labels, truth, strict=True)) <= 20
