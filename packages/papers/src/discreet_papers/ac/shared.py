"""What the sections of [AC] share: its running example, and the families on which general statements are checked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from discreet import Frontier
from discreet.joint import Blocks, Joint
from discreet.release import Points
from discreet.search import Leakage, UtilityName, frontier
from discreet_papers.claims import Paper, Study

PAPER = Paper(
    "AC",
    "Ding and Farokhi (2020): Developing Non-Stochastic Privacy-Preserving Policies Using Agglomerative Clustering",
)

Label = Any
"""The name of a value: anything that can be hashed."""
Set = frozenset[Label]
Line = tuple[int, ...]  # a block of letters that are whole numbers
T = TypeVar("T")

# The picture of Fig. 1 is lost in the text; SPEC 2 says what it shows, and s4_graphs.py that nothing else fits.
RANGES = {
    "x1": ("s1", "s2"),
    "x2": ("s1",),
    "x3": ("s3",),
    "x4": ("s3",),
    "x5": ("s4",),
    "x6": ("s5",),
    "x7": ("s6",),
}
VALUES: Mapping[Label, float] = {"x1": 0.2, "x2": 0.1, "x3": 0.4, "x4": 0.3, "x5": 0.6, "x6": 1.5, "x7": 1.0}  # (3)
FAR: Mapping[Label, float] = {**VALUES, "x7": 4.0}  # Example 4

MOST = (3, 4)  # letters of S and of X up to which every support is looked at
TOLERANCE = 1e-9


# ---------------------------------------------------------------------- the running example


def joint_of(ranges: Mapping[Label, Iterable[Label]]) -> Joint:
    """The joint of a range, every pair seen once."""
    return Joint.from_pairs([(s, x) for x, seen in ranges.items() for s in seen])


def example(study: Study) -> Joint:
    """The joint of Example 1, to which the paper comes back throughout."""
    return study.once(_example)


def _example(_: Study) -> Joint:
    return joint_of(RANGES)


def merging(
    joint: Joint, leakage: Leakage, utility: UtilityName, values: Mapping[Label, float] | None = None
) -> Frontier:
    """The paper's own algorithm, with its whole path."""
    return frontier(joint, leakage, utility, "agglomerative", values=values)


def path_of(found: Frontier) -> Points:
    """The merge path of Algorithm 1 or 2."""
    assert found.path is not None  # noqa: S101, both have one
    return found.path


def lagrangian(path: Points, multiplier: float) -> npt.NDArray[np.float64]:
    """L = leakage − λ·utility along a path; L0 here and −B0 in the paper differ by the constant H0(S)."""
    value: npt.NDArray[np.float64] = path.leakage - multiplier * path.utility
    return value


def falls(values: npt.NDArray[np.float64]) -> bool:
    """Whether a sequence falls strictly."""
    return bool((np.diff(values) < 0).all())


# ---------------------------------------------------------------------- what is printed


def blocks(text: str) -> Blocks:
    """A partition as the paper abbreviates it: "127 35 46"."""
    return tuple(tuple(f"x{digit}" for digit in word) for word in text.split())


def written(partition: Iterable[Iterable[Label]]) -> str:
    """The same the other way round, in braces; numbered letters count from 1."""
    return "".join("{" + "".join(_digit(x) for x in block) + "}" for block in partition)


def _digit(label: Label) -> str:
    return str(label + 1) if isinstance(label, int) else str(label).removeprefix("x").removeprefix("s")


def same(partition: Iterable[Iterable[Label]], text: str) -> bool:
    """Whether a partition is the one that the paper abbreviates so."""
    return sets(partition) == sets(blocks(text))


def sets(partition: Iterable[Iterable[Label]]) -> frozenset[Set]:
    """A partition as a set of sets."""
    return frozenset(frozenset(block) for block in partition)


def shown(joint: Joint) -> str:
    """A small range in words, letters counted from 1: "x1:{s1,s2} x2:{s1}"."""
    return " ".join(f"x{_digit(x)}:{{{','.join('s' + _digit(s) for s in joint.range_of(x))}}}" for x in joint.x)


