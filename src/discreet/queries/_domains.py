"""Domains: what everybody knows of a private data set before any answer, a bound or a set of values for each person.

A data set is an array with one entry per person, or one row per person and one entry per column. The values of different
people are unrelated [DQ, Def II.1]: a domain is the product of what each entry may be.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray
from discreet.errors import InputError

LARGEST = 2**53
"""Integers beyond this are not floats, so bounds and answers would not be exact."""


class Domain(ABC):
    """A product of ranges, one per entry.

    Attributes
    ----------
    lower, upper
        The least and the greatest value of each entry; shape (n,), or (n, m) with m columns.
    unit
        What the size of a region counts: "volume" or "data sets".
    """

    lower: FloatArray
    upper: FloatArray
    unit = "data sets"

    @property
    def shape(self) -> tuple[int, ...]:
        """(people,) or (people, columns)."""
        return self.lower.shape

    @property
    def people(self) -> int:
        """How many people."""
        return int(self.shape[0])

    @property
    def widths(self) -> FloatArray:
        """upper - lower of each entry."""
        return self.upper - self.lower

    @property
    @abstractmethod
    def log2_size(self) -> float:
        """Bits: log2 of the number of data sets (h0 of [DQ, (1)] with counting for the measure)."""

    @abstractmethod
    def column(self, index: int) -> Domain:
        """The domain of one column alone."""

    @abstractmethod
    def flat(self) -> Domain:
        """All entries as one column, row by row."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The domain for JSON; `domain_from` reads it."""

    @abstractmethod
    def draw(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Data sets drawn uniformly, shape (count, *shape)."""

    def _holds(self, x: FloatArray) -> bool:
        return bool(((x >= self.lower) & (x <= self.upper)).all())

    def check(self, x: npt.ArrayLike) -> FloatArray:
        """Data sets as an array of shape (…, *shape); an error, which shows no value, where they lie outside."""
        try:
            values = np.asarray(x, np.float64)
        except (TypeError, ValueError):
            raise InputError("the data are not numbers: give an array of floats, one entry per person") from None
        depth = len(self.shape)
        if values.ndim < depth or values.shape[-depth:] != self.shape:
            raise InputError(f"the data have shape {values.shape}, the domain {self.shape}: one entry per person")
        if not np.isfinite(values).all():
            raise InputError("some data are missing or not finite: declare a missing value as an interval, not as NaN")
        if not self._holds(values):
            raise InputError("some data lie outside the declared domain: widen its bounds, or check the units")
        return values

    def _column_index(self, index: int) -> int:
        if len(self.shape) == 1:
            raise InputError(f"the domain has one column, so column={index} names none: leave it out")
        if not -self.shape[1] <= index < self.shape[1]:
            raise InputError(f"there is no column {index}: the domain has {self.shape[1]}, counted from 0")
        return index


class Box(Domain):
    """Real values between bounds.

    Parameters
    ----------
    lower, upper
        Numbers, or arrays of shape (n,) or (n, m); they broadcast.
    people
        How many people, where the bounds are the same for all: scalars, or one bound per column.

    Examples
    --------
    >>> Box(100, 250, people=3).shape
    (3,)
    >>> Box([0, 0, 0], 1).log2_size
    0.0
    """

    unit = "volume"

    def __init__(self, lower: npt.ArrayLike, upper: npt.ArrayLike, *, people: int | None = None) -> None:
        low, high = _bounds(lower, upper, people)
        self.lower, self.upper = low, high

    @property
    def log2_size(self) -> float:
        """Bits: log2 of the volume over the entries that are not fixed (h0 of [DQ, (1)])."""
        free = self.widths[self.widths > 0]
        return float(np.log2(free).sum())

    def column(self, index: int) -> Box:
        """The box of one column alone."""
        index = self._column_index(index)
        return type(self)(self.lower[:, index], self.upper[:, index])

    def flat(self) -> Box:
        """All entries as one column, row by row."""
        return type(self)(self.lower.ravel(), self.upper.ravel())

    def to_dict(self) -> dict[str, Any]:
        """The bounds for JSON."""
        return {"kind": type(self).__name__, "lower": self.lower.tolist(), "upper": self.upper.tolist()}

    def draw(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Data sets drawn uniformly, shape (count, *shape)."""
        return rng.uniform(self.lower, self.upper, (count, *self.shape))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_size(self.shape)}, from {self.lower.min():g} to {self.upper.max():g})"


