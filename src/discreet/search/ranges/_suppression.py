"""Withholding rows instead of merging outliers: whole letters whose rows are not released.

One rare value far from all others can force a wide block on everybody near it. Withholding its rows, within a
budget, lets the rest be released more finely. Only whole letters are withheld, so that what is released stays
true of every row that is left.

What it leaks. An adversary who knows that a person is in the table and does not find her learns that her
letter is among those withheld, which the policy shows. So absence is an answer like any other, and the
withheld letters act as one more block: the person's s is one of those seen with them. If those are fewer than
k, withholding breaks the very promise it was used for. With ``guard`` (the default) the withheld letters
together must have k distinct s, and L0 counts the absence too; without it the promise holds only towards an
adversary who cannot tell absence from never having been there (a sample from a larger population, with the
sample secret). Publishing how many rows were withheld tells an adversary who knows all other rows' s, or the
totals of s, what the s of the withheld ones are; and an s that occurs in withheld letters alone vanishes from
the release, which whoever knows [[S]] can see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.search._letters import Letters, chosen_rows
from discreet.search._watch import Watch

Engine = Callable[[Letters, IntArray], IntArray]
"""The best policy it knows for the target k: block_of of the letters it is given, whose numbers in the alphabet it is told."""

BlockCosts = Callable[[Letters, IntArray], FloatArray]  # the cost of each block, in the order of their lowest letters

WITHHELD = -1  # block_of of a letter that is not released
CANDIDATES = 8  # letters of the costliest block that a step tries


@dataclass(frozen=True, eq=False)
class Suppression:
    """A policy for the letters that are released, and an account of those that are not.

    Attributes
    ----------
    block_of
        Each letter's block, named by its lowest letter; -1 where the letter is withheld.
    cost
        The largest block cost among released letters.
    withheld
        The letters that are not released, ascending.
    rows_withheld
        Their rows; at most the budget.
    rows_released
        All other rows.
    distinct_withheld
        Distinct s seen with the withheld letters: what absence still hides (0 if none is withheld).
    s_vanished
        The number of s that occur in withheld letters only.
    """

    block_of: IntArray
    cost: float
    withheld: IntArray
    rows_withheld: int
    rows_released: int
    distinct_withheld: int
    s_vanished: int


@dataclass(frozen=True)
class Suppressor:
    """What to withhold from an alphabet, at what price.

    Attributes
    ----------
    rows
        Rows of each letter.
    budget
        Rows withheld at most.
    least
        k, the distinct s that every released block must have; the engine's target.
    engine
        Makes a policy for the letters that are left, which reaches k whenever they have it together.
    block_costs
        What each block costs.
    guard
        Whether the withheld letters, too, must have k distinct s together.
    whole
        Whether every s must still be seen with a released letter, so that leakage is counted from the same prior.
    start
        A policy that withholds nothing, where one is known.
    hardest
        Letters, those first that keep every policy costly: whole beginnings of this list are tried before single steps.
    runs
        Policies that may be made in all.
    watch
        When to stop.
    """

    letters: Letters
    rows: IntArray
    budget: int
    least: int
    engine: Engine
    block_costs: BlockCosts
    guard: bool = True
    whole: bool = False
    start: IntArray | None = None
    hardest: IntArray | None = None
    runs: int = 100_000
    watch: Watch = field(default_factory=Watch)

    def __post_init__(self) -> None:
        if self.budget < 0:
            raise ValueError("the budget of rows must not be negative")
        if self.least < 1:
            raise ValueError("at least one distinct s must be asked for")
        if len(self.rows) != self.letters.n:
            raise ValueError(f"rows has {len(self.rows)} entries for {self.letters.n} letters")

    def evaluate(self, withheld: frozenset[int]) -> Suppression | None:
        """The account of withholding these letters; None where k, the guard or the budget forbids it."""
        letters = self.letters
        gone = np.zeros(letters.n, bool)
        gone[sorted(withheld)] = True
        s_gone = np.unique(letters.indices[np.repeat(gone, np.diff(letters.indptr))])
        s_left = np.unique(letters.indices[np.repeat(~gone, np.diff(letters.indptr))])
        lost = int(self.rows[gone].sum())
        if lost > self.budget or (self.guard and 0 < len(s_gone) < self.least):
            return None
        if len(s_left) < self.least:  # also where nothing would be left
            return None
        if self.whole and len(s_left) < letters.n_s:
            return None
        kept = np.flatnonzero(~gone)
        rest = restrict(letters, kept)
        policy = self.start if self.start is not None and not withheld else self.engine(rest, kept)
        block_of = np.full(letters.n, WITHHELD)
        block_of[kept] = kept[policy]
        cost = float(self.block_costs(rest, policy).max())
        return Suppression(
            block_of,
            cost,
            np.flatnonzero(gone),
            lost,
            int(self.rows.sum()) - lost,
            len(s_gone),
            len(np.setdiff1d(s_gone, s_left)),
        )


def restrict(letters: Letters, kept: IntArray) -> Letters:
    """The alphabet of these letters alone (ascending), with the s that they still see renumbered."""
    indptr, indices = chosen_rows(letters.indptr, letters.indices, kept)
    seen, codes = np.unique(indices, return_inverse=True)
    values = None if letters.values is None else letters.values[kept]
    return Letters(indptr, codes.astype(np.int32), len(seen), values, letters.norm)


def suppress(problem: Suppressor) -> Suppression:
    """Letters to withhold, by a search that never does worse than withholding none.

    First the hardest letters together, by doubling and then halving how many, which takes as many policies as the budget
    has digits. From the best of these on, each step withholds one more letter of the costliest block: of those whose
    absence leaves the block cheapest the one that leaves the whole policy cheapest (ties: fewest rows, then the
    earliest). Steps go on while the budget lasts, also over steps that do not pay by themselves, as a costly block may
    hold several outliers; the best account met on the way is kept, with more letters withheld where the guard wants them.

    Of equally cheap accounts that with the fewest rows withheld is returned; ValueError where the letters together have
    fewer than k distinct s.
    """
    search = _Search(problem)
    here = search.evaluate(frozenset())
    if here is None:
        raise ValueError(f"the letters together have fewer than {problem.least} distinct s")
    search.take(here)
    with problem.watch:
        here = search.withhold_hardest(here)
        search.step_on(here)
    return search.best


class _Search:
    """The best account so far, and what is left to spend."""

    best: Suppression

    def __init__(self, problem: Suppressor) -> None:
        self.problem = problem
        self.free = replace(problem, guard=False)  # on the way the guard may be open; what is kept has it closed
        self.runs = problem.runs

    def spent(self) -> bool:
        return self.runs <= 0 or self.problem.watch.over()

    def evaluate(self, withheld: frozenset[int]) -> Suppression | None:
        self.runs -= 1
        return self.free.evaluate(withheld)

    def take(self, here: Suppression) -> None:
        """Keep an account that is better, once its guard is closed."""
        if not hasattr(self, "best"):
            self.best = here
        elif _key(here) < _key(self.best) and not (self.is_open(here) and self.spent()):
            self.runs -= self.is_open(here)
            reached = _guarded(self.problem, here)
            if reached is not None and _key(reached) < _key(self.best):
                self.best = reached

    def is_open(self, here: Suppression) -> bool:
        return self.problem.guard and 0 < here.distinct_withheld < self.problem.least

    def withhold_hardest(self, start: Suppression) -> Suppression:
        """The best beginning of the list of the hardest letters that fits into the budget."""
        hardest = self.problem.hardest
        if hardest is None:
            return start
        rows = np.cumsum(self.problem.rows[hardest])
        most = int(np.searchsorted(rows, self.problem.budget, side="right"))
        met = {0: start}
        lengths = [*(1 << i for i in range(most.bit_length()) if 1 << i < most), *([most] if most else [])]
        while lengths:
            for length in lengths:
                if self.spent():
                    break
                if (found := self.evaluate(frozenset(hardest[:length].tolist()))) is not None:
                    met[length] = found
                    self.take(found)
            tried = sorted(met)
            at = tried.index(min(met, key=lambda length: _key(met[length])))
            around = tried[max(0, at - 1) : at + 2]
            halves = {(one + two) // 2 for one, two in pairwise(around)}
            lengths = [] if self.spent() else sorted(halves - set(tried))
        return min(met.values(), key=_key)

    def step_on(self, here: Suppression) -> None:
        """Letter by letter."""
        withheld = frozenset(here.withheld.tolist())
        while here.cost > 0 and not self.spent():
            left = self.problem.budget - here.rows_withheld
            tried = []
            for letter in _binding(self.problem, here, left, CANDIDATES):
                if self.problem.watch.over():
                    return  # the best of those that were tried is not the step that more time takes
                if self.runs <= 0:
                    break
                if (step := self.evaluate(withheld | {letter})) is not None:
                    tried.append((step, letter))
            if not tried:
                return
            here, chosen = min(tried, key=lambda pair: (pair[0].cost, pair[0].rows_withheld, pair[1]))
            withheld |= {chosen}
            self.take(here)


def _key(account: Suppression) -> tuple[float, int]:
    return account.cost, account.rows_withheld


def _binding(problem: Suppressor, here: Suppression, left: int, count: int) -> list[int]:
    """Letters of the costliest block that the budget allows, first those whose absence leaves it cheapest."""
    kept = np.flatnonzero(here.block_of != WITHHELD)
    rest = restrict(problem.letters, kept)
    inner = np.searchsorted(kept, here.block_of[kept])
    price = problem.block_costs(rest, inner)
    worst = np.flatnonzero(inner == np.unique(inner)[int(np.argmax(price))])
    offers = []
    for letter in worst:
        if problem.rows[kept[letter]] > left:
            continue
        others = worst[worst != letter]
        cost = 0.0
        if len(others):
            block = restrict(rest, others)
            cost = float(problem.block_costs(block, np.zeros(len(others), np.int64)).max())
        offers.append((cost, int(problem.rows[kept[letter]]), int(kept[letter])))
    return [letter for _, _, letter in sorted(offers)[:count]]


def _guarded(problem: Suppressor, here: Suppression) -> Suppression | None:
    """The same, with more letters withheld until those have k distinct s, fewest rows per new s first."""
    if not problem.guard or here.distinct_withheld >= problem.least:
        return here
    letters = problem.letters
    gone = set(here.withheld.tolist())
    seen = {int(s) for letter in gone for s in letters.range_of(letter)}
    spent = here.rows_withheld
    while len(seen) < problem.least:
        offers = [
            (int(problem.rows[i]) / fresh, i)
            for i in range(letters.n)
            if i not in gone and spent + problem.rows[i] <= problem.budget
            if (fresh := len(set(letters.range_of(i).tolist()) - seen)) > 0
        ]
        if not offers:
            return None
        chosen = min(offers)[1]
        gone.add(chosen)
        seen.update(letters.range_of(chosen).tolist())
        spent += int(problem.rows[chosen])
    return problem.evaluate(frozenset(gone))
