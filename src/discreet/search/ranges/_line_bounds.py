"""Compiled lower bounds on distortion for one numeric column, codeword by codeword.

Every bound has the same form: a letter x must lie in some block, so no policy costs less than the best block that
contains x and sees k distinct s; the hardest x gives the bound. The half-diameter version is
`_line_kernels.narrowest_windows`. Positions are as there: letters sorted by value.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel


@kernel
def ball_reach(x, starts):
    """For each position c the least R such that the letters within R of x[c] see k distinct s.

    It is the least over window ends i of max(x[i-1] - x[c], x[c] - x[r(i)]): one term rises with i, the other falls,
    and their crossing moves right with c.
    """
    n = len(x)
    reach = np.empty(n)
    low = 1
    while starts[low] < 0:
        low += 1
    i = low
    for c in range(n):
        while i < n and x[i - 1] - x[c] < x[c] - x[starts[i]]:
            i += 1
        best = max(x[i - 1] - x[c], x[c] - x[starts[i]])
        if i > low:
            best = min(best, max(x[i - 2] - x[c], x[c] - x[starts[i - 1]]))
        reach[c] = best
    return reach


@helper
def _balls_cover(x, reach, radius):
    """Whether every letter lies within `radius` of a letter whose own reach is at most `radius`."""
    n = len(x)
    last = -np.inf
    p = 0
    for c in range(n):
        if reach[c] <= radius:
            while p < n and x[p] <= x[c]:
                if x[p] - last > radius and x[c] - x[p] > radius:
                    return False
                p += 1
            last = x[c]
    return p == n or x[n - 1] - last <= radius


@kernel
def medoid_bound(x, reach, low, high):
    """max over letters y of min over medoids c of max(|y - c|, reach(c)).

    A block round medoid c that contains y and sees k distinct s has radius at least |y - c| and at least reach(c);
    and the letters within that radius do see k: the bound is exact for a single block. Bisected down to neighbouring
    floating-point numbers; `high` must be attainable.
    """
    if _balls_cover(x, reach, low):
        return low
    while True:
        middle = low + 0.5 * (high - low)
        if middle <= low or middle >= high:
            return high
        if _balls_cover(x, reach, middle):
            high = middle
        else:
            low = middle


@helper
def _covering_cost(x, indptr, indices, first, last, m, missing, mark, stamp, price, work):
    """At least what it costs to see `missing` more s with letters in [first, last], a letter y costing m - y.

    Prices on the s, such that no letter's s are worth more than the letter, prove it: whoever covers a set of s pays
    at least their prices, hence at least the `missing` lowest. All prices rise together until some letter is worth
    its cost, and then the prices of its s stand. With one s per letter that is the nearest letter of each s.
    """
    total = 0.0
    done = 0
    if indptr[last + 1] - indptr[first] == last + 1 - first:
        for p in range(last, first - 1, -1):
            s = indices[indptr[p]]
            if stamp[s] != mark:
                stamp[s] = mark
                total += m - x[p]
                done += 1
                if done == missing:
                    work[0] += last - p
                    return total
        return np.inf
    price[:] = np.inf
    while done < missing:
        level = np.inf
        tight = -1
        for p in range(first, last + 1):
            standing, rising = 0.0, 0
            for e in range(indptr[p], indptr[p + 1]):
                s = indices[e]
                if stamp[s] != mark:
                    if price[s] < np.inf:
                        standing += price[s]
                    else:
                        rising += 1
            if rising > 0 and (m - x[p] - standing) / rising < level:
                level = (m - x[p] - standing) / rising
                tight = p
        work[0] += last - first + 1
        if tight < 0:
            return np.inf
        # Standing prices never fall short of the level they stopped at, so these are the lowest ones.
        for e in range(indptr[tight], indptr[tight + 1]):
            s = indices[e]
            if stamp[s] != mark and price[s] == np.inf:
                price[s] = level
                total += level
                done += 1
                if done == missing:
                    return total
    return total


@helper
def _largest_sum(x, indptr, indices, n_s, k, letter, first, end, m, stamp, price, work):
    """At least the largest sum of (y - m) over sets of positions in [first, end) with the letter and k distinct s.

    Every y >= m helps, the letter is forced, and the s still missing have their covering cost. -inf: no such set.
    """
    work[1] += 1
    mark = work[1]
    total = 0.0
    seen = 0
    p = end - 1
    while p >= first and x[p] >= m:
        total += x[p] - m
        for e in range(indptr[p], indptr[p + 1]):
            if stamp[indices[e]] != mark:
                stamp[indices[e]] = mark
                seen += 1
        p -= 1
    if letter <= p:
        total += x[letter] - m
        for e in range(indptr[letter], indptr[letter + 1]):
            if stamp[indices[e]] != mark:
                stamp[indices[e]] = mark
                seen += 1
    work[0] += end - p
    if seen >= k:
        return total
    return total - _covering_cost(x, indptr, indices, first, p, m, k - seen, mark, stamp, price, work)


@helper
def _mean_possible(forth, back, n_s, k, letter, first, end, m_low, m_high, slack, stamp, price, work):
    """Whether sets in [first, end) with the letter and k distinct s straddle some mean in [m_low, m_high]."""
    x, indptr, indices = forth
    x_back, indptr_back, indices_back = back
    n = len(x)
    room = slack * (end - first)
    if _largest_sum(x, indptr, indices, n_s, k, letter, first, end, m_low, stamp, price, work) < -room:
        return False
    least = -_largest_sum(
        x_back,
        indptr_back,
        indices_back,
        n_s,
        k,
        n - 1 - letter,
        n - end,
        n - first,
        -m_high,
        stamp,
        price,
        work,
    )
    return least <= room


@helper
def _block_possible(forth, back, n_s, k, letter, radius, slack, stamp, price, work, budget):
    """Whether a block with the letter and k distinct s could have centroid distortion at most `radius`.

    The means m to try fill [x - R, x + R]. Letters available to a mean lie within R of it, so they change only at
    m = y - R (y enters) and m = y + R (y leaves): these points are tried, and the open stretches between them.
    True too when the budget is spent, which claims nothing.
    """
    x = forth[0]
    n = len(x)
    top = x[letter] + radius
    m = x[letter] - radius
    first = 0
    end = np.searchsorted(x, m + radius, side="right")
    first = np.searchsorted(x, m - radius - slack, side="left")
    while True:
        # At m itself the letters at m - R and at m + R are both within reach.
        while end < n and x[end] <= m + radius + slack:
            end += 1
        if work[0] > budget:
            return True
        if _mean_possible(forth, back, n_s, k, letter, first, end, m, m, slack, stamp, price, work):
            return True
        if m >= top:
            return False
        while x[first] <= m - radius + slack:
            first += 1
        following = min(top, x[first] + radius)
        if end < n:
            following = min(following, x[end] - radius)
        if following <= m:
            following = np.nextafter(m, np.inf)
        if _mean_possible(forth, back, n_s, k, letter, first, end, m, following, slack, stamp, price, work):
            return True
        m = following


@kernel
def centroid_bound(forth, back, n_s, k, hardest, low, high, budget):
    """A lower bound on the centroid distortion of any policy with k distinct s in every block, at least `low`.

    Let a block A hold the letter y and have mean m and distortion at most R. Then A lies within R of m, holds y, sees
    k distinct s, and its sum of (x - m) is 0; so at this m the largest such sum is at least 0 and the least at most 0.
    Over a stretch of m with the same letters within R both sums fall as m grows, and the least never exceeds the
    largest, so the stretch has such an m exactly if the largest is >= 0 at its left end and the least <= 0 at its
    right end. If no stretch has one, every block with y costs more than R. Enlarging R keeps every set, so the test is
    monotone, and each letter is bisected, hardest first; those that cannot raise the bound are skipped at once.

    Parameters
    ----------
    forth, back
        (x, indptr, indices) by position, and the mirror image (-x from right to left).
    budget
        Caps the letters looked at; what is left undone only weakens the bound.
    """
    x = forth[0]
    n = len(x)
    slack = 1e-13 * max(abs(x[0]), abs(x[n - 1]))
    stamp = np.zeros(n_s, np.int64)
    price = np.empty(n_s)
    work = np.zeros(2, np.int64)
    for y in hardest:
        ceiling = high
        radius = low * (1 + 1e-9) + slack
        while radius < ceiling:
            if _block_possible(forth, back, n_s, k, y, radius, slack, stamp, price, work, budget):
                ceiling = radius
            else:
                low = radius
            radius = 0.5 * (low + ceiling)
            if ceiling - low <= 1e-9 * ceiling:
                break
        if work[0] > budget:
            break
    return low
