"""Exact frontiers: the least cost at every level of leakage, with a proof or with what is missing to one.

In order of preference: a closed form; dynamic programs over all subsets of a small alphabet; and bisection of
the cost, each step of it a question to a MILP solver, between a proven lower bound and the best policy known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet import _clock
from discreet._typing import Codeword, Cost
from discreet.release._partitions import Listed, Packed, Store
from discreet.search.ranges import _closed_forms as closed_forms
from discreet.search.ranges import _costs as costs
from discreet.search.ranges import _level_bounds as level_bounds
from discreet.search.ranges import _subsets as subsets
from discreet.search.ranges._assignment import Assignment
from discreet.search.ranges._components import JoinedBySize
from discreet.search.ranges._figures import store_of
from discreet.search.ranges._optimised import RESOLUTION, Optimised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from discreet._typing import FloatArray, IntArray
    from discreet.search._letters import Letters
    from discreet.search._watch import Watch

Leakage = Literal["L0", "I*", "L0|I*=0"]

SUBSET_LIMIT = 15  # letters: 3^15 steps take some hundredths of a second, and the tables a megabyte
HASTE = 0.1  # of a share of the time, within which giving up counts as late
SEARCH_LIMIT = 500  # letters: questions about more than these take a solver longer than anybody waits


def exact_frontier(
    letters: Letters,
    leakage: Leakage,
    cost: Cost,
    codeword: Codeword = "centroid",
    time_limit: float = 60.0,
    incumbents: Sequence[IntArray] = (),
    bounds: Sequence[float] = (),
    watch: Watch | None = None,
) -> Optimised:
    """The least cost at every level of leakage, over all partitions of the alphabet.

    Parameters
    ----------
    letters
        The alphabet. Distortion needs its values.
    leakage
        "L0" and "L0|I*=0" have levels 1 .. |[[S]]|, "I*" has levels 1 .. the number of components.
    cost
        "size" for the resolution U1, "distortion" for U2.
    codeword
        What distortion is measured from.
    time_limit
        Seconds of wall clock for everything that is not closed form or a small alphabet.
    incumbents
        Policies known already; the better they are, the sooner the proof.
    bounds
        Lower bounds on the cost proven already, one per level, lowest level first. More than
        ``SEARCH_LIMIT`` letters are not searched: what comes back then rests on these and on the
        incumbents.
    watch
        Told where time ended the questions.

    Returns
    -------
    One policy per level, lowest level first. Costs are monotone. When time runs out a level has the best policy found (at
    worst one block of all letters), its proven bound, and ``proven`` False. Levels are what is asked for: distinct s that
    every block has at least (L0 and L0|I*=0), or components left at most (I*).

    Reference: [AC, (2), (4), (7)]; SPEC 3 and 9.
    """
    if cost == "distortion" and letters.values is None:
        raise ValueError("distortion needs the letters' values")
    component_of = costs.component_of(letters)[0]
    if leakage == "I*" and cost == "size":
        return _components_by_size(component_of)
    if leakage == "L0" and cost == "size" and closed_forms.has_single_s(letters):
        return _distinct_by_dealing(letters)
    if letters.n <= SUBSET_LIMIT:
        if leakage == "I*":
            found = subsets.frontier_of_components(letters, component_of, cost, codeword)
        else:
            join = leakage == "L0|I*=0"
            found = subsets.frontier_of_distinct(letters, component_of, cost, codeword, join=join)
        values, policies = zip(*found.values(), strict=True)
        return _optima(list(found), values, values, Listed.of(policies))
    deadline = _clock.now() + 0.97 * time_limit  # building a last model takes its time, too
    search = _Search(letters, component_of, leakage, cost, codeword, deadline)
    search.trust(bounds)
    for block_of in incumbents:
        search.offer(np.asarray(block_of, np.int64))
    if letters.n <= SEARCH_LIMIT:
        search.run()
    if watch is not None and not all(map(search.settled, search.late)):
        watch.stopped = True
    return search.found()


def _optima(levels: ArrayLike, cost: ArrayLike, bound: ArrayLike, store: Store) -> Optimised:
    numbers = np.asarray(levels, np.int64)
    return Optimised(numbers, numbers, np.asarray(cost, np.float64), np.asarray(bound, np.float64), store)


def _components_by_size(component_of: IntArray) -> Optimised:
    n, count = len(component_of), int(component_of.max()) + 1
    levels = range(1, count + 1)
    sizes = np.array([closed_forms.least_size_for_components(n, count, level) for level in levels], np.int64)
    return _optima(levels, sizes, sizes, JoinedBySize(component_of, sizes))


def _distinct_by_dealing(letters: Letters) -> Optimised:
    degrees = closed_forms.degrees_of(letters)
    levels = range(1, letters.n_s + 1)
    blocks = np.array([closed_forms.most_blocks(degrees, level) for level in levels], np.int64)
    sizes = -(-letters.n // blocks)
    different, which = np.unique(blocks, return_inverse=True)
    order = closed_forms.dealing_order(letters)
    dealt = Packed.of((closed_forms.deal(order, int(number)) for number in different), order)
    return _optima(levels, sizes, sizes, dealt.take(which))


class _Search:
    """Lower and upper ends at all levels, narrowed by questions until they meet or time is up.

    Levels are kept by rank, easiest first, so that costs grow with the rank: a bound holds for all later
    ranks and a policy serves all earlier ones.
    """

    def __init__(
        self,
        letters: Letters,
        component_of: IntArray,
        leakage: Leakage,
        cost: Cost,
        codeword: Codeword,
        deadline: float,
    ) -> None:
        self.letters, self.leakage, self.cost, self.codeword = letters, leakage, cost, codeword
        self.deadline = deadline
        count = int(component_of.max()) + 1
        self.levels = list(range(count, 0, -1)) if leakage == "I*" else list(range(1, letters.n_s + 1))
        self.lower = np.full(len(self.levels), 1.0 if cost == "size" else 0.0)
        if letters.n <= SEARCH_LIMIT:
            self.frame = Assignment(letters, component_of, cost, codeword)
            self.candidates: FloatArray | None = self.frame.candidate_costs()
            self.lower = level_bounds.lower_bounds(
                letters, component_of, leakage, self.frame.distances, codeword, self.levels
            )
        self.upper = np.full(len(self.levels), np.inf)
        self.late: list[int] = []  # ranks whose share of the time was too little
        self.policy: list[IntArray] = [np.zeros(letters.n, np.int64)] * len(self.levels)
        self.offer(np.zeros(letters.n, np.int64))
        self.offer(np.arange(letters.n))

    def offer(self, block_of: IntArray) -> None:
        """Keep a policy at every level that it serves better than the one before."""
        if self.leakage == "I*":
            reached = len(self.levels) - costs.components(self.letters, block_of) + 1
        elif self.leakage == "L0|I*=0" and costs.components(self.letters, block_of) > 1:
            return
        else:
            reached = costs.distinct(self.letters, block_of)
        by_size = self.cost == "size"
        value = float(costs.size(block_of)) if by_size else costs.distortion(self.letters, block_of, self.codeword)
        for rank in range(reached):
            if value < self.upper[rank]:
                self.upper[rank] = value
                self.policy[rank] = block_of

    def trust(self, bounds: Sequence[float]) -> None:
        """Take over bounds that are proven already, lowest level first."""
        if len(bounds):
            ranked = np.asarray(bounds, float)[:: -1 if self.leakage == "I*" else 1]
            self.lower = np.maximum.accumulate(np.maximum(self.lower, ranked))

    def settled(self, rank: int) -> bool:
        return bool(self.upper[rank] - self.lower[rank] <= RESOLUTION * self.upper[rank])

    def run(self) -> None:
        """Settle the ends first, then the middle of what is open: equal ends settle all between them."""
        spans = [(0, len(self.levels) - 1)]
        for rank in dict.fromkeys(spans[0]):
            self.settle(rank)
        while spans:
            low, high = spans.pop()
            if high - low < 2 or self.upper[high] <= self.lower[low]:
                continue
            middle = (low + high) // 2
            if _clock.now() >= self.deadline:
                self.late.append(middle)
                continue
            self.settle(middle)
            spans += [(middle, high), (low, middle)]
        while self.late and _clock.now() < self.deadline:
            again, self.late = self.late, []
            for rank in again:
                self.settle(rank)

    def settle(self, rank: int) -> None:
        """Narrow one level within its share of the time that is left."""
        now = _clock.now()
        unsettled = sum(not self.settled(r) for r in range(len(self.levels)))
        # Levels settle one another, so a level may take several equal shares.
        share = min(self.deadline, now + 4 * (self.deadline - now) / max(4, unsettled))
        asked = 0
        while not self.settled(rank):
            most = self._threshold(rank, asked)
            distinct, components = (1, self.levels[rank]) if self.leakage == "I*" else (self.levels[rank], None)
            if self.leakage == "L0|I*=0":
                components = 1
            answer = self.frame.ask(most, distinct, components, share)
            asked += 1
            if isinstance(answer, str):
                # A solver gives up a little early; where it does so long before, more time would not help it.
                if _clock.now() > share - HASTE * (share - now):
                    self.late.append(rank)
                return
            if answer is None:
                self._raise(rank, most)
            else:
                before = self.upper[rank]
                self.offer(answer)
                if self.upper[rank] >= before:
                    return  # the solver's rounding: its policy does not hold what it promised

    def _threshold(self, rank: int, asked: int) -> float:
        """The cost to ask about: the bound itself first, since it is often met; then halfway."""
        low, high = float(self.lower[rank]), float(self.upper[rank])
        if self.candidates is None:
            if asked == 0:
                return low * (1 + RESOLUTION)
            # Halfway twice, then just below the best policy: that is the question whose "no" is the proof.
            return high * (1 - RESOLUTION) if asked % 3 == 0 else (low + high) / 2
        start = int(np.searchsorted(self.candidates, low * (1 - RESOLUTION)))
        stop = int(np.searchsorted(self.candidates, high * (1 - RESOLUTION)))  # the incumbent's own place
        return float(self.candidates[start if asked == 0 else (start + stop - 1) // 2])

    def _raise(self, rank: int, most: float) -> None:
        """No policy costs ``most`` or less: raise the bound there and at all harder levels."""
        bound = most
        if self.candidates is not None:
            bound = float(self.candidates[np.searchsorted(self.candidates, most, side="right")])
        self.lower[rank:] = np.maximum(self.lower[rank:], bound)

    def found(self) -> Optimised:
        """One policy per level, lowest level first."""
        rank = np.argsort(self.levels)
        lower = np.minimum(self.lower, self.upper)  # rounding may part the two the wrong way
        policies = [self.policy[r] for r in rank.tolist()]
        return _optima([self.levels[r] for r in rank.tolist()], self.upper[rank], lower[rank], store_of(policies))
