"""V: k-anonymity that leaks everything."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from discreet.joint import Joint
from discreet.measures import hartley_entropy, maximin_information, record_anonymity, worst_case_leakage
from discreet.papers.claims import Outcome, Study, matches, misprint
from discreet.papers.dq.families import SLACK
from discreet.papers.dq.paper import PAPER

Rows = tuple[object, ...]
"""A table as its rows, one a person."""
VALUES = (2, 4, 16)
"""Points that stand for the values of a person."""


def _is_anonymous(released: Rows, k: int) -> bool:
    """Whether every released row occurs k times or more [DQ, Def V.1]."""
    return min(Counter(released).values()) >= k


def _suppressed(x: Rows) -> Rows:
    """Everything suppressed: k-anonymous for every k up to the number of rows."""
    return ("*",) * len(x)


def _as_printed(x: Rows) -> Rows:
    """f̃ of the proof for n = k = 2: the first k rows are published as they are."""
    return x


def _mended(x: Rows) -> Rows:
    """f̃ where the rows are identical, f elsewhere."""
    return x if len(set(x)) == 1 else _suppressed(x)


def _released(values: int, people: int, f: Callable[[Rows], Rows]) -> Joint:
    """The joint range of data sets and releases."""
    return Joint.from_pairs([(x, f(x)) for x in itertools.product(range(values), repeat=people)])


@PAPER.claim("Prop V.1", "some k-anonymous f̃ has d0(X|f̃(X)) = 0 and thus L0(X;f̃(X)) = h0(X)")
def everything_leaks(study: Study) -> Outcome:
    found = [worst_case_leakage(_released(m, 2, _mended)) for m in VALUES]
    volumes = [
        -2 * math.log2(m) for m in VALUES
    ]  # of one data set of two people in [0, 1], each value a cell of length 1/m
    disarray = [2 * math.log2(m) + volume - bits for bits, m, volume in zip(found, VALUES, volumes, strict=True)]
    return misprint(
        f"true of counted letters: two people with {VALUES} values, shown where they are equal, L0 = "
        f"{', '.join(f'{bits:g}' for bits in found)} bits, all of h0. By (5) and (6) "
        f"a region of volume 0 has d0 = −∞ and L0 = +∞ (finer grids of [0, 1]²: d0 = "
        f"{', '.join(f'{d:g}' for d in disarray)})",
        printed=all(abs(d) < SLACK for d in disarray),
        corrected=all(abs(bits - 2 * math.log2(m)) < SLACK for bits, m in zip(found, VALUES, strict=True))
        and all(abs(d - volume) < SLACK for d, volume in zip(disarray, volumes, strict=True)),
    )


@PAPER.claim("Prop V.1", "and I*(X;f̃(X)) = ∞")
def without_bound(study: Study) -> Outcome:
    found = [maximin_information(_released(m, 2, _mended)) for m in VALUES]
    anonymous = all(_is_anonymous(_mended(x), 2) for m in VALUES for x in itertools.product(range(m), repeat=2))
    return matches(
        f"two people with {VALUES} values: I* = {', '.join(f'{bits:.2f}' for bits in found)} bits, log2(m + 1), "
        f"without bound as the grid gets finer; every release is "
        "2-anonymous",
        anonymous,
        all(abs(bits - math.log2(m + 1)) < SLACK for bits, m in zip(found, VALUES, strict=True)),
    )


@PAPER.claim("Prop V.1, proof", "f̃(x) is x_1, …, x_k above [0_{(n−k)×n} I_{n−k}] f(x)")
def shapes(study: Study) -> Outcome:
    n, k = 5, 2
    printed, meant = (np.hstack((np.zeros((n - k, width)), np.eye(n - k))) for width in (n, k))
    table = np.arange(n * 3).reshape(n, 3)
    return misprint(
        f"f(x) has n rows and the matrix 2n − k columns ({printed.shape[1]} for n = 5, k = 2); with 0 of size "
        f"(n−k)×k it has {meant.shape[1]}, and picks the last n − k rows",
        printed=printed.shape[1] == n,
        corrected=meant.shape[1] == n and bool((meant @ table == table[k:]).all()),
    )


@PAPER.claim("Prop V.1, proof", "by construction f̃ is k-anonymous too")
def still_anonymous(study: Study) -> Outcome:
    every = list(itertools.product(range(2), repeat=2))
    printed, meant = ([x for x in every if not _is_anonymous(f(x), 2)] for f in (_as_printed, _mended))
    return misprint(
        f"only where x has k identical rows, and f̃ is needed for all x: two people with values 0 and 1 (the "
        f"fewest), x = {printed[0]} is published as it is. With f(x) "
        "where rows differ it is 2-anonymous, and the conclusions stand",
        printed=not printed,
        corrected=not meant,
    )


@PAPER.claim("Prop V.1, proof", "[[X|f̃(x)]] = [[X|f(x)]] ∩ {the first k rows are x_1, …, x_k}")
def conditional_range(study: Study) -> Outcome:
    k = 2

    def f(x: Sequence[int]) -> Rows:
        parity = sum(x[k:]) % 2
        return (parity, parity, "*", "*")

    every = [x for x in itertools.product((0, 1), repeat=4) if x[0] == x[1]]
    equal, inside = [], []
    for x in every:
        told = {other for other in every if other[:k] + f(other)[k:] == x[:k] + f(x)[k:]}
        printed = {other for other in every if f(other) == f(x) and other[:k] == x[:k]}
        equal.append(told == printed)
        inside.append(told >= printed)
    return misprint(
        f"⊇ is meant, since f̃ drops the first k rows of f(x): four people with values 0 and 1, f's first two rows "
        f"telling the parity of the others, 2-anonymous: equal for "
        f"{sum(equal)} of {len(every)} data sets. The volume is 0 all the same",
        printed=all(equal),
        corrected=all(inside) and all(_is_anonymous(f(x), k) for x in every),
    )


@PAPER.claim(
    "V",
    "k-anonymity is not private: where a sensitive value is the same in all k records it is told exactly "
    "(homogeneity attack)",
)
def homogeneity(study: Study) -> Outcome:
    table = {"postcode": ["13***", "13***", "14***", "14***"], "illness": ["flu", "flu", "cancer", "cancer"]}
    joint = Joint.from_table(table, "illness", "postcode")
    k, leakage, maximin = record_anonymity(joint), worst_case_leakage(joint), maximin_information(joint)
    five = Joint.from_array(5 * np.eye(8, dtype=np.int64))
    return matches(
        f"four records (the fewest with two illnesses), {k:g}-anonymous: L0 = I* = {leakage:g} bit, all there is; "
        f"eight illnesses with five records each are "
        f"{record_anonymity(five):g}-anonymous and give L0 = I* = {worst_case_leakage(five):g} bits",
        k == 2,
        leakage == maximin == hartley_entropy(joint) == 1,
        record_anonymity(five) == 5,
        worst_case_leakage(five) == maximin_information(five) == hartley_entropy(five) == 3,
    )
