"""Sets of partitions: figures at hand, each partition built when somebody asks for it.

A frontier over a million letters has more partitions than memory, so an engine keeps what makes them: rows where they are
few, compressed rows where they are many, or the log of merges or moves that leads from one to the next. All of it is plain
data, which can be pickled and saved. Whatever the store, a partition is `block_of`: each letter's block, named by its
earliest letter.

| store | memory | one partition |
|---|---|---|
| `Listed` | 4 bytes a letter and partition | O(n) |
| `Packed` | a few bytes a change between neighbouring letters | O(n) |
| `Merged` | O(n) for all steps of a path | O(n log n) |
| `Moved` | O(n + moves) for all steps of a path | O(n + moves) |
| `Joined` | that of its parts | that of its part |
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray

S = TypeVar("S")
SmallArray = npt.NDArray[np.int32]


def canonical(labels: npt.NDArray[np.integer]) -> IntArray:
    """Labels, whole numbers from 0 with gaps allowed, as a partition: each block named by its earliest letter.

    Examples
    --------
    >>> canonical(np.array([2, 0, 2, 5])).tolist()
    [0, 1, 0, 3]
    """
    n = len(labels)
    first = np.empty(int(labels.max(initial=-1)) + 1, dtype=np.int64)
    first[labels[::-1]] = np.arange(n - 1, -1, -1)  # of repeated places the last assignment holds
    names: IntArray = first[labels]
    return names


class Store(Protocol):
    """Partitions in an order, by number."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def partition(self, i: int) -> IntArray:
        """The i-th, i from 0."""
        ...

    def take(self, indices: IntArray) -> Store:
        """Some of them, without what only the others need."""
        ...


KINDS: dict[str, type[Any]] = {}
"""Stores by name, for files. Other packages add their own by `stored`."""


def stored(kind: type[S]) -> type[S]:
    """A class of stores whose fields are arrays, bytes or tuples of these and of stores, so that files can hold it."""
    KINDS[kind.__name__] = kind
    return kind


@stored
@dataclass(frozen=True, eq=False)
class Listed:
    """Partitions as they are, one row each; labels need not be named yet."""

    rows: SmallArray

    @classmethod
    def of(cls, partitions: Sequence[npt.NDArray[np.integer]]) -> Listed:
        """Of a list of partitions of one alphabet."""
        width = len(partitions[0]) if partitions else 0
        return cls(np.array(partitions, dtype=np.int32).reshape(len(partitions), width))

    def __len__(self) -> int:
        return len(self.rows)

    def partition(self, i: int) -> IntArray:
        """The i-th."""
        return canonical(self.rows[i])

    def take(self, indices: IntArray) -> Listed:
        """Some of the rows."""
        return Listed(self.rows[indices])


@stored
@dataclass(frozen=True, eq=False)
class Packed:
    """Compressed partitions: what changes from letter to letter in an order in which neighbours mostly share a block.

    Blocks on a line are runs in the order of values, dealt letters are periodic in the order of dealing, so that a
    partition of a million letters takes kilobytes.
    """

    order: SmallArray
    rows: tuple[bytes, ...] = field(repr=False)

    @classmethod
    def of(cls, partitions: Iterable[npt.NDArray[np.integer]], order: npt.NDArray[np.integer]) -> Packed:
        """Of partitions that may be made one by one, in the order that suits them."""
        placed = order.astype(np.int32)
        return cls(placed, tuple(cls.packed(each, placed) for each in partitions))

    @staticmethod
    def packed(block_of: npt.NDArray[np.integer], order: SmallArray) -> bytes:
        """One partition; blocks are numbered in the order in which they come up, so that steps are small."""
        first = canonical(block_of[order])
        number = (np.cumsum(first == np.arange(len(first))) - 1)[first].astype(np.int32)
        return zlib.compress(np.diff(number, prepend=np.int32(0)).tobytes(), 1)

    def __len__(self) -> int:
        return len(self.rows)

    def partition(self, i: int) -> IntArray:
        """The i-th."""
        labels = np.empty(len(self.order), dtype=np.int64)
        labels[self.order] = np.cumsum(np.frombuffer(zlib.decompress(self.rows[i]), dtype=np.int32))
        return canonical(labels)

    def take(self, indices: IntArray) -> Packed:
        """Some of the rows."""
        return Packed(self.order, tuple(self.rows[i] for i in indices.tolist()))


