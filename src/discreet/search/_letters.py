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


def chosen_rows(
    indptr: IntArray, indices: npt.NDArray[np.int32], chosen: IntArray
) -> tuple[IntArray, npt.NDArray[np.int32]]:
    """Some rows of a compressed matrix, in the order asked for."""
    first = indptr[chosen]
    lengths = indptr[chosen + 1] - first
    moved = np.concatenate(([0], np.cumsum(lengths)))
    source = np.repeat(first - moved[:-1], lengths) + np.arange(moved[-1])
    return moved, indices[source]
