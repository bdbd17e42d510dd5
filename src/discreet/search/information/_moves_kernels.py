# mypy: ignore-errors
"""Compiled: single letters moving between blocks, with dense tables of counts by s and block."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet._compile import helper, kernel
from discreet.search._kernels.rows import h

JOINS, LEAVES = np.int64(1), np.int64(-1)  # a plain 1 has a type of its own


class Tables(NamedTuple):
    """Letters in compressed rows, and the blocks that they are in. A block is a slot; empty slots are new blocks to be."""

    indptr: Any
    s: Any
    count: Any
    letter: Any  # int64[n]: N_x
    block: Any  # int64[n]: the slot of each letter
    cells: Any  # int64[n_s, slots]: t_B,s, by s so that one s of all blocks lies together
    weight: Any  # int64[slots]
    members: Any  # int64[slots]: letters in the block
    place: Any  # int64[slots]: where the slot stands in `slots`
    slots: Any  # int64[slots]: first the slots in use, then the empty ones
    used: Any  # int64[1]: how many are in use
    value: Any  # int64[2]: N·I(S;X̂) and N·H(X̂) in units of h
    table: Any
    scale: float


@kernel
def new_tables(indptr, s, count, n_s, block, slots, leakage, utility, table, scale):
    """The tables of a partition whose blocks are numbered from 0."""
    n = len(indptr) - 1
    letter = np.zeros(n, dtype=np.int64)
    cells = np.zeros((n_s, slots), dtype=np.int64)
    weight = np.zeros(slots, dtype=np.int64)
    members = np.zeros(slots, dtype=np.int64)
    for x in range(n):
        b = block[x]
        members[b] += 1
        for e in range(indptr[x], indptr[x + 1]):
            letter[x] += count[e]
            cells[s[e], b] += count[e]
        weight[b] += letter[x]
    used = 0
    while used < slots and members[used] > 0:
        used += 1
    value = np.array([leakage, utility])
    every = np.arange(slots)
    return Tables(
        indptr,
        s,
        count,
        letter,
        block.copy(),
        cells,
        weight,
        members,
        every.copy(),
        every,
        np.full(1, used, dtype=np.int64),
        value,
        table,
        scale,
    )


@helper
def _added(row_s, row_count, first, last, cells, b, sign, table, scale):
    """The change of Σ_s h(t_s) when a row joins block b (sign JOINS) or leaves it (sign LEAVES)."""
    found = np.int64(0)
    for e in range(first, last):
        before = cells[row_s[e], b]
        found += h(table, scale, before + sign * row_count[e]) - h(table, scale, before)
    return found


@helper
def _shift(tables, x, b, g, f):
    """Letter x goes to slot b; g and f are the changes of Σ_B Σ_s h(t_s) and Σ_B h(|t_B|)."""
    a, w = tables.block[x], tables.letter[x]
    for e in range(tables.indptr[x], tables.indptr[x + 1]):
        tables.cells[tables.s[e], a] -= tables.count[e]
        tables.cells[tables.s[e], b] += tables.count[e]
    tables.weight[a] -= w
    tables.weight[b] += w
    tables.members[a] -= 1
    tables.members[b] += 1
    tables.block[x] = b
    tables.value[0] += g - f
    tables.value[1] -= f
    if tables.members[b] == 1:
        _swap_places(tables, b, tables.used[0])
        tables.used[0] += 1
    if tables.members[a] == 0:
        tables.used[0] -= 1
        _swap_places(tables, a, tables.used[0])


@helper
def _swap_places(tables, b, at):
    other, from_ = tables.slots[at], tables.place[b]
    tables.slots[at], tables.slots[from_] = b, other
    tables.place[b], tables.place[other] = at, from_


@helper
def _may_leave(tables, x, least):
    """Whether block conditions let letter x go: it leaves enough behind, or nothing."""
    left = tables.weight[tables.block[x]] - tables.letter[x]
    return left == 0 or left >= least


@kernel
def sweep(tables, order, sign, rest, least, tolerance, log):
    """Each letter in turn goes where it lowers sign · (Σ_B Σ_s h(t_s) − rest Σ_B h(|t_B|)) most, or stays.

    Notes letter, slot, N·I(S;X̂) and N·H(X̂) of each move in a column of `log`; returns the number of moves.
    """
    indptr, s, count, letter = tables.indptr, tables.s, tables.count, tables.letter
    block, cells, weight, slots = tables.block, tables.cells, tables.weight, tables.slots
    table, scale, value = tables.table, tables.scale, tables.value
    added = np.zeros(len(slots), dtype=np.int64)
    made = 0
    for x in order:
        a, w, first, last = block[x], letter[x], indptr[x], indptr[x + 1]
        if not _may_leave(tables, x, least):
            continue
        used = tables.used[0]
        candidates = used
        if used < len(slots) and weight[a] > w and w >= least:
            candidates += 1  # a block of its own
        g_left = _added(s, count, first, last, cells, a, LEAVES, table, scale)
        f_left = h(table, scale, weight[a] - w) - h(table, scale, weight[a])
        for at in range(candidates):
            added[at] = 0
        for e in range(first, last):
            row, k = cells[s[e]], count[e]
            for at in range(candidates):
                before = row[slots[at]]
                added[at] += h(table, scale, before + k) - h(table, scale, before)
        best, best_cost, best_g, best_f = np.int64(-1), -tolerance, np.int64(0), np.int64(0)
        for at in range(candidates):
            b = slots[at]
            if b == a:
                continue
            g = g_left + added[at]
            f = f_left + h(table, scale, weight[b] + w) - h(table, scale, weight[b])
            cost = sign * (np.float64(g) - rest * np.float64(f))
            if cost < best_cost:
                best, best_cost, best_g, best_f = b, cost, g, f
        if best >= 0:
            _shift(tables, x, best, best_g, best_f)
            log[0, made], log[1, made], log[2, made], log[3, made] = x, best, value[0], value[1]
            made += 1
    return made


class Archive(NamedTuple):
    """The best partition seen in each of many narrow bands of one information."""

    axis: int  # 0: bands of N·I(S;X̂), 1: of N·H(X̂)
    low: float  # partitions outside low ≤ value ≤ high are not kept
    high: float
    of_leakage: float  # the score, of which the least is kept: of_leakage · N·I(S;X̂) + of_utility · N·H(X̂)
    of_utility: float
    score: Any  # float64[bands]
    leakage: Any  # int64[bands]
    utility: Any  # int64[bands]
    block: Any  # int32[bands, n]


class Course(NamedTuple):
    """What annealing minimises, turn by turn: sign · (Σ_B Σ_s h(t_s) − rest Σ_B h(|t_B|)) + pull · |value − target|.

    The value is the one of the archive's bands, so every target is a point of the frontier to be sought.
    """

    sign: float
    rest: float
    target: Any  # float64[turns]
    pull: float
    temperature: float
    proposals: int  # of each turn


@helper
def band_of(archive, leakage, utility):
    """The band of a partition with these figures, -1 for none."""
    value = np.float64(leakage if archive.axis == 0 else utility)
    if value < archive.low or value > archive.high:
        return -1
    bands = len(archive.score)
    return min(bands - 1, np.int64((value - archive.low) / max(1.0, archive.high - archive.low) * bands))


@kernel
def keep(archive, leakage, utility, block):
    """Keep a partition if it is the best of its band."""
    band = band_of(archive, leakage, utility)
    if band < 0:
        return
    score = archive.of_leakage * leakage + archive.of_utility * utility
    if score < archive.score[band]:
        archive.score[band], archive.leakage[band], archive.utility[band] = score, leakage, utility
        archive.block[band] = block


@kernel
def anneal(tables, archive, course, least, rng):
    """Metropolis moves of a letter to another or a new block, and swaps of two letters; what is met is archived."""
    indptr, s, count, letter = tables.indptr, tables.s, tables.count, tables.letter
    block, cells, weight, slots = tables.block, tables.cells, tables.weight, tables.slots
    table, scale, value, members = tables.table, tables.scale, tables.value, tables.members
    sign, rest, pull, temperature, axis = course.sign, course.rest, course.pull, course.temperature, archive.axis
    n, nothing = len(letter), np.int64(0)
    for target in course.target:
        for _ in range(course.proposals):
            x = np.int64(rng.random() * n)
            a, w, first, last = block[x], letter[x], indptr[x], indptr[x + 1]
            used = tables.used[0]
            y, b = -1, -1
            if rng.random() < 0.5:
                at = np.int64(rng.random() * min(used + 1, len(slots)))
                b = slots[at]
                left = weight[a] - w
                if b == a or (left > 0 and left < least) or (at == used and (left == 0 or w < least)):
                    continue
                f = h(table, scale, left) - h(table, scale, weight[a])
                f += h(table, scale, weight[b] + w) - h(table, scale, weight[b])
                g = _added(s, count, first, last, cells, a, LEAVES, table, scale)
                g += _added(s, count, first, last, cells, b, JOINS, table, scale)
            else:
                y = np.int64(rng.random() * n)
                b, v = block[y], letter[y]
                if a == b or (least > 0 and (weight[a] - w + v < least or weight[b] - v + w < least)):
                    continue
                # y joins a, then x leaves it for b: the second change is taken with y's counts in place.
                g = _added(s, count, indptr[y], indptr[y + 1], cells, b, LEAVES, table, scale)
                g += _added(s, count, indptr[y], indptr[y + 1], cells, a, JOINS, table, scale)
                for e in range(indptr[y], indptr[y + 1]):
                    cells[s[e], a] += count[e]
                    cells[s[e], b] -= count[e]
                g += _added(s, count, first, last, cells, a, LEAVES, table, scale)
                g += _added(s, count, first, last, cells, b, JOINS, table, scale)
                for e in range(indptr[y], indptr[y + 1]):
                    cells[s[e], a] -= count[e]
                    cells[s[e], b] += count[e]
                f = h(table, scale, weight[a] + v - w) - h(table, scale, weight[a])
                f += h(table, scale, weight[b] - v + w) - h(table, scale, weight[b])
            before = value[axis]
            after = before + g - f if axis == 0 else before - f
            away = abs(after - target) - abs(before - target)
            cost = sign * (np.float64(g) - rest * np.float64(f)) + pull * away
            if cost > 0.0 and cost > -temperature * np.log(1.0 - rng.random()):
                continue
            if y < 0:
                _shift(tables, x, b, g, f)
            elif members[b] == 1:  # a slot must not fall empty between the two moves
                _shift(tables, x, b, g, f)
                _shift(tables, y, a, nothing, nothing)
            else:
                _shift(tables, y, a, g, f)
                _shift(tables, x, b, nothing, nothing)
            keep(archive, value[0], value[1], block)
