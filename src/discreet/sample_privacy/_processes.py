"""Models of long data sets, independent samples and Markov chains, and drawing letters for millions of samples."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from discreet import _checks as checks
from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.sample_privacy._problem import array_of, entropy

DISTINCT = 5000
"""Windows with different pmfs that are solved for one data set."""

SETTLED = 1e-15
"""A chain whose marginals move less than this from one sample to the next is taken as stationary."""


class Process(Protocol):
    """What windows need to know of the samples."""

    @property
    def n(self) -> int:
        """How many samples."""

    @property
    def order(self) -> int:
        """Markov order: given this many consecutive samples, past and future are independent."""

    @property
    def entropy(self) -> float:
        """H(Xⁿ) in bits."""

    @property
    def sizes(self) -> IntArray:
        """Alphabet size of each sample."""

    def kinds(self, starts: IntArray, length: int) -> IntArray:
        """A number for each window; windows of the same number and length have the same pmf."""

    def window(self, start: int, length: int) -> FloatArray:
        """The pmf of consecutive samples, one axis a sample."""


def checked_process(process: Any) -> Process:
    """A model of the samples, or what to pass instead."""
    if not isinstance(process, Independent | MarkovChain):
        raise InputError(
            "describe the samples by Independent.identical(pmf, n), Independent.of(pmfs) or MarkovChain(…)"
        )
    return process


def _pmf(values: Any, what: str) -> FloatArray:
    p = array_of(values, what)
    if (
        p.dtype.kind not in "iufb"
        or p.ndim == 0
        or not np.isfinite(p).all()
        or (p < 0).any()
        or abs(p.sum() - 1) > 1e-9
    ):
        raise InputError(f"{what} must be probabilities that sum to one")
    return np.asarray(p / p.sum(), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Independent:
    """Independent samples: sample i has pmf pmfs[kind[i]]."""

    pmfs: tuple[FloatArray, ...]
    kind: IntArray

    @classmethod
    def identical(cls, pmf: Any, n: int) -> Independent:
        """n samples with one pmf."""
        n = checks.count(n, name="the number of samples", least=1)
        return cls((_pmf(pmf, "the pmf of a sample"),), np.zeros(n, dtype=np.int64))

    @classmethod
    def of(cls, pmfs: Sequence[Any]) -> Independent:
        """One pmf a sample; equal ones are kept once."""
        known: dict[bytes, int] = {}
        checked = [_pmf(p, f"the pmf of sample {i}") for i, p in enumerate(pmfs)]
        kind = np.array([known.setdefault(p.tobytes(), len(known)) for p in checked], dtype=np.int64)
        return cls(tuple(np.frombuffer(p) for p in known), kind)

    @property
    def n(self) -> int:
        """How many samples."""
        return len(self.kind)

    @property
    def order(self) -> int:
        """How many samples before it a sample depends on: none."""
        return 0

    @property
    def sizes(self) -> IntArray:
        """Alphabet size of each sample."""
        return np.array([len(p) for p in self.pmfs], dtype=np.int64)[self.kind]

    @cached_property
    def entropy(self) -> float:
        """H(Xⁿ) = Σ H(X_i), in bits."""
        counts = np.bincount(self.kind, minlength=len(self.pmfs))
        return float(sum(c * float(entropy(p)) for c, p in zip(counts, self.pmfs, strict=True)))

    def kinds(self, starts: IntArray, length: int) -> IntArray:
        """Windows are alike when their samples are, one by one."""
        if len(self.pmfs) == 1:
            return np.zeros(len(starts), dtype=np.int64)
        rows = self.kind[starts[:, None] + np.arange(length)]
        return np.unique(rows, axis=0, return_inverse=True)[1].ravel().astype(np.int64)

    def window(self, start: int, length: int) -> FloatArray:
        """The product of the pmfs."""
        out = np.ones(())
        for i in range(start, start + length):
            out = np.multiply.outer(out, self.pmfs[self.kind[i]])
        return out


@dataclass(frozen=True, eq=False)
class MarkovChain:
    """A chain of some order: pmf of the first `order` samples, and p(next | last `order` samples), last axis next."""

    initial: FloatArray
    transition: FloatArray
    length: int

    def __post_init__(self) -> None:
        states = (self.transition.shape[-1],) * self.initial.ndim
        if self.initial.shape != states or self.transition.shape != (*states, states[0]):
            raise InputError("a chain of order k needs an initial pmf of k axes and a transition of k + 1, all equal")
        _pmf(self.initial, "the initial pmf")
        sums = self.transition.sum(axis=-1)
        if not np.isfinite(self.transition).all() or (self.transition < 0).any() or np.abs(sums - 1).max() > 1e-9:
            raise InputError("the transition must hold probabilities that sum to one over its last axis")
        if self.length < self.initial.ndim:
            raise InputError(f"a chain of order {self.initial.ndim} has at least that many samples")

    @classmethod
    def stationary(cls, transition: Any, n: int) -> MarkovChain:
        """n samples of the chain in its stationary state."""
        steps = np.asarray(transition, dtype=np.float64)
        size, order = steps.shape[-1], steps.ndim - 1
        states = size**order
        table = steps.reshape(states, size)
        move = np.zeros((states, states))
        for state, value in itertools.product(range(states), range(size)):
            move[state, state * size % states + value] += table[state, value]
        system = np.vstack([move.T - np.eye(states), np.ones(states)])
        found = np.linalg.lstsq(system, np.append(np.zeros(states), 1.0), rcond=None)[0].clip(0)
        return cls((found / found.sum()).reshape((size,) * order), steps, n)

    @property
    def n(self) -> int:
        """How many samples."""
        return self.length

    @property
    def order(self) -> int:
        """How many samples the next one looks back on."""
        return self.initial.ndim

    @property
    def sizes(self) -> IntArray:
        """Alphabet size of each sample."""
        return np.full(self.n, self.transition.shape[-1], dtype=np.int64)

    @cached_property
    def states(self) -> list[FloatArray]:
        """The pmf of samples i, …, i + order − 1 for i = 0, 1, … until it no longer moves."""
        found = [self.initial]
        while len(found) <= self.n - self.order:
            after = self._extend(found[-1]).sum(axis=0)
            if np.abs(after - found[-1]).max() <= SETTLED:
                break
            found.append(after)
            if len(found) > DISTINCT:
                raise InputError("the chain does not settle: start it in its stationary state")
        return found

    def _extend(self, p: FloatArray) -> FloatArray:
        return np.asarray(p[..., None] * self.transition)

    @cached_property
    def entropy(self) -> float:
        """H(Xⁿ) in bits, by the chain rule."""
        gains = [float(entropy(self._extend(p)) - entropy(p)) for p in self.states]
        steps = self.n - self.order
        moving = min(steps, len(gains))
        return float(entropy(self.initial)) + sum(gains[:moving]) + (steps - moving) * gains[-1]

    def kinds(self, starts: IntArray, length: int) -> IntArray:
        """Windows are alike once the chain has settled."""
        return np.minimum(starts, len(self.states) - 1)

    def window(self, start: int, length: int) -> FloatArray:
        """The pmf of consecutive samples."""
        p = self.states[min(start, len(self.states) - 1)]
        for _ in range(length - self.order):
            p = np.asarray(p[..., None] * self.transition.reshape((1,) * (p.ndim - self.order) + self.transition.shape))
        return np.asarray(p.sum(axis=tuple(range(length, p.ndim))))


@dataclass(frozen=True, eq=False)
class RowSampler:
    """Draws a letter from the pmf of a row, for millions of rows at once: cumulative masses, searched by bisection.

    Row i has letters[indptr[i]:indptr[i+1]] with cumulative masses in `reached`; only positive masses are stored.
    """

    indptr: IntArray
    letters: IntArray
    reached: FloatArray

    @classmethod
    def of(cls, rows: Sequence[tuple[IntArray, FloatArray]]) -> RowSampler:
        """From (letters, masses) of each row."""
        masses = [m / m.sum() for _, m in rows]
        reached = [np.cumsum(m) for m in masses]
        for r in reached:
            r[-1] = 1.0
        sizes = [len(m) for m in masses]
        return cls(
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.concatenate([letters for letters, _ in rows]).astype(np.int64),
            np.concatenate(reached),
        )

    @classmethod
    def dense(cls, matrix: FloatArray) -> RowSampler:
        """From a matrix with one pmf a row."""
        places = [np.flatnonzero(row > 0) for row in matrix]
        return cls.of([(at.astype(np.int64), row[at]) for at, row in zip(places, matrix, strict=True)])

    def draw(self, rows: IntArray, rng: np.random.Generator) -> IntArray:
        """One letter for each named row."""
        u = rng.random(len(rows))
        low, high = self.indptr[rows], self.indptr[rows + 1] - 1
        for _ in range(int(np.diff(self.indptr).max(initial=1) - 1).bit_length()):
            middle = (low + high) >> 1
            beyond = u >= self.reached[middle]
            low = np.where(beyond & (low < high), middle + 1, low)
            high = np.where(beyond, high, np.maximum(middle, low))
        return self.letters[low]


def check_samples(samples: Any, sizes: IntArray) -> IntArray:
    """The samples as whole numbers within their alphabets; sizes has one entry per sample."""
    codes = array_of(samples, "samples")
    if codes.shape != sizes.shape:
        raise InputError(f"expected {len(sizes)} samples in one row, got an array of shape {codes.shape}")
    if codes.dtype.kind not in "iu":
        raise InputError("samples must be whole numbers, 0 for the first letter of the alphabet")
    if ((codes < 0) | (codes >= sizes)).any():
        place = int(np.flatnonzero((codes < 0) | (codes >= sizes))[0])
        raise InputError(f"sample {place} is not a letter of its alphabet: rebuild the mapping with that letter in it")
    return codes.astype(np.int64, copy=False)


def compositions(total: int, parts: int) -> FloatArray:
    """Every way to write `total` as an ordered sum of `parts` numbers ≥ 0, one per row."""
    rows = np.zeros((1, 0), dtype=np.int64)
    left = np.array([total])
    for _ in range(parts - 1):
        repeat = np.repeat(np.arange(len(left)), left + 1)
        start = np.concatenate([[0], np.cumsum(left + 1)[:-1]])
        value = np.arange(len(repeat)) - start[repeat]
        rows, left = np.column_stack([rows[repeat], value]), left[repeat] - value
    return np.column_stack([rows, left]).astype(np.float64)


def log_multinomial(types: FloatArray) -> FloatArray:
    """ln of the number of orders of each type, one per row."""
    from scipy.special import gammaln

    return np.asarray(gammaln(types.sum(axis=1) + 1) - gammaln(types + 1).sum(axis=1))
