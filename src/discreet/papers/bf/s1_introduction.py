"""Abstract and introduction: what the paper says it shows."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import discreet as dc
from discreet.papers.bf.families import chains, close, joints, least, shape, small_joints, smallest, together
from discreet.papers.bf.paper import PAPER
from discreet.papers.bf.settings import experiment
from discreet.papers.claims import Outcome, Study, misprint, refuted

if TYPE_CHECKING:
    from discreet.joint import Joint

_L = dc.measures.worst_case_leakage
_L_STAR = dc.measures.maximal_guessing_leakage


@PAPER.claim("Abstract, I", "the maximal leakage L*(X→Y) is proportional to the identifiability L(X→Y)")
def proportional(study: Study) -> Outcome:
    found: dict[int, dict[float, float]] = {}  # |[[X]]| -> L -> L*
    for joint in study.once(joints):
        if _L(joint) > 0:
            found.setdefault(joint.n_s, {})[_L(joint)] = _L_STAR(joint)
    ratios = {n: sorted(star / leak for leak, star in pairs.items()) for n, pairs in found.items()}
    size, ratio = smallest(sorted(ratios.items()), lambda each: not close(each[1][0], each[1][-1]))
    rising = all(a < b for pairs in found.values() for (_, a), (_, b) in itertools.pairwise(sorted(pairs.items())))
    return misprint(
        f"L*/L is {ratio[0]:.3f} and {ratio[-1]:.3f} for two Y of one X, already with {size} values of X; for a "
        f"given |[[X]]| L* is an increasing function of L, by (8) ({len(study.once(joints))} joint ranges)",
        printed=all(close(r[0], r[-1]) for r in ratios.values()),
        corrected=rising,
    )


@PAPER.claim("I (1), VII", "the leakage is the worst-case number of guesses with Y over that without Y")
def ratio_of_guesses(study: Study) -> Outcome:
    every = study.once(joints)

    def holds(joint: Joint) -> bool:
        return close(int(joint.distinct.max()) / joint.n_s, 2 ** _L(joint))

    first = smallest(every, lambda joint: not holds(joint))
    return misprint(
        "Def 1 is the reverse, and at the most telling y: log of guesses without Y over the fewest with it "
        f"({len(every)} joint ranges); for {shape(first)} the words give {first.distinct.max() / first.n_s:g}, Def 1 "
        f"{2 ** _L(first):g}",
        printed=all(map(holds, every)),
        corrected=all(close(joint.n_s / least(joint), 2 ** _L(joint)) for joint in every),
    )


@PAPER.claim("I (2), III", "L* satisfies the axioms (R3): data processing, independence, additivity over i.i.d. pairs")
def axioms(study: Study) -> Outcome:
    linked = smallest(study.once(chains), lambda c: _L_STAR(c.xz) > _L_STAR(c.yz) + 1e-9)
    copied = smallest(study.once(small_joints), lambda j: not close(_L_STAR(together(j, j)), 2 * _L_STAR(j)))
    post = all(_L_STAR(c.xz) <= _L_STAR(c.xy) + 1e-9 for c in study.once(chains))
    independent = all(_L_STAR(j) == 0 for j in study.once(joints) if j.counts.nnz == j.n_s * j.n_x)
    return refuted(
        f"post-processing and independence hold, the rest does not: two i.i.d. copies of {shape(copied)} have L* = "
        f"{_L_STAR(together(copied, copied)):.3f}, not 2 × {_L_STAR(copied):.3f} (fewest values that do so); and "
        f"L*(X→Z) ≤ L*(Y→Z), the other half of data processing, fails for X − Y − Z with {shape(linked.xy)} and Z = "
        f"Y: {_L_STAR(linked.xz):.3f} > {_L_STAR(linked.yz):.3f}",
        counterexample=post
        and independent
        and _L_STAR(together(copied, copied)) > 2 * _L_STAR(copied) + 1e-9
        and _L_STAR(linked.xz) > _L_STAR(linked.yz) + 1e-9
        and linked.yz.counts.nnz == linked.yz.n_s == linked.yz.n_x,
    )


@PAPER.claim("I (3)", "on the heart data, stochastic maximal leakage ≤ maximin information ≤ maximal leakage")
def order_of_measures(study: Study) -> Outcome:
    settings = [setting for line in study.once(experiment).values() for setting in line]
    above = [s for s in settings if s.stochastic > s.maximin + 1e-9]
    first = settings[0]
    return refuted(
        f"I* ≤ L* at all {len(settings)} settings, but the stochastic leakage is above I* at {len(above)} of them: "
        f"{first.stochastic:.3f} against {first.maximin:g} bits for {first.name} in steps of {first.step}",
        counterexample=all(s.maximin <= s.maximal for s in settings) and first in above,
    )
