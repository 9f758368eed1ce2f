"""Workers killed in every phase of training, and a client that dies: the bytes are those of an undisturbed run."""

import signal
import subprocess
import threading
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

import clusters
from winnowkit import Committee, DNFWinnow
from winnowkit.data import streams
from winnowkit.distributed import fit, survey
from winnowkit.distributed import parameter_mixing as loop

pd = pytest.importorskip("pandas")
distributed = pytest.importorskip("dask.distributed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # Dask's own, of sockets and loops it closes late
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Parquet files of a stream."""
    stream = streams.disjunction(n=200, k=3, label_noise=0.02, seed=0)
    return clusters.parquet_of(tmp_path_factory.mktemp("parquet"), stream, n_files=8, rows_per_file=1000)


trained = partial(clusters.trained, n_shards=3)


@pytest.fixture(scope="module")
def undisturbed(folder, tmp_path_factory):
    return clusters.undisturbed(folder, tmp_path_factory.mktemp("undisturbed"), n_shards=3)


@pytest.mark.parametrize("phase", ["survey", "first round", "later round", "between rounds"])
def test_a_worker_killed_in_any_phase_changes_nothing(folder, undisturbed, tmp_path, monkeypatch, phase):
    with clusters.cluster(tmp_path, n_workers=3) as (address, workers), distributed.Client(address) as client:
        begun, rounds = threading.Event(), []
        original, counted = loop.Mixing.round, survey.survey_of

        def kill_soon():
            threading.Timer(0.1, lambda: clusters.kill(workers[0])).start()
            begun.set()

        def surveyed(*arguments):
            if phase == "survey":
                kill_soon()
            return counted(*arguments)

        def played(self, *arguments):
            number = len(rounds)
            rounds.append(1)
            if (phase, number) in {("first round", 0), ("later round", 5)}:
                kill_soon()
            if (phase, number) == ("between rounds", 3):
                clusters.kill(workers[0])
                begun.set()
            return original(self, *arguments)

        monkeypatch.setattr(loop.Mixing, "round", played)
        monkeypatch.setattr("winnowkit.distributed.fitting.survey_of", surveyed)
        model = trained(folder, client)
        assert begun.is_set()
        assert workers[0].poll() == -signal.SIGKILL
        assert clusters.file_of(model, tmp_path) == undisturbed


LEARNERS = {
    "short terms": DNFWinnow(max_literals=1, max_epochs=2, random_state=0, verbose=False),
    "terms of any length": DNFWinnow(max_literals=None, random_state=0, verbose=False),
    "Committee": Committee(max_epochs=1, random_state=0),
}


@pytest.fixture(scope="module")
def three_classes(tmp_path_factory):
    """Parquet files of a table with a class for each of two columns, and a third one."""
    place, rng = tmp_path_factory.mktemp("three"), np.random.default_rng(0)
    for i in range(6):
        table = pd.DataFrame((rng.random((500, 8)) < 0.3).astype("int8"), columns=list("abcdefgh"))
        table["label"] = np.where(table.a, "first", np.where(table.b, "second", "third"))
        table.to_parquet(place / f"part{i}.parquet")
    return place


@pytest.mark.parametrize("name", LEARNERS)
def test_a_killed_worker_changes_no_other_kind_of_learner(three_classes, name, tmp_path, monkeypatch):
    monkeypatch.setattr("winnowkit.distributed.fitting.SAMPLE", 1000)
    monkeypatch.setattr("winnowkit.distributed.table_shard.HELD_OUT", 500)

    def learned(client):
        model = fit(clone(LEARNERS[name]), three_classes, "label", client, n_shards=3, verbose=False)
        for tried in getattr(model, "chosen_", {}).get("tried", []):
            tried["seconds"] = 0.0
        return clusters.file_of(model, tmp_path)

    with clusters.cluster(tmp_path, n_workers=3) as (address, workers), distributed.Client(address) as client:
        expected = learned(client)
        threading.Timer(0.3, lambda: clusters.kill(workers[0])).start()
        assert learned(client) == expected
        clusters.until(lambda: workers[0].poll() == -signal.SIGKILL, "the end of a worker")


def test_a_slow_worker_changes_nothing(folder, undisturbed, tmp_path):
    with clusters.cluster(tmp_path) as (address, workers), distributed.Client(address) as client:
        workers[0].send_signal(signal.SIGSTOP)
        threading.Timer(5.0, lambda: workers[0].send_signal(signal.SIGCONT)).start()
        assert clusters.file_of(trained(folder, client), tmp_path) == undisturbed


def test_a_run_goes_on_after_its_client_died(folder, undisturbed, tmp_path):
    checkpoint = tmp_path / "run.winnow"
    with clusters.cluster(tmp_path) as (address, _):
        script = f"""
from dask.distributed import Client
from winnowkit import Winnow2
from winnowkit.distributed import fit
with Client({address!r}) as client:
    model = Winnow2(random_state=0, max_epochs=2)
    fit(model, {str(folder)!r}, "label", client, n_shards=3, checkpoint={str(checkpoint)!r})
"""
        with clusters.process("-c", script, stderr=subprocess.DEVNULL) as started:
            clusters.until(checkpoint.exists, "a checkpoint")
            clusters.kill(started)
        assert started.returncode == -signal.SIGKILL
        with distributed.Client(address) as client:
            model = trained(folder, client, checkpoint=checkpoint)
        assert clusters.file_of(model, tmp_path) == undisturbed


def test_logs_hold_no_rows_and_no_model(folder, tmp_path):
    with clusters.cluster(tmp_path) as (address, _), distributed.Client(address) as client:
        trained(folder, client)
        logged = str(client.get_worker_logs()) + str(client.get_scheduler_logs())
    assert "x17" not in logged
    assert "Winnow2" not in logged
