"""Letters: the distinct combinations of public codes with their records, and how often each goes with a sensitive value.

Records with the same public values always stay together, so that a release is a function of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.search.tables._columns import CodeArray, IntArray


@dataclass(frozen=True, eq=False)
class Sensitive:
    """How often each letter goes with each value of one sensitive column, in compressed rows.

    Attributes
    ----------
    indptr, value, count
        Letter x goes with value[e] count[e] times, for e from indptr[x] to indptr[x + 1].
    size
        Number of sensitive values.
    """

    indptr: IntArray
    value: IntArray
    count: IntArray
    size: int


@dataclass(frozen=True, eq=False)
class Letters:
    """Distinct combinations of public codes.

    Attributes
    ----------
    codes
        (m, d), distinct rows in lexicographic order.
    counts
        (m,), the records of each letter.
    sensitive
        One entry a sensitive column.
    """

    codes: CodeArray
    counts: IntArray
    sensitive: tuple[Sensitive, ...] = ()

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or len(self.codes) != len(self.counts) or not len(self.counts):
            raise InputError("a table needs at least one record, and every letter its codes and its count")
        if self.counts.min() < 1:
            raise InputError("every letter needs at least one record")

    @property
    def size(self) -> int:
        """Number of letters, m."""
        return len(self.counts)

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @classmethod
    def from_records(cls, public: npt.ArrayLike, sensitive: Sequence[npt.ArrayLike] = ()) -> tuple[Letters, IntArray]:
        """Letters of a table of codes, and the letter of each record.

        Parameters
        ----------
        public
            (records, d) codes.
        sensitive
            For each sensitive column the codes of the records.
        """
        rows = np.asarray(public, dtype=np.int32)
        if rows.ndim != 2 or not rows.size:
            raise InputError("a table needs at least one record and one public column")
        letter_of, first, counts = _distinct(rows)
        found = [_sensitive(letter_of, np.asarray(codes, dtype=np.int64), len(counts)) for codes in sensitive]
        return cls(np.ascontiguousarray(rows[first]), counts, tuple(found)), letter_of

    def check(self, sizes: Sequence[int]) -> None:
        """Refuse codes that their columns do not have."""
        if self.codes.shape[1] != len(sizes):
            raise InputError(f"the letters have {self.codes.shape[1]} columns, the description has {len(sizes)}")
        if self.codes.min() < 0 or np.any(self.codes.max(axis=0) >= np.asarray(sizes)):
            raise InputError("a code lies outside its column")


def _distinct(rows: CodeArray) -> tuple[IntArray, IntArray, IntArray]:
    """For each row the number of its combination, in lexicographic order; for each combination a row and its count."""
    widths = rows.max(axis=0).astype(np.int64) + 1
    if np.prod(widths.astype(np.float64)) < 2**62:
        key = np.zeros(len(rows), dtype=np.int64)
        for c, width in enumerate(widths):
            key *= width
            key += rows[:, c]
        _, first, letter_of, counts = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    else:
        _, first, letter_of, counts = np.unique(
            rows, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
    return letter_of.ravel().astype(np.int64), first.astype(np.int64), counts.astype(np.int64)


def _sensitive(letter_of: IntArray, codes: IntArray, letters: int) -> Sensitive:
    if len(codes) != len(letter_of) or codes.min() < 0:
        raise InputError("a sensitive column needs a code for every record")
    size = int(codes.max()) + 1
    pairs, count = np.unique(letter_of * size + codes, return_counts=True)
    indptr = np.searchsorted(pairs, np.arange(letters + 1) * size)
    return Sensitive(indptr.astype(np.int64), (pairs % size).astype(np.int64), count.astype(np.int64), size)
