"""A table as the engines see it: letters of codes, columns, requirements as counts and shares; and the policy of a grouping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.auditing._group_requirements import GroupRequirement, refuse_idle
from discreet.columns import Axis, LineAxis, TreeAxis
from discreet.columns._boxes import Boxes
from discreet.columns._judging import check_sensitive
from discreet.errors import InputError
from discreet.joint._joint import Joint, from_codes, nobody
from discreet.release._letter_table import LetterTable, listed_labels
from discreet.release._table_policy import TablePolicy
from discreet.search.tables._bounds import BoundColumn
from discreet.search.tables._columns import Column
from discreet.search.tables._letters import Letters, Sensitive
from discreet.search.tables._requirements import Requirement
from discreet.search.tables._value_models import ValueModel
from discreet.tables._counting import Counted
from discreet.tables._labels import Alphabet

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.release._table_policy_files import Shape
    from discreet.search.tables._loss import Grouping


@dataclass(frozen=True, eq=False)
class CodedTable:
    """Letters of codes, columns, and how the table's own letters map to them."""

    counted: Counted = field(repr=False)
    axes: tuple[Axis, ...]
    columns: tuple[Column, ...]
    letters: Letters = field(repr=False)
    letter_of: IntArray = field(repr=False)  # of each letter of the table; bands make several one
    sensitive: tuple[str, ...]

    @classmethod
    def of(cls, counted: Counted, axes: tuple[Axis, ...], sensitive: Sequence[str]) -> CodedTable:
        """Codes by axis, distinct combinations with their records, and how often each goes with each sensitive value."""
        check_sensitive(sensitive, [listed_labels(column) for column in counted.s.columns[: len(sensitive)]])
        rows = _rows(counted)
        codes = np.stack([axis.code_of[rows[:, c]] for c, axis in enumerate(axes)], axis=1)
        distinct, letter_of = np.unique(codes, axis=0, return_inverse=True)
        letter_of = letter_of.ravel().astype(np.int64)
        letter = letter_of[counted.x_codes]
        records = np.bincount(letter, counted.counts, len(distinct)).astype(np.int64)
        parts = _sensitive_codes(counted, len(sensitive))
        columns = tuple(
            sensitive_of(letter, code, counted.counts, len(distinct), int(code.max()) + 1) for code in parts
        )
        letters = Letters(np.ascontiguousarray(distinct.astype(np.int32)), records, columns)
        return cls(counted, axes, tuple(map(engine_column, axes)), letters, letter_of, tuple(sensitive))

    def check(self, wanted: Sequence[GroupRequirement]) -> None:
        """Refuse what no release can have: more records than there are, more values than a column has."""
        counted = self.counted
        for each in wanted:
            if each.symbol == "n" and each.bound > counted.rows:
                raise InputError(f"{each} cannot hold: the table has {counted.rows:,} records")
            for c, name in enumerate(self.sensitive if each.symbol == "k" else ()):
                levels = len(counted.s.columns[c])
                if each.column in (None, name) and each.bound > levels:
                    raise InputError(
                        f"{each} cannot hold: column {name!r} has {levels} different values in the whole table"
                    )
            for c, name in enumerate(self.sensitive):
                if each.column in (None, name) and (reason := each.unfit(name, listed_labels(counted.s.columns[c]))):
                    raise InputError(f"requirement '{each}': {reason}")

    def refuse_idle(self, wanted: Sequence[GroupRequirement]) -> None:
        """Refuse a requirement that a user stated and that no group of the table's records could break."""
        refuse_idle(wanted, {name: self._alone(c) for c, name in enumerate(self.sensitive)}, self.counted.rows)

    def _alone(self, c: int) -> Joint:
        """One sensitive column with all records in one group."""
        column, labels = self.letters.sensitive[c], listed_labels(self.counted.s.columns[c])
        tally = np.bincount(column.value, column.count, column.size).astype(np.int64)
        seen = np.flatnonzero(tally)
        values = Alphabet((list(labels),), None, (self.sensitive[c],))
        return from_codes((values, seen), nobody(len(seen)), tally[seen])

    def policy(
        self,
        found: Grouping,
        wanted: tuple[GroupRequirement, ...],
        shape: Shape,
        *,
        blind: bool,
        bound: float | None,
    ) -> tuple[TablePolicy, Joint]:
        """The policy of a grouping, with loss and figures recomputed from its boxes, and the released joint."""
        counted = self.counted
        group_of, codes = found.group_of, self.letters.codes
        if found.bands is not None:  # what everybody's cells are, not the hulls of single groups
            boxes = Boxes.of_bands(self.axes, codes, group_of, found.bands)
        else:
            boxes = Boxes.of_groups(self.axes, codes, group_of)
        boxes, number = boxes.merged()
        group = np.where(group_of >= 0, number[group_of], -1)[self.letter_of]
        of_row = group[counted.x_codes]
        kept = of_row >= 0
        records = np.bincount(of_row[kept], counted.counts[kept], len(boxes))
        suppressed = int(counted.counts[~kept].sum())
        by_column = (records @ boxes.ncp + suppressed) / counted.rows
        weights = np.array([axis.type.weight for axis in self.axes])
        loss = float(by_column @ weights / weights.sum())
        released = Alphabet((list(boxes.labels),)), of_row[kept]
        joint = from_codes((counted.s, counted.s_codes[kept]), released, counted.counts[kept])
        before = from_codes((counted.s, counted.s_codes), (counted.x, counted.x_codes), counted.counts)
        names = tuple(axis.name for axis in self.axes)
        policy = TablePolicy(
            public=names,
            sensitive=self.sensitive,
            types=tuple(axis.type for axis in self.axes),
            boxes=boxes,
            require=wanted,
            shape=shape,
            blind=blind,
            loss=loss,
            bound=None if bound is None else min(bound, loss),
            loss_by_column=dict(zip(names, by_column.tolist(), strict=True)),
            before={},
            after={},
            records=counted.rows,
            suppressed=suppressed,
            letters=LetterTable(
                tuple(tuple(axis.labels) for axis in self.axes),
                _rows(counted),
                group,
                by_cell=any(axis.type.band is not None for axis in self.axes),
            ),
        )
        return replace(policy, before=policy.figures(before), after=policy.figures(joint)), joint


