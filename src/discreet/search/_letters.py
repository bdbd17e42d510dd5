"""The alphabet that merging works on: which s each letter was seen with, and what the letter is worth as a number.

Engines see arrays only. Letters are numbered in the order of their labels, so that "the earliest element" of the
papers' tie rules is the lowest number and never depends on the order of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Letters:
    """Conditional ranges [[S|x]] in compressed rows, with the letters' numeric values where there are any."""

    indptr: IntArray
    indices: npt.NDArray[np.int32]
    n_s: int
    values: FloatArray | None = None
    norm: float = 2.0

    @property
    def n(self) -> int:
        """The number of letters, |[[X]]|."""
        return len(self.indptr) - 1

    def range_of(self, letter: int) -> npt.NDArray[np.int32]:
        """[[S|x]] of one letter, as sorted codes."""
        return self.indices[self.indptr[letter] : self.indptr[letter + 1]]


def canonical(labels: IntArray) -> IntArray:
    """A partition with each block named by its lowest letter; labels are whole numbers from 0, gaps allowed.

    Examples
    --------
    >>> canonical(np.array([5, 2, 5, 0, 2])).tolist()
    [0, 1, 0, 3, 1]
    """
    letters = np.arange(len(labels))
    lowest = np.empty(int(labels.max(initial=-1)) + 1, np.int64)
    lowest[labels[::-1]] = letters[::-1]  # of repeated labels the last assignment holds
    return lowest[labels]


def chosen_rows(
    indptr: IntArray, indices: npt.NDArray[np.int32], chosen: IntArray
) -> tuple[IntArray, npt.NDArray[np.int32]]:
    """Some rows of a compressed matrix, in the order asked for."""
    first = indptr[chosen]
    lengths = indptr[chosen + 1] - first
    moved = np.concatenate(([0], np.cumsum(lengths)))
    source = np.repeat(first - moved[:-1], lengths) + np.arange(moved[-1])
    return moved, indices[source]
