"""One program, solved: posteriors with weights, and a proven bound on what any others could do.

All vertices where these are few; else column generation, proven by branch and bound. Both look at a `Program` only, so
cells and types are solved alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

import numpy as np

from discreet import _checks as checks
from discreet import _clock
from discreet.sample_privacy import _branch_and_bound as branching
from discreet.sample_privacy import _column_generation as columns
from discreet.sample_privacy import _pricing as pricing
from discreet.sample_privacy._problem import Program, independent_rows, sums_by
from discreet.sample_privacy._vertices import enumerate_vertices, exhaustive_vertices

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet._typing import FloatArray, IntArray, Progress
    from discreet.sample_privacy._branch_and_bound import Swaps

Engine = Literal["auto", "exhaustive", "vertices", "columns", "branching"]

SECONDS = 60.0  # for a search where no limit is given
ENUMERATION_LIMIT = 100_000  # bases that are visited before the search is left to column generation: about a second
ENUMERATION_CELLS = 40  # points of the support up to which enumeration is tried
BRANCHING_CELLS = 600  # points of the support up to which `auto` goes for a proof
PEEL_CELLS = 100  # points of the support from which on the master needs a mixture to start from
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
    cells
        The points of the program that the pool is about: all that are not negligible.
    """

    pool: columns.Pool
    least: float
    engine: str
    how: str
    cells: IntArray


class Effort(TypedDict, total=False):
    """How long and how exactly to search; every entry has a default."""

    time_limit: float  # 60 seconds; when they are over, the best mapping found comes with the best bound proven
    tolerance: float  # 1e-6 bits within which a mapping counts as optimal
    engine: Engine  # "auto"
    seed: int  # 0, of the searches' starts
    progress: Progress | None  # told whenever the work changes


@dataclass(frozen=True, eq=False)
class Limits:
    """When to stop: the clock of ``_clock.now()``, and bits that need not be proven."""

    deadline: float
    tolerance: float
    note: Callable[[str], None]

    def part(self, share: float) -> float:
        """A deadline after that share of what is left."""
        now = _clock.now()
        return now + share * (self.deadline - now)


def started(effort: Effort) -> tuple[Limits, Engine, np.random.Generator]:
    """The clock that runs from now, the engine and the searches' starts."""
    if unknown := effort.keys() - Effort.__annotations__:
        raise TypeError(f"unexpected keyword argument {sorted(unknown)[0]!r}")
    seconds = checks.time_limit(effort.get("time_limit", SECONDS))
    tolerance = checks.positive(effort.get("tolerance", 1e-6), name="the tolerance", unit="bits")
    engine: Engine = checks.choice(effort.get("engine", "auto"), Engine, name="engine")
    rng = np.random.default_rng(checks.seed(effort.get("seed", 0)))
    progress = effort.get("progress")

    def note(stage: str) -> None:
        if progress:
            progress(stage, None)

    return Limits(_clock.now() + seconds, tolerance, note), engine, rng


class Symmetry(NamedTuple):
    """The type of each cell, and the swaps behind it, where samples are exchangeable and W is the samples."""

    group: IntArray
    swaps: Swaps


