"""What the funnel's engines work on: how often each s was seen with each letter, and the information of a partition.

Everything is a sum over blocks of h(y) = y log2 y of counts (SPEC 8): with N records, t_B the counts of block B by s and
|t_B| their sum, N·I(S;X̂) = h(N) − Σ_s h(N_s) + Σ_B [Σ_s h(t_B,s) − h(|t_B|)] and N·H(X̂) = h(N) − Σ_B h(|t_B|). A policy
is a function of X, so I(X;X̂) = H(X̂).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.joint._joint import Joint

Amount = TypeVar("Amount", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class Weights:
    """Counts (or masses) in compressed rows by letter: the s seen with letter x, and how often. No letter is empty."""

    indptr: IntArray
    indices: npt.NDArray[np.int32]
    weight: FloatArray  # positive; whole numbers where `is_integral`
    n_s: int

    @property
    def n(self) -> int:
        """The number of letters, |X|."""
        return len(self.indptr) - 1

    @cached_property
    def is_integral(self) -> bool:
        """Whether every weight is a whole number, so that a table of h(0), h(1), … h(N) replaces every logarithm."""
        return bool((self.weight == np.rint(self.weight)).all()) and self.total < 2**53

    @cached_property
    def total(self) -> float:
        """N, the weight of everything."""
        return float(self.weight.sum())

    @cached_property
    def of_letter(self) -> FloatArray:
        """N_x, the weight of each letter."""
        return np.add.reduceat(self.weight, self.indptr[:-1])

    @cached_property
    def of_s(self) -> FloatArray:
        """N_s, the weight of each s."""
        return np.bincount(self.indices, weights=self.weight, minlength=self.n_s).astype(np.float64)

    @cached_property
    def letter_of_pair(self) -> IntArray:
        """The letter of every stored pair."""
        return np.repeat(np.arange(self.n), np.diff(self.indptr))

    def merged(self, block_of: IntArray) -> Weights:
        """The weights of a partition's blocks, in the order of their earliest letters."""
        return Weights(*merged_rows(self.indptr, self.indices, self.weight, block_of), self.n_s)

    @cached_property
    def leakage(self) -> float:
        """I(S;X), in bits."""
        h = h_of
        inside = h(self.weight).sum() - h(self.of_letter).sum()
        return max(0.0, float(h(np.array([self.total]))[0] - h(self.of_s).sum() + inside) / self.total)

    @cached_property
    def entropy(self) -> float:
        """H(X), in bits."""
        return max(0.0, float(h_of(np.array([self.total]))[0] - h_of(self.of_letter).sum()) / self.total)

    @cached_property
    def entropy_of_s(self) -> float:
        """H(S), in bits."""
        return max(0.0, float(h_of(np.array([self.total]))[0] - h_of(self.of_s).sum()) / self.total)


def merged_rows(
    indptr: IntArray, indices: npt.NDArray[np.int32], amount: npt.NDArray[Amount], block_of: IntArray
) -> tuple[IntArray, npt.NDArray[np.int32], npt.NDArray[Amount]]:
    """Compressed rows of a partition's blocks, in the order of their earliest letters, from those of the letters."""
    names, block = np.unique(block_of, return_inverse=True)
    n_s = np.int64(indices.max(initial=0)) + 1
    cells, where = np.unique(np.repeat(block, np.diff(indptr)) * n_s + indices, return_inverse=True)
    summed = np.zeros(len(cells), amount.dtype)
    np.add.at(summed, where, amount)
    starts = np.searchsorted(cells // n_s, np.arange(len(names) + 1)).astype(np.int64)
    return starts, (cells % n_s).astype(np.int32), summed


def h_of(y: FloatArray) -> FloatArray:
    """h(y) = y log2 y, with h(0) = 0."""
    positive = y > 0
    found = np.zeros_like(y, dtype=np.float64)
    np.log2(y, out=found, where=positive)
    return found * y


def information(weights: Weights, block_of: IntArray) -> tuple[float, float]:
    """(I(S;X̂), I(X;X̂)) of a partition, in bits, computed from its blocks alone."""
    blocks = weights.merged(block_of)
    return blocks.leakage, blocks.entropy


def weights_of(joint: Joint, leakage: str = "I") -> Weights:
    """The counts of a joint by letter."""
    if not joint.has_counts:
        raise InputError(
            f"leakage {leakage!r} weighs values by how often they occur, and this joint has only a support: build it from "
            "counts, or use leakage 'L0' or 'I*'"
        )
    counts = joint.counts
    return Weights(
        counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data.astype(np.float64), joint.n_s
    )
