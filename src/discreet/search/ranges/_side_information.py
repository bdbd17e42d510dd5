"""Merging against an adversary who knows A already [AC, end of V-C].

A block is seen together with an a, so it keeps a range [[S|block, a]] for every a it occurs with. L0(S→X̂|A) is
lowered in rounds as by Algorithm 1, I*(S;X̂,A) pair by pair as by Algorithm 2; ties go to the earliest elements.
Ranges are integers used as bit sets: this is for alphabets of up to a few thousand letters.
"""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.joint._joint import Joint
from discreet.release._partitions import Listed, Partitions
from discreet.search._codewords import codeword as codeword_of
from discreet.search._codewords import lengths
from discreet.search._letters import Letters
from discreet.search._protocol import Found, Task
from discreet.search._watch import Watch
from discreet.search.ranges._figures import price_of, worth
from discreet.search.ranges._greedy.path import stopping_step
from discreet.search.ranges._range_engine import RangeEngine

if TYPE_CHECKING:
    from discreet.release._frontier import Frontier
    from discreet.release._points import Point

MOST_LETTERS = 3_000
Ranges = dict[int, int]  # a -> the set of s seen with the block and a, as bits


class _Blocks:
    """Blocks by their earliest letter: members, and ranges by a."""

    def __init__(self, joint: Joint, letters: Letters, cost: str, codeword: str) -> None:
        side = joint.side
        self.letters, self.cost, self.codeword = letters, cost, codeword
        self.members: dict[int, list[int]] = {x: [x] for x in range(letters.n)}
        self.ranges: dict[int, Ranges] = {x: {} for x in range(letters.n)}
        self.prior: Ranges = {}
        for column in range(len(side.x_of)):
            x, a = int(side.x_of[column]), int(side.a_of[column])
            codes = side.counts.indices[side.counts.indptr[column] : side.counts.indptr[column + 1]]
            seen = sum(1 << int(code) for code in codes)
            self.ranges[x][a] = self.ranges[x].get(a, 0) | seen
            self.prior[a] = self.prior.get(a, 0) | seen

    def price(self, one: int, other: int) -> float:
        """What the union of two blocks would cost."""
        together = self.members[one] + self.members[other]
        if self.cost == "size":
            return float(len(together))
        values = self.letters.values
        assert values is not None  # noqa: S101, distortion has values
        points = values[np.sort(together)]
        centre = codeword_of(points, self.codeword, self.letters.norm)
        return float(lengths(points - centre, self.letters.norm).max())

    def merge(self, one: int, other: int) -> int:
        """Join two blocks; the union is named by the earlier."""
        first, second = min(one, other), max(one, other)
        self.members[first] = sorted(self.members[first] + self.members.pop(second))
        for a, seen in self.ranges.pop(second).items():
            self.ranges[first][a] = self.ranges[first].get(a, 0) | seen
        return first

    def leak(self, block: int) -> float:
        """max over a of |[[S|a]]| / |[[S|block, a]]|: L0(S→X̂|A) is the largest logarithm of these."""
        return max(self.prior[a].bit_count() / seen.bit_count() for a, seen in self.ranges[block].items())

    def partition(self) -> IntArray:
        """Every letter's block."""
        block_of = np.empty(self.letters.n, dtype=np.int64)
        for name, letters in self.members.items():
            block_of[letters] = name
        return block_of


class SideInformation(RangeEngine):
    """Leakage to an adversary who knows A: merged greedily, as the paper says its algorithms extend."""

    name = "side-information"
    method = "agglomerative"

    def accepts(self, task: Task) -> str | None:
        """Joints with side information, for L0 and I*."""
        if not (task.is_range and task.joint.has_side) or task.method not in ("auto", "agglomerative"):
            return ""
        if task.leakage == "L0|I*=0":
            return "leakage 'L0|I*=0' does not know side information: use 'L0' or 'I*'"
        return None

    def search(self, task: Task) -> Found:
        """Every step of the path."""
        task.say("merging with side information")
        partitions, leakage = merge_with_side(
            task.joint, task.letters, task.leakage, task.cost, task.codeword, watch=task.watch
        )
        price = np.array([price_of(task.letters, each, task.cost, task.codeword) for each in partitions])
        path = Partitions(leakage, worth(price, task.cost, task.letters.n), Listed.of(partitions))
        return Found(path, path)

    def stop(self, frontier: Frontier, multiplier: float) -> Point | None:
        """The last step before the first that does not lower the Lagrangian."""
        path = frontier.path
        return None if path is None else path[stopping_step(path.leakage, -path.utility, multiplier)]


