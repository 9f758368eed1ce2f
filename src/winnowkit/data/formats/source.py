"""Bytes of a path, an open file or standard input, unpacked if need be, in pieces of bounded size."""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from winnowkit.core.optional import import_optional
from winnowkit.data.errors import DataError

BLOCK_BYTES = 1 << 20
"""Number of bytes that are unpacked at a time."""

MAX_LINE_BYTES = 1 << 24
"""The longest line that is accepted: nothing may be read into memory without bound."""

MAX_GROWTH = 200
"""How many times its size a packed file may unpack to, if it is read as a whole into memory or onto disk."""

_ZSTD_BITE = 1 << 10  # packed bytes unpacked at a time: at most 256 blocks of 128 KiB come out
_PACKINGS = {"gzip": (b"\x1f\x8b", ".gz"), "zstd": (b"\x28\xb5\x2f\xfd", ".zst")}


class Source:
    """Unpacked bytes of a source; a context manager that closes the file if it opened it.

    Parameters
    ----------
    source : path, open binary file, or "-"
        "-" is standard input.
    max_line_bytes : int
        A longer line is an error.
    whole : bool, default=False
        Whether all of it will be kept; then a packed source that unpacks to far more than its size is an error.

    Attributes
    ----------
    name : str
        The name that messages use.
    path : pathlib.Path or None
        Set if the source is a file that can be opened again.
    packing : str or None
        "gzip", "zstd" or None.
    bytes_read, total_bytes : int
        Packed bytes read so far, and in total (None if unknown).
    seekable_bytes : int
        Size of the file that `seekable` returned.
    """

    def __init__(self, source: Any, *, max_line_bytes: int = MAX_LINE_BYTES, whole: bool = False) -> None:
        self.max_line_bytes, self.whole = max_line_bytes, whole
        self.bytes_read = 0
        self.total_bytes: int | None = None
        self.seekable_bytes = 0
        self.path: Path | None = None
        self._held = b""  # unpacked bytes that were peeked at and not yet returned
        self._ours = False
        self._more: IO[bytes] | None = None
        self._file = self._open(source)
        try:
            self._packed_ahead = self._read_raw(4)
        except DataError:
            if self._ours:
                self._file.close()
            raise
        self.packing = next((p for p, (magic, _) in _PACKINGS.items() if self._packed_ahead.startswith(magic)), None)
        self._unpacked = self._unpack()

    # --- opening ----------------------------------------------------------------------------------------------------

    def _open(self, source: Any) -> IO[bytes]:
        if isinstance(source, str) and source == "-":
            self.name = "standard input"
            if sys.stdin is None:
                raise DataError.at(self.name, "is closed; name a file, or pipe the data in")
            return sys.stdin.buffer
        if hasattr(source, "read"):
            self.name = str(getattr(source, "name", "an open file"))
            if isinstance(source.read(0), str):
                raise DataError.at(self.name, "the file is open as text; open it in binary mode: open(path, 'rb')")
            file: IO[bytes] = source
            return file
        if not isinstance(source, str | os.PathLike):
            raise DataError(f"source must be a path, an open binary file or '-', got {type(source).__name__}")
        path = Path(os.fspath(source))
        self.name = str(path)
        try:
            opened = path.open("rb", buffering=0)
        except FileNotFoundError:
            raise DataError.at(self.name, "no such file; check the path") from None
        except IsADirectoryError:
            raise DataError.at(self.name, "is a folder; name a file in it") from None
        except PermissionError:
            raise DataError.at(self.name, "may not be read; check its permissions") from None
        except OSError as error:
            raise DataError.at(self.name, f"cannot be opened: {error.strerror}") from None
        self._ours = True
        if path.is_file():  # not a pipe
            self.path, self.total_bytes = path, path.stat().st_size
        return opened

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file if it was opened here."""
        self._unpacked.close()
        if self._more is not None:
            self._more.close()
        if self._ours:
            self._file.close()

    # --- bytes ------------------------------------------------------------------------------------------------------

    def _read_raw(self, size: int) -> bytes:
        """Read `size` packed bytes, or fewer if the source ends."""
        # One read of the system at a time: Python sees a signal between two of them, but not within `read`, which
        # would go on waiting for a pipe.
        parts, read = [], getattr(self._file, "read1", self._file.read)
        while size > 0:
            try:
                part = read(size)
            except OSError as error:
                raise DataError.at(
                    self.name, f"cannot be read further ({error.strerror or error}); fetch it again"
                ) from error
            if not part:
                break
            parts.append(part)
            size -= len(part)
        data = b"".join(parts)
        self.bytes_read += len(data)
        if size and self.path is not None and self.bytes_read < (self.total_bytes or 0):
            raise DataError.at(
                self.name, f"ends at byte {self.bytes_read} of {self.total_bytes}: it was truncated while being read"
            )
        return data

    def read(self, size: int = -1) -> bytes:
        """Read packed bytes, as the file object of gzip."""
        size = size if size >= 0 else BLOCK_BYTES
        held, self._packed_ahead = self._packed_ahead[:size], self._packed_ahead[size:]
        return held + self._read_raw(size - len(held))

    def _unpack(self) -> Generator[bytes]:
        """Yield unpacked pieces of bounded size."""
        if self.packing is None:
            return self._plain()
        return self._bounded(self._gunzip() if self.packing == "gzip" else self._unzstd())

    def _bounded(self, pieces: Iterator[bytes]) -> Generator[bytes]:
        size = 0
        for piece in pieces:
            size += len(piece)
            if self.whole and size > MAX_GROWTH * self.bytes_read + 8 * BLOCK_BYTES:
                raise DataError.at(
                    self.name,
                    f"unpacks to more than {MAX_GROWTH} times its size; if that is intended, unpack it first, or read "
                    "it in chunks (open_table)",
                )
            yield piece

    def _plain(self) -> Generator[bytes]:
        while block := self.read(BLOCK_BYTES):
            yield block

    def _gunzip(self) -> Generator[bytes]:
        try:
            with gzip.GzipFile(fileobj=self, mode="rb") as unpacked:  # type: ignore[call-overload]
                while block := unpacked.read(BLOCK_BYTES):
                    yield block
        except EOFError:
            raise DataError.at(self.name, "the gzip file ends too early; fetch or write it again") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise DataError.at(self.name, f"the gzip file is damaged ({error}); fetch or write it again") from None

    def _unzstd(self) -> Generator[bytes]:
        zstandard = import_optional("zstandard", "zstd files need zstandard", "winnowkit[files]")
        frame = zstandard.ZstdDecompressor().decompressobj()
        begun, packed = False, self.read(_ZSTD_BITE)
        try:
            while packed:
                begun = True
                if block := frame.decompress(packed):
                    yield block
                packed = frame.unused_data if frame.eof else b""
                if frame.eof:
                    frame, begun = zstandard.ZstdDecompressor().decompressobj(), bool(packed)
                packed = packed or self.read(_ZSTD_BITE)
        except zstandard.ZstdError as error:
            raise DataError.at(self.name, f"the zstd file is damaged ({error}); fetch or write it again") from None
        if begun:
            raise DataError.at(self.name, "the zstd file ends too early; fetch or write it again")

    def peek(self, size: int = 1 << 16) -> bytes:
        """Return the next unpacked bytes, at least `size` unless the source ends, without consuming them."""
        parts = [self._held]
        length = len(self._held)
        while length < size and (block := next(self._unpacked, b"")):
            parts.append(block)
            length += len(block)
        self._held = b"".join(parts)
        return self._held

    def pieces(self) -> Iterator[bytes]:
        """Yield the remaining bytes in pieces of bounded size."""
        if self._held:
            held, self._held = self._held, b""
            yield held
        yield from self._unpacked

    def blocks(self) -> Iterator[bytes]:
        """Yield whole lines, about a megabyte at a time; the last block gets a line end if it has none."""
        rest: list[bytes] = []
        length, lines = 0, 0
        for piece in self.pieces():
            cut = piece.rfind(b"\n") + 1
            first = piece.find(b"\n") if cut else len(piece)
            if length + first > self.max_line_bytes:
                raise DataError.at(
                    self.name,
                    f"the line is longer than {self.max_line_bytes} bytes; if that is intended, pass max_line_bytes=",
                    line=lines + 1,
                )
            if cut:
                block = b"".join([*rest, piece[:cut]])
                lines += block.count(b"\n")
                yield block
                rest, length = [piece[cut:]], len(piece) - cut
            else:
                rest.append(piece)
                length += len(piece)
        if length:
            yield b"".join([*rest, b"\n"])

    def seekable(self) -> IO[bytes]:
        """Return a seekable file: the source itself if possible, else an unpacked temporary copy."""
        if self.packing is None and self.path is not None:
            self._more = self.path.open("rb")
            self.seekable_bytes = os.fstat(self._more.fileno()).st_size
            return self._more
        copy = self._more = tempfile.TemporaryFile()  # noqa: SIM115 - close() closes it
        self.whole = True
        size = sum(map(copy.write, self.pieces()))
        copy.seek(0)
        self.seekable_bytes = size
        return copy

    # --- messages ---------------------------------------------------------------------------------------------------

    def error(
        self,
        problem: str,
        *,
        line: int | None = None,
        column: str | int | None = None,
        kind_of: type[DataError] = DataError,
        **details: Any,
    ) -> DataError:
        """Make the error for a place in this source."""
        return kind_of.at(self.name, problem, line=line, column=column, **details)


def bare_suffix(name: str) -> str:
    """Return the suffix of a file name that tells its format, in lower case and without ``.gz`` or ``.zst``.

    Examples
    --------
    >>> bare_suffix("cars.CSV.gz"), bare_suffix("rows"), bare_suffix("a.zst")
    ('.csv', '', '')
    """
    path = Path(name)
    if path.suffix.lower() in {suffix for _, suffix in _PACKINGS.values()}:
        path = path.with_suffix("")
    return path.suffix.lower()
