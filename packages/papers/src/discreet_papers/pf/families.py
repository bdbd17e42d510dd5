"""The tables that general statements are tried on, and those that counterexamples are looked for among, smallest first."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet import Joint
from discreet.search import Problem
from discreet.search.information import Merges, Weights, information, weights_of
from discreet_papers.arrays import Floats, Ints, Members, h_of
from discreet_papers.arrays import information as mutual
from discreet_papers.claims import Study

Table = npt.NDArray[np.int64]
"""Counts with S down and X across."""

MULTIPLIERS = (0.25, 0.5, 0.75)
SEED = 20190613
SLACK = 1e-10
"""Bits by which figures that are equal may differ."""


@dataclass(frozen=True, eq=False)
class SetFunctions:
    """f and g of [PF, Theorem 1] on every set of blocks; set W has the number Σ_{x∈W} 2^x."""

    merges: Merges
    f: Floats
    g: Floats

    @property
    def n(self) -> int:
        """The number of blocks."""
        return self.merges.n

    def changes(self, multiplier: float) -> Floats:
        """(1−λ) f(W) − g(W) of every set [PF, (5)]."""
        return (1 - multiplier) * self.f - self.g


def weights(table: Table) -> Weights:
    """A table as the funnel's engines take it."""
    return weights_of(Joint.from_array(table))


def pmf(counted: Weights) -> Floats:
    """p(s,x) with S down and X across."""
    p = np.zeros((counted.n_s, counted.n))
    p[counted.indices, counted.letter_of_pair] = counted.weight / counted.total
    return p


def soft_information(counted: Weights, channel: Floats) -> tuple[float, float]:
    """(I(S;X̂), I(X;X̂)) in bits of a soft policy p(x̂|x), from their definitions."""
    p = pmf(counted)
    return mutual(p @ channel), mutual(p.sum(axis=0)[:, None] * channel)


def subsets(n: int) -> npt.NDArray[np.bool_]:
    """Every set of n elements as a mask, by number."""
    return np.asarray((np.arange(1 << n)[:, None] >> np.arange(n)) & 1 == 1)


def merged(n: int, member: Members) -> Ints:
    """The partition that merging a set makes of n single letters."""
    block_of = np.arange(n)
    if member.any():
        block_of[member] = np.flatnonzero(member)[0]
    return block_of


def after_merging(merges: Merges) -> Floats:
    """(I(S;X̂_W), I(X;X̂_W)) of every set W, in bits, each from the merged table."""
    n = merges.n
    return np.array([information(merges.weights, merged(n, member)) for member in subsets(n)])


def best_merge(counted: Weights, multiplier: float, problem: Problem) -> tuple[Members, float]:
    """The set W* of step 3 and what merging it adds to the objective, in bits: all sets are looked at, in their order."""
    p = pmf(counted)
    every = subsets(counted.n)
    with_s, of_s = every @ h_of(p).sum(axis=0), h_of(every @ p.T).sum(axis=1)
    alone, of_x = every @ h_of(p.sum(axis=0)), h_of(every @ p.sum(axis=0))
    changes = (1 - multiplier) * (alone - of_x) - (with_s - of_s)  # (1−λ) f − g
    changes = changes if problem == "funnel" else -changes
    best = int(np.argmin(np.round(changes, 12)))
    return every[best], float(changes[best])


def best_subsets(counted: Weights, multiplier: float, problem: Problem) -> list[Ints]:
    """[PF, Algorithm 1] with W* the best of all sets: its partitions, finest first."""
    block_of = np.arange(counted.n)
    found = [block_of]
    while (blocks := counted.merged(block_of)).n > 1:
        member, change = best_merge(blocks, multiplier, problem)
        if change > -SLACK:
            break
        lowest = np.unique(block_of)[member]  # blocks stand in the order of their lowest letters
        block_of = np.where(np.isin(block_of, lowest), lowest[0], block_of)
        found.append(block_of)
    return found


def tables() -> list[Table]:
    """All with 2 values of S, 3 letters and counts up to 2 (no letter empty), and 30 random ones of 4 by 6."""
    columns = [column for column in itertools.product(range(3), repeat=2) if any(column)]
    every = [np.array(chosen).T for chosen in itertools.product(columns, repeat=3)]
    rng = np.random.default_rng(SEED)
    drawn = [rng.poisson(1.5, (4, 6)) + np.eye(4, 6, dtype=np.int64) for _ in range(30)]
    return every + [np.where(table.sum(axis=0) > 0, table, 1) for table in drawn]


def set_functions(study: Study) -> list[SetFunctions]:
    """f and g for every table of the family, and for the random ones also after a first merge, when blocks are no letters."""
    first = [Merges.of(weights(table)) for table in tables()]
    pair = np.arange(6) < 2
    later = [merges.after(pair) for merges in first if merges.n == 6]
    return [
        SetFunctions(
            merges,
            np.array([merges.f(member) for member in subsets(merges.n)]),
            np.array([merges.g(member) for member in subsets(merges.n)]),
        )
        for merges in first + later
    ]


def informations(study: Study) -> list[Floats]:
    """`after_merging` for each of `set_functions`."""
    return [after_merging(functions.merges) for functions in study.once(set_functions)]


def by_size(letters: tuple[int, ...], values: tuple[int, ...], most: int) -> Iterator[Table]:
    """Tables without empty rows or columns: fewest records first, then fewest letters, then fewest values of S."""
    for records in range(1, most + 1):
        for n_x, n_s in itertools.product(letters, values):
            cells = n_s * n_x
            for bars in itertools.combinations(range(records + cells - 1), cells - 1):
                table = (np.diff((-1, *bars, records + cells - 1)) - 1).reshape(n_s, n_x)
                if (table.sum(axis=0) > 0).all() and (table.sum(axis=1) > 0).all():
                    yield table


def shown(table: Table) -> str:
    """A table in one line, its rows of S one after the other."""
    return "[" + " | ".join(" ".join(map(str, row)) for row in table.tolist()) + "]"


def named(member: Members) -> str:
    """A set of blocks, counted from 1."""
    return "{" + ",".join(str(i + 1) for i in np.flatnonzero(member)) + "}" if member.any() else "∅"
