"""Column generation: the master program over the posteriors found so far.

The master is min Σ_k π_k H(W|u_k) subject to Σ_k π_k u_k = p. Its prices λ say what a posterior must beat: u enters
when H(W|u) < λ·u. For any prices whatever, H(W|Y) ≥ λ·p + min_u [H(W|u) − λ·u]: a proof needs the minimum only, not the
solver's word. `pricing` searches for posteriors that enter, `branching` proves that there are none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import _clock
from discreet.errors import needs_extra
from discreet.sample_privacy._problem import self_information, sums_by
from discreet.sample_privacy._vertices import POSITIVE, Vertices

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.sample_privacy._problem import Program

LP_TOLERANCE = 1e-10  # the default of 1e-7 would show in the results
IMPROVES = 1e-9  # bits by which a new column must beat the prices
NEGLIGIBLE = 1e-12  # probability of a row below which Y says nothing about it
FORBIDDING = 1e3  # bits a unit of mass on a negligible row costs: at most 1e-9 a row in a bound
DEAREST = 1e4  # bits: prices within this keep the rounding of a bound far below any tolerance
BATCH = 64  # columns that enter the master at once


class Master:
    """The master program, kept warm between rounds.

    Rows are divided by √p, so that rare cells count and yet numbers stay within a solver's range. Rows of less than
    `NEGLIGIBLE` are left out and have price −`FORBIDDING`: no posterior may use them, and Y says nothing there. That
    is still private, since a mixture of two products with one pmf of Y is a product.
    """

    def __init__(self, target: FloatArray) -> None:
        highspy: Any = needs_extra("highspy", "disclose")
        self.target = target
        self.rows = np.flatnonzero(target >= NEGLIGIBLE)
        self.root = np.sqrt(target[self.rows])
        self.solver: Any = highspy.Highs()
        options: dict[str, bool | int | float | str] = {
            "output_flag": False,
            "presolve": "off",
            "solver": "simplex",
            "threads": 1,
            "random_seed": 0,
            "primal_feasibility_tolerance": LP_TOLERANCE,
            "dual_feasibility_tolerance": LP_TOLERANCE,
            "small_matrix_value": 1e-12,  # the default of 1e-9 would empty rare cells
        }
        for option, value in options.items():
            self.solver.setOptionValue(option, value)
        nothing = np.empty(0)
        for side in self.root.tolist():
            self.solver.addRow(side, side, 0, nothing.astype(np.int32), nothing)
        self.scale: list[float] = []

    def add(self, costs: FloatArray, points: FloatArray) -> None:
        """New columns: their cost in bits, and the points they stand for (one per row, in the master's rows)."""
        relative = points[:, self.rows] / self.root
        scale = relative.max(axis=1, initial=0.0)
        scale[scale == 0] = 1.0  # a posterior on negligible rows only: it costs, and mixes nothing
        scaled = relative / scale[:, None]
        row, column = np.nonzero(scaled > 0)
        starts = np.searchsorted(row, np.arange(len(points))).astype(np.int32)
        self.solver.addCols(
            len(points),
            costs / scale,
            np.zeros(len(points)),
            np.full(len(points), np.inf),
            len(column),
            starts,
            column.astype(np.int32),
            scaled[row, column],
        )
        self.scale.extend(scale.tolist())

    def relax(self, most: float) -> None:
        """Two columns a row that make up for a mixture that misses it, at that many bits a unit: prices stay within."""
        count = len(self.root)
        for sign in (1.0, -1.0):
            self.solver.addCols(
                count,
                most * self.root,
                np.zeros(count),
                np.full(count, np.inf),
                count,
                np.arange(count, dtype=np.int32),
                np.arange(count, dtype=np.int32),
                np.full(count, sign),
            )
            self.scale.extend((1 / self.root).tolist())

    def solve(self, deadline: float = np.inf) -> tuple[FloatArray, FloatArray] | None:
        """Weights π of all columns, and prices λ of the rows; None when time ran out first."""
        left = min(1e9, max(0.0, deadline - _clock.now()))
        self.solver.setOptionValue("time_limit", self.solver.getRunTime() + left)
        self.solver.run()
        if self._status() not in ("Optimal", "Time limit reached"):
            self.solver.clearSolver()  # from the start rather than from a basis that went wrong
            self.solver.run()
        if self._status() not in ("Optimal", "Unknown"):
            return None  # "Unknown" misses a tolerance only: weights are made exact later, and any prices prove
        solution = self.solver.getSolution()
        prices = np.full(len(self.target), -FORBIDDING)
        prices[self.rows] = np.asarray(solution.row_dual) / self.root
        return np.clip(np.asarray(solution.col_value), 0, None) / np.asarray(self.scale), prices

    def _status(self) -> str:
        return str(self.solver.modelStatusToString(self.solver.getModelStatus()))


@dataclass
class Pool:
    """The posteriors in the master, and its last solution.

    Attributes
    ----------
    program
        The polytope and the objective.
    group
        The master's row of each cell; cells of one type share a row.
    anchors
        Posteriors that are no vertices, first of all p itself (a Y that says nothing): the master has a solution.
    vertices, costs
        The vertices and their H(W|u) in bits.
    weights
        Of the anchors, then of the vertices.
    prices
        λ, of the cells.
    missed
        Mass by which the mixture misses p; 0 but for rounding.
    """

    program: Program
    group: IntArray
    master: Master
    anchors: FloatArray
    vertices: Vertices
    costs: FloatArray
    weights: FloatArray
    prices: FloatArray
    known: set[bytes] = field(default_factory=set)
    missed: float = 0.0

    @property
    def value(self) -> float:
        """H(W|Y) in bits of the mixture that the master found; what it misses of p is charged at `DEAREST`."""
        count = len(self.anchors)
        anchored = self.weights[:count] @ self.program.uncertainty(self.anchors)
        return float(anchored + self.weights[count:] @ self.costs + DEAREST * self.missed)

    @property
    def vertex_weights(self) -> FloatArray:
        """Weights of the vertices."""
        return self.weights[len(self.anchors) :]

    def offer(self, found: Vertices) -> int:
        """Take those vertices that are new and beat the prices; how many."""
        if not len(found):
            return 0
        costs = found.uncertainty(self.program)
        reduced = costs - found.dot(self.prices)
        order = np.argsort(reduced, kind="stable")
        chosen: list[int] = []
        points = self.in_rows(found)
        for k in order[: 4 * BATCH]:
            if reduced[k] > -IMPROVES or len(chosen) == BATCH:
                break
            key = np.round(np.append(points[k], costs[k]), 11).tobytes()
            if key not in self.known:
                self.known.add(key)
                chosen.append(int(k))
        if chosen:
            self._enter(found.take(np.array(chosen)), costs[chosen], points[chosen])
        return len(chosen)

    def start_from(self, found: Vertices, weights: FloatArray) -> None:
        """Take all of a mixture, whatever the prices; its weights stand until the master has better ones.

        What the weights leave of p becomes an anchor, so that the mixture is one of the master's solutions.
        """
        left = np.clip(self.program.p - weights @ found.dense(self.program.size), 0, None)
        if left.sum() > 0:
            rest = left / left.sum()
            self.anchors = np.vstack([self.anchors, rest])
            self.master.add(self.program.uncertainty(rest[None]), sums_by(self.group, rest)[None])
        self.weights = np.append(np.zeros(len(self.anchors)), weights)
        self.weights[len(self.anchors) - 1] += left.sum()
        self._enter(found, found.uncertainty(self.program), self.in_rows(found))

    def _enter(self, new: Vertices, costs: FloatArray, points: FloatArray) -> None:
        self.master.add(costs, points)
        self.vertices = Vertices(
            np.concatenate([self.vertices.cells, new.cells]), np.concatenate([self.vertices.masses, new.masses])
        )
        self.costs = np.concatenate([self.costs, costs])

    def in_rows(self, vertices: Vertices) -> FloatArray:
        """Vertices as points of the master's rows: the mass of each type."""
        found = np.zeros((len(vertices), len(self.master.target)))
        np.add.at(found, (np.arange(len(vertices))[:, None], self.group[vertices.cells]), vertices.masses)
        return found

    def solve(self, deadline: float = np.inf) -> bool:
        """Solve the master and note weights and prices; without an answer in time the last ones stay."""
        found = self.master.solve(deadline)
        if found is None:
            missing = len(self.anchors) + len(self.vertices) - len(self.weights)
            self.weights = np.concatenate([self.weights, np.zeros(missing)])
            return False
        weights, prices = found
        first = 1 + 2 * len(self.master.rows)  # p itself, then what rows miss
        self.weights, self.missed = np.append(weights[:1], weights[first:]), float(weights[1:first].sum())
        self.prices = prices[self.group]
        return True

    def used(self) -> IntArray:
        """The vertices with weight."""
        return np.flatnonzero(self.vertex_weights > 1e-13)


def start_pool(program: Program, group: IntArray | None = None) -> Pool:
    """A pool that knows only p itself. ``group``: the type of each cell, when cells of a type share a price."""
    group = np.arange(program.size) if group is None else group
    target = sums_by(group, program.p)
    master = Master(target)
    master.add(np.array([program.latent_entropy]), target[None])
    master.relax(DEAREST)  # where posteriors miss p by rounding, prices would be anything
    empty = Vertices(np.empty((0, program.rank), np.int64), np.empty((0, program.rank)))
    # λ·p = H(W): optimal while p is the only column
    prices = np.where(target[group] >= NEGLIGIBLE, program.latent_entropy, -FORBIDDING)
    return Pool(program, group, master, program.p[None], empty, np.empty(0), np.ones(1), prices)


def choose_from(pool: Pool, vertices: Vertices, deadline: float) -> float:
    """Solve the master over all these vertices; when they are all there are, returns a proven bound on H(W|Y).

    Returns λ·p + min over the vertices of H(W|u) − λ·u for the best prices, less what rounding may hide.
    """
    costs = vertices.uncertainty(pool.program)
    best = -np.inf
    while True:
        reduced = costs - vertices.dot(pool.prices)
        best = max(best, float(pool.prices @ pool.program.p + reduced.min()) - slack(pool.program, pool.prices))
        order = np.argsort(reduced, kind="stable")[: 4 * BATCH]
        if _clock.now() > deadline or not pool.offer(vertices.take(order)) or not pool.solve(deadline):
            return best


def slack(program: Program, prices: FloatArray) -> float:
    """Bits by which λ·p + min_u [H(W|u) − λ·u] may be too large in floating point.

    A vertex has at most rank(A) masses that count as none, each below `POSITIVE`: h is concave, so each hides at most
    h(`POSITIVE`) of H(W|u), and a price. The sums of N terms round by N units of the last place of the largest price.
    """
    dearest = float(np.abs(prices).max())
    hidden = program.rank * (float(self_information(POSITIVE)) + POSITIVE * dearest)
    return hidden + program.size * 2.0**-52 * dearest
