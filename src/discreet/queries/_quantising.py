"""Quantised answers: the midpoint of one of a few cells, within a promised error, and what that gives away [DQ]."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from discreet._typing import Bins, FloatArray
from discreet.auditing._words import json_number
from discreet.errors import InputError
from discreet.queries._adversary import lattice_bound, volume_bound
from discreet.queries._aggregates import NOT_MAPPED, Function
from discreet.queries._bins import Cut, least_leakage, uniform
from discreet.queries._domains import Domain, IntegerBox
from discreet.queries._exposure import Exposure
from discreet.queries._html import fact_table, strip
from discreet.queries._measuring import volumes_of
from discreet.queries._query import Query, View, is_real
from discreet.queries._volumes import Volumes

SHOWN = 6
"""Answers that are listed for people."""


@dataclass(frozen=True, eq=False)
class QuantisedQuery:
    """A query whose answer is the midpoint of the cell that the true value lies in.

    Attributes
    ----------
    query, domain, error, bins
        What was asked for.
    edges
        q + 1 of them, from the least value of the query to the greatest. Cell i is [edges_i, edges_{i+1}), the
        last one closed.
    answers
        The q possible answers, each within `error` of every value in its cell.
    maximin
        Bits: I* = log2 q [DQ, Thm IV.2].
    leakage
        Bits: L0 = log2 of vol(domain) / vol(smallest region) [DQ, (6)]; data sets are counted where the domain is discrete.
    leakage_error
        Bits: how far `leakage` may be off. Where it is an estimate, three standard errors; infinite where no sample
        fell into some cell, which then may be empty or small, so that `leakage` is a lower bound.
    leakage_bound
        Bits: no cells with this error leak less.
    how
        How the regions were measured.
    evidence
        What the numbers rest on: the smallest region's cell, proven bounds on an estimated leakage, and whether
        `interval_left` is exact.
    """

    query: Query
    domain: Domain
    error: float
    bins: Bins
    edges: FloatArray
    answers: FloatArray
    maximin: float
    leakage: float
    leakage_error: float
    leakage_bound: float
    how: str
    evidence: dict[str, Any]
    _view: View = field(repr=False)
    _volumes: Volumes = field(repr=False)
    _spans: tuple[FloatArray, FloatArray] = field(repr=False)

    @property
    def worst_error(self) -> float:
        """The largest distance between an answer and a value of its cell; at most `error`."""
        return float(((self._spans[1] - self._spans[0]) / 2).max())

    @property
    def spans(self) -> FloatArray:
        """The least and the greatest value of the query in each cell, shape (q, 2)."""
        return np.stack(self._spans, axis=1)

    @cached_property
    def shares(self) -> FloatArray:
        """Bits, at most 0: log2 of the share of the domain that each cell's region takes."""
        return self._volumes.cells(self.edges).log2

    @cached_property
    def _exposure(self) -> Exposure:
        return Exposure(self.query, self._view, self._volumes, *self._spans)

    @property
    def adversary_range(self) -> tuple[float, float]:
        """Proven bounds on d_min, the radius of the smallest ball round any region; equal where it is exact."""
        low, high = self._exposure.radius
        if low < high:
            low = max(low, min(self.adversary_bound, high))
        return low, high

    @property
    def adversary_error(self) -> float:
        """d_min: whatever the adversary's estimate, it errs by this much at least for some data set behind each answer.

        Euclidean, in the data's units [DQ, (7)]; the lower end of `adversary_range`.
        """
        return self.adversary_range[0]

    @cached_property
    def adversary_bound(self) -> float:
        """The lower bound on d_min by volume alone [DQ, Thm II.2]; 0 on finite sets, which have none."""
        wrong = self.leakage_error if math.isfinite(self.leakage_error) else math.inf
        size = self.domain.log2_size - self.leakage - wrong
        n = int((self.domain.widths > 0).sum())
        if isinstance(self.domain, IntegerBox):
            return lattice_bound(size, n)
        return volume_bound(size, n) if is_real(self.domain) else 0.0

    def cell(self, x: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The cells of data sets x, shape (…)."""
        data = self.domain.check(x)
        value = np.asarray(self.query(data))
        if value.shape != data.shape[: data.ndim - len(self.domain.shape)]:
            raise InputError(NOT_MAPPED)
        low, high = self.edges[0], self.edges[-1]
        slack = 1e-9 * (1 + abs(low) + abs(high))
        if ((value < low - slack) | (value > high + slack)).any():
            what = "its declared range: widen lower and upper" if isinstance(self.query, Function) else "its range"
            raise InputError(f"the query leaves {what}")
        found = np.searchsorted(self.edges, value, side="right") - 1
        return np.asarray(np.clip(found, 0, len(self.answers) - 1))

    def answer(self, x: npt.ArrayLike) -> Any:
        """The answer for a data set, a float, or for many, an array of shape (…)."""
        found = self.answers[self.cell(x)]
        return float(found) if found.ndim == 0 else found

    def intervals(self, cell: int) -> FloatArray:
        """What an answer leaves to each entry: the least and the greatest possible value, shape (*entries, 2).

        Infinity and minus infinity where regions are sampled and no sample fell into the cell.
        """
        if not 0 <= cell < len(self.answers):
            raise InputError(f"there is no cell {cell}: the {len(self.answers)} cells are counted from 0")
        low, high = self._exposure.intervals(np.array([cell]))
        shape = self.domain.shape if self.query.column is None else self.domain.shape[:1]
        return np.stack((low[0].reshape(shape), high[0].reshape(shape)), axis=-1)

    def interval_left(self, person: int | None = None) -> float:
        """The shortest interval that any answer leaves to a person, or to anybody.

        Both ends are possible values (up to closure). `evidence["intervals"]` is "inner" where it was found by sampling:
        the true one is then at least as long.
        """
        shortest = self._exposure.shortest.reshape(self.domain.people, -1)
        if person is None:
            return float(shortest.min())
        if not 0 <= person < self.domain.people:
            raise InputError(f"there is no person {person}: the {self.domain.people} people are counted from 0")
        return float(shortest[person].min())

    def plot(self, points: int = 400) -> Any:
        """The regions of a two-entry domain, as a matplotlib figure [DQ, Figs 1 and 2]."""
        from discreet.queries._pictures import regions_figure

        return regions_figure(self, points)

    def to_dict(self) -> dict[str, Any]:
        """The result for JSON, without any data."""
        return {
            "query": self.query.name,
            "error": self.error,
            "bins": self.bins,
            "edges": self.edges.tolist(),
            "answers": self.answers.tolist(),
            "maximin": self.maximin,
            "leakage": json_number(self.leakage),
            "leakage_error": json_number(self.leakage_error),
            "leakage_bound": json_number(self.leakage_bound),
            "adversary_error": self.adversary_error,
            "adversary_bound": self.adversary_bound,
            "interval_left": self.interval_left(),
            "how": self.how,
        }

    def __repr__(self) -> str:
        wrong = f" ± {self.leakage_error:.2g}" if self.leakage_error > 1e-6 else ""
        return (
            f"QuantisedQuery({self.query.name} within {self.error:g}: {len(self.answers):,} answers, "
            f"I* {self.maximin:.3f}, L0 {self.leakage:.3f}{wrong}, {self.bins})"
        )

    def _repr_html_(self) -> str:
        wrong = f" ± {self.leakage_error:.2g}" if self.leakage_error > 1e-6 else ""
        listed = ", ".join(f"{answer:.6g}" for answer in self.answers[:SHOWN])
        listed += f", …, {self.answers[-1]:.6g}" if len(self.answers) > SHOWN else ""
        rows = [
            ("answers", f"{len(self.answers):,}", listed),
            ("error", f"{self.worst_error:.4g}", f"no answer is further from the truth; promised: {self.error:g}"),
            ("I*", f"{self.maximin:.3f} bits", "what is learnt for certain: log2 of the number of answers"),
            ("L0", f"{self.leakage:.3f}{wrong} bits", f"how much smaller the smallest region is than all; {self.how}"),
            ("least L0", f"{self.leakage_bound:.3f} bits", "no cells with this error leak less"),
            ("interval left", f"{self.interval_left():.4g}", "to anybody, whatever the answer"),
            (
                "adversary's error",
                f"{self.adversary_error:.4g}",
                f"at least, in placing the whole data set; by volume alone {self.adversary_bound:.4g}",
            ),
        ]
        cells = list(pairwise(self.edges.tolist()))
        return fact_table(f"{self.query.name} within {self.error:g}, {self.bins} cells", rows, strip(cells))


def quantise(
    query: Query,
    domain: Domain,
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
    view = query.view(domain)
    volumes = volumes_of(query, view, source)
    cut = uniform(volumes, error) if bins == "uniform" else least_leakage(volumes, error)
    return _result(query, domain, error, bins, view, volumes, cut)


def _result(
    query: Query, domain: Domain, error: float, bins: Bins, view: View, volumes: Volumes, cut: Cut
) -> QuantisedQuery:
    edges = cut.edges
    if volumes.values is None:
        least, greatest = edges[:-1], edges[1:]
    else:
        starts = np.concatenate(([0], np.searchsorted(volumes.values, edges[1:-1])))
        stops = np.append(starts[1:], len(volumes.values))
        least, greatest = volumes.values[starts], volumes.values[stops - 1]
    answers = least + (greatest - least) / 2
    evidence: dict[str, Any] = {"smallest_cell": cut.where, "proven": cut.smallest.certain}
    if cut.smallest.bounds is not None:
        evidence["leakage_within"] = tuple(float(-bound[0]) for bound in reversed(cut.smallest.bounds))
    result = QuantisedQuery(
        query,
        domain,
        error,
        bins,
        edges,
        answers,
        math.log2(len(answers)),
        max(0.0, float(-cut.smallest.log2[0])),  # in this order no -0.0
        float(cut.smallest.error[0]),
        cut.least_possible,
        volumes.how,
        evidence,
        view,
        volumes,
        (least, greatest),
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
