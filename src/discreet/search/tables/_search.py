"""The engine's one entry: letters, columns and a requirement in, a grouping out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from discreet import _clock
from discreet.errors import InputError
from discreet.search._watch import Progress, Watch
from discreet.search.tables._columns import SLACK, Column, IntArray
from discreet.search.tables._disjoint import disjoint_groups
from discreet.search.tables._first import apart, first_groups
from discreet.search.tables._global import global_groups
from discreet.search.tables._improve import improve
from discreet.search.tables._letters import Letters
from discreet.search.tables._loss import Grouping, cell_costs, measured
from discreet.search.tables._problem import Problem, refuse
from discreet.search.tables._requirements import Requirement

Shape = Literal["local", "disjoint", "global"]


def generalise_letters(
    letters: Letters,
    columns: Sequence[Column],
    requirement: Requirement,
    *,
    shape: Shape = "local",
    suppress: int = 0,
    time_limit: float | None = 60.0,
    seed: int = 0,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    clock: Callable[[], float] = _clock.now,
) -> Grouping:
    """Group letters so that every group meets a requirement and the average loss is small.

    Parameters
    ----------
    letters, columns, requirement
        The table, and what every group must have.
    shape
        "local": every group has its own cells, which may overlap. "disjoint": the cells of two groups never overlap as they
        are released. "global": one coarsening a column for everybody.
    suppress
        At most so many records may be left out; each costs 1.
    time_limit
        Seconds on `clock`; the first release may take longer on a large table. None: until nothing improves.
    seed
        Same seed, same result, as far as the time limit allows.
    progress
        Called with a stage, the share of it that is done, and the loss so far.
    should_stop
        Asked between steps; the best release so far is returned, as it is after an interrupt.

    Raises
    ------
    InputError
        If no release meets the requirement; the message says what stands in the way.
    """
    if shape not in ("local", "disjoint", "global"):
        raise InputError(f"a shape is local, disjoint or global, not {shape!r}")
    if suppress < 0:
        raise InputError(f"a suppression budget is a number of records, not {suppress}")
    described = tuple(columns)
    problem = Problem.of(letters, described, requirement)
    watch = Watch(time_limit, should_stop, clock, progress)
    kept = _feasible(problem, suppress)
    bands = None
    if shape == "global":
        group_of, found = global_groups(problem, kept, suppress=suppress, seed=seed, watch=watch)
        bands = problem.given_bands(found)
    elif shape == "disjoint":
        group_of = disjoint_groups(problem, kept, seed=seed, watch=watch)
    else:
        group_of = _local(problem, kept, suppress=suppress, seed=seed, watch=watch)
    group_of = _within_limits(problem, group_of)
    _check_budget(problem, group_of, suppress)
    grouping = measured(letters, described, requirement, problem.given(group_of), stopped=watch.stopped, bands=bands)
    return replace(grouping, interrupted=watch.interrupted)


def _local(problem: Problem, kept: IntArray, *, suppress: int, seed: int, watch: Watch) -> IntArray:
    """The best of the first releases, improved."""
    letters = problem.letters
    rng = np.random.default_rng(seed)
    lost = letters.records - int(letters.counts[kept].sum())
    costs: list[float] = []

    def tell(cost: float) -> None:
        costs.append(cost)
        watch.tell("first", 1.0, (cost + lost) / letters.records)

    group_of, order = first_groups(problem, kept, rng=rng, tell=tell, over=watch.over)
    most = costs[-1] if costs else np.inf
    other = apart(problem, kept, most=most, rng=rng, budget=suppress - lost, over=watch.over)
    if other and other[0] < most:
        cost, group_of, order = other
        tell(cost)
    spare = suppress - letters.records + int(letters.counts[group_of >= 0].sum())
    return improve(problem, group_of, order, suppress=spare, seed=seed, watch=watch)


def _within_limits(problem: Problem, group_of: IntArray) -> IntArray:
    """Suppress the groups in which a cell is coarser than its column allows."""
    costs = cell_costs(problem.letters, problem.columns, group_of)
    most = np.array([column.most for column in problem.columns])
    bad = np.any(costs > most + SLACK, axis=1)
    return np.where((group_of >= 0) & bad[group_of], -1, group_of) if bad.any() else group_of


def _check_budget(problem: Problem, group_of: IntArray, suppress: int) -> None:
    """Refuse a release that leaves out more records than it may, or all of them."""
    records = problem.letters.records
    lost = int(problem.letters.counts[group_of < 0].sum())
    if suppress < lost or lost == records:
        some = f"all {records} records" if lost == records else f"{lost} of {records} records"
        raise InputError(
            "no release was found that meets the requirement, with cells as fine as their columns ask, "
            f"without suppressing {some}: ask for less, loosen the limits of columns, or allow to suppress more"
        )


def _feasible(problem: Problem, suppress: int) -> IntArray:
    """The letters that can be released at all; the others must be within the budget."""
    bad, reason = problem.lacking()
    lost = int(problem.letters.counts[bad].sum())
    if lost > suppress or lost == problem.letters.records:
        some = f"{lost} records" if lost < problem.letters.records else f"all {lost} records"
        raise refuse(problem, f"{reason}; {some} would have to be suppressed")
    keep = np.ones(problem.letters.size, dtype=bool)
    keep[bad] = False
    return np.flatnonzero(keep)
