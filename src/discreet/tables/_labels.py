"""Labels: what the letters of an alphabet are called, and the one order in which they stand.

Order: numbers by value, then text by code point, then other kinds by type, tuples lexicographically, missing last.
"Earliest" in the papers' tie rules is earliest in this order, so it never depends on the order of rows.
"""

from __future__ import annotations

import datetime as dt
import math
import numbers
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet._typing import IntArray

Label = Any  # any hashable value; Hashable itself would not let users sort what they get


def is_missing(value: object) -> bool:
    """None, NaN, NaT and null are one and the same: missing.

    Examples
    --------
    >>> [is_missing(v) for v in (None, float("nan"), 0, "")]
    [True, True, False, False]
    """
    if value is None:
        return True
    if isinstance(value, float | np.floating | Decimal):
        return math.isnan(value)
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    # pandas' NaT and NA are unequal to themselves or refuse comparison, and have no class that can be named here.
    return type(value).__name__ in ("NaTType", "NAType")


def order_key(label: object) -> tuple[object, ...]:
    """A sort key under which labels of any kinds compare.

    Examples
    --------
    >>> sorted(["b", 2, None, ("a", 1), 1.5, "a"], key=order_key)
    [1.5, 2, 'a', 'b', ('a', 1), None]
    """
    if label is None:
        return (9,)
    if isinstance(label, numbers.Real | Decimal):
        return (0, label)
    if isinstance(label, str):
        return (1, label)
    if isinstance(label, dt.datetime):
        return (3, label.tzinfo is not None, label)
    if isinstance(label, dt.date):
        return (2, label)
    if isinstance(label, bytes):
        return (4, label)
    if isinstance(label, dt.time):
        return (5, "time", label.isoformat())
    if isinstance(label, dt.timedelta):
        return (5, "timedelta", label)
    if isinstance(label, frozenset):
        return (5, "frozenset", tuple(sorted(order_key(part) for part in label)))
    if isinstance(label, tuple):
        return (6, tuple(order_key(part) for part in label))
    return (5, type(label).__qualname__, repr(label))


def plain(value: object) -> Label:
    """A value as a label: numpy scalars become Python's, missing becomes None, nothing else changes."""
    if is_missing(value):
        return None
    if isinstance(value, np.datetime64 | np.timedelta64):
        return _moment(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple):
        return tuple(plain(part) for part in value)
    if not isinstance(value, Hashable):
        raise TypeError(type(value).__name__)
    return value


def _moment(value: np.datetime64 | np.timedelta64) -> Label:
    """NumPy's moments as Python's, or as text where they are finer or later than Python can say."""
    micro = value.astype(f"{'datetime' if isinstance(value, np.datetime64) else 'timedelta'}64[us]")
    spoken = micro.item()
    if isinstance(spoken, int) or micro.astype(value.dtype) != value:
        return str(value)
    label: Label = spoken
    return label


@dataclass(frozen=True, eq=False)
class Alphabet:
    """The letters of S, X or A in their order; several columns give tuples.

    `columns` holds each column's own labels, sorted. With one column letter i is `columns[0][i]`; with several,
    `codes[i]` says which label of each column letter i is made of. Labels are decoded only when somebody looks.
    """

    columns: tuple[Sequence[Label] | npt.NDArray[np.generic], ...]
    codes: npt.NDArray[np.int64] | None = None
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.columns[0]) if self.codes is None else len(self.codes)

    def label(self, letter: int) -> Label:
        """The label of one letter."""
        if self.codes is None:
            return _item(self.columns[0], letter)
        return tuple(_item(column, int(code)) for column, code in zip(self.columns, self.codes[letter], strict=True))

    def labels(self) -> tuple[Label, ...]:
        """All labels, in order."""
        lists = [_listed(column) for column in self.columns]
        if self.codes is None:
            return tuple(lists[0])
        parts = [[labels[code] for code in codes.tolist()] for labels, codes in zip(lists, self.codes.T, strict=True)]
        return tuple(zip(*parts, strict=True))

    def take(self, letters: IntArray) -> Alphabet:
        """The alphabet of some of the letters, given in increasing order."""
        if len(letters) == len(self):
            return self
        if self.codes is not None:
            return Alphabet(self.columns, self.codes[letters], self.names)
        column = self.columns[0]
        kept = column[letters] if isinstance(column, np.ndarray) else [column[i] for i in letters.tolist()]
        return Alphabet((kept,), None, self.names)


def _item(column: Sequence[Label] | npt.NDArray[np.generic], index: int) -> Label:
    value = column[index]
    label: Label = value.item() if isinstance(value, np.generic) else value
    return label


def _listed(column: Sequence[Label] | npt.NDArray[np.generic]) -> Sequence[Label]:
    return column.tolist() if isinstance(column, np.ndarray) else column


