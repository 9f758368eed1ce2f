"""Compiled kernels on disk: who may share them, damaged files, and processes that compile at once."""

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import winnowkit
from winnowkit.core import jit

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes of folders are POSIX")


@pytest.fixture
def shared(tmp_path, monkeypatch):
    """A folder that WINNOWKIT_CACHE_DIR names."""
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    monkeypatch.setenv("WINNOWKIT_CACHE_DIR", str(folder))
    jit.shared_folder.cache_clear()
    yield folder
    jit.shared_folder.cache_clear()


def test_a_folder_that_only_its_owner_can_write_to_is_shared(shared):
    folder = jit.shared_folder()
    assert folder is not None
    assert folder.parent == shared
    assert jit.cache_folders()[0] == folder


def test_it_is_made_if_absent(shared, monkeypatch):
    monkeypatch.setenv("WINNOWKIT_CACHE_DIR", str(shared / "new" / "er"))
    folder = jit.shared_folder()
    assert folder is not None
    assert folder.is_dir()


@pytest.mark.usefixtures("shared")
def test_without_the_variable_nothing_is_shared(monkeypatch):
    monkeypatch.delenv("WINNOWKIT_CACHE_DIR")
    assert jit.shared_folder() is None


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777])
def test_a_folder_that_others_can_write_to_is_not_used(shared, mode):
    shared.chmod(mode)
    with pytest.warns(UserWarning, match="WINNOWKIT_CACHE_DIR is not used: others can write"):
        assert jit.shared_folder() is None


def test_nor_one_below_a_folder_that_others_can_write_to(shared, monkeypatch):
    shared.chmod(0o777)
    (shared / "below").mkdir(mode=0o755)
    monkeypatch.setenv("WINNOWKIT_CACHE_DIR", str(shared / "below"))
    with pytest.warns(UserWarning, match="others can write"):
        assert jit.shared_folder() is None
    shared.chmod(0o1777)  # the control: with the sticky bit nobody can replace what is below
    jit.shared_folder.cache_clear()
    assert jit.shared_folder() is not None


def test_nor_one_below_a_folder_of_somebody_else(shared, monkeypatch):
    if os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    (shared / "below").mkdir(mode=0o755)
    os.chown(shared, 65534, 65534)
    monkeypatch.setenv("WINNOWKIT_CACHE_DIR", str(shared / "below"))
    with pytest.warns(UserWarning, match="belongs to neither root nor the owner"):
        assert jit.shared_folder() is None


def test_a_link_counts_as_what_it_leads_to(shared, tmp_path, monkeypatch):
    shared.chmod(0o777)
    (tmp_path / "link").symlink_to(shared)
    monkeypatch.setenv("WINNOWKIT_CACHE_DIR", str(tmp_path / "link"))
    with pytest.warns(UserWarning, match="others can write"):
        assert jit.shared_folder() is None


PROGRAM = """
import sys, time
import numpy as np
from winnowkit.core import multiclass
while time.time() < float(sys.argv[1]):
    time.sleep(0.001)
kind = np.dtype(sys.argv[2])
print(multiclass.choose(np.array([[1, 7, 2]], dtype=kind), 0), len(multiclass.choose.stats.cache_misses))
"""


def started(folder, at, kind):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(Path(winnowkit.__file__).parents[1])}
    environment.pop("WINNOWKIT_CACHE_DIR", None)
    command = [sys.executable, "-c", PROGRAM, str(at), kind]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answers(processes):
    found = [process.communicate() for process in processes]
    assert all(process.returncode == 0 for process in processes), found
    return [out.split() for out, _ in found]


def test_processes_that_compile_at_once_do_not_disturb_each_other(tmp_path):
    """Two compile the same kernel for different types; later ones find both, and each its own."""
    kinds = ["float64", "int32"]
    both = [started(tmp_path, time.time() + 4.0, kind) for kind in kinds]
    assert answers(both) == [["1", "1"], ["1", "1"]]
    files = [path.name for path in tmp_path.rglob("*.kernel")]
    assert len(files) == len(set(files)) == 2
    assert answers([started(tmp_path, 0, kind) for kind in kinds]) == [["1", "0"], ["1", "0"]]
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".kernel"]
    for path in tmp_path.rglob("*.kernel"):  # a damaged file is compiled anew
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    assert answers([started(tmp_path, 0, kinds[0])]) == [["1", "1"]]


RUNTIME = """
import numpy as np
from winnowkit.core.jit import jit

@jit
def solved(a, b):
    return np.linalg.solve(a, b) + np.random.random() * 0.0

print(solved(np.diag([2.0, 4.0]), np.ones(2)).tolist(), len(solved.made().stats.cache_misses))
"""


def test_a_kernel_that_refers_to_more_than_the_runtime_is_loaded(python, tmp_path):
    """Its machine code names functions of numba that a process knows only once it has loaded all of it."""
    assert python(RUNTIME, NUMBA_CACHE_DIR=str(tmp_path)) == "[0.5, 0.25] 1"
    assert python(RUNTIME, NUMBA_CACHE_DIR=str(tmp_path)) == "[0.5, 0.25] 0"


def test_a_folder_that_cannot_be_written_is_read(shared, monkeypatch):
    """What root compiled for all users serves them; what is missing goes to a folder of their own."""

    @jit.jit
    def twice(x):
        return 2 * x

    assert twice(2.5) == 5.0
    (file,) = shared.rglob("*.kernel")
    real = Path.write_bytes

    def refusing(path, content):
        if shared in path.parents:
            raise PermissionError(path)
        return real(path, content)

    monkeypatch.setattr(Path, "write_bytes", refusing)
    own = shared.parent / "own"
    own.mkdir()
    monkeypatch.setattr(jit, "cache_folder", lambda: own)
    again = jit.jit(twice.py_func)
    assert again(2.5) == 5.0
    assert sum(again.stats.cache_hits.values()) == 1
    assert not list(own.iterdir())
    assert again(np.float32(2.5)) == 5.0
    assert len(list(own.iterdir())) == 1
    assert list(shared.rglob("*.kernel")) == [file]


def test_a_full_disk_is_no_error(shared, monkeypatch):
    def full(path, _):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", full)

    @jit.jit
    def thrice(x):
        return 3 * x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert thrice(2.0) == 6.0
    assert not list(shared.rglob("*.kernel"))
