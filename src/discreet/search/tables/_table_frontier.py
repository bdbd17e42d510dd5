"""The frontier of a whole table: the loss of the best release found against n and k, with what no release can beat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from discreet import _checks as checks
from discreet._text import counted
from discreet.auditing._group_requirements import GroupRequirement, parse_all
from discreet.errors import InputError, RequirementError
from discreet.report import _plots as plots
from discreet.report._pages import fragment
from discreet.search.tables._coded_table import CodedTable
from discreet.search.tables._column_types import axes_of, said_types
from discreet.search.tables._generalisation import Generalisation
from discreet.search.tables._generalise import Options, solved
from discreet.search.tables._mondrian import mondrian_loss
from discreet.tables._counting import Counted, count

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.recipe import Recipe

LEVELS = {"n": (2, 3, 5, 10, 25), "k": (2, 3, 5)}


@dataclass(frozen=True, eq=False)
class TableFrontier:
    """Releases of one table for rising requirements, each with its loss and the proven bound.

    Attributes
    ----------
    symbol, levels
        What rises (n or k), and through which numbers; the last ones asked for are absent where `ended` says why.
    others
        The requirements that hold at every level beside it.
    points
        The best release found for each level. What meets a level meets those below it, so losses never fall.
    mondrian
        What the usual method loses at each level (None where it has no release); empty where nobody asked.
    """

    symbol: str
    levels: tuple[int, ...]
    points: tuple[Generalisation, ...] = field(repr=False)
    others: tuple[str, ...] = ()
    ended: str | None = None
    interrupted: bool = False
    mondrian: tuple[float | None, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        return {
            "against": self.symbol,
            "beside": list(self.others),
            "points": [
                {
                    self.symbol: level,
                    "loss": point.loss,
                    "bound": point.bound,
                    "groups": point.groups,
                    "suppressed": point.suppressed,
                    **({"mondrian": other[0]} if other else {}),
                }
                for level, point, other in self._rows()
            ],
            "ended": self.ended,
            "interrupted": self.interrupted,
        }

    def lines(self) -> list[str]:
        """The figures, for people."""
        text = [
            f"{self.symbol}>={level}: loss {point.loss:.4f}, no release below {point.bound or 0:.4f}, "
            + counted(point.groups, "group")
            + (f", Mondrian {other[0]:.4f}" if other and other[0] is not None else "")
            for level, point, other in self._rows()
        ]
        return [*text, self.ended] if self.ended else text

    def _rows(self) -> list[tuple[int, Generalisation, tuple[float | None, ...]]]:
        """Level, release, and what Mondrian loses where that was asked."""
        return [
            (level, point, self.mondrian[i : i + 1])
            for i, (level, point) in enumerate(zip(self.levels, self.points, strict=True))
        ]

    def plot(self, *others: TableFrontier) -> Any:
        """Loss against the requirement, with the bound; other frontiers of the table beside it."""
        return plots.table_frontier_figure([each._curve for each in (self, *others)])

    @property
    def _curve(self) -> plots.Curve:
        bounds = [point.bound or 0.0 for point in self.points]
        return self.symbol, self.others, self.levels, [point.loss for point in self.points], bounds, self.mondrian

    def _repr_html_(self) -> str:
        rows = [
            (f"{self.symbol}>={level}", f"{point.loss:.4f}", f"no release has less than {point.bound or 0:.4f}")
            for level, point in zip(self.levels, self.points, strict=True)
        ]
        return fragment(f"Loss against {self.symbol}", rows)

    def __repr__(self) -> str:
        return f"TableFrontier(loss against {self.symbol}: {len(self.points)} points)"


def table_frontier(
    recipe: Recipe,
    levels: Sequence[int] = LEVELS["n"],
    *,
    symbol: str = "n",
    table: object = None,
    progress: Progress | None = None,
) -> TableFrontier:
    """Release a recipe's table for each level of n (or k), beside its other requirements; nothing is written.

    The time limit of the recipe is shared by all levels. `table` stands for the recipe's own, for data in memory.
    """
    return table_frontiers(recipe, {symbol: levels}, table=table, progress=progress)[0]


def table_frontiers(
    recipe: Recipe,
    against: Mapping[str, Sequence[int]] | None = None,
    *,
    table: object = None,
    mondrian: bool = False,
    progress: Progress | None = None,
) -> tuple[TableFrontier, ...]:
    """The frontiers of a recipe's table against n and against k, counted once; the time limit is shared by all levels.

    Parameters
    ----------
    recipe
        The table, its columns, and the requirements that hold beside the one that rises.
    against
        {"n": levels, "k": levels}, or one of them. Without levels: the usual ones that the table can meet, and the
        recipe's own. Without anything: n, and k where there are sensitive columns.
    table
        Stands for the recipe's own, for data in memory.
    mondrian
        Say beside each level what the usual method would lose.
    """
    asked = dict(against) if against else {"n": (), **({"k": ()} if recipe.sensitive else {})}
    for symbol, levels in asked.items():
        checks.choice(symbol, ("n", "k"), name="symbol")
        for level in levels:
            checks.count(level, name=symbol, least=1)
    if "k" in asked and not recipe.sensitive:
        raise InputError("a frontier against k needs a sensitive column")
    if not recipe.public:
        raise InputError("a frontier needs public columns")
    wanted = parse_all(recipe.require, recipe.sensitive, recipe.hierarchies) if recipe.require else ()
    search, data = recipe.search, recipe.data
    said = said_types(recipe.public, recipe.types, None, recipe.weights)
    counted = count(
        recipe.table if table is None else table,
        recipe.sensitive,
        recipe.public,
        missing=data.missing,
        na=data.na,
        memory_limit=data.memory_limit,
        progress=progress,
        bare=True,
    )
    chosen = {
        symbol: tuple(sorted(set(levels))) or usual_levels(symbol, wanted, counted) for symbol, levels in asked.items()
    }
    problem = CodedTable.of(counted, axes_of(counted, said, recipe.weights), recipe.sensitive)
    problem.refuse_idle(wanted)
    limit = search.seconds / max(1, sum(map(len, chosen.values())))
    options = Options(search.shape, search.suppress, limit, search.seed, search.blind).checked()
    found: list[TableFrontier] = []
    for symbol, each in chosen.items():
        if not any(before.interrupted for before in found):
            found.append(_frontier(problem, symbol, each, wanted, options, progress))
            if mondrian:
                found[-1] = _compared(problem, found[-1], wanted)
    return tuple(found)


def usual_levels(symbol: str, wanted: Sequence[GroupRequirement], counted: Counted) -> tuple[int, ...]:
    """The usual levels that this table can meet, and those that are required."""
    most = counted.rows if symbol == "n" else min(len(column) for column in counted.s.columns)
    usual = {*LEVELS[symbol], *(int(each.bound) for each in wanted if each.symbol == symbol)}
    return tuple(sorted(level for level in usual if level <= most)) or (1,)


def _frontier(
    problem: CodedTable,
    symbol: str,
    levels: tuple[int, ...],
    wanted: Sequence[GroupRequirement],
    options: Options,
    progress: Progress | None,
) -> TableFrontier:
    """One curve. It ends where no release exists, and where somebody stops it."""
    others = tuple(each for each in wanted if each.symbol != symbol)
    points: list[Generalisation] = []
    ended = None
    for i, level in enumerate(levels):
        if progress:
            progress(f"{symbol}>={level}", i / len(levels))
        try:
            points.append(solved(problem, (*others, GroupRequirement(symbol, float(level))), options, None))
        except (InputError, RequirementError) as problem_there:
            if not points:
                raise
            ended = f"{symbol}>={level}: {problem_there}"
            break
        if points[-1].interrupted:
            rest = ", ".join(map(str, levels[i + 1 :]))
            ended = f"interrupted at {symbol}>={level}" + (f": {rest} not tried" if rest else "")
            break
    interrupted = bool(points) and points[-1].interrupted
    kept = levels[: len(points)]
    return TableFrontier(symbol, kept, _consistent(points), tuple(map(str, others)), ended, interrupted)


def _compared(problem: CodedTable, found: TableFrontier, wanted: Sequence[GroupRequirement]) -> TableFrontier:
    """The same with what Mondrian loses at each level."""
    others = tuple(each for each in wanted if each.symbol != found.symbol)
    rises = (GroupRequirement(found.symbol, float(level)) for level in found.levels)
    return replace(found, mondrian=tuple(mondrian_loss(problem, (*others, each)) for each in rises))


def _consistent(points: Sequence[Generalisation]) -> tuple[Generalisation, ...]:
    """What meets a level meets every lower one: losses never fall as it rises, and neither do proven bounds."""
    bounds: list[float | None] = []
    for point in points:
        known = [bound for bound in (point.bound, *bounds[-1:]) if bound is not None]
        bounds.append(max(known, default=None))
    found: list[Generalisation] = []
    for point, bound in zip(reversed(points), reversed(bounds), strict=True):
        best = min([point, *found[-1:]], key=lambda each: each.loss)
        found.append(replace(best, policy=replace(best.policy, bound=bound)))
    return tuple(reversed(found))
