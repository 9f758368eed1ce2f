"""Importing stays cheap, and compiled kernels are kept for the next process."""

import re
import shutil
from pathlib import Path

import pytest

import winnowkit


def test_import_pulls_in_nothing_heavy(python):
    heavy = "{'numba', 'matplotlib', 'pandas', 'sklearn', 'scipy'}"
    assert python(f"import sys, winnowkit; print({heavy} & set(sys.modules))") == "set()"
    assert python(f"import sys; from winnowkit import bounds; print({heavy} & set(sys.modules))") == "set()"


def test_learners_never_load_the_experiments(python):
    code = "import sys, winnowkit; [getattr(winnowkit, name) for name in winnowkit.__all__]; import winnowkit.river"
    loaded = "print([name for name in sys.modules if name.startswith('winnowkit.experiments')])"
    assert python(f"{code}; {loaded}") == "[]"


def test_public_names():
    assert set(winnowkit.__all__) <= set(dir(winnowkit))
    for name in winnowkit.__all__:
        assert getattr(winnowkit, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Loser'"):
        winnowkit.Loser  # noqa: B018


LEARN = """
import numpy as np
from winnowkit import Winnow2
from winnowkit.core.jit import cache_folder, is_compiled
from winnowkit.linear import kernel as linear
print(is_compiled())
X, y = np.tile(np.eye(3), (30_000, 1)), np.tile([0, 1, 0], 30_000)  # too many to be interpreted
print((Winnow2().fit(X, y).predict(X) == y).all(), any(cache_folder().glob("*.kernel")))
stats = linear.learn.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_kernels_compile_once_for_good(python, tmp_path):
    first = python(LEARN, NUMBA_CACHE_DIR=str(tmp_path)).split()
    second = python(LEARN, NUMBA_CACHE_DIR=str(tmp_path)).split()
    assert first == ["False", "True", "True", "0", "1"]
    assert second == ["True", "True", "True", "1", "0"]


def test_a_changed_kernel_file_does_not_hit_the_old_cache(python, tmp_path):
    package = tmp_path / "winnowkit"
    shutil.copytree(Path(winnowkit.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    code = "from winnowkit.core.jit import cache_folder; print(cache_folder())"
    before = python(code, PYTHONPATH=str(tmp_path))
    assert Path(before).is_relative_to(package)
    with (package / "core" / "csr.py").open("a") as file:
        file.write("# changed\n")
    assert python(code, PYTHONPATH=str(tmp_path)) != before


def test_cache_moves_to_where_it_can_be_written(python, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    code = "from winnowkit.core.jit import cache_folder; print(cache_folder())"
    folder = python(code, NUMBA_CACHE_DIR=str(blocked))
    assert not folder.startswith(str(blocked))
    assert Path(folder).is_dir()


def test_the_makefile_and_the_tools_name_existing_files():
    root = Path(__file__).parents[2]
    for name in ("Makefile", "tools/supply.sh"):
        text = (root / name).read_text()
        named = set(re.findall(r"\b(?:tests|tools|benchmarks|docs|fuzz)/[\w/.-]*\w", text))
        assert {path for path in named if "_build" not in path and not (root / path).exists()} <= {
            "benchmarks/",  # followed by a pattern
            "docs/gallery",  # made by the build of the site
            "docs/reference/generated",
            "docs/sg_execution_times.rst",
        }
    mutate = (root / "tools" / "mutate.py").read_text()
    rooms = eval(re.search(r"^ROOMS = (\{.*?^\})", mutate, flags=re.DOTALL | re.MULTILINE)[1])
    for room, tests in rooms.items():
        assert (root / "src" / "winnowkit" / room).is_dir()
        assert all((root / "tests" / name).exists() for name in tests)
