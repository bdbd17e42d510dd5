"""The agglomerative algorithms of [AC, V]: merge letters step by step, and keep the whole path.

For Algorithms 1 and 2 the multiplier only says where to stop, so one path holds the answer for every
multiplier (SPEC 3); `MergePath.cut` finds it. For problem (7) the multiplier steers the merges and each
multiplier has its own path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet._typing import Codeword, Cost, FloatArray, IntArray
from discreet.release._partitions import Merged
from discreet.search._letters import Letters
from discreet.search.ranges._greedy.whole_values import lattice_of

if TYPE_CHECKING:
    from discreet.search.ranges._greedy.blocks import Blocks

Leakage = Literal["L0", "I*"]


def change_of_lagrangian(leaked: FloatArray, lost: FloatArray, multiplier: float) -> FloatArray:
    """ΔL of each step after the first partition [AC, Alg 1 line 11; Alg 2 line 5]; both axes up to constants."""
    change: FloatArray = np.diff(leaked) + multiplier * np.diff(lost)
    return change


def stopping_step(leaked: FloatArray, lost: FloatArray, multiplier: float) -> int:
    """The step at which the paper's algorithms stop: the last before the first with ΔL ≥ 0."""
    rising = np.flatnonzero(change_of_lagrangian(leaked, lost, multiplier) >= 0.0)
    return int(rising[0]) if len(rising) else len(leaked) - 1


@dataclass(frozen=True, eq=False)
class MergePath:
    """Every merge of a run, and what the partition was worth after each step.

    Merge t joins the block named `left[t]` with the one named `right[t]`, left < right, and the result is
    named `left[t]`: a block's name is its lowest letter. Step i is over after `step[i]` merges; step 0 is the
    finest partition. A step is a round for Algorithm 1, one merge for Algorithm 2 and problem (7).
    """

    n: int
    left: IntArray
    right: IntArray
    step: IntArray
    distinct: IntArray
    """Fewest distinct s in a block, min |[[S|block]]|."""
    components: IntArray
    """Components of the bipartite graph of the support."""
    size: IntArray
    """Letters in the largest block."""
    distortion: FloatArray
    """Largest distance of a letter to its codeword, in the units of the values; NaN where there are none."""

    def __len__(self) -> int:
        """The number of steps, the finest partition among them."""
        return len(self.step)

    def __repr__(self) -> str:
        return f"MergePath(n={self.n}, steps={len(self)}, merges={len(self.left)})"

    def partition(self, step: int) -> IntArray:
        """The block of each letter, by the block's name, after a step (negative steps count from the end)."""
        return self.store.partition(range(len(self))[step])

    @property
    def store(self) -> Merged:
        """The partitions of all steps."""
        return Merged(np.arange(self.n), self.left, self.right, self.step)

    def delta(self, multiplier: float, leakage: Leakage, cost: Cost) -> FloatArray:
        """ΔL of each step after the first partition [AC, Alg 1 line 11; Alg 2 line 5], in bits.

        L = leakage - multiplier · utility, with U1 = log2 n - log2 size or U2 = -distortion; leakage L0 =
        log2 |[[S]]| - log2 distinct or I* = log2 components.
        """
        return change_of_lagrangian(*self._axes(leakage, cost), multiplier)

    def _axes(self, leakage: Leakage, cost: Cost) -> tuple[FloatArray, FloatArray]:
        """What leaks and what is lost at each step, up to constants."""
        leaked: FloatArray = -np.log2(self.distinct) if leakage == "L0" else np.log2(self.components)
        lost: FloatArray = np.log2(self.size) if cost == "size" else self.distortion
        return leaked, lost

    def cut(self, multiplier: float, leakage: Leakage, cost: Cost) -> int:
        """The step at which the paper's algorithm stops: the last before the first with ΔL ≥ 0.

        Raises ValueError for a multiplier below 0 or not a number, and for a distortion that the path does
        not know.
        """
        if not multiplier >= 0.0:
            raise ValueError(f"the multiplier must be a number of at least 0, not {multiplier}")
        if cost == "distortion" and np.isnan(self.distortion[0]):
            raise ValueError("the path has no distortion: its letters had no values")
        return stopping_step(*self._axes(leakage, cost), multiplier)


