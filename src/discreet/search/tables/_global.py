"""One coarsening for everybody: a set of cut points a line, a cut through a tree, a list of values kept apart a set.

Cells are then the same in every row, and groups that are too small are suppressed. The choice is annealed: one column is
made a step finer or coarser: a cut point comes, goes or shifts, a node is opened or closed. (Levels need not be equal in
all branches of a tree: a value's cell is the same in every row either way.)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from discreet.search._watch import Watch
from discreet.search.tables._columns import SLACK, Column, FloatArray, IntArray
from discreet.search.tables._loss import band_costs
from discreet.search.tables._problem import Problem
from discreet.search.tables._value_models import keep_models

SECONDS = 5e-8
"""What one letter is reckoned to cost in one look at a coarsening."""

MOST, FEWEST = 60_000, 300
"""Looks of one schedule."""

A_CODE = 100
"""Looks of one schedule at most, for each code of a column: on small tables there is no more to see."""

POLISHED = 0.9
"""The share of the time after which single changes of the best state are tried, one after the other."""

IDLE = 5
"""Schedules without a gain after which the search ends. They start from the best so far, and every third from nothing."""

HOT, COLD = 0.05, 0.0003
"""First and last temperature, in units of loss."""

Bands = IntArray
"""For each code of a column its band, numbered from 0 in the order of the codes."""


class Coarsening:
    """The states of the search. Of a line, a state says between which codes there is a cut; of a tree, which nodes are open,
    so that their children stand for themselves; of a set, how many of its commonest values stand for themselves.
    """

    def __init__(self, problem: Problem, kept: IntArray, suppress: int) -> None:
        self.problem, self.kept, self.suppress = problem, kept, suppress
        self.codes = [problem.letters.codes[kept, c] for c in range(len(problem.columns))]
        self.occurring = [
            np.bincount(codes, minlength=column.size) > 0
            for codes, column in zip(self.codes, problem.columns, strict=True)
        ]
        self.counts = problem.letters.counts[kept]
        self.lost = problem.letters.records - int(self.counts.sum())
        self.weights = problem.cells.most[:, 0]
        self.known: dict[tuple[int, bytes], tuple[Bands, FloatArray]] = {}

    def banded(self, c: int, state: IntArray) -> tuple[Bands, FloatArray]:
        """For each code of a column its band in a state, and the NCP of that band."""
        key = (c, state.tobytes())
        if key not in self.known:
            if len(self.known) > 20_000:
                self.known.clear()
            bands = self._bands(self.problem.columns[c], state)
            self.known[key] = bands, band_costs(self.problem.columns[c], bands, self.occurring[c])
        return self.known[key]

    def _bands(self, column: Column, state: IntArray) -> Bands:
        if column.kind == "line":
            cuts = np.concatenate([[0], state])
            if column.size > 1 and column.positions[-1] > 2 and state.any():
                cuts[-1] = 1  # a missing value is in no band of numbers but the one that says nothing
            return np.cumsum(cuts)
        if column.kind == "tree":
            # the highest node that is not open; a leaf has nothing to open
            closed = state[column.levels] == 0
            closed[:, 0] = True
            level = column.levels.shape[1] - 1 - np.argmax(closed[:, ::-1], axis=1)
            node = column.levels[np.arange(column.size), level]
            return np.cumsum(np.concatenate([[0], node[1:] != node[:-1]]))
        return np.minimum(np.arange(column.size), int(state[0]))

    def coarsest(self) -> list[IntArray]:
        """As coarse as the columns' limits allow."""
        return [self._coarsest(c, column) for c, column in enumerate(self.problem.columns)]

    def _coarsest(self, c: int, column: Column) -> IntArray:
        steps: list[IntArray]
        if column.kind == "line":
            parts = 2.0 ** np.arange(0, np.ceil(np.log2(column.size)) + 4)
            where = [np.floor(np.minimum(column.positions, 2.0) * part) for part in parts]
            none, every = np.zeros(column.size - 1, dtype=np.int64), np.ones(column.size - 1, dtype=np.int64)
            steps = [none, *((at[1:] != at[:-1]).astype(np.int64) for at in where), every]
        elif column.kind == "tree":
            order = np.unique(column.node_cost)[::-1]
            steps = [(column.node_cost > cost).astype(np.int64) for cost in order]
        else:
            steps = [np.array([value]) for value in range(column.size)]
        for step in steps:
            if self.allowed(c, step):
                return step
        return steps[-1]

    def allowed(self, c: int, state: IntArray) -> bool:
        """Whether the bands of a column keep to its limit."""
        cost = self.banded(c, state)[1][self.occurring[c]]
        return bool(cost.max() <= self.problem.columns[c].most + SLACK)

    def changed(self, state: list[IntArray], rng: np.random.Generator) -> list[IntArray] | None:
        """A neighbouring state, or None where the step leads nowhere."""
        c = int(rng.integers(len(state)))
        column = self.problem.columns[c]
        new = state[c].copy()
        if column.kind == "line":
            if not len(new):
                return None
            cuts = np.flatnonzero(new)
            at = int(rng.integers(len(new)))
            if len(cuts) and rng.random() < 0.6:
                old = int(rng.choice(cuts))
                new[old] = 0
                at = min(max(old + int(rng.integers(-3, 4)), 0), len(new) - 1) if rng.random() < 0.6 else -1
            if at >= 0:
                new[at] = 1
        elif column.kind == "tree":
            # of a random leaf, open its highest closed node or close its lowest open one
            above = column.levels[int(rng.choice(self.codes[c]))][1:]
            closed = above[new[above] == 0]
            opened = above[new[above] == 1]
            if len(closed) and (not len(opened) or rng.random() < 0.5):
                new[closed[-1]] = 1
            elif len(opened):
                under = np.unique(column.levels[np.any(column.levels == opened[0], axis=1)][:, 1:])
                new[under[column.node_cost[under] <= column.node_cost[opened[0]]]] = 0
        else:
            new[0] += 1 if rng.random() < 0.5 else -1
            if not 0 <= new[0] < column.size:
                return None
        if np.array_equal(new, state[c]) or not self.allowed(c, new):
            return None
        return [*state[:c], new, *state[c + 1 :]]

    def neighbours(self, c: int, state: IntArray) -> Iterator[IntArray]:
        """Every state of a column that is one change away."""
        column = self.problem.columns[c]
        for i in range(len(state)):
            if column.kind == "set":
                changes = [{0: int(state[0]) + step} for step in (-1, 1) if 0 <= state[0] + step < column.size]
            elif column.kind == "tree":
                changes = [{i: 1 - int(state[i])}]
            else:
                near = [j for j in range(i - 4, i + 5) if 0 <= j < len(state) and not state[j]]
                changes = [{i: 1 - int(state[i])}, *({i: 0, j: 1} for j in near if state[i])]
            for change in changes:
                new = state.copy()
                new[list(change)] = list(change.values())
                if self.allowed(c, new):
                    yield new

    def look(self, state: list[IntArray]) -> tuple[float, IntArray, npt.NDArray[np.bool_]]:
        """The loss of a state (over budget: above 1), the group of each letter, and which letters are released."""
        key = np.zeros(len(self.kept), dtype=np.int64)
        cost = np.zeros(len(self.kept))
        for c, step in enumerate(state):
            bands, costs = self.banded(c, step)
            if float(key.max(initial=0) + 1) * (bands.max() + 1) > 2**60:
                key = np.unique(key, return_inverse=True)[1].ravel()
            key = key * (int(bands.max()) + 1) + bands[self.codes[c]]
            cost += self.weights[c] * costs[self.codes[c]]
        if key.max() > 8 * len(key) + 100_000:
            key = np.unique(key, return_inverse=True)[1].ravel()
        fit = fitting(self.problem, self.kept, key)[key]
        gone = int(self.counts[~fit].sum()) + self.lost
        loss = (float(self.counts[fit] @ cost[fit]) + gone) / self.problem.letters.records
        return loss + (1 + gone if gone > self.suppress else 0), key, fit


