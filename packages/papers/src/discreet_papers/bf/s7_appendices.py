"""Section VII and the appendices: the axioms, the proofs of Propositions 3 and 4, Fig 4."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

import discreet as dc
from discreet_papers.bf.families import (
    SEED,
    Chain,
    attributed,
    attributes,
    chains,
    close,
    joint_ranges,
    joints,
    on_attributes,
    on_joints,
    shape,
    smallest,
    tables,
    together,
)
from discreet_papers.bf.paper import PAPER
from discreet_papers.bf.s5_one_shot import split
from discreet_papers.bf.settings import experiment, without_missing
from discreet_papers.claims import Outcome, Study, matches, misprint, not_checkable

_L = dc.measures.worst_case_leakage
_L_STAR = dc.measures.maximal_guessing_leakage


@PAPER.claim("VII", "the worst-case attribute U of stochastic maximal leakage has not been identified in [5], [6]")
def stochastic_attribute(study: Study) -> Outcome:
    """What others have written cannot be computed, but such a U can."""
    every = study.once(tables)
    gain, value = dc.measures.min_entropy_leakage, dc.measures.maximal_leakage
    attained = all(close(gain(split(joint)), value(joint)) for joint in every)
    functions = sum(
        max(gain(joint.attribute(dict(zip(joint.s, g, strict=True)))) for g in attributes(joint.n_s))
        < value(joint) - 1e-9
        for joint in every
    )
    if not (attained and functions):
        return matches("U = (x, i) does not attain the stochastic maximal leakage, or functions of X do", False)
    return not_checkable(
        "a statement about the literature. What can be computed: U = (x, i), each x split into equally likely parts "
        f"as in the proof of [5], attains it on {len(every)} random tables of counts; no function of X, as (17) is "
        f"one, does on {functions} of them"
    )


@PAPER.claim("VII", "Arimoto's information is there for all orders α ≥ 0, and order 0 is non-stochastic")
def order_zero_again(study: Study) -> Outcome:
    """Which of the paper's measures order 0 gives: I0, the reduction at the least telling y, not L nor L*."""
    every = study.once(tables)
    ones = [dc.Joint.from_array((joint.counts.toarray() > 0).astype(int)) for joint in every]
    arimoto, near = dc.measures.arimoto_information, 1e-5
    uniform = [dc.Joint.from_array(joint.counts.toarray() / joint.s_weight[:, None]) for joint in every]
    return matches(
        f"near order 0 it depends on the ranges alone and is I0 on {len(every)} random tables of counts. L is of "
        "order 0, too: the largest Rényi divergence of p(x|y) from a uniform p(x)",
        all(close(arimoto(a, order=near), arimoto(b, order=near), 1e-3) for a, b in zip(every, ones, strict=True)),
        all(close(arimoto(joint, order=near), dc.measures.zero_information(joint), 1e-3) for joint in every),
        all(close(dc.measures.renyi_leakage(joint, order=0), _L(joint)) for joint in uniform),
    )


@PAPER.claim(
    "App A, R3 (a)", "data processing inequality: L(X→Y) = min{L(X→Z), L(Y→Z)} for any X, Y, Z forming a chain"
)
def axiom_a(study: Study) -> Outcome:
    """Which of the three is in the middle is not said, so the equation is tried with each."""
    every = study.once(chains)

    def ways(c: Chain) -> list[bool]:
        """Whether the equation holds of L*, with the variable called Y, X and Z in the middle."""
        yx, zy = c.xy.transpose(), c.yz.transpose()
        said = [(c.xy, c.xz, c.yz), (yx, c.yz, c.xz), (c.xz, c.xy, zy)]
        return [close(_L_STAR(left), min(_L_STAR(one), _L_STAR(other))) for left, one, other in said]

    rng, value = np.random.default_rng(SEED), dc.measures.maximal_leakage
    stochastic = True  # of [5], for which the axiom was made
    for joint in study.once(tables):
        channel = rng.dirichlet(np.full(3, 0.5), size=joint.n_x)
        across = dc.Joint.from_array(joint.counts.toarray() @ channel)
        second = dc.Joint.from_array(joint.transpose().s_weight[:, None] * channel)
        stochastic &= value(across) <= min(value(joint), value(second)) + 1e-9
    return misprint(
        "an inequality stands as an equation: for X − Y − Z, L(X→Z) ≤ min{L(X→Y), L(Y→Z)}. Stochastic maximal "
        f"leakage satisfies it ({len(study.once(tables))} random chains), L and L* its first half ({len(every):,} "
        "chains; for the second see I (2)). The equation fails for L* whichever variable is in the middle; for Y = X "
        "a bit and Z constant it says 1 = 0",
        printed=any(all(way) for way in zip(*map(ways, every), strict=True)),
        corrected=stochastic and all(m(c.xz) <= m(c.xy) + 1e-9 for m in (_L, _L_STAR) for c in every),
    )


