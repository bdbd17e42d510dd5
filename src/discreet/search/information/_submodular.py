"""Minimising a submodular function: Fujishige and Wolfe's minimum-norm point, with a certificate.

A set function f on n elements with f(∅) = 0 is submodular when f(X) + f(Y) ≥ f(X∪Y) + f(X∩Y). Its base polytope is
B(f) = {x : x(A) ≤ f(A) for every A, x(V) = f(V)}, and for every base x and every set A

    Σ_i min(x_i, 0)  ≤  x(A)  ≤  f(A),

so a base proves a lower bound. The base of least norm makes it tight: {x < 0} and {x ≤ 0} are then the minimal and the
maximal minimiser (Fujishige & Isotani 2011; Fujishige, Submodular Functions and Optimization, 7.1). Wolfe's algorithm
finds it with nothing but Edmonds's greedy oracle: the marginal gains along an order are a vertex of B(f).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet._typing import FloatArray, IntArray

Gains = Callable[[IntArray], FloatArray]
"""The oracle: along an order of the elements, f(first i + 1) − f(first i) for each i."""

CYCLES = 20
"""Calls of the oracle for each element at most, unless the caller says otherwise; a hundredth of it is usual."""

ROOM = 64
"""Points of the corral that memory is first taken for; it holds at most n + 1 and usually far fewer."""

STALLED = 20
"""Cycles in a row without a smaller norm that are put down to rounding."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """The least value of a submodular function, where it is attained, and the proof."""

    value: float
    """f(minimiser), recomputed from the oracle."""
    minimal: IntArray
    """The elements of the smallest minimiser found, increasing."""
    maximal: IntArray
    """The elements of the largest minimiser found, increasing."""
    bound: float
    """Σ_i min(x_i, 0) of the base: no set has a smaller value."""
    base: FloatArray
    """x, a convex combination of vertices of the base polytope."""
    cycles: int
    """Calls of the oracle."""

    @property
    def gap(self) -> float:
        """value − bound: how far from optimal the minimisers may be."""
        return max(0.0, self.value - self.bound)


def minimise(
    gains: Gains, n: int, *, tolerance: float | None = None, start: IntArray | None = None, cycles: int | None = None
) -> Minimum:
    """Minimise a submodular set function with f(∅) = 0, given by its marginal gains along an order.

    Parameters
    ----------
    gains
        The greedy oracle: for an order (a permutation of 0..n−1) the n marginal gains, in that order.
    n
        The number of elements.
    tolerance
        Stop at a duality gap f(A) − Σ min(x_i, 0) of at most this; 1e-10 of Σ |gain| along `start` unless given. Sets
        whose values differ by less count as minimisers alike.
    start
        The first order; 0, 1, … n−1 unless given. A good guess saves cycles.
    cycles
        The most calls of the oracle; the gap says what was reached.

    Returns
    -------
    Minimum
        Its `minimal` and `maximal` are the ends of the lattice of minimisers where the values of other sets are more than
        the tolerance above.

    Examples
    --------
    >>> concave = lambda order: np.diff(np.sqrt(np.arange(len(order) + 1.0))) - np.array([0.9, 0.2, 0.9])[order]
    >>> found = minimise(concave, 3)
    >>> found.minimal.tolist(), round(found.value, 4), found.gap < 1e-9
    ([0, 2], -0.3858, True)
    """
    if n == 0:
        nothing = np.zeros(0, np.int64)
        return Minimum(0.0, nothing, nothing, 0.0, np.zeros(0), 0)
    order = np.arange(n) if start is None else np.asarray(start, np.int64)
    most = 1000 + CYCLES * n if cycles is None else cycles
    search = _Wolfe(gains, order)
    slack = 1e-10 * float(np.abs(search.point).sum()) if tolerance is None else tolerance
    search.run(slack, most)
    # A base with gap ε decides every element with |x_i| > ε: for a minimiser A, Σ min(x_i, 0) ≤ x(A) ≤ f(A) ≤
    # Σ min(x_i, 0) + ε, so A holds each i with x_i < −ε and none with x_i > ε. The rest is a smaller problem.
    margin = max(search.gap, slack)
    core, open_ = np.flatnonzero(search.base < -margin), np.flatnonzero(np.abs(search.base) <= margin)
    best = minimal = maximal = np.sort(search.best)
    value = _value(gains, best, n)
    if len(open_) and search.gap <= slack:
        ends = [end for end in _ends(gains, core, open_, n, slack, most) if _value(gains, end, n) <= value + slack]
        minimal, maximal = min([*ends, best], key=len), max([*ends, best], key=len)
        value = min(value, *(_value(gains, end, n) for end in ends)) if ends else value
    return Minimum(value, minimal, maximal, search.bound, search.base, search.cycles)


def _value(gains: Gains, chosen: IntArray, n: int) -> float:
    outside = np.ones(n, bool)
    outside[chosen] = False
    return float(gains(np.concatenate((chosen, np.flatnonzero(outside))))[: len(chosen)].sum())


def _ends(gains: Gains, core: IntArray, open_: IntArray, n: int, slack: float, most: int) -> tuple[IntArray, IntArray]:
    """The smallest and the largest minimiser between `core` and `core` with every open element.

    Contraction and restriction cost nothing here: the order begins with what is in and ends with what is out. The
    minimum-norm point of the small problem has every minimiser of least or largest size among its level sets.
    """
    outside = np.ones(n, bool)
    outside[core] = outside[open_] = False
    before, after = core, np.flatnonzero(outside)

    def inner(order: IntArray) -> FloatArray:
        return gains(np.concatenate((before, open_[order], after)))[len(before) : len(before) + len(open_)]

    search = _Wolfe(inner, np.arange(len(open_)))
    search.run(-np.inf, most)
    order = np.argsort(search.point, kind="stable")
    values = np.concatenate(([0.0], np.cumsum(inner(order))))
    least = np.flatnonzero(values <= values.min() + slack)
    smallest, largest = (np.concatenate((core, open_[order[:size]])) for size in (least[0], least[-1]))
    return np.sort(smallest), np.sort(largest)


class _Wolfe:
    """The state of one run: the point of the vertices' hull that is nearest to the origin, and both bounds."""

    def __init__(self, gains: Gains, order: IntArray) -> None:
        self.gains = gains
        self.cycles = 0
        self.point, _ = self.vertex(order)
        self.base, self.bound = self.point, -np.inf
        self.best, self.value = np.zeros(0, np.int64), 0.0

    @property
    def gap(self) -> float:
        return self.value - self.bound

    def vertex(self, order: IntArray) -> tuple[FloatArray, FloatArray]:
        """The vertex of B(f) that is least in a direction with this increasing order, and f of the order's beginnings."""
        self.cycles += 1
        along = np.asarray(self.gains(order), float)
        vertex = np.empty(len(order))
        vertex[order] = along
        return vertex, np.cumsum(along)

    def run(self, tolerance: float, most: int) -> None:
        """Cycle until the duality gap is at most `tolerance`, or to the minimum-norm point, or for `most` calls."""
        from discreet.search.information._submodular_kernels import enter

        n = len(self.point)
        room = min(n + 2, ROOM)
        points, basis, triangle, weights = (
            np.empty((room, n)),
            np.empty((room, n + 1)),
            np.zeros((room, room)),
            np.zeros(room),
        )
        largest = float(np.sqrt(self.point @ self.point))
        constant = largest if largest > 0 else 1.0
        k = enter(points, basis, triangle, weights, 0, self.point, constant, 0.0)
        norm, stalled, least = np.inf, 0, np.inf
        while True:
            x = weights[:k] @ points[:k]
            order = np.argsort(x, kind="stable")
            vertex, values = self.vertex(order)
            low = int(np.argmin(values))
            if values[low] < self.value:
                self.value, self.best = float(values[low]), order[: low + 1]
            bound = float(np.minimum(x, 0.0).sum())
            if bound > self.bound:
                self.bound, self.base = bound, x
            size = float(x @ x)
            excess = size - float(x @ vertex)  # Wolfe's test: |x − minimum-norm point|² is at most this
            if excess < least:
                least, self.point = excess, x
            # The norm falls in every cycle, by the square of the excess: near the end that drowns in rounding.
            stalled = stalled + 1 if size >= norm else 0
            norm = min(norm, size)
            largest = max(largest, float(np.sqrt(vertex @ vertex)))
            if self.gap <= tolerance or self.cycles >= most or stalled > STALLED or excess <= 1e-15 * largest * largest:
                return
            if k == room:
                more = min(n + 2, 2 * room) - room
                points, basis = np.pad(points, ((0, more), (0, 0))), np.pad(basis, ((0, more), (0, 0)))
                triangle, weights = np.pad(triangle, (0, more)), np.pad(weights, (0, more))
                room += more
            k = enter(points, basis, triangle, weights, k, vertex, constant, 1e-14 * largest)
            if k < 0:
                return
