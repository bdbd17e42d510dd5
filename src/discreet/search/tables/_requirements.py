"""What every group must have: records, distinct sensitive values, none with too large a share, well spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.errors import InputError
from discreet.search.tables._columns import FloatArray, IntArray
from discreet.search.tables._letters import Letters, Sensitive
from discreet.search.tables._value_models import ValueModel, keep_models

ROUNDING = 1e-9
"""A share may exceed its cap by rounding only."""


@dataclass(frozen=True, eq=False)
class Requirement:
    """What every group of records must have.

    Attributes
    ----------
    n
        At least so many records.
    k
        For each sensitive column at least so many distinct values; empty where no column has a demand.
    caps
        For each sensitive column None, or for each of its values the greatest share of a group's records that it may have.
    models
        For each sensitive column how the records of a group must be spread over its values.
    """

    n: int = 1
    k: tuple[int, ...] = ()
    caps: tuple[FloatArray | None, ...] = ()
    models: tuple[tuple[ValueModel, ...], ...] = ()

    def __post_init__(self) -> None:
        if self.n < 1 or any(k < 0 for k in self.k):
            raise InputError("a requirement is about at least one record or value")

    def padded(self, letters: Letters) -> Requirement:
        """The same with one entry a sensitive column, checked against the table."""
        columns = len(letters.sensitive)
        if max(len(self.k), len(self.caps), len(self.models)) > columns:
            raise InputError("a requirement is about a sensitive column that the table does not have")
        k = self.k + (1,) * (columns - len(self.k))
        caps = self.caps + (None,) * (columns - len(self.caps))
        models = self.models + ((),) * (columns - len(self.models))
        for cap, column in zip(caps, letters.sensitive, strict=True):
            if cap is not None and len(cap) != column.size:
                raise InputError("caps need one entry a sensitive value")
        return Requirement(self.n, k, caps, models)

    @property
    def mode(self) -> int:
        """0: records only; 1: distinct values too; 2: shares too. Each needs more work than the one before."""
        if any(cap is not None for cap in self.caps) or any(self.models):
            return 2
        return 1 if any(k > 1 for k in self.k) else 0


class Need(NamedTuple):
    """A requirement and the letters' sensitive values, as the kernels read them; values of all columns numbered through."""

    least: IntArray  # n, mode, then the k of each sensitive column
    indptr: IntArray  # of each letter, where its entries begin
    entry: IntArray  # [., 2]: value, count
    owner: IntArray  # of each value, its sensitive column
    cap: FloatArray  # of each value
    prior: FloatArray  # of each value, its share in the table; where a model asks for it
    model: IntArray  # [., 5]: kind, where its values begin and end, levels or l, where its leaves and nodes begin
    limit: FloatArray  # of each model
    leaf: IntArray  # of each model its values, such that those of a node are neighbours
    node: IntArray  # of each model, level by level, the nodes of these


def compiled_need(letters: Letters, requirement: Requirement) -> Need:
    """The flat form of a requirement. Columns without a demand are left out: nothing is tallied for them."""
    wanted = requirement.padded(letters)
    mode = wanted.mode
    used = [
        (column, k, cap, models)
        for column, k, cap, models in zip(letters.sensitive, wanted.k, wanted.caps, wanted.models, strict=True)
        if mode and (k > 1 or cap is not None or models)
    ]
    sizes = [column.size for column, *_ in used]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    indptr, entry = _joined([column for column, *_ in used], offsets, letters.size)
    shares = [np.ones(column.size) if cap is None else np.asarray(cap, dtype=np.float64) for column, _, cap, _ in used]
    return Need(
        np.array([wanted.n, mode, *(k for _, k, *_ in used)], dtype=np.int64),
        indptr,
        entry,
        np.repeat(np.arange(len(used)), sizes).astype(np.int64),
        np.concatenate([*shares, np.empty(0)]),
        *_flat_models([models for *_, models in used], sizes),
    )