@PAPER.claim("App B (c)", "for Y = X, L(U→Y) = |[[U]]|")
def proof_3c(study: Study) -> Outcome:
    found = []
    for n in range(1, 6):
        itself = dc.Joint.from_array(np.eye(n, dtype=bool))
        found += [(max(g) + 1, _L(itself.attribute(dict(enumerate(g))))) for g in attributes(n)]
    return misprint(
        f"it is log |[[U]]|, for all {len(found)} attributes U of an X of up to five values; the logarithm is missing",
        printed=all(close(value, size) for size, value in found),
        corrected=all(close(value, math.log2(size)) for size, value in found),
    )


@PAPER.claim("App B (e)", "for unrelated triples, L((U1..Un)→(Y1..Yn)) = Σ L(Ui→Yi)")
def proof_3e(study: Study) -> Outcome:
    some = [dc.Joint.from_array(support) for support in joint_ranges(3)]
    pairs = list(itertools.product(some, repeat=2))
    return matches(
        f"so for {len(pairs):,} pairs of joint ranges. Prop 3 (e) does not follow from it: the supremum over pairs "
        "(U1, U2) may be less than over all U = g(X1, X2)",
        all(close(_L(together(one, other)), _L(one) + _L(other)) for one, other in pairs),
    )


@PAPER.claim("App C, (12)", "|[[X]]| − |[[U]]| ≥ |[[X|y]]| − |[[U|y]]| for all y and every U = g(X)")
def equation_12(study: Study) -> Outcome:
    every = study.once(attributed)
    return matches(
        f"so for {on_attributes(study)}",
        all(
            (joint.n_s - a.joint.n_s >= joint.distinct - a.joint.distinct).all()
            for joint, found in every
            for a in found
        ),
    )


@PAPER.claim(
    "App C, (16)", "for y* with the fewest u, log(|[[X]]| − |[[X|y*]]| + 1) = log(|[[X]]| − min_y |[[X|y]]| + 1)"
)
def equation_16(study: Study) -> Outcome:
    """y* minimises |[[U|y]]|, which need not minimise |[[X|y]]|."""
    found = []
    for joint, every in study.once(attributed):
        for a in every:
            fewest = a.joint.distinct == a.joint.distinct.min()
            found.append((joint, a, [math.log2(joint.n_s - n + 1) for n in joint.distinct[fewest].tolist()]))
    joint, a, values = smallest(found, lambda each: len(each[2]) == 1 and not close(each[2][0], _L_STAR(each[0])))
    blocks = [[f"x{i + 1}" for i, u in enumerate(a.g.values()) if u == v] for v in dict.fromkeys(a.g.values())]
    told = " and ".join(f"{{{','.join(block)}}}" for block in blocks)
    chosen = int(a.joint.distinct.argmin()) + 1
    return misprint(
        f"≤ must be meant, which is all the proof needs. For {shape(joint)}, the smallest such range, and the U that "
        f"is one value on each of {told}, y* = y{chosen} and the left side is {values[0]:.3f}, the right "
        f"{_L_STAR(joint):.3f}",
        printed=all(close(value, _L_STAR(joint)) for joint, _, values in found for value in values),
        corrected=all(value <= _L_STAR(joint) + 1e-9 for joint, _, values in found for value in values),
    )


@PAPER.claim("App D", "Corollary 5 shows that L* is upper bounded by the privacy budget ε")
def below_the_budget(study: Study) -> Outcome:
    every = study.once(joints)
    first = smallest(every, lambda joint: _L_STAR(joint) > _L(joint) + 1e-9)
    budget = dc.measures.identifiability(first, {x: x for x in first.s})
    return misprint(
        f"it shows L* ≤ log(|[[X]]|(1 − exp(−ε)) + 1), so on {on_joints(study)}. ε itself bounds L, not L* ≥ L: with "
        f"{shape(first)}, the smallest such range, Y is ε-identifiable on X for ε = {budget:.3f} and L* = "
        f"{_L_STAR(first):g}",
        printed=_L_STAR(first) <= budget + 1e-9,
        corrected=all(close(_L_STAR(joint), math.log2(joint.n_s * (1 - 2 ** -_L(joint)) + 1)) for joint in every)
        and all(_L(joint) <= _L_STAR(joint) + 1e-9 for joint in every),
    )


