"""A scheduler that dies in the middle of training, and clusters that speak TLS only."""

import shutil
import subprocess
from functools import partial

import pytest

import clusters
from winnowkit.cli.main import main
from winnowkit.data import streams
from winnowkit.distributed import cluster as connections
from winnowkit.distributed import parameter_mixing as loop

pytest.importorskip("pandas")
dask = pytest.importorskip("dask")
distributed = pytest.importorskip("dask.distributed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # Dask's own, of sockets and loops it closes late
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Parquet files of a stream."""
    stream = streams.disjunction(n=50, k=3, active=8, label_noise=0.02, seed=0)
    return clusters.parquet_of(tmp_path_factory.mktemp("parquet"), stream, n_files=4, rows_per_file=500)


trained = partial(clusters.trained, n_shards=2)


@pytest.fixture(scope="module")
def undisturbed(folder, tmp_path_factory):
    return clusters.undisturbed(folder, tmp_path_factory.mktemp("undisturbed"), n_shards=2)


def test_a_lost_scheduler_is_named_and_the_run_goes_on_from_its_checkpoint(folder, undisturbed, tmp_path, monkeypatch):
    checkpoint, original, rounds = tmp_path / "run.winnow", loop.Mixing.round, []
    with clusters.scheduler(tmp_path) as (address, process), clusters.workers(address, tmp_path, 2):

        def killed_later(self, *arguments):
            rounds.append(1)
            if len(rounds) == 4:
                clusters.kill(process)
            return original(self, *arguments)

        monkeypatch.setattr(loop.Mixing, "round", killed_later)
        with (
            distributed.Client(address, timeout=2) as client,
            pytest.raises(
                connections.ClusterError, match=r"scheduler at tcp://.* was lost.* goes on from its checkpoint"
            ),
        ):
            trained(folder, client, checkpoint=checkpoint)
    rounds.clear()
    monkeypatch.setattr(loop.Mixing, "round", lambda self, *arguments: rounds.append(1) or original(self, *arguments))
    with clusters.cluster(tmp_path) as (address, _), distributed.Client(address) as client:
        model = trained(folder, client, checkpoint=checkpoint)
    assert len(rounds) == 5  # the other three of eight are in the checkpoint
    assert clusters.file_of(model, tmp_path) == undisturbed


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Files of a certificate that signs itself, and of its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    place = tmp_path_factory.mktemp("keys")
    words = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout key.pem -out cert.pem"
    subprocess.run(["openssl", *words.split()], cwd=place, check=True, capture_output=True)
    return place / "cert.pem", place / "key.pem"


@pytest.fixture
def locked(keys, tmp_path):
    """The address of a cluster that speaks TLS, and the configuration that opens it."""
    certificate, key = keys
    options = ("--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key, "--protocol", "tls")
    names = {"ca-file": certificate, "client.cert": certificate, "client.key": key}
    with clusters.cluster(tmp_path, security=options) as (address, _):
        assert address.startswith("tls://")
        yield address, {f"distributed.comm.tls.{name}": str(file) for name, file in names.items()}


def test_tls_is_used_as_the_client_is_configured(folder, undisturbed, locked, keys, tmp_path):
    address, _ = locked
    certificate, key = map(str, keys)
    security = distributed.Security(
        tls_ca_file=certificate, tls_client_cert=certificate, tls_client_key=key, require_encryption=True
    )
    with distributed.Client(address, security=security) as client:
        client.wait_for_workers(2)
        assert clusters.file_of(trained(folder, client), tmp_path) == undisturbed
        logged = str(client.get_worker_logs()) + str(client.get_scheduler_logs())
    assert "PRIVATE KEY" not in logged + (tmp_path / "dask.log").read_text()
    assert key not in logged + (tmp_path / "dask.log").read_text()


def test_the_command_line_takes_tls_from_the_configuration_of_dask(folder, locked, tmp_path, capsys):
    address, configuration = locked
    command = ["fit", str(folder), "-o", str(tmp_path / "new"), "--learner", "Winnow2", "--dask", address, "-q"]
    assert main(command) == 1
    assert f"no Dask scheduler answers at {address}" in capsys.readouterr().err
    with dask.config.set(configuration):
        assert main(command) == 0, capsys.readouterr().err
    assert (tmp_path / "new").exists()