def optimise(
    program: Program,
    limits: Limits,
    rng: np.random.Generator,
    engine: Engine = "auto",
    symmetry: Symmetry | None = None,
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
    symmetry
        That of the samples, where there is one.
    floor
        A bound on H(W|Y) that is known already.
    """
    group, swaps = symmetry or (None, None)
    cells = np.arange(program.size) if group is None else group
    cells = np.flatnonzero(sums_by(cells, program.p)[cells] >= columns.NEGLIGIBLE)
    if len(cells) < program.size:
        return _without_the_negligible(program, cells, limits, rng, engine, symmetry, floor)
    if engine in ("auto", "vertices", "exhaustive"):
        done = _by_vertices(program, limits, engine, group)
        if done is not None:
            return done
    pool = columns.start_pool(program, group)
    limits.note("column generation")
    if program.size > PEEL_CELLS:
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
    name = "branching" if least >= pool.value - limits.tolerance else "columns"
    return Outcome(pool, least, name, how, cells)


def _without_the_negligible(
    program: Program,
    cells: IntArray,
    limits: Limits,
    rng: np.random.Generator,
    engine: Engine,
    symmetry: Symmetry | None,
    floor: float,
) -> Outcome:
    """Solve for the law given that x is one of these cells; elsewhere Y is drawn without a look at x.

    Y is independent of X_g given either event, with one pmf, so it is independent of X_g. The bound is about the whole
    program all the same: its prices are those of the cells, and −`FORBIDDING` elsewhere.
    """
    group, swaps = symmetry or (None, None)
    total = float(program.p[cells].sum())
    p = program.p[cells] / total
    latent = None if program.latent is None else np.ascontiguousarray(program.latent[:, cells])
    inner = Program(independent_rows(program.rows[:, cells], p), p, latent)
    within = None
    if group is not None and swaps is not None:
        kind = np.unique(group[cells], return_inverse=True)[1].ravel()
        within = Symmetry(kind, branching.Swaps(swaps.cells[cells], swaps.classes))
    part = replace(limits, deadline=limits.part(0.7), tolerance=0.5 * limits.tolerance)
    found = optimise(inner, part, rng, engine, within)
    prices = np.full(program.size, -columns.FORBIDDING)
    prices[cells] = found.pool.prices
    least, how = floor, f"{found.how}; {program.size - len(cells):,} cells too rare to be told from rounding left out"
    bound = float(prices @ program.p) - columns.slack(program, prices)
    if found.engine in ("vertices", "exhaustive"):
        every = enumerate_vertices(program, 10 * ENUMERATION_LIMIT, limits.deadline)
        if every.complete:
            lowest = (every.vertices.uncertainty(program) - every.vertices.dot(prices)).min()
            least = max(least, bound + float(lowest))
            if least < found.pool.value - limits.tolerance:  # prices that suit the whole program, too
                whole = columns.choose_from(columns.start_pool(program, group), every.vertices, limits.deadline)
                least = max(least, whole)
            return Outcome(found.pool, least, found.engine, how, cells)
    if engine != "columns" and program.size <= BRANCHING_CELLS:
        search = branching.Search(program, swaps)  # posteriors on rare cells may beat the last tolerance: then retreat
        for tolerance in (0.9 * limits.tolerance, *reversed(FIRST_TOLERANCES)):
            proof = search.run(prices, tolerance, limits.deadline)
            if proof.point is None:
                least = max(least, bound + proof.least)
                break
    return Outcome(found.pool, least, found.engine, how, cells)


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
    least = least if found.complete else -np.inf
    return Outcome(pool, least, name, f"{how}, then a linear program over them", np.arange(size))


def _prove(pool: columns.Pool, limits: Limits, rng: np.random.Generator, swaps: Swaps | None) -> tuple[float, int]:
    """Branch and bound at ever finer tolerances; better posteriors met on the way enter the pool."""
    search = branching.Search(pool.program, swaps)
    # Some time is kept for bounds from subsets, should this one fail; more of it where it often does.
    deadline = limits.part(0.75 if swaps is not None or pool.program.size <= 64 else 0.5)
    last = 0.9 * limits.tolerance
    tolerances = [*(t for t in FIRST_TOLERANCES if t > 2 * limits.tolerance), last]
    least, nodes, took = -np.inf, 0, np.inf
    for tolerance in tolerances:
        left = deadline - _clock.now()
        if tolerance != last and took < 0.05 * left:
            continue  # the last one costs a few times as much: go for it
        while True:
            limits.note(f"branch and bound to {tolerance:g} bits")
            started = _clock.now()
            proof = search.run(pool.prices, tolerance, deadline)
            took = _clock.now() - started
            nodes += proof.nodes
            if proof.point is None:
                break
            if not _improve(pool, proof.point, rng, limits):
                return least, nodes
        allowed = columns.slack(pool.program, pool.prices)
        least = max(least, float(pool.prices @ pool.program.p) + proof.least - allowed)
        if not proof.complete:
            break
    return least, nodes


def _improve(pool: columns.Pool, point: FloatArray, rng: np.random.Generator, limits: Limits) -> bool:
    """Let a vertex at least as good as the point enter, then search on; whether there was one."""
    if not pool.offer(pricing.below(pool, point)) or not pool.solve(limits.deadline):
        return False
    pricing.search(pool, limits.deadline, rng, patience=1)
    return True
