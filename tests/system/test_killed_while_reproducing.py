"""A run killed half-way, or a cluster that loses a worker, ends in the very files of an undisturbed run."""

import subprocess
import sys

import pytest

import clusters
from clusters import files

pytestmark = pytest.mark.slow

ITEM = "lecture-bounds"
RUN = ("-m", "winnowkit", "reproduce", ITEM, "--quiet", "--output")
QUIET = {"stdout": subprocess.DEVNULL}


def cells(folder):
    """Finished cells, and when each was written."""
    return {path: path.stat().st_mtime_ns for path in (folder / "quick" / ITEM / "cells").glob("[!.]*.json")}


def finish(folder, *words):
    with clusters.process(*RUN, folder, *words, **QUIET) as run:
        assert run.wait(clusters.SECONDS) == 0


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    finish(folder)
    found = files(folder)
    assert len(cells(folder)) > 40
    assert {path.name for path in found} >= {"report.html", "table.csv", "summary.json", "plot-1.svg"}
    return found


@pytest.mark.parametrize("jobs", [(), ("--jobs", "2")])
def test_killed_and_begun_again_it_repeats_nothing(tmp_path, undisturbed, jobs):
    with clusters.process(*RUN, tmp_path, *jobs, **QUIET) as run:
        clusters.until(lambda: len(cells(tmp_path)) >= 8, "eight cells")
        clusters.kill(run)
    before = cells(tmp_path)
    assert not (tmp_path / "quick" / "report.html").exists()  # it was half-way
    finish(tmp_path, *jobs)
    after = cells(tmp_path)
    assert {path: after[path] for path in before} == before  # not written again
    assert files(tmp_path) == undisturbed


def test_a_cluster_that_loses_a_worker_loses_and_doubles_no_cell(tmp_path, undisturbed):
    (tmp_path / "dask").mkdir()
    output = tmp_path / "output"
    with (
        clusters.cluster(tmp_path / "dask") as (address, workers),
        clusters.process(*RUN, output, "--dask", address, **QUIET) as run,
    ):
        half = len([name for name in undisturbed if name.parent.name == "cells"]) // 2
        clusters.until(lambda: len(cells(output)) >= 8, "eight cells")
        clusters.kill(workers[0])
        assert len(cells(output)) < 2 * half  # half-way
        assert run.wait(clusters.SECONDS) == 0
        assert workers[1].poll() is None
    assert files(output) == undisturbed


def test_no_scheduler_there(tmp_path):
    command = [sys.executable, *RUN, str(tmp_path), "--dask", "tcp://127.0.0.1:9"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=clusters.SECONDS)
    assert run.returncode == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:9; start one with: dask scheduler" in run.stderr
