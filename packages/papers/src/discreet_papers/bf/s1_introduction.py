"""Abstract and introduction: what the paper says it shows."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import discreet as dc
from discreet_papers.bf.families import chains, close, joints, on_joints, shape, small_joints, smallest, together
from discreet_papers.bf.paper import PAPER
from discreet_papers.bf.settings import experiment, of_records
from discreet_papers.claims import Outcome, Study, matches, refuted

if TYPE_CHECKING:
    from discreet import Joint

_L = dc.measures.worst_case_leakage
_L_STAR = dc.measures.maximal_guessing_leakage


@PAPER.claim("Abstract, I (3)", "the maximal leakage L*(X→Y) is proportional to the identifiability L(X→Y)")
def proportional(study: Study) -> Outcome:
    """In the sense of IV-A, which makes the word precise: L* increases in L."""
    found: dict[int, dict[float, float]] = {}  # |[[X]]| -> L -> L*
    for joint in study.once(joints):
        if _L(joint) > 0:
            found.setdefault(joint.n_s, {})[_L(joint)] = _L_STAR(joint)
    ratios = {n: sorted(star / leak for leak, star in pairs.items()) for n, pairs in found.items()}
    size, ratio = smallest(sorted(ratios.items()), lambda each: not close(each[1][0], each[1][-1]))
    rising = all(a < b for pairs in found.values() for (_, a), (_, b) in itertools.pairwise(sorted(pairs.items())))
    return matches(
        f"for each size of [[X]], L* increases with L on {on_joints(study)}, which is what IV-A says and must be "
        f"meant: the ratio L*/L is not constant, but for {size} values of X is {ratio[0]:.3f} with one Y and "
        f"{ratio[-1]:.3f} with another",
        rising,
        not close(ratio[0], ratio[-1]),
    )


@PAPER.claim("I (1), VII", "the leakage is the ratio of the worst-case numbers of guesses with and without Y")
def ratio_of_guesses(study: Study) -> Outcome:
    def ratios(joint: Joint) -> list[float]:
        """By y: how many guesses find any x without Y, over how many find any x that is possible with y."""
        return [len(joint.s) / len(set(joint.range_of(y))) for y in joint.x]

    return matches(
        "Def 1 takes the logarithm of the ratio, the guesses without Y above those with it, at the y that saves the "
        f"most guesses; so counted it is L on {on_joints(study)}",
        all(close(math.log2(max(ratios(joint))), _L(joint)) for joint in study.once(joints)),
    )


@PAPER.claim("I (2), III", "L* satisfies the axioms (R3): post-processing inequality, independence, additivity")
def axioms(study: Study) -> Outcome:
    linked = smallest(study.once(chains), lambda c: _L_STAR(c.xz) > _L_STAR(c.yz) + 1e-9)
    copied = smallest(study.once(small_joints), lambda j: not close(_L_STAR(together(j, j)), 2 * _L_STAR(j)))
    post = all(_L_STAR(c.xz) <= _L_STAR(c.xy) + 1e-9 for c in study.once(chains))
    independent = all(_L_STAR(j) == 0 for j in study.once(joints) if j.counts.nnz == j.n_s * j.n_x)
    return refuted(
        "post-processing and independence hold, additivity does not: two unrelated copies of the pair with "
        f"{shape(copied)} have L* = {_L_STAR(together(copied, copied)):.3f}, not 2 × {_L_STAR(copied):.3f} (the "
        "fewest values for which it fails). Nor does the other half of data processing in App A, L*(X→Z) ≤ L*(Y→Z) "
        f"for X − Y − Z, which the paper does not prove: for {shape(linked.xy)} and Z = Y, {_L_STAR(linked.xz):.3f} > "
        f"{_L_STAR(linked.yz):.3f}",
        counterexample=post
        and independent
        and _L_STAR(together(copied, copied)) > 2 * _L_STAR(copied) + 1e-9
        and _L_STAR(linked.xz) > _L_STAR(linked.yz) + 1e-9
        and linked.yz.counts.nnz == linked.yz.n_s == linked.yz.n_x,
    )


@PAPER.claim("I (3)", "on the heart data, stochastic maximal leakage ≤ maximin information I* ≤ maximal leakage L*")
def order_of_measures(study: Study) -> Outcome:
    settings = [setting for line in study.once(experiment).values() for setting in line]
    records = [setting for line in study.once(of_records).values() for setting in line]
    above = [s for s in settings if s.stochastic > s.maximin + 1e-9]
    first = settings[0]
    return refuted(
        f"with X the age, I* ≤ L* at all {len(settings)} settings (two attributes, 50 steps δ), but the stochastic "
        f"leakage is above I* at {len(above)} of them: {first.stochastic:.3f} against {first.maximin:g} bits for "
        f"{first.name} and δ = {first.step}. The two would be equal if X were the patient's record",
        counterexample=all(s.maximin <= s.maximal for s in settings)
        and first in above
        and all(close(s.stochastic, s.maximin) and s.maximin <= s.maximal for s in records),
    )