def _rows(counted: Counted) -> IntArray:
    return counted.x.codes if counted.x.codes is not None else np.arange(len(counted.x))[:, None]


def engine_column(axis: Axis) -> Column:
    """An axis as the engine's column."""
    weight, limit, fixed = axis.type.weight, axis.limit, axis.type.fixed
    if isinstance(axis, LineAxis):
        # With bands a cell reaches to the end of its last band: that much is lost in any case, and changes no choice.
        return Column.line(axis.low, axis.span, missing=axis.has_missing, weight=weight, limit=limit, fixed=fixed)
    if isinstance(axis, TreeAxis):
        cost = np.where(axis.within, axis.cost, 2.0)  # a forbidden node may have fewer leaves than one that is not
        return Column("tree", axis.size, weight, limit, fixed, levels=axis.paths, node_cost=cost)
    return Column.set_of(axis.size, weight=weight, limit=limit, fixed=fixed)


def _sensitive_codes(counted: Counted, width: int) -> list[IntArray]:
    """For each sensitive column the codes of the counted rows."""
    if width == 0:
        return []
    if counted.s.codes is None:
        return [counted.s_codes]
    return [counted.s.codes[:, c][counted.s_codes] for c in range(width)]


def sensitive_of(letter: IntArray, codes: IntArray, counts: IntArray, letters: int, size: int) -> Sensitive:
    """How often each letter goes with each of `size` sensitive values."""
    pairs, place = np.unique(letter * size + codes, return_inverse=True)
    records = np.bincount(place.ravel(), counts, len(pairs)).astype(np.int64)
    indptr = np.searchsorted(pairs, np.arange(letters + 1) * size).astype(np.int64)
    return Sensitive(indptr, (pairs % size).astype(np.int64), records, size)


def engine_requirement(wanted: Sequence[GroupRequirement], problem: CodedTable, suppress: int = 0) -> Requirement:
    """The requirements as counts and shares. L0 <= b is k >= |S| 2^-b; others bound the share of each value, or all of them."""
    sensitive, letters = problem.sensitive, problem.letters
    n = max((int(each.bound) for each in wanted if each.symbol == "n"), default=1)
    k = [1] * len(sensitive)
    caps: list[FloatArray | None] = [None] * len(sensitive)
    models: list[tuple[ValueModel, ...]] = [()] * len(sensitive)
    for each in wanted:
        for c, name in enumerate(sensitive):
            if each.symbol == "n" or (each.column is not None and each.column != name):
                continue
            column = letters.sensitive[c]
            prior = np.bincount(column.value, column.count, column.size) / letters.records
            if each.symbol in ("k", "L0"):
                least = each.bound if each.symbol == "k" else np.ceil(column.size * 2.0**-each.bound - 1e-9)
                k[c] = max(k[c], int(least))
                continue
            labels = listed_labels(problem.counted.s.columns[c])
            if (model := ValueModel.of(each, name, labels, prior, suppress / letters.records)) is not None:
                models[c] += (model,)
                k[c] = max(k[c], model.values)
                continue
            cap, known = each.caps(prior), caps[c]
            if cap is not None:
                caps[c] = np.minimum(1.0, cap if known is None else np.minimum(cap, known))
    # So many different values need as many records: what is proven for n grows with k.
    return Requirement(max(n, *k, 1), tuple(k), tuple(caps), tuple(models))


def bounded_codes(letters: Letters, axes: Sequence[Axis]) -> tuple[IntArray, IntArray]:
    """The letters as the bound numbers them: a leaf that stands for several values by the first of them."""
    codes = letters.codes.astype(np.int64)
    for c, axis in enumerate(axes):
        if isinstance(axis, TreeAxis):
            first = np.concatenate([[0], np.cumsum([len(values) for values in axis.leaves])[:-1]])
            codes[:, c] = first[codes[:, c]]
    return codes, letters.counts


def bound_column(axis: Axis, weight: float) -> BoundColumn:
    """An axis as the bound sees it: nothing costs more there than it does in a release."""
    if isinstance(axis, LineAxis):
        width = axis.span or 1.0
        beyond = [axis.low[-1] + width * 1e-13] if axis.has_missing else []
        # A group that mixes missing with numbers costs 1; just past the last number it costs no more than that.
        return BoundColumn.line([*axis.low.tolist(), *beyond], weight, width=width)
    if isinstance(axis, TreeAxis):
        sizes = [len(values) for values in axis.leaves]
        nodes = np.repeat(axis.paths, sizes, axis=0) + sum(sizes)
        return BoundColumn.tree(np.concatenate([np.arange(sum(sizes))[:, None], nodes], axis=1), weight)
    return BoundColumn.set(axis.size, weight)
