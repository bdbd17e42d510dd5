"""Which records match a public value: those that share it, and with wildcards those whose missing cells may hold it.

A suppressed cell may have been anything, so two records match where every pair of their cells is equal or one of the two is
missing. Records are grouped by which of their cells are missing; two such groups are held against each other on the columns
that neither lacks, by a join. So the cost is values × kinds of missingness, not values squared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.tables._labels import row_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet._typing import BoolArray, FloatArray, IntArray
    from discreet.joint._joint import Joint

_CELLS = 20_000_000  # values of S × values of X looked at at once


@dataclass(frozen=True, eq=False)
class Matched:
    """How many records match each public value, and how many different sensitive values are among them."""

    joint: Joint
    records: IntArray
    distinct: IntArray
    has_wildcards: bool = False

    @classmethod
    def of(cls, joint: Joint, *, wildcard: bool = False) -> Matched:
        """Exact matches, or those that `wildcard` allows."""
        own = np.asarray(joint.records, dtype=np.int64)
        if not wildcard or not _absent(joint).any():
            return cls(joint, own, np.asarray(joint.distinct, dtype=np.int64), wildcard)
        return cls(joint, _totals(joint, own).astype(np.int64), _distinct(joint), wildcard)

    def total(self, own: FloatArray) -> FloatArray:
        """What all records that match each public value have together, given what those with that value have."""
        return _totals(self.joint, own) if self.has_wildcards else own

    def values(self) -> dict[str, float]:
        """The measures that are read off matches alone."""
        n_s, least, most = self.joint.n_s, int(self.distinct.min()), int(self.distinct.max())
        return {
            "n": float(self.records.min()),
            "k": float(least),
            "B0": math.log2(least),
            "L0": math.log2(n_s / least),
            "L*": math.log2(n_s - least + 1),
            "H0|X": math.log2(most),
            "I0": math.log2(n_s / most),
        }


def absent_cells(codes: IntArray, columns: Sequence[Any]) -> BoolArray:
    """Which cells of codes, a row per value, are missing: None is the last label of its column."""
    lacking = [len(column) - 1 if len(column) and column[len(column) - 1] is None else -1 for column in columns]
    return np.asarray(codes == np.array(lacking))


def _absent(joint: Joint) -> BoolArray:
    return absent_cells(joint.x_codes, joint.x_columns)


def _kinds(absent: BoolArray) -> list[tuple[IntArray, BoolArray]]:
    """Rows by which of their cells are missing, and which those are."""
    kind = row_numbers([column.astype(np.int64) for column in absent.T])
    by_kind = np.argsort(kind, kind="stable")
    members = np.split(by_kind, np.cumsum(np.bincount(kind))[:-1])
    return [(some, absent[some[0]]) for some in members]


def _keys(codes: IntArray, others: IntArray, shared: IntArray) -> tuple[IntArray, IntArray, int]:
    """Numbers that are equal where rows of two tables agree on these columns."""
    if not len(shared):
        return np.zeros(len(codes), dtype=np.int64), np.zeros(len(others), dtype=np.int64), 1
    key = row_numbers([np.concatenate([codes[:, i], others[:, i]]) for i in shared])
    return key[: len(codes)], key[len(codes) :], int(key.max()) + 1


def totals(
    codes: IntArray, absent: BoolArray, others: IntArray, other_absent: BoolArray, own: npt.NDArray[Any]
) -> FloatArray:
    """For every row of codes, the sum of what those other rows have that match it."""
    found, kinds = np.zeros(len(codes)), _kinds(absent)
    for theirs, other in kinds if other_absent is absent else _kinds(other_absent):
        for mine, mask in kinds:
            here, there, size = _keys(codes[mine], others[theirs], np.flatnonzero(~(mask | other)))
            found[mine] += np.bincount(there, own[theirs], size)[here]
    return found


def _totals(joint: Joint, own: npt.NDArray[Any]) -> FloatArray:
    """Sums over all values that match each value."""
    codes, absent = joint.x_codes, _absent(joint)
    return totals(codes, absent, codes, absent, own)


def _distinct(joint: Joint) -> IntArray:
    """How many different s all values that match each value have."""
    from scipy import sparse

    kinds = _kinds(_absent(joint))
    codes, support = joint.x_codes, joint.support.astype(np.int32)
    found = np.zeros(joint.n_x, dtype=np.int64)
    step = max(1, _CELLS // joint.n_s)
    for mine, mask in kinds:
        joins = []
        for theirs, other in kinds:
            here, there, size = _keys(codes[mine], codes[theirs], np.flatnonzero(~(mask | other)))
            ones = np.ones(len(theirs), dtype=np.int32)
            into = sparse.csc_array((ones, (np.arange(len(theirs)), there)), shape=(len(theirs), size))
            joins.append((here, sparse.csc_array(support[:, theirs] @ into)))
        for at in range(0, len(mine), step):
            some = slice(at, at + step)
            seen = joins[0][1][:, joins[0][0][some]]
            for here, grouped in joins[1:]:
                seen = seen + grouped[:, here[some]]
            found[mine[some]] = np.diff(sparse.csc_array(seen).indptr)
    return found
