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


def of_dictionary(numbers: npt.NDArray[Any], dictionary: pa.Array) -> pa.ChunkedArray:
    """A column of values that are numbered already, so that nobody need look at each of them again."""
    import pyarrow as pa

    indices = from_integers(numbers.astype(np.int32, copy=False))
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, dictionary)])


def as_chunks(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray:
    """Give an Arrow column in chunks, without runs and views: Arrow cannot number these, or takes missing for empty text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if pa.types.is_run_end_encoded(found.type):
        try:
            found = pc.run_end_decode(found)
        except pa.ArrowNotImplementedError:  # runs of views
            found = pa.chunked_array([pa.array(found.to_pylist(), found.type.value_type)])
    if pa.types.is_string_view(found.type):
        return found.cast(pa.large_string())
    return found.cast(pa.large_binary()) if pa.types.is_binary_view(found.type) else found


def number_values(column: pa.ChunkedArray) -> tuple[npt.NDArray[Any], pa.Array] | None:
    """Number the values of a column: for each entry which of the distinct values it is, −1 for missing, and these values.

    Nulls are masked, never entries of a dictionary: Arrow cannot unify dictionaries that hold one. None for nested values.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        return _renumber(column)
    try:
        encoded = pc.dictionary_encode(column, null_encoding="mask")
    except pa.ArrowNotImplementedError:
        return None
    # All chunks have one dictionary. (Arrow's own unifying would confuse floats of 16 bits.)
    dictionary = encoded.chunk(0).dictionary if encoded.num_chunks else pa.array([], column.type)
    return to_numpy(pa.chunked_array([chunk.indices for chunk in encoded.chunks], pa.int32()), -1), dictionary


def _renumber(column: pa.ChunkedArray) -> tuple[npt.NDArray[Any], pa.Array] | None:
    """Number a column that has dictionaries: they may differ from chunk to chunk, repeat values, and hold nulls."""
    import pyarrow as pa

    dictionaries = [chunk.dictionary for chunk in column.chunks] or [pa.array([], column.type.value_type)]
    numbered = number_values(as_chunks(pa.chunked_array(dictionaries)))
    if numbered is None:
        return None
    number_of = np.append(numbered[0], -1).astype(np.int32)  # the last is of entries that are null
    starts = np.cumsum([0, *map(len, dictionaries)])
    parts = [np.empty(0, dtype=np.int32)]
    for chunk, start in zip(column.chunks, starts.tolist(), strict=False):
        entries = to_numpy(chunk.indices).astype(np.int64) + start
        if chunk.indices.null_count:
            entries[to_numpy(chunk.indices.is_null().cast("int8")) == 1] = -1
        parts.append(number_of[entries])
    return np.concatenate(parts), numbered[1]


def _chunk(chunk: pa.Array, fill: float) -> npt.NDArray[Any]:
    validity, data = chunk.buffers()
    # Numeric types only: to_pandas_dtype is NumPy's scalar type, and imports nothing.
    values = np.frombuffer(data, dtype=chunk.type.to_pandas_dtype(), count=chunk.offset + len(chunk))[chunk.offset :]
    if validity is None or chunk.null_count == 0:
        return values
    bits = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little")
    valid = bits[chunk.offset : chunk.offset + len(chunk)].astype(bool)
    return np.where(valid, values, np.asarray(fill, dtype=values.dtype))


BLOCK = 1 << 16
"""Rows that are worked on at a time, so that what is in between stays near."""
