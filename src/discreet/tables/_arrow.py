"""Arrow columns as NumPy arrays, by their buffers: pyarrow's own conversion imports pandas wherever it is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa


def to_numpy(column: pa.ChunkedArray | pa.Array, fill: float = 0) -> npt.NDArray[Any]:
    """Integers or floats of a column; nulls become `fill`."""
    chunks = getattr(column, "chunks", [column])
    if not chunks:
        return np.empty(0, dtype=column.type.to_pandas_dtype())
    parts = [_chunk(chunk, fill) for chunk in chunks]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def from_values(values: Sequence[Any]) -> pa.Array:
    """A column of Python values; texts by their buffers, for the same reason."""
    import pyarrow as pa

    if not values or not all(isinstance(value, str) for value in values):
        return pa.array(values)
    texts = [value.encode() for value in values]
    offsets = np.zeros(len(texts) + 1, dtype=np.int32)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts))]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def from_integers(values: npt.NDArray[Any], valid: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Integers as an Arrow array that shares their memory; null where they are not valid."""
    import pyarrow as pa

    kind = pa.int32() if values.dtype == np.int32 else pa.int64()
    bits = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(kind, len(values), [bits, pa.py_buffer(np.ascontiguousarray(values))])


def _chunk(chunk: pa.Array, fill: float) -> npt.NDArray[Any]:
    validity, data = chunk.buffers()
    # Numeric types only: to_pandas_dtype is NumPy's scalar type, and imports nothing.
    values = np.frombuffer(data, dtype=chunk.type.to_pandas_dtype(), count=chunk.offset + len(chunk))[chunk.offset :]
    if validity is None or chunk.null_count == 0:
        return values
    bits = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little")
    valid = bits[chunk.offset : chunk.offset + len(chunk)].astype(bool)
    return np.where(valid, values, np.asarray(fill, dtype=values.dtype))


def numbered_texts(column: pa.ChunkedArray) -> tuple[pa.Array, npt.NDArray[np.uint16], npt.NDArray[np.int32]] | None:
    """The distinct texts of a column, a key a row, and the number of every key, where texts are codes: "F", "NY", "grade 7".

    Texts of one length that differ in one or two bytes are told apart by these bytes, at a fraction of the cost of a hash of
    each. Anything else is None, found out by a look at the first rows as a rule.
    """
    import pyarrow as pa

    if column.num_chunks != 1 or len(column) < _FEW_ROWS or column.null_count:
        return None
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    chunk = column.chunk(0)
    _, ends, data = chunk.buffers()
    width = np.int64 if pa.types.is_large_string(column.type) else np.int32
    offsets = np.frombuffer(ends, dtype=width, count=chunk.offset + len(chunk) + 1)[chunk.offset :]
    first, length = int(offsets[0]), int(offsets[1] - offsets[0])
    if length == 0 or not _steps(offsets[:_SOME], length):
        return None
    some = np.frombuffer(data, dtype=np.uint8, count=length * (_SOME - 1), offset=first).reshape(-1, length)
    if int((some != some[0]).any(axis=0).sum()) > _TOLD_APART or not _steps(offsets, length):
        return None
    texts = np.frombuffer(data, dtype=np.uint8, count=length * len(chunk), offset=first)
    places = _varying(texts, length)
    if len(places) > _TOLD_APART:
        return None
    rows = texts.reshape(-1, length)
    keys = np.zeros(len(rows), dtype=np.uint16)
    seen = np.zeros(1 << 16, dtype=bool)
    for start in range(0, len(rows), BLOCK):
        block = keys[start : start + BLOCK]
        for place in places:
            block *= np.uint16(256)
            block += rows[start : start + BLOCK, place]
        seen[block] = True
    found = np.repeat(rows[:1], int(seen.sum()), axis=0)
    for i, place in enumerate(places):
        found[:, place] = np.flatnonzero(seen) >> 8 * (len(places) - 1 - i) & 255
    words = from_values([bytes(word).decode() for word in found])
    return words, keys, (np.cumsum(seen) - 1).astype(np.int32)


BLOCK = 1 << 16
"""Rows that are worked on at a time, so that what is in between stays near."""
_FEW_ROWS = 50_000  # below, a hash of every text costs next to nothing
_SOME = 4096  # rows that a first look is at
_TOLD_APART = 2  # bytes: all their values fit into a table


def _steps(offsets: npt.NDArray[Any], length: int) -> bool:
    """Whether all texts have one length."""
    blocks = (offsets[start : start + BLOCK + 1] for start in range(0, len(offsets) - 1, BLOCK))
    return all(bool((np.diff(block) == length).all()) for block in blocks)


def _varying(texts: npt.NDArray[np.uint8], length: int) -> list[int]:
    """The places at which some text differs from another: bits that are always set, or never, tell nothing."""
    together = 512  # texts, so that long rows of machine words are compared
    whole = len(texts) // (together * length) * together * length
    words = texts[:whole].view(np.uint64).reshape(-1, together * length // 8)
    rest = texts[whole:].reshape(-1, length)
    ever = np.bitwise_or.reduce(words, axis=0).view(np.uint8).reshape(-1, length)
    always = np.bitwise_and.reduce(words, axis=0).view(np.uint8).reshape(-1, length)
    ever = np.bitwise_or.reduce(np.concatenate([ever, rest]), axis=0)
    always = np.bitwise_and.reduce(np.concatenate([always, rest]), axis=0)
    return np.flatnonzero(ever != always).tolist()
