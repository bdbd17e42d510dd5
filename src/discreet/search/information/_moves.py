"""Moving single letters between blocks: to a local optimum of the Lagrangian, or onto a threshold.

A move changes two blocks and, in their sums of h, only the s of the moved letter, so with a table of counts by s and
block it costs O(|[[S|x]]|) to try. Everything is in the whole-number units of `_integers.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import IntArray, Problem
from discreet.release._partitions import Moved, Partitions, canonical
from discreet.search.information._dendrogram import canonical_start, checked_multiplier, checked_problem
from discreet.search.information._integers import Integers, integers_of
from discreet.search.information._least_records import least_count

if TYPE_CHECKING:
    from discreet.search.information._weights import Weights

GAIN = 1e-12
"""Bits of the Lagrangian that a move must gain."""

ROOM = 64
"""Blocks that moves may open beyond twice those they start from."""

LANDING = (4.0, 2.0, 1.0, 0.5, 0.25, 0.1, 0.05, 0.0)
"""Temperatures of landing, in bits of N·I; each goes on from the best partition so far."""


def tables_of(integers: Integers, block_of: IntArray, slots: int | None = None) -> Any:
    """The kernel's tables of a partition, with room for that many blocks."""
    from discreet.search.information._moves_kernels import new_tables

    names, block = np.unique(block_of, return_inverse=True)
    leakage, utility = integers.information(block)
    room = min(integers.n, 2 * len(names) + ROOM if slots is None else slots)
    return new_tables(
        integers.indptr,
        integers.indices,
        integers.count,
        integers.n_s,
        block.astype(np.int64),
        room,
        leakage,
        utility,
        integers.table,
        integers.scale,
    )


def sweep_moves(
    weights: Weights,
    block_of: IntArray,
    multiplier: float,
    problem: Problem = "funnel",
    *,
    rng: np.random.Generator,
    max_sweeps: int = 100,
    at_least: float = 0.0,
) -> Partitions:
    """Let each letter in turn go to the block, or a new one, where it lowers the Lagrangian most, until none moves.

    Parameters
    ----------
    multiplier, problem
        λ in [0, 1] and the sign of the Lagrangian, as in `dendrogram`.
    rng
        Draws the order of letters in each sweep.
    at_least
        No move leaves or makes a block lighter than this.

    Returns
    -------
    Partitions
        Every partition passed through, the start first: each can be worth keeping.
    """
    from discreet.search.information._moves_kernels import sweep

    rest = 1.0 - checked_multiplier(multiplier)
    sign = 1.0 if checked_problem(problem) == "funnel" else -1.0
    integers = integers_of(weights)
    tables = tables_of(integers, canonical_start(integers, block_of))
    start, (leakage, utility) = tables.block.copy(), tables.value.tolist()
    least = least_count(integers, at_least)
    tolerance = GAIN * integers.scale * integers.total
    parts: list[IntArray] = [np.zeros((4, 0), np.int64)]
    for _ in range(max_sweeps):
        log = np.empty((4, integers.n), np.int64)  # each letter moves once a sweep at most
        made = sweep(tables, rng.permutation(integers.n), sign, rest, least, tolerance, log)
        parts.append(log[:, :made].copy())
        if made == 0:
            break
    letters, blocks, leakages, utilities = np.concatenate(parts, axis=1)
    return Partitions(
        np.maximum(0.0, integers.bits(np.append(leakage, leakages))),
        np.maximum(0.0, integers.bits(np.append(utility, utilities))),
        Moved(start, letters, blocks, np.arange(len(letters) + 1)),
    )


def land(
    weights: Weights,
    block_of: IntArray,
    threshold: float,
    problem: Problem,
    rng: np.random.Generator,
    *,
    at_least: float = 0.0,
    proposals: int | None = None,
) -> IntArray:
    """Moves and swaps of letters that spend what a partition has to spare over a threshold.

    The funnel wants the least I(S;X̂) with I(X;X̂) ≥ θ, the bottleneck the least I(X;X̂) with I(S;X̂) ≥ θ. Annealing
    is drawn to the threshold and the best partition on its allowed side is kept.

    Parameters
    ----------
    block_of
        A partition on the allowed side; one that is not is a start all the same.
    threshold
        θ in bits.
    proposals
        Moves tried; by the number of letters unless given.

    Returns
    -------
    IntArray
        A partition on the allowed side that is no worse than `block_of`, or `block_of` itself where none was met.
    """
    from discreet.search.information import _moves_kernels as kernel

    integers = integers_of(weights)
    start = canonical_start(integers, block_of)
    least = least_count(integers, at_least)
    is_funnel = checked_problem(problem) == "funnel"
    sign, axis = (1.0, 1) if is_funnel else (-1.0, 0)
    # Thresholds often are rounded figures of a partition; a millionth of a millionth of a bit lets that one in.
    target = (threshold - GAIN) * integers.scale * integers.total
    archive = new_archive(integers, axis, (target, np.inf), (1.0, 0.0) if is_funnel else (0.0, 1.0), bands=1)
    tables = tables_of(integers, start)
    kernel.keep(archive, tables.value[0], tables.value[1], tables.block)
    tries = min(4_000_000, 2_000 * integers.n) if proposals is None else proposals
    for temperature in LANDING:
        course = kernel.Course(sign, 0.5, np.array([target]), 1.0, temperature * integers.scale, tries // len(LANDING))
        kernel.anneal(tables, archive, course, least, rng)
        if np.isfinite(archive.score[0]):
            tables = tables_of(integers, archive.block[0].astype(np.int64))
    return canonical(archive.block[0].astype(np.int64)) if np.isfinite(archive.score[0]) else start


def new_archive(
    integers: Integers, axis: int, between: tuple[float, float], score: tuple[float, float], bands: int
) -> Any:
    """An empty archive along I(S;X̂) (axis 0) or I(X;X̂) (axis 1), in units of h."""
    from discreet.search.information._moves_kernels import Archive

    return Archive(
        axis,
        float(between[0]),
        float(between[1]),
        *score,
        np.full(bands, np.inf),
        np.zeros(bands, np.int64),
        np.zeros(bands, np.int64),
        np.zeros((bands, integers.n), np.int32),
    )
