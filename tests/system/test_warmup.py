"""Compiling ahead: what `warmup` leaves nothing to do for, and how it fails."""

import pytest

import winnowkit
from winnowkit import precompile
from winnowkit.cli.main import main


@pytest.fixture
def few_tasks(monkeypatch):
    """Only the quickest of the tasks: each is a process."""
    monkeypatch.setattr(precompile, "TASKS", {name: precompile.TASKS[name] for name in ("readers",)})


@pytest.mark.usefixtures("few_tasks")
def test_later_processes_compile_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    winnowkit.warmup(n_jobs=1, progress=False)
    first = sorted(path.name for path in tmp_path.rglob("*.kernel"))
    assert any("libsvm_kernel" in name for name in first)
    assert any("multisplit" in name for name in first)
    winnowkit.warmup(n_jobs=2)
    assert sorted(path.name for path in tmp_path.rglob("*.kernel")) == first


def test_a_process_that_fails_is_an_error(monkeypatch):
    monkeypatch.setattr(precompile, "TASKS", {"unknown": None})
    with pytest.raises(RuntimeError, match=r"compiling 'unknown' failed: KeyError"):
        winnowkit.warmup(n_jobs=1)


@pytest.mark.usefixtures("few_tasks")
def test_the_command_says_where_kernels_are(capsys, monkeypatch):
    monkeypatch.setattr(precompile, "_in_a_process", precompile.compile_task)
    assert main(["warmup", "--jobs", "1"]) == 0
    assert "kernels in " in capsys.readouterr().err


def test_every_learner_and_engine_has_a_task():
    """A learner of attributes is compiled by its name; the Winnows and BEGs share one kernel, and two tasks."""
    shared = {"Elimination", "Winnow1", "BalancedWinnow", "NormalizedWinnow", "ThresholdedBEG"}
    named = {name for task in precompile.TASKS.values() for name in _names(task)}
    assert {name for name in winnowkit.__all__ if name[0].isupper()} - named - shared == {"DNFWinnow"}


def _names(task):
    """The strings that a task closes over."""
    for cell in task.__closure__ or ():
        value = cell.cell_contents
        yield from value if isinstance(value, tuple) else ()
