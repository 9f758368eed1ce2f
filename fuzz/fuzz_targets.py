"""The targets of the fuzzer: everything that reads bytes or text from untrusted sources.

A target takes any bytes and returns. It lets through the one kind of exception that its reader promises; any other,
a crash, or a hang is a finding. The targets need no fuzzer: tests run them on the corpus.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from winnowkit.data import DataError, open_table, read_libsvm, read_table
from winnowkit.model_file import ModelFileError, load
from winnowkit.model_file.container import BEGINNING, LENGTH_BYTES, ZEROS
from winnowkit.rulesets import RuleSet

CORPUS = Path(__file__).parent / "corpus"
SEPARATOR = b"\n---\n"  # between the parts of an input of `model`
_FOLDER = tempfile.TemporaryDirectory(prefix="winnowkit-fuzz-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


def table(format: str) -> Callable[[bytes], None]:  # noqa: A002 - read_table's name for it
    """Return a target that reads a table as a whole and in chunks of two rows, which must agree."""

    def target(data: bytes) -> None:
        try:
            X, y = read_table(io.BytesIO(data), format=format)
        except DataError:
            return
        rows, width = X.shape
        assert y is None or len(y) == rows
        try:
            with open_table(io.BytesIO(data), format=format, chunk_rows=2, n_features=width) as reader:
                chunks = list(reader)
        except DataError:  # libsvm's "auto" counts columns from 1 in a stream
            assert format in ("libsvm", "auto")
            return
        assert sum(chunk.X.shape[0] for chunk in chunks) == rows

    return target


def libsvm(data: bytes) -> None:
    """Read a libsvm file, which must give a valid matrix."""
    with suppress(DataError):
        X, y = read_libsvm(io.BytesIO(data))
        X.check_format(full_check=True)
        assert np.isfinite(X.data).all()
        assert np.isfinite(y).all()


def packed(data: bytes) -> None:
    """Read the bytes behind the magic numbers of gzip and zstd, then as text in a valid gzip file."""
    for magic in (b"", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"):
        with suppress(DataError):
            read_table(io.BytesIO(magic + data))
    with suppress(DataError):
        read_table(io.BytesIO(gzip.compress(data, mtime=0)))


def model_file(data: bytes) -> None:
    """Call `load` on the bytes as they are."""
    path = Path(_FOLDER.name) / "file"
    path.write_bytes(data)
    with suppress(ModelFileError):
        load(path)


def model(data: bytes) -> None:
    """Call `load` on a file with correct lengths and checksum: JSON of the model, header of the arrays, the arrays.

    What is loaded after all may predict nonsense or raise, but must not crash.
    """
    path = Path(_FOLDER.name) / "model"
    path.write_bytes(assembled(data))
    try:
        loaded = load(path)
    except ModelFileError:
        return
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        width = loaded.n_features_in_
        if width > 64:
            return
        X = np.arange(3 * width).reshape(3, width) % 2
        loaded.predict(X)
        loaded.partial_fit(X, loaded.classes_[[0, 1, 1]])
        loaded.predict(X)


def assembled(data: bytes) -> bytes:
    """Return a model file of these parts with a correct checksum."""
    import hashlib  # noqa: PLC0415 - not instrumented

    document, _, rest = data.partition(SEPARATOR)
    header, _, arrays = rest.partition(SEPARATOR)
    text = document.decode("latin-1")
    whole = '{"checksum":"' + ZEROS + '",' + text.removeprefix("{")
    inner = b',"version":"0"'  # so that a model need not say so
    whole = whole.removesuffix("}") + inner.decode() + "}"
    entries = header.strip().removeprefix(b"{")
    metadata = b'{"__metadata__":{"winnowkit":' + json.dumps(whole).encode() + b"}"
    head = metadata + (b"," + entries if entries not in (b"", b"}") else b"}")
    file = bytearray(len(head).to_bytes(LENGTH_BYTES, "little") + head + arrays)
    at = LENGTH_BYTES + len(BEGINNING)
    file[at : at + len(ZEROS)] = hashlib.sha256(file).hexdigest().encode()
    return bytes(file)


def taken_apart(file: bytes) -> bytes:
    """Return the input of `model` that represents a model file, for a seed."""
    length = int.from_bytes(file[:LENGTH_BYTES], "little")
    header = json.loads(file[LENGTH_BYTES : LENGTH_BYTES + length])
    document = json.loads(header.pop("__metadata__")["winnowkit"])
    parts = {key: value for key, value in document.items() if key not in ("checksum", "version")}
    return SEPARATOR.join(
        [
            json.dumps(parts, separators=(",", ":")).encode(),
            json.dumps(header, separators=(",", ":")).encode(),
            file[LENGTH_BYTES + length :],
        ]
    )


def rules_text(data: bytes) -> None:
    """Read rules as lines of text; the result can be written and read again."""
    try:
        rules = RuleSet.from_text(data.decode("utf-8", errors="replace"))
    except ValueError:
        return
    _written_again(rules)


def rules_json(data: bytes) -> None:
    """Read rules as JSON; the result can be written and read again."""
    try:
        rules = RuleSet.from_json(data.decode("utf-8", errors="replace"))
    except ValueError:
        return
    _written_again(rules)


def _written_again(rules: RuleSet) -> None:
    with suppress(ValueError, TypeError):  # numbers that are not finite, labels that are lists
        text, document = rules.to_text(), rules.to_json()
        assert RuleSet.from_text(text).to_text() == text
        assert RuleSet.from_json(document).to_json() == document
        rules.to_sql("t")
        compile(rules.to_python(), "rules", "exec")
        str(rules), rules._repr_html_()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "csv": table("csv"),
    "tsv": table("tsv"),
    "arff": table("arff"),
    "vw": table("vw"),
    "snow": table("snow"),
    "libsvm": libsvm,
    "libsvm-chunks": table("libsvm"),
    "auto": table("auto"),
    "packed": packed,
    "parquet": table("parquet"),
    "feather": table("feather"),
    "model-file": model_file,
    "model": model,
    "rules-text": rules_text,
    "rules-json": rules_json,
}
