"""The cache of compiled kernels: what its name depends on, and which folders are trusted."""

import ast
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import winnowkit
from winnowkit.core import jit

PACKAGE = Path(winnowkit.__file__).parent
DECORATORS = {
    "jit",
    "jit_in_place",
    "jit_brief",
    "njit",
    "intrinsic",
    "overload",
    "vectorize",
    "guvectorize",
    "cfunc",
    "jitclass",
}

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes of folders are POSIX")


def name_of(node):
    """The last name of a decorator or of what is called: jit, numba.njit, numba.njit(...)."""
    if isinstance(node, ast.Call):
        return name_of(node.func)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def compiles(path):
    """Whether a module has a compiled function, by a decorator or a call."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    decorated = (d for node in ast.walk(tree) for d in getattr(node, "decorator_list", []))
    called = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(name_of(node) in DECORATORS for node in (*decorated, *called))


def test_every_module_with_a_compiled_function_is_covered():
    compiled = {path for path in PACKAGE.rglob("*.py") if compiles(path)}
    assert len(compiled) > 15
    assert compiled <= set(jit.kernel_modules())
    assert PACKAGE / "core" / "jit.py" in jit.kernel_modules()
    assert PACKAGE / "rulesets" / "text.py" not in jit.kernel_modules()  # the control: not simply all modules


def test_a_change_of_any_of_them_changes_the_folder(tmp_path, monkeypatch):
    copies = []
    for path in jit.kernel_modules():
        copy = tmp_path / path.relative_to(PACKAGE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
        copies.append(copy)
    other = tmp_path / "other.py"
    other.write_text("from math import inf\n")
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    assert [path.relative_to(tmp_path) for path in jit.kernel_modules()] == [c.relative_to(tmp_path) for c in copies]
    found = {jit._digest()}
    for copy in copies:
        copy.write_bytes(copy.read_bytes() + b"\n# changed\n")
        found.add(jit._digest())
    assert len(found) == 1 + len(copies)
    other.write_text("from math import nan\n")
    assert jit._digest() in found  # the control: no kernel


@pytest.fixture
def nowhere_else(tmp_path, monkeypatch):
    """Leave the folder among the temporary files, here below `tmp_path`, as the only one; return its path."""
    real = jit._is_writable
    monkeypatch.setattr(jit, "_is_writable", lambda folder: tmp_path in folder.parents and real(folder))
    monkeypatch.setattr(jit.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    jit.cache_folder.cache_clear()
    yield tmp_path / f"winnowkit-{os.getuid()}"
    jit.cache_folder.cache_clear()


def test_the_last_resort_is_a_private_folder(nowhere_else):
    folder = jit.cache_folder()
    assert folder is not None
    assert folder.parent == nowhere_else
    assert stat.S_IMODE(nowhere_else.stat().st_mode) == 0o700


def make_open(folder):
    folder.mkdir()
    folder.chmod(0o777)


def make_readable(folder):
    folder.mkdir()
    folder.chmod(0o755)


def make_link(folder):
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    folder.symlink_to(elsewhere)


def make_dangling_link(folder):
    folder.symlink_to(folder.parent / "nowhere")


def make_private_of_another(folder):
    folder.mkdir(mode=0o700)
    if os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(folder, 65534, 65534)


def make_file(folder):
    folder.write_text("")


@pytest.mark.parametrize(
    "plant", [make_open, make_readable, make_link, make_dangling_link, make_private_of_another, make_file]
)
def test_a_planted_folder_is_not_used(plant, nowhere_else):
    plant(nowhere_else)
    assert jit.cache_folder() is None
    assert not jit.is_compiled()


def test_a_folder_of_somebody_else_is_not_used(nowhere_else, monkeypatch):
    nowhere_else.mkdir(mode=0o700)
    real = Path.lstat

    def of_another(path):
        found = real(path)
        return os.stat_result([*found[:4], os.getuid() + 1, *found[5:10]]) if path == nowhere_else else found

    monkeypatch.setattr(Path, "lstat", of_another)
    assert jit.cache_folder() is None


def test_everything_works_without_a_cache(tmp_path):
    """Whoever plants a folder that everybody may write to gets nothing to run and nothing to read."""
    planted = tmp_path / f"winnowkit-{os.getuid()}"
    make_open(planted)
    program = f"""
import tempfile
from pathlib import Path
from winnowkit.core import jit
jit._is_writable = lambda folder: Path({str(tmp_path)!r}) in folder.parents and folder.mkdir(parents=True) is None
from winnowkit.core import multiclass
assert jit.cache_folder() is None
import numpy as np
print(multiclass.choose(np.array([[0.1, 0.7, 0.2]]), 0))
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)}
    environment.pop("NUMBA_CACHE_DIR", None)
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert result.stdout == "1\n", result.stderr
    assert not any(planted.iterdir())
