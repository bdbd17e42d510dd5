"""What every optimiser returns: one policy for each level of privacy, its cost, and a proven bound on any policy's."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from discreet._typing import BoolArray, FloatArray, IntArray
from discreet.release._partitions import Store

RESOLUTION = 1e-9  # relative: costs closer than this are equal, here and in a proof


@dataclass(frozen=True, eq=False)
class Optimised:
    """Policies for a list of levels.

    Attributes
    ----------
    levels
        What each policy promises: k distinct s in every block (L0), or the number of components left (I*).
    reached
        What each policy has: at least as many distinct s as promised, sometimes more, or that many components.
    cost
        The largest block, or the distortion, recomputed from the partition.
    bound
        No policy that keeps the promise costs less. `cost == bound` proves optimality.
    """

    levels: IntArray
    reached: IntArray
    cost: FloatArray
    bound: FloatArray
    store: Store = field(repr=False)

    def __len__(self) -> int:
        return len(self.levels)

    def partition(self, i: int) -> IntArray:
        """The i-th policy as `block_of`, each block named by its lowest letter."""
        return self.store.partition(range(len(self))[i])

    @property
    def proven(self) -> BoolArray:
        """Whether each policy is optimal."""
        return np.asarray(self.cost - self.bound <= RESOLUTION * self.cost)

    @property
    def gap(self) -> FloatArray:
        """cost / bound - 1: how far from optimal each policy may be (0 where both are 0)."""
        ratio = np.divide(self.cost, self.bound, out=np.full(len(self), np.inf), where=self.bound > 0)
        return np.where(self.cost <= self.bound, 0.0, ratio - 1.0)


def serve_weaker(cost: FloatArray) -> IntArray:
    """For levels sorted from weak to strong: which level's policy to use for each.

    A policy with k+1 distinct s in every block also has k, so the cheapest policy among the stronger levels serves;
    ties keep the level's own.
    """
    source = np.arange(len(cost))
    for i in range(len(cost) - 2, -1, -1):
        if cost[source[i + 1]] < cost[i]:
            source[i] = source[i + 1]
    return source


def settle_bound(bound: FloatArray, cost: FloatArray, scale: float) -> FloatArray:
    """Bounds made nondecreasing (what bounds k bounds k+1), and freed of rounding dust above the cost.

    Raises
    ------
    AssertionError
        When a bound exceeds its cost by more than rounding: one of the two is wrong, and neither may be reported.
    """
    risen = np.maximum.accumulate(bound)
    if np.any(risen > cost + 1e-9 * scale):
        raise AssertionError("a lower bound exceeds the cost of a policy")
    return np.minimum(risen, cost)
