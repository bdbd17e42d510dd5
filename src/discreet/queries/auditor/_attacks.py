"""The best known attacks on what was told, from the analysts' side: linear and integer programs over all answers.

An adversary knows the bounds, the steps, who was asked about, and the cells. People in the same questions cannot be told
apart, so they are attacked as one class. A linear program each way bounds everybody's value; on a lattice integer programs go
on for those with the least left. Nothing here shares code with the auditor's own proofs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet._typing import FloatArray, IntArray

PROGRAMS, INTEGER = 4000, 400
"""Linear and integer programs that one attack may take; those with the least to lose come last."""

NODES = 2000
"""Of one integer program."""

SURE = 1e-6
"""Of a person's range: what a program may be off by."""

Told = tuple[IntArray, float, float] | tuple[IntArray, float, float, FloatArray]
"""Who was asked about, and the cell of their sum; with weights, that of weight x value."""


@dataclass(frozen=True, eq=False)
class Exposure:
    """What the attacks left to each person, by which attack, and who was not attacked for want of work."""

    intervals: FloatArray
    by_steps: IntArray  # people whom the steps gave away more than the sums alone
    tried: int
    people: int

    @property
    def lengths(self) -> FloatArray:
        """How long an interval each person keeps, at most."""
        return np.asarray(self.intervals[:, 1] - self.intervals[:, 0])


def attacked(
    people: int, lower: float | FloatArray, upper: float | FloatArray, step: float, told: Sequence[Told]
) -> Exposure:
    """What an adversary can exclude about each of so many people with these bounds, from everything that was told."""
    first, last = np.full(people, lower, float), np.full(people, upper, float)
    intervals = np.stack([first, last], axis=1)
    if not told or not (last > first).any():
        return Exposure(intervals, np.zeros(0, np.int64), people, people)
    known = _known(first, last, told)
    order = np.lexsort([-np.diff(known.table.indptr), known.size])[: PROGRAMS // 2]
    most, least = known.size.copy(), np.zeros(len(known.size))
    for c in order.tolist():
        least[c], most[c] = _linear(known, c)
    steps = np.zeros(len(known.size), bool)
    if step:
        left = np.minimum(1, most) - np.maximum(0, least - (known.size - 1))
        short = order[np.argsort(left[order], kind="stable")].tolist() if known.table.shape[1] <= 400 else []
        for c in short[: INTEGER // 2]:
            found = _integer(known, c, step)
            least[c], most[c] = max(least[c], found[0]), min(most[c], found[1])
            # Rounding to the lattice alone takes less than two steps.
            now = min(1.0, most[c]) - max(0.0, least[c] - (known.size[c] - 1))
            steps[c] = left[c] - now >= 2 * step / known.width[c]
    which, width = known.which, last - first
    intervals[:, 0] = first + width * np.clip(least - (known.size - 1), 0, 1)[which]
    intervals[:, 1] = first + width * np.clip(most, 0, 1)[which]
    return Exposure(intervals, np.flatnonzero(steps[which]), int(known.size[order].sum()), people)


@dataclass(frozen=True, eq=False)
class _Known:
    """What was told, by classes of people whom it cannot tell apart; sums of classes in units of a person's range."""

    which: IntArray
    size: FloatArray
    width: FloatArray
    table: Any  # questions by classes
    low: FloatArray
    high: FloatArray
    weights: Any  # as they were asked, questions by classes, and their cells above the lower bounds
    cells: FloatArray


def _known(first: FloatArray, last: FloatArray, told: Sequence[Told]) -> _Known:
    from scipy.sparse import csc_array

    people = len(first)
    weights = [np.ones(len(each[0])) if len(each) == 3 else np.asarray(each[3], float) for each in told]
    plain = all(len(each) == 3 for each in told)
    signs: Any = np.zeros((people, len(told)), bool if plain else float)
    low, high = np.empty(len(told)), np.empty(len(told))
    for i, (each, weight) in enumerate(zip(told, weights, strict=True)):
        signs[each[0], i] = weight
        base = float(weight @ first[each[0]])
        low[i], high[i] = each[1] - base, each[2] - base
    packed = np.packbits(signs, axis=1) if plain else signs.view(np.uint8).reshape(people, -1)
    packed = np.ascontiguousarray(
        np.hstack([packed, np.stack([first, last], axis=1).view(np.uint8).reshape(people, -1)])
    )
    keys = packed.view(f"V{packed.shape[1]}").reshape(-1)
    _, one, which, size = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    width = (last - first)[one]
    asked, cells = signs[one].T.astype(float), np.stack([low, high])
    table = asked * width
    # Each row in units of what one person can change, so that one tolerance suits all.
    scale = np.maximum(np.abs(table).max(axis=1), 1e-300)
    low, high = low / scale - 0.1 * SURE, high / scale + 0.1 * SURE
    which, table = which.reshape(-1).astype(np.int64), csc_array(table / scale[:, None])
    return _Known(which, size.astype(float), width, table, low, high, csc_array(asked), cells)


def _linear(known: _Known, c: int) -> tuple[float, float]:
    """The least and the largest sum of a class."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    size, ends = known.size, []
    for sign in (1, -1):
        cost = np.zeros(len(size))
        cost[c] = sign
        rows = LinearConstraint(known.table, known.low, known.high)
        solved = milp(cost, bounds=Bounds(0, size), constraints=rows)
        ends.append(float(solved.fun) * sign if solved.fun is not None else (0.0 if sign > 0 else float(size[c])))
    return max(0.0, ends[0] - SURE), min(float(size[c]), ends[1] + SURE)


def _integer(known: _Known, c: int, step: float) -> tuple[float, float]:
    """The same over whole numbers of steps, as far as the nodes go: what is proven impossible is excluded."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    size, steps, ends = known.size, np.maximum(1.0, np.rint(known.width / step)), []
    # Whole weights make whole sums of steps; for others a little room is left for rounding.
    low, high = known.cells / step
    whole = np.asarray(abs(known.weights - np.rint(known.weights)).max(axis=1).todense()).reshape(-1) == 0
    low, high = (
        np.where(whole, np.ceil(low - 1e-3), low - 1e-6 * (1 + np.abs(low))),
        np.where(whole, np.floor(high + 1e-3), high + 1e-6 * (1 + np.abs(high))),
    )
    rows = LinearConstraint(known.weights, low, high)
    for sign in (1, -1):
        cost = np.zeros(len(size))
        cost[c] = sign
        solved = milp(
            cost,
            integrality=np.ones(len(size), np.int64),
            bounds=Bounds(0, size * steps),
            constraints=rows,
            options={"node_limit": NODES, "mip_rel_gap": 0.0},
        )
        bound = getattr(solved, "mip_dual_bound", None)
        open_end = 0.0 if sign > 0 else float(size[c])
        ends.append(open_end if bound is None or not np.isfinite(bound) else sign * np.ceil(bound - 1e-3) / steps[c])
    return max(0.0, ends[0]), min(float(size[c]), ends[1])
