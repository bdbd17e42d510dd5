"""Section II: ranges, Markov chains, entropies of order 0, the overlap partition."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import discreet as dc
from discreet_papers.bf.families import (
    TRIPLES,
    Bools,
    all_triples,
    attributed,
    attributes,
    close,
    few_records,
    is_chain,
    joints,
    on_attributes,
    on_joints,
    small_joints,
    smallest,
    tables,
)
from discreet_papers.bf.paper import PAPER
from discreet_papers.claims import Outcome, Study, matches

if TYPE_CHECKING:
    from discreet import Joint

_I_STAR = dc.measures.maximin_information
_NEAR_ZERO = 1e-5  # an order α close to 0, and how far from its limit a measure may be there
_WITHIN = 1e-3


@PAPER.claim("II", "the conditional range is {X(ω) : there is an ω with Y(ω) in the given set}")
def conditional_range(study: Study) -> Outcome:
    """The authors write it so elsewhere, too: a notation, in which ∃ω does not bind a new ω."""
    pairs = [("x1", "y1"), ("x2", "y1"), ("x3", "y2")]
    joint = dc.Joint.from_pairs(pairs)
    found = {y: {x for x, given in pairs if given == y} for y in joint.x}
    letter = {x for x, _ in pairs if any(y == "y2" for _, y in pairs)}
    return matches(
        "read with one and the same ω for X and Y, as all of the paper does: in Remark 1's range [[X|y2]] is "
        f"{{{','.join(sorted(found['y2']))}}} (with an ω of its own for Y it would be {{{','.join(sorted(letter))}}})",
        all(set(joint.range_of(y)) == given for y, given in found.items()),
        letter != found["y2"],
    )


@PAPER.claim("II", "X1, X2 are unrelated if each has its whole range given the other: the joint range is the product")
def unrelated(study: Study) -> Outcome:
    every = study.once(joints)
    holds = []
    for joint in every:
        one, other = (each.distinct.min() == each.n_s for each in (joint, joint.transpose()))
        holds.append(one == other == (joint.counts.nnz == joint.n_s * joint.n_x))
    return matches(
        f"on {on_joints(study)} each direction implies the other and that the joint range is the product", all(holds)
    )


@PAPER.claim("II", "X − Y − Z is a Markov chain if and only if Z − Y − X is")
def symmetric_chains(study: Study) -> Outcome:
    ranges = study.once(all_triples)
    chained = [is_chain(seen) for seen in ranges]
    return matches(
        f"so for all 255 joint ranges of three bits and {TRIPLES:,} random ones of 3 × 2 × 2 values, of which "
        f"{sum(chained)} are chains",
        all(is_chain(seen.transpose(2, 1, 0)) == chain for seen, chain in zip(ranges, chained, strict=True)),
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
        f"at order {_NEAR_ZERO:g} they are within {far:.1e} bits of H0(X) and H0(X|Y) on {len(every)} random tables "
        "of counts",
        far < _WITHIN,
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
    return matches(
        f"I0 is the limit of Arimoto's information [20] at order 0 on {len(uniform)} random tables of counts, and "
        "that of Sibson's, the main one of [23], if X is uniform; for other X Sibson's may differ: for the counts "
        f"{first.counts.toarray().tolist()} it is {sibson:.3f} where I0 = {measures.zero_information(first):g}",
        arimoto,
        all(close(measures.sibson_information(j, order=0), measures.zero_information(j)) for j in uniform),
        close(sibson, measures.sibson_information(first, order=_NEAR_ZERO), _WITHIN),
        abs(sibson - measures.zero_information(first)) > 0.1,
    )


def _connected(joint: Joint) -> Bools:
    """Which x and x' are [[X|Y]]-overlap connected: joined by a chain of ranges [[X|y]], each of which meets the next."""
    overlap = (joint.support @ joint.support.T).toarray() > 0
    return np.asarray(np.linalg.matrix_power(overlap.astype(int), joint.n_s) > 0)


@PAPER.claim("II", "there is exactly one overlap partition")
def one_partition(study: Study) -> Outcome:
    every = study.once(small_joints)
    holds = []
    for joint in every:
        joined = _connected(joint)
        found = [g for g in attributes(joint.n_s) if (np.equal.outer(g, g) == joined).all()]
        parts = {s for s, _ in dc.measures.overlap_partition(joint)}
        blocks = [{frozenset(x for x, u in zip(joint.s, g, strict=True) if u == v) for v in g} for g in found]
        holds.append(blocks == [parts])
    return matches(
        f"of all partitions of [[X]] exactly one has parts that are overlap connected and isolated from each other, "
        f"and it is the one that discreet gives, for all {len(every)} joint ranges up to 4 × 4 values",
        all(holds),
    )


@PAPER.claim("II", "the overlap partitions of X given Y and of Y given X have as many parts: I* is symmetric")
def symmetric_maximin(study: Study) -> Outcome:
    """The two partitions are made apart, from overlaps of the [[X|y]] and of the [[Y|x]]."""
    holds = []
    for joint in study.once(joints):
        parts = [len({row.tobytes() for row in _connected(each)}) for each in (joint, joint.transpose())]
        holds.append(parts[0] == parts[1] and close(math.log2(parts[0]), _I_STAR(joint)))
    return matches(f"both have 2^I* parts on {on_joints(study)}", all(holds))


@PAPER.claim("I (3), II, V-A", "I* is the entropy of the common variable, the largest that X and Y each determine")
def common_variable(study: Study) -> Outcome:
    every = study.once(attributed)
    holds = []
    for joint, found in every:
        _, of_x, _ = joint.components
        both = [a for a in found if a.joint.distinct.max() == 1]  # U = g(X) and also U = f(Y)
        holds.append(close(math.log2(max(a.joint.n_s for a in both)), _I_STAR(joint)))
        # Each is a function of the component.
        holds += [len(set(zip(of_x.tolist(), a.g.values(), strict=True))) == joint.components[0] for a in both]
    return matches(
        f"of {on_attributes(study)}, those that Y determines as well are functions of the part of the overlap "
        "partition, and the largest has 2^I* values",
        all(holds),
    )