@PAPER.claim("App D", "(8) says L = log2(|[[X]]|/|[[X]]| + 1 − 2^L*)")
def lost_brackets(study: Study) -> Outcome:
    every = study.once(joints)
    first = dc.Joint.from_pairs([(0, 0), (1, 1)])
    printed = [j.n_s / j.n_s + 1 - 2 ** _L_STAR(j) for j in every]
    return misprint(
        f"the denominator needs brackets: L = log2(|[[X]]|/(|[[X]]| + 1 − 2^L*)), so on {on_joints(study)}; without "
        f"them it is the logarithm of {2 - 2 ** _L_STAR(first):g} for Y = X a bit",
        printed=all(value > 0 and close(math.log2(value), _L(j)) for value, j in zip(printed, every, strict=True)),
        corrected=all(close(math.log2(j.n_s / (j.n_s + 1 - 2 ** _L_STAR(j))), _L(j)) for j in every),
    )


@PAPER.claim("App D, Fig 4", "on the heart data, L against L* lies on the curve of (8)")
def on_the_curve(study: Study) -> Outcome:
    settings = [s for lines in (experiment, without_missing) for line in study.once(lines).values() for s in line]
    return matches(
        f"so at {len(settings)} settings: two attributes, 50 steps δ, with the rows where the attribute is missing "
        "and without",
        all(close(math.log2(s.joint.n_s / (s.joint.n_s + 1 - 2**s.maximal)), s.leakage) for s in settings),
    )


def _points(study: Study, lines: Any) -> dict[str, list[tuple[float, float]]]:
    """By attribute, the distinct (L*, L)."""
    return {name: sorted({(s.maximal, s.leakage) for s in line}) for name, line in study.once(lines).items()}


@PAPER.claim("App D, Fig 4", "plotted for different steps, L is seen to increase with L*")
def seen_to_increase(study: Study) -> Outcome:
    shown, dropped = _points(study, experiment), _points(study, without_missing)
    moving = dropped["blood pressure"]
    return matches(
        f"the data show little of it: without the row where it is missing, blood pressure gives {len(moving)} points, "
        f"which increase from L = {moving[0][1]:.3f}, L* = {moving[0][0]:.3f}; in all other cases, cholesterol and "
        f"blood pressure with that row, every step gives one point, as L = L* = {shown['cholesterol'][0][0]:.3f}",
        len(moving) > 1 and all(a[0] < b[0] and a[1] < b[1] for a, b in itertools.pairwise(moving)),
        {point for points in shown.values() for point in points} == {(math.log2(38), math.log2(38))},
        len(dropped["cholesterol"]) == 1,
    )


@PAPER.figure("fig4", "Heart data: identifiability L(X→Ŷ) against L*(X→Ŷ) on the curve of (8), δ = 1 to 50")
def figure_4(study: Study) -> Any:
    from discreet.report import ACCENT, INK, PALE, WARN, figure

    drawing, axes = figure(height=3.8)
    top = max(s.joint.n_s for line in study.once(experiment).values() for s in line)
    rest = np.arange(1, top + 1)
    curve = (np.log2(top - rest + 1), np.log2(top / rest))
    axes.plot(*curve, color=PALE, linewidth=5, label=f"(8) for {top} ages", zorder=1)
    for points, filled, note in (
        (_points(study, experiment), True, ""),
        (_points(study, without_missing), False, ", no missing"),
    ):
        for (name, found), colour, size in zip(points.items(), (ACCENT, WARN), (9, 5), strict=True):
            axes.plot(
                *zip(*found, strict=True),
                linestyle="none",
                marker="o" if filled else "s",
                markersize=size,
                color=colour,
                markerfacecolor=colour if filled else "none",
                label=name + note,
            )
    axes.set_xlabel("L*(X→Ŷ), bits", color=INK)
    axes.set_ylabel("L(X→Ŷ), bits", color=INK)
    axes.legend(frameon=False, fontsize=9, loc="upper left")
    return drawing
