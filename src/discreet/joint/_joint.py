"""Joint: how often each s was seen with each x. Every measure is a function of one.

The support is the non-stochastic joint range [[S, X]]; the normalised counts are the joint pmf. Both are views of one
sparse matrix with S down and X across, stored column by column, so that [[S|x]] is a slice.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from discreet._typing import IntArray, Reading
from discreet.columns._bands import bands_of
from discreet.errors import InputError, JointError
from discreet.joint._matrices import (
    as_counts,
    canonical,
    checked,
    first_not_a_pair,
    given_labels,
    leaving_out_each,
    matrix_of,
    same_matrix,
    subset,
)
from discreet.joint._side import Side
from discreet.joint._views import Views
from discreet.report._pages import fragment
from discreet.tables import Counted, count
from discreet.tables._labels import Alphabet, Label, combine, encode, plain

if TYPE_CHECKING:
    from scipy import sparse

Blocks = tuple[tuple[Label, ...], ...]


class Joint(Views):
    """Immutable sparse counts of (s, x), and of (s, x, a) where there is side information.

    Build one with `from_table`, `from_pairs` or `from_array`. Letters that were never seen are not part of it.

    Examples
    --------
    >>> joint = Joint.from_pairs([("s1", 1), ("s2", 1), ("s2", 2)])
    >>> joint.s, joint.x
    (('s1', 's2'), (1, 2))
    >>> joint.counts.toarray().tolist()
    [[1, 0], [1, 1]]
    >>> joint
    Joint(2 s × 2 x, 3 pairs, 3 rows)
    """

    # ------------------------------------------------------------------ constructors

    @classmethod
    def from_table(
        cls,
        table: object,
        sensitive: str | Sequence[str],
        public: str | Sequence[str],
        side: str | Sequence[str] | None = None,
        **reading: Unpack[Reading],
    ) -> Joint:
        """Count a table: a path, a database URL, a data frame of any library, a mapping of columns, a list of mappings.

        Parameters
        ----------
        sensitive, public, side
            The columns of S, X and A. One column gives scalars as labels, several give tuples.
        **reading
            `missing`: "level" (the default) keeps missing values as the label None, "drop" leaves their rows out,
            "error" refuses them. `na`: texts that mean missing, such as "?". `memory_limit`: what DuckDB may use for a
            file, such as "4GB"; beyond it spills to disk. `progress`: called with what is being done, and how much of
            it is done, from 0 to 1, where that is known. `coarsen`: public columns with too many values, made coarser
            while they are counted, such as {"admitted": "hour", "chol": 5, "zip": "code:3", "income": "quantiles:100"};
            a letter is then the first value of its band.

        Examples
        --------
        >>> Joint.from_table({"age": [30, 31, None], "chol": ["200", "200", "210"]}, "age", "chol").s
        (30, 31, None)
        """
        bands = bands_of(reading.get("coarsen"))
        counted = count(table, sensitive, public, side, bands=bands, **reading)
        if progress := reading.get("progress"):
            progress("building the joint", None)
        return cls.of_counted(counted)

    @classmethod
    def of_counted(cls, counted: Counted) -> Joint:
        """The joint of a table that was counted already; where it was counted bare, S has one value without a name."""
        matrix = matrix_of(counted.s_codes, counted.x_codes, counted.counts, shape=(len(counted.s), len(counted.x)))
        triples = None
        if counted.a is not None and counted.a_codes is not None:
            side_codes = (counted.a, counted.a_codes)
            triples = Side.build(side_codes, counted.s_codes, counted.x_codes, counted.counts, len(counted.s))
        return cls(counted.s, counted.x, matrix, side=triples, missing=counted.missing, bands=counted.bands)

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Label, Label]] | npt.NDArray[np.generic]) -> Joint:
        """Count a sequence of (s, x), one a record. Labels are any hashable values and are not converted."""
        if isinstance(pairs, np.ndarray):
            if pairs.ndim != 2 or pairs.shape[1] != 2:
                raise JointError(f"pairs have shape {pairs.shape}: (records, 2) is needed")
            s_values: Any = pairs[:, 0]
            x_values: Any = pairs[:, 1]
        else:
            records = pairs if isinstance(pairs, list) else list(pairs)
            try:
                s_values = [s for s, _ in records]
                x_values = [x for _, x in records]
            except (TypeError, ValueError):
                raise JointError(f"record {first_not_a_pair(records)} is not a pair (s, x)") from None
        if len(s_values) == 0:
            raise JointError("there are no pairs: a joint needs at least one")
        try:
            (s, s_codes), (x, x_codes) = encode(s_values), encode(x_values)
        except TypeError as problem:
            raise JointError(f"a label of type {problem} is not hashable: use text, numbers or tuples") from None
        return cls(s, x, matrix_of(s_codes, x_codes, np.ones(len(s_codes), dtype=np.int64), shape=(len(s), len(x))))

    @classmethod
    def from_array(
        cls,
        counts: npt.ArrayLike | sparse.sparray | sparse.spmatrix,
        s: Sequence[Label] | None = None,
        x: Sequence[Label] | None = None,
    ) -> Joint:
        """Counts or a pmf with S down and X across, as an array or a scipy.sparse matrix.

        Letters are numbered 0..n−1 in array order unless labels are given, which are then put in order. A boolean
        array is a support: measures that need counts refuse it.

        Examples
        --------
        >>> Joint.from_array([[3, 0], [1, 4]]).total
        8
        """
        matrix = checked(counts)
        support_only = matrix.dtype.kind == "b"
        matrix = matrix.astype(np.int64) if matrix.dtype.kind in "biu" else as_counts(matrix)
        s_axis, s_order = given_labels("s", s, matrix.shape[0])
        x_axis, x_order = given_labels("x", x, matrix.shape[1])
        if s_order is not None:
            matrix = matrix[s_order, :]
        if x_order is not None:
            matrix = matrix[:, x_order]
        matrix = canonical(matrix)
        seen_s = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[0]))
        seen_x = np.flatnonzero(np.diff(matrix.indptr))
        if len(seen_s) < matrix.shape[0]:
            matrix = matrix[seen_s, :]
        if len(seen_x) < matrix.shape[1]:
            matrix = matrix[:, seen_x]
        return cls(s_axis.take(seen_s), x_axis.take(seen_x), canonical(matrix), has_counts=not support_only)

    @classmethod
    def from_channel(
        cls,
        prior: npt.ArrayLike,
        channel: npt.ArrayLike,
        s: Sequence[Label] | None = None,
        x: Sequence[Label] | None = None,
    ) -> Joint:
        """A pmf from a prior p(s) and a channel p(x|s), a row per s; an s of probability 0 does not occur, and is left out.

        Examples
        --------
        >>> Joint.from_channel([0.5, 0.5], [[1, 0], [0.5, 0.5]]).pmf.toarray().tolist()
        [[0.5, 0.0], [0.25, 0.25]]
        """
        p, rows = np.asarray(prior, dtype=np.float64), np.asarray(channel, dtype=np.float64)
        if p.ndim != 1 or rows.ndim != 2 or len(rows) != len(p):
            raise JointError("a prior is a list of probabilities, and its channel has a row for each of them")
        for name, sums in (("the prior", p.sum(keepdims=True)), ("a row of the channel", rows.sum(axis=1))):
            if not np.allclose(sums, 1.0, rtol=0, atol=1e-9):
                raise JointError(f"{name} does not sum to 1")
        return cls.from_array(p[:, None] * rows, s, x)

    # ------------------------------------------------------------------ other joints from this one

    def coarsen(self, blocks: Iterable[Iterable[Label]]) -> Joint:
        """The joint after X is replaced by the block it lies in; each block, a tuple of labels, becomes a letter.

        Raises InputError unless the blocks are a partition of the alphabet of X.

        Examples
        --------
        >>> joint = Joint.from_pairs([("s1", 1), ("s2", 2), ("s3", 3)])
        >>> joint.coarsen([[3, 1], [2]]).x
        ((1, 3), (2,))
        """
        block_of = np.full(self.n_x, -1, dtype=np.int64)
        for number, block in enumerate(blocks):
            try:
                members = [self._x_index.get(plain(label)) for label in block]
            except TypeError:
                raise InputError("a block is not a collection of labels: blocks partition joint.x") from None
            if not members:
                raise InputError("a block is empty: every block needs a letter")
            for member in members:
                if member is None:
                    raise InputError("a block names a value that was never seen as an x: blocks partition joint.x")
                if block_of[member] >= 0:
                    raise InputError("a value stands in two blocks: blocks partition joint.x")
                block_of[member] = number
        if (block_of < 0).any():
            raise InputError(f"{int((block_of < 0).sum())} letters of x are in no block: blocks partition joint.x")
        return self.coarsen_by(block_of)

    def coarsen_by(self, block_of: IntArray) -> Joint:
        """The same, with a block number a letter instead of labels."""
        _, first, numbers = np.unique(block_of, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))  # blocks stand in the order of their earliest letters
        letters = rank[numbers]
        members: list[list[Label]] = [[] for _ in range(len(first))]
        for letter, label in zip(letters.tolist(), self.x, strict=True):
            members[letter].append(label)
        # A block of several columns is one letter of one column: its parts can no longer be told apart.
        names = self._x.names if len(self._x.names) < 2 else (", ".join(self._x.names),)
        alphabet = Alphabet(([tuple(block) for block in members],), None, names)
        return self._with_x(alphabet, letters)

    def attribute(self, mapping: Mapping[Label, Label]) -> Joint:
        """The joint of U = g(S) with X, for a mapping {s: u} [BF, III]."""
        unknown = [label for label in self.s if label not in mapping]
        if unknown:
            raise InputError(f"the attribute has no value for {len(unknown)} of {self.n_s} letters of s")
        u, codes = encode([mapping[label] for label in self.s])
        return self._with_s(u, codes)

    def select(self, sensitive: Sequence[str] | None = None, public: Sequence[str] | None = None) -> Joint:
        """The joint of some of the columns it was counted from; the others are forgotten."""
        joint = self
        if sensitive is not None and tuple(sensitive) != self.sensitive:
            joint = joint._with_s(*subset(self._s, sensitive, "sensitive"))
        if public is not None and tuple(public) != self.public:
            joint = joint._with_x(*subset(self._x, public, "public"))
        return joint

    def without_each(self) -> Iterator[Joint]:
        """The joints without one public column each, in order; their letters are numbers."""
        for _, letters in leaving_out_each(self._x):
            yield self._with_x(Alphabet((np.arange(int(letters.max()) + 1),)), letters)

    def paired(self) -> Joint:
        """S against Y = (S, X): for a curator who publishes the sensitive columns too, coarsened [AC, end of V-C].

        Examples
        --------
        >>> Joint.from_pairs([("s1", 1), ("s2", 1)]).paired().x
        (('s1', 1), ('s2', 1))
        """
        s, x = (self._counts.indices.astype(np.int64), self.x_of_pair.astype(np.int64))
        columns: list[tuple[Alphabet, IntArray]] = []
        for alphabet, codes in ((self._s, s), (self._x, x)):
            if alphabet.codes is None:
                columns.append((Alphabet(alphabet.columns), codes))
            else:
                columns += [
                    (Alphabet((column,)), alphabet.codes[codes, i]) for i, column in enumerate(alphabet.columns)
                ]
        y, letters = combine(columns, [*self._s.names, *self._x.names])
        pairs = matrix_of(s, letters, self._counts.data, shape=(self.n_s, len(y)))
        return Joint(self._s, y, pairs, missing=self.missing, has_counts=self.has_counts)

    def with_side(self) -> Joint:
        """S against the pairs (x, a) as one variable, numbered: what somebody with side information sees."""
        return Joint(self._s, Alphabet((np.arange(len(self.side.x_of)),)), self.side.counts)

    def transpose(self) -> Joint:
        """X in the role of S and S in the role of X."""
        return Joint(self._x, self._s, canonical(self._counts.T), has_counts=self.has_counts)

    def _with_x(self, x: Alphabet, letter_of: IntArray) -> Joint:
        pairs = matrix_of(self._counts.indices, letter_of[self.x_of_pair], self._counts.data, shape=(self.n_s, len(x)))
        side = self._side.with_x(letter_of, self.n_s) if self._side else None
        return Joint(self._s, x, pairs, side=side, missing=self.missing, has_counts=self.has_counts)

    def _with_s(self, s: Alphabet, letter_of: IntArray) -> Joint:
        pairs = matrix_of(letter_of[self._counts.indices], self.x_of_pair, self._counts.data, shape=(len(s), self.n_x))
        side = self._side.with_s(letter_of, len(s)) if self._side else None
        return Joint(s, self._x, pairs, side=side, missing=self.missing, has_counts=self.has_counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Joint):
            return NotImplemented
        return (
            self.s == other.s
            and self.x == other.x
            and self.has_counts == other.has_counts
            and same_matrix(self._counts, other._counts)
            and self._side == other._side
        )

    def __hash__(self) -> int:
        return hash((self.n_s, self.n_x, self._counts.nnz, self.total))

    def __reduce__(self) -> tuple[Any, ...]:
        # What was derived is derived again, and counts come back read-only.
        make = functools.partial(
            Joint, side=self._side, missing=self.missing, has_counts=self.has_counts, bands=self.bands
        )
        return make, (self._s, self._x, self._counts)

    def __repr__(self) -> str:
        weight = f"{self.total:,} rows" if self.is_integral else ("pmf" if self.has_counts else "support only")
        side = f" × {len(self._side.a)} a" if self._side else ""
        return f"Joint({self.n_s} s × {self.n_x} x{side}, {self._counts.nnz:,} pairs, {weight})"

    def _repr_html_(self) -> str:
        rows = [
            ("|S|", f"{self.n_s:,}", f"distinct values of {', '.join(self.sensitive)}"),
            ("|X|", f"{self.n_x:,}", f"distinct values of {', '.join(self.public)}: groups"),
            ("pairs", f"{self._counts.nnz:,}", "of s and x that were seen together"),
            ("k", f"{int(self.distinct.min()):,}", "distinct s in the worst group"),
            ("certain", f"{int((self.distinct == 1).sum()):,}", "groups with a single s, which is given away"),
        ]
        if self.is_integral:
            said = self.missing.sentence() if self.missing else "missing values were treated before"
            rows.insert(0, ("rows", f"{self.total:,}", said))
        return fragment(repr(self), rows)


def from_codes(
    s: tuple[Alphabet, IntArray],
    x: tuple[Alphabet, IntArray],
    weights: npt.NDArray[Any],
    *,
    side: tuple[Alphabet, IntArray] | None = None,
) -> Joint:
    """A joint of entries that are numbered already, each axis an alphabet with a code per entry.

    Letters that no entry has are left out.
    """
    seen_s, s_codes = np.unique(s[1], return_inverse=True)
    seen_x, x_codes = np.unique(x[1], return_inverse=True)
    matrix = matrix_of(s_codes, x_codes, weights, shape=(len(seen_s), len(seen_x)))
    known = Side.build(side, s_codes, x_codes, weights, len(seen_s)) if side is not None else None
    return Joint(s[0].take(seen_s), x[0].take(seen_x), matrix, side=known)


def nobody(entries: int) -> tuple[Alphabet, IntArray]:
    """A sensitive value that everybody shares, where groups of records are all that is asked about."""
    return Alphabet(((None,),)), np.zeros(entries, dtype=np.int64)


def records_apart(joint: Joint) -> Joint:
    """Return what the records of a joint would tell at the most: a group for each value of S, and one of its records alone.

    The pmf of S stays, and whoever sees the group knows the value; the groups of one record are the smallest there can be. With
    side information, the same of the records of each (s, x, a).
    """
    if joint.has_side:
        counts = joint.side.counts
        s, weights = counts.indices.astype(np.int64), counts.data
        known = np.repeat(joint.side.a_of, np.diff(counts.indptr))
    else:
        s, weights, known = np.arange(joint.n_s), np.asarray(joint.s_weight).astype(np.int64), None
    several = np.flatnonzero(weights > 1)
    entry = np.concatenate([np.arange(len(s)), several])
    groups = Alphabet((np.arange(len(entry)),)), np.arange(len(entry))
    side = None if known is None else (joint.side.a, known[entry])
    records = np.concatenate([np.ones(len(s), dtype=np.int64), weights[several] - 1])
    return from_codes((joint._s, s[entry]), groups, records, side=side)
