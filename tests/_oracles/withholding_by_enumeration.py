"""The oracle for withholding: every set of letters in the budget, for tiny alphabets."""

from __future__ import annotations

from itertools import combinations

from discreet.search.ranges._suppression import Suppression, Suppressor


def suppress_exact(problem: Suppressor) -> Suppression:
    """The cheapest account for this engine; ties: fewest rows, then fewest letters, then the earliest letters."""
    n = problem.letters.n
    accounts = [problem.evaluate(frozenset(each)) for count in range(n + 1) for each in combinations(range(n), count)]
    allowed = [account for account in accounts if account is not None]
    return min(allowed, key=lambda account: (account.cost, account.rows_withheld))
