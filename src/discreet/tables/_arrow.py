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
