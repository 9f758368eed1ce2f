import os

import numpy as np
import pytest

from winnowkit import Winnow2, save
from winnowkit.cli import main
from winnowkit.core.atomic_write import replacing
from winnowkit.data import DataError, Frame, write_table


@pytest.fixture
def pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    return tmp_path / "pipe.csv"


def test_what_is_no_regular_file_is_never_replaced(pipe, capsys):
    model = Winnow2().begin(3, [0, 1])
    with pytest.raises(ValueError, match="not a regular file"):
        save(model, pipe)
    with pytest.raises(DataError, match="not a regular file"):
        write_table(Frame({"a": np.arange(2.0)}), np.array(["u", "v"]), pipe)
    assert main(["fit", "any.csv", "--output", str(pipe)]) == 2
    assert "is not a regular file" in capsys.readouterr().err
    assert pipe.is_fifo()
    assert [path.name for path in pipe.parent.iterdir()] == ["pipe.csv"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    (tmp_path / "old").write_bytes(b"old")

    def fail():
        with replacing(tmp_path / "old") as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("old", b"old")]
