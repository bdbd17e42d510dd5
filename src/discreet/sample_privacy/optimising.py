"""One program, solved: posteriors with weights, and a proven bound on what any others could do.

All vertices where these are few; else column generation, proven by branch and bound. Both look at a `Program` only, so
cells and types are solved alike.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.sample_privacy import branching, columns, pricing
from discreet.sample_privacy.vertices import enumerate_vertices, exhaustive_vertices

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.sample_privacy.branching import Swaps
    from discreet.sample_privacy.problem import FloatArray, IntArray, Program

Engine = Literal["auto", "exhaustive", "vertices", "columns", "branching"]

ENUMERATION_LIMIT = 100_000  # bases that are visited before the search is left to column generation: about a second
ENUMERATION_CELLS = 40  # points of the support up to which enumeration is tried
BRANCHING_CELLS = 600  # points of the support up to which `auto` goes for a proof
PEEL_CELLS = 200  # points of the support from which on the master needs a mixture to start from
FIRST_TOLERANCES = (0.03, 0.003)  # bits: proofs that come sooner, in case the last one does not


@dataclass(frozen=True, eq=False)
class Outcome:
    """A mixture of posteriors, and what it is worth.

    Attributes
    ----------
    pool
        The posteriors and their weights.
    least
        Proven: no private Y has H(W|Y) below this; −inf when nothing is proven.
    engine
        Which engine found it.
    how
        The same in words.
    """

    pool: columns.Pool
    least: float
    engine: str
    how: str


@dataclass(frozen=True, eq=False)
class Limits:
    """When to stop: the clock of ``time.monotonic()``, and bits that need not be proven."""

    deadline: float
    tolerance: float
    note: Callable[[str], None]

    def part(self, share: float) -> float:
        """A deadline after that share of what is left."""
        now = time.monotonic()
        return now + share * (self.deadline - now)


def optimise(
    program: Program,
    limits: Limits,
    rng: np.random.Generator,
    engine: Engine = "auto",
    group: IntArray | None = None,
    swaps: Swaps | None = None,
    floor: float = -np.inf,
) -> Outcome:
    """Solve a program.

    Parameters
    ----------
    program
        The polytope and the objective.
    limits
        When to stop.
    rng
        Starts of the searches.
    engine
        "auto", or one engine: "exhaustive" (all bases), "vertices", "columns" (no proof), "branching" (with proof).
    group, swaps
        The type of each cell and the swaps behind it, where samples are exchangeable and W is the samples.
    floor
        A bound on H(W|Y) that is known already.
    """
    if engine in ("auto", "vertices", "exhaustive"):
        done = _by_vertices(program, limits, engine, group)
        if done is not None:
            return done
    pool = columns.start_pool(program, group)
    limits.note("column generation")
    if group is None and program.size > PEEL_CELLS:
        pool.start_from(*pricing.peel(program, limits.part(0.5)))
        pool.solve(limits.part(0.5))
    # A proof needs the optimum first; searching longer than that only makes sense where no proof will follow.
    pricing.search(pool, limits.part(0.5), rng, target=floor + limits.tolerance)
    used = len(pool.used())
    how = f"column generation: {len(pool.vertices):,} vertices tried, {used:,} used"
    if group is not None:
        how += f", with {len(pool.master.target):,} types of cells"
    least = floor
    tries = engine == "branching" or (engine != "columns" and program.size <= BRANCHING_CELLS)
    if tries and pool.value > floor + limits.tolerance:
        found, nodes = _prove(pool, limits, rng, swaps)
        least = max(least, found)
        how += f"; branch and bound over {nodes:,} nodes"
    return Outcome(pool, least, "branching" if least >= pool.value - limits.tolerance else "columns", how)


def _by_vertices(program: Program, limits: Limits, engine: Engine, group: IntArray | None) -> Outcome | None:
    size, r = program.size, program.rank
    few = comb(size, r) <= ENUMERATION_LIMIT or size <= ENUMERATION_CELLS
    if engine == "auto" and not few:
        return None
    limits.note("vertices")
    if engine == "exhaustive":
        found = exhaustive_vertices(program)
    elif engine == "vertices":
        found = enumerate_vertices(program, 1 << 25, limits.part(0.7))
    else:
        found = enumerate_vertices(program, ENUMERATION_LIMIT, limits.part(0.3))
    if engine == "auto" and not found.complete:
        return None
    pool = columns.start_pool(program, group)
    least = columns.choose_from(pool, found.vertices, limits.deadline)
    how = f"{'all' if found.complete else 'the first'} {len(found.vertices):,} vertices ({found.bases:,} bases)"
    name = "exhaustive" if engine == "exhaustive" else "vertices"
    return Outcome(pool, least if found.complete else -np.inf, name, f"{how}, then a linear program over them")


def _prove(pool: columns.Pool, limits: Limits, rng: np.random.Generator, swaps: Swaps | None) -> tuple[float, int]:
    """Branch and bound at ever finer tolerances; better posteriors met on the way enter the pool."""
    search = branching.Search(pool.program, swaps)
    # Some time is kept for bounds from subsets, should this one fail; more of it where it often does.
    deadline = limits.part(0.75 if swaps is not None or pool.program.size <= 64 else 0.5)
    last = 0.9 * limits.tolerance
    tolerances = [*(t for t in FIRST_TOLERANCES if t > 2 * limits.tolerance), last]
    least, nodes, took = -np.inf, 0, np.inf
    for tolerance in tolerances:
        left = deadline - time.monotonic()
        if tolerance != last and took < 0.05 * left:
            continue  # the last one costs a few times as much: go for it
        while True:
            limits.note(f"branch and bound to {tolerance:g} bits")
            started = time.monotonic()
            proof = search.run(pool.prices, tolerance, deadline)
            took = time.monotonic() - started
            nodes += proof.nodes
            if proof.point is None:
                break
            if not _improve(pool, proof.point, rng, limits):
                return least, nodes
        least = max(least, float(pool.prices @ pool.program.p) + proof.least)
        if not proof.complete:
            break
    return least, nodes


def _improve(pool: columns.Pool, point: FloatArray, rng: np.random.Generator, limits: Limits) -> bool:
    """Let a vertex at least as good as the point enter, then search on; whether there was one."""
    if not pool.offer(pricing.below(pool, point)) or not pool.solve(limits.deadline):
        return False
    pricing.search(pool, limits.deadline, rng, patience=1)
    return True
