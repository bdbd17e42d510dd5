"""A typed column as an axis: a line, a tree, or a set of free categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.columns._axis import Axis, Cell, Label
from discreet.columns._line_axis import line_of_dates, line_of_numbers, line_of_ranks
from discreet.columns._names import names_of, set_of
from discreet.columns._tree_axis import tree_of_codes, tree_of_hierarchy
from discreet.columns._types import ColumnType


@dataclass(frozen=True, eq=False)
class SetAxis(Axis):
    """Categories without order: a cell is a set of values."""

    @property
    def size(self) -> int:
        """The values."""
        return len(self.labels)

    def cell(self, codes: tuple[int, ...]) -> Cell:
        values = [self.labels[code] for code in codes]
        words = set_of(sorted(self._names[value] for value in values))
        ncp = (len(values) - 1) / (self.size - 1) if self.size > 1 else 0.0
        return Cell(words, ncp, members=frozenset(values))

    @cached_property
    def _names(self) -> dict[Label, str]:
        return names_of(self.labels)

    @property
    def limit(self) -> float:
        coarsest = self.type.coarsest
        if coarsest is None or self.size < 2:
            return 1.0
        return min(1.0, (int(coarsest) - 1) / (self.size - 1))


def axis_of(name: str, labels: Sequence[Label], kind: ColumnType) -> Axis:
    """The axis of a column's distinct labels (sorted, missing last), or an error that names the column."""
    found = tuple(labels)
    kind = kind.checked(name)
    if kind.kind == "number":
        return line_of_numbers(name, found, kind)
    if kind.kind == "date":
        return line_of_dates(name, found, kind)
    if kind.kind == "ordered":
        return line_of_ranks(name, found, kind)
    if kind.kind == "code":
        return tree_of_codes(name, found, kind)
    if kind.kind == "hierarchy":
        return tree_of_hierarchy(name, found, kind)
    return SetAxis(name, kind, found, np.arange(len(found), dtype=np.int64))
