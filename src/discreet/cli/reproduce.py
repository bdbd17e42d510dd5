"""discreet reproduce: the papers, claim by claim. The claims are a distribution of their own, found by an entry point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import click

from discreet.cli._shared import console, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ENTRY_POINTS = "discreet.papers"
"""The group in which a distribution names, as `reproduce`, the function that checks claims."""

_COLOURS = {"matches": "green", "misprint": "yellow", "refuted": "red", "not checkable": "dim", "mismatch": "bold red"}


class Reproduction(Protocol):
    """What the function of the entry point returns."""

    @property
    def figures(self) -> Sequence[str]:
        """Paths of what was drawn."""

    @property
    def mismatches(self) -> Sequence[object]:
        """Claims whose verdict nobody has explained."""

    def counts(self) -> dict[str, dict[str, int]]:
        """Per paper, how many claims have each verdict."""

    def to_list(self) -> list[dict[str, str]]:
        """One row per claim: paper, where, claim, computed, verdict."""


@click.command("reproduce", epilog="Example: discreet reproduce all --data folder-of-the-hungarian-data --out figures")
@click.argument("papers", nargs=-1, metavar="[AC|SP|DQ|PF|BF|all]...")
@click.option("--data", metavar="DIR", help="The folder of processed.hungarian.data; else DISCREET_DATA, else a cache.")
@click.option("--out", metavar="DIR", help="Draw the papers' figures into this folder, as SVG.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(papers: tuple[str, ...], data: str | None, out: str | None, as_json: bool) -> int:
    """Check every claim of the papers that discreet builds on, and say which hold.

    matches: holds as printed. misprint: the correction holds. refuted: a counterexample is given. not checkable: why. mismatch:
    unexplained, and then the exit code is 1. The claims come with pip install "discreet[papers]".
    """
    reproduce = installed()
    with progress("reproduce") as report:
        done: Reproduction = reproduce(papers or ("all",), data=data, out=out, progress=report)
    if as_json:
        print_json(done.to_list())
    else:
        _show(done)
    return 1 if done.mismatches else 0


def installed() -> Callable[..., Any]:
    """The function that checks claims, or how to install it."""
    from importlib.metadata import entry_points

    from discreet.errors import MissingExtraError

    for found in entry_points(group=ENTRY_POINTS, name="reproduce"):
        reproduce: Callable[..., Any] = found.load()
        return reproduce
    raise MissingExtraError('this needs discreet-papers, which is not installed: pip install "discreet[papers]"')


def _show(done: Reproduction) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    target = console()
    table = Table(pad_edge=False, box=box.HORIZONTALS, show_lines=True)
    table.add_column("where", max_width=16)
    table.add_column("the paper says", ratio=2)
    table.add_column("computed", ratio=3)
    for row in done.to_list():
        where = Text(f"{row['paper']} {row['where']}\n").append(row["verdict"], style=_COLOURS[row["verdict"]])
        table.add_row(where, Text(row["claim"]), Text(row["computed"]))
    target.print(table)
    for tag, counts in done.counts().items():
        target.print(Text(f"{tag}: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n)))
    for path in done.figures:
        target.print(Text(f"drawn: {path}"))
