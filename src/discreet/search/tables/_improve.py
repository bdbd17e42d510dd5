"""Better while time lasts: letters move and swap between neighbouring groups under a falling temperature.

A change that costs something is taken with probability exp(-cost/temperature), so that the grouping can leave a state in
which no single change helps. How much work a schedule holds depends on the time limit, never on the clock: on a given
table and seed a run takes the same steps wherever it is run, and the clock only says where it ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.search._watch import Watch
from discreet.search.tables._columns import IntArray
from discreet.search.tables._near import nearest
from discreet.search.tables._problem import Problem

NEAR = 24
"""Letters near each letter that are kept; half of that where memory would be short."""

LARGE = 200_000
"""From so many letters on, neighbours come from fewer trees."""

TRIES = 4
"""Groups that a letter is offered in one sweep."""

WINDOWS = ((1, 1), (2, 12), (3, 12), (4, 12), (6, 12), (9, 24))
"""Groups of a window, and how many groups come to one such window in a sweep."""

FOUND = 8
"""How many groups come to one attempt, in a sweep, to found another from what they can spare."""

CHUNK = 8192
"""Letters between two looks at the clock; fewer where groups are large."""

VISITS = 170_000.0
"""Letters a second that a sweep is reckoned to visit at n = 5; it falls with n, since groups grow."""

HOT, COLD = 0.5, 0.025
"""First and last temperature, in units of the loss per letter of the first release."""

NEARLY = 0.97
"""The share of the time after which a schedule ends, so that what it left can settle."""

LONGEST = 1000
"""Sweeps of one schedule."""


class Improver:
    """A grouping that gets better. `best` is the best grouping so far, `best_cost` its records times NCP."""

    def __init__(self, problem: Problem, group_of: IntArray, order: IntArray, *, seed: int, watch: Watch) -> None:
        from discreet.search.tables._groups_kernels import State

        self.problem, self.order, self.watch = problem, order, watch
        letters, need = problem.letters, problem.need
        m, d = letters.codes.shape
        rng = np.random.default_rng(seed)
        large = m > LARGE
        self.near = nearest(
            problem, order, most=max(1, min(NEAR // 2 if large else NEAR, m - 1)), grids=8 if large else 16, rng=rng
        )
        groups = int(group_of.max(initial=-1)) + 1
        self.slots = min(m, groups + groups // 2 + 64) + 1
        self.state = State(
            np.empty((m, 3), dtype=np.int64),
            np.empty((self.slots, 3), dtype=np.int64),
            np.zeros(self.slots),
            np.empty((self.slots, d, 4), dtype=np.int32),
            np.zeros((self.slots, 2, int(problem.cells.words[0])), dtype=np.uint64),
            np.empty(self.slots + 1, dtype=np.int64),
            np.array([int(rng.integers(1, 2**63))], dtype=np.uint64),
            np.zeros(len(need.cap), dtype=np.int64),
            np.zeros(len(need.least) - 2, dtype=np.int64),
        )
        # what the founding of groups needs: marks of letters that were looked at, and how many to look at
        self.seen, self.stamp = np.zeros(m, dtype=np.int64), 1
        self.reach = int(min(m, np.clip(4 * problem.requirement.n * m / letters.records, 16, 1000)))
        self.chunk = int(np.clip(40 * CHUNK / problem.requirement.n, 128, CHUNK))
        self.load(group_of)
        self.best, self.best_cost = group_of, self.cost
        lost = problem.letters.records - int(letters.counts[order].sum())
        self.unit = max((self.cost - lost) / max(len(order), 1), 1e-12)

    def load(self, group_of: IntArray) -> None:
        """Go on from a grouping."""
        from discreet.search.tables._groups_kernels import fill

        letters = self.problem.letters
        fill(self.state, letters.codes, letters.counts, self.problem.cells, group_of)
        self.cost = self._cost()

    def _cost(self) -> float:
        filled = self.state.slot[:, 0] >= 0
        records = self.state.slot[filled, 2]
        return float((records * self.state.value[filled]).sum()) + self.problem.letters.records - int(records.sum())

    def _call(self, kernel: Any, *arguments: Any) -> Any:
        """Run a kernel on this grouping."""
        problem, letters = self.problem, self.problem.letters
        return kernel(self.state, letters.codes, letters.counts, problem.cells, problem.need, self.near, *arguments)

    def keep(self) -> None:
        """Remember the grouping if it is the best so far."""
        self.cost = self._cost()  # running sums drift
        if self.cost < self.best_cost:
            self.best, self.best_cost = self.state.ring[:, 0].copy(), self.cost

    def sweep(self, temperature: float, *, tries: int = TRIES) -> int:
        """Offer every letter a change, and let some windows be grouped anew. Returns the number of changes."""
        from discreet.search.tables._found_kernels import found
        from discreet.search.tables._improve_kernels import sweep
        from discreet.search.tables._regroup_kernels import windows

        changes = 0
        for start in range(0, len(self.order), self.chunk):
            if self.watch.over():
                return changes
            part = self.order[start : start + self.chunk]
            gained, count = self._call(sweep, part, tries, temperature)
            self.cost += gained
            changes += count
        for wanted, share in WINDOWS:
            for start in range(0, self.slots // share, self.chunk):
                if self.watch.over():
                    return changes
                rounds = min(self.chunk, self.slots // share - start)
                gained, count = self._call(windows, start, rounds, wanted, temperature)
                self.cost += gained
                changes += count
        rounds = max(1, self.slots // FOUND)
        chunk = max(1, min(512, 2_000_000 // self.reach**2))
        for start in range(0, rounds, chunk):
            if self.watch.over():
                break
            tried = min(chunk, rounds - start)
            gained, count = self._call(found, self.seen, self.stamp, tried, self.reach, temperature)
            self.stamp += tried
            self.cost += gained
            changes += count
        return changes

    def leave_out(self, budget: int) -> int:
        """Suppress the letters that cost their groups most; returns how many records went."""
        from discreet.search.tables._improve_kernels import leave_out

        total = 0
        while total < budget:
            gone = int(self._call(leave_out, self.order, budget - total))
            if not gone:
                break
            total += gone
            self.settle(2)
        self.keep()
        return total

    def anneal(self, sweeps: int, hot: float, cold: float, stage: str) -> None:
        """One schedule: so many sweeps from one temperature to another, both in units of loss per letter."""
        records = self.problem.letters.records
        for s in range(sweeps):
            if self.watch.over(NEARLY):
                break
            share = s / max(sweeps - 1, 1)
            self.sweep(self.unit * hot * (cold / hot) ** share)
            self.watch.tell(stage, share, min(self.cost, self.best_cost) / records)
        self.settle()

    def settle(self, rounds: int = 12) -> None:
        """Take every change that helps, until few are left; then remember the grouping if it is the best."""
        for _ in range(rounds):
            if self.sweep(0.0, tries=2 * TRIES) * 500 < len(self.order):
                break
        self.keep()


def letters_lost(problem: Problem, group_of: IntArray) -> float:
    """What suppressed records cost: no grouping of the others costs less."""
    return float(problem.letters.counts[group_of < 0].sum())


def visits_per_second(n: int) -> float:
    """Letters a second that a sweep is reckoned to visit."""
    return VISITS * float(np.clip((5 / n) ** 0.5, 0.1, 1.5))


def improve(
    problem: Problem, group_of: IntArray, order: IntArray, *, suppress: int, seed: int, watch: Watch
) -> IntArray:
    """The best grouping found before the time is up, starting from a first one; it may leave out `suppress` records more."""
    if int(group_of.max(initial=-1)) < 1:
        return group_of
    if not suppress and watch.over():  # what improving prepares takes as long as a first release
        return group_of
    try:
        improver = Improver(problem, group_of, order, seed=seed, watch=watch)
    except KeyboardInterrupt:
        watch.stopped = watch.interrupted = True
        return group_of
    if improver.cost <= letters_lost(problem, group_of):
        return group_of
    seconds = 60.0 if watch.limit is None else watch.limit
    sweeps = int(np.clip(0.65 * seconds * visits_per_second(problem.requirement.n) / len(order), 3, LONGEST))
    # a short schedule that starts hot ends hot
    hot = HOT * float(np.clip(sweeps / 300, 0.1, 1.0)) ** 0.5
    try:
        improver.settle(3)
        improver.anneal(sweeps, hot, COLD, "improving")
        idle = 0
        if suppress:
            improver.load(improver.best)
            improver.leave_out(suppress)
        while not watch.over(NEARLY) and idle < 3:
            before = improver.best_cost
            improver.load(improver.best)
            improver.anneal(max(sweeps // 2, 10), hot * 0.4, COLD, "refining")
            idle = 0 if improver.best_cost < before * (1 - 1e-4) else idle + 1
        watch.stopped = watch.over(NEARLY)
    except KeyboardInterrupt:
        watch.stopped = watch.interrupted = True
        improver.keep()
    return improver.best
