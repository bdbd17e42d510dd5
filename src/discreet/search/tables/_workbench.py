"""A recipe's table on the workbench: counted once, released for one requirement after another, its groups changed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.auditing._group_requirements import GroupRequirement, findings, parse_all
from discreet.errors import InputError, RequirementError
from discreet.search.tables._coded_table import CodedTable
from discreet.search.tables._column_types import axes_of, said_types
from discreet.search.tables._generalisation import Generalisation
from discreet.search.tables._generalise import Options, solved
from discreet.search.tables._loss import Grouping
from discreet.search.tables._mondrian import mondrian_loss
from discreet.search.tables._table_frontier import usual_levels
from discreet.tables._counting import count

if TYPE_CHECKING:
    from discreet._typing import IntArray, Progress
    from discreet.recipe import Recipe
    from discreet.release._table_policy import TablePolicy


@dataclass(frozen=True)
class Member:
    """A combination of public values in a group: the values, its records and how many different sensitive values they have."""

    values: tuple[Any, ...]
    records: int
    distinct: int


@dataclass(frozen=True, eq=False)
class Workbench:
    """A table that was counted once.

    Attributes
    ----------
    options
        How releases are looked for.
    wanted
        What every group must have, as the recipe says it.
    """

    recipe: Recipe = field(repr=False)
    problem: CodedTable = field(repr=False)
    options: Options
    wanted: tuple[GroupRequirement, ...]

    @classmethod
    def of(cls, recipe: Recipe, progress: Progress | None = None) -> Workbench:
        """Count a recipe's table, and make axes of its columns."""
        if not recipe.public:
            raise InputError("a release needs public columns")
        data, search = recipe.data, recipe.search
        said = said_types(recipe.public, recipe.types, None, recipe.weights)
        counted = count(
            recipe.table,
            recipe.sensitive,
            recipe.public,
            missing=data.missing,
            na=data.na,
            memory_limit=data.memory_limit,
            progress=progress,
            bare=True,
        )
        problem = CodedTable.of(counted, axes_of(counted, said, recipe.weights), recipe.sensitive)
        options = Options(search.shape, search.suppress, search.seconds, search.seed, search.blind).checked()
        wanted = parse_all(recipe.require, recipe.sensitive, recipe.hierarchies)
        problem.refuse_idle(wanted)
        return cls(recipe, problem, options, wanted)

    def levels(self, symbol: str) -> tuple[int, ...]:
        """The levels of n or k worth looking at: the usual ones that this table can meet, and the recipe's own."""
        return usual_levels(symbol, self.wanted, self.problem.counted)

    def release(
        self, symbol: str, level: int, *, seconds: float, seed: int, progress: Progress | None = None
    ) -> Generalisation:
        """The best release found for one level of n or k, beside the recipe's other requirements."""
        options = replace(self.options, time_limit=seconds, seed=seed)
        return self._finished(solved(self.problem, self._asked(symbol, level), options, progress))

    def mondrian(self, symbol: str, level: int) -> float | None:
        """What the usual method would lose at one level, for comparison; None where it has no release."""
        return mondrian_loss(self.problem, self._asked(symbol, level))

    def _asked(self, symbol: str, level: int) -> tuple[GroupRequirement, ...]:
        return (*(each for each in self.wanted if each.symbol != symbol), GroupRequirement(symbol, float(level)))

    def _finished(self, done: Generalisation) -> Generalisation:
        data = self.recipe.data
        policy = replace(done.policy, missing=data.missing, na=tuple(data.na))
        return replace(done, policy=policy, table=self.recipe.table)

    # ------------------------------------------------------------------ by hand

    def members(self, policy: TablePolicy, group: int) -> list[Member]:
        """The combinations of values in a group, those with the most records first."""
        counted, letters = self.problem.counted, _letters(policy)
        inside = np.flatnonzero(letters.group == group)
        of_pair = np.isin(counted.x_codes, inside)
        x, counts = counted.x_codes[of_pair], counted.counts[of_pair]
        found = [
            Member(
                tuple(
                    labels[code] for labels, code in zip(letters.labels, letters.codes[letter].tolist(), strict=True)
                ),
                int(counts[x == letter].sum()),
                int((x == letter).sum()),
            )
            for letter in inside.tolist()
        ]
        return sorted(found, key=lambda each: -each.records)

    def merge(self, policy: TablePolicy, groups: Sequence[int]) -> Generalisation:
        """The policy with some groups made one; what every group must have still holds, since a union has no less of it."""
        chosen = sorted(set(groups))
        if len(chosen) < 2:
            raise InputError("choose at least two groups to merge")
        group_of = self._group_of(policy)
        return self._regrouped(policy, np.where(np.isin(group_of, chosen), chosen[0], group_of))

    def cuts(self, policy: TablePolicy, group: int) -> dict[str, list[Any]]:
        """Where a group can be split: by column the values that occur in it, in order; a cut is after one of them."""
        inside = self._group_of(policy) == group
        found = {}
        for c, axis in enumerate(self.problem.axes):
            codes = np.unique(self.problem.letters.codes[inside, c]).astype(np.int64)
            if len(codes) > 1:
                found[axis.name] = [axis.cell((int(code),)).text for code in codes[:-1]]
        return found

    def split(self, policy: TablePolicy, group: int, column: str, cut: int) -> Generalisation:
        """The policy with one group cut in two, after value number `cut` of a column; refused where a part lacks something."""
        c = [axis.name for axis in self.problem.axes].index(column)
        group_of = self._group_of(policy)
        inside = group_of == group
        codes = self.problem.letters.codes[:, c]
        present = np.unique(codes[inside])
        if not 0 <= cut < len(present) - 1:
            raise InputError(f"{column} cannot be cut there: the group has {len(present)} different values in it")
        upper = inside & (codes > present[cut])
        return self._regrouped(policy, np.where(upper, int(group_of.max()) + 1, group_of))

    def _group_of(self, policy: TablePolicy) -> IntArray:
        """The group of each letter of the engine; bands make several letters of the table one."""
        found = np.full(len(self.problem.letters.codes), -1, dtype=np.int64)
        found[self.problem.letter_of] = _letters(policy).group
        return found

    def _regrouped(self, policy: TablePolicy, group_of: IntArray) -> Generalisation:
        """The policy of changed groups, its figures recomputed; boxes made by hand may overlap."""
        kept = group_of >= 0
        numbers, inverse = np.unique(group_of[kept], return_inverse=True)
        compact = group_of.copy()
        compact[kept] = inverse.ravel()
        grouping = Grouping(compact, 0.0, np.zeros(len(policy.public)), len(numbers), 0, (), policy.suppressed)
        found, joint = self.problem.policy(grouping, policy.require, "local", blind=False, bound=policy.bound)
        outcome = tuple(findings(policy.require, joint))
        broken = [each.sentence() for each in outcome if not each.met]
        if broken:
            raise RequirementError("that would break what every group must have: " + "; ".join(broken))
        return self._finished(Generalisation(found, None, joint, outcome))


def _letters(policy: TablePolicy) -> Any:
    if policy.letters is None:
        raise InputError("groups are changed by the private part of a policy")
    return policy.letters
