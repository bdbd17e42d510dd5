"""The figures of [AC], redrawn from our own computation; the pictures themselves are lost in the text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet import Frontier
from discreet.joint import Blocks, Joint
from discreet.release import Points
from discreet.search import frontier
from discreet_papers.ac import s5a_example, s5b_maximin
from discreet_papers.ac.s4_graphs import graph_of
from discreet_papers.ac.s7b_hungarian import (
    algorithm_1,
    algorithm_2,
    best_known,
    funnel_solutions,
    heart,
    priced,
    suppressed,
)
from discreet_papers.ac.shared import FAR, PAPER, example, lagrangian, path_of
from discreet_papers.claims import Study

STEPS = (0.1, 0.002)  # multipliers of Fig. 8 for U1 and U2; the paper's are lost


def _panels(number: int, width: float, height: float) -> tuple[Any, list[Any]]:
    """A figure with several axes side by side, in the style of the others."""
    from discreet.report import INK, figure

    drawing, axes = figure(width, height)
    axes.remove()
    panels = list(np.ravel(drawing.subplots(1, number)))
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(colors=INK, labelsize=9)
    return drawing, panels


@PAPER.figure("fig1", "Example 1: which s is seen with which x")
def range_of_example_1(study: Study) -> Any:
    from discreet.report import ACCENT, PALE, figure

    joint = example(study)
    cells = joint.support.toarray()
    drawing, axes = figure(4.2, 3.6)
    for s, x in np.ndindex(cells.shape):
        axes.add_patch(_square(x, s, ACCENT if cells[s, x] else PALE))
    axes.set_xlim(-0.6, joint.n_x - 0.4)
    axes.set_ylim(joint.n_s - 0.4, -0.6)
    axes.set_xticks(range(joint.n_x), joint.x)
    axes.set_yticks(range(joint.n_s), joint.s)
    axes.set_aspect("equal")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return drawing


def _square(x: int, y: int, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.42, y - 0.42), 0.84, 0.84, color=colour, linewidth=0)


@PAPER.figure("fig2", "Example 1: the confusability graph, with five components")
def graph_of_example_1(study: Study) -> Any:
    return _graphs(example(study), [path_of(s5b_maximin.by_size(study))[0].blocks], ["I* = log 5"])


def _descent(axes: Any, path: Points, multiplier: float, label: str, colour: str) -> None:
    """The Lagrangian along a path, and the step that the multiplier returns."""
    values = lagrangian(path, multiplier)
    rises = np.flatnonzero(np.diff(values) >= 0)
    stop = int(rises[0]) if len(rises) else len(values) - 1
    axes.plot(range(stop + 1), values[: stop + 1], color=colour, marker="o", markersize=4, linewidth=1.4, label=label)
    if stop + 1 < len(values):
        axes.plot([stop, stop + 1], values[stop : stop + 2], color=colour, linestyle=":", linewidth=1.2)
    axes.plot([stop], [values[stop]], color=colour, marker="*", markersize=13, linestyle="none")


def _descents(axes: Any, letter: str) -> None:
    axes.set_xlabel("iteration t (a star: returned; dotted: the rise that stops it)")
    axes.set_ylabel(f"{letter} − λ · utility")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(frameon=False, fontsize=9)


@PAPER.figure("fig3", "Example 2: the Lagrangian of Algorithm 1 falls until it stops")
def convergence_of_algorithm_1(study: Study) -> Any:
    from discreet.report import ACCENT, WARN, figure

    drawing, axes = figure()
    _descent(axes, path_of(s5a_example.by_size(study)), 0.3, "U1, λ = 0.3", ACCENT)
    _descent(axes, path_of(s5a_example.by_distance(study)), 2.5, "U2, λ = 2.5", WARN)
    _descents(axes, "L0")
    return drawing


@PAPER.figure("fig4", "Example 3: the graph after every merge of Algorithm 2")
def graphs_of_example_3(study: Study) -> Any:
    return _merges(study, s5b_maximin.by_size(study))


@PAPER.figure("fig5", "Example 4: the graph after every merge; λ from 0.78 to 1.03 stops at t = 3, λ = 0.3 at t = 4")
def graphs_of_example_4(study: Study) -> Any:
    return _merges(study, s5b_maximin.by_distance(study))


def _merges(study: Study, found: Frontier) -> Any:
    path = path_of(found)
    titles = [f"t = {t}: |P| = {2 ** path.leakage[t]:.0f}" for t in range(1, len(path))]
    return _graphs(example(study), [point.blocks for point in path[1:]], titles)


def _graphs(joint: Joint, partitions: Sequence[Blocks], titles: Sequence[str]) -> Any:
    """G_X̂ for every partition, nodes on a circle; edges join ranges that overlap."""
    from discreet.report import ACCENT, INK

    angles = {x: math.pi / 2 - 2 * math.pi * i / joint.n_x for i, x in enumerate(joint.x)}
    drawing, panels = _panels(len(partitions), 2.6 * len(partitions), 2.6)
    for axes, blocks, title in zip(panels, partitions, titles, strict=True):
        # A block stands where its earliest letter stood, so that no two share a place.
        places = {block: (math.cos(angles[block[0]]), math.sin(angles[block[0]])) for block in blocks}
        for one, near in graph_of(joint.coarsen(blocks)).items():
            for other in near:
                axes.plot(*zip(places[one], places[other], strict=True), color=INK, linewidth=1.2, zorder=1)
        for block, (x, y) in places.items():
            axes.scatter([x], [y], s=420, color=ACCENT if len(block) > 1 else "white", edgecolor=INK, zorder=2)
            name = "$x_{" + "".join(str(label)[1:] for label in block) + "}$"
            axes.annotate(name, (x, y), ha="center", va="center", fontsize=9, color="white" if len(block) > 1 else INK)
        axes.set_title(title, fontsize=10, color=INK)
        axes.set_xlim(-1.35, 1.35)
        axes.set_ylim(-1.35, 1.35)
        axes.set_aspect("equal")
        axes.set_axis_off()
    return drawing


@PAPER.figure(
    "fig6",
    "Examples 3 and 4: the Lagrangian of Algorithm 2; with U2 it is λ = 0.78 to 1.03, not 0.3, that stops at t = 3",
)
def convergence_of_algorithm_2(study: Study) -> Any:
    from discreet.report import ACCENT, INK, WARN, figure

    drawing, axes = figure()
    _descent(axes, path_of(s5b_maximin.by_size(study)), 0.3, "U1, λ = 0.3", ACCENT)
    _descent(axes, path_of(s5b_maximin.by_distance(study)), 0.3, "U2, λ = 0.3", WARN)
    _descent(axes, path_of(s5b_maximin.by_distance(study)), 0.9, "U2, λ = 0.9", INK)
    _descents(axes, "I*")
    return drawing


@PAPER.figure("fig7", "Example 1: I* against utility lost, normalised, by Algorithm 2 and over all partitions")
def frontier_of_example_1(study: Study) -> Any:
    from discreet.report import ACCENT, PALE, WARN

    drawing, panels = _panels(2, 8.4, 3.4)
    joint = example(study)
    exact = (
        frontier(joint, "I*", "resolution", "exact").points,
        frontier(joint, "I*", "distortion", "exact", values=FAR).points,
    )
    greedy = (path_of(s5b_maximin.by_size(study)), path_of(s5b_maximin.by_distance(study)))
    returned = (greedy[0][4], greedy[1][3])
    units = (math.log2(joint.n_x), -float(greedy[1].utility.min()))
    names = ("U1: resolution lost, of log 7", "U2: distortion, of the largest here")
    solved = ("Example 3", "Example 4")
    for i, axes in enumerate(panels):
        base = units[0] if i == 0 else 0.0
        most = math.log2(5)
        lost, leaked = (base - exact[i].utility) / units[i], exact[i].leakage / most
        axes.step(lost, leaked, where="post", color=PALE, linewidth=5, label="all partitions")
        axes.plot(
            (base - greedy[i].utility) / units[i], greedy[i].leakage / most, "o", color=ACCENT, label="Algorithm 2"
        )
        point = returned[i]
        axes.plot(
            [(base - point.utility) / units[i]], [point.leakage / most], "*", color=WARN, markersize=14, label=solved[i]
        )
        axes.set_xlabel(names[i])
        axes.legend(frameon=False, fontsize=9)
    panels[0].set_ylabel("I*, of log 5")
    return drawing


@PAPER.figure("fig8", "Hungarian data: the Lagrangians of Algorithm 1 (left) and Algorithm 2 (right)")
def convergence_on_data(study: Study) -> Any:
    from discreet.report import ACCENT, WARN

    drawing, panels = _panels(2, 9.6, 3.6)
    for axes, found, letter in zip(panels, (algorithm_1(study), algorithm_2(study)), ("L0", "I*"), strict=True):
        _descent(axes, path_of(found["resolution"]), STEPS[0], f"U1, λ = {STEPS[0]}", ACCENT)
        _descent(axes, path_of(found["distortion"]), STEPS[1], f"U2, λ = {STEPS[1]}", WARN)
        _descents(axes, letter)
    return drawing


@PAPER.figure("fig9", "Hungarian data: leakage against utility lost; above L0 and 5-anonymity, below I* and IAC-MDSF")
def frontiers_on_data(study: Study) -> Any:
    from discreet.report import ACCENT, INK, PALE, WARN, figure

    drawing, spare = figure(9.6, 6.6)
    spare.remove()
    rows = drawing.subplots(2, 2)
    joint = heart(study)
    five = math.log2(joint.n_s / 5)
    funnel = np.array([priced(study, partition) for partition in funnel_solutions(study)])
    for column, utility in enumerate(("resolution", "distortion")):
        above, below = rows[0, column], rows[1, column]
        unit = math.log2(joint.n_x) if utility == "resolution" else 0.0
        if utility == "resolution":
            best = best_known(study).points
            above.step(unit - best.utility, best.leakage, where="post", color=PALE, linewidth=5, label="best known")
        for axes, found, name in (
            (above, algorithm_1(study), "Algorithm 1"),
            (below, algorithm_2(study), "Algorithm 2"),
        ):
            points = found[utility].points
            axes.step(
                unit - points.utility, points.leakage, where="post", color=ACCENT, marker="o", markersize=4, label=name
            )
        poor = suppressed(study)[utility].point_at(max_leakage=five)
        own = algorithm_1(study)[utility].point_at(max_leakage=five)
        above.plot([unit - own.utility], [own.leakage], "*", color=WARN, markersize=14, label="Algorithm 1 with k ≥ 5")
        above.plot([unit - poor.utility], [poor.leakage], "p", color=INK, markersize=10, label="suppression with k ≥ 5")
        below.plot(funnel[:, 1 + column], funnel[:, 0], "x", color=INK, markersize=7, label="IAC-MDSF")
        for axes, letter in ((above, "L0"), (below, "I*")):
            axes.spines[["top", "right"]].set_visible(False)
            axes.tick_params(colors=INK, labelsize=9)
            axes.set_ylabel(f"{letter} (bits)")
            axes.legend(frameon=False, fontsize=9)
        below.set_xlabel("resolution lost (bits)" if utility == "resolution" else "largest distortion (mg/dl)")
    return drawing
