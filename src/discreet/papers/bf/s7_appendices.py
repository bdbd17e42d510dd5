"""Section VII and the appendices: the axioms, the proofs of Propositions 3 and 4, Fig 4."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

import discreet as dc
from discreet.papers.bf.families import (
    Chain,
    attributed,
    attributes,
    chains,
    close,
    joint_ranges,
    joints,
    least,
    shape,
    smallest,
    tables,
    together,
)
from discreet.papers.bf.paper import PAPER
from discreet.papers.bf.s5_one_shot import split
from discreet.papers.bf.settings import experiment, without_missing
from discreet.papers.claims import Outcome, Study, matches, misprint, refuted

_L = dc.measures.worst_case_leakage
_L_STAR = dc.measures.maximal_guessing_leakage


@PAPER.claim("VII", "the worst-case attribute of stochastic maximal leakage has not been identified")
def stochastic_attribute(study: Study) -> Outcome:
    every = study.once(tables)
    gain, value = dc.measures.min_entropy_leakage, dc.measures.maximal_leakage
    attained = all(close(gain(split(joint)), value(joint)) for joint in every)
    functions = sum(
        max(gain(joint.attribute(dict(zip(joint.s, g, strict=True)))) for g in attributes(joint.n_s))
        < value(joint) - 1e-9
        for joint in every
    )
    return refuted(
        f"split each x into equally likely parts, U = (x, i): U is uniform and attains it on {len(every)} random "
        "tables (as in the proof in [5]); unlike (17) it depends on p(x) only, and no function of X attains it on "
        f"{functions} of them",
        counterexample=attained and functions > 0,
    )


@PAPER.claim("VII", "Arimoto's information is there for all orders α ≥ 0, and order 0 is non-stochastic")
def order_zero_again(study: Study) -> Outcome:
    """Which of the paper's measures order 0 gives: I0, the reduction at the least telling y, not L nor L*."""
    every = study.once(tables)
    ones = [dc.Joint.from_array((joint.counts.toarray() > 0).astype(int)) for joint in every]
    arimoto, near = dc.measures.arimoto_information, 1e-5
    uniform = [dc.Joint.from_array(joint.counts.toarray() / joint.s_weight[:, None]) for joint in every]
    return matches(
        f"near order 0 it forgets the probabilities and is I0 ({len(every)} random tables); L is of order 0, too, as "
        "the largest Rényi divergence of p(x|y) from a uniform p(x)",
        all(close(arimoto(a, order=near), arimoto(b, order=near), 1e-3) for a, b in zip(every, ones, strict=True)),
        all(close(dc.measures.renyi_leakage(joint, order=0), _L(joint)) for joint in uniform),
        all(arimoto(joint, order=order) >= 0 for joint in every for order in (0, 0.5, 1, 2, math.inf)),
    )


@PAPER.claim("App A, R3 (a)", "data processing: L(X→Y) = min{L(X→Z), L(Y→Z)} for a Markov chain")
def axiom_a(study: Study) -> Outcome:
    every = study.once(chains)

    def holds(chain: Chain) -> bool:
        return close(_L_STAR(chain.xy), min(_L_STAR(chain.xz), _L_STAR(chain.yz)))

    first = smallest(every, lambda chain: not holds(chain))
    return misprint(
        f"for X − Y − Z it is L(X→Z) ≤ min{{L(X→Y), L(Y→Z)}}, of which L and L* have the first half ({len(every):,} "
        f"chains; for the second see I (2)); the print fails for {shape(first.xy)} and Z constant: "
        f"{_L_STAR(first.xy):g} against 0",
        printed=all(map(holds, every)),
        corrected=all(m(c.xz) <= m(c.xy) + 1e-9 for m in (_L, _L_STAR) for c in every) and first.yz.n_x == 1,
    )


@PAPER.claim("App B (c)", "for Y = X, L(U→Y) = |[[U]]|")
def proof_3c(study: Study) -> Outcome:
    found = []
    for n in range(1, 6):
        itself = dc.Joint.from_array(np.eye(n, dtype=bool))
        found += [(max(g) + 1, _L(itself.attribute(dict(enumerate(g))))) for g in attributes(n)]
    return misprint(
        f"log |[[U]]|: all {len(found)} attributes of up to five values",
        printed=all(close(value, size) for size, value in found),
        corrected=all(close(value, math.log2(size)) for size, value in found),
    )


@PAPER.claim("App B (e)", "for unrelated triples, L((U1..Un)→(Y1..Yn)) = Σ L(Ui→Yi)")
def proof_3e(study: Study) -> Outcome:
    some = [dc.Joint.from_array(support) for support in joint_ranges(3)]
    pairs = list(itertools.product(some, repeat=2))
    return matches(
        f"{len(pairs):,} pairs of joint ranges; but the suprema over (U1, U2) and over all U = g(X1, X2) differ, so "
        "Prop 3 (e) does not follow",
        all(close(_L(together(one, other)), _L(one) + _L(other)) for one, other in pairs),
    )


