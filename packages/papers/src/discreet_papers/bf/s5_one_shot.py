"""Section V: guessing in one shot, maximin information, zero-error capacity, stochastic maximal leakage."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

import discreet as dc
from discreet_papers.bf.families import SEED, Floats, attributed, attributes, close, on_attributes, small_joints, tables
from discreet_papers.bf.paper import PAPER
from discreet_papers.bf.s3_majority_vote import VOTERS, majority
from discreet_papers.claims import Outcome, Study, matches, misprint, refuted

if TYPE_CHECKING:
    from discreet import Joint

_L_STAR = dc.measures.maximal_guessing_leakage
_I_STAR = dc.measures.maximin_information


@PAPER.claim(
    "V-A, Prop 6",
    "one guess finds U if |[[U|y]]| = 1 for all y; I*(X;Y) is the supremum of L(U→Y) over such U, and at most L*(X→Y)",
)
def proposition_6(study: Study) -> Outcome:
    every = study.once(attributed)
    certain = [(joint, [a for a in found if a.joint.distinct.max() == 1]) for joint, found in every]
    return matches(
        f"{sum(len(found) for _, found in certain):,} of {on_attributes(study)} are such; each leaks H0(U), and the "
        "most that one leaks is I*",
        all(close(max(a.leakage for a in found), _I_STAR(joint)) for joint, found in certain),
        all(close(a.leakage, dc.measures.hartley_entropy(a.joint)) for _, found in certain for a in found),
        all(_I_STAR(joint) <= _L_STAR(joint) + 1e-9 for joint, _ in every),
    )


@PAPER.claim("Ex 2, (9)", "majority vote: the best U guessed in one shot is the majority itself; I* = 1 bit for all n")
def example_2(study: Study) -> Outcome:
    joints = study.once(majority)
    parts = {n: {s for s, _ in dc.measures.overlap_partition(joint)} for n, joint in joints.items()}
    return matches(
        f"the overlap partition has two parts, [[X|Y=0]] and [[X|Y=1]], for n = 1 to {VOTERS} voters",
        all(parts[n] == {frozenset(joint.range_of(y)) for y in (0, 1)} for n, joint in joints.items()),
        all(_I_STAR(joint) == 1 for joint in joints.values()),
    )


def _messages(channel: set[tuple[object, object]]) -> int:
    """sup over X of 2^I*: the most inputs of a channel of which no two can give one output, whatever inputs X takes."""
    inputs = sorted({x for x, _ in channel}, key=repr)
    chosen = (c for size in range(1, len(inputs) + 1) for c in itertools.combinations(inputs, size))
    return max(dc.Joint.from_pairs([(x, y) for x, y in channel if x in c]).components[0] for c in chosen)


@PAPER.claim("Remark 2", "the zero-error capacity of any memoryless channel is the supremum over X of I*(X;Y)")
def zero_error_capacity(study: Study) -> Outcome:
    pentagon: set[tuple[object, object]] = {(x, (x + i) % 5) for x in range(5) for i in (0, 1)}
    code = [(i, 2 * i % 5) for i in range(5)]
    twice = [((a, b), (y, z)) for a, b in code for x, y in pentagon if x == a for w, z in pentagon if w == b]
    once, both = _messages(pentagon), dc.Joint.from_pairs(twice).components[0]
    small = []
    for joint in study.once(small_joints):
        confused = (joint.support @ joint.support.T).toarray() > 0
        cover = min(max(g) + 1 for g in attributes(joint.n_s) if confused[np.equal.outer(g, g)].all())
        alone = {(joint.s[int(x)], joint.x[int(y)]) for x, y in zip(joint.counts.indices, joint.x_of_pair, strict=True)}
        small.append(_messages(alone) == cover)  # a cover by cliques bounds any number of uses
    return refuted(
        f"for five inputs in a ring, each confused with its neighbours, sup I* is {math.log2(once):g} bit, as one "
        f"use tells {once} messages apart; but two uses tell {both} apart, so the capacity is at least "
        f"{math.log2(both) / 2:.3f} bits per use. It is the supremum of I*/n over blocks of n uses. Five inputs are "
        f"the fewest: up to four, one use is as good ({len(small)} channels up to 4 × 4)",
        counterexample=once == 2 and both == 5 and all(small),
    )


@PAPER.claim("Remark 2", "the zero-error capacity of an ε-identifiable channel is at most log(|X|(1 − 2^(−ε)) + 1)")
def capacity_bound(study: Study) -> Outcome:
    from scipy.optimize import linprog

    every = study.once(small_joints)
    holds = []
    for joint in every:
        # Shannon's bound with feedback: the largest Σ w(x) with at most 1 on the inputs of each output.
        packing = linprog(-np.ones(joint.n_s), A_ub=joint.support.toarray().T, b_ub=np.ones(joint.n_x), bounds=(0, 1))
        epsilon = dc.measures.worst_case_leakage(joint)
        holds.append(packing.success and np.asarray(packing.x).sum() <= joint.n_s * (1 - 2**-epsilon) + 1 + 1e-7)
    return matches(
        "it holds, though the equation before it does not: Shannon's bound on the capacity, with feedback even, is "
        f"no greater for all {len(every)} channels up to 4 × 4 (in general, too: the inputs of one output weigh at "
        "most 1 together, each of the others at most 1)",
        all(holds),
    )


def split(joint: Joint) -> Joint:
    """U = (x, i), i = 1..n(x), against Y: each x split into as many equally likely parts as it has records."""
    channel = joint.counts.toarray() / joint.s_weight[:, None]
    return dc.Joint.from_array(np.repeat(channel, joint.s_weight.astype(int), axis=0))


@PAPER.claim("Def 4", "sup over U of the gain of one guess is log Σ_y max_x p(y|x), Sibson's information of order ∞")
def definition_4(study: Study) -> Outcome:
    gain, value = dc.measures.min_entropy_leakage, dc.measures.maximal_leakage
    every = study.once(tables)
    rng = np.random.default_rng(SEED)
    excess = -math.inf
    for joint in every:
        functions = [joint.attribute(dict(zip(joint.s, g, strict=True))) for g in attributes(joint.n_s)]
        noisy = [rng.dirichlet(np.full(7, 0.2), size=joint.n_s).T @ joint.counts.toarray() for _ in range(10)]
        guessed = [*functions, *map(dc.Joint.from_array, noisy)]
        excess = max(excess, *(gain(attribute) - value(joint) for attribute in guessed))
    return matches(
        f"on {len(every)} random tables of counts it is attained by a U that splits each x into equally likely parts, "
        "and exceeded by no function of X and by none of ten random U",
        all(close(gain(split(joint)), value(joint)) for joint in every),
        excess <= 1e-9,
        all(close(dc.measures.sibson_information(joint, order=1e5), value(joint), 1e-3) for joint in every),
    )


def _sup_stochastic(n_x: int, n_y: int) -> float:
    """sup over p(y|x) of stochastic maximal leakage: Σ_y max_x p(y|x) is convex, so deterministic channels attain it."""
    maps = itertools.product(range(n_y), repeat=n_x)
    return max(dc.measures.maximal_leakage(dc.Joint.from_pairs(list(enumerate(outputs)))) for outputs in maps)


def suprema(study: Study) -> dict[tuple[int, int], tuple[float, float, float]]:
    """By |[[X]]| and |[[Y]]|: the suprema over channels of stochastic maximal leakage, of I* and of L*."""
    found: dict[tuple[int, int], tuple[float, float, float]] = {}
    for joint in study.once(small_joints):
        size = (joint.n_s, joint.n_x)
        stochastic, maximin, maximal = found.get(size) or (_sup_stochastic(*size), 0.0, 0.0)
        found[size] = (stochastic, max(maximin, _I_STAR(joint)), max(maximal, _L_STAR(joint)))
    return found


def _random_channel(rng: np.random.Generator, n_x: int, n_y: int) -> Floats:
    return np.asarray(rng.dirichlet(np.full(n_y, 0.3), size=n_x))


@PAPER.claim(
    "V-B, [5, Lemma 1]", "deterministic channels have the largest stochastic maximal leakage, min{H0(X), H0(Y)}"
)
def worst_channel(study: Study) -> Outcome:
    found = study.once(suprema)
    rng, each = np.random.default_rng(SEED), 30
    below = all(
        dc.measures.maximal_leakage(dc.Joint.from_array(_random_channel(rng, *size))) <= found[size][0] + 1e-9
        for size in found
        for _ in range(each)
    )
    return matches(
        f"so for all deterministic channels of the {len(found)} sizes up to 4 × 4; {each} random channels of each "
        "size have no more",
        below,
        all(close(found[x, y][0], math.log2(min(x, y))) for x, y in found),
    )


@PAPER.claim("V-B, before (10)", "min{H0(X), H0(Y)} = min{|[[X]]|, |[[Y]]|}")
def lost_logarithm(study: Study) -> Outcome:
    found = study.once(suprema)
    return misprint(
        "the logarithms are missing: it is min{log |[[X]]|, log |[[Y]]|}, for two values each 1 bit and not 2",
        printed=all(close(found[x, y][0], min(x, y)) for x, y in found),
        corrected=all(close(found[x, y][0], math.log2(min(x, y))) for x, y in found),
    )


@PAPER.claim("V-B, before (10)", "sup over [[Y|X]] of L* is H0(X)")
def sup_maximal(study: Study) -> Outcome:
    found = study.once(suprema)
    return matches(
        "so for all joint ranges of each size up to 4 × 4, if Y takes two values or more, as goes without saying (a "
        f"constant Y leaks {found[2, 1][2]:g})",
        all(close(found[x, y][2], math.log2(x) if y > 1 else 0) for x, y in found),
    )


@PAPER.claim("V-B, before (10)", "sup over [[Y|X]] of I* is min{H0(X), H0(Y)}")
def sup_maximin(study: Study) -> Outcome:
    found = study.once(suprema)
    return matches(
        f"so for all joint ranges of each of the {len(found)} sizes up to 4 × 4",
        all(close(found[x, y][1], math.log2(min(x, y))) for x, y in found),
    )


@PAPER.claim(
    "(10)",
    "over channels, sup of stochastic maximal leakage = sup of I* ≤ sup of L*, with equality when |[[X]]| ≤ |[[Y]]|",
)
def equation_10(study: Study) -> Outcome:
    found = study.once(suprema)
    return matches(
        "so for all sizes up to 4 × 4 (with equality when Y is constant, too). Each supremum has its own worst "
        "channel, so this says nothing about one channel: see VI",
        all(close(stochastic, maximin) for stochastic, maximin, _ in found.values()),
        all(maximin <= maximal + 1e-9 for _, maximin, maximal in found.values()),
        all(close(found[x, y][1], found[x, y][2]) == (x <= y or y == 1) for x, y in found),
    )
