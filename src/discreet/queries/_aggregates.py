"""Queries: what may be asked of a data set. Each knows its range on a domain, and answers many data sets at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from discreet._typing import BoolArray, FloatArray
from discreet.errors import InputError
from discreet.queries._domains import Domain, FiniteSet, IntegerBox, value_sets
from discreet.queries._query import LinearForm, Query, View
from discreet.queries._variance_range import least_squares, most_squares

NOT_MAPPED = "the function must map arrays (…, n) to (…), one value per data set: reduce over the last axis"
PROBES = 4097
"""Points at which a predicate that is a function is looked at between two real bounds."""


@dataclass(frozen=True)
class Mean(Query):
    """The mean over people.

    Examples
    --------
    >>> from discreet.queries import Box
    >>> Mean().range(Box([-2, -2], [2, 2]))
    (-2.0, 2.0)
    """

    column: int | None = None

    def linear(self, n: int) -> LinearForm:
        return LinearForm(np.ones(n), Fraction(1, n), 0.0)

    def _value(self, entries: FloatArray) -> FloatArray:
        return np.asarray(entries.mean(axis=-1))


@dataclass(frozen=True)
class Sum(Query):
    """The sum over people."""

    column: int | None = None

    def linear(self, n: int) -> LinearForm:
        return LinearForm(np.ones(n), Fraction(1), 0.0)

    def _value(self, entries: FloatArray) -> FloatArray:
        return np.asarray(entries.sum(axis=-1))


@dataclass(frozen=True, eq=False)
class Linear(Query):
    """Σ weights_i x_i + offset, with one weight per person, or one per person and column.

    Examples
    --------
    >>> from discreet.queries import Box
    >>> Linear([2, -1]).range(Box([0, 0], [1, 1]))
    (-1.0, 2.0)
    """

    weights: Any
    offset: float = 0.0
    column: int | None = None
    reads_every_column = True
    _array: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        try:
            array = np.array(self.weights, np.float64)
            offset = float(self.offset)
        except (TypeError, ValueError):
            raise InputError("the weights and the offset of a linear query must be numbers") from None
        if array.ndim not in (1, 2) or not array.size or not np.isfinite(array).all() or not math.isfinite(offset):
            raise InputError(
                "a linear query needs finite weights, one per person (or one row per person), and a finite offset"
            )
        object.__setattr__(self, "_array", array)
        object.__setattr__(self, "offset", offset)

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "weights": self._array.tolist()}

    def view(self, domain: Domain) -> View:
        expected = domain.shape if self.column is None else domain.shape[:1]
        if self._array.shape != expected:
            raise InputError(f"the weights have shape {self._array.shape}, the domain {expected}: one weight per entry")
        return super().view(domain)

    def linear(self, n: int) -> LinearForm:
        return LinearForm(self._array.ravel(), Fraction(1), self.offset)

    def _value(self, entries: FloatArray) -> FloatArray:
        if entries.shape[-self._array.ndim :] != self._array.shape:
            raise InputError(f"the data have shape {entries.shape}, the weights {self._array.shape}")
        axes = tuple(range(-self._array.ndim, 0))
        return np.asarray((entries * self._array).sum(axis=axes) + self.offset)


@dataclass(frozen=True)
class Quantile(Query):
    """The least value with at least a share q of the people at or below it: x_(k) with k = max(1, ⌈q n⌉).

    Always somebody's value, so that its regions have exact volumes; the median of an even number is the lower one.
    """

    q: float
    column: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.q, bool) or not isinstance(self.q, int | float | np.number) or not 0 <= self.q <= 1:
            raise InputError(f"a quantile needs a share from 0 to 1, not {self.q!r}")

    def rank(self, n: int) -> int:
        """k, counted from 1, among n people."""
        return max(1, math.ceil(self.q * n * (1 - 1e-12)))  # .7 of 10 people are 7, whatever .7 is in binary

    def _value(self, entries: FloatArray) -> FloatArray:
        k = self.rank(entries.shape[-1]) - 1
        return np.asarray(np.partition(entries, k, axis=-1)[..., k])

    def _range(self, domain: Domain) -> tuple[float, float]:
        k = self.rank(len(domain.lower)) - 1
        return float(np.sort(domain.lower)[k]), float(np.sort(domain.upper)[k])


@dataclass(frozen=True)
class Min(Quantile):
    """The least value."""

    q: float = field(init=False, repr=False, default=0.0)
    column: int | None = None


@dataclass(frozen=True)
class Max(Quantile):
    """The greatest value."""

    q: float = field(init=False, repr=False, default=1.0)
    column: int | None = None


@dataclass(frozen=True)
class Count(Query):
    """How many people have a property.

    Parameters
    ----------
    predicate
        Values to true or false, elementwise. Prefer bounds: between real bounds a function can only be probed.
    at_least, at_most
        The property as an interval, both ends included.

    Examples
    --------
    >>> from discreet.queries import Box
    >>> Count(at_least=200).range(Box(100, 250, people=4))
    (0.0, 4.0)
    """

    predicate: Callable[[FloatArray], BoolArray] | None = None
    at_least: float = -math.inf
    at_most: float = math.inf
    column: int | None = None

    def __post_init__(self) -> None:
        if self.predicate is not None and not callable(self.predicate):
            raise InputError("a predicate must be a function of values: Count(lambda v: v > 3), or Count(at_least=3)")
        if not self.at_least <= self.at_most:
            raise InputError("at_least is above at_most (or not a number): nobody could be counted")
        if self.predicate is not None and math.isfinite(self.at_least) | math.isfinite(self.at_most):
            raise InputError("give Count either a predicate or bounds, not both")

    def holds(self, values: FloatArray) -> BoolArray:
        """Who has the property."""
        if self.predicate is None:
            return (values >= self.at_least) & (values <= self.at_most)
        found = np.asarray(self.predicate(values))
        if found.shape != values.shape or found.dtype != np.bool_:
            raise InputError("the predicate must turn an array of values into as many booleans")
        return found

    def shares(self, domain: Domain) -> tuple[FloatArray, FloatArray, FloatArray]:
        """For each person: the share of values with the property, whether some have it, and whether all have it."""
        if isinstance(domain, FiniteSet | IntegerBox):
            probed = [self.holds(values) for values in value_sets(domain)]
        elif self.predicate is not None:
            ends = zip(domain.lower, domain.upper, strict=True)
            probed = [self.holds(np.linspace(low, high, PROBES)) for low, high in ends]
        else:
            low, high = np.maximum(domain.lower, self.at_least), np.minimum(domain.upper, self.at_most)
            some, every = (low <= high).astype(float), ((low == domain.lower) & (high == domain.upper)).astype(float)
            wide = np.where(domain.widths > 0, domain.widths, 1.0)
            share = np.where(domain.widths > 0, np.clip(high - low, 0.0, None) / wide, some)
            return np.where(every > 0, 1.0, share), some, every
        share = np.array([found.mean() for found in probed])
        return share, (share > 0).astype(float), (share == 1).astype(float)

    def _value(self, entries: FloatArray) -> FloatArray:
        return np.asarray(self.holds(entries).sum(axis=-1), np.float64)

    def _range(self, domain: Domain) -> tuple[float, float]:
        _, some, every = self.shares(domain)
        return float(every.sum()), float(some.sum())


@dataclass(frozen=True)
class Variance(Query):
    """The variance over people, Σ (x_i - mean)² / (n - ddof)."""

    ddof: int = 0
    column: int | None = None

    def __post_init__(self) -> None:
        if self.ddof not in (0, 1):
            raise InputError(f"ddof must be 0 (divide by n) or 1 (divide by n - 1), not {self.ddof!r}")

    def _divisor(self, n: int) -> int:
        if n <= self.ddof:
            raise InputError("a variance with ddof=1 needs two people or more")
        return n - self.ddof

    def _value(self, entries: FloatArray) -> FloatArray:
        return np.asarray(entries.var(axis=-1, ddof=0) * entries.shape[-1] / self._divisor(entries.shape[-1]))

    def _range(self, domain: Domain) -> tuple[float, float]:
        divisor = self._divisor(len(domain.lower))
        # A discrete domain may miss the least value by its gaps; an interval that is a little too long is no harm.
        least = least_squares(domain.lower, domain.upper) / divisor
        most = most_squares(domain.lower, domain.upper)[0] / divisor
        return least, most if most - least > 1e-13 * most else least  # the two may differ by rounding alone


@dataclass(frozen=True)
class Function(Query):
    """Any function of the data set, with bounds on its values.

    Parameters
    ----------
    f
        Arrays of shape (…, n), or (…, n, m) on a domain with columns, to arrays of shape (…).
    lower, upper
        Its range, which the caller vouches for; an answer outside is refused.
    lipschitz
        A number L with |f(x) - f(x')| ≤ L max_i |x_i - x'_i|, if known: volumes in up to three dimensions are
        then certified.
    """

    f: Callable[[FloatArray], Any]
    lower: float
    upper: float
    lipschitz: float | None = None
    column: int | None = None
    reads_every_column = True

    def __post_init__(self) -> None:
        if not callable(self.f):
            raise InputError("f must be a function of an array: Function(f, lower, upper)")
        for what in (self.lower, self.upper, self.lipschitz if self.lipschitz is not None else 0.0):
            if isinstance(what, bool) or not isinstance(what, int | float | np.number) or not math.isfinite(what):
                raise InputError("the bounds of a function, and its Lipschitz constant, must be finite numbers")
        if self.lower > self.upper:
            raise InputError("lower is above upper: swap the bounds of the function")
        if self.lipschitz is not None and self.lipschitz < 0:
            raise InputError("a Lipschitz constant is at least 0")

    @property
    def name(self) -> str:
        return getattr(self.f, "__name__", "function").replace("<lambda>", "function")

    def _value(self, entries: FloatArray) -> FloatArray:
        found = np.asarray(self.f(entries), np.float64)
        # Whether the data have columns is known where the domain is: there the shape is checked again.
        if found.ndim >= entries.ndim or found.shape != entries.shape[: found.ndim]:
            raise InputError(NOT_MAPPED)
        if not np.isfinite(found).all():
            raise InputError("the function is not finite somewhere on the domain")
        return found

    def view(self, domain: Domain) -> View:
        plain = super().view(domain)

        def value(x: FloatArray) -> FloatArray:
            found = plain.value(x)
            if found.shape != x.shape[:-1]:
                raise InputError(NOT_MAPPED)
            return found

        return View(plain.domain, value, plain.spare)

    def _range(self, domain: Domain) -> tuple[float, float]:
        return float(self.lower), float(self.upper)


def query_from(said: Mapping[str, Any]) -> Query:
    """The query that `to_dict` described; KeyError for a kind that there is not."""
    kinds: dict[str, Callable[..., Query]] = {
        kind.__name__: kind for kind in (Mean, Sum, Linear, Quantile, Min, Max, Count, Variance)
    }
    given = {name: float(value) if value in ("inf", "-inf") else value for name, value in said.items()}
    return kinds[str(given.pop("kind"))](**given)
