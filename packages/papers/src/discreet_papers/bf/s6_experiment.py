"""Section VI: the experiment on the heart data, Figs 2 and 3, and what (10) does not say about one channel."""

from __future__ import annotations

import itertools
import math
from typing import Any

import discreet as dc
from discreet import datasets
from discreet_papers.bf.families import close, few_records, smallest, tables
from discreet_papers.bf.paper import PAPER
from discreet_papers.bf.settings import STEPS, Lines, Setting, experiment, of_records, without_missing
from discreet_papers.claims import Outcome, Study, matches, not_checkable, refuted

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
    return matches(
        f"{left} distinct ones: the published file has {rows} rows, one of which repeats another exactly",
        rows == 294,
        left == 293,
    )


@PAPER.claim("VI", "the data have 76 attributes")
def columns(study: Study) -> Outcome:
    return not_checkable(
        f"the file in use is UCI's processed one, with {len(study.hungarian)} columns; the raw one is not at hand"
    )


@PAPER.claim("VI, (11)", "ĉ(y) = δ(⌊y/δ⌋ + 1/2): the largest distortion grows with the step δ")
def distortion(study: Study) -> Outcome:
    lines = study.once(experiment)
    falls = {name: _rises([-s.distortion for s in line]) for name, line in lines.items()}
    first = (falls["blood pressure"] or [STEPS[1]])[0]
    before, after = (lines["blood pressure"][step - 1].distortion for step in (first - 1, first))
    ratios = [s.distortion / s.step for s in _all(lines)]
    return matches(
        f"it is {min(ratios):.3f} to {max(ratios):.3f} of δ, so it grows on the whole. Not at every step: for blood "
        f"pressure it falls at {len(falls['blood pressure'])} of 49, as from {before:g} at δ = {first - 1} to "
        f"{after:g} at {first}, where no value lies on the edge of a cell (cholesterol: {len(falls['cholesterol'])})",
        all(0.45 < ratio <= 0.5 for ratio in ratios),
        len(falls["cholesterol"]) == 0,
    )


@PAPER.claim("VI, Fig 2 left", "the maximal leakage L*(X→Ŷ) of the age decreases as the distortion increases")
def maximal_falls(study: Study) -> Outcome:
    """The text leaves out the star, which is no difference: L and L* increase in each other, and are equal here."""
    settings, dropped = _all(study.once(experiment)), study.once(without_missing)
    other = dropped["blood pressure"]
    rises = _rises([s.maximal for s in other])
    return refuted(
        f"it is log2 38 = {settings[0].maximal:.3f} bits at every δ for both attributes, as some cell always holds a "
        "single age. Without the rows where the attribute is missing, cholesterol has one value throughout, too; "
        f"blood pressure has less, down to {min(s.maximal for s in other):.3f}, at "
        f"{sum(s.maximal < other[0].maximal for s in other)} of 50 δ, but rises again {len(rises)} times. If X "
        "were the patient's record, it would be log2 293 at every δ",
        counterexample=len({s.maximal for s in settings}) == 1
        and all(close(s.maximal, math.log2(293)) for s in _all(study.once(of_records)))
        and all(s.joint.distinct.min() == 1 and close(s.leakage, s.maximal) and s.joint.n_s == 38 for s in settings)
        and len({s.maximal for s in dropped["cholesterol"]}) == 1
        and len(rises) > 0,
    )


