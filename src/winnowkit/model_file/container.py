"""One file of JSON and arrays: a safetensors file with one metadata key, whose JSON has sorted keys.

The checksum is SHA-256 of the whole file, the 64 places where it stands itself being zeros, so that no byte is left
out. It finds damage; whoever wants to deceive can compute it too, so nothing in a file is trusted on its account.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from winnowkit.core.atomic_write import replacing
from winnowkit.model_file.codec import Arrays
from winnowkit.model_file.errors import ModelFileError

FORMAT = 1  # raised when older versions could not read what newer ones write
KEY = "winnowkit"
ZEROS = "0" * 64
BEGINNING = b'{"__metadata__":{"winnowkit":"{\\"checksum\\":\\"'  # of the header of every file of ours
LONGEST_HEADER = 100_000_000  # safetensors' own limit
LENGTH_BYTES = 8
LONGEST_EMPTY = 1 << 22  # axis of an array without elements, which takes no bytes: any length could be claimed


class Header(NamedTuple):
    """What stands before the arrays."""

    document: dict[str, Any]
    size: int  # that the whole file must have


# --- writing ----------------------------------------------------------------------------------------------------------


def write(path: Path, document: Mapping[str, Any], arrays: Arrays) -> None:
    """Put a document and arrays into a file, which is there in whole or not at all."""
    whole = {"checksum": ZEROS, "format": FORMAT, "version": import_module("winnowkit").__version__, **document}
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False)
    if len(text) > LONGEST_HEADER // 2:
        raise ModelFileError(
            f"the names and categories of this model take {len(text):,} characters, more than a model file holds; "
            "use fewer or shorter ones, or pickle it"
        )
    data = bytearray(save_arrays(arrays, metadata={KEY: text}))
    at = LENGTH_BYTES + len(BEGINNING)
    if data[LENGTH_BYTES:at] != BEGINNING:
        raise AssertionError("safetensors writes another header than expected")
    data[at : at + len(ZEROS)] = hashlib.sha256(data).hexdigest().encode()
    with replacing(path) as file:
        file.write(data)


# --- reading ----------------------------------------------------------------------------------------------------------


def read(path: Path) -> tuple[dict[str, Any], Arrays]:
    """The document and arrays of a file; refuses what is not exactly as :func:`write` left it."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        header = read_header(path, file, size)
        if size < header.size:
            raise ModelFileError(f"{path} is truncated: {size:,} bytes of {header.size:,}; copy or save it again")
        file.seek(0)
        data = bytearray(file.read(header.size + 1))
    at = LENGTH_BYTES + len(BEGINNING)
    data[at : at + len(ZEROS)] = ZEROS.encode()
    if hashlib.sha256(data).hexdigest() != header.document["checksum"]:
        raise ModelFileError(f"{path} was changed or damaged: its checksum does not fit; copy or save it again")
    try:
        arrays = load_arrays(bytes(data))
        for name, array in arrays.items():
            if not array.size and max(array.shape) > LONGEST_EMPTY:
                raise ValueError(f"{name!r} is empty, and claims the shape {array.shape}")
        return header.document, arrays
    except (SafetensorError, KeyError, ValueError) as error:
        raise ModelFileError(f"the arrays in {path} make no sense ({error}); save it anew") from error


def read_header(path: Path, file: BinaryIO, size: int) -> Header:
    """What stands before the arrays, once it is clear that this is a file of ours, and not a newer one."""
    length = int.from_bytes(file.read(LENGTH_BYTES), "little")
    text = file.read(len(BEGINNING))
    if not text or not BEGINNING.startswith(text) or length > LONGEST_HEADER:
        raise ModelFileError(f"{path} is no winnowkit model; make one with winnowkit.save or `winnowkit fit`")
    text += file.read(max(0, length - len(text)))
    if len(text) < length:
        raise ModelFileError(f"{path} is truncated: {size:,} bytes do not even hold its header; copy or save it again")
    try:
        header = json.loads(text)
        document = json.loads(header.pop("__metadata__")[KEY])
        if document["format"] > FORMAT:
            raise ModelFileError(
                f"{path} was written by winnowkit {document['version']} in format {document['format']}; this is "
                f"{import_module('winnowkit').__version__}, which reads up to {FORMAT}: upgrade winnowkit"
            )
        end = max((int(entry["data_offsets"][1]) for entry in header.values()), default=0)
        return Header(document, LENGTH_BYTES + length + end)
    except ModelFileError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as error:
        raise ModelFileError(f"{path} was changed or damaged: its header makes no sense; save it anew") from error
