"""Section VI: the experiment on the heart data, Figs 2 and 3, and what (10) does not say about one channel."""

from __future__ import annotations

import itertools
from typing import Any

import discreet as dc
from discreet import datasets
from discreet.papers.bf.families import close, few_records, smallest, tables
from discreet.papers.bf.paper import PAPER
from discreet.papers.bf.settings import STEPS, Lines, Setting, experiment, of_records, without_missing
from discreet.papers.claims import Outcome, Study, matches, misprint, not_checkable, refuted

_MAXIMAL = dc.measures.maximal_leakage
_I_STAR = dc.measures.maximin_information


def _all(lines: Lines) -> list[Setting]:
    return [setting for line in lines.values() for setting in line]


def _rises(values: list[float]) -> list[int]:
    """The steps at which a sequence over STEPS is above the step before."""
    return [step for (a, b), step in zip(itertools.pairwise(values), STEPS[1:], strict=True) if b > a + 1e-9]


@PAPER.claim("VI", "the Hungarian heart data record 293 patients")
def patients(study: Study) -> Outcome:
    rows = len(datasets.load("hungarian", data=study.data, repeats=True)["age"])
    left = len(study.hungarian["age"])
    return misprint(
        f"the file has {rows} rows, one of which repeats another exactly: {left} are distinct",
        printed=rows == 293,
        corrected=rows == 294 and left == 293,
    )


@PAPER.claim("VI", "the data have 76 attributes")
def columns(study: Study) -> Outcome:
    return not_checkable(
        f"the file in use is UCI's processed one, with {len(study.hungarian)} columns; the raw one is not here"
    )


@PAPER.claim("VI, (11)", "ĉ(y) = δ(⌊y/δ⌋ + 1/2): the largest distortion grows with the step δ")
def distortion(study: Study) -> Outcome:
    lines = study.once(experiment)
    falls = {name: _rises([-s.distortion for s in line]) for name, line in lines.items()}
    first = (falls["blood pressure"] or [STEPS[1]])[0]
    before, after = (lines["blood pressure"][step - 1].distortion for step in (first - 1, first))
    return refuted(
        f"it is at most δ/2 but may fall: blood pressure {before:g} at δ = {first - 1}, {after:g} at {first}, no "
        f"value lying on the edge of a cell ({len(falls['blood pressure'])} of 49 steps; cholesterol "
        f"{len(falls['cholesterol'])})",
        counterexample=after < before and all(s.distortion <= s.step / 2 for s in _all(lines)),
    )


@PAPER.claim("VI, Fig 2 left", "L*(X→Ŷ), printed without its star, decreases as the distortion increases")
def maximal_falls(study: Study) -> Outcome:
    settings, dropped = _all(study.once(experiment)), study.once(without_missing)
    other = dropped["blood pressure"]
    rises = _rises([s.maximal for s in other])
    return refuted(
        f"it is log2 38 = {settings[0].maximal:.3f} bits (and L the same) for both attributes and every δ: some cell "
        "always holds a single age; without missing values too, but that blood pressure has less, down to "
        f"{min(s.maximal for s in other):.3f}, at {sum(s.maximal < other[0].maximal for s in other)} of 50 δ, and "
        f"rises again {len(rises)} times",
        counterexample=len({s.maximal for s in settings}) == 1
        and all(s.joint.distinct.min() == 1 and close(s.leakage, s.maximal) and s.joint.n_s == 38 for s in settings)
        and len({s.maximal for s in dropped["cholesterol"]}) == 1
        and len(rises) > 0,
    )


@PAPER.claim("VI, Fig 2 right", "I*(X;Ŷ) decreases as the distortion increases")
def maximin_falls(study: Study) -> Outcome:
    lines = study.once(experiment)
    chol = {s.step: s.maximin for s in lines["cholesterol"]}
    connected = [step for step, value in chol.items() if value == 0] or [STEPS[-1]]
    back = [step for step, value in chol.items() if value > 0 and step > connected[0]]
    return refuted(
        f"blood pressure has I* = 0 from δ = 1 on; cholesterol has 1 bit to δ = {connected[0] - 1}, 0 from "
        f"{connected[0]}, 1 again at δ = {', '.join(map(str, back))} and 0 beyond: cells of different δ are not "
        "nested",
        counterexample=len(back) > 0 and all(s.maximin == 0 for s in lines["blood pressure"]),
    )


@PAPER.claim("VI, Fig 2", "the maximal leakage is greater than I* throughout")
def maximal_above_maximin(study: Study) -> Outcome:
    settings = _all(study.once(experiment))
    return matches(f"at all {len(settings)} settings", all(s.maximal > s.maximin for s in settings))


