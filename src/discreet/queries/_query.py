"""What every query is: a number asked of a data set, with a range on a domain, and a view of the entries it reads."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet._text import json_number
from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.queries._domains import Box, Domain, IntegerBox


@dataclass(frozen=True, eq=False)
class LinearForm:
    """y = scale · Σ weights_i x_i + offset over the entries of a one-column domain."""

    weights: FloatArray
    scale: Fraction
    offset: float


@dataclass(frozen=True, eq=False)
class View:
    """What a query reads of a domain.

    Attributes
    ----------
    domain
        The entries that it reads, as one column.
    value
        Data sets of `domain`, shape (…, n), to the query's values, shape (…).
    spare
        Squared half-widths of the entries that it does not read, summed: they stay as unknown as before.
    """

    domain: Domain
    value: Callable[[FloatArray], FloatArray]
    spare: float


class Query(ABC):
    """A number asked of a data set; `column` is the column that it reads, where the domain has several."""

    column: int | None
    reads_every_column = False

    @property
    def name(self) -> str:
        """The query in a word."""
        return type(self).__name__.lower()

    def __call__(self, x: npt.ArrayLike) -> FloatArray:
        """The values of data sets x of shape (…, n), or (…, n, m) when the query has a column."""
        entries = np.asarray(x, np.float64)
        return self._value(entries if self.column is None else entries[..., self.column])

    def to_dict(self) -> dict[str, Any]:
        """The query for JSON; an error for one that holds a function."""
        said = {each.name: getattr(self, each.name) for each in fields(self) if each.init}  # type: ignore[arg-type]
        if any(callable(value) for value in said.values()):
            raise InputError(
                "a query that holds a function has no file: ask by bounds, Count(at_least=3), or save its cells"
            )
        return {
            "kind": type(self).__name__,
            **{name: json_number(value) if isinstance(value, float) else value for name, value in said.items()},
        }

    def view(self, domain: Domain) -> View:
        """What this query reads of a domain."""
        if self.column is not None:
            read = domain.column(self.column)
            spare = float(((domain.widths**2).sum() - (read.widths**2).sum()) / 4)
            return View(read, self._value, max(spare, 0.0))
        if len(domain.shape) > 1 and not self.reads_every_column:
            raise InputError(
                f"the domain has {domain.shape[1]} columns: say which one to ask of, {type(self).__name__}(column=0)"
            )
        shape = domain.shape
        return View(domain.flat(), lambda x: self._value(x.reshape(*x.shape[:-1], *shape)), 0.0)

    def range(self, domain: Domain) -> tuple[float, float]:
        """The least and the greatest value on a domain."""
        return self._range(self.view(domain).domain)

    def linear(self, n: int) -> LinearForm | None:
        """The query as a linear form of n entries, where it is one."""
        return None

    @abstractmethod
    def _value(self, entries: FloatArray) -> FloatArray:
        """Values of the entries that the query reads."""

    def _range(self, domain: Domain) -> tuple[float, float]:
        """The ends of a linear form; other queries have their own way."""
        form = self.linear(len(domain.lower))
        if form is None:
            raise TypeError(f"{type(self).__name__} is not linear and must say its range")
        up = form.weights > 0
        low = math.fsum(form.weights * np.where(up, domain.lower, domain.upper))
        high = math.fsum(form.weights * np.where(up, domain.upper, domain.lower))
        scale = form.scale
        ends = [end * scale.numerator / scale.denominator + form.offset for end in (low, high)]
        return ends[0], ends[1]


def is_real(domain: Domain) -> bool:
    """Whether regions of the domain have a volume, rather than a number of data sets."""
    return isinstance(domain, Box) and not isinstance(domain, IntegerBox)