def fitting(problem: Problem, kept: IntArray, group: IntArray) -> npt.NDArray[np.bool_]:
    """Which groups of letters have what they must have."""
    groups = int(group.max()) + 1
    wanted = problem.requirement
    records = np.bincount(group, problem.letters.counts[kept], groups)
    fit = np.asarray(records >= wanted.n)
    of = np.full(problem.letters.size, -1, dtype=np.int64)
    of[kept] = group
    for column, k, cap, models in zip(problem.letters.sensitive, wanted.k, wanted.caps, wanted.models, strict=True):
        if k <= 1 and cap is None and not models:
            continue
        entry = np.repeat(of, np.diff(column.indptr))
        inside = entry >= 0
        pairs, place = np.unique(entry[inside] * column.size + column.value[inside], return_inverse=True)
        count = np.bincount(place.ravel(), column.count[inside])
        fit &= np.bincount(pairs // column.size, minlength=groups)[:groups] >= k
        if cap is not None:
            over = count > np.asarray(cap)[pairs % column.size] * records[pairs // column.size] * (1 + 1e-9)
            fit[(pairs // column.size)[over]] = False
        fit &= keep_models(models, (pairs // column.size, pairs % column.size, count), groups)
    return fit


def _polished(coarsening: Coarsening, best: list[IntArray], loss: float, watch: Watch) -> list[IntArray]:
    """Single changes of every column in turn, each taken where it helps, until none does or the time is up."""
    columns, idle = len(best), 0
    c = 0
    while idle < columns:
        gained = False
        for new in coarsening.neighbours(c, best[c]):
            if watch.over():
                return best
            state = [*best[:c], new, *best[c + 1 :]]
            found = coarsening.look(state)[0]
            if found < loss - 1e-12:
                best, loss, gained = state, found, True
                watch.tell("polishing", idle / columns, min(loss, 1.0))
                break
        idle = 0 if gained else idle + 1
        c = c if gained else (c + 1) % columns
    return best


def global_groups(
    problem: Problem, kept: IntArray, *, suppress: int, seed: int, watch: Watch
) -> tuple[IntArray, list[Bands]]:
    """Groups of one coarsening for everybody, and for each column the band of each code."""
    rng = np.random.default_rng(seed)
    coarsening = Coarsening(problem, kept, suppress)
    state = best = coarsening.coarsest()
    loss = best_loss = coarsening.look(state)[0]
    watch.tell("first", 1.0, best_loss)
    seconds = 60.0 if watch.limit is None else watch.limit
    most = min(MOST, FEWEST + A_CODE * sum(column.size for column in problem.columns))
    looks = int(np.clip(0.4 * seconds / (SECONDS * len(kept) * len(problem.columns) + 2e-4), FEWEST, most))
    with watch:
        cycle = idle = 0
        while idle < IDLE:
            before = best_loss
            if cycle % 3 == 2:
                state = coarsening.coarsest()
                loss = coarsening.look(state)[0]
            hot = HOT * 0.6 ** (cycle % 3)
            for step in range(looks):
                if watch.over(POLISHED):
                    break
                new = coarsening.changed(state, rng)
                if new is not None and rng.random() < 0.4:
                    new = coarsening.changed(new, rng)  # one column finer for another that is coarser
                if new is None:
                    continue
                found = coarsening.look(new)[0]
                temperature = hot * (COLD / hot) ** (step / looks)
                if found < loss or rng.random() < np.exp((loss - found) / temperature):
                    state, loss = new, found
                    if loss < best_loss:
                        best, best_loss = state, loss
                if step % 50 == 0:
                    watch.tell("coarsening", step / looks, min(best_loss, 1.0))
            if watch.over(POLISHED):
                break
            state, loss = best, best_loss
            cycle, idle = cycle + 1, 0 if best_loss < before else idle + 1
        best = _polished(coarsening, best, best_loss, watch)
    _, group, fit = coarsening.look(best)
    group_of = np.full(problem.letters.size, -1, dtype=np.int64)
    group_of[kept] = np.where(fit, group, -1)
    bands = [coarsening.banded(c, step)[0] for c, step in enumerate(best)]
    return group_of, [
        bands[c] if column.kind == "set" else trimmed(bands[c], coarsening.codes[c][fit])
        for c, column in enumerate(problem.columns)
    ]


def trimmed(bands: Bands, released: IntArray) -> Bands:
    """The same bands without the codes at their ends that nobody has who is released; each of those is a band of its own.

    So that a band says no more than it must; it is still the same for everybody.
    """
    has = np.bincount(released, minlength=len(bands)) > 0
    at = np.arange(len(bands))
    first, last = np.full(bands.max() + 1, len(bands)), np.full(bands.max() + 1, -1)
    np.minimum.at(first, bands[has], at[has])
    np.maximum.at(last, bands[has], at[has])
    inside = (at >= first[bands]) & (at <= last[bands])
    new = np.concatenate([[True], (np.diff(bands) != 0) | ~(inside[1:] & inside[:-1])])
    return np.cumsum(new) - 1