@PAPER.claim("App C, (12)", "|[[X]]| − |[[U]]| ≥ |[[X|y]]| − |[[U|y]]| for all y and every U = g(X)")
def equation_12(study: Study) -> Outcome:
    every = study.once(attributed)
    return matches(
        f"{sum(len(found) for _, found in every):,} attributes on {len(every)} joint ranges",
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
    told = "".join(f"{{{','.join(block)}}}" for block in blocks)
    return misprint(
        f"≤ is meant, which is all the proof needs: for {shape(joint)} and U telling {told} apart, y* is unique and "
        f"gives {values[0]:.3f}, not {_L_STAR(joint):.3f} (the smallest such range)",
        printed=all(close(value, _L_STAR(joint)) for joint, _, values in found for value in values),
        corrected=all(value <= _L_STAR(joint) + 1e-9 for joint, _, values in found for value in values),
    )


@PAPER.claim("App D", "by Corollary 5, L* is at most the privacy budget ε")
def below_the_budget(study: Study) -> Outcome:
    every = study.once(joints)
    first = smallest(every, lambda joint: _L_STAR(joint) > _L(joint) + 1e-9)
    return refuted(
        f"ε bounds L, and L ≤ L*: {shape(first)}, the smallest range, is ε-identifiable on X with ε = "
        f"{_L(first):.3f} and has L* = {_L_STAR(first):g}; Corollary 5 gives log(|[[X]]|(1 − exp(−ε)) + 1)",
        counterexample=_L_STAR(first) > dc.measures.identifiability(first, {x: x for x in first.s}) + 1e-9
        and all(_L(joint) <= _L_STAR(joint) + 1e-9 for joint in every)
        and close(_L_STAR(first), math.log2(first.n_s * (1 - 2 ** -_L(first)) + 1)),
    )


@PAPER.claim("App D", "(8) says L = log2(|[[X]]|/|[[X]]| + 1 − 2^L*)")
def lost_brackets(study: Study) -> Outcome:
    every = study.once(joints)
    first = dc.Joint.from_pairs([(0, 0), (1, 1)])
    printed = [j.n_s / j.n_s + 1 - 2 ** _L_STAR(j) for j in every]
    return misprint(
        f"the denominator lost its brackets: log2(|[[X]]|/(|[[X]]| + 1 − 2^L*)), {len(every)} joint ranges; the "
        f"print is the logarithm of {2 - 2 ** _L_STAR(first):g} for Y = X a bit",
        printed=all(value > 0 and close(math.log2(value), _L(j)) for value, j in zip(printed, every, strict=True)),
        corrected=all(close(math.log2(j.n_s / (j.n_s + 1 - 2 ** _L_STAR(j))), _L(j)) for j in every),
    )


@PAPER.claim("App D, Fig 4", "on the heart data, L against L* lies on the curve of (8)")
def on_the_curve(study: Study) -> Outcome:
    settings = [s for lines in (experiment, without_missing) for line in study.once(lines).values() for s in line]
    return matches(
        f"{len(settings)} settings, with missing values as a level and without",
        all(close(math.log2(s.joint.n_s / (s.joint.n_s + 1 - 2**s.maximal)), s.leakage) for s in settings),
        all(least(s.joint) >= 1 for s in settings),
    )


def _points(study: Study, lines: Any) -> dict[str, list[tuple[float, float]]]:
    """By attribute, the distinct (L*, L)."""
    return {name: sorted({(s.maximal, s.leakage) for s in line}) for name, line in study.once(lines).items()}


@PAPER.claim("App D, Fig 4", "the plot over the steps shows that L increases with L*, for both attributes")
def seen_to_increase(study: Study) -> Outcome:
    shown, dropped = _points(study, experiment), _points(study, without_missing)
    return refuted(
        f"(8) increases, but the data show one point, L = L* = {shown['cholesterol'][0][0]:.3f}, at all 100 "
        f"settings; without missing values blood pressure has {len(dropped['blood pressure'])}, cholesterol "
        f"{len(dropped['cholesterol'])}",
        counterexample={point for points in shown.values() for point in points} == {(math.log2(38), math.log2(38))},
    )


@PAPER.figure("fig4", "Heart data: identifiability L(X→Ŷ) against L*(X→Ŷ) on the curve of (8), δ = 1 to 50")
def figure_4(study: Study) -> Any:
    from discreet.plots import ACCENT, INK, PALE, WARN, figure

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
