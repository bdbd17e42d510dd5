"""The mixed-integer model behind one question of `_assignment`: variables, rows, and rows added later."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from discreet import _clock
from discreet._typing import Codeword
from discreet.search._codewords import lengths, smallest_radius
from discreet.search.ranges import _costs as costs

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.search._letters import Letters

NODE_LIMIT = 100_000  # branch-and-bound nodes a question: a work limit that does not depend on the machine


class Frame(Protocol):
    """What all questions about one alphabet and cost share."""

    letters: Letters
    cost: str
    codeword: Codeword
    component_of: IntArray  # of each letter
    distances: FloatArray | None  # between letters; None for block size
    columns: int  # of numeric values
    place: IntArray  # each letter's place in the order whose first letter represents a block
    kinds: list[tuple[frozenset[int], int]]  # sets of letters that share s, and how many s each


@dataclass
class Rows:
    """Sparse constraints lower <= a . v <= upper, collected one at a time."""

    row: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)

    def add(self, terms: list[tuple[int, float]], lower: float, upper: float) -> None:
        for column, weight in terms:
            self.row.append(len(self.lower))
            self.column.append(column)
            self.weight.append(weight)
        self.lower.append(lower)
        self.upper.append(upper)


class Model:
    """Variables and rows of one question."""

    def __init__(self, frame: Frame, most: float, least: int) -> None:
        self.frame, self.most, self.least = frame, most, least
        self.rows = Rows()
        self.lower: list[float] = []
        self.upper: list[float] = []
        self.whole: list[int] = []
        n = frame.letters.n
        # chosen[p][i]: the variable "letter i lies in the block that p represents"; chosen[p][p]: there is
        # such a block.
        self.chosen: dict[int, dict[int, int]] = {}
        for p in range(n):
            reach = self._reach(p)
            if sum(weight for held, weight in frame.kinds if not held.isdisjoint(reach)) >= least:
                self.chosen[p] = {i: self._variable(1.0, whole=True) for i in reach}
        homes: dict[int, list[tuple[int, float]]] = {i: [] for i in range(n)}
        for block in self.chosen.values():
            for i, column in block.items():
                homes[i].append((column, 1.0))
        self.hopeless = not all(homes.values())
        for i in range(n):
            self.rows.add(homes[i], 1.0, 1.0)
        for p, block in self.chosen.items():
            for i, column in block.items():
                if i != p:
                    self.rows.add([(column, 1.0), (block[p], -1.0)], -np.inf, 0.0)
            self._demand_distinct(p)
        if frame.cost == "size":
            self._limit_size(n)
        elif frame.codeword != "medoid":
            self._forbid_far_pairs()
            if frame.codeword == "centroid" and frame.columns == 1:
                for p, block in self.chosen.items():
                    self._centroid_cut(p, p, np.array([-1.0]))
                    for j in block:
                        if j != p:
                            self._centroid_cut(p, j, np.array([1.0]))

    def _variable(self, upper: float, *, whole: bool = False) -> int:
        self.lower.append(0.0)
        self.upper.append(upper)
        self.whole.append(int(whole))
        return len(self.lower) - 1

    def _reach(self, p: int) -> list[int]:
        """The letters that may lie in the block that p represents."""
        frame = self.frame
        if frame.distances is None:
            return [i for i in range(frame.letters.n) if i >= p]
        if frame.codeword == "medoid":
            return [int(i) for i in np.flatnonzero(frame.distances[p] <= self.most)]
        near = (frame.distances[p] / 2 <= self.most) & (frame.place >= frame.place[p])
        return [int(i) for i in np.flatnonzero(near)]

    def _demand_distinct(self, p: int) -> None:
        """k distinct s in the block: a kind of s counts once if any of its letters is there."""
        block = self.chosen[p]
        own = sum(weight for held, weight in self.frame.kinds if p in held)
        if own >= self.least:
            return
        total: list[tuple[int, float]] = [(block[p], float(own - self.least))]
        for held, weight in self.frame.kinds:
            holders = [] if p in held else sorted(held.intersection(block))
            if len(holders) == 1:
                total.append((block[holders[0]], float(weight)))
            elif holders:
                seen = self._variable(1.0)
                self.rows.add([(seen, 1.0), (block[p], -1.0)], -np.inf, 0.0)
                self.rows.add([(seen, 1.0)] + [(block[i], -1.0) for i in holders], -np.inf, 0.0)
                total.append((seen, float(weight)))
        self.rows.add(total, 0.0, np.inf)

    def _limit_size(self, n: int) -> None:
        size = int(self.most)
        for p, block in self.chosen.items():
            others = [(column, 1.0) for i, column in block.items() if i != p]
            self.rows.add([*others, (block[p], 1.0 - size)], -np.inf, 0.0)
        # n/m blocks, rounded up, are enough: a further one could be dissolved into the room that the others
        # have.
        fewest = float(-(-n // size))
        self.rows.add([(block[p], 1.0) for p, block in self.chosen.items()], fewest, fewest)
        self.number_of_blocks = len(self.rows.lower) - 1

    def _forbid_far_pairs(self) -> None:
        """Two letters farther apart than 2D fit no ball of radius D; one column has that in p's reach."""
        distances = self.frame.distances
        if distances is None or self.frame.columns == 1:
            return
        for p, block in self.chosen.items():
            others = [i for i in block if i != p]
            for at, i in enumerate(others):
                for j in others[at + 1 :]:
                    if distances[i, j] / 2 > self.most:
                        self.rows.add([(block[i], 1.0), (block[j], 1.0), (block[p], -1.0)], -np.inf, 0.0)

    def _centroid_cut(self, p: int, j: int, direction: FloatArray) -> None:
        """If letter j lies in p's block, sum over its letters i of g.(x_j - x_i) - D is at most 0."""
        values = costs.required_values(self.frame.letters)
        block = self.chosen[p]
        pull = (values[j] - values[list(block)]) @ direction - self.most
        slack = float(pull[pull > 0].sum()) if j != p else 0.0
        if j != p and slack == 0:
            return  # no letter that may be there is far enough
        weights = dict(zip(block.values(), pull.tolist(), strict=True))
        weights[block[j]] += slack
        self.rows.add(list(weights.items()), -np.inf, slack)

    def connect(self, most_components: int) -> None:
        """At most so many components: each gets a unit of flow from a root, through blocks that hold it."""
        if self.frame.cost == "size":  # a block that could be dissolved may be what joins two components
            self.rows.upper[self.number_of_blocks] = np.inf
        component_of = self.frame.component_of
        count = int(component_of.max()) + 1
        inflow: list[list[tuple[int, float]]] = [[] for _ in range(count)]
        merges: list[tuple[int, float]] = []
        for p, block in self.chosen.items():
            holders: dict[int, list[int]] = {}
            for i in block:
                holders.setdefault(int(component_of[i]), []).append(i)
            merges.append((block[p], -1.0))
            passed: list[tuple[int, float]] = []
            for c, members in holders.items():
                held = self._variable(1.0)
                present = [(block[i], -1.0) for i in members]
                self.rows.add([(held, 1.0), *present], -np.inf, 0.0)
                self.rows.add([(held, 1.0), (block[p], -1.0)], -np.inf, 0.0)
                merges.append((held, 1.0))
                if len(holders) == 1:
                    continue
                into, out = self._variable(float(count)), self._variable(float(count))
                for flow in (into, out):
                    self.rows.add([(flow, 1.0), (held, -float(count))], -np.inf, 0.0)
                inflow[c] += [(out, 1.0), (into, -1.0)]
                passed += [(into, 1.0), (out, -1.0)]
            if passed:
                self.rows.add(passed, 0.0, 0.0)
        # A block that holds h components saves at most h - 1 of them.
        self.rows.add(merges, float(count - most_components), np.inf)
        roots = []
        for c in range(count):
            root, source = self._variable(1.0, whole=True), self._variable(float(count))
            self.rows.add([(source, 1.0), (root, -float(count))], -np.inf, 0.0)
            self.rows.add([(source, 1.0), *inflow[c]], 1.0, 1.0)
            roots.append((root, 1.0))
        self.rows.add(roots, 0.0, float(most_components))
        if most_components == 1:
            self.lower[roots[0][0]] = 1.0

    def solve(self, deadline: float) -> IntArray | str | None:
        """One call of HiGHS: block_of, None if infeasible, "unknown" at a limit."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        left = deadline - _clock.now()
        if left <= 0:
            return "unknown"
        rows = self.rows
        matrix = csr_array((rows.weight, (rows.row, rows.column)), shape=(len(rows.lower), len(self.lower)))
        result = milp(
            np.zeros(len(self.lower)),
            integrality=np.array(self.whole),
            bounds=Bounds(np.array(self.lower), np.array(self.upper)),
            constraints=LinearConstraint(matrix, np.array(rows.lower), np.array(rows.upper)),
            options={"time_limit": left, "node_limit": NODE_LIMIT},
        )
        if result.status == 2:
            return None
        if result.x is None:
            return "unknown"
        block_of = np.empty(self.frame.letters.n, np.int64)
        for block in self.chosen.values():
            members = [i for i, column in block.items() if result.x[column] > 0.5]
            block_of[members] = min(members, default=0)
        return block_of

    def cut_off(self, block_of: IntArray) -> bool:
        """Add rows that this solution breaks, for costs that are not linear; whether there were any."""
        frame = self.frame
        letters = frame.letters
        if frame.cost == "size" or frame.codeword == "medoid" or letters.values is None:
            return False
        found = False
        radii = costs.radii(letters, block_of, frame.codeword)
        for name in np.unique(block_of)[radii > self.most]:
            members = np.flatnonzero(block_of == name)
            found = True
            if frame.codeword == "chebyshev":
                self._forbid_together(_misfit(letters, members, self.most))
                continue
            points = letters.values[members]
            offsets = points - points.sum(axis=0) / len(points)
            worst = int(np.argmax(lengths(offsets, letters.norm)))
            direction = _steepest(offsets[worst], letters.norm)
            before = len(self.rows.lower)
            if points.shape[1] > 1:
                for p, block in self.chosen.items():
                    if int(members[worst]) in block:
                        self._centroid_cut(p, int(members[worst]), direction)
            if len(self.rows.lower) == before or self._nearly_fits(offsets):
                self._forbid_exactly(members)
        return found

    def _nearly_fits(self, offsets: FloatArray) -> bool:
        """Too close for the solver's tolerance to tell: the block itself must be named."""
        return float(lengths(offsets, self.frame.letters.norm).max()) <= self.most + 1e-5 * (1.0 + self.most)

    def _forbid_together(self, members: IntArray) -> None:
        for block in self.chosen.values():
            if all(int(i) in block for i in members):
                self.rows.add([(block[int(i)], 1.0) for i in members], -np.inf, len(members) - 1.0)

    def _forbid_exactly(self, members: IntArray) -> None:
        inside = {int(i) for i in members}
        for block in self.chosen.values():
            if inside <= block.keys():
                terms = [(column, 1.0 if i in inside else -1.0) for i, column in block.items()]
                self.rows.add(terms, -np.inf, len(inside) - 1.0)


def _misfit(letters: Letters, members: IntArray, most: float) -> IntArray:
    """A subset that does not fit a ball of radius ``most`` but does without any one of its letters."""
    values = costs.required_values(letters)
    kept = list(members)
    for letter in members:
        rest = [i for i in kept if i != letter]
        if smallest_radius(values[rest], letters.norm) > most:
            kept = rest
    return np.array(kept)


def _steepest(offset: FloatArray, norm: float) -> FloatArray:
    """The direction g of dual norm one with g . offset = ||offset||."""
    if norm == 1:
        return np.sign(offset)
    if norm == np.inf:
        direction = np.zeros(len(offset))
        widest = int(np.argmax(np.abs(offset)))
        direction[widest] = np.sign(offset[widest])
        return direction
    return np.asarray(offset / np.sqrt((offset * offset).sum()))
