"""Quantising: measure the regions of a query, cut its range into cells, once or at many accuracies [DQ]."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, get_args

import numpy as np

from discreet._text import json_number
from discreet._typing import Bins, FloatArray, IntArray
from discreet.errors import InputError
from discreet.queries._bins import least_leakage, uniform
from discreet.queries._domains import Domain
from discreet.queries._measuring import volumes_of
from discreet.queries._pictures import trade_off_figure
from discreet.queries._quantised import QuantisedQuery
from discreet.queries._query import Query


def quantise(
    query: Query,
    domain: Domain,
    *,
    error: float,
    bins: Bins = "uniform",
    rng: np.random.Generator | None = None,
) -> QuantisedQuery:
    """Cut the range of a query into cells whose midpoints answer it within an error.

    Parameters
    ----------
    query, domain
        What is asked, and what everybody knows of the data beforehand.
    error
        The worst-case error promised, 1/γ of [DQ, (12b)].
    bins
        "uniform": the fewest answers, optimal for I* [DQ, Thm IV.2]. "least-leakage": the smallest region as large as can
        be [DQ, (16)], never worse than uniform in L0, strictly better when cells of 2·error do not divide the range.
    rng
        Source of the samples, where regions have no formula; `default_rng(0)` unless given.

    Returns
    -------
    QuantisedQuery
        With I* and L0 in bits, the interval left to anybody, and the adversary's least error.

    Examples
    --------
    >>> from discreet.queries import Box, Mean
    >>> q = quantise(Mean(), Box([-2, -2], [2, 2]), error=0.5)
    >>> q.answers.tolist(), q.maximin, q.leakage
    ([-1.5, -0.5, 0.5, 1.5], 2.0, 3.0)
    """
    error = _checked(query, domain, error, bins, rng)
    source = np.random.default_rng(0) if rng is None else rng.spawn(1)[0]
    volumes = volumes_of(query, query.view(domain), source)
    cut = uniform(volumes, error) if bins == "uniform" else least_leakage(volumes, error)
    evidence: dict[str, Any] = {"smallest_cell": cut.where, "proven": cut.smallest.certain}
    if cut.smallest.bounds is not None:
        evidence["leakage_within"] = tuple(float(-bound[0]) for bound in reversed(cut.smallest.bounds))
    result = QuantisedQuery(
        query,
        domain,
        error,
        bins,
        cut.edges,
        max(0.0, float(-cut.smallest.log2[0])),  # in this order no -0.0
        float(cut.smallest.error[0]),
        cut.least_possible,
        evidence,
        volumes,
    )
    evidence["intervals"] = result._exposure.kind
    return result


def _checked(query: Query, domain: Domain, error: float, bins: str, rng: object) -> float:
    if not isinstance(query, Query):
        raise InputError("the first argument is not a query: try Mean(), Sum(), Count(at_least=3) or Function(f, a, b)")
    if not isinstance(domain, Domain):
        raise InputError("the second argument is not a domain: try Box(lower, upper), IntegerBox or FiniteSet")
    number = isinstance(error, int | float | np.number) and not isinstance(error, bool)
    if not number or not math.isfinite(error) or error <= 0:
        raise InputError("the error must be a positive, finite number: how far an answer may be from the truth")
    if bins not in get_args(Bins):
        raise InputError(f"bins must be one of {', '.join(map(repr, get_args(Bins)))}, not {bins!r}")
    if rng is not None and not isinstance(rng, np.random.Generator):
        raise InputError("rng must be a numpy.random.Generator: numpy.random.default_rng(seed)")
    return float(error)


@dataclass(frozen=True, eq=False)
class TradeOff:
    """What quantising gives away at each accuracy γ: one entry per γ, in the order given.

    Attributes
    ----------
    gamma, error
        The demanded accuracy and the worst-case error 1/γ.
    cells
        How many answers there are.
    maximin, leakage, leakage_error
        I*, L0 and its error, in bits.
    adversary_error, interval_left
        d_min, and the shortest interval that any answer leaves to anybody, in the data's units.
    """

    gamma: FloatArray
    error: FloatArray
    cells: IntArray
    maximin: FloatArray
    leakage: FloatArray
    leakage_error: FloatArray
    adversary_error: FloatArray
    interval_left: FloatArray

    def __len__(self) -> int:
        return len(self.gamma)

    def to_dict(self) -> dict[str, Any]:
        """The curves for JSON, by name."""
        return {each.name: [json_number(value) for value in getattr(self, each.name).tolist()] for each in fields(self)}

    def plot(self) -> Any:
        """L0, I* and d_min against γ, as a matplotlib figure [DQ, Fig 3]."""
        return trade_off_figure(self)


def trade_off(
    query: Query,
    domain: Domain,
    *,
    gammas: Iterable[float],
    bins: Bins = "uniform",
    rng: np.random.Generator | None = None,
) -> TradeOff:
    """Quantise at every γ. The same samples serve all of them, so that an estimated curve is not ragged by chance.

    Examples
    --------
    >>> from discreet.queries import Box, Mean
    >>> trade_off(Mean(), Box([-2, -2], [2, 2]), gammas=[1, 2, 4]).leakage.tolist()
    [1.0, 3.0, 5.0]
    """
    try:
        demanded = np.array([float(gamma) for gamma in gammas])
    except (TypeError, ValueError):
        raise InputError("gammas must be numbers: the accuracies 1/error to try") from None
    if not len(demanded) or not np.isfinite(demanded).all() or (demanded <= 0).any():
        raise InputError("gammas must be positive, finite numbers, one at least")
    seed = 0 if rng is None else int(rng.integers(2**63))
    found = [
        quantise(query, domain, error=1 / gamma, bins=bins, rng=np.random.default_rng(seed))
        for gamma in demanded.tolist()
    ]
    return TradeOff(
        demanded,
        1 / demanded,
        np.array([len(result.answers) for result in found]),
        np.array([result.maximin for result in found]),
        np.array([result.leakage for result in found]),
        np.array([result.leakage_error for result in found]),
        np.array([result.adversary_error for result in found]),
        np.array([result.interval_left() for result in found]),
    )
