"""What general statements are checked on: every joint range of at most four by four values, every attribute, random others."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

import discreet as dc

if TYPE_CHECKING:
    from discreet import Joint
    from discreet_papers.claims import Study

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
T = TypeVar("T")

MOST = 4  # values of X and of Y up to which all joint ranges are gone through
RANDOM, LETTERS = 40, 5  # random ranges beyond, with so many values of X
TABLES = 100
TRIPLES = 2000
SEED = 2021


def _columns(n_x: int, n_y: int) -> Iterator[tuple[int, ...]]:
    """The ranges [[X|y]] of n_y values of y as bit sets, up to the order of the y, which leave no x unseen."""
    for columns in itertools.combinations_with_replacement(range(1, 1 << n_x), n_y):
        seen = 0
        for column in columns:
            seen |= column
        if seen + 1 == 1 << n_x:
            yield columns


def _array(columns: Sequence[int], n_x: int) -> Bools:
    return np.array([[bool(column >> x & 1) for column in columns] for x in range(n_x)])


def joint_ranges(most: int = MOST) -> list[Bools]:
    """All joint ranges [[X, Y]] of at most `most` values each, up to renaming.

    In the order of size: fewest values of X first, then of Y, then fewest pairs, so that the first counterexample is smallest.
    """
    found = []
    for n_x, n_y in itertools.product(range(1, most + 1), repeat=2):
        renamed = [
            [sum(1 << order[x] for x in range(n_x) if column >> x & 1) for column in range(1 << n_x)]
            for order in itertools.permutations(range(n_x))
        ]
        kept = {min(tuple(sorted(to[c] for c in columns)) for to in renamed) for columns in _columns(n_x, n_y)}
        found += [_array(columns, n_x) for columns in sorted(kept, key=lambda c: (sum(map(int.bit_count, c)), c))]
    return found


def small_joints(study: Study) -> tuple[Joint, ...]:
    """The joint of each of them (316)."""
    del study  # the same in every study
    return tuple(dc.Joint.from_array(support) for support in joint_ranges())


def joints(study: Study) -> tuple[Joint, ...]:
    """The same, smallest first, and then random ones of five values of X and two to six of Y."""
    rng = np.random.default_rng(SEED)
    drawn = []
    for _ in range(RANDOM):
        support = rng.random((LETTERS, rng.integers(2, 7))) < rng.uniform(0.3, 0.9)
        support[:, ~support.any(axis=0)] = True
        drawn.append(dc.Joint.from_array(support))
    return (*study.once(small_joints), *drawn)


def attributes(n: int) -> Iterator[tuple[int, ...]]:
    """All functions g of n values up to the names of what they give: the partitions, as restricted growth strings."""

    def grown(g: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(g) == n:
            yield g
            return
        for u in range(max(g, default=-1) + 2):
            yield from grown((*g, u))

    return grown(())


@dataclass(frozen=True)
class Attribute:
    """U = g(X) against Y."""

    g: dict[object, int]
    joint: Joint

    @property
    def leakage(self) -> float:
        """L(U→Y), in bits [BF, Def 1]."""
        return dc.measures.worst_case_leakage(self.joint)


def attributed(study: Study) -> tuple[tuple[Joint, tuple[Attribute, ...]], ...]:
    """Each of the joints with every attribute of its X."""
    found = []
    for joint in study.once(joints):
        maps = [dict(zip(joint.s, g, strict=True)) for g in attributes(joint.n_s)]
        found.append((joint, tuple(Attribute(g, joint.attribute(g)) for g in maps)))
    return tuple(found)


@dataclass(frozen=True)
class Chain:
    """A Markov chain X − Y − Z of uncertain variables: what is seen of Z depends on y alone."""

    xy: Joint
    yz: Joint
    xz: Joint


def chains(study: Study) -> tuple[Chain, ...]:
    """All chains of at most three values each, up to renaming (some more than once); fewest values first."""
    del study
    second: dict[int, list[tuple[Bools, Joint]]] = {}
    for n_y, n_z in itertools.product(range(1, 4), repeat=2):
        arrays = [_array(columns, n_y) for columns in _columns(n_y, n_z)]
        second.setdefault(n_y, []).extend((array, dc.Joint.from_array(array)) for array in arrays)
    found = []
    for support in joint_ranges(3):
        xy = dc.Joint.from_array(support)
        # [[X|z]] is the union of the [[X|y]] over the y seen with z [BF, (1)].
        found += [Chain(xy, yz, dc.Joint.from_array(support @ array)) for array, yz in second[support.shape[1]]]
    return tuple(sorted(found, key=lambda chain: (chain.xy.n_s, chain.xy.n_x, chain.yz.n_x, chain.xy.counts.nnz)))


def triples(study: Study) -> tuple[Bools, ...]:
    """Joint ranges [[X, Y, Z]] that are Markov chains by definition: all of three bits, and random ones of 3 × 2 × 2 values."""
    return tuple(seen for seen in study.once(all_triples) if is_chain(seen))


def all_triples(study: Study) -> tuple[Bools, ...]:
    """The same, chains or not."""
    del study
    rng = np.random.default_rng(SEED)
    ranges = [np.array(cells).reshape(2, 2, 2) for cells in itertools.product([False, True], repeat=8) if any(cells)]
    return (*ranges, *(rng.random((3, 2, 2)) < 0.7 for _ in range(TRIPLES)))


def is_chain(seen: Bools) -> bool:
    """Whether [[X|z,y]] = [[X|y]] for all (z, y) that are seen, for the joint range seen[x, y, z]."""
    given_y = seen.any(axis=2, keepdims=True)
    return bool(((seen == given_y) | ~seen.any(axis=0)).all())


def tables(study: Study) -> tuple[Joint, ...]:
    """Random tables of counts, two to five values each way, for statements about probabilities."""
    del study
    rng = np.random.default_rng(SEED)
    drawn: list[Joint] = []
    while len(drawn) < TABLES:
        counts = rng.integers(0, rng.integers(2, 7), size=rng.integers(2, 6, size=2))
        if counts.any(axis=0).all() and counts.any(axis=1).all():
            drawn.append(dc.Joint.from_array(counts))
    return tuple(drawn)


def smallest(items: Iterable[T], condition: Callable[[T], bool]) -> T:
    """The first that meets the condition; where none does the last, so that a claim's own check refuses it."""
    for item in items:
        if condition(item):
            break
    return item


