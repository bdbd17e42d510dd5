"""Quantised answers: the midpoint of one of a few cells, within a promised error, and what that gives away [DQ]."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet._text import json_number
from discreet._typing import Bins, FloatArray, IntArray
from discreet.errors import InputError
from discreet.queries._adversary import lattice_bound, volume_bound
from discreet.queries._aggregates import NOT_MAPPED, Function, query_from
from discreet.queries._domains import Domain, IntegerBox, domain_from
from discreet.queries._exposure import Exposure
from discreet.queries._measuring import volumes_of
from discreet.queries._pictures import fact_table, regions_figure, strip
from discreet.queries._query import Query, is_real
from discreet.queries._volumes import Volumes
from discreet.tables._checksum import read_sealed, write_sealed

SCHEMA = 1
"""Of files of quantised queries."""

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
    leakage
        Bits: L0 = log2 of vol(domain) / vol(smallest region) [DQ, (6)]; data sets are counted where the domain is discrete.
    leakage_error
        Bits: how far `leakage` may be off. Where it is an estimate, three standard errors; infinite where no sample
        fell into some cell, which then may be empty or small, so that `leakage` is a lower bound.
    leakage_bound
        Bits: no cells with this error leak less.
    evidence
        What the numbers rest on: the smallest region's cell, proven bounds on an estimated leakage, and whether
        `interval_left` is exact.
    """

    query: Query
    domain: Domain
    error: float
    bins: Bins
    edges: FloatArray
    leakage: float
    leakage_error: float
    leakage_bound: float
    evidence: dict[str, Any]
    _volumes: Volumes = field(repr=False)

    @cached_property
    def spans(self) -> FloatArray:
        """The least and the greatest value of the query in each cell, shape (q, 2)."""
        values = self._volumes.values
        if values is None:
            return np.stack((self.edges[:-1], self.edges[1:]), axis=1)
        starts = np.concatenate(([0], np.searchsorted(values, self.edges[1:-1])))
        stops = np.append(starts[1:], len(values))
        return np.stack((values[starts], values[stops - 1]), axis=1)

    @cached_property
    def answers(self) -> FloatArray:
        """The q possible answers, each within `error` of every value in its cell."""
        least, greatest = self.spans.T
        return np.asarray(least + (greatest - least) / 2)

    @property
    def maximin(self) -> float:
        """Bits: I* = log2 q [DQ, Thm IV.2]."""
        return math.log2(len(self.edges) - 1)

    @property
    def worst_error(self) -> float:
        """The largest distance between an answer and a value of its cell; at most `error`."""
        return float((np.diff(self.spans) / 2).max())

    @property
    def how(self) -> str:
        """How the regions were measured."""
        return self._volumes.how

    @cached_property
    def shares(self) -> FloatArray:
        """Bits, at most 0: log2 of the share of the domain that each cell's region takes."""
        return self._volumes.cells(self.edges).log2

    @cached_property
    def _exposure(self) -> Exposure:
        return Exposure(self.query, self.query.view(self.domain), self._volumes, *self.spans.T)

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

    def cell(self, x: npt.ArrayLike) -> IntArray:
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
        return regions_figure(self, points)

    def save(self, path: str | Path) -> None:
        """Write the query, its domain and its cells, whole or not at all; all of it is public.

        A query that holds a function, `Function` or `Count` with a predicate, has no file.
        """
        document = {
            "quantised": SCHEMA,
            "query": self.query.to_dict(),
            "domain": self.domain.to_dict(),
            "error": self.error,
            "bins": self.bins,
            "edges": self.edges.tolist(),
            "leakage": [json_number(bits) for bits in (self.leakage, self.leakage_error, self.leakage_bound)],
            "evidence": self.evidence,
        }
        if "leakage_within" in self.evidence:
            within = [json_number(bits) for bits in self.evidence["leakage_within"]]
            document["evidence"] = {**self.evidence, "leakage_within": within}
        write_sealed(path, document)

    @classmethod
    def load(cls, path: str | Path) -> QuantisedQuery:
        """Read what `save` wrote: it answers as the one that was saved.

        Where regions are sampled, `shares` and intervals rest on the samples that `quantise` takes without `rng`.
        """
        said = read_sealed(path, "quantised", schema=SCHEMA, what="a quantised query")
        try:
            query, domain = query_from(said["query"]), domain_from(said["domain"])
            edges = np.array(said["edges"], np.float64)
            evidence = dict(said["evidence"])
            if "leakage_within" in evidence:
                evidence["leakage_within"] = tuple(map(float, evidence["leakage_within"]))
            leakage, wrong, least = (float(bits) for bits in said["leakage"])
            volumes = volumes_of(query, query.view(domain), np.random.default_rng(0))
            if len(edges) < 2 or (np.diff(edges) < 0).any() or (edges[0], edges[-1]) != (volumes.low, volumes.high):
                raise ValueError("edges run over the query's range")
            return cls(
                query, domain, float(said["error"]), said["bins"], edges, leakage, wrong, least, evidence, volumes
            )
        except InputError:
            raise
        except (LookupError, TypeError, ValueError):
            raise InputError(f"{path} is not a complete quantised query") from None

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
