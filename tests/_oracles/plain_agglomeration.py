"""A plain transcription of the corrected listings of [AC, V], the oracle of the fast engines.

Sets of letters, every pair looked at in every step, no data structure at all. Numbers are exact fractions of
the decimals that the values print as, so a tie is a tie on paper; with `exact=False` they are floats, as one
would write it first, which is what the benchmark times.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

Block = frozenset[int]
Row = tuple[int, int, int, int, float]


class Naive:
    """One alphabet: ranges [[S|x]] as sets, values as tuples of numbers."""

    def __init__(
        self,
        ranges: list[set[int]],
        values: Any = None,
        norm: float = 2.0,
        codeword: str = "centroid",
        exact: bool = True,
    ) -> None:
        number: Any = (lambda v: Fraction(repr(float(v)))) if exact else float
        self.ranges = ranges
        self.n = len(ranges)
        self.points: Any = None if values is None else [tuple(number(v) for v in row) for row in np.asarray(values)]
        self.norm = norm
        self.codeword = codeword
        self.one = number(1)
        self.known: dict[Block, Any] = {}

    def range_of(self, block: Block) -> frozenset[int]:
        return frozenset().union(*(self.ranges[x] for x in block))

    def length(self, p: Any, q: Any) -> Any:
        """Distance; squared for l_2, which orders alike and stays rational."""
        apart = [abs(a - b) for a, b in zip(p, q, strict=True)]
        if self.norm == 1:
            return sum(apart)
        return max(apart) if self.norm == math.inf else sum(a * a for a in apart)

    def distortion(self, block: Block) -> Any:
        """d-bar of a block, squared for l_2."""
        if block not in self.known:
            self.known[block] = self._distortion([self.points[x] for x in sorted(block)])
        return self.known[block]

    def _distortion(self, points: list[Any]) -> Any:
        if self.codeword == "centroid":
            centre = tuple(sum(c) * self.one / len(points) for c in zip(*points, strict=True))
            return max(self.length(p, centre) for p in points)
        if self.codeword == "medoid":
            return min(max(self.length(p, q) for q in points) for p in points)
        columns = list(zip(*points, strict=True))
        if len(columns) == 1 or self.norm == math.inf:
            half = max((max(c) - min(c)) * self.one / 2 for c in columns)
            return half * half if self.norm == 2 else half
        if self.norm == 1:
            turned = [[x + y for x, y in points], [x - y for x, y in points]]
            return max((max(c) - min(c)) * self.one / 2 for c in turned)
        return _ball(points)

    def cost(self, block: Block, by: str) -> Any:
        return len(block) if by == "size" else self.distortion(block)

    def components(self, blocks: list[Block]) -> list[set[int]]:
        """Components of the support as sets of letters, blocks held together."""
        found: list[tuple[set[int], set[int]]] = []
        for block in blocks:
            xs, ss = set(block), set(self.range_of(block))
            rest = []
            for other_xs, other_ss in found:
                if ss & other_ss:
                    xs |= other_xs
                    ss |= other_ss
                else:
                    rest.append((other_xs, other_ss))
            found = [*rest, (xs, ss)]
        return [xs for xs, _ in found]

    def row(self, blocks: list[Block], merges: int) -> Row:
        """(merges, fewest distinct s, components, largest block, distortion)."""
        distortion = math.nan
        if self.points is not None:
            widest = max(self.distortion(b) for b in blocks)
            distortion = math.sqrt(widest) if self.norm == 2 else float(widest)
        fewest = min(len(self.range_of(b)) for b in blocks)
        return merges, fewest, len(self.components(blocks)), max(map(len, blocks)), distortion

    def algorithm_1(self, by: str) -> tuple[list[tuple[int, int]], list[Row]]:
        blocks: list[Block] = [frozenset([x]) for x in range(self.n)]
        merges: list[tuple[int, int]] = []
        rows = [self.row(blocks, 0)]
        while True:
            fewest = min(len(self.range_of(b)) for b in blocks)
            pi = sorted((b for b in blocks if len(self.range_of(b)) == fewest), key=min)
            for block in pi:
                if block not in blocks:
                    continue
                others = [b for b in blocks if self.range_of(b) != self.range_of(block)]
                if not others:
                    return merges, rows
                partner = min(others, key=lambda b: (self.cost(block | b, by), min(b)))
                blocks = [b for b in blocks if b not in (block, partner)] + [block | partner]
                merges.append((min(min(block), min(partner)), max(min(block), min(partner))))
            rows.append(self.row(blocks, len(merges)))

    def algorithm_2(self, by: str) -> tuple[list[tuple[int, int]], list[Row]]:
        return self._joining(lambda blocks, one, two: (self.cost(one | two, by),))

    def problem_7(self, by: str, multiplier: float) -> tuple[list[tuple[int, int]], list[Row]]:
        def lost(blocks: list[Block]) -> float:
            if by == "size":
                return math.log2(max(map(len, blocks)))
            widest = max(self.distortion(b) for b in blocks)
            return math.sqrt(widest) if self.norm == 2 else float(widest)

        def key(blocks: list[Block], one: Block, two: Block) -> tuple[float, int]:
            after = [b for b in blocks if b not in (one, two)] + [one | two]
            fewest, fewest_after = (min(len(self.range_of(b)) for b in bs) for bs in (blocks, after))
            change = (math.log2(fewest) - math.log2(fewest_after)) + multiplier * (lost(after) - lost(blocks))
            # Fractions are exact, logarithms are not: what differs by rounding only is a tie.
            return round(change, 9), len(self.range_of(one)) + len(self.range_of(two))

        return self._joining(key)

    def _joining(self, key: Any) -> tuple[list[tuple[int, int]], list[Row]]:
        """Merge pairs of blocks in different components, least key first, until one component is left."""
        blocks: list[Block] = [frozenset([x]) for x in range(self.n)]
        merges: list[tuple[int, int]] = []
        rows = [self.row(blocks, 0)]
        while len(components := self.components(blocks)) > 1:
            size = {x: len(c) for c in components for x in c}
            home = {x: i for i, c in enumerate(components) for x in c}
            best: Any = None
            for one, two in combinations(sorted(blocks, key=min), 2):
                if home[min(one)] == home[min(two)]:
                    continue
                z = sorted((size[min(one)], size[min(two)]))
                candidate = (*key(blocks, one, two), -z[1], -z[0], min(one), min(two))
                if best is None or candidate < best[0]:
                    best = candidate, one, two
            _, one, two = best
            blocks = [b for b in blocks if b not in (one, two)] + [one | two]
            merges.append((min(one), min(two)))
            rows.append(self.row(blocks, len(merges)))
        return merges, rows


def _ball(points: list[Any]) -> Any:
    """Squared radius of the smallest circle round points of the plane: the largest over pairs and triples."""
    distinct = sorted(set(points))
    best: Any = 0
    for p, q in combinations(distinct, 2):
        best = max(best, ((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2) / 4)
    for triple in combinations(distinct, 3):
        sides = sorted((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 for p, q in combinations(triple, 2))
        if sides[2] < sides[0] + sides[1]:  # acute: the circle through all three
            (ax, ay), (bx, by), (cx, cy) = triple
            area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
            best = max(best, sides[0] * sides[1] * sides[2] / (4 * area * area))
    return best