@PAPER.claim("VI, Fig 3", "the stochastic maximal leakage from X to Ŷ is traded against the distortion")
def stochastic_falls(study: Study) -> Outcome:
    lines = study.once(experiment)
    doubled = [
        line[2 * s.step - 1].stochastic <= s.stochastic + 1e-9
        for line in lines.values()
        for s in line[: len(line) // 2]
    ]
    said = [
        f"{name} {line[0].stochastic:.3f} to {line[-1].stochastic:.3f} bits, rising at "
        f"{len(_rises([s.stochastic for s in line]))}"
        for name, line in lines.items()
    ]
    return matches(
        f"it falls on the whole: {', '.join(said)} of 49 steps; doubling δ nests the cells and never raises it (the "
        "caption says Y for Ŷ)",
        all(doubled),
        all(line[-1].stochastic < line[0].stochastic - 1 for line in lines.values()),
    )


@PAPER.claim("VI", "by (10), the stochastic maximal leakage from X to Ŷ is at most I*(X;Ŷ)")
def one_channel(study: Study) -> Outcome:
    """For one channel the reverse of the print holds: a component has an x whose y all lie in it."""
    first = smallest(few_records(), lambda joint: _MAXIMAL(joint) > _I_STAR(joint) + 1e-9)
    every = study.once(tables)
    return refuted(
        f"(10) is about suprema over channels. With {first.total} records, the fewest, "
        f"{first.counts.toarray().tolist()}: {_MAXIMAL(first):.3f} > I* = {_I_STAR(first):g}. In one channel the "
        f"reverse holds, I* ≤ log Σ_y max_x p(y|x), as each component adds at least 1 ({len(every)} random tables, "
        f"{sum(close(_MAXIMAL(j), _I_STAR(j)) for j in every)} with equality)",
        counterexample=_MAXIMAL(first) > _I_STAR(first) + 0.1
        and all(_I_STAR(joint) <= _MAXIMAL(joint) + 1e-9 for joint in every),
    )


@PAPER.claim("VI", "in this experiment I*(X;Ŷ) ≈ min{H0(X), H0(Ŷ)}")
def near_the_supremum(study: Study) -> Outcome:
    settings = _all(study.once(experiment))
    short = [min(dc.measures.hartley_entropy(j) for j in (s.joint, s.joint.transpose())) - s.maximin for s in settings]
    records = all(
        close(s.maximin, dc.measures.hartley_entropy(s.joint.transpose())) and close(s.stochastic, s.maximin)
        for s in _all(study.once(of_records))
    )
    return refuted(
        f"I* is 0 or 1 bit and {min(short):.2f} to {max(short):.2f} bits below at the {len(settings)} settings; it "
        "would be H0(Ŷ), and the stochastic leakage the same, if X were the patient's record and not the age",
        counterexample=min(short) > 1 and records,
    )


@PAPER.figure("fig2", "Heart data: L*(X→Ŷ) (left) and I*(X;Ŷ) (right) against the largest distortion, δ = 1 to 50")
def figure_2(study: Study) -> Any:
    from discreet.plots import ACCENT, INK, WARN, figure

    lines = study.once(experiment)
    drawing, left = figure(width=8.4, height=3.4)
    left.remove()
    panels = drawing.subplots(1, 2)
    for axes, pick, says, place in (
        (panels[0], "maximal", "L*(X→Ŷ), bits", "center right"),
        (panels[1], "maximin", "I*(X;Ŷ), bits", "upper right"),
    ):
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(colors=INK, labelsize=9)
        for (name, line), colour, marker, size in zip(lines.items(), (ACCENT, WARN), "ox", (6, 3.5), strict=True):
            style = {"linestyle": "none", "marker": marker, "markersize": size, "markerfacecolor": "none"}
            axes.plot([s.distortion for s in line], [getattr(s, pick) for s in line], color=colour, label=name, **style)
        axes.set_xlabel("largest distortion")
        axes.set_ylabel(says)
        axes.legend(frameon=False, fontsize=9, loc=place)
    panels[0].set_ylim(0, 6)
    panels[1].set_ylim(-0.08, 1.4)
    return drawing


@PAPER.figure(
    "fig3", "Heart data: stochastic maximal leakage from X to Ŷ against the largest distortion, above I* throughout"
)
def figure_3(study: Study) -> Any:
    from discreet.plots import ACCENT, WARN, figure

    drawing, axes = figure(height=3.8)
    for (name, line), colour in zip(study.once(experiment).items(), (ACCENT, WARN), strict=True):
        order = sorted(line, key=lambda s: s.distortion)
        at = [s.distortion for s in order]
        axes.plot(
            at, [s.stochastic for s in order], color=colour, marker="o", markersize=3.5, linewidth=1.2, label=name
        )
        axes.plot(at, [s.maximin for s in order], color=colour, linewidth=1, linestyle=":", label=f"{name}: I*")
    axes.set_xlabel("largest distortion")
    axes.set_ylabel("bits")
    axes.set_ylim(-0.1, 5.2)
    axes.legend(frameon=False, fontsize=9, loc="upper right", ncols=2)
    return drawing
