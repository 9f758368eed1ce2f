"""Data files made to fill the memory, or to take for ever, are refused while they are still cheap."""

import gzip
import io

import numpy as np
import pyarrow as pa
import pytest
import zstandard
from pyarrow import feather, parquet

from confined import confined
from winnowkit.data import DataError, open_table, read_libsvm, read_table
from winnowkit.data.formats import delimited

READ = """
from winnowkit.data import read_libsvm, read_table
for name in ("csv", "arff", "vw", "snow", "libsvm", "parquet", "feather"):  # imports, compiles
    outcome(read_table, "/dev/null", format=name)
folder = Path(sys.argv[1])
confine(megabytes=1000, seconds=60)
print(json.dumps({path.name: outcome(read_table, path, format=path.suffix[1:]) for path in sorted(folder.iterdir())}))
"""


def no_rows_but(n, columns):
    """A Feather file of a batch that claims n rows of columns without any bytes."""
    file = io.BytesIO()
    table = pa.table({f"x{j}": pa.nulls(10, pa.null()) for j in range(columns)})
    feather.write_feather(table, file, compression="uncompressed")
    data = file.getvalue()
    assert (10).to_bytes(8, "little") in data
    return data.replace((10).to_bytes(8, "little"), n.to_bytes(8, "little"))


def constant_parquet(rows, columns):
    file = io.BytesIO()
    table = pa.table({f"x{j}": pa.array(np.zeros(rows)) for j in range(columns)})
    parquet.write_table(table, file, compression="zstd")
    return file.getvalue()


def hostile():
    return {
        "lines.csv": gzip.compress(b"1,2,3\n" * 4_000_000, compresslevel=9),
        "lines.libsvm": zstandard.compress(b"1 1:1\n" * 10_000_000),
        "labels.libsvm": zstandard.compress(b"1\n" * 50_000_000),
        "wide.csv": zstandard.compress(b"1," * 30_000_000 + b"1\n"),
        "very wide.csv": b"1," * 10_000_000 + b"1\n",
        "empty fields.csv": b"," * 2_000_000 + b"\n",
        "packed fields.csv": zstandard.compress(b"," * 100_000 + b"\n"),
        "names.csv": b",".join(b"a%d" % j for j in range(100_000)) + b",a99999\n" + b"1," * 100_000 + b"1\n",
        "examples.vw": zstandard.compress(b"1 |\n" * 15_000_000),
        "examples.snow": zstandard.compress(b"1:\n" * 20_000_000),
        "rows.arff": zstandard.compress(b"@relation r\n@attribute a numeric\n@data\n" + b"1\n" * 50_000_000),
        "zeros.parquet": zstandard.compress(bytes(100_000_000)),
        "nulls.feather": no_rows_but(10**15, 3),
        "many nulls.feather": no_rows_but(10**9, 100),
    }


@pytest.fixture(scope="module")
def refusals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    for name, data in hostile().items():
        assert len(data) < 30_000_000
        (folder / name).write_bytes(data)
    return confined(READ, folder)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lines.csv", "unpacks to more than 200 times its size"),
        ("lines.libsvm", "unpacks to more than 200 times its size"),
        ("labels.libsvm", "unpacks to more than 200 times its size"),
        ("wide.csv", "unpacks to more than 200 times its size"),
        ("very wide.csv", "the line is longer than 16777216 bytes"),
        (
            "empty fields.csv",
            "line 1: the first row has 2,000,001 fields, and a table may have at most 1,000,000 columns",
        ),
        ("packed fields.csv", "line 1: the first row has 100,001 fields, far more than"),
        ("names.csv", "two columns are named 'a99999'"),
        ("examples.vw", "unpacks to more than 200 times its size"),
        ("examples.snow", "unpacks to more than 200 times its size"),
        ("rows.arff", "unpacks to more than 200 times its size"),
        ("zeros.parquet", "unpacks to more than 200 times its size"),
        ("nulls.feather", "too many for a file of its size"),
        ("many nulls.feather", "too many for a file of its size"),
    ],
)
def test_bombs_are_refused_within_a_gigabyte_and_a_minute(refusals, name, message):
    kind, said = refusals[name]
    assert kind == "DataError", said
    assert message in said


