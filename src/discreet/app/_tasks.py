"""The long work itself, as it runs in another process: each calls public functions and hands back what pages show."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet._text import label_text
from discreet.app._preview import Preview, preview_of
from discreet.auditing import Audit, audit
from discreet.errors import InputError, RequirementError
from discreet.recipe import Recipe, profile
from discreet.release._table_page import headline
from discreet.search.tables import Generalisation, Workbench

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.auditing._risk import Risk
    from discreet.release._comparison import Comparison

Emit = Callable[[str, Any], None]
"""Tells the other process: "progress" with a stage and a share, "part" with something that was found."""

FIRST_SECONDS = 0.4  # for each point of the first round; every further round takes twice as long
SAMPLE = 8
MOST_COMPARED = 50_000  # different records, up to which Mondrian takes seconds


def told(emit: Emit) -> Progress:
    """Progress that the other process hears."""
    return lambda stage, share: emit("progress", (stage, share))


def open_table(emit: Emit, source: str, na: tuple[str, ...]) -> Preview:
    """Look at every column of a table, and guess what it is."""
    columns = profile(source, na, told(emit))
    return preview_of(Recipe.guess(source, na=na, counted=columns), columns)


def audit_table(emit: Emit, recipe: Recipe) -> Audit:
    """What the public columns give away."""
    data = recipe.data
    return audit(
        recipe.table,
        recipe.sensitive,
        recipe.public,
        recipe.having("side") or None,
        weights=recipe.one_having("weight"),
        household=recipe.one_having("household"),
        hierarchies=recipe.hierarchies,
        ignore=(*recipe.having("identifier"), *recipe.having("ignored")),
        missing=data.missing,
        na=tuple(data.na),
        memory_limit=data.memory_limit,
        progress=told(emit),
    )


@dataclass(frozen=True)
class Found:
    """A release that was found on the way: for which level of n or k."""

    symbol: str
    level: int
    point: Generalisation = field(repr=False)


@dataclass(frozen=True)
class Baseline:
    """What the usual method, Mondrian, loses at a level of n or k."""

    symbol: str
    level: int
    loss: float


def explore(emit: Emit, recipe: Recipe) -> str:
    """Releases for every level of n and k, in rounds that take longer and longer, each handed over at once.

    Returns why a level is absent, where one is.
    """
    work = Workbench.of(recipe, told(emit))
    emit("part", work)
    symbols = ("n", "k") if recipe.sensitive else ("n",)
    wanted = [(symbol, level) for symbol in symbols for level in work.levels(symbol)]
    seconds, spent, total, seed = FIRST_SECONDS, 0.0, recipe.search.seconds, recipe.search.seed
    ended = ""
    while True:
        for i, (symbol, level) in enumerate(list(wanted)):
            emit("progress", (f"{symbol} ≥ {level}", min(1.0, (spent + i * seconds) / total)))
            try:
                emit("part", Found(symbol, level, work.release(symbol, level, seconds=seconds, seed=seed)))
            except (InputError, RequirementError) as problem:
                ended = f"{symbol} ≥ {level}: {problem}"
                wanted = [each for each in wanted if each[0] != symbol or each[1] < level]
        if not spent and work.problem.letters.size <= MOST_COMPARED:
            _compare(emit, work, wanted)
        spent += seconds * max(1, len(wanted))
        seconds, seed = 2 * seconds, seed + 1
        left = total - spent
        if not wanted or left < FIRST_SECONDS * len(wanted):
            return ended
        seconds = min(seconds, left / len(wanted))


def _compare(emit: Emit, work: Workbench, levels: list[tuple[str, int]]) -> None:
    """Hand over what Mondrian loses, the coarsest levels first: they take least."""
    for symbol, level in reversed(levels):
        emit("progress", (f"Mondrian, for comparison, {symbol} ≥ {level}", None))
        loss = work.mondrian(symbol, level)
        if loss is not None:
            emit("part", Baseline(symbol, level, loss))


@dataclass(frozen=True, eq=False)
class Released:
    """A release that was carried out, as its page shows it."""

    lines: tuple[str, ...]
    headline: str
    files: dict[str, str]
    comparison: Comparison = field(repr=False)
    before: Risk
    after: Risk
    findings: tuple[tuple[str, str, bool], ...]
    broken_by_keep: tuple[str, ...]
    columns: tuple[str, ...]
    sample: tuple[tuple[str, ...], ...] = field(repr=False)


def release_table(emit: Emit, recipe: Recipe) -> Released:
    """Run the recipe, as the command would."""
    done = recipe.run(force=True, progress=told(emit))
    columns = tuple(done.done.columns)
    rows = len(done.done.columns[columns[0]])
    places = sorted({round(i * (rows - 1) / (SAMPLE - 1)) for i in range(SAMPLE)})
    return Released(
        tuple(line for line in done.lines() if " written to " not in line and " holds in every group" not in line),
        headline(done),
        {name: Path(file).name for name, file in done.files.items()},
        done.comparison,
        done.risk_before,
        done.risk_after,
        tuple((str(each.requirement), each.sentence(), each.met) for each in done.findings),
        done.broken_by_keep,
        columns,
        tuple(tuple(label_text(done.done.columns[name][i]) for name in columns) for i in places),
    )


def warm_up(emit: Emit) -> None:
    """Compile what searches need, on a handful of rows, so that the first search does not wait for it."""
    os.nice(19)
    rows = ["age,town,code,ill", *(f"{20 + i},{'abc'[i % 3]},{5000 + i % 7},{'xyz'[i % 3]}" for i in range(60))]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "rows.csv"
        table.write_text("\n".join(rows) + "\n", encoding="utf-8")
        columns: dict[str, Any] = {name: {"role": "public"} for name in ("age", "town")}
        columns |= {"code": {"role": "public", "type": "code"}, "ill": {"role": "sensitive"}}
        document = {"data": {"table": str(table)}, "columns": columns, "require": ["n>=3", "k>=2"]}
        explore(lambda what, content: None, Recipe.from_dict({**document, "search": {"time_limit": 3.0}}))
