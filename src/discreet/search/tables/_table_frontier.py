"""The frontier of a whole table: the loss of the best release found against n or k, with what no release can beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from discreet import _checks as checks
from discreet.auditing._group_requirements import parse_all
from discreet.errors import InputError
from discreet.report import _plots as plots
from discreet.report._pages import fragment
from discreet.search.tables._coded_table import CodedTable
from discreet.search.tables._column_types import axes_of, said_types
from discreet.search.tables._generalisation import Generalisation
from discreet.search.tables._generalise import Options, solved
from discreet.tables._counting import count

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.recipe import Recipe

NS = (2, 3, 5, 10, 25)


@dataclass(frozen=True, eq=False)
class TableFrontier:
    """Releases of one table for rising requirements, each with its loss and the proven bound."""

    symbol: str  # n or k
    levels: tuple[int, ...]
    points: tuple[Generalisation, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        return {
            "against": self.symbol,
            "points": [
                {self.symbol: level, "loss": point.loss, "bound": point.bound, "groups": point.groups}
                for level, point in zip(self.levels, self.points, strict=True)
            ],
        }

    def lines(self) -> list[str]:
        """The figures, for people."""
        return [
            f"{self.symbol}>={level}: loss {point.loss:.4f}, no release below {point.bound or 0:.4f}, {point.groups:,} groups"
            for level, point in zip(self.levels, self.points, strict=True)
        ]

    def plot(self) -> Any:
        """Loss against the requirement, with the bound."""
        bounds = [point.bound or 0.0 for point in self.points]
        return plots.table_frontier_figure(self.symbol, self.levels, [point.loss for point in self.points], bounds)

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
    levels: Sequence[int] = NS,
    *,
    symbol: str = "n",
    table: object = None,
    progress: Progress | None = None,
) -> TableFrontier:
    """Release a recipe's table for each level of n (or k), beside its other requirements; nothing is written.

    The time limit of the recipe is shared by all levels. `table` stands for the recipe's own, for data in memory.
    """
    checks.choice(symbol, ("n", "k"), name="symbol")
    if symbol == "k" and not recipe.sensitive:
        raise InputError("a frontier against k needs a sensitive column")
    chosen = tuple(sorted({checks.count(level, name=symbol, least=1) for level in levels}))
    search = recipe.search
    limit = search.time_limit / len(chosen)
    options = Options(search.shape, search.suppress, limit, search.seed, search.blind).checked()
    others = [each for each in recipe.require if not each.replace(" ", "").startswith(f"{symbol}>=")]
    said = said_types(recipe.public, recipe.types, None, recipe.weights)
    source = recipe.table if table is None else table
    data = recipe.data
    counted = count(
        source, recipe.sensitive, recipe.public, missing=data.missing, na=data.na, progress=progress, bare=True
    )
    problem = CodedTable.of(counted, axes_of(counted, said, recipe.weights), recipe.sensitive)
    points = []
    for i, level in enumerate(chosen):
        if progress:
            progress(f"{symbol}>={level}", i / len(chosen))
        points.append(solved(problem, parse_all([*others, f"{symbol}>={level}"], recipe.sensitive), options, None))
    return TableFrontier(symbol, chosen, tuple(points))
