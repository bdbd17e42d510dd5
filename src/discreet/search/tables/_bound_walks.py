"""One table laid out for the compiled walk, and the walk's answers: how far prices are from being a certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.search.tables._bound_cells import (
    BoundColumn,
    Family,
    IntArray,
    line_ends,
    line_family,
    set_family,
    stretches,
    tree_family,
)


@dataclass(frozen=True)
class Layout:
    """Types with their counts, and every column as flat arrays of cells; `at` is the line that is swept."""

    codes: npt.NDArray[np.int32]
    at: npt.NDArray[np.int32]
    counts: IntArray
    values: npt.NDArray[np.int32]
    class_of: IntArray
    labels: npt.NDArray[np.int32]
    label_at: IntArray
    costs: IntArray
    cost_at: IntArray
    kinds: IntArray
    marks: IntArray
    wanted: IntArray
    opens: IntArray
    closes: IntArray


@dataclass(frozen=True)
class Groups:
    """Groups met by a walk, as CSR of (type, multiplicity), with the cost of their box in multiples of 2^-40."""

    indptr: IntArray
    types: npt.NDArray[np.int32]
    times: npt.NDArray[np.int32]
    costs: IntArray


@dataclass(frozen=True)
class Answer:
    """delta[t] <= cost(B) - mean price(S) for every group S with t; the groups that came closest, one a type at most.

    Only where `done`: a walk that was cut short proves nothing.
    """

    done: bool
    delta: IntArray
    groups: Groups
    work: int


def lay_out(
    codes: npt.NDArray[np.int32],
    counts: IntArray,
    *,
    columns: Sequence[BoundColumn],
    values: npt.NDArray[np.int32],
    swept: int = 256,
    windows: int = 12,
    sets: int = 64,
) -> Layout:
    """The finest line is swept in at most `swept` stretches; other lines are cut into `windows`, sets listed to `sets`."""
    lines = [j for j, c in enumerate(columns) if c.kind == "line"]
    sweep = max(lines, key=lambda j: columns[j].size, default=-1)
    families: list[tuple[int, int, Family]] = []
    for j, column in enumerate(columns):
        if j == sweep:
            continue
        if column.kind == "tree":
            families.append((j, 0, tree_family(column)))
        elif column.kind == "set":
            families.append((j, 1, set_family(column, sets)))
        else:
            families.append((j, 1, line_family(column, windows)))
    # few classes first: they split the table before the many-levelled columns multiply the work
    families.sort(key=lambda f: (len(f[2].labels), -f[2].costs.shape[1]))
    class_of, label_at, cost_at = [0], [0], [0]
    labels, costs, marks, wanted = [], [], [], []
    for _, kind, family in families:
        for row in range(len(family.labels)):
            labels.append(family.labels[row])
            cells = int(family.labels[row].max()) + 1
            costs.append(family.costs[row, :cells])
            marks.append(family.marks[row] if kind else np.zeros(len(family.labels[row]), np.int64))
            wanted.append(family.wanted[row, :cells] if kind else np.zeros(cells, np.int64))
            label_at.append(label_at[-1] + len(labels[-1]))
            cost_at.append(cost_at[-1] + cells)
        class_of.append(class_of[-1] + len(family.labels))
    if sweep >= 0:
        stretch = stretches(columns[sweep], swept)
        opens, closes = line_ends(columns[sweep], stretch)
        at = stretch[codes[:, sweep]].astype(np.int32)
    else:
        opens, closes = np.zeros(1, np.int64), np.zeros(1, np.int64)
        at = np.zeros(len(codes), np.int32)
    order = [j for j, _, _ in families]

    def flat(parts: list[npt.NDArray[np.int64]]) -> IntArray:
        return np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, np.int64)

    return Layout(
        codes=np.ascontiguousarray(codes[:, order].T.astype(np.int32)),
        at=at,
        counts=counts.astype(np.int64),
        values=values.astype(np.int32),
        class_of=np.array(class_of),
        labels=np.concatenate(labels).astype(np.int32) if labels else np.zeros(0, np.int32),
        label_at=np.array(label_at),
        costs=flat(costs),
        cost_at=np.array(cost_at),
        kinds=np.array([kind for _, kind, _ in families], np.int64),
        marks=flat(marks),
        wanted=flat(wanted),
        opens=opens,
        closes=closes,
    )


def lay_out_growth(columns: Sequence[BoundColumn], *, windows: int, sets: int) -> int:
    """About how much more work twice the windows and eight times the sets would be; 1 where nothing is relaxed."""
    lines = sorted(c.size for c in columns if c.kind == "line")[:-1]
    relaxed_lines = sum(size > windows for size in lines)
    relaxed_sets = sum(c.kind == "set" and (1 << c.size) - c.size - 2 > sets for c in columns)
    return int(4**relaxed_lines * 8**relaxed_sets)


def ask(
    layout: Layout, y: IntArray, *, n: int, k: int, delta: IntArray, room: int = 0, work: float = float("inf")
) -> Answer:
    """Walks all boxes at prices y (multiples of 2^-40).

    `delta` is, a type, how far above zero a slack is still of interest; the answer's delta is at most that. y + delta is
    feasible: a group S of mean price above cost(B) - max(delta) was walked, and the deltas of its types are at most
    cost(B) - mean(S) each; any other has mean(y) + max(delta) <= cost(B).
    """
    from discreet.search.tables._bounds_kernels import walk

    order = np.argsort(-y, kind="stable")
    m = len(y)
    # without k a group of n is enough (the mean of the dearest records falls with their number), so more twins are idle
    counts = layout.counts if k > 1 else np.minimum(layout.counts, n)
    lowered = delta[order].copy()
    where, length, paid = np.full(m, -1, np.int64), np.zeros(m, np.int64), np.zeros(m, np.int64)
    group = np.empty(room, np.int32)
    done, _, spent = walk(
        np.ascontiguousarray(layout.codes[:, order]), layout.at[order], counts[order], y[order], layout.values[order],
        n, k, int(delta.max(initial=0)), layout.class_of, layout.labels, layout.label_at, layout.costs, layout.cost_at,
        layout.kinds, layout.marks, layout.wanted, layout.opens, layout.closes, lowered, where, length, paid, group,
        float(work),
    )  # fmt: skip
    result = np.empty(m, np.int64)
    result[order] = lowered
    kept, first = np.unique(where[where >= 0], return_index=True)
    sizes = length[where >= 0][first]
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    inside = np.repeat(kept - 2 * indptr[:-1], sizes) + 2 * np.arange(indptr[-1])
    groups = Groups(indptr, order[group[inside]].astype(np.int32), group[inside + 1], paid[where >= 0][first])
    return Answer(bool(done), result, groups, int(spent))
