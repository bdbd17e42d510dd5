"""Mappings p(y|xⁿ) that can be run: they draw y for given samples, and say what y tells and what it leaks.

Three forms, one interface. `Table` has a row for every cell of the support. `ByType` has a row for every type (how often
each value occurs among exchangeable samples). `Orbits` is for exchangeable samples whose y are too many to list: y is a
posterior pattern and a random order of the samples, drawn without ever writing the channel down.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import factorial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from discreet.errors import InputError
from discreet.sample_privacy._problem import entropy

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.sample_privacy._problem import Problem
    from discreet.sample_privacy._symmetric import Types

CHANNEL_LIMIT = 1 << 25  # numbers of a channel that is written out


class Mapping(Protocol):
    """What every form offers.

    ``width`` integers are one y; ``size`` is |Y|; ``information`` is I(W;Y) and ``residual`` the largest I(X_g;Y), in
    bits, both computed from the probabilities that ``draw`` uses.
    """

    @property
    def width(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def information(self) -> float: ...
    @property
    def residual(self) -> float: ...
    @property
    def p_y(self) -> FloatArray: ...
    def draw(self, samples: IntArray, rng: np.random.Generator) -> IntArray: ...
    def channel(self) -> FloatArray: ...


def mutual_information(joint: FloatArray) -> float:
    """I in bits of a joint pmf over two axes."""
    product = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    ratio = np.divide(joint, product, out=np.ones_like(joint), where=joint > 0)
    return max(0.0, float((joint * np.log2(ratio)).sum()))


def by_row(table: FloatArray, rows: IntArray, rng: np.random.Generator) -> IntArray:
    """One draw a row from the pmfs table[rows], by inversion."""
    cumulative = np.cumsum(table, axis=1)
    found = np.empty(len(rows), np.int64)
    uniform = rng.random(len(rows))
    for row in np.unique(rows):
        at = np.flatnonzero(rows == row)
        total = cumulative[row, -1]
        found[at] = np.searchsorted(cumulative[row], uniform[at] * total, side="right")
    last = table.shape[1] - 1 - np.argmax(table[:, ::-1] > 0, axis=1)
    return np.asarray(np.minimum(found, last[rows]), np.int64)


class Evidence:
    """What a mapping and a proven bound say together; figures come from the mapping's own probabilities."""

    mapping: Mapping
    upper_bound: float

    @property
    def information(self) -> float:
        """I(W;Y) in bits."""
        return self.mapping.information

    @property
    def residual(self) -> float:
        """The largest I(X_g;Y) in bits over the private groups: rounding only."""
        return self.mapping.residual

    @property
    def gap(self) -> float:
        """Bits by which the mapping may fall short of the best one."""
        return max(0.0, self.upper_bound - self.information)

    @property
    def size(self) -> int:
        """|Y|, how many values y can have."""
        return self.mapping.size

    @property
    def p_y(self) -> FloatArray:
        """The pmf of Y (of its pattern, where y is a pattern and an order of the samples too many to list)."""
        return self.mapping.p_y

    @cached_property
    def channel(self) -> FloatArray:
        """p(y|xⁿ) of shape p.shape + (|Y|,), finite where p = 0; an error where that is too large to write out."""
        return self.mapping.channel()


class _Rows(ABC):
    """A mapping that is a table of p(y|row), one row per cell or type of known probability."""

    table: FloatArray
    width = 1

    @property
    @abstractmethod
    def weights(self) -> FloatArray:
        """The probability of each row."""

    @property
    def size(self) -> int:
        """|Y|, how many values y can have."""
        return int(self.table.shape[1])

    @cached_property
    def joint(self) -> FloatArray:
        """p(row, y), one row for each of the table's."""
        return self.weights[:, None] * self.table

    @cached_property
    def p_y(self) -> FloatArray:
        """The pmf of Y."""
        return np.asarray(self.joint.sum(0))


