"""What every group must have: records, distinct sensitive values, and no value with too large a share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.errors import InputError
from discreet.search.tables._columns import FloatArray, IntArray
from discreet.search.tables._letters import Letters, Sensitive

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
    """

    n: int = 1
    k: tuple[int, ...] = ()
    caps: tuple[FloatArray | None, ...] = ()

    def __post_init__(self) -> None:
        if self.n < 1 or any(k < 0 for k in self.k):
            raise InputError("a requirement is about at least one record or value")

    def padded(self, letters: Letters) -> Requirement:
        """The same with one entry a sensitive column, checked against the table."""
        columns = len(letters.sensitive)
        if len(self.k) > columns or len(self.caps) > columns:
            raise InputError("a requirement is about a sensitive column that the table does not have")
        k = self.k + (1,) * (columns - len(self.k))
        caps = self.caps + (None,) * (columns - len(self.caps))
        for cap, column in zip(caps, letters.sensitive, strict=True):
            if cap is not None and len(cap) != column.size:
                raise InputError("caps need one entry a sensitive value")
        return Requirement(self.n, k, caps)

    @property
    def mode(self) -> int:
        """0: records only; 1: distinct values too; 2: shares too. Each needs more work than the one before."""
        if any(cap is not None for cap in self.caps):
            return 2
        return 1 if any(k > 1 for k in self.k) else 0


class Need(NamedTuple):
    """A requirement and the letters' sensitive values, as the kernels read them; values of all columns numbered through."""

    least: IntArray  # n, mode, then the k of each sensitive column
    indptr: IntArray  # of each letter, where its entries begin
    entry: IntArray  # [., 2]: value, count
    owner: IntArray  # of each value, its sensitive column
    cap: FloatArray  # of each value


def compiled_need(letters: Letters, requirement: Requirement) -> Need:
    """The flat form of a requirement. Columns without a demand are left out: nothing is tallied for them."""
    wanted = requirement.padded(letters)
    mode = wanted.mode
    used = [
        (column, k, cap)
        for column, k, cap in zip(letters.sensitive, wanted.k, wanted.caps, strict=True)
        if mode and (k > 1 or cap is not None)
    ]
    sizes = [column.size for column, _, _ in used]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    indptr, entry = _joined([column for column, _, _ in used], offsets, letters.size)
    shares = [np.ones(column.size) if cap is None else np.asarray(cap, dtype=np.float64) for column, _, cap in used]
    return Need(
        np.array([wanted.n, mode, *(k for _, k, _ in used)], dtype=np.int64),
        indptr,
        entry,
        np.repeat(np.arange(len(used)), sizes).astype(np.int64),
        np.concatenate([*shares, np.empty(0)]),
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
    for column, k, cap in zip(letters.sensitive, wanted.k, wanted.caps, strict=True):
        tally = tallies(column, group_of, groups)
        distinct = np.bincount(tally[0], minlength=groups)
        if groups and k > 1 and distinct[filled].min() < k:
            found.append(f"a group has {int(distinct[filled].min())} distinct sensitive values, not {k}")
        if cap is not None and np.any(tally[2] > cap[tally[1]] * records[tally[0]] * (1 + ROUNDING)):
            found.append("a sensitive value has more than its share in a group")
    return found


def tallies(column: Sensitive, group_of: IntArray, groups: int) -> tuple[IntArray, IntArray, IntArray]:
    """How often each group has each sensitive value: group, value, count, for those that occur."""
    group = np.repeat(group_of, np.diff(column.indptr))
    inside = group >= 0
    key = group[inside] * column.size + column.value[inside]
    pairs, place = np.unique(key, return_inverse=True)
    count = np.bincount(place, column.count[inside], len(pairs)).astype(np.int64)
    return pairs // column.size, pairs % column.size, count
