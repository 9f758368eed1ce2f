"""SIGTERM and full disks in every command: the files are as they were, and the exit code says what happened."""

import ctypes
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from winnowkit.cli import main
from winnowkit.cli.main import COMMANDS
from winnowkit.cli.messages import TERMINATED, USER_ERROR
from winnowkit.cli.termination import SECONDS
from winnowkit.data import write_table

ROWS = b"1,0,1,0,yes\n0,1,0,0,no\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("terminated")
    X = np.random.default_rng(0).integers(0, 2, (300, 4))
    write_table(X.astype(float), np.where(X[:, 0] == 1, "yes", "no"), folder / "data.csv")
    words = ["fit", folder / "data.csv", "--output", folder / "model", "--learner", "Winnow2", "--quiet"]
    assert main([str(word) for word in words]) == 0
    return folder


def started(words, output=subprocess.DEVNULL):
    """Start a command with a pipe as its standard input."""
    command = [sys.executable, "-m", "winnowkit", *map(str, words)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.PIPE)


def wait_until_it_reads(child):
    """Wait until a command waits for more input: a signal that comes with the data may be seen late."""
    call = Path(f"/proc/{child.pid}/syscall")
    while not call.read_text().startswith("0 0x0 "):  # read, of file 0
        time.sleep(0.01)


SLOW = pytest.mark.slow


@pytest.mark.skipif(not os.path.exists("/proc/self/syscall"), reason="needs the proc files of Linux")
@pytest.mark.parametrize(
    "words",
    [
        ("predict", "{model}", "-", "--output", "{out}"),
        pytest.param(("fit", "-", "--output", "{out}", "--learner", "Winnow2"), marks=SLOW),
        pytest.param(("fit", "-", "--output", "{out}"), marks=SLOW),
        pytest.param(("evaluate", "-", "--learner", "Winnow2"), marks=SLOW),
        pytest.param(("convert", "-", "{out}", "--to", "csv"), marks=SLOW),
    ],
    ids=lambda words: " ".join(words[:1] + words[4:]),
)
def test_sigterm_while_reading_leaves_the_old_file_and_no_draft(words, folder, tmp_path):
    out = tmp_path / "out"
    out.write_bytes(b"old")
    with started([word.format(out=out, model=folder / "model") for word in words]) as child:
        child.stdin.write(b"x0,x1,x2,x3,class\n" + 20_000 * ROWS)
        child.stdin.flush()
        wait_until_it_reads(child)
        child.terminate()
        assert child.wait(120) == TERMINATED
        assert child.stderr.read().decode().splitlines()[-1].endswith("winnowkit: terminated")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert out.read_bytes() == b"old"


@pytest.mark.slow
def test_sigterm_while_reproducing_leaves_whole_files(tmp_path):
    with started(["reproduce", "lecture-bounds", "--output", tmp_path / "out"]) as child:
        while not (tmp_path / "out").exists():
            time.sleep(0.01)
        child.terminate()
        assert child.wait(120) == TERMINATED
    assert not list(tmp_path.rglob("*.part"))


TERMINATED_AT_WORK = {  # commands that read no stream, with a file that they would replace
    "report": ("report", "{model}", "{data}", "--output", "{out}"),
    "explain": ("explain", "{model}", "{data}"),
    "inspect": ("inspect", "{model}"),
    "datasets": ("datasets", "voting", "--output", "{out}"),
    "completion": ("completion", "bash"),
    "bench": ("bench", "--rows", "1000000"),
    "demo": ("demo",),
    "warmup": ("warmup",),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TERMINATED_AT_WORK)
def test_sigterm_at_any_moment(name, folder, tmp_path, monkeypatch):
    """The default action ends a process before and after its work; in between the command ends itself, in words.

    A signal that comes between the new file and the end of the process finds the new file whole.
    """
    out = tmp_path / "out.csv"  # a suffix that every command takes
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder / "kernels"))  # so that there is something to compile
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # so that a page does not say when it was made
    places = {"out": out, "model": folder / "model", "data": folder / "data.csv"}
    words = [word.format(**places) for word in TERMINATED_AT_WORK[name]]
    codes, files = set(), {b"old"}
    if "{out}" in TERMINATED_AT_WORK[name]:
        with started(words) as child:
            said = child.communicate(timeout=120)[1].decode()
        assert child.returncode == 0, said
        files.add(out.read_bytes())
    for seconds in (0.05, 0.2, 0.5, 1.0, 2.0, 4.0):
        out.write_bytes(b"old")
        with started(words) as child:
            time.sleep(seconds)
            child.terminate()
            text = child.communicate(timeout=120)[1].decode()
        codes.add(child.returncode)
        assert child.returncode in (0, TERMINATED, -signal.SIGTERM), text
        assert "Traceback" not in text
        assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
        assert out.read_bytes() in files
    assert codes != {0}


def test_a_program_that_handles_sigterm_keeps_its_handler(folder, capsys):
    seen = []
    before = signal.signal(signal.SIGTERM, lambda *_: seen.append(1))
    try:
        assert main(["inspect", str(folder / "model")]) == 0
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [1]
    assert main(["inspect", str(folder / "model")]) == 0
    assert signal.getsignal(signal.SIGTERM) == before
    assert capsys.readouterr().out


