"""The file of JSON and arrays: a safetensors file with one metadata key, whose JSON has sorted keys.

The checksum is the SHA-256 of the whole file with zeros in place of its own 64 digits, so that it covers every byte. It
detects damage; an attacker can compute it too, so nothing in a file is trusted because of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from winnowkit.core.atomic_write import replacing
from winnowkit.model_file.codec import Arrays

FORMAT = 2  # raised whenever files of other versions cannot be read, in either direction
KEY = "winnowkit"
ZEROS = "0" * 64
BEGINNING = b'{"__metadata__":{"winnowkit":"{\\"checksum\\":\\"'  # the beginning of the header of every model file
LONGEST_HEADER = 100_000_000  # safetensors' own limit
LENGTH_BYTES = 8
MOST_VALUES = 4_000_000  # outside the arrays, as `n_values` counts them: about 800 MB when they are made
VALUES_PER_ARRAY = 20  # at most, in the header: its name, type, shape and place
CHUNK = 1 << 20  # bytes that are read at a time, so that a claimed size costs no memory
LONGEST_EMPTY = 1 << 22  # longest axis of an empty array, which takes no bytes, so that a file could claim any length


class ModelFileError(ValueError):
    """A file is not a model, is damaged, or was written in another format.

    See Also
    --------
    load : Raises this error.

    Examples
    --------
    >>> import tempfile
    >>> from winnowkit import load
    >>> from winnowkit.model_file import ModelFileError
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     try:
    ...         load(file.name)
    ...     except ModelFileError:
    ...         print("refused")
    refused
    """


class Header(NamedTuple):
    """The document before the arrays, and the size of the whole file."""

    document: dict[str, Any]
    size: int


# --- writing ----------------------------------------------------------------------------------------------------------


def write(path: Path, document: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a document and arrays to a file, completely or not at all."""
    whole = {"checksum": ZEROS, "format": FORMAT, "version": import_module("winnowkit").__version__, **document}
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False)
    if len(text) > LONGEST_HEADER // 2:
        raise ModelFileError(
            f"the names and categories of this model take {len(text):,} characters, more than a model file can hold; "
            "use fewer or shorter ones, or pickle"
        )
    if (n := n_values(text) + VALUES_PER_ARRAY * (1 + len(arrays))) > MOST_VALUES:
        raise ModelFileError(
            f"the names, categories and parameters of this model are {n:,} values, more than the {MOST_VALUES:,} that "
            "a model file can hold; use fewer of them, or pickle"
        )
    data = bytearray(save_arrays(arrays, metadata={KEY: text}))
    at = LENGTH_BYTES + len(BEGINNING)
    if data[LENGTH_BYTES:at] != BEGINNING:
        raise AssertionError("safetensors wrote an unexpected header")
    data[at : at + len(ZEROS)] = hashlib.sha256(data).hexdigest().encode()
    with replacing(path) as file:
        file.write(data)


# --- reading ----------------------------------------------------------------------------------------------------------


def read(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Return the document and arrays of a file; raise ModelFileError unless it is exactly as :func:`write` left it.

    The file is read from its beginning to its end, once, so that it may be a pipe.
    """
    with path.open("rb") as file:
        data, header = read_header(path, file)
        while len(data) <= header.size and (chunk := file.read(min(CHUNK, header.size + 1 - len(data)))):
            data += chunk
    if len(data) < header.size:
        raise ModelFileError(f"{path} is truncated: {len(data):,} bytes of {header.size:,}; copy or save it again")
    at = LENGTH_BYTES + len(BEGINNING)
    data[at : at + len(ZEROS)] = ZEROS.encode()
    if hashlib.sha256(data).hexdigest() != header.document["checksum"]:
        raise ModelFileError(f"{path} was changed or damaged: its checksum does not match; copy or save it again")
    try:
        arrays = load_arrays(bytes(data))
        for name, array in arrays.items():
            if not array.size and max(array.shape) > LONGEST_EMPTY:
                raise ValueError(f"{name!r} is empty but claims the shape {array.shape}")
        return header.document, arrays
    except (SafetensorError, KeyError, ValueError) as error:
        raise ModelFileError(f"the arrays in {path} are not valid ({error}); save the model again") from error


def n_values(text: bytes | str) -> int:
    """Return a number that is at least that of the values in JSON; an object counts for four, as it takes that room."""
    comma, array, item = (",", "[", "{") if isinstance(text, str) else (b",", b"[", b"{")
    return 1 + text.count(comma) + text.count(array) + 4 * text.count(item)  # type: ignore[arg-type]  # one of the two


def read_header(path: Path, file: BinaryIO) -> tuple[bytearray, Header]:
    """Return all that was read, and the header after checking that the file is a model of this format."""
    data = bytearray(file.read(LENGTH_BYTES + len(BEGINNING)))
    length, text = int.from_bytes(data[:LENGTH_BYTES], "little"), bytes(data[LENGTH_BYTES:])
    if not text or not BEGINNING.startswith(text) or length > LONGEST_HEADER:
        raise ModelFileError(f"{path} is not a winnowkit model; make one with winnowkit.save or `winnowkit fit`")
    data += file.read(max(0, length - len(text)))
    text = bytes(data[LENGTH_BYTES:])
    if len(text) < length:
        raise ModelFileError(
            f"{path} is truncated: {len(data):,} bytes are less than its header; copy or save it again"
        )
    try:
        header = _made(text)
        document = _made(header.pop("__metadata__")[KEY])
        if document["format"] != FORMAT:
            remedy = "upgrade winnowkit" if document["format"] > FORMAT else "fit the model again and save it"
            raise ModelFileError(
                f"{path} was written by winnowkit {document['version']} in format {document['format']}; winnowkit "
                f"{import_module('winnowkit').__version__} reads format {FORMAT} only: {remedy}"
            )
        end = max((int(entry["data_offsets"][1]) for entry in header.values()), default=0)
        return data, Header(document, LENGTH_BYTES + length + end)
    except ModelFileError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError, MemoryError) as error:
        raise ModelFileError(f"{path} was changed or damaged: its header is not valid; save the model again") from error


def _made(text: bytes | str) -> Any:
    """Return the value of JSON, after its parts have been counted."""
    if n_values(text) > MOST_VALUES:
        raise ModelFileError(f"the header has {n_values(text):,} values, more than the {MOST_VALUES:,} of a model file")
    return json.loads(text)