def test_a_sound_file_that_packs_well_is_read():
    X, _ = read_table(io.BytesIO(gzip.compress(b"a,b\n" + b"0,1\n" * 500_000)))
    assert X.shape == (500_000, 2)
    X, _ = read_table(io.BytesIO(constant_parquet(1_000_000, 10)), format="parquet")
    assert X.shape == (1_000_000, 10)


def test_a_long_packed_file_can_be_read_in_chunks():
    packed = zstandard.compress(b"1 1:1\n" * 2_000_000)
    with pytest.raises(DataError, match="200 times its size"):
        read_libsvm(io.BytesIO(packed))
    with open_table(io.BytesIO(packed), format="libsvm", n_features=1) as reader:
        assert sum(len(chunk.y) for chunk in reader) == 2_000_000


SLOW = {  # each took minutes or hours with patterns that try every way to cut a run of blanks or digits
    "blanks in a row of ARFF.arff": b"@relation r\n@attribute a string\n@data\n" + b" " * 60_000 + b"'x\n",
    "blanks between quotes.arff": b"@relation r\n@attribute a {b" + b" " * 60_000 + b"'x'}\n@data\n1\n",
    "digits": b"1" * 60_000 + b"x 1:1\n",
    "blanks": b"1" + b" " * 60_000 + b"x\n",
    "ids": b"1" + b" ,1 " * 15_000 + b"x\n",
    "parentheses": b"1(" * 30_000 + b"\n",
    "a bar": b"1 " + b"a" * 60_000 + b"\n",
}


def test_patterns_take_no_longer_than_the_text(tmp_path):
    for name, data in SLOW.items():
        (tmp_path / name).write_bytes(data)
    found = confined(
        READ.replace("format=path.suffix[1:]", "format=path.suffix[1:] or 'auto'").replace("seconds=60", "seconds=5"),
        tmp_path,
    )
    assert {name: kind for name, (kind, _) in found.items() if kind not in ("DataError", "returned")} == {}


def test_offsets_of_arrow_are_checked_before_they_are_used():
    file = io.BytesIO()
    feather.write_feather(pa.table({"a": ["red", "blue", "green"]}), file, compression="uncompressed")
    data, offsets = file.getvalue(), np.array([0, 3, 7, 12], dtype=np.int32).tobytes()
    assert offsets in data
    for wrong in ([0, 3, 2**30, 12], [0, 3, -7, 12], [0, 3, 7, 2**30]):
        lie = data.replace(offsets, np.array(wrong, dtype=np.int32).tobytes())
        with pytest.raises(DataError, match="is damaged"):
            read_table(io.BytesIO(lie), format="feather")


def test_names_and_dates_that_python_cannot_read():
    file = io.BytesIO()
    parquet.write_table(pa.table({"colour": [1.0]}), file)
    with pytest.raises(DataError, match="is not a valid Parquet file"):
        read_table(io.BytesIO(file.getvalue().replace(b"colour", b"\xff\xfeolour"[:6])), format="parquet")
    file = io.BytesIO()
    feather.write_feather(pa.table({"when": pa.array([2**62], pa.timestamp("s"))}), file)
    with pytest.raises(DataError, match="column 'when' has values that cannot be read as dates"):
        read_table(io.BytesIO(file.getvalue()), format="feather")


def test_columns_of_a_packed_file_go_by_its_bytes(monkeypatch):
    row = b",".join(b"%d" % j for j in range(2000)) + b"\n"
    packed = gzip.compress(row)
    for per_byte, refused in (((2000 - 1000) / len(packed), False), ((1999 - 1000) / len(packed), True)):
        monkeypatch.setattr(delimited, "COLUMNS_PER_BYTE", per_byte)
        assert read_table(io.BytesIO(row), header=False)[0].shape == (1, 2000)
        if refused:
            with pytest.raises(DataError, match=f"2,000 fields, far more than {len(packed):,} packed bytes"):
                read_table(io.BytesIO(packed), header=False)
        else:
            assert read_table(io.BytesIO(packed), header=False)[0].shape == (1, 2000)
