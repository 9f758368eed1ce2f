"""Run what `to_javascript` writes by node."""

import json
import shutil
import subprocess

import pytest

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def node(program, given=None):
    """Run a program, with a value as JSON on its standard input, and return the JSON that it prints."""
    done = subprocess.run(
        [NODE, "-"] if given is None else [NODE, "-e", program],
        input=program if given is None else json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


READ = 'const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));\n'


def said(rules, rows):
    """Return the labels of rows that JSON can hold."""
    return node(f"{rules.to_javascript()}{READ}console.log(JSON.stringify(rows.map(predict)));", rows)


def said_of(rules, *rows):
    """Return the labels of rows that are written as JavaScript."""
    return node(f"{rules.to_javascript()}console.log(JSON.stringify([{', '.join(rows)}].map(predict)));")
