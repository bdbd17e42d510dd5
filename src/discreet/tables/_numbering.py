"""Counting equal rows of columns in memory: every value is a number, every row a number made of these."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._typing import IntArray
from discreet.tables._arrow import BLOCK, number_values, of_dictionary, to_numpy
from discreet.tables._short_texts import ShortTexts, short_texts

if TYPE_CHECKING:
    import pyarrow as pa


def count_rows(columns: list[Any], rows: int) -> tuple[list[Any], IntArray]:
    """Join equal rows of columns in memory, when their values are few.

    Whole numbers count from their least, codes by the bytes that tell them apart, other values by an Arrow dictionary.
    Where the products of the numbers of values exceed what a table can hold, the rows are left as they are, each counting
    once.
    """
    import pyarrow as pa

    if rows == 0 or not all(isinstance(column, pa.ChunkedArray) for column in columns):
        return columns, np.ones(rows, dtype=np.int64)
    most = max(1 << 20, 4 * rows)
    parts: list[_Numbered | ShortTexts] = []
    for column in columns:
        part = _numbered(column)
        if part is None or part.size > most // math.prod(each.size for each in parts):
            return columns, np.ones(rows, dtype=np.int64)
        parts.append(part)
    totals = np.zeros(math.prod(part.size for part in parts), dtype=np.int32 if rows < 1 << 31 else np.int64)
    scratch, ones = np.empty(BLOCK, dtype=np.intp), np.ones(BLOCK, dtype=totals.dtype)
    for start in range(0, rows, BLOCK):
        number = scratch[: min(BLOCK, rows - start)]
        number[:] = 0
        for part in parts:
            number *= part.size
            np.add(number, part.numbers(start), out=number, casting="unsafe")
        np.add.at(totals, number, ones[: len(number)])
    present = np.flatnonzero(totals)
    counts = totals[present].astype(np.int64)
    found, rest = [], present.astype(totals.dtype)
    for part in reversed(parts):
        above = rest // part.size
        found.append(part.column(rest - above * part.size))
        rest = above
    return found[::-1], counts


@dataclass(frozen=True, eq=False)
class _Numbered:
    """A column whose values are numbered: whole numbers from their least, others by a dictionary."""

    values: npt.NDArray[Any]
    size: int
    least: int = 0
    dictionary: Any = None
    number_of: npt.NDArray[np.int32] | None = None  # of every value, where they are keys

    def numbers(self, start: int) -> npt.NDArray[Any]:
        """Those of a block of rows."""
        block: npt.NDArray[Any] = self.values[start : start + BLOCK]
        if self.number_of is not None:
            return self.number_of.take(block, mode="clip")  # a mode that checks nothing; all are within
        shifted: npt.NDArray[Any] = block if self.least == 0 else block.astype(np.int64) - self.least
        return shifted

    def column(self, numbers: IntArray) -> Any:
        """A column of values with these numbers: numbered already, so that nobody need look at each of them again."""
        return numbers + np.int64(self.least) if self.dictionary is None else of_dictionary(numbers, self.dictionary)


def _numbered(column: pa.ChunkedArray) -> _Numbered | ShortTexts | None:
    """Number a column's values; None where they are nested."""
    import pyarrow as pa

    if pa.types.is_integer(column.type) and column.type != pa.uint64() and column.null_count == 0:
        values = to_numpy(column)
        least = int(values.min())
        return _Numbered(values, int(values.max()) - least + 1, least)
    if (texts := short_texts(column)) is not None:
        return texts if texts.size <= 2 * len(set(texts.numbers(0).tolist())) else _seen(texts, len(column))
    numbered = number_values(column)
    if numbered is None:
        return None
    values, dictionary = numbered
    if len(dictionary) == 0 or values.min() < 0:  # missing is one more value
        values = np.where(values < 0, len(dictionary), values)
        dictionary = pa.concat_arrays([dictionary, pa.nulls(1, dictionary.type)])
    return _Numbered(values, len(dictionary), dictionary=dictionary)


def _seen(texts: ShortTexts, rows: int) -> _Numbered:
    """Only texts that some row has are numbered: a number that nobody has is room wasted for every other column."""
    keys, seen = np.empty(rows, dtype=np.uint16), np.zeros(texts.size, dtype=bool)
    for start in range(0, rows, BLOCK):
        block = keys[start : start + BLOCK]
        block[:] = texts.numbers(start)
        seen |= np.bincount(block, minlength=texts.size) > 0
    words = texts.words(np.flatnonzero(seen))
    return _Numbered(keys, len(words), dictionary=words, number_of=(np.cumsum(seen) - 1).astype(np.int32))