def together(one: Joint, other: Joint) -> Joint:
    """(X1, X2) against (Y1, Y2) of two unrelated pairs."""
    return dc.Joint.from_array(np.kron(one.counts.toarray() > 0, other.counts.toarray() > 0))


def shape(joint: Joint) -> str:
    """A joint range by its conditional ranges: what each y may come from."""
    return ", ".join(
        f"[[X|y{y + 1}]] = {{{','.join(f'x{x + 1}' for x in joint.codes_of(y))}}}" for y in range(joint.n_x)
    )


def on_joints(study: Study) -> str:
    """What `joints` are, for a sentence."""
    return f"{len(study.once(joints))} joint ranges (all up to {MOST} × {MOST} values, {RANDOM} random ones)"


def on_attributes(study: Study) -> str:
    """What `attributed` are, for a sentence."""
    return f"{sum(len(found) for _, found in study.once(attributed)):,} attributes of {on_joints(study)}"


def least(joint: Joint) -> int:
    """min_y |[[X|y]]|, the fewest values that an output leaves possible."""
    return int(dc.measures.distinct_anonymity(joint))


def close(one: float, other: float, within: float = 1e-9) -> bool:
    """Equal but for rounding."""
    return abs(one - other) <= within


def few_records(most: int = 4) -> Iterator[Joint]:
    """All tables of at most two values each way with 1, 2, ... records."""
    for records in range(1, most + 1):
        for cells in itertools.product(range(records + 1), repeat=4):
            if sum(cells) == records:
                yield dc.Joint.from_array(np.array(cells).reshape(2, 2))
