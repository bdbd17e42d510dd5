"""What partitions leak and are worth, from what they reach and cost; and from bounds on costs to bounds on leakage.

`level` is the fewest distinct s in a block (L0) or the number of components (I*), `cost` the largest block or the
distortion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet._typing import Codeword, Cost, FloatArray, IntArray
from discreet.release._hypervolume import non_dominated
from discreet.release._partitions import Listed, Packed, Partitions, Store
from discreet.search._letters import Letters
from discreet.search.ranges import _costs as costs

if TYPE_CHECKING:
    from discreet.search._protocol import Ladder, Task

FEW = 20_000_000  # letters × partitions up to which partitions are kept as they are


def reached(letters: Letters, block_of: IntArray, leakage: str) -> int:
    """What a partition reaches: distinct s, or components."""
    return costs.components(letters, block_of) if leakage == "I*" else costs.distinct(letters, block_of)


def price_of(letters: Letters, block_of: IntArray, cost: Cost, codeword: Codeword) -> float:
    """What a partition costs: its largest block, or its distortion."""
    return float(costs.size(block_of)) if cost == "size" else costs.distortion(letters, block_of, codeword)


def bits(level: IntArray | FloatArray, leakage: str, n_s: int) -> FloatArray:
    """Leakage in bits: L0 = log(|[[S]]| / distinct), I* = log components; exact at powers of two."""
    found: FloatArray = np.log2(level) if leakage == "I*" else np.log2(n_s / np.asarray(level, dtype=np.float64))
    return found + 0.0


def level_of(leakage: FloatArray, measure: str, n_s: int) -> IntArray:
    """The level behind a leakage in bits."""
    return np.rint(2.0**leakage if measure == "I*" else n_s * 2.0**-leakage).astype(np.int64)


def worth(price: FloatArray, cost: Cost, n: int) -> FloatArray:
    """Utility: U1 = log(n / size) in bits, or U2 = −distortion."""
    found: FloatArray = np.log2(n / price) if cost == "size" else -price
    return found + 0.0


def cost_of(utility: FloatArray, cost: Cost, n: int) -> FloatArray:
    """The cost behind a utility: sizes are whole numbers."""
    found: FloatArray = np.rint(n * 2.0**-utility) if cost == "size" else -utility
    return found + 0.0


def worst_utility(letters: Letters, cost: Cost, codeword: Codeword) -> float:
    """The utility of one single block."""
    whole = np.zeros(letters.n, dtype=np.int64)
    return float(worth(np.array([price_of(letters, whole, cost, codeword)]), cost, letters.n)[0])


def figured(task: Task, level: IntArray, price: FloatArray, store: Store) -> Partitions:
    """Partitions whose level and cost are known."""
    letters = task.letters
    return Partitions(bits(level, task.leakage, letters.n_s), worth(price, task.cost, letters.n), store)


def measured(task: Task, store: Store) -> Partitions:
    """Partitions, measured one by one."""
    level, price = np.zeros(len(store), np.int64), np.zeros(len(store))
    for i in range(len(store)):
        block_of = store.partition(i)
        level[i] = reached(task.letters, block_of, task.leakage)
        price[i] = price_of(task.letters, block_of, task.cost, task.codeword)
    return figured(task, level, price, store)


def store_of(partitions: Sequence[IntArray]) -> Store:
    """A store of listed partitions, compressed where they are many."""
    if not partitions or len(partitions) * len(partitions[0]) <= FEW:
        return Listed.of(partitions)
    return Packed.of(partitions, np.arange(len(partitions[0])))


# ---------------------------------------------------------------------- what is worth having, and what is proven


def slack(price: FloatArray, letters: Letters, cost: Cost) -> FloatArray:
    """How far apart two costs may lie that are equal on paper; nothing at cost 0, which is exact."""
    found: FloatArray = 1e-12 * price
    if cost == "size" or letters.values is None:
        return found
    return np.where(price > 0, found + 1e-15 * float(np.abs(letters.values).max(initial=0.0)), 0.0)


def worth_having(task: Task, found: Partitions) -> IntArray:
    """The non-dominated partitions, finest first, but for those that only rounding keeps from being dominated."""
    chosen = non_dominated(found.leakage, found.utility)
    here = cost_of(found.utility[chosen], task.cost, task.letters.n)
    is_apart = np.append(np.diff(here) > slack(here[:-1], task.letters, task.cost), True)
    return np.asarray(chosen[is_apart])


def strongest(ladder: Ladder, price: FloatArray, task: Task) -> IntArray:
    """The strongest level that a policy of each cost could reach: one whose bound exceeds the cost is out of reach.

    Levels may be left out. What is out of reach at one level is so at every stronger one, so the first level out of reach
    leaves the one before it.
    """
    n_s = task.letters.n_s
    out = ladder.bound[None, :] > (price + slack(price, task.letters, task.cost))[:, None]
    if task.leakage == "I*":  # fewer components are stronger
        fewest: IntArray = np.where(out, ladder.levels[None, :], 0).max(axis=1, initial=0) + 1
        return fewest
    most: IntArray = np.where(out, ladder.levels[None, :], n_s + 1).min(axis=1, initial=n_s + 1) - 1
    return most
