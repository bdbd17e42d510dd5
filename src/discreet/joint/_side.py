"""Side information: counts of S against the pairs (x, a) that occur, for an adversary who knows A already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._typing import IntArray
from discreet.joint._matrices import matrix_of
from discreet.tables._labels import Alphabet, encode_integers

if TYPE_CHECKING:
    from scipy import sparse


class Side:
    """Counts of S against the pairs (x, a) that occur: what an adversary with side information sees."""

    def __init__(self, a: Alphabet, counts: sparse.csc_array, x_of: IntArray, a_of: IntArray) -> None:
        self.a = a
        self.counts = counts
        self.x_of = x_of  # the x and the a of every column of counts
        self.a_of = a_of

    @classmethod
    def build(
        cls, a: tuple[Alphabet, IntArray], s: npt.NDArray[Any], x: IntArray, weights: npt.NDArray[Any], n_s: int
    ) -> Side:
        """From codes and counts of distinct (s, x, a); A comes with its alphabet."""
        axis, codes = a
        pairs, columns = encode_integers(x.astype(np.int64) * len(axis) + codes)
        keys = np.asarray(pairs.columns[0])
        return cls(axis, matrix_of(s, columns, weights, shape=(n_s, len(keys))), keys // len(axis), keys % len(axis))

    def with_x(self, letter_of: IntArray, n_s: int) -> Side:
        """After the letters of X are renumbered."""
        column = np.repeat(np.arange(len(self.x_of)), np.diff(self.counts.indptr))
        a = (self.a, self.a_of[column])
        return Side.build(a, self.counts.indices, letter_of[self.x_of[column]], self.counts.data, n_s)

    def with_s(self, letter_of: IntArray, n_s: int) -> Side:
        """After the letters of S are renumbered."""
        column = np.repeat(np.arange(len(self.x_of)), np.diff(self.counts.indptr))
        counts = matrix_of(letter_of[self.counts.indices], column, self.counts.data, shape=(n_s, len(self.x_of)))
        return Side(self.a, counts, self.x_of, self.a_of)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Side):
            return NotImplemented
        return (
            self.a.labels() == other.a.labels()
            and np.array_equal(self.x_of, other.x_of)
            and np.array_equal(self.a_of, other.a_of)
            and np.array_equal(self.counts.indices, other.counts.indices)
            and np.array_equal(self.counts.data, other.counts.data)
        )

    __hash__ = None  # type: ignore[assignment]
