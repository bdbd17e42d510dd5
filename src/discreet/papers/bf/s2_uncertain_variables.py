"""Section II: ranges, Markov chains, entropies of order 0, the overlap partition."""

from __future__ import annotations

import itertools
import math

import numpy as np

import discreet as dc
from discreet.papers.bf.families import (
    SEED,
    Bools,
    attributed,
    attributes,
    close,
    few_records,
    joints,
    small_joints,
    smallest,
    tables,
)
from discreet.papers.bf.paper import PAPER
from discreet.papers.claims import Outcome, Study, matches, misprint, refuted

_NEAR_ZERO = 1e-5  # an order α close to 0, and how far from its limit a measure may be there
_WITHIN = 1e-3


@PAPER.claim("II", "the conditional range is {X(ω) : there is an ω with Y(ω) in the given set}")
def conditional_range(study: Study) -> Outcome:
    pairs = [("x1", "y1"), ("x2", "y1"), ("x3", "y2")]
    joint = dc.Joint.from_pairs(pairs)
    printed = {x for x, _ in pairs if any(y == "y2" for _, y in pairs)}
    corrected = {x for x, y in pairs if y == "y2"}
    return misprint(
        "the ω of X must be the ω of Y, {X(ω) : Y(ω) in the set}; for Remark 1's range and y2 the print gives "
        f"{{{','.join(sorted(printed))}}}, meant is {{{','.join(sorted(corrected))}}}",
        printed=printed == set(joint.range_of("y2")),
        corrected=corrected == set(joint.range_of("y2")),
    )


@PAPER.claim("II", "X1, X2 are unrelated if each has its whole range given the other: the joint range is the product")
def unrelated(study: Study) -> Outcome:
    every = study.once(joints)
    holds = []
    for joint in every:
        one, other = (each.distinct.min() == each.n_s for each in (joint, joint.transpose()))
        holds.append(one == other == (joint.counts.nnz == joint.n_s * joint.n_x))
    return matches(f"each direction implies the other, and the product ({len(every)} joint ranges)", all(holds))


def _is_chain(seen: Bools) -> bool:
    """Whether [[X|z,y]] = [[X|y]] for all (z, y) that are seen, for the joint range seen[x, y, z]."""
    given_y = seen.any(axis=2, keepdims=True)
    return bool(((seen == given_y) | ~seen.any(axis=0)).all())


@PAPER.claim("II", "X − Y − Z is a Markov chain if and only if Z − Y − X is")
def symmetric_chains(study: Study) -> Outcome:
    rng = np.random.default_rng(SEED)
    ranges = [np.array(cells).reshape(2, 2, 2) for cells in itertools.product([False, True], repeat=8) if any(cells)]
    ranges += [rng.random((3, 2, 2)) < 0.7 for _ in range(2000)]
    chained = [_is_chain(seen) for seen in ranges]
    return matches(
        f"true of all 255 joint ranges of three bits and of 2,000 random ones of 3 × 2 × 2 values; {sum(chained)} "
        "are chains",
        all(_is_chain(seen.transpose(2, 1, 0)) == chain for seen, chain in zip(ranges, chained, strict=True)),
        0 < sum(chained) < len(chained),
    )


@PAPER.claim("II", "H0(X) is Rényi's entropy of order 0, H0(X|Y) Arimoto's conditional entropy of order 0")
def order_zero(study: Study) -> Outcome:
    every = study.once(tables)
    far = 0.0
    for joint in every:
        itself = dc.Joint.from_array(
            np.diag(joint.s_weight.astype(int))
        )  # of X with X, Arimoto's information is H_α(X)
        prior = dc.measures.arimoto_information(itself, order=_NEAR_ZERO)
        left = prior - dc.measures.arimoto_information(joint, order=_NEAR_ZERO)
        far = max(far, abs(prior - dc.measures.hartley_entropy(joint)))
        far = max(far, abs(left - dc.measures.conditional_hartley_entropy(joint)))
    return matches(
        f"at order {_NEAR_ZERO:g} both are within {far:.1e} bits of H0 on {len(every)} random tables", far < _WITHIN
    )


@PAPER.claim("II", "I0(X;Y) = H0(X) − H0(X|Y) is the 0-mutual information of [20] and [23]")
def zero_mutual_information(study: Study) -> Outcome:
    measures = dc.measures
    arimoto = all(
        close(measures.arimoto_information(j, order=_NEAR_ZERO), measures.zero_information(j), _WITHIN)
        for j in study.once(tables)
    )
    uniform = [
        dc.Joint.from_array(j.counts.toarray() / j.s_weight[:, None]) for j in study.once(tables)
    ]  # the same channel from a uniform X
    first = smallest(
        few_records(),
        lambda j: not close(measures.sibson_information(j, order=0), measures.zero_information(j)),
    )
    sibson = measures.sibson_information(first, order=0)
    return refuted(
        f"true of Arimoto's information [20]; that of [23], Sibson's, is I0 only if X is uniform ({len(uniform)} "
        f"random tables): with {first.total} records, the fewest that tell them apart, "
        f"{first.counts.toarray().tolist()}, it is {sibson:.3f} where I0 = {measures.zero_information(first):g}",
        counterexample=arimoto
        and all(close(measures.sibson_information(j, order=0), measures.zero_information(j)) for j in uniform)
        and close(sibson, measures.sibson_information(first, order=_NEAR_ZERO), _WITHIN)
        and abs(sibson - measures.zero_information(first)) > 0.1,
    )


@PAPER.claim("II", "there is exactly one overlap partition")
def one_partition(study: Study) -> Outcome:
    every = study.once(small_joints)
    holds = []
    for joint in every:
        overlap = (joint.support @ joint.support.T).toarray() > 0
        joined = np.linalg.matrix_power(overlap.astype(int), joint.n_s) > 0  # overlap connected
        found = [g for g in attributes(joint.n_s) if (np.equal.outer(g, g) == joined).all()]
        parts = {s for s, _ in dc.measures.overlap_partition(joint)}
        blocks = [{frozenset(x for x, u in zip(joint.s, g, strict=True) if u == v) for v in g} for g in found]
        holds.append(blocks == [parts])
    return matches(
        f"of all partitions of [[X]] one has connected and isolated parts, and it is ours ({len(every)} joint ranges)",
        all(holds),
    )


@PAPER.claim("II", "the overlap partitions of X given Y and of Y given X have as many parts: I* is symmetric")
def symmetric_maximin(study: Study) -> Outcome:
    every = study.once(joints)
    maximin = dc.measures.maximin_information
    asked = [close(maximin(joint), maximin(joint.transpose())) for joint in every]
    return matches(f"true of {len(every)} joint ranges", all(asked))


@PAPER.claim("I (3), II, V-A", "I* is the entropy of the common variable, the largest that X and Y each determine")
def common_variable(study: Study) -> Outcome:
    every = study.once(attributed)
    holds, checked = [], 0
    for joint, found in every:
        _, of_x, _ = joint.components
        both = [a for a in found if a.joint.distinct.max() == 1]  # U = g(X) and also U = f(Y)
        holds.append(close(math.log2(max(a.joint.n_s for a in both)), dc.measures.maximin_information(joint)))
        # Each is a function of the component.
        holds += [len(set(zip(of_x.tolist(), a.g.values(), strict=True))) == joint.components[0] for a in both]
        checked += len(found)
    return matches(
        f"of {checked:,} attributes on {len(every)} joint ranges, those that Y determines too are functions of the "
        "component",
        all(holds),
    )
