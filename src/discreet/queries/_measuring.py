"""Which way to measure regions suits a query and a domain."""

from __future__ import annotations

import math

import numpy as np

from discreet.queries import _finite_domains as counting
from discreet.queries._aggregates import Count, Function, Quantile
from discreet.queries._domains import FiniteSet, IntegerBox
from discreet.queries._monte_carlo import check_range, sampled_volumes
from discreet.queries._poisson_binomial import log_pmf
from discreet.queries._query import Query, View
from discreet.queries._volumes import BITS, LinearVolumes, OrderVolumes, Volumes


def volumes_of(query: Query, view: View, rng: np.random.Generator) -> Volumes:
    """Exact where there is a formula or little enough to count, else sampled with an error bar."""
    domain = view.domain
    low, high = query._range(domain)
    n = len(domain.lower)
    form = query.linear(n)
    found: Volumes | None = None
    if isinstance(query, Count):
        found = _count(query, view)
    elif isinstance(domain, IntegerBox | FiniteSet):
        if form is not None:
            found = counting.linear_volumes(form, domain)
        elif isinstance(query, Quantile):
            found = counting.order_volumes(query, domain, low, high)
        if found is None:
            found = counting.enumerated(view, domain)
            if isinstance(query, Function) and found is not None:
                check_range(found.values, low, high)
    elif form is not None:
        found = LinearVolumes(form, domain, low, high)
    elif isinstance(query, Quantile):
        found = OrderVolumes(domain, query.rank(n), low, high)
    return found if found is not None else sampled_volumes(query, view, low, high, rng)


def _count(query: Count, view: View) -> counting.CountedVolumes:
    share, some, every = query.shares(view.domain)
    least, most = int(every.sum()), int(some.sum())
    probed = query.predicate is not None and not isinstance(view.domain, IntegerBox | FiniteSet)
    log2 = log_pmf(share)[least : most + 1] * BITS
    how = f"Poisson-binomial law of {len(share)} people" + (", the predicate probed at points" if probed else "")
    return counting.CountedVolumes(
        np.arange(least, most + 1.0), log2, how, error=1e-15 * len(share) * math.log2(len(share) + 1)
    )