def numbers(partition: Iterable[Line]) -> str:
    """Blocks of numbers in braces."""
    return "".join("{" + ",".join(map(str, block)) + "}" for block in partition)


def close(first: float, second: float, within: float = TOLERANCE) -> bool:
    """Whether two figures are equal, as far as they are printed."""
    return math.isclose(first, second, rel_tol=0.0, abs_tol=within)


# ---------------------------------------------------------------------- families


def ranges_of(joint: Joint) -> dict[Label, Set]:
    """[[S|x]] for every x."""
    return {x: frozenset(joint.range_of(x)) for x in joint.x}


def supports(study: Study) -> tuple[Joint, ...]:
    """Every support of up to three s and four x, the smallest first."""
    return study.once(_supports)


def _supports(_: Study) -> tuple[Joint, ...]:
    sizes = itertools.product(range(1, MOST[0] + 1), range(1, MOST[1] + 1))
    ordered = sorted(sizes, key=lambda size: (size[0] * size[1], size[1]))
    return tuple(Joint.from_array(cells) for n_s, n_x in ordered for cells in tables(n_s, n_x))


def seen_once(study: Study) -> list[Joint]:
    """The smallest supports, as counts: each pair seen once."""
    return [Joint.from_array(joint.support.toarray().astype(np.int64)) for joint in supports(study)[:200]]


def tables(n_s: int, n_x: int) -> Iterator[npt.NDArray[np.bool_]]:
    """Every support with exactly these letters."""
    columns = [[bool(code >> s & 1) for s in range(n_s)] for code in range(1, 2**n_s)]
    for chosen in itertools.product(columns, repeat=n_x):
        cells = np.array(chosen, dtype=bool).T
        if cells.any(axis=1).all():
            yield cells


def weighted(study: Study) -> tuple[Joint, ...]:
    """Joints with counts: random ones on every support of up to three by three letters, and larger ones."""
    return study.once(_weighted)


def _weighted(study: Study) -> tuple[Joint, ...]:
    rng = np.random.default_rng(7)
    small = [joint for joint in supports(study) if max(joint.n_s, joint.n_x) <= 3]
    drawn = [Joint.from_array(joint.support.toarray() * rng.integers(1, 10, joint.support.shape)) for joint in small]
    return (*drawn, *larger(rng, 60))


def larger(rng: np.random.Generator, number: int) -> list[Joint]:
    """Random joints of up to six by eight letters, sparse and dense."""
    found: list[Joint] = []
    while len(found) < number:
        shape = (int(rng.integers(2, 7)), int(rng.integers(4, 9)))
        cells = rng.integers(1, 10, shape) * (rng.random(shape) < rng.uniform(0.2, 0.9))
        if cells.any():
            found.append(Joint.from_array(cells))
    return found


def partitions(items: Sequence[T]) -> Iterator[list[list[T]]]:
    """Every partition of a few items."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for others in partitions(rest):
        yield [[first], *others]
        for i, block in enumerate(others):
            yield [*others[:i], [first, *block], *others[i + 1 :]]


def first(family: Iterable[T], test: Callable[[T], bool]) -> T:
    """The first that passes, for a claim to check again; the last where none does, so that the claim becomes a mismatch."""
    for each in family:
        last = each
        if test(each):
            break
    return last


def merged(partition: Collection[Collection[T]], one: Collection[T], other: Collection[T]) -> list[list[T]]:
    """A partition after two of its blocks became one."""
    rest = [list(block) for block in partition if block is not one and block is not other]
    return [*rest, [*one, *other]]


def resolution(partition: Collection[Collection[object]]) -> float:
    """U1 = I0(X→X̂) = log |[[X]]| − log of the largest block, in bits."""
    return math.log2(sum(map(len, partition)) / max(map(len, partition)))


def distortion(block: Line, codeword: str = "centroid") -> Fraction:
    """d̄ of a block of numbers, exactly; the codeword is the centroid, a member of the block, or the midrange."""
    if codeword == "member":
        return Fraction(min(max(abs(x - y) for y in block) for x in block))
    centre = Fraction(sum(block), len(block)) if codeword == "centroid" else Fraction(min(block) + max(block), 2)
    return max(abs(x - centre) for x in block)
