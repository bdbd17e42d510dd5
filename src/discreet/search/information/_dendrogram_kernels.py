# mypy: ignore-errors
"""Compiled: agglomeration by nearest neighbours, for costs that need not be monotone.

A pair of blocks belongs to the lower name. Every block keeps a short list of its best partners and a key `rest` that
none of its unlisted pairs falls below. A merge changes only the pairs of the merged block, which is offered to every
other block anew: what was listed with it has gone stale, what was unlisted stays above `rest`. So the first fresh entry
of a list is that block's best pair, and a block is scanned again only when its list is used up and its `rest` is the least
key of all. Keys are (cost, lower name, higher name): ties go to the earliest blocks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet._compile import helper, kernel
from discreet.search._kernels.rows import Rows, gather, h, join, new_rows, scatter, shared

SHANNON, GUESS = 0, 1
KEPT = 16  # entries of a list


class Rule(NamedTuple):
    """Which pairs may merge, and at what cost.

    G and F are the changes of Σ_B Σ_s h(t_s) (of Σ_B max_s t_s w_s for GUESS) and of Σ_B h(Σ_s t_s) by a merge. Its
    cost is `of_inside` G − `of_outside` F, and it uses up `use_inside` G + `use_outside` F of the budget.
    """

    kind: int
    of_inside: float
    of_outside: float
    slope: float  # a merge costs at least slope · F, for GUESS less of_inside · max_s a_s w_s; SHANNON ≤ 0 ≤ GUESS
    use_inside: int
    use_outside: int
    per_s: Any  # float64[n_s]: w_s of GUESS


class State(NamedTuple):
    """Everything that merging goes on from."""

    rows: Rows
    top: Any  # float64[n]: max_s t_s w_s of GUESS
    partner: Any  # int64[n, KEPT], by increasing key from `head` to `size`
    stamp: Any  # int64[n, KEPT]: the partner's age when it was listed
    key: Any  # float64[n, KEPT]
    head: Any  # int64[n]
    size: Any  # int64[n]
    rest: Any  # float64[n]: the cost of the key that unlisted pairs do not fall below …
    rest_partner: Any  # int64[n]: … and its partner
    age: Any  # int64[n]: merges that the block has been through; -1 when it is gone
    bound: Any  # float64[n]: no pair of the block costs less; infinite when it is gone
    order: Any  # int64[n]: blocks by falling weight, then name
    names: Any  # int64[n]: blocks by name
    alive: Any  # int64[1]: how many of them
    dense: Any  # int64[n_s]: scratch
    dense_h: Any
    budget: Any  # int64[1]
    least: Any  # int64[1]: while positive, merges must have a block lighter than this
    made: Any  # int64[2]: merges made, scans made again
    merges: Any  # int64[n, 2]
    inside: Any  # int64[n]: G of each merge
    outside: Any  # int64[n]: F of each merge
    tops: Any  # float64[n]: the change of Σ_B max_s t_s w_s by each merge


@helper
def _top(rule, rows, i):
    top = 0.0
    for e in range(rows.start[i], rows.end[i]):
        top = max(top, rows.count[e] * rule.per_s[rows.s[e]])
    return top


@helper
def _below(cost, j, rest, rest_partner):
    return cost < rest or (cost == rest and j < rest_partner)


@helper
def _offer(partner, stamp, key, size, rest, rest_partner, i, j, age, cost):
    """List partner j for block i if its key is below `rest`; the entry that a full list loses is the new `rest`."""
    if not _below(cost, j, rest[i], rest_partner[i]):
        return
    at = size[i]
    if at == KEPT:
        at -= 1
        if not _below(cost, j, key[i, at], partner[i, at]):
            rest[i], rest_partner[i] = cost, j
            return
        rest[i], rest_partner[i] = key[i, at], partner[i, at]
    else:
        size[i] += 1
    while at > 0 and _below(cost, j, key[i, at - 1], partner[i, at - 1]):
        key[i, at], partner[i, at], stamp[i, at] = key[i, at - 1], partner[i, at - 1], stamp[i, at - 1]
        at -= 1
    key[i, at], partner[i, at], stamp[i, at] = cost, j, age


@helper
def _drop_stale(partner, stamp, key, head, size, age, i):
    """Rewrite the list without its stale entries."""
    kept = 0
    for e in range(head[i], size[i]):
        j = partner[i, e]
        if age[j] == stamp[i, e]:
            partner[i, kept], stamp[i, kept], key[i, kept] = j, stamp[i, e], key[i, e]
            kept += 1
    head[i], size[i] = 0, kept


@helper
def _compare(rule, state, i, anew):
    """List block i's best partners of higher name; if it has changed (`anew`), offer it to every lower name too.

    F grows with the partner's weight, so partners come in the order of weight that promises most, and the list is done
    when no pair can fall below its `rest` any more.
    """
    # Arrays are unpacked once: reading them out of the tuples in the loop would cost more than the loop itself.
    rows = state.rows
    start, end, s, count, table, scale = rows.start, rows.end, rows.s, rows.count, rows.table, rows.scale
    weight, inside, outside, top = rows.weight, rows.inside, rows.outside, state.top
    partner, stamp, key, head, size = state.partner, state.stamp, state.key, state.head, state.size
    rest, rest_partner, age, order = state.rest, state.rest_partner, state.age, state.order
    bound, names = state.bound, state.names
    dense, dense_h, per_s = state.dense, state.dense_h, rule.per_s
    kind, slope, of_inside, of_outside = rule.kind, rule.slope, rule.of_inside, rule.of_outside
    use_inside, use_outside = rule.use_inside, rule.use_outside
    alive, budget, least = state.alive[0], state.budget[0], state.least[0]
    scatter(rows, i, dense, dense_h)
    head[i], size[i], rest[i], rest_partner[i] = 0, 0, np.inf, np.iinfo(np.int64).max
    own, own_outside, own_top = weight[i], outside[i], top[i]
    for at in range(alive):
        if anew:
            j = names[at]  # none can be left out, and rows lie in memory by name
        else:
            j = order[at] if kind == SHANNON else order[alive - 1 - at]
        higher = j > i
        if j == i or (not higher and not anew):
            continue
        if least > 0 and own >= least and weight[j] >= least:
            continue
        f = h(table, scale, own + weight[j]) - own_outside - outside[j]
        slack = 16.0 + f * 2.0**-40  # F's rounding
        if kind == SHANNON:
            floor = slope * (f + slack)
        else:
            floor = slope * (f - slack) - of_inside * own_top
        owner = i if higher else j
        if floor > rest[owner]:
            if not anew:
                break
            continue
        if kind == SHANNON:
            g = shared(s, count, start[j], end[j], dense, dense_h, table, scale, own + weight[j] < len(table))
            g -= inside[j]
            cost = of_inside * np.float64(g) - of_outside * np.float64(f)
            if use_inside * g + use_outside * f > budget:
                continue
        else:
            most = own_top
            for e in range(start[j], end[j]):
                most = max(most, (dense[s[e]] + count[e]) * per_s[s[e]])
            cost = of_inside * (most - (own_top + top[j])) - of_outside * np.float64(f)
        if cost > rest[owner]:
            continue
        if higher:
            _offer(partner, stamp, key, size, rest, rest_partner, i, j, age[j], cost)
        else:
            _drop_stale(partner, stamp, key, head, size, age, j)
            _offer(partner, stamp, key, size, rest, rest_partner, j, i, age[i], cost)
            bound[j] = min(bound[j], cost)
    bound[i] = key[i, 0] if size[i] > 0 else rest[i]
    gather(rows, i, dense, dense_h)


@helper
def _place(state, a, b):
    """Take block b out of the order and put block a where its weight now belongs."""
    order, weight, alive = state.order, state.rows.weight, state.alive[0]
    kept = 0
    for at in range(alive):
        j = order[at]
        if j != a and j != b:
            order[kept] = j
            kept += 1
    at = kept
    while at > 0 and (weight[order[at - 1]] < weight[a] or (weight[order[at - 1]] == weight[a] and order[at - 1] > a)):
        order[at] = order[at - 1]
        at -= 1
    order[at] = a
    names = state.names
    for at in range(np.searchsorted(names[:alive], b), alive - 1):
        names[at] = names[at + 1]
    state.alive[0] = kept + 1


@helper
def _merge(rule, state, a, b):
    """Block b goes into block a, and the merge is noted."""
    t = state.made[0]
    state.merges[t, 0], state.merges[t, 1] = a, b
    state.inside[t], state.outside[t] = join(state.rows, a, b)
    if rule.kind == GUESS:
        before = state.top[a] + state.top[b]
        state.top[a] = _top(rule, state.rows, a)
        state.tops[t] = state.top[a] - before
    state.age[a] += 1
    state.age[b] = -1
    state.bound[b] = np.inf
    state.made[0] = t + 1
    state.budget[0] -= rule.use_inside * state.inside[t] + rule.use_outside * state.outside[t]
    _place(state, a, b)


@helper
def _best(rule, state):
    """The lower name of the pair to merge next, at its list's head; -1 if there is none."""
    partner, stamp, key, head, size = state.partner, state.stamp, state.key, state.head, state.size
    rest, age, bound = state.rest, state.age, state.bound
    while True:
        best, least, used_up = np.int64(-1), np.inf, False
        for i in range(len(bound)):
            if bound[i] >= least:
                continue
            e, last = head[i], size[i]
            while e < last and age[partner[i, e]] != stamp[i, e]:
                e += 1
            head[i] = e
            bound[i] = rest[i] if e == last else key[i, e]  # what went stale only made it too low
            if bound[i] < least:
                best, least, used_up = np.int64(i), bound[i], e == last
        if best < 0:
            return best
        if used_up:
            state.made[1] += 1
            _compare(rule, state, best, np.bool_(False))
        elif _use(rule, state, best, partner[best, head[best]]) > state.budget[0]:
            head[best] += 1  # it fitted when it was listed; budgets only shrink, so it never will again
        else:
            return best


