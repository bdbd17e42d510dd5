"""One column of a table -> its sorted labels and a code an entry, whatever engine or dtype it came from.

1, 1.0 and "1" are one label; text becomes numbers (or dates) only when every value of the column survives the way
there and back, so "01234" stays text; NaN, NaT, null and the texts named by `na` are all `None`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray
from discreet.errors import TableError
from discreet.tables._arrow import as_chunks, number_values, to_numpy
from discreet.tables._canonical import EXACT, canonical
from discreet.tables._labels import Alphabet, Label, encode_integers, is_missing, plain, sort_labels

if TYPE_CHECKING:
    import pyarrow as pa


def encode_column(
    values: pa.ChunkedArray | IntArray | Sequence[object], na: frozenset[str]
) -> tuple[Alphabet, IntArray]:
    """Number a column's entries by their canonical label.

    Examples
    --------
    >>> alphabet, codes = encode_column(["2", "10", "?", "2.0"], frozenset({"?"}))
    >>> alphabet.labels(), codes.tolist()
    ((2, 10, None), [0, 1, 2, 0])
    """
    if isinstance(values, np.ndarray) and not na:
        return encode_integers(values)
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if not isinstance(values, list | tuple):
        return _encode_arrow(values, na)
    if set(map(type, values)) <= {str, int, float, type(None)}:
        # Plain values: Python finds the distinct ones by itself (1 and 1.0 are one label in any case).
        place = {value: i for i, value in enumerate(dict.fromkeys(values))}
        codes = np.fromiter(map(place.__getitem__, values), dtype=np.int64, count=len(values))
        return _relabel([_simple(value) for value in place], codes, na)
    seen: dict[Label, int] = {}
    codes = np.empty(len(values), dtype=np.int64)
    for i, value in enumerate(values):
        # The type is part of the key, so that True and 1 meet only if canonical() says so.
        label = _simple(value)
        codes[i] = seen.setdefault((type(label), label), len(seen))
    return _relabel([key[1] for key in seen], codes, na)


def _encode_arrow(column: pa.ChunkedArray, na: frozenset[str]) -> tuple[Alphabet, IntArray]:
    import pyarrow as pa

    column = as_chunks(column)
    kind = column.type
    if pa.types.is_integer(kind) and not na and kind != pa.uint64() and column.null_count == 0:
        return encode_integers(to_numpy(column))
    if pa.types.is_floating(kind) and not na:
        return _encode_floats(column)
    numbered = number_values(column)
    if numbered is None:  # nested values
        return encode_column(column.to_pylist(), na)
    return _relabel_used(_python_values(numbered[1]), numbered[0], na)


def _python_values(distinct: pa.Array) -> list[object]:
    import pyarrow as pa

    if pa.types.is_float32(distinct.type) or pa.types.is_float16(distinct.type):
        return [float(str(value)) for value in to_numpy(distinct)]
    if pa.types.is_timestamp(distinct.type) and distinct.type.unit == "ns":
        whole = to_numpy(distinct.cast(pa.int64()))
        if np.any(whole % 1000):  # finer than Python's datetime: keep every digit, as text that sorts in time
            return [str(np.datetime64(int(value), "ns")) for value in whole]
        distinct = distinct.cast(pa.timestamp("us", distinct.type.tz))
    if pa.types.is_duration(distinct.type) and distinct.type.unit == "ns":
        return [int(value) for value in to_numpy(distinct.cast(pa.int64()))]
    values: list[object] = distinct.to_pylist()
    return values


def _encode_floats(column: pa.ChunkedArray) -> tuple[Alphabet, IntArray]:
    import pyarrow as pa

    narrow = pa.types.is_float32(column.type) or pa.types.is_float16(column.type)
    array = to_numpy(column, np.nan)
    distinct, codes = np.unique(array + array.dtype.type(0), return_inverse=True)  # −0.0 becomes 0.0, NaN is last
    if narrow:  # 0.1 stored in 32 bits is the label 0.1, not its 64-bit expansion
        distinct = np.array([float(str(value)) for value in distinct], dtype=np.float64)
    present = distinct[~np.isnan(distinct)]
    labels: npt.NDArray[np.generic] = _whole(present)
    if len(present) == len(distinct):
        return Alphabet((labels,)), codes.astype(np.int64)
    return Alphabet(([*labels.tolist(), None],)), codes.astype(np.int64)


def _whole(floats: FloatArray) -> npt.NDArray[np.generic]:
    """Floats that are all whole numbers are labelled by integers."""
    if floats.size and np.isfinite(floats).all() and (np.abs(floats) < EXACT).all() and (floats % 1 == 0).all():
        return floats.astype(np.int64)
    return floats


def _relabel_used(values: list[object], codes: IntArray, na: frozenset[str]) -> tuple[Alphabet, IntArray]:
    """Drop the dictionary entries that no row uses; −1 is missing."""
    used = np.zeros(len(values) + 1, dtype=bool)
    used[codes] = True  # −1 marks the last
    kept: list[object] = [value for value, is_used in zip(values, used[:-1].tolist(), strict=True) if is_used]
    if used[-1]:
        kept.append(None)
    # What becomes of every entry is found for the dictionary; the many codes are looked up once.
    alphabet, final = _relabel([_simple(value) for value in kept], np.arange(len(kept)), na)
    position = np.cumsum(used) - 1
    return alphabet, final[position][codes] if len(codes) else codes


def _relabel(values: Sequence[Label], codes: IntArray, na: frozenset[str]) -> tuple[Alphabet, IntArray]:
    """Make distinct raw values canonical, join those that now agree, and sort."""
    labels = canonical(values, na)
    seen: dict[Label, int] = {}
    merged = np.asarray([seen.setdefault(label, len(seen)) for label in labels], dtype=np.int64)
    return sort_labels(list(seen), merged[codes] if len(codes) else codes)


def _simple(value: object) -> Label:
    """A cell as a hashable Python value."""
    if type(value) is str:
        return value
    if is_missing(value):
        return None
    if isinstance(value, np.generic):
        return _simple(plain(value))
    if isinstance(value, list | tuple):
        return tuple(_simple(part) for part in value)
    if isinstance(value, dict):
        return tuple((key, _simple(part)) for key, part in sorted(value.items(), key=lambda item: str(item[0])))
    if isinstance(value, set | frozenset):
        return frozenset(_simple(part) for part in value)
    if hasattr(value, "to_pydatetime"):
        return _timestamp(value)
    if hasattr(value, "to_timestamp") and hasattr(value, "ordinal"):  # pandas' Period: a stretch of time has a name
        return str(value)
    if hasattr(value, "to_pytimedelta"):
        pause: Label = value.to_pytimedelta()
        return pause
    try:
        hash(value)
    except TypeError:
        raise TableError(f"a cell of type {type(value).__name__} cannot be a label: use text or numbers") from None
    return value


def _timestamp(value: Any) -> Label:
    """pandas' Timestamp as Python's datetime, or as text where it is finer than that."""
    moment: dt.datetime = value.to_pydatetime(warn=False)
    return str(np.datetime64(value.value, "ns")) if value.nanosecond else moment
