"""Arrow columns as NumPy arrays, by their buffers: pyarrow's own conversion imports pandas wherever it is installed."""

from __future__ import annotations

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


def _chunk(chunk: pa.Array, fill: float) -> npt.NDArray[Any]:
    validity, data = chunk.buffers()
    # Numeric types only: to_pandas_dtype is NumPy's scalar type, and imports nothing.
    values = np.frombuffer(data, dtype=chunk.type.to_pandas_dtype(), count=chunk.offset + len(chunk))[chunk.offset :]
    if validity is None or chunk.null_count == 0:
        return values
    bits = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little")
    valid = bits[chunk.offset : chunk.offset + len(chunk)].astype(bool)
    return np.where(valid, values, np.asarray(fill, dtype=values.dtype))
