"""Releases, policies and frontiers as pages and as notebooks show them."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from discreet._text import number_text, utility_text
from discreet.auditing._audit_page import units_of
from discreet.auditing._words import explain, missing_sentence
from discreet.errors import MissingExtraError
from discreet.measures import REGISTRY
from discreet.release._rows import open_words
from discreet.report import _plots as plots
from discreet.report._pages import fragment, render

if TYPE_CHECKING:
    from discreet.joint._joint import Joint
    from discreet.release._frontier import Frontier
    from discreet.release._policy import Policy
    from discreet.release._publishing import Release


BLOCKS_SHOWN = 200


def release_page(published: Release) -> str:
    """The report of a release, for a privacy officer to read and sign."""
    policy, done, joint = published.policy, published.done, published.joint
    assert done.joint is not None  # noqa: S101, publish() checks
    before, after = policy.before, done.measures
    released = {label: i for i, label in enumerate(done.joint.x)}
    rows = []
    for block, cells in zip(policy.blocks, policy.labels, strict=True):
        i = released.get(cells)
        if i is not None:
            rows.append(
                {
                    "cells": cells,
                    "letters": len(block),
                    "records": int(done.joint.records[i]),
                    "distinct": int(done.joint.distinct[i]),
                }
            )
    kept = done.with_kept
    return render(
        "release.html",
        policy=policy,
        original=published.original,
        look=published.look,
        open_words=open_words(done, policy.sensitive),
        point=published.point,
        frontier=published.frontier,
        joint=joint,
        done=done,
        suppress=published.options.suppress,
        files=published.files,
        purpose=published.options.purpose,
        before=before,
        after=after,
        rows=_before_and_after(before, after, done.joint),
        missing=missing_sentence(joint),
        kept=[name for name in done.columns if name not in policy.public],
        open_columns=[name for name in policy.sensitive if name in done.columns],
        kept_distinct=None if kept is None else int(kept.distinct.min()),
        kept_leakage=None if kept is None else number_text(REGISTRY["L0"](kept), "bits"),
        headline=_release_headline(published),
        broken_by_keep=published.broken_by_keep,
        utility=utility_text(published.frontier.utility, published.utility),
        plot=plots.to_svg(published.plot(), "Frontier"),
        blocks=rows[:BLOCKS_SHOWN],
        more_blocks=max(0, len(rows) - BLOCKS_SHOWN),
        worst=sorted(rows, key=lambda row: (row["distinct"], row["records"]))[:10],
        fingerprint=policy.to_dict()["sha256"],
        today=dt.date.today().isoformat(),
        number=number_text,
        people=published.people,
        said=published.people.sentences(tuple(done.columns)),
    )


def _before_and_after(before: dict[str, float], after: dict[str, float], joint: Joint) -> list[dict[str, str]]:
    return [
        {
            "symbol": symbol,
            "name": REGISTRY[symbol].name if symbol in REGISTRY else "with side information",
            "before": number_text(before[symbol], units_of(symbol)),
            "after": number_text(value, units_of(symbol)),
            "meaning": explain(symbol, value, joint),
        }
        for symbol, value in after.items()
    ]


def _release_headline(published: Release) -> str:
    policy, after = published.policy, published.done.measures
    if published.broken_by_keep:
        return (
            f"What this policy promises holds for the released {', '.join(policy.public)} alone. With the columns kept as they "
            f"are it is broken: {'; '.join(published.broken_by_keep)}."
        )
    sensitive = ", ".join(policy.sensitive)
    worst = (
        f"Whoever sees the released {', '.join(policy.public)} is left with at least {after['k']:.0f} possible values of "
        f"{sensitive} for every record, of {published.joint.n_s}: {after['L0']:.2f} of {after['H0']:.2f} bits are lost in the "
        f"worst case, {policy.before['L0']:.2f} before."
    )
    if policy.leakage in ("L0", "I*", "L0|I*=0"):
        return worst
    measure, symbol = REGISTRY[policy.leakage].name, policy.leakage
    chosen = f"The release was chosen by its {measure}: {after[symbol]:.2f} bits, {policy.before[symbol]:.2f} before."
    return f"{chosen} {worst}"


def release_fragment(published: Release) -> str:
    """A release for a notebook: what leaks before and after, and where it was written."""
    assert published.done.joint is not None  # noqa: S101, publish() checks
    figures = _before_and_after(published.policy.before, published.done.measures, published.done.joint)
    rows = [(row["symbol"], f"{row['before']} → {row['after']}", row["meaning"]) for row in figures]
    return fragment(
        _release_headline(published), rows + [(name, path, "written") for name, path in published.files.items()]
    )


POINTS_SHOWN = 12


def frontier_fragment(frontier: Frontier) -> str:
    """A frontier for a notebook: the plot, where plots are installed, and the figures of some points."""
    points = frontier.points
    shown = sorted({round(i * (len(points) - 1) / (POINTS_SHOWN - 1)) for i in range(POINTS_SHOWN)})
    rows = [
        {
            "leakage": f"{points[i].leakage:.4g}",
            "utility": utility_text(frontier.utility, points[i].utility).rpartition(" ")[2],
            "bound": "" if points[i].bound is None else f"{points[i].bound:.4g}",
        }
        for i in shown
    ]
    try:
        drawing = plots.to_svg(frontier.plot(), f"Frontier {frontier.leakage} {frontier.utility}")
    except MissingExtraError:
        drawing = ""
    words = [*frontier.scale_words(), *frontier.stop_words(), *frontier.polish_words(), *frontier.bound_words()]
    return render("frontier.html", frontier=frontier, text=repr(frontier), rows=rows, plot=drawing, words=words)


def policy_fragment(policy: Policy) -> str:
    """A policy for a notebook."""
    sizes = [str(len(block)) for block in policy.blocks] or [""] * len(
        policy.public_cells
    )  # a public policy does not tell
    blocks = [{"cells": cells, "letters": size} for size, cells in zip(sizes, policy.labels, strict=True)]
    return render("policy.html", policy=policy, text=repr(policy), blocks=blocks[:30], more=max(0, len(blocks) - 30))