@dataclass(frozen=True, eq=False)
class Table(_Rows):
    """p(y|x) on the support: N × |Y|. Cells of probability zero get the pmf of Y, which says nothing."""

    problem: Problem
    table: FloatArray

    @property
    def weights(self) -> FloatArray:
        """The probability of each cell of the support."""
        return self.problem.weights

    @cached_property
    def posteriors(self) -> FloatArray:
        """p(x|y) on the support, one row a y."""
        return np.asarray((self.joint / self.p_y).T)

    @cached_property
    def information(self) -> float:
        """I(W;Y) in bits."""
        latent = self.problem.latent_weights
        return mutual_information(self.joint if latent is None else latent.T @ self.joint)

    @cached_property
    def residual(self) -> float:
        """The largest I(X_g;Y) in bits over the private groups."""
        worst = 0.0
        for group in self.problem.private:
            code = np.unique(self.problem.cells[:, list(group)], axis=0, return_inverse=True)[1].ravel()
            marginal = np.zeros((int(code.max()) + 1, self.size))
            np.add.at(marginal, code, self.joint)
            worst = max(worst, mutual_information(marginal))
        return worst

    def channel(self) -> FloatArray:
        """p(y|xⁿ) with shape ``p.shape + (|Y|,)``."""
        p = self.problem.p
        if p.size * self.size > CHANNEL_LIMIT:
            raise InputError(f"the channel has {p.size * self.size:,} numbers: draw from it instead of writing it out")
        found = np.tile(self.p_y, (p.size, 1))
        found[self.problem.flat] = self.table
        return found.reshape(*p.shape, self.size)

    def draw(self, samples: IntArray, rng: np.random.Generator) -> IntArray:
        """y for each row of samples (rows × n): rows × 1, numbers 0 .. |Y|−1."""
        place = np.ravel_multi_index(tuple(np.asarray(samples, np.int64).T), self.problem.p.shape)
        at = np.searchsorted(self.problem.flat, place)
        unseen = self.problem.flat[np.minimum(at, len(self.problem.flat) - 1)] != place
        rows = np.where(unseen, len(self.table), at)
        return by_row(np.vstack([self.table, self.p_y]), rows, rng)[:, None]


@dataclass(frozen=True, eq=False)
class ByType(_Rows):
    """p(y|type): T × |Y|, for a W that the samples' order does not matter to.

    ``latent`` is p(w|type), or None for the samples themselves as W (then the rest of them stays undisclosed).
    """

    types: Types
    latent: FloatArray | None
    table: FloatArray

    @property
    def weights(self) -> FloatArray:
        """The probability of each type."""
        return self.types.p

    @cached_property
    def information(self) -> float:
        """I(W;Y) in bits."""
        return mutual_information(self.joint if self.latent is None else self.latent.T @ self.joint)

    @cached_property
    def residual(self) -> float:
        """The largest I(X_g;Y) in bits over the private groups."""
        return max((mutual_information(block @ self.joint) for block in self.types.marginals), default=0.0)

    def channel(self) -> FloatArray:
        """p(y|xⁿ) with shape ``p.shape + (|Y|,)``."""
        shape = self.types.shape
        if self.size * float(np.prod(np.array(shape, float))) > CHANNEL_LIMIT:
            raise InputError("the channel over all samples is too large to write out: draw from it instead")
        cells = np.argwhere(np.ones(shape, bool))
        return np.vstack([self.table, self.p_y])[self.types.of(cells)].reshape(*shape, self.size)

    def draw(self, samples: IntArray, rng: np.random.Generator) -> IntArray:
        """y for each row of samples (rows × n): rows × 1, numbers 0 .. |Y|−1."""
        return by_row(np.vstack([self.table, self.p_y]), self.types.of(np.asarray(samples, np.int64)), rng)[:, None]