def test_a_command_is_imported_before_sigterm_becomes_an_exception(monkeypatch):
    before = signal.getsignal(signal.SIGTERM)
    found = []

    def importing(name):
        found.append(signal.getsignal(signal.SIGTERM))
        return importlib.import_module(name)

    monkeypatch.setattr(sys.modules["winnowkit.cli.main"], "import_module", importing)
    monkeypatch.setattr("winnowkit.cli.datasets.run", lambda _: found.append(signal.getsignal(signal.SIGTERM)) or 0)
    assert main(["datasets"]) == 0
    assert found[0] == before
    assert found[1] != before


def swallowed_by_ctypes():
    ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGTERM))()


def swallowed_by_a_destructor():
    class Dying:
        def __del__(self):
            signal.raise_signal(signal.SIGTERM)

    Dying()


def printed_by_c():
    """As modules of C do that import numpy."""
    ctypes.pythonapi.PyRun_SimpleString(b"import signal; signal.raise_signal(signal.SIGTERM)")


def replaced():
    swallowed_by_ctypes()
    raise RuntimeError("half made")


@pytest.mark.parametrize("swallow", [swallowed_by_ctypes, swallowed_by_a_destructor, printed_by_c, replaced])
@pytest.mark.parametrize("seconds", [0, 20])
def test_sigterm_ends_a_command_that_swallows_it(swallow, seconds, monkeypatch, capfd):
    hooks = sys.unraisablehook, sys.excepthook
    done = []

    def run(_):
        swallow()
        time.sleep(seconds)
        done.append("all")
        return 0

    monkeypatch.setattr("winnowkit.cli.datasets.run", run)
    assert main(["datasets"]) == TERMINATED
    assert capfd.readouterr().err == "winnowkit: terminated\n"
    assert not (done and seconds)
    assert (sys.unraisablehook, sys.excepthook) == hooks
    assert signal.getsignal(signal.SIGTERM) == signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


@pytest.mark.parametrize("more", [0, 2])  # `timeout` sends the signal to the process and then to its group
def test_sigterm_is_not_repeated_while_a_command_cleans_up(more, monkeypatch, capfd):
    done = []

    def run(_):
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            time.sleep(4 * SECONDS)
            for _ in range(more):
                signal.raise_signal(signal.SIGTERM)
            done.append("removed a draft")
            raise OSError("another error")

    monkeypatch.setattr("winnowkit.cli.datasets.run", run)
    assert main(["datasets"]) == TERMINATED
    assert done == ["removed a draft"]
    assert capfd.readouterr().err == "winnowkit: terminated\n"


def test_a_later_sigterm_does_not_wait_for_what_takes_long(monkeypatch, capfd):
    def run(_):
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            time.sleep(2 * SECONDS)
            signal.raise_signal(signal.SIGTERM)
            done.append("cleaned up to the end")

    done = []
    monkeypatch.setattr("winnowkit.cli.termination.PATIENCE", SECONDS)
    monkeypatch.setattr("winnowkit.cli.datasets.run", run)
    assert main(["datasets"]) == TERMINATED
    assert not done
    assert capfd.readouterr().err == "winnowkit: terminated\n"


@pytest.mark.parametrize("outcome", ["succeeds", "fails"])
def test_sigterm_at_every_step_of_the_beginning_and_the_end_of_a_command(outcome):
    script = [sys.executable, Path(__file__).with_name("signalled.py"), outcome]
    done = subprocess.run(script, capture_output=True, text=True, check=True, timeout=120)
    codes = json.loads(done.stdout)
    assert len(codes) > 50
    assert set(codes) == {-signal.SIGTERM, TERMINATED, USER_ERROR if outcome == "fails" else 0}
    assert set(done.stderr.splitlines()) <= {"winnowkit: terminated", "winnowkit: a wrong file"}


def test_what_is_swallowed_without_sigterm_is_shown(monkeypatch, capfd):
    def fail():
        raise ValueError("in a callback")

    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)  # not pytest's
    monkeypatch.setattr("winnowkit.cli.datasets.run", lambda _: ctypes.CFUNCTYPE(None)(fail)() or 0)
    assert main(["datasets"]) == 0
    assert "ValueError: in a callback" in capfd.readouterr().err


PRINTING = {
    "fit": ("{data}", "--output", "{new}", "--json"),
    "predict": ("{model}", "{data}"),
    "evaluate": ("{data}", "--learner", "Winnow2"),
    "inspect": ("{model}",),
    "explain": ("{model}", "{data}"),
    "datasets": (),
    "completion": ("bash",),
    "bench": ("--rows", "1000", "--n", "100"),
    "convert": ("{data}", "/dev/full"),
    "demo": (),
}


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("name", PRINTING)
def test_a_full_disk_behind_standard_output(name, folder, tmp_path):
    places = {"data": folder / "data.csv", "model": folder / "model", "new": tmp_path / "new"}
    words = [name, *(word.format(**places) for word in PRINTING[name])]
    with open("/dev/full", "wb") as full, started(words, full) as child:
        said = child.communicate()[1].decode()
    assert child.returncode == USER_ERROR, said
    assert said.count("winnowkit: ") == 1, said
    assert "Error" not in said


def test_no_command_is_forgotten():
    advice = "add the new command to these tests"
    assert set(COMMANDS) - set(PRINTING) == {"report", "reproduce", "warmup"}, advice  # they print notes alone
    streams = {"fit", "predict", "evaluate", "convert", "reproduce"}
    assert set(COMMANDS) == set(TERMINATED_AT_WORK) | streams, advice
