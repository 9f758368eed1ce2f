"""What goes wrong around the program: full disks, closed streams, files that vanish. One sentence, no half a file."""

import errno
import gzip
import io
import os
import resource
import subprocess
import sys
from contextlib import contextmanager, suppress

import numpy as np
import pytest

from winnowkit import Winnow2, save
from winnowkit.cli import main
from winnowkit.cli.messages import BROKEN_PIPE, USER_ERROR
from winnowkit.core.atomic_write import replacing
from winnowkit.data import DataError, Frame, open_table, read_table, write_table
from winnowkit.data.formats.source import Source

ROWS = 3000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (ROWS, 6))
    write_table(X.astype(float), np.where(X[:, 0] | X[:, 3], "yes", "no"), folder / "data.csv")
    assert main(["fit", str(folder / "data.csv"), "--output", str(folder / "model"), "--quiet"]) == 0
    return folder


@pytest.fixture
def run(capfd):
    """What runs a command here: its exit code, and what it said on standard error."""

    def run(*words):
        capfd.readouterr()
        code = main([*map(str, words), "--quiet"])
        return code, capfd.readouterr().err

    return run


def shell(line, *words):
    """The exit code and the messages of a line of the shell, in which "$@" is the command."""
    command = ["sh", "-c", line, "sh", sys.executable, "-m", "winnowkit", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def said(outcome, code, *words):
    """Whether a command ended so, with one sentence in which these words stand."""
    returncode, text = outcome
    assert returncode == code, text
    assert text.count("winnowkit: ") == 1, text
    assert len(text.splitlines()) == 1, text
    for word in words:
        assert word in text
    assert "Error" not in text


# --- streams ----------------------------------------------------------------------------------------------------------


def test_closed_standard_input(folder):
    words = "fit", "-", "--output", folder / "none"
    said(shell('"$@" <&-', *words), USER_ERROR, "standard input: is closed; name a file, or pipe the data in")
    assert not (folder / "none").exists()


def test_closed_standard_output(folder):
    said(shell('"$@" >&-', "predict", folder / "model", folder / "data.csv"), USER_ERROR, "standard output is closed")


def test_closed_standard_error(folder):
    assert shell('"$@" 2>&-', "predict", folder / "model", folder / "absent.csv") == (USER_ERROR, "")


def test_standard_output_on_a_full_disk(folder):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    outcome = shell('"$@" >/dev/full', "predict", folder / "model", folder / "data.csv")
    said(outcome, USER_ERROR, "standard output: no space left on device")


def test_a_reader_that_has_had_enough_of_many_rows(folder):
    line = 'set -o pipefail; "$@" | head -n 1'
    command = ["bash", "-c", line, "bash", sys.executable, "-m", "winnowkit", "predict", folder / "model", "-"]
    data = (folder / "data.csv").read_bytes().partition(b"\n")
    done = subprocess.run(command, input=data[0] + b"\n" + data[2] * 30, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (BROKEN_PIPE, b"")
    assert done.stdout.decode() in ("yes\n", "no\n")


# --- disks ------------------------------------------------------------------------------------------------------------


@contextmanager
def mounted(folder, options):
    folder.mkdir()
    if os.system(f"mount -t tmpfs -o {options} tmpfs {folder} 2>/dev/null") != 0:
        pytest.skip("nothing can be mounted here")
    try:
        yield folder
    finally:
        os.system(f"umount {folder}")


def test_a_full_disk_leaves_the_old_files(folder, tmp_path, run):
    with mounted(tmp_path / "small", "size=64k") as small:
        for name in ("model", "labels.csv", "copy.csv", "copy.parquet", "copy.csv.gz", "page.html", "voting.csv"):
            (small / name).write_bytes(b"old")
        with open(small / "filling", "wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        data, model = folder / "data.csv", folder / "model"
        commands = [
            (small / "model", ("fit", data, "--output", small / "model")),
            (small / "labels.csv", ("predict", model, data, "--output", small / "labels.csv")),
            (small / "copy.csv", ("convert", data, small / "copy.csv")),
            (small / "copy.parquet", ("convert", data, small / "copy.parquet")),
            (small / "copy.csv.gz", ("convert", data, small / "copy.csv.gz")),
            (small / "page.html", ("report", model, data, "--output", small / "page.html")),
            (small / "voting.csv", ("datasets", "voting", "--output", small / "voting.csv")),
        ]
        for output, words in commands:
            said(run(*words), USER_ERROR, f"{output}: no space left on device")
            assert output.read_bytes() == b"old"
        code, text = run("reproduce", "lecture-bounds", "--output", small)
        assert code == USER_ERROR
        assert "no space left on device" in text
        assert len([path for path in small.rglob("*") if path.is_file()]) == 8


@contextmanager
def files_of_at_most(n_bytes):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_may_not_grow_is_as_a_full_disk(folder, tmp_path, run):
    """Needs no mount, so it runs anywhere."""
    for output, words in (
        ("model", ("fit", folder / "data.csv", "--output", tmp_path / "model")),
        ("labels", ("predict", folder / "model", folder / "data.csv", "--output", tmp_path / "labels")),
        ("copy.feather", ("convert", folder / "data.csv", tmp_path / "copy.feather")),
        ("voting.csv", ("datasets", "voting", "--output", tmp_path / "voting.csv")),
    ):
        with files_of_at_most(1000):
            outcome = run(*words)
        said(outcome, USER_ERROR, f"{tmp_path / output}: file too large")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_read_only(folder, tmp_path, run):
    with mounted(tmp_path / "fixed", "size=64k") as fixed:
        (fixed / "model").write_bytes((folder / "model").read_bytes())
        if os.system(f"mount -o remount,ro {fixed}") != 0:
            pytest.skip("nothing can be mounted read-only here")
        for words in (
            ("fit", folder / "data.csv", "--output", fixed / "model"),
            ("predict", folder / "model", folder / "data.csv", "--output", fixed / "labels"),
        ):
            said(run(*words), USER_ERROR, "read-only file system", str(words[-1]))
        said(run("convert", folder / "data.csv", fixed / "copy.csv"), USER_ERROR, "cannot be written; check the folder")
        with pytest.raises(OSError, match="Read-only file system"):
            save(Winnow2(), fixed / "model")
        assert (fixed / "model").read_bytes() == (folder / "model").read_bytes()


def test_what_else_goes_wrong_is_told_as_it_is(tmp_path):
    """An OSError that has nothing to do with the file keeps the name of its own."""

    def missing():
        with replacing(tmp_path / "file"):
            (tmp_path / "absent").read_bytes()

    with pytest.raises(FileNotFoundError) as caught:
        missing()
    assert caught.value.filename == str(tmp_path / "absent")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_goes_away_while_writing(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()

    def write():
        with replacing(gone / "file") as file:
            file.write(b"half")
            for path in gone.iterdir():
                path.unlink()
            gone.rmdir()

    with pytest.raises(FileNotFoundError):
        write()


# --- sources ----------------------------------------------------------------------------------------------------------


class Failing(io.RawIOBase):
    """A file of a share whose network goes away."""

    def __init__(self, data, good):
        self.data, self.good = io.BytesIO(data), good

    def readable(self):
        return True

    def read(self, size=-1):
        if size and self.data.tell() >= self.good:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        return self.data.read(min(size, self.good - self.data.tell()))


FORMATS = {
    "csv": b"a,b\n" + b"1,2\n" * 1000,
    "libsvm": b"1 1:1 2:1\n" * 1000,
    "vw": b"1 | a b\n" * 1000,
    "snow": b"1, 2, 3:\n" * 1000,
    "arff": b"@relation r\n@attribute a numeric\n@data\n" + b"1\n" * 1000,
    "parquet": b"PAR1" + bytes(1000),
    "feather": b"ARROW1" + bytes(1000),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_that_vanishes_while_it_is_read(name, pack):
    data = pack(FORMATS[name])
    for good in (0, len(data) // 2):
        with pytest.raises(DataError, match="cannot be read further"):
            read_table(Failing(data, good), format=name)


def test_a_file_that_is_cut_while_it_is_read(tmp_path):
    path = tmp_path / "rows.libsvm"
    path.write_bytes(b"1 1:1 2:1\n" * 300_000)
    with open_table(path, chunk_rows=1000) as reader:
        first = next(reader)
        os.truncate(path, 1_500_000)
        with pytest.raises(DataError, match=r"ends at byte 1500000 of 3000000: it was truncated while being read"):
            list(reader)
    assert len(first.y) == 1000


def test_a_file_that_grows_while_it_is_read_is_read_to_its_end(tmp_path):
    path = tmp_path / "rows.libsvm"
    path.write_bytes(b"1 1:1 2:1\n" * 300_000)
    with open_table(path, chunk_rows=1000, n_features=2, zero_based=False) as reader:
        next(reader)
        with path.open("ab") as file:
            file.write(b"0 1:1\n" * 1000)
        assert sum(len(chunk.y) for chunk in reader) == 300_000


def test_a_device_that_cannot_be_read(tmp_path, run):
    outcome = run("fit", "/proc/self/mem", "--format", "csv", "--output", tmp_path / "model")
    said(outcome, USER_ERROR, "/proc/self/mem: cannot be read further (Input/output error)")


def test_a_file_deleted_between_two_passes(tmp_path):
    """Parquet is opened again for reading in any order."""
    path = tmp_path / "t.parquet"
    write_table(Frame({"a": np.array([1.0, None], dtype=object)}), None, path)
    assert read_table(path)[0]["a"].tolist() == ["1.0", None]
    with Source(path) as source:
        path.unlink()
        with pytest.raises(FileNotFoundError):
            source.seekable()


# --- what terminals obey ----------------------------------------------------------------------------------------------

ESCAPES = "red\x1b[2J\x9b31m\u202e"


def test_messages_and_tables_spell_out_what_a_terminal_would_obey(tmp_path, capfd):
    X = Frame({f"size{ESCAPES}": [0.0, 1.0] * 10, "b": [0.0, 0.0, 1.0, 1.0] * 5})
    write_table(X, [f"no{ESCAPES}", "yes"] * 10, tmp_path / "t.csv", target=f"class{ESCAPES}")
    model = tmp_path / "model"
    for words in (
        ("fit", tmp_path / "t.csv", "--output", model, "--learner", "Winnow2", "--progress", "doubling"),
        ("inspect", model),
        ("inspect", model, "--json"),
        ("evaluate", tmp_path / "t.csv", "--model", model),
        ("predict", model, tmp_path / "t.csv", "--json"),
        ("fit", tmp_path / "t.csv", "--output", model, "--target", f"absent{ESCAPES}"),
    ):
        main(list(map(str, words)))
        text = "".join(capfd.readouterr()).replace("\n", "")
        assert text, words
        assert text.isprintable(), words


def test_labels_are_data_in_a_file_and_text_in_a_terminal(tmp_path):
    write_table(Frame({"a": [0.0, 1.0] * 10}), [f"no{ESCAPES}", "yes"] * 10, tmp_path / "t.csv")
    path, model = str(tmp_path / "t.csv"), str(tmp_path / "model")
    assert main(["fit", path, "--output", model, "--learner", "Winnow2"]) == 0
    assert main(["predict", model, path, "--output", str(tmp_path / "labels")]) == 0
    assert f"no{ESCAPES}" in (tmp_path / "labels").read_text()
    ours, theirs = os.openpty()
    subprocess.run([sys.executable, "-m", "winnowkit", "predict", model, path], stdout=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode().replace("\r\n", "")
    os.close(ours)
    assert "no" in shown
    assert shown.isprintable()