def merge_with_side(
    joint: Joint, letters: Letters, leakage: str, cost: str, codeword: str, *, watch: Watch | None = None
) -> tuple[list[IntArray], FloatArray]:
    """The merge path and the leakage after every step, the finest partition first; as far as there is time."""
    if letters.n > MOST_LETTERS:
        raise InputError(
            f"side information is for up to {MOST_LETTERS:,} letters of x, not {letters.n:,}: coarsen x first"
        )
    blocks = _Blocks(joint, letters, cost, codeword)
    watch = watch or Watch()
    return _lower_l0(blocks, watch) if leakage == "L0" else _lower_i_star(blocks, joint.n_s, watch)


def _lower_l0(blocks: _Blocks, watch: Watch) -> tuple[list[IntArray], FloatArray]:
    partitions, leaked = [blocks.partition()], [max(blocks.leak(block) for block in blocks.members)]
    while leaked[-1] > 1 and not watch.over():
        worst = [block for block in sorted(blocks.members) if blocks.leak(block) == leaked[-1]]
        done: set[int] = set()
        merged = False
        for block in worst:
            if block in done or block not in blocks.members or blocks.leak(block) < leaked[-1]:
                continue
            own = blocks.ranges[block]
            binding = [a for a, seen in own.items() if blocks.prior[a].bit_count() / seen.bit_count() == leaked[-1]]
            # A partner helps if it adds an s to a range that binds.
            helpers = [
                other
                for other in blocks.members
                if other != block and any(blocks.ranges[other].get(a, 0) & ~own[a] for a in binding)
            ]
            if helpers:
                partner = min(helpers, key=lambda other: (blocks.price(block, other), other))
                done |= {block, partner, blocks.merge(block, partner)}
                merged = True
        if not merged:
            break
        partitions.append(blocks.partition())
        leaked.append(max(blocks.leak(block) for block in blocks.members))
    return partitions, np.log2(leaked)


def _lower_i_star(blocks: _Blocks, n_s: int, watch: Watch) -> tuple[list[IntArray], FloatArray]:
    from discreet.search._kernels.graph import find

    parent = np.arange(n_s)  # components live on S: every (x, a) joins the s of its range

    def join(seen: int) -> None:
        codes = [i for i in range(n_s) if seen >> i & 1]
        for code in codes[1:]:
            parent[find(parent, code)] = find(parent, codes[0])

    def first(seen: int) -> int:
        return int(find(parent, (seen & -seen).bit_length() - 1))

    def joins(one: int, other: int) -> bool:
        """Whether merging two blocks joins two components: through an a that both occur with."""
        shared = blocks.ranges[one].keys() & blocks.ranges[other].keys()
        return any(first(blocks.ranges[one][a]) != first(blocks.ranges[other][a]) for a in shared)

    for ranges in blocks.ranges.values():
        for seen in ranges.values():
            join(seen)

    def count() -> int:
        return int(np.count_nonzero(parent == np.arange(n_s)))

    names = sorted(blocks.members)
    heap = [
        (blocks.price(one, other), one, other)
        for i, one in enumerate(names)
        for other in names[i + 1 :]
        if joins(one, other)
    ]
    heapq.heapify(heap)
    partitions, leaked = [blocks.partition()], [count()]
    sizes = {(one, other): 2 for _, one, other in heap}
    while heap and leaked[-1] > 1 and not watch.over():
        _, one, other = heapq.heappop(heap)
        if one not in blocks.members or other not in blocks.members:
            continue
        if len(blocks.members[one]) + len(blocks.members[other]) != sizes.get((one, other)) or not joins(one, other):
            continue
        name = blocks.merge(one, other)
        for seen in blocks.ranges[name].values():
            join(seen)
        for third in blocks.members:
            if third != name and joins(name, third):
                pair = (min(name, third), max(name, third))
                sizes[pair] = len(blocks.members[name]) + len(blocks.members[third])
                heapq.heappush(heap, (blocks.price(*pair), *pair))
        partitions.append(blocks.partition())
        leaked.append(count())
    return partitions, np.array([math.log2(number) for number in leaked])
