"""Bounds on how the records of a group are spread over sensitive values: closeness, diversity, disclosure.

Each allows a convex set of shares. The shares of a union of groups are means of theirs, so a union of groups that keep a
bound keeps it, and a part of the table can keep it in some grouping only if it does so as one group.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.auditing._group_requirements import GroupRequirement
from discreet.measures._movers import nodes_by_level
from discreet.search.tables._columns import FloatArray, IntArray
from discreet.search.tables._model_kernels import CLOSE, DISCLOSURE, ENTROPY, ORDERED, RECURSIVE, SLACK

if TYPE_CHECKING:
    from discreet._typing import BoolArray
    from discreet.tables._labels import Label

_CELLS = 1 << 22  # of a table of groups and values, worked on at a time


@dataclass(frozen=True, eq=False)
class ValueModel:
    """One bound on the shares of the values of a sensitive column.

    Attributes
    ----------
    kind
        Which: earth mover's distance to the table, over levels of nodes or along an order; entropy; (c, l); disclosure.
    bound
        Of the distance, the diversity, c, or the bits.
    prior
        The share of each value in the table.
    nodes
        For every level of a hierarchy, and the values themselves first, the node of each value.
    order
        The l of (c, l)-diversity.
    """

    kind: int
    bound: float
    prior: FloatArray
    nodes: IntArray
    order: int = 0

    @classmethod
    def of(
        cls, asked: GroupRequirement, column: str, labels: Sequence[Label], prior: FloatArray, withheld: float = 0.0
    ) -> ValueModel | None:
        """The bound that a requirement puts on a column; None for those that bound single shares or counts.

        Where a share of the records is `withheld`, that of a value in what is left may be so much further from its share in
        the table, and distances are held to so much less.
        """
        none, bound = np.empty((0, len(prior)), dtype=np.int64), asked.bound
        near = max(0.0, bound - withheld)
        if asked.symbol == "t":
            return cls(CLOSE, near, prior, np.arange(len(prior))[None])
        if asked.symbol == "t_hier":
            paths = asked.hierarchies[column].of_labels(labels)
            return cls(CLOSE, near, prior, np.array(nodes_by_level(labels, paths)))
        if asked.symbol == "t_ord":
            return cls(ORDERED, near, prior, none)
        if asked.symbol == "l_ent":
            return cls(ENTROPY, float(np.log2(max(bound, 1.0))), prior, none)
        if asked.symbol == "delta":
            return cls(DISCLOSURE, bound, prior, none)
        if match := re.fullmatch(r"c_(\d+)", asked.symbol):
            return cls(RECURSIVE, bound, prior, none, int(match[1]))
        return None

    @property
    def values(self) -> int:
        """How many different values a group has at least that keeps to it."""
        if self.kind == ENTROPY:
            return int(np.ceil(2.0**self.bound - 1e-9))
        return {RECURSIVE: self.order, DISCLOSURE: len(self.prior)}.get(self.kind, 1)

    def holds(self, tally: FloatArray) -> BoolArray:
        """Which groups keep to it; a row a group, how often it has each value."""
        q = tally / tally.sum(axis=1, keepdims=True)
        apart = q - self.prior
        if self.kind == CLOSE:
            total = sum(_excess(apart, node) for node in self.nodes) / len(self.nodes)
            return np.asarray(total <= self.bound + SLACK)
        if self.kind == ORDERED:
            moved = np.abs(np.cumsum(apart, axis=1)[:, :-1]).sum(axis=1)
            return np.asarray(moved <= (self.bound + SLACK) * max(1, q.shape[1] - 1))
        if self.kind == ENTROPY:
            bits = -(q * np.log2(np.where(q > 0, q, 1.0))).sum(axis=1)
            return np.asarray(bits >= self.bound - SLACK)
        if self.kind == DISCLOSURE:
            low, high = self.prior * 2.0**-self.bound, self.prior * 2.0**self.bound
            return np.asarray(np.all((q >= low * (1 - SLACK)) & (q <= high * (1 + SLACK)), axis=1))
        falling = np.sort(q, axis=1)[:, ::-1]
        return np.asarray(falling[:, 0] <= self.bound * falling[:, self.order - 1 :].sum(axis=1) * (1 + SLACK))


def keep_models(models: Sequence[ValueModel], tally: tuple[IntArray, IntArray, IntArray], groups: int) -> BoolArray:
    """Which groups keep to all these bounds; `tally` is group, value and count, by group."""
    good = np.ones(groups, dtype=bool)
    if not models or not groups:
        return good
    group, value, count = tally
    size = len(models[0].prior)
    some = max(1, _CELLS // size)
    for low in range(0, groups, some):
        high = min(groups, low + some)
        first, last = np.searchsorted(group, [low, high])
        dense = np.zeros((high - low, size))
        dense[group[first:last] - low, value[first:last]] = count[first:last]
        filled = np.flatnonzero(dense.any(axis=1))
        for model in models:
            good[low + filled] &= model.holds(dense[filled])
    return good


def _excess(apart: FloatArray, node: IntArray) -> FloatArray:
    """Σ (q(v) − p(v))⁺ over the nodes of a level."""
    order = np.argsort(node, kind="stable")
    starts = np.flatnonzero(np.diff(node[order], prepend=-1))
    return np.asarray(np.maximum(np.add.reduceat(apart[:, order], starts, axis=1), 0.0).sum(axis=1))
