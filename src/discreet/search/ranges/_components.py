"""I* frontiers: how few components a policy can leave, against block size or distortion (SPEC 3 and 9).

A block of m letters joins at most m components into one, so it lowers their number by at most m - 1. Everything here
is about spending letters on joins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet._typing import Codeword, FloatArray, IntArray
from discreet.release._partitions import Packed, stored
from discreet.search._letters import Letters
from discreet.search.ranges._closed_forms import fewest_components, join_components
from discreet.search.ranges._costs import component_of, components, distortion, size
from discreet.search.ranges._levels import Effort
from discreet.search.ranges._line import Column
from discreet.search.ranges._optimised import Optimised


@stored
@dataclass(frozen=True, eq=False)
class JoinedBySize:
    """The closed form: for each block size the policy that leaves the fewest components, made when asked for."""

    component: IntArray
    sizes: IntArray

    def __len__(self) -> int:
        return len(self.sizes)

    def partition(self, i: int) -> IntArray:
        """The i-th, in O(n)."""
        block_of = join_components(self.component, int(self.sizes[i]))
        if size(block_of) > self.sizes[i]:
            raise AssertionError("the construction does not attain the closed form")
        return block_of

    def take(self, indices: IntArray) -> JoinedBySize:
        """Some of the sizes."""
        return JoinedBySize(self.component, self.sizes[indices])


def by_size(letters: Letters) -> Optimised:
    """The exact frontier of I* against the largest block: every number of components worth having, fewest last.

    Returns
    -------
    Optimised
        Levels are components left, decreasing; costs are block sizes, optimal.
    """
    component, c = component_of(letters)
    n = letters.n
    sizes = [1]
    while fewest_components(n, c, sizes[-1]) > 1:
        # The next size worth having is the least one that leaves fewer components; the closed form falls with m.
        now, low = fewest_components(n, c, sizes[-1]), sizes[-1]
        high = low + 1
        while fewest_components(n, c, high) >= now:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if fewest_components(n, c, middle) < now else (middle, high)
        sizes.append(high)
    levels = np.array([fewest_components(n, c, m) for m in sizes], np.int64)
    cost = np.array(sizes, np.float64)
    return Optimised(levels, levels, cost, cost.copy(), JoinedBySize(component, np.array(sizes, np.int64)))


def by_distortion(
    letters: Letters,
    codeword: Codeword = "chebyshev",
    *,
    most: int = 200,
    rng: np.random.Generator | None = None,
    effort: Effort | None = None,
) -> Optimised:
    """The frontier of I* against distortion for one numeric column.

    For a radius D, blocks of width 2D are swept from left to right, each cut where it still joins as many components
    (see `_components_kernels.sweep`), then annealed on small alphabets. The radii tried are bisected between those that
    leave all components and those that leave one, at most `most` of them; where the effort aims at one policy, only
    towards that.

    Returns
    -------
    Optimised
        Levels are components left, decreasing, from all of them at cost 0; the bound holds for every codeword.
    """
    column = Column.of(letters)
    component, c = component_of(letters)
    by_place = component[column.order]
    seed = int((rng or np.random.default_rng(0)).integers(1, 2**63))
    found: dict[float, tuple[int, float, IntArray]] = {}

    def at(radius: float) -> None:
        block_of = column.block_of(_join_by_distance(column.x, by_place, c, radius, seed))
        found[radius] = (components(letters, block_of), distortion(letters, block_of, codeword), block_of)

    span = 0.5 * float(np.ptp(column.x))
    gaps = np.diff(column.x)
    start = 0.5 * float(gaps[gaps > 0].min()) if np.any(gaps > 0) else 0.0
    effort = effort or Effort()

    def is_wanted(low: float, high: float) -> bool:
        """Whether what is aimed at lies between two radii."""
        (left_low, cost_low, _), (left_high, cost_high, _) = found[low], found[high]
        if left_low <= left_high or high - low <= max(1e-9 * span, 0.5 * start):
            return False
        if effort.aim is None:
            return True
        if effort.aim.level is not None:
            return left_high <= effort.aim.level < left_low
        return effort.aim.cost is not None and cost_low <= effort.aim.cost < cost_high

    at(0.0)
    at(span)
    waiting = [(0.0, span)]
    with effort.watch as watch:
        while waiting and len(found) < most and not watch.over():
            effort.say("joining components", len(found) / most)
            # The interval with the most components between its ends is the one where most points of the frontier lie.
            waiting.sort(key=lambda ends: (found[ends[1]][0] - found[ends[0]][0], ends[0]))
            low, high = waiting.pop(0)
            if is_wanted(low, high):
                middle = 0.5 * (low + high)
                at(middle)
                waiting += [(low, middle), (middle, high)]
    best: dict[int, tuple[float, IntArray]] = {}
    for left, cost, block_of in sorted(found.values(), key=lambda f: (-f[0], f[1])):
        if left not in best or cost < best[left][0]:
            best[left] = (cost, block_of)
    levels: list[int] = []
    for left in sorted(best):
        if not levels or best[left][0] < best[levels[-1]][0]:
            levels.append(left)
    levels.reverse()
    costs = np.array([best[left][0] for left in levels])
    bounds = np.array([distortion_bound(column.x, by_place, c, left, best[left][0]) for left in levels])
    counts = np.array(levels, np.int64)
    return Optimised(counts, counts, costs, bounds, Packed.of((best[left][1] for left in levels), column.order))


def _join_by_distance(x: FloatArray, component: IntArray, c: int, radius: float, seed: int) -> IntArray:
    """The best of the two sweeps, from the left and from the right, then annealed where the alphabet is small."""
    from discreet.search.ranges._components_kernels import join_annealed, sweep

    forth, left = sweep(x, component, c, 2 * radius)
    back, left_back = sweep(-x[::-1], component[::-1].copy(), c, 2 * radius)
    labels: IntArray = forth if left <= left_back else back[::-1].copy()
    low = fewest_within(x, component, c, radius)
    if min(left, left_back) > low and len(x) <= 2_000:
        labels, _ = join_annealed(x, component, c, labels, 2 * radius, low, 20_000, np.uint64(seed))
    return labels


def fewest_within(x: FloatArray, component: IntArray, c: int, radius: float) -> int:
    """No policy whose blocks are at most 2 radius wide leaves fewer components; x ascending.

    Gaps wider than that separate groups which no block crosses. So letters of one group at best become one component,
    which gives the components of the graph of groups and components; and in group g of n_g letters from d_g components
    with N_g the fewest blocks that cover it, blocks lower the count by at most min(n_g - N_g, d_g - 1) (SPEC 9).
    """
    from discreet.search.ranges._components_kernels import fewest_within as kernel

    return int(kernel(x, component, c, 2 * radius))


def distortion_bound(x: FloatArray, component: IntArray, c: int, left: int, attained: float) -> float:
    """A radius below which `fewest_within` forbids `left` components; `attained` itself where it is optimal."""
    low, high = 0.0, float(np.nextafter(attained, 0.0))
    if attained <= 0 or fewest_within(x, component, c, low) <= left:
        return 0.0
    if fewest_within(x, component, c, high) > left:
        return attained
    for _ in range(40):
        middle = 0.5 * (low + high)
        if fewest_within(x, component, c, middle) <= left:
            high = middle
        else:
            low = middle
    return low
