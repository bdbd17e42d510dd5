"""Whole-number arithmetic for the merging engines: exact sums, hence exact ties and no drift.

Costs of merges and moves are sums of h(k) = k log2 k of counts (SPEC 8). Here h is a whole number of units of 2^-q bits:
each prime's logarithm is rounded once and log2 k is the sum over k's prime factors. Logarithms of primes are linearly
independent over the rationals, so two sums of h are equal in this arithmetic whenever they are equal in truth, however
the blocks were put together; "ties go to the earliest blocks" then means what it says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray
from discreet.search.information._weights import Weights, merged_rows

TABLE = 1 << 22
"""Entries of the table of h; larger counts take a logarithm each."""

FINEST = 40
"""q, the binary places of h, where the counts leave room for as many."""

COARSEST = 20
"""Below this many places the table would lose more than it saves, and every h is a logarithm, rounded once."""

RESOLUTION = 1 << 44
"""Masses that are no multiples of one number become counts that sum to about this."""


@dataclass(frozen=True, eq=False)
class Integers:
    """Weights as whole numbers without a common divisor, and h in units of 2^-q bits."""

    indptr: IntArray
    indices: npt.NDArray[np.int32]
    count: IntArray
    n_s: int
    unit: float
    """The weight of one count."""
    table: IntArray
    """h(0), h(1), … in units of `scale`; h of larger counts is computed."""
    scale: float
    """2^q."""

    @property
    def n(self) -> int:
        """The number of letters."""
        return len(self.indptr) - 1

    @property
    def total(self) -> int:
        """N in counts."""
        return int(self.count.sum())

    def h(self, counts: IntArray) -> IntArray:
        """h of counts."""
        small = counts < len(self.table)
        found = np.zeros(len(counts), np.int64)
        found[small] = self.table[counts[small]]
        large = counts[~small].astype(np.float64)
        found[~small] = np.rint(large * np.log2(np.maximum(large, 1.0)) * self.scale).astype(np.int64)
        return found

    def bits(self, value: IntArray | int) -> FloatArray:
        """N times an amount of information, in units of h, as bits."""
        return np.asarray(value, np.float64) / (self.scale * self.total)

    def information(self, block_of: IntArray) -> tuple[int, int]:
        """N·I(S;X̂) and N·H(X̂) of a partition, in units of h."""
        cell = block_of[np.repeat(np.arange(self.n), np.diff(self.indptr))] * np.int64(self.n_s) + self.indices
        inside = self._sum_of_h(cell)
        by_block = self._sum_of_h(block_of, self.of_letter)
        everything = int(self.h(np.array([self.total]))[0])
        by_s = self._sum_of_h(self.indices.astype(np.int64))
        return everything - by_s + inside - by_block, everything - by_block

    def _sum_of_h(self, key: IntArray, count: IntArray | None = None) -> int:
        _, where = np.unique(key, return_inverse=True)
        sums = np.zeros(int(where.max()) + 1, np.int64)
        np.add.at(sums, where, self.count if count is None else count)
        return int(self.h(sums).sum())

    def merged(self, block_of: IntArray) -> tuple[Integers, IntArray]:
        """The same for a partition's blocks, in the order of their lowest letters, and those letters."""
        names = np.unique(block_of)
        if len(names) == self.n:
            return self, names
        indptr, indices, count = merged_rows(self.indptr, self.indices, self.count, block_of)
        return replace(self, indptr=indptr, indices=indices, count=count), names

    @property
    def of_letter(self) -> IntArray:
        """N_x in counts."""
        return np.asarray(np.add.reduceat(self.count, self.indptr[:-1]))

    def alike(self) -> IntArray:
        """For each letter the earliest letter with the same p(s|x), compared exactly."""
        divisor = np.gcd.reduceat(self.count, self.indptr[:-1])
        ratio = self.count // np.repeat(divisor, np.diff(self.indptr))
        first: dict[tuple[bytes, bytes], int] = {}
        found = np.empty(self.n, np.int64)
        for x in range(self.n):
            row = slice(self.indptr[x], self.indptr[x + 1])
            found[x] = first.setdefault((self.indices[row].tobytes(), ratio[row].tobytes()), x)
        return found


@lru_cache(maxsize=4)
def integers_of(weights: Weights) -> Integers:
    """The weights in whole numbers: as they are, or as multiples of one number, or rounded to 2^-44 of the total."""
    count, unit = _counts(weights)
    divisor = int(np.gcd.reduce(count))
    count //= divisor
    total = int(count.sum())
    room = 61 - math.ceil(math.log2(2 * total * max(1.0, math.log2(total))))
    places = min(FINEST, room)
    if places >= COARSEST:
        from discreet.search._kernels.rows import table_of_h

        table = table_of_h(min(total + 1, TABLE), 2.0**places)
    else:
        table = np.zeros(2, np.int64)
    return Integers(weights.indptr, weights.indices, count, weights.n_s, unit * divisor, table, math.ldexp(1.0, places))


def _counts(weights: Weights) -> tuple[IntArray, float]:
    known = whole_counts(weights)
    if known is not None:
        return known
    unit = weights.total / RESOLUTION
    return np.maximum(1, np.rint(weights.weight / unit)).astype(np.int64), unit


def whole_counts(weights: Weights) -> tuple[IntArray, float] | None:
    """Weights that are multiples of one, of the least of them or of a power of ten: how many, and of what."""
    if weights.is_integral:
        return weights.weight.astype(np.int64), 1.0
    for unit in (float(weights.weight.min()), *(10.0**-place for place in range(1, 10))):
        multiple = weights.weight / unit
        whole = np.rint(multiple)
        if whole.min() >= 1 and np.abs(multiple - whole).max() <= 1e-9 and whole.sum() < TABLE:
            return whole.astype(np.int64), unit
    return None