def _flat_models(
    by_column: list[tuple[ValueModel, ...]], sizes: list[int]
) -> tuple[FloatArray, IntArray, FloatArray, IntArray, IntArray]:
    """The last five of a `Need`."""
    prior, rows, leaf, node, offset, start = [], [], [], [], 0, 0
    for models, size in zip(by_column, sizes, strict=True):
        prior.append(models[0].prior if models else np.zeros(size))
        for model in models:
            levels = model.nodes
            order = np.lexsort(levels) if len(levels) else np.empty(0, dtype=np.int64)  # the root's children first
            rows.append([model.kind, offset, offset + size, len(levels) or model.order, start])
            leaf.append(np.concatenate([order, np.zeros(max(0, levels.size - len(order)), dtype=np.int64)]))
            node.append(levels[:, order].ravel())
            start += levels.size
        offset += size
    limits = [model.bound for models in by_column for model in models]
    none = np.empty(0, dtype=np.int64)
    return (
        np.concatenate([*prior, np.empty(0)]),
        np.array(rows, dtype=np.int64).reshape(-1, 5),
        np.array(limits, dtype=np.float64),
        np.concatenate([*leaf, none]),
        np.concatenate([*node, none]),
    )


def _joined(columns: list[Sensitive], offsets: IntArray, m: int) -> tuple[IntArray, IntArray]:
    """The compressed rows of several sensitive columns as one."""
    if not columns:
        return np.zeros(m + 1, dtype=np.int64), np.empty((0, 2), dtype=np.int64)
    letter = np.concatenate([np.repeat(np.arange(m), np.diff(column.indptr)) for column in columns])
    order = np.argsort(letter, kind="stable")
    value = np.concatenate([column.value + offset for column, offset in zip(columns, offsets[:-1], strict=True)])
    count = np.concatenate([column.count for column in columns])
    indptr = np.concatenate([[0], np.cumsum(np.bincount(letter, minlength=m))])
    return indptr.astype(np.int64), np.stack([value[order], count[order]], axis=1).astype(np.int64)


def unmet(letters: Letters, requirement: Requirement, group_of: IntArray) -> list[str]:
    """What a grouping lacks, one line a demand; empty where every group has what it must have. Plain numpy, no kernels."""
    wanted = requirement.padded(letters)
    kept = group_of >= 0
    groups = int(group_of.max(initial=-1)) + 1
    records = np.bincount(group_of[kept], letters.counts[kept], groups)
    filled = records > 0
    found = []
    if groups and records[filled].min() < wanted.n:
        found.append(f"a group has {int(records[filled].min())} records, not {wanted.n}")
    for column, k, cap, models in zip(letters.sensitive, wanted.k, wanted.caps, wanted.models, strict=True):
        tally = tallies(column, group_of, groups)
        distinct = np.bincount(tally[0], minlength=groups)
        if groups and k > 1 and distinct[filled].min() < k:
            found.append(f"a group has {int(distinct[filled].min())} distinct sensitive values, not {k}")
        if cap is not None and np.any(tally[2] > cap[tally[1]] * records[tally[0]] * (1 + ROUNDING)):
            found.append("a sensitive value has more than its share in a group")
        if not keep_models(models, tally, groups).all():
            found.append("sensitive values are not spread in a group as they must be")
    return found


def tallies(column: Sensitive, group_of: IntArray, groups: int) -> tuple[IntArray, IntArray, IntArray]:
    """How often each group has each sensitive value: group, value, count, for those that occur."""
    group = np.repeat(group_of, np.diff(column.indptr))
    inside = group >= 0
    key = group[inside] * column.size + column.value[inside]
    pairs, place = np.unique(key, return_inverse=True)
    count = np.bincount(place, column.count[inside], len(pairs)).astype(np.int64)
    return pairs // column.size, pairs % column.size, count
