"""V: k-anonymity that leaks everything."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable

import numpy as np

from discreet import Joint
from discreet.measures import hartley_entropy, maximin_information, record_anonymity, worst_case_leakage
from discreet_papers.claims import Outcome, Study, matches, misprint, refuted
from discreet_papers.dq.families import SLACK
from discreet_papers.dq.paper import PAPER

Rows = tuple[object, ...]
"""A table as its rows, one per person."""
VALUES = (2, 4, 16)
"""Points that stand for the values of a person."""


def _is_anonymous(released: Rows, k: int) -> bool:
    """Whether every released row occurs k times or more [DQ, Def V.1]."""
    return min(Counter(released).values()) >= k


def _suppressed(x: Rows) -> Rows:
    """Everything suppressed: k-anonymous for every k up to the number of rows."""
    return ("*",) * len(x)


def _shown(x: Rows, k: int, f: Callable[[Rows], Rows]) -> Rows:
    """f̃ of the proof, for x whose first k rows are identical: those rows, and f's for the others."""
    return x[:k] + f(x)[k:]


def _mended(x: Rows) -> Rows:
    """f̃ where the rows are identical, f elsewhere."""
    return x if len(set(x)) == 1 else _suppressed(x)


def _released(values: int, people: int, f: Callable[[Rows], Rows]) -> Joint:
    """The joint range of data sets and releases."""
    return Joint.from_pairs([(x, f(x)) for x in itertools.product(range(values), repeat=people)])


@PAPER.claim("Prop V.1", "some k-anonymous f̃ has d0(X|f̃(X)) = 0 and thus L0(X;f̃(X)) = h0(X)")
def everything_leaks(study: Study) -> Outcome:
    found = [worst_case_leakage(_released(m, 2, _mended)) for m in VALUES]
    # of one data set of two people in [0, 1], each value a cell of length 1/m
    volumes = [-2 * math.log2(m) for m in VALUES]
    disarray = [2 * math.log2(m) + volume - bits for bits, m, volume in zip(found, VALUES, volumes, strict=True)]
    return misprint(
        "a region of volume 0 has d0 = log 0 = −∞ and L0 = +∞, by (5), (6) and Ex II.1; two people in [0, 1], "
        f"shown where they are equal, on grids of {VALUES} values: d0 = {', '.join(f'{d:g}' for d in disarray)} "
        f"bits. As printed it holds where letters are counted: L0 = {', '.join(f'{bits:g}' for bits in found)} "
        "bits, all of H0",
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
        "without bound as the grid gets finer; every release is 2-anonymous",
        anonymous,
        all(abs(bits - math.log2(m + 1)) < SLACK for bits, m in zip(found, VALUES, strict=True)),
    )


@PAPER.claim(
    "Prop V.1, proof", "for any k-anonymous f, f̃ is k-anonymous too by construction, where x has k identical rows"
)
def still_anonymous(study: Study) -> Outcome:
    k = 2
    broken = {
        people: sum(
            _is_anonymous(_suppressed(x), k) and not _is_anonymous(_shown(x, k, _suppressed), k)
            for x in itertools.product(range(2), repeat=people)
            if len(set(x[:k])) == 1
        )
        for people in (2, 3, 4, 5)
    }
    return refuted(
        "f̃ shows the k rows and keeps f's others, which may have been k-anonymous only together with them: "
        "three people (the fewest), k = 2, all suppressed by f, x = (0, 0, 1): f̃(x) = (0, 0, *), and nobody "
        "shares the *. It holds where f's other rows are k-anonymous by themselves, as here for two, four and "
        "five people, and the proposition stands",
        counterexample=broken[3] > 0 and broken[2] == broken[4] == broken[5] == 0,
    )


@PAPER.claim(
    "Prop V.1, proof",
    "f̃(x), which is x_1, …, x_k above [0 I_{n−k}] f(x), tells x_1, …, x_k, so that μ([[X|f̃(x)]]) = 0",
)
def tells_the_rows(study: Study) -> Outcome:
    k, people = 2, 4

    def parities(x: Rows) -> Rows:
        parity = sum(row in (1, 3) for row in x[k:]) % 2
        return (parity, parity, "*", "*")

    largest, wider, cases = [], 0, 0
    for m in (2, 4):
        every = [x for x in itertools.product(range(m), repeat=people) if x[0] == x[1]]
        for f in (_suppressed, parities):
            told: dict[Rows, set[Rows]] = {}
            for x in every:
                told.setdefault(_shown(x, k, f), set()).add(x)
            largest.append(max(map(len, told.values())) / m**people)
            printed = {(x, other) for x in every for other in every if f(x) == f(other) and x[:k] == other[:k]}
            wider += len(printed) < sum(len(region) ** 2 for region in told.values())
            cases += 1
    zeros = np.hstack((np.zeros((3, k)), np.eye(3))) @ np.arange(5)
    return matches(
        f"four people on grids of m = 2 and 4 values, k = 2: a region has at most {largest[0]:g} and "
        f"{largest[-1]:g} of the volume, m^−k, which falls to 0. The zero block must be (n−k) × k to pick the "
        "last rows; (n−k) × n is printed. And [[X|f̃(x)]] can be larger than the intersection that is printed, "
        f"as f's first rows are dropped (in {wider} of {cases} cases, f telling a parity there)",
        all(share <= m**-k for share, m in zip(largest, (2, 2, 4, 4), strict=True)),
        zeros.tolist() == [2, 3, 4],
        wider == cases // 2,
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
        f"eight illnesses with five records each are {record_anonymity(five):g}-anonymous and give L0 = I* = "
        f"{worst_case_leakage(five):g} bits",
        k == 2,
        leakage == maximin == hartley_entropy(joint) == 1,
        record_anonymity(five) == 5,
        worst_case_leakage(five) == maximin_information(five) == hartley_entropy(five) == 3,
    )
