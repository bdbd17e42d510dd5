"""Texts that are codes ("F", "NY", "grade 7", "90210"), numbered by the few bytes at which they differ.

A byte that is read where it stands costs a fraction of a hash of the whole text. Two shapes are known: texts of one length,
and texts that begin alike of which some are one byte longer ("7" and "12"). The first rows tell which, and whether to try.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._typing import IntArray
from discreet.tables._arrow import BLOCK, from_values, of_dictionary

if TYPE_CHECKING:
    import pyarrow as pa

_Bytes = npt.NDArray[np.uint8]
_FEW_ROWS = 50_000  # below, a hash of every text costs next to nothing
_SOME = 4096  # rows that a first look is at
_MOST = 1 << 16  # texts that could be, by the ranges of the bytes that vary


@dataclass(frozen=True, eq=False)
class ShortTexts:
    """A column of texts: the bytes that tell them apart are the digits of their numbers, in mixed radix."""

    digits: Sequence[_Bytes]  # an array a digit, a byte a row
    spell: Callable[[list[_Bytes]], list[bytes]]  # the texts that have these bytes
    least: list[int]
    ranges: list[int]

    @classmethod
    def of(cls, digits: Sequence[_Bytes], spell: Callable[[list[_Bytes]], list[bytes]]) -> ShortTexts | None:
        """None where too many texts could have such bytes."""
        least = [int(digit.min()) for digit in digits]
        ranges = [int(digit.max()) - low + 1 for digit, low in zip(digits, least, strict=True)]
        return cls(digits, spell, least, ranges) if math.prod(ranges) <= _MOST else None

    @property
    def size(self) -> int:
        """How many texts could be."""
        return math.prod(self.ranges)

    def numbers(self, start: int, rows: int = BLOCK) -> npt.NDArray[np.int32]:
        """Those of a block of rows."""
        found, least = np.zeros(len(self.digits[0][start : start + rows]), dtype=np.int32), 0
        for digit, low, size in zip(self.digits, self.least, self.ranges, strict=True):
            found *= size
            np.add(found, digit[start : start + rows], out=found, casting="unsafe")
            least = least * size + low
        found -= least
        return found

    def column(self, numbers: IntArray) -> pa.ChunkedArray:
        """A column of texts with these numbers."""
        seen = np.zeros(self.size, dtype=bool)
        seen[numbers] = True
        return of_dictionary((np.cumsum(seen) - 1).astype(np.int32)[numbers], self.words(np.flatnonzero(seen)))

    def words(self, numbers: IntArray) -> pa.Array:
        """The texts of numbers that some row has; bytes of any other need not be a text."""
        digits = np.unravel_index(numbers, self.ranges)
        found = [(digit + low).astype(np.uint8) for digit, low in zip(digits, self.least, strict=True)]
        return from_values([word.decode() for word in self.spell(found)])


def short_texts(column: pa.ChunkedArray) -> ShortTexts | None:
    """The numbers of a column of texts that a few bytes tell apart; None for any other column."""
    import pyarrow as pa

    if column.num_chunks != 1 or len(column) < _FEW_ROWS or column.null_count:
        return None
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    chunk = column.chunk(0)
    _, ends, data = chunk.buffers()
    width = np.int64 if pa.types.is_large_string(column.type) else np.int32
    offsets = np.frombuffer(ends, dtype=width, count=chunk.offset + len(chunk) + 1)[chunk.offset :]
    shortest, longest = _lengths(offsets[:_SOME])
    if shortest == 0 or longest > shortest + 1 or _lengths(offsets) != (shortest, longest):
        return None
    texts = np.frombuffer(data, dtype=np.uint8)
    if shortest == longest:
        return _of_one_length(texts[int(offsets[0]) : int(offsets[-1])].reshape(-1, shortest))
    return _of_two_lengths(column, texts, offsets, shortest)


def _of_one_length(rows: _Bytes) -> ShortTexts | None:
    """Texts of one length, told apart by their bytes at the places where they differ."""
    some = rows[:_SOME]
    if math.prod((some.max(axis=0).astype(int) - some.min(axis=0) + 1).tolist()) > _MOST:
        return None
    places = _varying(rows)

    def spell(digits: list[_Bytes]) -> list[bytes]:
        words = np.repeat(rows[:1], len(digits[0]), axis=0)
        words[:, places] = np.stack(digits, axis=1)
        return [word.tobytes() for word in words]

    return ShortTexts.of([rows[:, place] for place in places], spell)


def _of_two_lengths(column: pa.ChunkedArray, texts: _Bytes, ends: npt.NDArray[Any], shortest: int) -> ShortTexts | None:
    """Texts that begin alike, told apart by whether they are longer, the first byte after that, and the last byte."""
    import pyarrow.compute as pc

    prefix = texts[int(ends[0]) : int(ends[0]) + shortest - 1].tobytes()
    try:
        if not all(pc.all(pc.starts_with(part, prefix.decode())).as_py() for part in (column[:_SOME], column)):
            return None
    except UnicodeDecodeError:  # they differ within a character
        return None
    longer, first, last = (np.empty(len(column), dtype=np.uint8) for _ in range(3))
    for start in range(0, len(column), BLOCK):
        block, there = ends[start : start + BLOCK + 1], slice(start, start + BLOCK)
        np.subtract(np.diff(block), shortest, out=longer[there], casting="unsafe")
        texts.take(
            block[:-1] + len(prefix), out=first[there], mode="clip"
        )  # a mode that need not buffer; none is outside
        texts.take(block[1:] - 1, out=last[there], mode="clip")

    def spell(digits: list[_Bytes]) -> list[bytes]:
        return [prefix + bytes([a, b] if more else [a]) for more, a, b in zip(*digits, strict=True)]

    return ShortTexts.of([longer, first, last], spell)


def _lengths(offsets: npt.NDArray[Any]) -> tuple[int, int]:
    """The least and the greatest length of texts."""
    least, most = np.iinfo(np.int64).max, 0
    for start in range(0, len(offsets) - 1, BLOCK):
        lengths = np.diff(offsets[start : start + BLOCK + 1])
        least, most = min(least, int(lengths.min())), max(most, int(lengths.max()))
    return least, most


def _varying(rows: _Bytes) -> list[int]:
    """The places at which some text differs from another, at least one: bits always set, or never, tell nothing."""
    texts, length = rows.reshape(-1), rows.shape[1]
    together = 512  # texts, so that long rows of machine words are compared
    whole = len(texts) // (together * length) * together * length
    words = texts[:whole].view(np.uint64).reshape(-1, together * length // 8)
    rest = texts[whole:].reshape(-1, length)
    ever = np.bitwise_or.reduce(words, axis=0).view(np.uint8).reshape(-1, length)
    always = np.bitwise_and.reduce(words, axis=0).view(np.uint8).reshape(-1, length)
    ever = np.bitwise_or.reduce(np.concatenate([ever, rest]), axis=0)
    always = np.bitwise_and.reduce(np.concatenate([always, rest]), axis=0)
    return np.flatnonzero(ever != always).tolist() or [0]
