"""Compiled: the dearest groups of a list of types.

Types (a letter, or a letter with a sensitive value) are numbered by falling price, so a list in order of number is sorted
and its dearest records are its head. Prices and costs are int64 multiples of 2^-40.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from discreet._compile import helper


@helper
def dearest(part, lo, hi, counts, y, n):
    """(records, price) of the dearest n records of part[lo:hi], fewer where there are fewer."""
    have, price = 0, 0
    for e in range(lo, hi):
        t = part[e]
        take = min(counts[t], n - have)
        have += take
        price += take * y[t]
        if have == n:
            break
    return have, price


@helper
def dearest_group(part, lo, hi, at, a, b, counts, y, values, n, k, with_type, times, stamp, seen):
    """(records, price, end) of the group of highest mean price in part[lo:hi] between places a and b.

    At least n records and k distinct values, and one record of `with_type` where that is not negative; records = 0
    where there is no such group. Exchanging a member for a dearer one shows that the dearest record of each of the k
    values with the dearest such records belong to it (all k where no type is asked for; else the type and k-1 others),
    then the dearest others up to n, then more while one is dearer than the mean. `times` gets the multiplicities of
    part[lo:end] and is for the caller to clear.
    """
    distinct, have, price, end = 0, 0, 0, lo
    if with_type >= 0:
        distinct, have, price = 1, 1, y[with_type]
        seen[values[with_type]] = stamp
        times[with_type] = 1
    for e in range(lo, hi):
        if distinct >= k:
            break
        t = part[e]
        if at[t] < a or at[t] > b:
            continue
        end = e + 1
        if seen[values[t]] != stamp:
            seen[values[t]] = stamp
            distinct += 1
            have += 1
            price += y[t]
            times[t] += 1
    if distinct < k:
        return 0, 0, end
    for e in range(lo, hi):
        t = part[e]
        if at[t] < a or at[t] > b:
            continue
        free = counts[t] - times[t]
        if have < n:
            take = min(free, n - have)
        elif y[t] * have > price:  # dearer than the mean: all of it, the mean stays below its price
            take = free
        else:
            break
        end = max(end, e + 1)
        have += take
        price += take * y[t]
        times[t] += take
        if take < free and y[t] * have > price:
            have += free - take
            price += (free - take) * y[t]
            times[t] = counts[t]
    if have < n:
        return 0, 0, end
    return have, price, end


@helper
def clear(part, lo, end, with_type, times):
    """Undoes what dearest_group left in `times`."""
    for e in range(lo, end):
        times[part[e]] = 0
    if with_type >= 0:
        times[with_type] = 0


@helper
def shortened(part, lo, hi, counts, y, n, k, cost, slack):
    """Where part[lo:hi] may end: what follows is in no group whose mean price exceeds c = cost - slack.

    The best group of n with t has the dearest n-1 others, so t is of use only while y[t] + price(n-1) > n c; boxes below
    are dearer and hold fewer, so t stays useless there. With k, groups above n matter too: to the dearest n-1 all
    others dearer than c are added. Returns lo where no group is left at all.
    """
    bar = cost - slack
    have, price = dearest(part, lo, hi, counts, y, n)
    if have < n or price <= n * bar:
        return lo
    have, price = dearest(part, lo, hi, counts, y, n - 1)
    gain = price - (n - 1) * bar
    if k > 1:
        over, most = 0, 0
        for e in range(lo, hi):
            if y[part[e]] <= bar:
                break
            over += counts[part[e]]
            most += counts[part[e]] * (y[part[e]] - bar)
        if over > n - 1:
            gain = most
    least = bar - gain
    a, b = lo, hi  # prices fall along the list: the useful ones are a head of it
    while a < b:
        mid = (a + b) // 2
        if y[part[mid]] > least:
            a = mid + 1
        else:
            b = mid
    return a


@helper
def hopeful(part, lo, hi, counts, y, n, k, cost, delta):
    """Whether a box of this cost or more, with no more than these types, could still lower the delta of one of them."""
    if k > 1:
        _, price = dearest(part, lo, hi, counts, y, n)
        for e in range(lo, hi):
            if n * cost - price < n * delta[part[e]]:
                return True
        return False
    _, price = dearest(part, lo, hi, counts, y, n - 1)
    for e in range(lo, hi):
        t = part[e]
        if n * cost - price - y[t] < n * delta[t]:
            return True
    return False
