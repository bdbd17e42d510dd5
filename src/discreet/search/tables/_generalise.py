"""Whole tables: several public columns coarsened together, as little as the requirement on every group allows (TABLES.md).

A table becomes letters (distinct combinations of public values with their records), typed columns become axes, the engine
groups letters, and the groups' boxes become a policy. Loss and requirement are recomputed from the boxes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet import _checks as checks
from discreet import _clock
from discreet._compile_ahead import compile_ahead
from discreet.auditing._group_requirements import GroupRequirement, findings, parse_all
from discreet.columns import ColumnType, Hierarchy
from discreet.errors import InputError, RequirementError
from discreet.release._table_policy_files import Shape
from discreet.search.tables._bounds import SensitiveDemand, lower_bound
from discreet.search.tables._coded_table import CodedTable, bound_column, bounded_codes, engine_requirement
from discreet.search.tables._column_types import axes_of, by_role, said_types
from discreet.search.tables._generalisation import Generalisation
from discreet.search.tables._loss import Grouping
from discreet.search.tables._requirements import Requirement, unmet
from discreet.search.tables._search import generalise_letters
from discreet.tables._counting import count

if TYPE_CHECKING:
    from discreet._typing import MissingPolicy, Progress, Stopped

MANY_COLUMNS = 30  # up to which any number of rows is tried
MOST_CUTS = 100_000_000  # rows × columns × columns beyond: about a minute for the first grouping
BOUND_SHARE = 0.2  # of the time limit, for the proof
BLIND_STEP = 1.15  # by which n is raised until every other requirement holds


@dataclass(frozen=True)
class Options:
    """How a release is looked for."""

    shape: Shape = "local"
    suppress: int = 0
    time_limit: float = 60.0
    seed: int = 0
    blind: bool = False

    def checked(self) -> Options:
        """The same, or one line that says what is wrong."""
        checks.choice(self.shape, Shape, name="shape")
        checks.count(self.suppress, name="suppress (records that need not be released)")
        checks.time_limit(self.time_limit)
        checks.seed(self.seed)
        return self


def generalise(
    table: object,
    public: str | Sequence[str],
    sensitive: str | Sequence[str] = (),
    require: str | Iterable[str] = ("n>=5",),
    types: Mapping[str, str | ColumnType] | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    weights: Mapping[str, float] | None = None,
    *,
    shape: Shape = "local",
    suppress: int = 0,
    time_limit: float = 60.0,
    seed: int = 0,
    blind: bool = False,
    missing: MissingPolicy = "level",
    na: str | Iterable[str] = (),
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> Generalisation:
    """Coarsen several public columns together, so that every group of records meets the requirement at little loss.

    Parameters
    ----------
    table
        As in `Joint.from_table`: a path, a database URL, a data frame, a mapping of columns.
    public, sensitive
        Columns to publish and to protect. Requirements on n alone need no sensitive column.
    require
        What every released group must have: "n>=5", "k>=3", "k(diagnosis)>=3", "L0<=2", "Lmin<=1", "Lr<=2".
    types
        {column: type}: number, date, code, category, ordered or hierarchy, or a ColumnType; guessed where not given,
        and refused where only a person can tell (five-digit numbers that may be codes).
    hierarchies, weights
        {column: ARX file}, {column: how much its coarseness counts}. The hierarchy of a public column says how it is coarsened,
        that of a sensitive one how far apart its values are, for "t_hier<=0.2".
    shape
        "local": every group has a box of its own; "disjoint": boxes never overlap; "global": one coarsening per column.
    suppress
        Records that need not be released.
    time_limit, seed
        Seconds; of the searches that draw at random.
    blind
        Form groups by n alone, without looking at sensitive values, and raise n until the other requirements hold. That n
        was raised can itself tell something about them.

    Examples
    --------
    >>> people = {"age": [20, 21, 60, 62], "town": ["A", "A", "B", "B"]}
    >>> done = generalise(people, ["age", "town"], require="n>=2", time_limit=1)
    >>> done.policy.labels
    (('20–21', 'A'), ('60–62', 'B'))
    """
    started = time.perf_counter()
    options = Options(shape, suppress, time_limit, seed, blind).checked()
    x_names = (public,) if isinstance(public, str) else tuple(public)
    s_names = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    trees, coarse = by_role(s_names, hierarchies)
    wanted = parse_all(require, s_names, trees)
    na_texts = checks.texts(na, name="na")
    said = said_types(x_names, types, coarse, weights)
    counted = count(
        table, s_names, x_names, missing=missing, na=na_texts, memory_limit=memory_limit, progress=progress, bare=True
    )
    _check_size(len(counted.x), len(x_names))
    problem = CodedTable.of(counted, axes_of(counted, said, weights), s_names)
    problem.refuse_idle(wanted)
    done = solved(problem, wanted, options, progress)
    policy = replace(done.policy, missing=missing, na=na_texts)
    return replace(done, policy=policy, table=table, seconds=time.perf_counter() - started)


def _check_size(rows: int, columns: int) -> None:
    """Say at once what would take hours: a cut is scored by what all columns lose, and every column may be cut."""
    if columns > MANY_COLUMNS and rows * columns**2 > MOST_CUTS:
        most = max(MANY_COLUMNS, math.isqrt(MOST_CUTS // rows))
        raise InputError(
            f"{rows:,} different rows of {columns} public columns are too many to group: publish up to {most} of the columns"
        )


def solved(
    problem: CodedTable, wanted: tuple[GroupRequirement, ...], options: Options, progress: Progress | None
) -> Generalisation:
    """The best release found of a table that was counted, held against its requirement once more."""
    problem.check(wanted)
    found, bound = _solve(problem, wanted, options, progress)
    blind = options.blind or not problem.sensitive
    policy, joint = problem.policy(found, wanted, options.shape, blind=blind, bound=bound)
    outcome = tuple(findings(wanted, joint))
    broken = [each.sentence() for each in outcome if not each.met]
    if broken:
        raise RequirementError("no release that keeps the requirement was found: " + "; ".join(broken))
    stopped: Stopped | None = "interrupt" if found.interrupted else "time" if found.stopped else None
    return Generalisation(policy, None, joint, outcome, stopped=stopped)


# ---------------------------------------------------------------------- search and proof


def _solve(
    problem: CodedTable, wanted: tuple[GroupRequirement, ...], options: Options, progress: Progress | None
) -> tuple[Grouping, float | None]:
    """The best grouping found within the time limit, and the bound that was proven beside it."""
    requirement = engine_requirement(wanted, problem, options.suppress)
    compile_ahead("tables", progress)
    started = _clock.now()
    bound = _bound(problem, requirement, options, progress)
    left = max(0.2 * options.time_limit, options.time_limit - (_clock.now() - started))
    if not options.blind or requirement.mode == 0:
        return _search(problem, requirement, replace(options, time_limit=left), bound, progress), bound
    return _blind(problem, requirement, replace(options, time_limit=left), bound, progress), bound


def _search(
    problem: CodedTable, asked: Requirement, options: Options, bound: float | None, progress: Progress | None
) -> Grouping:
    """One run of the engine; whoever watches sees the loss, and how far above the bound it is."""

    def tell(stage: str, share: float, loss: float) -> None:
        if progress:
            above = "" if not bound else f", at most {max(0.0, loss / bound - 1):.0%} above any release"
            progress(f"{stage}: loss {loss:.4f}{above}", share)

    return generalise_letters(
        problem.letters,
        problem.columns,
        asked,
        shape=options.shape,
        suppress=options.suppress,
        time_limit=options.time_limit,
        seed=options.seed,
        progress=tell,
    )


def _blind(
    problem: CodedTable, asked: Requirement, options: Options, bound: float | None, progress: Progress | None
) -> Grouping:
    """Form groups by n alone, without looking at sensitive values, and raise n until the other requirements hold.

    Sensitive values decide which n is enough, and which of the last two groupings is kept: an adversary who knows the
    algorithm can infer something from that (docs/whole-tables.md has an example).
    """
    n = max(asked.n, *asked.k)
    short = replace(options, time_limit=0.1 * options.time_limit)
    while True:
        found = _search(problem, Requirement(n), short, bound, progress)
        if not unmet(problem.letters, asked, found.group_of):
            better = _search(
                problem, Requirement(n), replace(options, time_limit=0.6 * options.time_limit), bound, progress
            )
            return found if unmet(problem.letters, asked, better.group_of) else better
        if found.groups <= 1:
            raise InputError(
                "grouping by n alone does not meet the other requirements, even with the whole table as one group: "
                "leave blind out, or ask for less"
            )
        n = min(problem.letters.records, max(n + 1, round(n * BLIND_STEP)))


def _bound(problem: CodedTable, requirement: Requirement, options: Options, progress: Progress | None) -> float | None:
    """What no release can beat: proven for n and k; limits and shares only narrow the choice, so it holds with them too."""
    letters = problem.letters
    asked = [
        SensitiveDemand(column.indptr, column.value, column.count, k)
        for column, k in zip(letters.sensitive, requirement.k, strict=True)
    ]
    weights = np.array([column.weight for column in problem.columns])
    if progress:
        progress("proving what no release can beat", None)
    try:
        found = lower_bound(
            *bounded_codes(letters, problem.axes),
            columns=[bound_column(axis, w) for axis, w in zip(problem.axes, weights / weights.sum(), strict=True)],
            n=requirement.n,
            sensitive=asked,
            suppress=options.suppress,
            time_limit=BOUND_SHARE * options.time_limit,
        )
    except ValueError:  # no release meets the requirement: the search says why
        return None
    return found.value
