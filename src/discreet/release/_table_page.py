"""The report of a whole table's release, and what a notebook shows of one."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.report import _plots as plots
from discreet.report._pages import fragment, render

if TYPE_CHECKING:
    from discreet.release._table_release import TableRelease

WORST = 10
SAMPLE = 12


def table_page(release: TableRelease) -> str:
    """One self-contained page for a privacy officer to read and sign."""
    policy, done = release.policy, release.done
    return render(
        "table_release.html",
        release=release,
        policy=policy,
        done=done,
        before=release.risk_before,
        after=release.risk_after,
        people=release.people,
        said=release.people.sentences(tuple(done.columns)),
        headline=headline(release),
        loss_plot=plots.to_svg(plots.bars_figure(policy.loss_by_column, "mean NCP"), "Loss by column"),
        size_plot=plots.to_svg(_sizes(release), "Groups by size"),
        histograms=[
            plots.to_svg(_histogram(release, name), f"Histogram of {i}") for i, name in enumerate(policy.public)
        ],
        association_plot=plots.to_svg(_associations(release), "Associations"),
        worst=_worst(release),
        sample=_sample(release),
        kept=[name for name in done.columns if name not in policy.public],
        open_columns=[name for name in policy.sensitive if name in done.columns],
        fingerprint=policy.to_dict()["sha256"],
        today=dt.date.today().isoformat(),
        share=lambda value: f"{value:.1%}",
    )


def headline(release: TableRelease) -> str:
    """What the release promises, in one sentence."""
    after, require = release.risk_after, ", ".join(map(str, release.policy.require))
    if release.broken_by_keep:
        return (
            f"The requirement ({require}) holds for the coarsened columns alone. With the columns kept as they are it is "
            f"broken: {'; '.join(release.broken_by_keep)}."
        )
    groups = "the one group" if after.groups == 1 else f"all {after.groups:,} groups"
    return (
        f"Every released row is shared by at least {int(release.done.measures['n'])} people ({require} holds in {groups}). "
        f"Nobody is found with a probability above {after.prosecutor:.1%}; before, "
        f"{release.risk_before.uniques:,} of {release.risk_before.records:,} people were alone with their values."
    )


def table_fragment(release: TableRelease) -> str:
    """A release for a notebook."""
    rows = [(str(each.requirement), f"{each.worst:.4g}", each.sentence()) for each in release.findings]
    rows += [(name, f"{loss:.3f}", "loss of the column") for name, loss in release.policy.loss_by_column.items()]
    return fragment(headline(release), rows + [(name, path, "written") for name, path in release.files.items()])


def _sizes(release: TableRelease) -> Any:
    sizes = np.asarray(release.done.joint.records if release.done.joint is not None else [], dtype=np.int64)
    edges = [1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000]
    edges = [edge for edge in edges if edge <= int(sizes.max(initial=1))] + [int(sizes.max(initial=1)) + 1]
    edges = sorted(set(edges))
    people_before, people_after = (
        [int(each[(each >= low) & (each < high)].sum()) for low, high in pairwise(edges)]
        for each in (release.records, sizes)
    )
    names = [f"{low}" if high == low + 1 else f"{low}–{high - 1}" for low, high in pairwise(edges)]
    return plots.paired_bars_figure(names, people_before, people_after, "people, by the size of their group")


def _histogram(release: TableRelease, name: str) -> Any:
    found = release.comparison
    moved = f"{name}: {found.moved(name):.1%} of the records change class"
    return plots.paired_bars_figure(
        found.classes[name], (100 * found.before[name]).tolist(), (100 * found.after[name]).tolist(), moved
    )


def _associations(release: TableRelease) -> Any:
    found = release.comparison
    return plots.matrices_figure(found.columns, found.association, found.association_after)


def _worst(release: TableRelease) -> list[dict[str, Any]]:
    joint = release.done.joint
    if joint is None:
        return []
    order = np.lexsort((joint.records, joint.distinct))[:WORST]
    return [
        {"cells": joint.x_label(int(i)), "records": int(joint.records[i]), "distinct": int(joint.distinct[i])}
        for i in order.tolist()
    ]


def _sample(release: TableRelease) -> list[tuple[Any, ...]]:
    """Some rows as released, evenly from all of them."""
    columns = release.done.columns
    count = len(next(iter(columns.values())))
    chosen = sorted({round(i * (count - 1) / (SAMPLE - 1)) for i in range(SAMPLE)}) if count > 1 else [0]
    return [tuple(columns[name][i] for name in columns) for i in chosen]