@helper
def _use(rule, state, i, j):
    """What the merge of blocks i and j uses of the budget."""
    if rule.use_inside == 0 and rule.use_outside == 0:
        return 0
    rows = state.rows
    scatter(rows, i, state.dense, state.dense_h)
    g = shared(
        rows.s,
        rows.count,
        rows.start[j],
        rows.end[j],
        state.dense,
        state.dense_h,
        rows.table,
        rows.scale,
        np.bool_(False),
    )
    gather(rows, i, state.dense, state.dense_h)
    f = h(rows.table, rows.scale, rows.weight[i] + rows.weight[j]) - rows.outside[i] - rows.outside[j]
    return rule.use_inside * (g - rows.inside[j]) + rule.use_outside * f


def new_state(rule: Rule, integers: Any, budget: int) -> State:
    """Every letter a block, nothing listed."""
    rows = new_rows(integers)
    n, n_s = integers.n, integers.n_s
    if rule.kind == GUESS:
        top = np.maximum.reduceat(integers.count * rule.per_s[integers.indices], integers.indptr[:-1])
    else:
        top = np.zeros(n)
    return State(
        rows,
        top,
        partner=np.zeros((n, KEPT), dtype=np.int64),
        stamp=np.zeros((n, KEPT), dtype=np.int64),
        key=np.zeros((n, KEPT)),
        head=np.zeros(n, dtype=np.int64),
        size=np.zeros(n, dtype=np.int64),
        rest=np.zeros(n),
        rest_partner=np.zeros(n, dtype=np.int64),
        age=np.zeros(n, dtype=np.int64),
        bound=np.zeros(n),
        order=np.argsort(-rows.weight, kind="stable"),
        names=np.arange(n),
        alive=np.full(1, n, dtype=np.int64),
        dense=np.zeros(n_s, dtype=np.int64),
        dense_h=np.zeros(n_s, dtype=np.int64),
        budget=np.full(1, budget, dtype=np.int64),
        least=np.zeros(1, dtype=np.int64),
        made=np.zeros(2, dtype=np.int64),
        merges=np.empty((n, 2), dtype=np.int64),
        inside=np.empty(n, dtype=np.int64),
        outside=np.empty(n, dtype=np.int64),
        tops=np.zeros(n),
    )


@kernel
def merge_given(rule, state, merges):
    """Make these merges before any list is drawn up."""
    for t in range(len(merges)):
        _merge(rule, state, merges[t, 0], merges[t, 1])


@kernel
def list_partners(rule, state, least, first, last):
    """Draw up the lists of blocks first ≤ name < last for merges that must have a block lighter than `least` (0: any)."""
    state.least[0] = least
    for i in range(first, last):
        if state.age[i] >= 0:
            _compare(rule, state, i, np.bool_(False))


@kernel
def merge_on(rule, state, steps):
    """Up to that many merges of the cheapest pair; whether there may be more."""
    for _ in range(steps):
        a = _best(rule, state)
        if a < 0:
            return False
        b = state.partner[a, state.head[a]]
        _merge(rule, state, a, b)
        _compare(rule, state, a, np.bool_(True))
    return True
