"""The report of a whole table's release, and what a notebook shows of one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.release._rows import open_words
from discreet.report import _plots as plots
from discreet.report._pages import fragment, render

if TYPE_CHECKING:
    from discreet._typing import IntArray
    from discreet.release._table_release import TableRelease
    from discreet.search.tables._cluster_outcome import ClusterRelease

WORST = 10
SAMPLE = 12


def table_page(release: TableRelease) -> str:
    """One self-contained page for a privacy officer to read and sign."""
    policy, done = release.policy, release.done
    sizes = np.asarray(done.joint.records if done.joint is not None else [], dtype=np.int64)
    return page_of(
        release,
        columns=tuple(done.columns),
        rows=done.rows,
        suppressed=done.withheld + done.unseen,
        dropped=done.dropped,
        records=policy.records,
        types=policy.types,
        loss_by_column=policy.loss_by_column,
        purpose=release.options.purpose,
        target=release.options.target,
        source=release.original,
        open_words=open_words(done, policy.sensitive),
        blind=policy.blind,
        scores=release.scores,
        stop_words=release.stop_words(),
        size_plot=sizes_figure(*((each, np.ones_like(each)) for each in (release.records, sizes))),
        histograms=[_histogram(release, name) for name in policy.public],
        associations=_associations(release),
        worst=_worst(release),
        sample=_sample(release),
        fingerprint=policy.to_dict()["sha256"],
    )


def page_of(
    release: TableRelease | ClusterRelease,
    *,
    columns: Sequence[str],
    loss_by_column: Mapping[str, float],
    size_plot: Any,
    histograms: Sequence[Any] = (),
    associations: Any = None,
    **facts: Any,
) -> str:
    """The report of a whole table's release, with the pictures that there are."""
    policy, people = release.policy, release.people
    kept = [name for name in columns if name not in policy.public]
    return render(
        "table_release.html",
        release=release,
        policy=policy,
        people=people,
        before=people.before.risk,
        after=people.after.risk,
        said=people.sentences(columns),
        headline=headline(release),
        columns=columns,
        loss_by_column=loss_by_column,
        loss_plot=plots.to_svg(plots.bars_figure(dict(loss_by_column), "mean NCP"), "Loss by column"),
        size_plot=plots.to_svg(size_plot, "Groups by size"),
        histograms=[plots.to_svg(figure, f"Histogram of {i}") for i, figure in enumerate(histograms)],
        association_plot=None if associations is None else plots.to_svg(associations, "Associations"),
        kept=kept,
        open_columns=[name for name in policy.sensitive if name in columns],
        today=dt.date.today().isoformat(),
        share=lambda value: f"{value:.1%}",
        **{"blind": False, "face": True, "scores": (), "stop_words": (), **facts},
    )


def headline(release: TableRelease | ClusterRelease) -> str:
    """What the release promises, in one sentence."""
    before, after = release.people.before.risk, release.people.after.risk
    asked = ", ".join(map(str, release.policy.require))
    if release.broken_by_keep:
        return (
            f"The requirement ({asked}) holds for the coarsened columns alone. With the columns kept as they are it is "
            f"broken: {'; '.join(release.broken_by_keep)}."
        )
    groups = "the one group" if after.groups == 1 else f"all {after.groups:,} groups"
    return (
        f"The coarse columns of every row are shared by at least {after.least} records ({asked} holds in {groups}). "
        f"No record is found by them with a probability above {after.prosecutor:.1%}; before, "
        f"{before.uniques:,} of {before.records:,} records were alone with their values."
    )


def table_fragment(release: TableRelease) -> str:
    """A release for a notebook."""
    rows = [(str(each.requirement), f"{each.worst:.4g}", each.sentence()) for each in release.findings]
    rows += [(name, f"{loss:.3f}", "loss of the column") for name, loss in release.policy.loss_by_column.items()]
    return fragment(headline(release), rows + [(name, path, "written") for name, path in release.files.items()])


def sizes_figure(before: tuple[IntArray, IntArray], after: tuple[IntArray, IntArray]) -> Any:
    """Records by the size of their group, before and after: sizes, and how many groups have each."""
    most = int(after[0].max(initial=1))
    edges = sorted({*(edge for edge in (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000) if edge <= most), most + 1})
    records_before, records_after = (
        [int((sizes * groups)[(sizes >= low) & (sizes < high)].sum()) for low, high in pairwise(edges)]
        for sizes, groups in (before, after)
    )
    names = [f"{low}" if high == low + 1 else f"{low}–{high - 1}" for low, high in pairwise(edges)]
    return plots.paired_bars_figure(names, records_before, records_after, "records, by the size of their group")


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
