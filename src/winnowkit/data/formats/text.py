"""Lines of text with their numbers, decoded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from winnowkit.data.errors import shown
from winnowkit.data.formats.base import CHUNK_BYTES
from winnowkit.data.formats.source import Source

T = TypeVar("T")

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"


class Lines:
    r"""Lines of a source, line ends kept, and the number of the last one given.

    Examples
    --------
    >>> import io
    >>> lines = Lines(Source(io.BytesIO(b"a,b\r\n1,2")))
    >>> next(lines), lines.number, next(lines), lines.number
    ('a,b\r\n', 1, '1,2\n', 2)
    """

    def __init__(self, source: Source, encoding: str = "utf-8") -> None:
        self.source, self.encoding = source, "utf-8" if encoding.lower() in ("utf-8-sig", "utf_8_sig") else encoding
        self.number = 0
        self.n_bytes = 0  # of text, about; a chunk ends when many have come
        if source.peek().startswith(_UTF16) or _is_wide(self.encoding):
            raise source.error("UTF-16 and UTF-32 text cannot be read; convert it first (iconv -f utf-16 -t utf-8)")
        self._lines = self._decoded()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        self.n_bytes += len(line)
        return line

    def _decoded(self) -> Iterator[str]:
        first = True
        for block in self.source.blocks():
            if first and block.startswith(_BOM):
                block = block[len(_BOM) :]  # noqa: PLW2901
            first = False
            try:
                text = block.decode(self.encoding)
            except UnicodeDecodeError:
                yield from self._decoded_one_by_one(block)
                continue
            yield from [line + "\n" for line in text[:-1].split("\n")]

    def _decoded_one_by_one(self, block: bytes) -> Iterator[str]:
        """Lines up to the one that cannot be decoded."""
        for line in block[:-1].split(b"\n"):
            try:
                yield line.decode(self.encoding) + "\n"
            except UnicodeDecodeError as error:
                raise self.source.error(
                    f"byte {line[error.start]:#04x} in {shown(line[max(0, error.start - 10) :][:20])} is not "
                    f"{self.encoding}; pass encoding='latin-1' or whatever the text is written in",
                    line=self.number + 1,
                    column=error.start + 1,
                ) from None


def _is_wide(encoding: str) -> bool:
    try:
        return len("a".encode(encoding)) != 1
    except LookupError:
        raise ValueError(
            f"encoding must be one that Python knows, such as 'utf-8' or 'latin-1'; got {encoding!r}"
        ) from None


def batches(records: Iterable[tuple[int, T]], lines: Lines, chunk_rows: int) -> Iterator[tuple[list[int], list[T]]]:
    """Group records, the line of each and what it holds, so many at a time, fewer if they are long."""
    numbers: list[int] = []
    group: list[T] = []
    begun = 0
    for number, record in records:
        numbers.append(number)
        group.append(record)
        if len(group) >= chunk_rows or lines.n_bytes - begun > CHUNK_BYTES:
            yield numbers, group
            begun, numbers, group = lines.n_bytes, [], []
    if group:
        yield numbers, group
