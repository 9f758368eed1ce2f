"""Memory does not grow with the source; hostile sources are refused."""

import gzip
import io

import pytest
import zstandard

from winnowkit.data import DataError, open_table, read_libsvm, read_table

STREAM = """
import resource
from winnowkit.data import open_table

class Endless:
    name = "endless"
    def __init__(self, first, line, megabytes):
        self.left, self.block, self.held = megabytes, line * (1000000 // len(line)), first
    def read(self, size=-1):
        if len(self.held) < size and self.left:
            self.left -= 1
            self.held += self.block
        given, self.held = self.held[:size], self.held[size:]
        return given

def peak(megabytes):
    reader = open_table(Endless(FIRST, LINE, megabytes), format=FORMAT, chunk_rows=2000, **OPTIONS)
    rows = sum(len(chunk.y) if chunk.y is not None else len(chunk.X) for chunk in reader)
    return rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

few, before = peak(5)
many, after = peak(MEGABYTES)
print(few, many, after - before)
"""
KINDS = {
    "csv": (b"a,b,c\n", b"1.5,red,2\n", {"target": "c"}, 30),
    "libsvm": (b"", b"1 3:1 17:0.5 200:1\n", {"n_features": 1000, "zero_based": False}, 150),
    "vw": (b"", b"1 |words a b c:0.5\n", {}, 20),
    "snow": (b"", b"1, 5, 17, 200:\n", {"n_features": 1000}, 20),
    "arff": (b"@relation r\n@attribute a numeric\n@attribute y {no,yes}\n@data\n", b"1.5,yes\n", {"target": "y"}, 20),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_long_stream_is_read_in_constant_memory(kind, python):
    first, line, options, megabytes = KINDS[kind]
    given = f"FIRST, LINE, FORMAT, OPTIONS, MEGABYTES = {first!r}, {line!r}, {kind!r}, {options!r}, {megabytes}\n"
    few, many, grown = python(given + STREAM).split()
    assert int(many) == int(few) * megabytes / 5
    assert float(grown) < 30, "megabytes more for a stream that is many times as long"


@pytest.mark.parametrize("name", ["csv", "libsvm", "vw", "snow", "arff"])
def test_a_line_without_end_is_refused(name):
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size=-1):
            if size:
                self.given += 1
            return b"1" * max(size, 0)

    source = Endless()
    with pytest.raises(DataError, match="line 1: the line is longer than 5000000 bytes"):
        read_table(source, format=name, max_line_bytes=5_000_000)
    assert source.given < 30


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_bomb_is_refused_once_a_line_is_too_long_or_it_grew_too_much(pack):
    bomb = pack(bytes(50_000_000))
    assert len(bomb) < 100_000
    for name in ("csv", "libsvm", "arff"):
        with pytest.raises(
            DataError, match=r"line 1: the line is longer than 1000000 bytes|more than 200 times its size"
        ):
            read_table(io.BytesIO(bomb), format=name, max_line_bytes=1_000_000)


def test_a_bomb_is_no_parquet_file():
    with pytest.raises(DataError, match="more than 200 times its size"):
        read_table(io.BytesIO(gzip.compress(bytes(200_000_000), compresslevel=1)), format="parquet")


def test_long_lines_make_chunks_shorter():
    line = b"1 " + b" ".join(b"%d:1" % j for j in range(1, 150_000)) + b"\n"
    with open_table(io.BytesIO(line * 60), format="libsvm", n_features=150_000) as reader:
        sizes = [len(chunk.y) for chunk in reader]
    assert sum(sizes) == 60
    assert max(sizes) < 60


def test_a_huge_index_takes_no_memory():
    with pytest.raises(DataError, match="too large"):
        read_libsvm(io.BytesIO(b"1 1152921504606846976:1\n"))
    X, _ = read_libsvm(io.BytesIO(b"1 2147483646:1\n"))
    assert (X.shape, X.nnz) == ((1, 2147483646), 1)
