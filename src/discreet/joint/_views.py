"""What one sees of a joint: its alphabets, counts, pmf and support, and figures of its groups. Nothing here changes it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError, MeasureError
from discreet.joint._matrices import components_of, frozen
from discreet.tables._labels import Alphabet, Label

if TYPE_CHECKING:
    from scipy import sparse

    from discreet.joint._side import Side
    from discreet.tables import Missing
    from discreet.tables._bands import Band


class Views:
    """Sparse counts of (s, x) with their alphabets, column by column, so that [[S|x]] is a slice."""

    def __init__(
        self,
        s: Alphabet,
        x: Alphabet,
        counts: sparse.csc_array,
        *,
        side: Side | None = None,
        missing: Missing | None = None,
        has_counts: bool = True,
        bands: Mapping[str, Band] | None = None,
    ) -> None:
        """Not for users: the named constructors check their input, this trusts it."""
        for array in (counts.data, counts.indices, counts.indptr):
            array.flags.writeable = False
        self._s, self._x = s, x
        self._counts = counts
        self._side = side
        self.missing = missing
        self.has_counts = has_counts
        self.bands = dict(bands or {})  # of public columns that were made coarser while they were counted

    @cached_property
    def s(self) -> tuple[Label, ...]:
        """The labels of S, in order."""
        return self._s.labels()

    @cached_property
    def x(self) -> tuple[Label, ...]:
        """The labels of X, in order."""
        return self._x.labels()

    @cached_property
    def a(self) -> tuple[Label, ...] | None:
        """The labels of the side information A, in order, or None."""
        return self._side.a.labels() if self._side else None

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The names of the columns of S, where the joint was counted from a table."""
        return self._s.names

    @property
    def public(self) -> tuple[str, ...]:
        """The names of the columns of X, where the joint was counted from a table."""
        return self._x.names

    @property
    def x_codes(self) -> IntArray:
        """Which label of each public column every x is made of, a row per x."""
        codes = self._x.codes
        return np.arange(self.n_x, dtype=np.int64)[:, None] if codes is None else codes

    @property
    def x_columns(self) -> tuple[Any, ...]:
        """The labels of each public column, in order; missing is the last."""
        return self._x.columns

    @property
    def counts(self) -> sparse.csc_array:
        """How often each s was seen with each x: S down, X across (read-only)."""
        return self._counts

    @cached_property
    def pmf(self) -> sparse.csc_array:
        """The joint pmf p(s, x)."""
        self.require_counts()
        pmf = self._counts.astype(np.float64)
        pmf.data /= float(self._counts.data.sum())
        frozen(pmf.data)
        return pmf

    @cached_property
    def support(self) -> sparse.csc_array:
        """The joint range [[S, X]], as ones."""
        from scipy import sparse

        ones = np.ones(self._counts.nnz, dtype=np.int8)
        return sparse.csc_array((ones, self._counts.indices, self._counts.indptr), shape=self._counts.shape)

    @property
    def n_s(self) -> int:
        """|[[S]]|: how many values of S were seen."""
        return int(self._counts.shape[0])

    @property
    def n_x(self) -> int:
        """|[[X]]|: how many values of X were seen."""
        return int(self._counts.shape[1])

    @property
    def is_integral(self) -> bool:
        """Whether the counts are numbers of records, rather than a pmf."""
        return self.has_counts and self._counts.dtype.kind == "i"

    @cached_property
    def total(self) -> int | float:
        """The number of records, or the sum of the weights."""
        total: int | float = self._counts.data.sum().item()
        return total

    @cached_property
    def records(self) -> npt.NDArray[Any]:
        """n(x): how many records each x has."""
        return frozen(np.add.reduceat(self._counts.data, self._counts.indptr[:-1]))

    @cached_property
    def distinct(self) -> IntArray:
        """|[[S|x]]|: how many s each x was seen with."""
        return frozen(np.diff(self._counts.indptr).astype(np.int64))

    @cached_property
    def s_weight(self) -> FloatArray:
        """How often each s was seen."""
        weight = np.bincount(self._counts.indices, weights=self._counts.data, minlength=self.n_s)
        return frozen(weight.astype(np.float64))

    @cached_property
    def x_of_pair(self) -> npt.NDArray[np.int32]:
        """For every distinct pair, in storage order, the number of its x."""
        return frozen(np.repeat(np.arange(self.n_x, dtype=np.int32), self.distinct))

    @cached_property
    def components(self) -> tuple[int, IntArray, IntArray]:
        """Connected components of the support: how many, and which each s and each x belongs to [AC, Lemma 2].

        Components are numbered by their earliest x.
        """
        return components_of(self._counts)

    @property
    def side(self) -> Side:
        """The counts of (s, x, a)."""
        if self._side is None:
            raise MeasureError("this joint has no side information: build it with side=[columns]")
        return self._side

    @property
    def has_side(self) -> bool:
        """Whether side information A was named."""
        return self._side is not None

    def range_of(self, x: Label) -> tuple[Label, ...]:
        """[[S|x]]: the s seen with one x."""
        codes = self._x_index.get(x)
        if codes is None:
            raise InputError("that value was never seen as an x of this joint")
        return tuple(self._s.label(int(code)) for code in self.codes_of(codes))

    def codes_of(self, letter: int) -> npt.NDArray[np.int32]:
        """[[S|x]] of a letter given by number, as numbers."""
        codes: npt.NDArray[np.int32] = self._counts.indices[
            self._counts.indptr[letter] : self._counts.indptr[letter + 1]
        ]
        return codes

    def x_label(self, letter: int) -> Label:
        """The label of one letter of X, without decoding the others."""
        return self._x.label(letter)

    def s_label(self, letter: int) -> Label:
        """The label of one letter of S, without decoding the others."""
        return self._s.label(letter)

    def require_counts(self) -> None:
        """Refuse a joint that is a support only."""
        if not self.has_counts:
            raise MeasureError("this joint is a support without counts: build it from counts or a pmf")

    @cached_property
    def memo(self) -> dict[str, float]:
        """Figures that several measures share, by name: a joint never changes, so each is computed once."""
        return {}

    @cached_property
    def _x_index(self) -> dict[Label, int]:
        return {label: letter for letter, label in enumerate(self.x)}
