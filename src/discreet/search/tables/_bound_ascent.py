"""Prices that climb: a pool of groups that bind, and the prices that are best against the pool."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from discreet.search.tables._bound_cells import UNIT, IntArray
from discreet.search.tables._bound_walks import Groups


def _mixed(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Bits well spread (the finaliser of splitmix64), for hashing members."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@dataclass
class Pool:
    """Distinct groups met so far. It only guides the prices, so a group lost or forgotten costs time, never validity."""

    most: int
    groups: Groups = field(
        default_factory=lambda: Groups(
            np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64)
        )
    )
    hashes: npt.NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))

    def add(self, new: Groups) -> int:
        """Takes the groups that are not in the pool yet; returns how many there were."""
        if len(new.costs) == 0:
            return 0
        member = _mixed(new.types.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + new.times.astype(np.uint64))
        hashes = np.add.reduceat(member, new.indptr[:-1])
        _, first = np.unique(hashes, return_index=True)
        fresh = np.sort(first[~np.isin(hashes[first], self.hashes)])
        taken = _chosen(new, fresh)
        old = self.groups
        self.groups = Groups(
            np.concatenate([old.indptr, old.indptr[-1] + taken.indptr[1:]]),
            np.concatenate([old.types, taken.types]),
            np.concatenate([old.times, taken.times]),
            np.concatenate([old.costs, taken.costs]),
        )
        self.hashes = np.concatenate([self.hashes, hashes[fresh]])
        return len(fresh)

    def slacks(self, y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """cost - mean price of every group."""
        g = self.groups
        sizes = np.add.reduceat(g.times.astype(float), g.indptr[:-1])
        slacks: npt.NDArray[np.float64] = g.costs / UNIT - np.add.reduceat(g.times * y[g.types], g.indptr[:-1]) / sizes
        return slacks

    def trim(self, y: npt.NDArray[np.float64]) -> None:
        """Forgets the groups with the most slack, where the pool has grown past what a step should cost."""
        if len(self.groups.types) > self.most:
            by_slack = np.argsort(self.slacks(y), kind="stable")
            held = np.cumsum(np.diff(self.groups.indptr)[by_slack])
            kept = np.sort(by_slack[held <= 0.7 * self.most])
            self.groups, self.hashes = _chosen(self.groups, kept), self.hashes[kept]

    def ascend(
        self,
        y: npt.NDArray[np.float64],
        counts: IntArray,
        *,
        steps: int,
        rate: float,
        last_rate: float,
        ceiling: float,
    ) -> tuple[float, npt.NDArray[np.float64]]:
        """(value, prices) after some steps from y: the value is what the prices would prove were the pool everything."""
        from discreet.search.tables._bound_ascent_kernels import ascend

        g = self.groups
        sizes = np.add.reduceat(g.times.astype(float), g.indptr[:-1])
        value, best = ascend(
            y.copy(), counts.astype(float), g.indptr, g.types, g.times, sizes, g.costs / UNIT, steps, rate, last_rate,
            ceiling,
        )  # fmt: skip
        return float(value), best


def _chosen(groups: Groups, which: IntArray) -> Groups:
    sizes = np.diff(groups.indptr)[which]
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    inside = np.repeat(groups.indptr[:-1][which] - indptr[:-1], sizes) + np.arange(indptr[-1])
    return Groups(indptr, groups.types[inside], groups.times[inside], groups.costs[which])