@dataclass(frozen=True, eq=False)
class Orbits:
    """Posterior patterns of exchangeable samples, in every order: y = (pattern, which place each sample takes).

    Attributes
    ----------
    types
        The types of the samples and their pmf.
    words
        Of each pattern its words, one sample value a place: words × n.
    masses
        Of each pattern p(o, word) = π_o u_o(word); over all patterns the words of a type share its probability.
    """

    types: Types
    words: tuple[IntArray, ...]
    masses: tuple[FloatArray, ...]

    @property
    def width(self) -> int:
        """The pattern, and a place for every sample."""
        return 1 + self.types.n

    @cached_property
    def places(self) -> tuple[tuple[IntArray, IntArray], ...]:
        """Of each pattern its distinct columns (class and values in all words), and the column of each place."""
        found = []
        for words in self.words:
            columns, name = np.unique(np.vstack([self.types.classes, words]).T, axis=0, return_inverse=True)
            found.append((columns.astype(np.int64), name.ravel().astype(np.int64)))
        return tuple(found)

    @property
    def size(self) -> int:
        """|Y|: of every pattern the orders of the samples that differ."""
        return sum(self.ways(pattern) for pattern in range(len(self.words)))

    def ways(self, pattern: int) -> int:
        """The orders of the samples that differ for a pattern: as many y, all equally likely."""
        columns, name = self.places[pattern]
        found = 1
        for label in np.unique(self.types.classes):
            found *= factorial(int((self.types.classes == label).sum()))
        for k in range(len(columns)):
            found //= factorial(int((name == k).sum()))
        return found

    @cached_property
    def pattern_pmf(self) -> FloatArray:
        """The pmf of the pattern; all orders of a pattern are equally likely."""
        return np.array([mass.sum() for mass in self.masses])

    @cached_property
    def p_y(self) -> FloatArray:
        """The pmf of Y in the order of `channel`, or of its pattern where y are too many to list."""
        if self.size > CHANNEL_LIMIT:
            return self.pattern_pmf
        ways = [self.ways(pattern) for pattern in range(len(self.words))]
        return np.asarray(np.repeat(self.pattern_pmf / ways, ways))

    @cached_property
    def information(self) -> float:
        """I(Xⁿ;Y) = H(Xⁿ) − Σ_o π_o H(u_o) in bits."""
        weights = self.pattern_pmf
        rest = sum(float(weight * entropy(mass / weight)) for mass, weight in zip(self.masses, weights, strict=True))
        return self.types.entropy - rest

    @cached_property
    def residual(self) -> float:
        """At least every I(X_g;Y) in bits: Σ_o π_o max_g D(u_o on g ‖ p on g)."""
        total = 0.0
        for words, mass in zip(self.words, self.masses, strict=True):
            worst = 0.0
            for label in np.unique(self.types.classes):
                places = np.flatnonzero(self.types.classes == label)
                prior = self.types.value_pmf(int(label))
                for place in places:
                    here = np.bincount(words[:, place], mass / mass.sum(), minlength=len(prior))
                    seen = here > 0
                    worst = max(worst, float((here[seen] * np.log2(here[seen] / prior[seen])).sum()))
            total += float(mass.sum()) * worst
        return max(0.0, total)

    def orders(self, pattern: int) -> IntArray:
        """All y of a pattern in lexicographic order: the place that each sample takes, orders × n."""
        columns, name = self.places[pattern]
        found = np.empty((1, 0), np.int64)
        left = np.bincount(name, minlength=len(columns))[None]
        for label in self.types.classes:
            fitting = (left > 0) & (columns[:, 0] == label)
            row, place = np.nonzero(fitting)
            found = np.column_stack([found[row], place])
            left = left[row]
            left[np.arange(len(row)), place] -= 1
        return found

    def channel(self) -> FloatArray:
        """p(y|xⁿ) with shape ``p.shape + (|Y|,)``: y by pattern, and within a pattern by `orders`."""
        shape, size = self.types.shape, self.size
        numbers = size * float(np.prod(np.array(shape, float)))
        if numbers > CHANNEL_LIMIT:
            raise InputError(
                f"|Y| = {size:,}, a channel of {numbers:.3g} numbers: draw from it instead of writing it out"
            )
        joint = np.zeros((int(np.prod(shape)), size))
        start = 0
        for pattern, mass in enumerate(self.masses):
            orders = self.orders(pattern)
            values = self.places[pattern][0][orders, 1:]  # orders × samples × words
            cells = np.ravel_multi_index(tuple(np.moveaxis(values, 1, 0)), shape)
            joint[cells, start + np.arange(len(orders))[:, None]] += mass / len(orders)
            start += len(orders)
        total = joint.sum(1, keepdims=True)
        found = np.divide(joint, total, out=np.tile(joint.sum(0) / total.sum(), (len(joint), 1)), where=total > 0)
        return np.asarray(found.reshape(*shape, size), np.float64)

    def posterior(self, code: IntArray) -> tuple[IntArray, FloatArray]:
        """What one y says: the words that the samples may be, and their probabilities."""
        columns, _ = self.places[int(code[0])]
        mass = self.masses[int(code[0])]
        return np.ascontiguousarray(columns[code[1:], 1:].T), mass / mass.sum()

    def draw(self, samples: IntArray, rng: np.random.Generator) -> IntArray:
        """y for each row of samples (rows × n): rows × (1 + n), the pattern and the place that each sample takes.

        A row of type t takes word z of pattern o with probability π_o u_o(z)/p(t), then a uniform order that carries z
        to the row; so p(y|x) = π_o u_o(z) / (p(x) · orders of the pattern).
        """
        rows = np.asarray(samples, np.int64)
        kind = self.types.of(rows)
        offsets = np.cumsum([0, *(len(words) for words in self.words)])
        all_words = np.concatenate(self.words)
        table = np.zeros((len(self.types.p) + 1, len(all_words)))
        table[self.types.of(all_words), np.arange(len(all_words))] = np.concatenate(self.masses)
        blank = table.sum(1) <= 0
        table[blank] = np.concatenate(self.masses)  # types that no word has: y is drawn without a look at the row
        rows = np.where(blank[kind][:, None], 0, rows)
        chosen = by_row(table, kind, rng)
        found = np.empty((len(rows), self.width), np.int64)
        for word in np.unique(chosen):
            at = np.flatnonzero(chosen == word)
            pattern = int(np.searchsorted(offsets, word, side="right")) - 1
            _, name = self.places[pattern]
            spare = rng.random((len(at), self.types.n))
            order = np.lexsort((spare, rows[at], np.broadcast_to(self.types.classes, rows[at].shape)), axis=1)
            template = np.lexsort((all_words[word], self.types.classes))
            found[at, 0] = pattern
            found[at[:, None], 1 + order] = name[template]
        return found
