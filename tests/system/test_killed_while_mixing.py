"""Workers killed in every phase of training, and a client that dies: the bytes are those of an undisturbed run."""

import signal
import subprocess
import threading

import pytest

import clusters
from winnowkit import Winnow2
from winnowkit.data import streams
from winnowkit.distributed import fit, survey
from winnowkit.distributed import training as loop
from winnowkit.model_file import save

pd = pytest.importorskip("pandas")
distributed = pytest.importorskip("dask.distributed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # Dask's own, of sockets and loops it closes late
]

COLUMNS = [f"x{i}" for i in range(200)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Parquet files of a stream."""
    path = tmp_path_factory.mktemp("parquet")
    X, y = streams.disjunction(n=200, k=3, label_noise=0.02, seed=0).take(8000)
    for i in range(8):
        some = slice(1000 * i, 1000 * i + 1000)
        table = pd.DataFrame(X[some].toarray().astype("int8"), columns=COLUMNS).assign(label=y[some])
        table.to_parquet(path / f"part{i}.parquet")
    return path


def trained(folder, client, **options):
    return fit(Winnow2(random_state=0, max_epochs=2), folder, "label", client, n_shards=3, verbose=False, **options)


def file_of(model, path):
    save(model, path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def undisturbed(folder, tmp_path_factory):
    path = tmp_path_factory.mktemp("undisturbed")
    with clusters.cluster(path) as (address, _), distributed.Client(address) as client:
        return file_of(trained(folder, client), path / "model.winnow")


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
        assert file_of(model, tmp_path / "model.winnow") == undisturbed


def test_a_slow_worker_changes_nothing(folder, undisturbed, tmp_path):
    with clusters.cluster(tmp_path) as (address, workers), distributed.Client(address) as client:
        workers[0].send_signal(signal.SIGSTOP)
        threading.Timer(5.0, lambda: workers[0].send_signal(signal.SIGCONT)).start()
        assert file_of(trained(folder, client), tmp_path / "model.winnow") == undisturbed


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
        assert file_of(model, tmp_path / "model.winnow") == undisturbed


def test_logs_hold_no_rows_and_no_model(folder, tmp_path):
    with clusters.cluster(tmp_path) as (address, _), distributed.Client(address) as client:
        trained(folder, client)
        logged = str(client.get_worker_logs()) + str(client.get_scheduler_logs())
    assert "x17" not in logged
    assert "Winnow2" not in logged
