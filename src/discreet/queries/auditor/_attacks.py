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

Told = tuple[IntArray, float, float]
"""Who was asked about, and the cell of their sum."""


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


def attacked(people: int, lower: float, upper: float, step: float, told: Sequence[Told]) -> Exposure:
    """What an adversary can exclude about each of so many people with these bounds, from everything that was told."""
    intervals = np.tile([lower, upper], (people, 1)).astype(float)
    width = upper - lower
    if not told or not width:
        return Exposure(intervals, np.zeros(0, np.int64), people, people)
    classes, which, size, table = _classes(people, told)
    # In units of the range, so that one tolerance suits all.
    low, high = (
        np.array([(cell[side] - lower * len(cell[0])) / width for cell in told]) + (SURE if side == 2 else -SURE) * 0.1
        for side in (1, 2)
    )
    order = np.lexsort([-np.diff(table.indptr), size])[: PROGRAMS // 2]
    most, least = size.copy(), np.zeros(classes)
    for c in order.tolist():
        least[c], most[c] = _linear(table, size, low, high, c)
    steps = np.zeros(classes, bool)
    if step:
        left = np.minimum(1, most) - np.maximum(0, least - (size - 1))
        for c in [c for c in order[np.argsort(left[order], kind="stable")].tolist() if table.shape[1] <= 400][
            : INTEGER // 2
        ]:
            found = _integer(table, size, low, high, c, round(width / step))
            before = left[c]
            least[c], most[c] = max(least[c], found[0]), min(most[c], found[1])
            # Rounding to the lattice alone takes less than two steps.
            steps[c] = before - (min(1.0, most[c]) - max(0.0, least[c] - (size[c] - 1))) >= 2 * step / width
    intervals[:, 0] = lower + width * np.clip(least - (size - 1), 0, 1)[which]
    intervals[:, 1] = lower + width * np.clip(most, 0, 1)[which]
    tried = int(size[order].sum())
    return Exposure(intervals, np.flatnonzero(steps[which]), tried, people)


def _classes(people: int, told: Sequence[Told]) -> tuple[int, IntArray, FloatArray, Any]:
    """People by the questions they are in: how many classes, the class of each person, sizes, and questions by classes."""
    from scipy.sparse import csc_array

    inside = np.zeros((people, len(told)), bool)
    for i, (members, _, _) in enumerate(told):
        inside[members, i] = True
    packed = np.ascontiguousarray(np.packbits(inside, axis=1))
    keys = packed.view(f"V{packed.shape[1]}").reshape(-1)
    _, first, which, size = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return len(first), which.reshape(-1).astype(np.int64), size.astype(float), csc_array(inside[first].T.astype(float))


def _linear(table: Any, size: FloatArray, low: FloatArray, high: FloatArray, c: int) -> tuple[float, float]:
    """The least and the largest sum of a class."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    ends = []
    for sign in (1, -1):
        cost = np.zeros(len(size))
        cost[c] = sign
        solved = milp(cost, bounds=Bounds(0, size), constraints=LinearConstraint(table, low, high))
        ends.append(float(solved.fun) * sign if solved.fun is not None else (0.0 if sign > 0 else float(size[c])))
    return max(0.0, ends[0] - SURE), min(float(size[c]), ends[1] + SURE)


def _integer(
    table: Any, size: FloatArray, low: FloatArray, high: FloatArray, c: int, steps: int
) -> tuple[float, float]:
    """The same over whole numbers of steps, as far as the nodes go: what is proven impossible is excluded."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    ends = []
    rows = LinearConstraint(table, np.ceil(low * steps - 1e-3), np.floor(high * steps + 1e-3))
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
        ends.append(open_end if bound is None or not np.isfinite(bound) else sign * np.ceil(bound - 1e-3) / steps)
    return max(0.0, ends[0]), min(float(size[c]), ends[1])