def encode(values: Sequence[object] | npt.NDArray[np.generic]) -> tuple[Alphabet, IntArray]:
    """Sort the distinct labels of a sequence and number every entry by its label; labels are not converted.

    Arrays and lists of one plain type go through numpy's sort; anything hashable goes through a dictionary.

    Examples
    --------
    >>> alphabet, codes = encode(["b", "a", "b"])
    >>> alphabet.labels(), codes.tolist()
    (('a', 'b'), [1, 0, 1])
    """
    array = values if isinstance(values, np.ndarray) else _as_array(values)
    if array is not None and array.dtype.kind in "iu" and (array.dtype != np.uint64 or array.max(initial=0) < 2**63):
        return encode_integers(array)
    if array is not None and array.dtype.kind == "f" and not np.isnan(array).any():
        floats = array.astype(np.float64) + 0.0  # −0.0 and 0.0 are one label
        distinct, codes = np.unique(floats, return_inverse=True)
        return Alphabet((distinct,)), codes.astype(np.int64)
    # Distinct values first, in one pass that Python runs by itself; then only they are looked at.
    listed = values.tolist() if isinstance(values, np.ndarray) and values.dtype.kind in "USOb" else values
    place = {value: i for i, value in enumerate(dict.fromkeys(listed))}
    codes = np.fromiter(map(place.__getitem__, listed), dtype=np.int64, count=len(listed))
    seen: dict[Label, int] = {}
    merged = np.asarray([seen.setdefault(plain(value), len(seen)) for value in place], dtype=np.int64)
    return sort_labels(list(seen), merged[codes])


def encode_integers(array: npt.NDArray[np.generic]) -> tuple[Alphabet, IntArray]:
    """Number integers by rank; a table look-up instead of a sort when they lie close together."""
    integers = array.astype(np.int64, copy=False)
    if integers.size == 0:
        return Alphabet((integers,)), integers
    low, high = int(integers.min()), int(integers.max())
    if high - low < max(1 << 16, 4 * integers.size):
        shifted = integers - low if low else integers
        present = np.zeros(high - low + 1, dtype=bool)
        present[shifted] = True
        if present.all():  # without gaps every number is its rank
            return Alphabet((np.arange(low, high + 1),)), shifted
        rank = np.cumsum(present) - 1
        return Alphabet((np.flatnonzero(present) + low,)), rank[shifted]
    distinct, codes = np.unique(integers, return_inverse=True)
    return Alphabet((distinct,)), codes.astype(np.int64)


def sort_labels(labels: list[Label], first: IntArray) -> tuple[Alphabet, IntArray]:
    """Put distinct labels into order, and renumber the entries that pointed at them."""
    try:
        # Homogeneous labels sort by themselves, many times faster than by key.
        kinds = set(map(type, labels))
        if len(kinds) > 1 or not kinds <= {int, float, str, dt.date, bytes}:
            raise TypeError
        ranked = sorted(range(len(labels)), key=labels.__getitem__)
    except TypeError:
        ranked = sorted(range(len(labels)), key=lambda i: order_key(labels[i]))
    rank = np.empty(len(labels), dtype=np.int64)
    rank[ranked] = np.arange(len(labels))
    return Alphabet(([labels[i] for i in ranked],)), rank[first] if len(first) else first


def _as_array(values: Iterable[object]) -> npt.NDArray[np.generic] | None:
    kinds = set(map(type, values))
    if kinds == {int}:
        array = np.asarray(values)
        return array if array.dtype.kind == "i" else None  # integers past 64 bits keep to the dictionary
    if kinds == {float}:
        return np.asarray(values, dtype=np.float64)
    return None


def combine(parts: Sequence[tuple[Alphabet, IntArray]], names: Sequence[str]) -> tuple[Alphabet, IntArray]:
    """One alphabet of several columns: tuples of their labels, in lexicographic order."""
    if len(parts) == 1:
        alphabet, codes = parts[0]
        return Alphabet(alphabet.columns, alphabet.codes, tuple(names)), codes
    letters = row_numbers([codes for _, codes in parts])
    representative = np.empty(int(letters.max(initial=-1)) + 1, dtype=np.int64)
    representative[letters] = np.arange(len(letters))
    stacked = np.stack([codes[representative] for _, codes in parts], axis=1)
    return Alphabet(tuple(alphabet.columns[0] for alphabet, _ in parts), stacked, tuple(names)), letters


def row_numbers(columns: Sequence[IntArray]) -> IntArray:
    """Rows of codes, numbered from 0 in lexicographic order; equal rows have one number.

    Examples
    --------
    >>> row_numbers([np.array([1, 0, 1]), np.array([0, 5, 0])]).tolist()
    [1, 0, 1]
    """
    key = columns[0].astype(np.int64)  # a copy, which is worked on in place
    for codes in columns[1:]:
        size = int(codes.max(initial=0)) + 1
        # Compress before the mixed-radix key can overflow.
        if int(key.max(initial=0)) >= (1 << 62) // size:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
        key *= size
        key += codes
    return encode_integers(key)[1]
