"""Levels of privacy, one after the other, while time lasts: first a policy for each, then a better one for those that matter.

A level is k distinct s in every block. Constructing a policy takes little time and improving it much, so improving is
what the clock, an interrupt or a single bound that was asked for cut short.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

import numpy as np

from discreet._typing import Codeword, FloatArray, IntArray
from discreet.release._partitions import Packed
from discreet.search._letters import Letters
from discreet.search._protocol import Aim, Task
from discreet.search._watch import Watch
from discreet.search.ranges._costs import distinct, distortion
from discreet.search.ranges._optimised import Optimised, serve_weaker, settle_bound

ALL_LEVELS, ALL_WEAK = 256, 64
"""Up to so many levels each is searched; beyond, all the weak ones and a geometric grid of the others."""

FEW_LEVELS, FEW_WEAK = 48, 8
"""The same where one level is aimed at: the others are for the picture."""

DRY = 6  # rounds of other starts without a better policy after which there is nothing more to be had
KEPT = 4_000_000  # letters × levels up to which what was constructed is kept until it is improved


def _quietly(stage: str, share: float | None = None) -> None:
    """Report nothing."""


def _nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, eq=False)
class Effort:
    """What a search over levels is for, how long it may take, and whom it tells.

    Attributes
    ----------
    rest
        What else is planned: it comes before levels get further starts, which may take all the time that is left.
    finish
        Makes the policy that is wanted of one with so many distinct s in every block, at no less cost; None where it cannot.
    """

    aim: Aim | None = None
    is_patient: bool = False
    watch: Watch = field(default_factory=Watch)
    say: Callable[[str, float | None], None] = _quietly
    rest: Callable[[], object] = _nothing
    finish: Callable[[IntArray, int], IntArray | None] | None = None

    @classmethod
    def of(cls, task: Task) -> Effort:
        """As the task says."""
        return cls(task.aim, task.is_patient, task.watch, task.say)


def levels_up_to(n_s: int, aim: Aim | None = None) -> IntArray:
    """k from 2 to |[[S]]|, thinned out where there are many; the one that is aimed at is among them."""
    most, all_weak = (ALL_LEVELS, ALL_WEAK) if aim is None else (FEW_LEVELS, FEW_WEAK)
    if n_s - 1 <= most:
        return np.arange(2, n_s + 1)
    weak = np.arange(2, all_weak)
    grid = np.geomspace(all_weak, n_s, most - all_weak).round().astype(np.int64)
    aimed = [aim.level] if aim is not None and aim.level is not None and aim.level > 1 else []
    return np.unique(np.concatenate((weak, grid, np.array(aimed, dtype=np.int64))))


def in_turn(count: int) -> list[int]:
    """0 .. count − 1, the last first and then each halfway between those before it: cut short anywhere, they lie evenly."""
    if count == 0:
        return []
    bits = max(1, (count - 1).bit_length())
    mirrored = (int(format(i, f"0{bits}b")[::-1], 2) for i in range(1 << bits))
    return [count - 1 - i for i in mirrored if i < count]


class Draft(Protocol):
    """A first policy for a level: labels, what they cost, and what no policy of the level can cost less than."""

    @property
    def block_of(self) -> IntArray: ...

    @property
    def cost(self) -> float: ...

    @property
    def bound(self) -> float: ...


D = TypeVar("D", bound=Draft)


class LevelSearch(Protocol[D]):
    """How one level is solved."""

    def construct(self, k: int) -> D:
        """A policy with k distinct s in every block, quickly."""
        ...

    def improved(self, draft: D, seed: int) -> IntArray:
        """One that costs less, or the same."""
        ...


class Levels(Generic[D]):
    """The best policy of every level so far."""

    def __init__(self, letters: Letters, codeword: Codeword, search: LevelSearch[D], order: IntArray) -> None:
        self.letters, self.codeword, self.search = letters, codeword, search
        self.order = order.astype(np.int32)
        self.cost: dict[int, float] = {}
        self.bound: dict[int, float] = {}
        self.has: dict[int, int] = {}
        self.rows: dict[int, bytes] = {}
        self.drafts: dict[int, D] = {}
        self.finish: Callable[[IntArray, int], IntArray | None] | None = None

    def run(self, levels: IntArray, seeds: Callable[[int], int], effort: Effort) -> None:
        """Construct all, then improve: what is aimed at, or all in turn; the strongest level is always constructed."""
        keep, self.finish = len(levels) * self.letters.n <= KEPT, effort.finish
        with effort.watch as watch:
            for done, i in enumerate(in_turn(len(levels))):
                if done and watch.over():
                    break
                effort.say("constructing policies", done / len(levels))
                self.construct(int(levels[i]), keep=keep)
            if effort.aim is None:
                turns = [int(levels[i]) for i in in_turn(len(levels))]
                wanting = [k for k in turns if k in self.cost and self.cost[k] > self.bound[k]]
                for done, k in enumerate(wanting):
                    if watch.over():
                        break
                    effort.say("searching for better policies, and proving bounds", done / len(wanting))
                    self.improve(k, seeds(k))
                if effort.is_patient:
                    effort.rest()
                    self._go_on(wanting, seeds, effort)
            else:
                self._aim_at(effort.aim, seeds, effort)

    def _go_on(self, wanting: list[int], seeds: Callable[[int], int], effort: Effort) -> None:
        """Further starts for levels that are not proven, until time is up or a few rounds found nothing."""
        dry, turn = 0, 0
        while dry < DRY and wanting:
            before, turn = sum(self.cost.values()), turn + 1
            for k in wanting:
                if effort.watch.over():
                    return
                effort.say("searching for better policies, from other starts", None)
                self.improve(k, (seeds(k) + 7_919 * turn) % 2**63)
            wanting = [k for k in wanting if self.cost[k] > self.bound[k]]
            dry = 0 if sum(self.cost.values()) < before else dry + 1

    def construct(self, k: int, *, keep: bool = False) -> D:
        """A first policy for a level."""
        draft = self.search.construct(k)
        if keep:
            self.drafts[k] = draft
        self.bound[k] = draft.bound
        self._take(k, draft.block_of)
        return draft

    def improve(self, k: int, seed: int) -> None:
        """A better policy for a level, constructed anew where it was not kept."""
        draft = self.drafts.get(k) or self.construct(k)
        if draft.cost > draft.bound:
            self._take(k, self.search.improved(draft, seed))
        self.drafts.pop(k, None)

    def _take(self, k: int, block_of: IntArray) -> None:
        cost = distortion(self.letters, block_of, self.codeword)
        if k in self.cost and cost >= self.cost[k]:
            return
        if self.finish is not None:
            finished = self.finish(block_of, k)
            if finished is None:
                return
            block_of, cost = finished, distortion(self.letters, finished, self.codeword)
            if k in self.cost and cost >= self.cost[k]:
                return
        has = distinct(self.letters, block_of)
        if has < k:
            raise AssertionError(f"a partition offered for k = {k} has a block with fewer distinct s")
        self.rows[k] = Packed.packed(block_of, self.order)
        self.cost[k], self.has[k] = cost, has

    def _aim_at(self, aim: Aim, seeds: Callable[[int], int], effort: Effort) -> None:
        """Improve what is aimed at, and prove what no policy of its cost can reach."""
        effort.say("searching for the best policy within the bound", None)
        if aim.level is not None:
            k = max(2, aim.level)
            self.improve(k, seeds(k))
        elif aim.cost is not None:
            k = self._within(aim.cost, seeds, effort)
        limit = min((cost for level, cost in self.cost.items() if level >= k), default=0.0) * (1 + 1e-12)
        low = max((level for level, bound in self.bound.items() if bound <= limit), default=1)
        high = min((level for level in self.bound if level > low), default=low)
        while high - low > 1 and not effort.watch.over():
            middle = (low + high) // 2
            self.construct(middle)
            low, high = (middle, high) if self.bound[middle] <= limit else (low, middle)

    def _within(self, cost: float, seeds: Callable[[int], int], effort: Effort) -> int:
        """Bisect for the strongest level whose policy costs no more: bounds say what is out of reach."""
        limit = cost * (1 + 1e-12)
        low = max((k for k, c in self.cost.items() if c <= limit), default=1)
        high = min((k for k, b in self.bound.items() if b > limit and k > low), default=self.letters.n_s + 1)
        while high - low > 1 and not effort.watch.over():
            k = (low + high) // 2
            self.improve(k, seeds(k))
            low, high = (k, high) if self.cost[k] <= limit else (low, k)
        return low

    def optimised(self, scale: float) -> Optimised:
        """All of them; a stronger level's policy serves a weaker one where it costs less."""
        levels = np.array(sorted(self.cost), dtype=np.int64)
        cost: FloatArray = np.array([self.cost[k] for k in levels.tolist()])
        source = serve_weaker(cost)
        cost = cost[source]
        bound = settle_bound(np.array([self.bound[k] for k in levels.tolist()]), cost, scale)
        has = np.array([self.has[k] for k in levels.tolist()], dtype=np.int64)[source]
        rows = tuple(self.rows[k] for k in levels.tolist())
        return Optimised(levels, has, cost, bound, Packed(self.order, rows).take(source))
