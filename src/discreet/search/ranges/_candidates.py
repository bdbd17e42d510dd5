"""Policies that an engine found, with what each reaches and costs; and from them the frontier and its proven bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from discreet._typing import Codeword, FloatArray, IntArray
from discreet.release._hypervolume import non_dominated
from discreet.release._points import Points, Setting
from discreet.search._letters import Letters
from discreet.search.ranges import _costs as costs


@dataclass(frozen=True, eq=False)
class Candidates:
    """Policies by figures: `level` is the fewest distinct s in a block (L0) or the number of components (I*)."""

    level: IntArray
    cost: FloatArray
    partition: Callable[[int], IntArray]

    def __len__(self) -> int:
        return len(self.level)

    @classmethod
    def of_partitions(
        cls, letters: Letters, partitions: Sequence[IntArray], leakage: str, cost: str, codeword: Codeword
    ) -> Candidates:
        """Partitions, measured one by one."""
        level = np.array([reached(letters, each, leakage) for each in partitions], dtype=np.int64)
        price = np.array([price_of(letters, each, cost, codeword) for each in partitions], dtype=np.float64)
        return cls(level, price, lambda i: partitions[i])

    @staticmethod
    def together(parts: Sequence[Candidates]) -> Candidates:
        """Several sets as one."""
        ends = np.cumsum([len(part) for part in parts])

        def partition(i: int) -> IntArray:
            part = int(np.searchsorted(ends, i, side="right"))
            return parts[part].partition(i - (int(ends[part - 1]) if part else 0))

        return Candidates(
            np.concatenate([part.level for part in parts]), np.concatenate([part.cost for part in parts]), partition
        )


Reach = Callable[[FloatArray], IntArray]  # costs -> the strongest level that a policy of that cost could reach (proven)


def slack(price: FloatArray, letters: Letters, cost: str) -> FloatArray:
    """How far apart two costs may lie that are equal on paper; nothing at cost 0, which is exact."""
    found: FloatArray = 1e-12 * price
    if cost == "size" or letters.values is None:
        return found
    return np.where(price > 0, found + 1e-15 * float(np.abs(letters.values).max(initial=0.0)), 0.0)


def reach_by_levels(level: IntArray, bound: FloatArray, leakage: str, letters: Letters, cost: str) -> Reach:
    """From lower bounds on the cost of levels: a level whose bound exceeds the cost is out of reach.

    Levels may be left out. What is out of reach at one level is so at every stronger one, so the first level out of reach
    leaves the one before it.
    """

    def reach(price: FloatArray) -> IntArray:
        out = bound[None, :] > (price + slack(price, letters, cost))[:, None]
        if leakage == "I*":  # fewer components are stronger
            fewest: IntArray = np.where(out, level[None, :], 0).max(axis=1, initial=0) + 1
            return fewest
        most: IntArray = np.where(out, level[None, :], letters.n_s + 1).min(axis=1, initial=letters.n_s + 1) - 1
        return most

    return reach


def reached(letters: Letters, block_of: IntArray, leakage: str) -> int:
    """What a partition reaches: distinct s, or components."""
    return costs.components(letters, block_of) if leakage == "I*" else costs.distinct(letters, block_of)


def price_of(letters: Letters, block_of: IntArray, cost: str, codeword: Codeword) -> float:
    """What a partition costs: its largest block, or its distortion."""
    return float(costs.size(block_of)) if cost == "size" else costs.distortion(letters, block_of, codeword)


def bits(level: IntArray | FloatArray, leakage: str, n_s: int) -> FloatArray:
    """Leakage in bits: L0 = log(|[[S]]| / distinct), I* = log components; exact at powers of two."""
    found: FloatArray = np.log2(level) if leakage == "I*" else np.log2(n_s / np.asarray(level, dtype=np.float64))
    return found + 0.0


def worth(price: FloatArray, cost: str, n: int) -> FloatArray:
    """Utility: U1 = log(n / size) in bits, or U2 = −distortion."""
    found: FloatArray = np.log2(n / price) if cost == "size" else -price
    return found + 0.0


def points_of(setting: Setting, found: Candidates, cost: str, n: int) -> Points:
    """Every candidate as a point."""
    joint = setting.joint
    return Points(setting, bits(found.level, setting.leakage, joint.n_s), worth(found.cost, cost, n), found.partition)


def worth_having(points: Points, price: FloatArray, cost: str) -> IntArray:
    """The non-dominated points, finest first, but for those that only rounding keeps from being dominated."""
    chosen = non_dominated(points.leakage, points.utility)
    here = price[chosen]
    is_apart = np.append(np.diff(here) > slack(here[:-1], points.setting.letters, cost), True)
    return np.asarray(chosen[is_apart])


def frontier_points(setting: Setting, found: Candidates, reach: Reach | None, cost: str, n: int) -> Points:
    """The non-dominated candidates, finest first, each with the proven bound at its utility."""
    every = points_of(setting, found, cost, n)
    chosen = worth_having(every, found.cost, cost)
    if reach is None:
        return every.chosen(chosen)
    bound = bits(reach(found.cost[chosen]), setting.leakage, setting.joint.n_s)
    return every.chosen(chosen, np.minimum(bound, every.leakage[chosen]))
