"""Boxes: what each group of records says, one cell per public column, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.columns._axes import SetAxis
from discreet.columns._axis import Axis, Cell

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Boxes:
    """The cells of every group: `cells[c]` are the different cells of column c, `ids[g, c]` says which one group g has."""

    cells: tuple[tuple[Cell, ...], ...] = field(repr=False)
    ids: IntArray = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of_groups(cls, axes: Sequence[Axis], codes: npt.NDArray[Any], group_of: IntArray) -> Boxes:
        """The smallest boxes around the letters of each group; letters of group −1 are left out."""
        kept = group_of >= 0
        groups = int(group_of.max(initial=-1)) + 1
        owner, rows = group_of[kept], codes[kept].astype(np.int64)
        found = [_cells_of(axis, rows[:, c], owner, groups) for c, axis in enumerate(axes)]
        return cls(tuple(cells for cells, _ in found), np.stack([ids for _, ids in found], axis=1))

    @classmethod
    def of_bands(
        cls, axes: Sequence[Axis], codes: npt.NDArray[Any], group_of: IntArray, bands: Sequence[IntArray]
    ) -> Boxes:
        """One coarsening per column for everybody: the cell of a group is that of the band its letters lie in.

        `bands[c]` says in which band each code of column c lies; a band says the codes of it that occur.
        """
        kept = group_of >= 0
        groups = int(group_of.max(initial=-1)) + 1
        cells, ids = [], []
        for c, axis in enumerate(axes):
            band = bands[c][np.arange(axis.size)]
            present = np.unique(codes[:, c]).astype(np.int64)
            own = {int(each): tuple(present[band[present] == each].tolist()) for each in np.unique(band[present])}
            cells.append(tuple(axis.cell(inside) for inside in own.values()))
            place = {each: i for i, each in enumerate(own)}
            of_group = np.zeros(groups, dtype=np.int64)
            of_group[group_of[kept]] = [place[each] for each in band[codes[kept, c]].tolist()]
            ids.append(of_group)
        return cls(tuple(cells), np.stack(ids, axis=1))

    @property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """What a released row of each group says."""
        texts = [[cell.text for cell in cells] for cells in self.cells]
        columns = [[words[i] for i in ids] for words, ids in zip(texts, self.ids.T.tolist(), strict=True)]
        return tuple(zip(*columns, strict=True))

    @property
    def ncp(self) -> FloatArray:
        """What each cell of each group costs, (groups, columns)."""
        costs = [np.array([cell.ncp for cell in cells]) for cells in self.cells]
        return np.stack([cost[ids] for cost, ids in zip(costs, self.ids.T, strict=True)], axis=1)

    def merged(self) -> tuple[Boxes, IntArray]:
        """Groups that say the same as one, in the order of their cells, and the new number of each group."""
        distinct, first = np.unique(self.ids, axis=0, return_inverse=True)
        return Boxes(self.cells, distinct), first.ravel().astype(np.int64)

    def holding(self, labels: Sequence[Sequence[Any]], letters: npt.NDArray[Any], weights: FloatArray) -> IntArray:
        """For letters never seen: the cheapest box whose cells are all true of them, or −1.

        `labels[c]` are the different values of column c, `letters[i, c]` says which of them letter i has. A letter looks
        only at the boxes that hold it in the column where these are fewest.
        """
        cost = self.ncp @ weights
        by_cost = np.argsort(cost, kind="stable")
        true_of = [
            np.array([[cell.holds(label) for cell in cells] for label in values], dtype=bool).reshape(len(values), -1)
            for values, cells in zip(labels, self.cells, strict=True)
        ]
        reach = [[by_cost[row[self.ids[by_cost, c]]] for row in true_of[c]] for c in range(len(true_of))]
        found = np.full(len(letters), -1, dtype=np.int64)
        for i, letter in enumerate(letters.tolist()):
            fewest = min(range(len(letter)), key=lambda c: len(reach[c][letter[c]]))
            boxes = reach[fewest][letter[fewest]]
            fits = np.ones(len(boxes), dtype=bool)
            for c, value in enumerate(letter):
                fits &= true_of[c][value][self.ids[boxes, c]]
            hit = np.flatnonzero(fits)
            if len(hit):
                found[i] = boxes[hit[0]]
        return found


def _cells_of(axis: Axis, codes: IntArray, owner: IntArray, groups: int) -> tuple[tuple[Cell, ...], IntArray]:
    """The different cells of one column, and which one each group has."""
    if isinstance(axis, SetAxis):
        pairs = np.unique(owner * axis.size + codes)
        starts = np.searchsorted(pairs, np.arange(groups + 1) * axis.size)
        inside = (pairs % axis.size).tolist()
        spans = [tuple(inside[a:b]) for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
    else:
        low = np.full(groups, axis.size, dtype=np.int64)
        high = np.full(groups, -1, dtype=np.int64)
        np.minimum.at(low, owner, codes)
        np.maximum.at(high, owner, codes)
        spans = list(zip(low.tolist(), high.tolist(), strict=True))
    of_span = {span: axis.cell(span) for span in dict.fromkeys(spans)}
    place: dict[str, int] = {}
    cells: list[Cell] = []
    for cell in of_span.values():  # several spans of a tree may have one node
        if place.setdefault(cell.text, len(cells)) == len(cells):
            cells.append(cell)
    return tuple(cells), np.array([place[of_span[span].text] for span in spans], dtype=np.int64)
