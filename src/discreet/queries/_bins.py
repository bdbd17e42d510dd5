"""Where to cut a query's range: as few cells as the error allows, or cells that leave the smallest region largest.

Every cell spans at most 2·error, so that its midpoint is within the error [DQ, (15b), (16c)].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.queries._measuring import SampledVolumes
from discreet.queries._poisson_binomial import log_difference
from discreet.queries._uniform_sums import rational
from discreet.queries._volumes import BITS, LinearVolumes, Measured, Volumes

MOST = 10_000_000
"""Cells of one quantiser."""

SLACK = 1e-12
"""Relative: what a cell may exceed 2·error by, so that 1/6 of 1 is three cells although 1/6 is no float."""

REFINED = 40
"""Up to this many cells the edges found on a grid are moved between its points."""


@dataclass(frozen=True, eq=False)
class Cut:
    """Edges, and what is known of their regions.

    Attributes
    ----------
    edges
        q + 1 of them, from the least value to the greatest.
    smallest
        The share of the smallest region, with its error (arrays of one).
    where
        The cell of that region.
    least_possible
        Bits: no edges with this error have a leakage below it.
    """

    edges: FloatArray
    smallest: Measured
    where: int
    least_possible: float


def fewest(low: float, high: float, error: float) -> int:
    """q = ⌈(high - low) / (2·error)⌉, at least 1 [DQ, Thm IV.2]; decimal inputs are taken as written."""
    ratio = (rational(high) - rational(low)) / (2 * rational(error))
    cells = max(1, math.ceil(ratio * (1 - Fraction(SLACK))))
    if cells > MOST:
        raise InputError(f"so small an error needs more than {MOST:,} answers: ask for a larger error")
    return cells


def uniform(volumes: Volumes, error: float) -> Cut:
    """The fewest cells: equal ones, or, for finitely many values, equal runs of values. Optimal for I* [DQ, Thm IV.2]."""
    values = volumes.values
    if values is not None:
        starts = _fewest_runs(values, error)
        return measured(volumes, between_values(values, starts), error)
    q = fewest(volumes.low, volumes.high, error)
    edges = volumes.low + (volumes.high - volumes.low) * (np.arange(q + 1) / q)
    edges[-1] = volumes.high
    if isinstance(volumes, LinearVolumes):
        # Log-concave and symmetric: of equal cells the outermost are the smallest, and their places are exact.
        share, wrong = volumes.between(Fraction(0), Fraction(1, q))
        return Cut(edges, Measured(np.array([share]), np.array([wrong])), 0, _floor(volumes, error))
    return measured(volumes, edges, error)


def least_leakage(volumes: Volumes, error: float) -> Cut:
    """Cells that maximise the smallest region [DQ, (16)], never worse than the uniform ones."""
    best = uniform(volumes, error)
    if volumes.low == volumes.high:
        return best
    if isinstance(volumes, LinearVolumes):
        ends = _wide_ends(volumes, error)
        if ends is not None and _better(ends, best):
            best = ends
        if -best.smallest.log2[0] <= best.least_possible + 2 * best.smallest.error[0] + 1e-12:
            return best  # no corner region can be larger than that of a cell of 2·error
    planned = _planned(volumes, error)
    if planned is not None:
        other = measured(volumes, planned, error)
        if _better(other, best):
            best = other
    return best


def measured(volumes: Volumes, edges: FloatArray, error: float) -> Cut:
    """Edges with their smallest region."""
    found = volumes.cells(edges)
    seen = found.log2
    if isinstance(volumes, SampledVolumes) and np.isfinite(seen).any():
        # A cell that no sample fell into may be empty: the smallest seen stands, with no error bar to trust.
        seen = np.where(np.isneginf(seen), np.inf, seen)
    where = int(np.argmin(seen))
    wrong = math.inf if np.isinf(found.error).any() else float(found.error[where])
    bounds = None if found.bounds is None else (found.bounds[0][[where]], found.bounds[1][[where]])
    smallest = Measured(found.log2[[where]], np.array([wrong]), found.certain, bounds)
    return Cut(edges, smallest, where, _floor(volumes, error))


def between_values(values: FloatArray, starts: IntArray) -> FloatArray:
    """Edges that part a finite set of values into runs beginning at `starts` (the first is 0)."""
    inner = starts[1:]
    return np.concatenate((values[:1], (values[inner - 1] + values[inner]) / 2, values[-1:]))


def _fewest_runs(values: FloatArray, error: float) -> IntArray:
    """Starts of the fewest runs of values that span at most 2·error, balanced where the values are equally spaced."""
    reach = 2 * error * (1 + SLACK)
    gaps = np.diff(values)
    if len(gaps) and gaps.max() - gaps.min() <= 1e-9 * gaps.max():
        size = math.floor(reach / float(gaps.mean()) * (1 + 1e-9)) + 1
        q = math.ceil(len(values) / size)
        found = np.array([(len(values) * i) // q for i in range(q)], np.int64)
    else:
        ends = np.searchsorted(values, values + reach, "right")
        starts = [0]
        while ends[starts[-1]] < len(values):
            starts.append(int(ends[starts[-1]]))
        found = np.array(starts, np.int64)
    if len(found) > MOST:
        raise InputError(f"so small an error needs more than {MOST:,} answers: ask for a larger error")
    return found


def _better(one: Cut, other: Cut) -> bool:
    """Whether one leaves a larger smallest region, by more than the errors of estimates."""
    slack = 0.0 if one.smallest.certain else float(one.smallest.error[0] + other.smallest.error[0])
    if not math.isfinite(slack):
        slack = 0.0 if math.isfinite(one.smallest.error[0]) else math.inf
    return bool(one.smallest.log2[0] > other.smallest.log2[0] + max(slack, 1e-13))


def _floor(volumes: Volumes, error: float) -> float:
    """A lower bound on the leakage of any cells: q cells share the domain, and the end cells are at most 2·error wide."""
    values = volumes.values
    if values is not None:
        reach = 2 * error * (1 + SLACK)
        q = len(_fewest_runs(values, error))
        first = int(np.searchsorted(values, values[0] + reach, "right"))
        last = int(np.searchsorted(values, values[-1] - reach))
        sides = [between_values(values, np.array([0, i])) for i in (first, last) if 0 < i < len(values)]
    else:
        q, wide = fewest(volumes.low, volumes.high, error), 2 * error
        inner = [volumes.low + wide, volumes.high - wide]
        sides = [np.array([volumes.low, at, volumes.high]) for at in inner if volumes.low < at < volumes.high]
    if q == 1:
        return 0.0
    bound = math.log2(q)
    if isinstance(volumes, LinearVolumes):
        share, wrong = volumes.between(Fraction(0), _reach(volumes, error))
        return max(bound, -share - wrong)
    if isinstance(volumes, SampledVolumes):
        return bound  # nothing that samples say is a bound
    for i, edges in enumerate(sides):
        found = volumes.cells(edges)
        bound = max(bound, float(-found.log2[i] - found.error[i]))
    return bound


def _reach(volumes: LinearVolumes, error: float) -> Fraction:
    """2·error as a share of the range."""
    return 2 * rational(error) / (rational(volumes.high) - rational(volumes.low))


def _wide_ends(volumes: LinearVolumes, error: float) -> Cut | None:
    """Both end cells exactly 2·error wide and the middle split evenly, where there is a middle."""
    reach, q = _reach(volumes, error), fewest(volumes.low, volumes.high, error)
    if q < 3 or 2 * reach >= 1:
        return None
    middle = (1 - 2 * reach) / (q - 2)
    corner = volumes.between(Fraction(0), reach)
    inner = volumes.between(reach, reach + middle)  # the outermost of the middle cells is their smallest
    (share, wrong), where = (corner, 0) if corner[0] <= inner[0] else (inner, 1)
    places = [Fraction(0), *(reach + middle * i for i in range(q - 1)), Fraction(1)]
    edges = volumes.low + (volumes.high - volumes.low) * np.array([float(place) for place in places])
    edges[1], edges[-2], edges[-1] = volumes.low + 2 * error, volumes.high - 2 * error, volumes.high
    return Cut(edges, Measured(np.array([share]), np.array([wrong])), where, _floor(volumes, error))


def _grid_size(volumes: Volumes) -> int:
    if isinstance(volumes, LinearVolumes):
        return 1025 if volumes.n <= 6 else 257
    return 513


def _planned(volumes: Volumes, error: float) -> FloatArray | None:
    """Edges by dynamic programming over candidates, refined between them."""
    values, wide = volumes.values, 2 * error * (1 + SLACK)
    if values is not None:
        starts = np.arange(len(values) + 1)
        if len(values) > 2048:
            kept = np.linspace(0, len(values), 2049).astype(np.int64)
            starts = np.union1d(kept, np.append(_fewest_runs(values, error), len(values)))
        candidates = between_values(values, starts[:-1])
        chosen = _best_chain(volumes.planned(candidates).log2, values[starts[:-1]], values[starts[1:] - 1], wide)
        return None if chosen is None else between_values(values, starts[np.array(chosen[:-1])])
    q = fewest(volumes.low, volumes.high, error)
    if q > 20 * _grid_size(volumes):
        return None  # cells finer than any grid here: uniform ones are as good
    span = volumes.high - volumes.low
    grid = np.linspace(volumes.low, volumes.high, max(_grid_size(volumes), 8 * q + 1))
    steps = 2 * error * np.arange(1, q)
    grid = np.unique(
        np.clip(np.concatenate((grid, volumes.low + steps, volumes.high - steps)), volumes.low, volumes.high)
    )
    pitch = span / _grid_size(volumes)
    edges: FloatArray | None = None
    for _ in range(3 if q <= REFINED else 1):
        chosen = _best_chain(volumes.planned(grid).log2, grid[:-1], grid[1:], wide)
        if chosen is None:
            return edges
        edges = grid[np.array(chosen)]
        near = edges[1:-1, None] + pitch * np.linspace(-1, 1, 17)
        ends = (volumes.low, volumes.high)
        grid = np.unique(np.concatenate((ends, np.clip(near, *ends).ravel(), edges)))
        pitch /= 8
    return edges


def _best_chain(log2: FloatArray, first: FloatArray, last: FloatArray, wide: float) -> list[int] | None:
    """Candidates to cut at, so that the smallest cell is largest: best_j = max_i min(best_i, share of cells i..j-1).

    Parameters
    ----------
    log2
        Shares of the finest cells.
    first, last
        Where the values of each finest cell begin and end; a run of cells may span at most `wide`.
    """
    k = len(log2)
    below = np.concatenate(([-np.inf], np.logaddexp2.accumulate(log2))) / BITS
    above = np.concatenate((np.logaddexp2.accumulate(log2[::-1])[::-1], [-np.inf])) / BITS
    best, before = np.full(k + 1, -np.inf), np.full(k + 1, -1)
    best[0], before[0] = 0.0, 0
    for j in range(1, k + 1):
        start = int(np.searchsorted(first[:j], last[j - 1] - wide))
        if start >= j:
            return None
        i = np.arange(start, j)
        left = below[j] <= above[i]
        share = log_difference(np.where(left, below[j], above[i]), np.where(left, below[i], above[j]))
        value = np.where(before[i] >= 0, np.minimum(best[i], share), -np.inf)
        reachable = np.flatnonzero(before[i] >= 0)
        if not len(reachable):
            continue
        # Of equally good predecessors the farthest gives the fewest cells.
        pick = reachable[int(np.argmax(value[reachable]))]
        best[j], before[j] = value[pick], i[pick]
    chain = [k]
    while chain[-1]:
        chain.append(int(before[chain[-1]]))
    return chain[::-1]