@stored
@dataclass(frozen=True, eq=False)
class Merged:
    """Steps of a merge path: merge t takes block `right[t]` into block `left[t]`, which has the lower name."""

    start: IntArray  # the partition before the first merge
    left: IntArray
    right: IntArray
    after: IntArray  # how many merges each partition has behind it

    def __len__(self) -> int:
        return len(self.after)

    def partition(self, i: int) -> IntArray:
        """The i-th: the merges before it, replayed."""
        end = int(self.after[i])
        into = self.start.copy()
        into[self.right[:end]] = self.left[:end]  # a block is taken in once, by a lower name
        while True:
            further = into[into]
            if np.array_equal(further, into):
                return into
            into = further

    def take(self, indices: IntArray) -> Merged:
        """Some of the steps."""
        after = self.after[indices]
        end = int(after.max(initial=0))
        return Merged(self.start, self.left[:end], self.right[:end], after)


@stored
@dataclass(frozen=True, eq=False)
class Moved:
    """Steps of a path on which move t puts letter `letters[t]` into block `blocks[t]`, by number."""

    start: IntArray
    letters: IntArray
    blocks: IntArray
    after: IntArray  # how many moves each partition has behind it

    def __len__(self) -> int:
        return len(self.after)

    def partition(self, i: int) -> IntArray:
        """The i-th: the moves before it, replayed."""
        end = int(self.after[i])
        block = self.start.copy()
        block[self.letters[:end]] = self.blocks[:end]  # of repeated letters the last assignment holds
        return canonical(block)

    def take(self, indices: IntArray) -> Moved:
        """Some of the steps."""
        after = self.after[indices]
        end = int(after.max(initial=0))
        return Moved(self.start, self.letters[:end], self.blocks[:end], after)


@stored
@dataclass(frozen=True, eq=False)
class Joined:
    """Partitions of several stores in one order: the i-th is the `at[i]`-th of `parts[part[i]]`."""

    parts: tuple[Store, ...]
    part: IntArray
    at: IntArray

    @classmethod
    def of(cls, parts: Sequence[Store]) -> Joined:
        """One store after the other."""
        sizes = [len(part) for part in parts]
        places = [np.arange(size) for size in sizes]
        return cls(tuple(parts), np.repeat(np.arange(len(sizes)), sizes), np.concatenate(places))

    def __len__(self) -> int:
        return len(self.part)

    def partition(self, i: int) -> IntArray:
        """The i-th."""
        return self.parts[int(self.part[i])].partition(int(self.at[i]))

    def take(self, indices: IntArray) -> Joined:
        """Some of them; parts that have none left are let go."""
        part, at = self.part[indices], self.at[indices].copy()
        kept = []
        for i in (used := np.unique(part)).tolist():
            mine = part == i
            needed, at[mine] = np.unique(at[mine], return_inverse=True)
            kept.append(self.parts[i].take(needed))
        return Joined(tuple(kept), np.searchsorted(used, part), at)


@dataclass(frozen=True, eq=False)
class Partitions:
    """Partitions with what each leaks and keeps: what every engine returns and every frontier holds.

    Attributes
    ----------
    leakage, utility
        In the units of the frontier, one entry per partition.
    store
        What builds the partitions.
    bound
        What no partition at that utility can leak less than (a bottleneck: keep more than), where it is known.
    """

    leakage: FloatArray
    utility: FloatArray
    store: Store = field(repr=False)
    bound: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.leakage)

    def partition(self, i: int) -> IntArray:
        """Each letter's block, named by its earliest letter; negative numbers count from the end."""
        return self.store.partition(range(len(self))[i])

    def __iter__(self) -> Iterator[IntArray]:
        return (self.partition(i) for i in range(len(self)))

    def take(self, indices: IntArray) -> Partitions:
        """Some of them."""
        bound = None if self.bound is None else self.bound[indices]
        return Partitions(self.leakage[indices], self.utility[indices], self.store.take(indices), bound)

    def bounded(self, bound: FloatArray | None) -> Partitions:
        """The same with a proven bound each."""
        return replace(self, bound=bound)

    @staticmethod
    def together(parts: Sequence[Partitions]) -> Partitions:
        """Several sets as one, without their bounds."""
        return Partitions(
            np.concatenate([part.leakage for part in parts]),
            np.concatenate([part.utility for part in parts]),
            Joined.of([part.store for part in parts]),
        )