class IntegerBox(Box):
    """Whole values between bounds, both included: ages, counts, and 0/1 columns.

    Examples
    --------
    >>> IntegerBox(0, 1, people=10).log2_size
    10.0
    """

    unit = "data sets"

    def __init__(self, lower: npt.ArrayLike, upper: npt.ArrayLike, *, people: int | None = None) -> None:
        super().__init__(lower, upper, people=people)
        for bound in (self.lower, self.upper):
            if (bound != np.floor(bound)).any() or (np.abs(bound) > LARGEST).any():
                raise InputError("an integer box needs whole bounds of at most 2^53: round lower up and upper down")

    @property
    def log2_size(self) -> float:
        """Bits: log2 of the number of data sets."""
        return float(np.log2(self.widths + 1).sum())

    def draw(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Data sets drawn uniformly, shape (count, *shape)."""
        low, high = self.lower.astype(np.int64), self.upper.astype(np.int64)
        return rng.integers(low, high, (count, *self.shape), endpoint=True).astype(np.float64)

    def _holds(self, x: FloatArray) -> bool:
        return super()._holds(x) and bool((x == np.floor(x)).all())


class FiniteSet(Domain):
    """A finite set of values for each person.

    Parameters
    ----------
    values
        The values that anybody may have (then say how many people), or one such collection per person.

    Examples
    --------
    >>> FiniteSet([0, 10, 50], people=2).log2_size
    3.169925001442312
    """

    def __init__(self, values: Sequence[Any] | npt.NDArray[Any], *, people: int | None = None) -> None:
        if people is not None:
            sets = [_value_set(values)] * _count_of(people)
        else:
            if not len(values) or any(np.ndim(entry) != 1 for entry in values):
                raise InputError("a finite set needs one collection of values per person, or people= and one for all")
            sets = [_value_set(entry) for entry in values]
        self.sets: tuple[FloatArray, ...] = tuple(sets)
        self.lower = np.array([values[0] for values in sets])
        self.upper = np.array([values[-1] for values in sets])

    @property
    def log2_size(self) -> float:
        """Bits: log2 of the number of data sets."""
        return float(sum(np.log2(len(values)) for values in self.sets))

    def column(self, index: int) -> FiniteSet:
        """A finite set has one column only: an error."""
        self._column_index(index)
        return self

    def flat(self) -> FiniteSet:
        """The same: a finite set has one column."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """The values of each person for JSON."""
        return {"kind": "FiniteSet", "values": [values.tolist() for values in self.sets]}

    def draw(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Data sets drawn uniformly, shape (count, people)."""
        return np.stack([values[rng.integers(0, len(values), count)] for values in self.sets], axis=-1)

    def _holds(self, x: FloatArray) -> bool:
        return all(np.isin(x[..., i], values).all() for i, values in enumerate(self.sets))

    def __repr__(self) -> str:
        return f"FiniteSet({_size(self.shape)}, {min(map(len, self.sets))} to {max(map(len, self.sets))} values each)"


def domain_from(said: Mapping[str, Any]) -> Domain:
    """The domain that `to_dict` described; KeyError for a kind that there is not."""
    kinds: dict[str, Callable[..., Domain]] = {kind.__name__: kind for kind in (Box, IntegerBox, FiniteSet)}
    return kinds[said["kind"]](**{name: value for name, value in said.items() if name != "kind"})


def value_sets(domain: IntegerBox | FiniteSet) -> tuple[FloatArray, ...]:
    """The values that each person of a one-column discrete domain may have, in increasing order."""
    if isinstance(domain, FiniteSet):
        return domain.sets
    made: dict[tuple[float, float], FloatArray] = {}
    pairs = list(zip(domain.lower.tolist(), domain.upper.tolist(), strict=True))
    for low, high in pairs:
        if (low, high) not in made:
            made[low, high] = np.arange(low, high + 1)
    return tuple(made[pair] for pair in pairs)


def _bounds(lower: npt.ArrayLike, upper: npt.ArrayLike, people: int | None) -> tuple[FloatArray, FloatArray]:
    try:
        low, high = np.broadcast_arrays(np.asarray(lower, np.float64), np.asarray(upper, np.float64))
    except (TypeError, ValueError):
        raise InputError("the bounds are not numbers, or lower and upper have shapes that do not fit") from None
    if people is not None:
        count = _count_of(people)
        if low.ndim > 1:
            raise InputError("the bounds have one row per person already: leave people= out")
        low, high = np.broadcast_to(low, (count, *low.shape)), np.broadcast_to(high, (count, *high.shape))
    if low.ndim not in (1, 2) or low.size == 0:
        raise InputError(
            "a box needs one bound per person: arrays of shape (n,) or (n, columns), or scalars and people="
        )
    low, high = np.array(low), np.array(high)  # our own: the caller may change theirs
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise InputError("the bounds must be finite: declare the least and the greatest value anybody can have")
    wrong = int((low > high).sum())
    if wrong:
        raise InputError(f"lower is above upper for {wrong} of {low.size} entries: swap the two")
    if not np.isfinite(high / 2 - low / 2).all() or (high / 2 - low / 2 > np.finfo(np.float64).max / 2).any():
        raise InputError("the bounds are too far apart for floating point: use another unit")
    low.flags.writeable = high.flags.writeable = False
    return low, high


def _count_of(people: int) -> int:
    if isinstance(people, bool) or not isinstance(people, int | np.integer) or people < 1:
        raise InputError(f"people must be a whole number of at least 1, not {people!r}")
    return int(people)


def _value_set(values: npt.ArrayLike) -> FloatArray:
    try:
        found = np.unique(np.asarray(values, np.float64))
    except (TypeError, ValueError):
        raise InputError("the values of a finite set must be numbers") from None
    if not found.size or not np.isfinite(found).all():
        raise InputError("a finite set needs at least one value for each person, all of them finite")
    return found


def _size(shape: tuple[int, ...]) -> str:
    people = f"{shape[0]:,} {'person' if shape[0] == 1 else 'people'}"
    return people + (f" x {shape[1]} columns" if len(shape) > 1 else "")