@PAPER.claim("VI, Fig 2 right", "the maximin information I*(X;Ŷ) of the age decreases as the distortion increases")
def maximin_falls(study: Study) -> Outcome:
    """For cholesterol on the whole, perhaps; for blood pressure there is nothing to fall."""
    lines, records = study.once(experiment), study.once(of_records)
    chol = {s.step: s.maximin for s in lines["cholesterol"]}
    connected = [step for step, value in chol.items() if value == 0] or [STEPS[-1]]
    back = [step for step, value in chol.items() if value > 0 and step > connected[0]]
    return refuted(
        f"for blood pressure it is 0 at every δ; for cholesterol it is 1 bit to δ = {connected[0] - 1}, 0 from "
        f"{connected[0]}, 1 again at δ = {', '.join(map(str, back))} and 0 beyond. It would fall on the whole if X "
        "were the patient's record: "
        + " and ".join(f"{line[0].maximin:.3f} to {line[-1].maximin:.3f}" for line in records.values())
        + " bits",
        counterexample=len(back) > 0
        and all(s.maximin == 0 for s in lines["blood pressure"])
        and all(line[-1].maximin < line[0].maximin - 1 for line in records.values()),
    )


@PAPER.claim("VI, Fig 2", "the maximal leakage L*(X→Ŷ) is greater than I*(X;Ŷ)")
def maximal_above_maximin(study: Study) -> Outcome:
    settings = _all(study.once(experiment))
    return matches(
        f"at all {len(settings)} settings (two attributes, 50 steps δ), by "
        f"{min(s.maximal - s.maximin for s in settings):.3f} bits or more",
        all(s.maximal > s.maximin + 1e-9 for s in settings),
    )


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
        f"it falls on the whole as δ grows: {', '.join(said)} of 49 steps; to double δ joins cells and never raises it",
        all(doubled),
        all(line[-1].stochastic < line[0].stochastic - 1 for line in lines.values()),
    )


@PAPER.claim("VI", "by (10), the stochastic maximal leakage from X to Ŷ is at most I*(X;Ŷ)")
def one_channel(study: Study) -> Outcome:
    """For one channel the reverse of the print holds: a component has an x whose y all lie in it."""
    first = smallest(few_records(), lambda joint: _MAXIMAL(joint) > _I_STAR(joint) + 1e-9)
    every = study.once(tables)
    return refuted(
        "(10) compares suprema over channels, not the two in one channel, where the reverse holds: each part of the "
        f"overlap partition adds at least 1 to Σ_y max_x p(y|x), so I* is never above ({len(every)} random tables of "
        f"counts, {sum(close(_MAXIMAL(j), _I_STAR(j)) for j in every)} with equality). For the counts "
        f"{first.counts.toarray().tolist()} of {first.total} records, the fewest, it is {_MAXIMAL(first):.3f} and I* "
        f"= {_I_STAR(first):g}",
        counterexample=_MAXIMAL(first) > _I_STAR(first) + 0.1
        and all(_I_STAR(joint) <= _MAXIMAL(joint) + 1e-9 for joint in every),
    )


@PAPER.claim("VI", "in this experiment I*(X;Ŷ) ≈ min{H0(X), H0(Ŷ)}")
def near_the_supremum(study: Study) -> Outcome:
    settings = _all(study.once(experiment))
    short = [min(dc.measures.hartley_entropy(j) for j in (s.joint, s.joint.transpose())) - s.maximin for s in settings]
    records = all(
        close(s.maximin, min(dc.measures.hartley_entropy(j) for j in (s.joint, s.joint.transpose())))
        and close(s.stochastic, s.maximin)
        for s in _all(study.once(of_records))
    )
    return refuted(
        f"with X the age, I* is 0 or 1 bit, and {min(short):.2f} to {max(short):.2f} bits below that at the "
        f"{len(settings)} settings. It would be equal to it, and to the stochastic leakage, if X were the patient's "
        "record, of which Ŷ is a function",
        counterexample=min(short) > 1 and {round(s.maximin, 9) for s in settings} == {0, 1} and records,
    )


@PAPER.figure("fig2", "Heart data: L*(X→Ŷ) (left) and I*(X;Ŷ) (right) against the largest distortion, δ = 1 to 50")
def figure_2(study: Study) -> Any:
    from discreet.report import ACCENT, INK, WARN, figure

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
    from discreet.report import ACCENT, WARN, figure

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
