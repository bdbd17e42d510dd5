"""Raising one bound: cheapest boxes first, then prices, each kept only once a walk has certified it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet import _clock
from discreet.search.tables._bound_ascent import Pool
from discreet.search.tables._bound_cells import UNIT, IntArray
from discreet.search.tables._bound_walks import Layout, ask

FIRST_WIDTH, LAST_WIDTH = 0.015, 0.001  # of the mean price: width of the ascent's steps
STEPS = 60
LARGE = 50_000  # letters


@dataclass
class Search:
    """One relaxation being raised: the best certificate so far and what the clock allows."""

    layout: Layout
    n: int
    k: int
    suppress: int
    deadline: float
    pool: Pool
    y: IntArray
    value: Fraction = Fraction(0)
    simple: Fraction = Fraction(0)
    pace: float = 4e7  # work a second, measured as we go
    walk_seconds: float = 0.0  # of the last walk
    step_seconds: float = 5e-8  # of a step of the ascent, a member of the pool
    rounds: int = 0
    converged: bool = False

    def keep(self, y: IntArray) -> bool:
        """Takes a feasible y if it proves more."""
        value = certified(self.layout.counts, y, suppress=self.suppress)
        if value > self.value:
            self.y, self.value = y, value
            return True
        return False

    def walk(self, y: IntArray, delta: IntArray, *, room: int = 0, first: bool = False) -> tuple[bool, IntArray]:
        """(done, delta) at prices y, new groups to the pool; not done where the clock forbids."""
        began = _clock.worked()
        left = self.deadline - began
        if left <= 0 and not first:
            return False, delta
        answer = ask(self.layout, y, n=self.n, k=self.k, delta=delta, room=room, work=max(2e7, left * self.pace))
        self.walk_seconds = _clock.worked() - began
        if answer.work > 1e7:
            self.pace = answer.work / max(1e-3, self.walk_seconds)
        if answer.done:
            self.pool.add(answer.groups)
        return answer.done, answer.delta


def certified(counts: IntArray, y: IntArray, *, suppress: int) -> Fraction:
    """What feasible prices prove about the mean loss, exactly."""
    total = sum(int(c) * int(v) for c, v in _summands(counts, y))
    if suppress > 0 and int(y.max(initial=0)) > UNIT:
        left = suppress
        for t in np.argsort(-y, kind="stable"):
            if y[t] <= UNIT or left == 0:
                break
            gone = min(left, int(counts[t]))
            total -= gone * (int(y[t]) - UNIT)
            left -= gone
    return max(Fraction(0), Fraction(total, UNIT * int(counts.sum())))


def _summands(counts: IntArray, y: IntArray) -> list[tuple[int, int]]:
    """counts · y as two products that cannot overflow: y = high · 2^20 + low."""
    high, low = y >> 20, y & ((1 << 20) - 1)
    return [(1 << 20, int(np.dot(counts, high))), (1, int(np.dot(counts, low)))]


def rounded_down(x: Fraction) -> float:
    """The largest float not above x."""
    value = float(x)
    return value if Fraction(value) <= x else math.nextafter(value, -math.inf)


def cheapest_boxes(search: Search, tell: Callable[[], None]) -> bool:
    """The simple bound, by doubling a cap: a cheapest box below the cap is exact, and the cap itself is a bound.

    So the first cap already gives a certificate, min(r, cap), and the walk never looks at boxes dearer than needed. Where
    even the first is too dear for the clock, a lower cap is tried: it bounds less, from fewer boxes.
    """
    zero = np.zeros(len(search.y), np.int64)
    cap = UNIT // (40 if len(zero) <= LARGE else 40 << 6)  # among many letters, the cheapest boxes are small
    delta = np.full(len(zero), cap)
    while True:
        done, lowered = search.walk(zero, delta, room=_room(search), first=search.value == 0)
        if not done and search.value == 0 and cap > UNIT // 40_000 and _clock.worked() < search.deadline:
            cap //= 8
            delta = np.full(len(zero), cap)
            continue
        if not done:
            return False
        open_ = lowered >= cap
        search.keep(lowered)
        search.simple = search.value
        tell()
        if not open_.any() or cap > UNIT:  # above 1 only where there is no group at all and everything is suppressed
            return True
        cap *= 2
        delta = np.where(open_, cap, lowered)


def _room(search: Search) -> int:
    """Space for the groups of one walk, (type, multiplicity) pairs: a few a type, at most 160 MB."""
    return int(min(40_000_000, 40 * len(search.y) * min(search.n + 1, 40) + 1000))


def raise_prices(search: Search, rounds: int, tell: Callable[[], None]) -> None:
    """Rounds of ascent on the pool and a walk that certifies; ends when nothing is gained or time is up.

    The width of the steps is relative to the mean price and falls slowly. Prices far outside what the pool has seen are
    wrong everywhere, dear to walk, and each walk adds only one group a type: after a round that proved less than the
    best the width is halved and the next one starts between the two.
    """
    if search.value == 0 or len(search.pool.hashes) == 0:
        search.converged = True
        return
    counts = search.layout.counts
    ceiling = min(3.0, (1 << 61) / int(counts.sum()) / UNIT)  # price · records stays within 63 bits
    # from feasible prices a walk alone never proves less: it lends the pool groups that matter, and is cheap
    done, delta = search.walk(search.y, np.full(len(search.y), int(search.value * UNIT / 2)), room=_room(search))
    if not done:
        return
    if search.keep(search.y + delta):
        tell()
    y = search.y / UNIT
    width, stale = FIRST_WIDTH, 0
    for turn in range(rounds):
        # what is left after a walk to certify and one to verify is for the ascent
        began = _clock.worked()
        left = search.deadline - began - 2.2 * search.walk_seconds
        members = len(search.pool.groups.types)
        steps = int(min(STEPS, 15 + 5 * turn, left / (search.step_seconds * members)))
        if steps < 8:
            return
        mean = float(search.value)
        rate = width * mean
        _, raised = search.pool.ascend(y, counts, steps=steps, rate=rate, last_rate=rate / 5, ceiling=ceiling)
        search.step_seconds = (_clock.worked() - began) / (steps * members)
        units = np.floor(np.clip(raised, -ceiling, ceiling) * UNIT).astype(np.int64)
        done, delta = search.walk(units, np.full(len(units), int(0.3 * rate * UNIT)), room=_room(search))
        if not done:
            return
        gained = search.keep(units + delta)
        search.rounds += 1
        y = search.y / UNIT
        if gained:
            width = max(LAST_WIDTH, 0.9 * width)
            tell()
        else:
            y = 0.25 * raised + 0.75 * y
            width = max(LAST_WIDTH, 0.5 * width)
        search.pool.trim(y)
        idle = float(search.value) < mean * (1 + 1e-4) and (gained or width <= 2 * LAST_WIDTH)
        stale = stale + 1 if idle else 0
        if stale >= 3:
            search.converged = True
            return