def _blocks(letters: Letters, cost: Cost, codeword: Codeword) -> tuple[Blocks, float, bool]:
    """Single-letter blocks on the lattice, lattice steps in a unit, and whether all whole numbers are exact
    floats.
    """
    from discreet.search.ranges._greedy.blocks import BALL, BOX, CENTROID, MEDOID, SIZE, new_blocks

    if letters.values is None:
        if cost == "distortion":
            raise ValueError("distortion needs a value for every letter")
        return new_blocks(SIZE, 2, np.zeros((letters.n, 1), dtype=np.int64)), np.nan, True
    if not np.isfinite(letters.values).all():
        raise ValueError("a letter's value is missing or infinite")
    norms = {1.0: 1, 2.0: 2, np.inf: 0}
    if letters.norm not in norms:
        raise ValueError(f"the norm must be 1, 2 or infinity, not {letters.norm}")
    norm = norms[letters.norm]
    lattice = lattice_of(letters.values)
    points, columns = lattice.points, lattice.points.shape[1]
    kind = {"centroid": CENTROID, "medoid": MEDOID, "chebyshev": BOX}[codeword]
    if kind == BOX and columns > 1 and norm == 2:
        kind = BALL
    if kind == BOX and columns > 1 and norm == 1:
        if columns > 2:
            raise ValueError("the Chebyshev centre for the l_1 norm is offered for one or two columns")
        # A quarter turn of the plane makes l_1 the maximum norm, whose centre is the midrange.
        points = np.column_stack((points[:, 0] + points[:, 1], points[:, 0] - points[:, 1]))
    exact = float(points.max() - points.min()) * len(points) * 4.0 < 2.0**53
    return new_blocks(kind, norm, points), lattice.steps_per_unit, exact


def _path(
    n: int, left: IntArray, right: IntArray, log: IntArray, distortion: FloatArray, steps_per_unit: float
) -> MergePath:
    step, distinct, components, size = (np.ascontiguousarray(column) for column in log.T)
    return MergePath(n, left, right, step, distinct, components, size, distortion / steps_per_unit)


def merge_path(letters: Letters, leakage: Leakage, cost: Cost, codeword: Codeword = "centroid") -> MergePath:
    """Algorithm 1 (leakage "L0") or Algorithm 2 ("I*") of [AC], to the end, with SPEC 3's rules for ties.

    Parameters: the letters; the leakage to lower; the cost that a merge should raise least, "size" for U1 and
    "distortion" for U2; the codeword of a block, which U2's distortion is measured to.

    Returns the path. Algorithm 1 ends when every block has the range [[S]], Algorithm 2 when one component is
    left. Costs are compared as `whole_values.py` defines them, so the path does not depend on rounding in sums.

    Raises ValueError for distortion without values, values that are not finite, or a norm that is not
    offered.
    """
    blocks, steps_per_unit, exact = _blocks(letters, cost, codeword)
    by_size = cost == "size"
    indptr, indices, n_s = letters.indptr, letters.indices, letters.n_s
    if leakage == "L0":
        from discreet.search.ranges._greedy.rounds import rounds

        left, right, log, distortion = rounds(blocks, by_size, indptr, indices, n_s, exact)
        return _path(letters.n, left, right, log, distortion, steps_per_unit)
    if by_size:
        from discreet.search.ranges._greedy.joining import join_components_by_size

        pairs, log, distortion = join_components_by_size(blocks, indptr, indices, n_s)
    else:
        from discreet.search.ranges._greedy.levels import join_components_by_distortion

        pairs, log, distortion = join_components_by_distortion(blocks, indptr, indices, n_s, exact)
    return _path(letters.n, pairs[:, 0].copy(), pairs[:, 1].copy(), log, distortion, steps_per_unit)


def merge_connected(letters: Letters, cost: Cost, multiplier: float, codeword: Codeword = "centroid") -> MergePath:
    """Problem (7) of [AC]: lower L0 while joining components, until I* = 0, for one multiplier.

    Pairs of blocks in different components, in the order of ΔL of [AC, (9)]; ties by SPEC 3.

    Raises ValueError as `merge_path` does, and for a multiplier below 0 or not a number.
    """
    if not multiplier >= 0.0:
        raise ValueError(f"the multiplier must be a number of at least 0, not {multiplier}")
    from discreet.search.ranges._greedy.blocks import SIZE
    from discreet.search.ranges._greedy.connected import connect

    blocks, steps_per_unit, exact = _blocks(letters, cost, codeword)
    costing, unit = (blocks._replace(kind=SIZE), 0.0) if cost == "size" else (blocks, steps_per_unit)
    pairs, log, distortion = connect(
        blocks, costing, letters.indptr, letters.indices, letters.n_s, float(multiplier), unit, exact
    )
    return _path(letters.n, pairs[:, 0].copy(), pairs[:, 1].copy(), log, distortion, steps_per_unit)
