# mypy: ignore-errors
"""Compiled loops of the auditor of categories. All numbers are whole: people of a class in a category, and sums of them.

Which groups a class is in is stored class by class (`indptr`, `groups`), and the classes of a group group by group (`first`,
`classes`). `low` and `high` bound the count of each group and category. Classes keep their sizes, because a move takes people
of one class from a category to another.
"""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel

LONG = 64
"""Classes of a group that are looked at for one move."""

PATIENCE = 60
"""Moves without progress after which a walk is given up."""

TENURE = 3
"""Moves for which a class that was changed is left alone."""

PARTNERS = 60
"""Classes that are tried for an exchange with one."""


@helper
def group_sums(indptr, groups, point, n_groups):
    """People of each group in each category."""
    out = np.zeros((n_groups, point.shape[1]), np.int64)
    for c in range(len(indptr) - 1):
        for e in range(indptr[c], indptr[c + 1]):
            for k in range(point.shape[1]):
                out[groups[e], k] += point[c, k]
    return out


@helper
def _off(value, low, high):
    return low - value if value < low else value - high if value > high else np.int64(0)


@helper
def _change(indptr, groups, sums, low, high, c, source, target, many):
    """By how much bounds are broken more when so many people of a class move to another category."""
    out = np.int64(0)
    for e in range(indptr[c], indptr[c + 1]):
        g = groups[e]
        a, b = sums[g, source], sums[g, target]
        out += _off(a - many, low[g, source], high[g, source]) - _off(a, low[g, source], high[g, source])
        out += _off(b + many, low[g, target], high[g, target]) - _off(b, low[g, target], high[g, target])
    return out


@helper
def _move(indptr, groups, point, sums, c, source, target, many):
    point[c, source] -= many
    point[c, target] += many
    for e in range(indptr[c], indptr[c + 1]):
        sums[groups[e], source] -= many
        sums[groups[e], target] += many


@helper
def _next(state):
    return (state * np.int64(1103515245) + np.int64(12345)) & np.int64(0x7FFFFFFF)


@kernel(nogil=True)
def walk(indptr, groups, first, classes, point, least, low, high, moves, seed):
    """Change a point, each entry at least `least`, until all bounds hold: whether they do, and the steps that it took.

    Each move is the best of some that mend one broken bound, and a class that was changed rests for a while.
    """
    n_groups, n_categories = low.shape
    sums = group_sums(indptr, groups, point, n_groups)
    resting = np.zeros(len(point), np.int64)
    broken = np.int64(0)
    for g in range(n_groups):
        for k in range(n_categories):
            broken += _off(sums[g, k], low[g, k], high[g, k])
    best, since, seen, state = broken, 0, n_groups * n_categories, np.int64(seed)
    rows = n_groups * n_categories
    for move in range(moves):
        if broken == 0 or since > PATIENCE:
            break
        state = _next(state)
        row = (state >> 8) % rows
        while (
            _off(
                sums[row // n_categories, row % n_categories],
                low[row // n_categories, row % n_categories],
                high[row // n_categories, row % n_categories],
            )
            == 0
        ):
            row = (row + 1) % rows
            seen += 1
        g, k = row // n_categories, row % n_categories
        rises = sums[g, k] < low[g, k]
        need = _off(sums[g, k], low[g, k], high[g, k])
        length = first[g + 1] - first[g]
        state = _next(state)
        at = (state >> 8) % length
        chosen, source_of, target_of, amount = -1, 0, 0, np.int64(0)
        lowest = np.int64(2**62)
        for i in range(min(length, LONG)):
            c = classes[first[g] + (at + i) % length]
            if resting[c] > move:
                continue
            for q in range(n_categories):
                if q == k:
                    continue
                source, target = (q, k) if rises else (k, q)
                room = point[c, source] - least[c, source]
                if room <= 0:
                    continue
                many = min(room, need)
                change = _change(indptr, groups, sums, low, high, c, source, target, many)
                seen += 4 * (indptr[c + 1] - indptr[c])
                if many > 1 and change > -many:
                    single = _change(indptr, groups, sums, low, high, c, source, target, np.int64(1))
                    if single < change:
                        change, many = single, np.int64(1)
                if change < lowest:
                    lowest, chosen, source_of, target_of, amount = change, c, source, target, many
        if chosen < 0:
            since += 1
            continue
        _move(indptr, groups, point, sums, chosen, source_of, target_of, amount)
        resting[chosen] = move + TENURE
        broken += lowest
        since = 0 if broken < best else since + 1
        best = min(best, broken)
    return broken == 0, seen


@kernel(nogil=True)
def proven(indptr, groups, point, low, high):
    """Which categories somebody of each class has in a witness, or could have if nobody else changed.

    People of a class are in the same groups: they may change places, so that what one can be, each can be.
    """
    n_groups, n_categories = low.shape
    sums = group_sums(indptr, groups, point, n_groups)
    can = np.zeros(point.shape, np.bool_)
    leave, enter = np.empty(n_categories, np.bool_), np.empty(n_categories, np.bool_)
    for c in range(len(point)):
        for k in range(n_categories):
            leave[k], enter[k] = point[c, k] > 0, True
            for e in range(indptr[c], indptr[c + 1]):
                g = groups[e]
                leave[k] &= sums[g, k] > low[g, k]
                enter[k] &= sums[g, k] < high[g, k]
        for k in range(n_categories):
            can[c, k] = point[c, k] > 0
            for q in range(n_categories):
                can[c, k] |= q != k and enter[k] and leave[q]
    return can


@kernel(nogil=True)
def exchange(indptr, groups, point, low, high, seen, keep, seed):
    """Change a witness so that classes with fewer than `keep` proven categories get others; bounds go on holding.

    Somebody moves alone, or changes places with somebody of another class. Returns how many classes were changed, and steps.
    """
    n, n_categories = point.shape
    sums = group_sums(indptr, groups, point, len(low))
    short = np.zeros(n, np.bool_)
    for c in range(n):
        short[c] = seen[c].sum() < keep
    changed = np.zeros(n, np.bool_)
    state, work, done = np.int64(seed), n, 0
    for c in range(n):
        if not short[c] or changed[c]:
            continue
        for target in range(n_categories):
            if seen[c, target] or changed[c]:
                continue
            for source in range(n_categories):
                if changed[c] or source == target or point[c, source] == 0:
                    continue
                change = _change(indptr, groups, sums, low, high, c, source, target, np.int64(1))
                _move(indptr, groups, point, sums, c, source, target, np.int64(1))
                state = _next(state)
                at = (state >> 8) % n
                partner = -1
                for i in range(min(n, PARTNERS) if change else 0):
                    d = (at + i) % n
                    work += 4 * (indptr[d + 1] - indptr[d])
                    if d == c or changed[d] or point[d, target] == 0:
                        continue
                    if change + _change(indptr, groups, sums, low, high, d, target, source, np.int64(1)) == 0:
                        partner = d
                        break
                if change == 0 or partner >= 0:
                    changed[c] = True
                    done += 1
                    if partner >= 0:
                        _move(indptr, groups, point, sums, partner, target, source, np.int64(1))
                        changed[partner] = True
                else:
                    _move(indptr, groups, point, sums, c, target, source, np.int64(1))
    return done, work
