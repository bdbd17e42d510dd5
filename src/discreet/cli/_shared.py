"""What several commands share: options, progress, writing files whole, and JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, get_args

import click

from discreet._typing import Codeword, MissingPolicy, Problem, Progress, UtilityName

F = TypeVar("F", bound=Callable[..., Any])


class Names(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic since click 8.5
    """Column names: the option may be repeated, and each may list several with commas."""

    name = "NAME[,NAME]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(value)


def flat(values: tuple[str, ...], table: str | None = None) -> list[str]:
    """The names given by a repeated option: a text that is itself a column's name, or several with commas between."""
    known: list[str] = []
    if table is not None and any("," in text or text != text.strip() for text in values):
        from discreet.tables import column_names

        known = column_names(table)
    names = []
    for text in values:
        names += [text] if text in known else [part.strip() for part in text.split(",") if part.strip()]
    return names


def _decorated(function: F, options: Sequence[Callable[[F], F]]) -> F:
    """A command with options, which --help lists in this order."""
    for decorate in reversed(options):
        function = decorate(function)
    return function


def table_options(function: F) -> F:
    """TABLE and the roles of its columns."""
    return _decorated(
        function,
        (
            click.argument("table"),
            click.option(
                "--sensitive", "-s", type=Names(), multiple=True, required=True, help="Columns to protect (S)."
            ),
            click.option("--public", "-p", type=Names(), multiple=True, required=True, help="Columns to publish (X)."),
            click.option("--side", type=Names(), multiple=True, help="Columns that an adversary knows already (A)."),
            click.option(
                "--missing",
                type=click.Choice(get_args(MissingPolicy)),
                default="level",
                show_default=True,
                help="Missing values: a level of their own, dropped with their rows, or refused.",
            ),
            click.option("--na", multiple=True, metavar="TEXT", help='Text that means missing, such as "?".'),
            click.option(
                "--table", "inner", metavar="NAME", help="The table of a database, or the sheet of a workbook."
            ),
            click.option("--memory-limit", metavar="SIZE", help="What counting a file may use, such as 4GB."),
        ),
    )


def named(table: str, inner: str | None) -> str:
    """A table with the name of its inner table or sheet."""
    return table if inner is None else f"{table}#{inner}"


@contextmanager
def progress(title: str) -> Iterator[Progress]:
    """A bar on stderr that appears once the work has taken two seconds, and only for people."""
    from rich import progress as bars
    from rich.console import Console

    console = Console(stderr=True)
    started = time.monotonic()
    shown = (bars.TextColumn("{task.description}"), bars.BarColumn(), bars.TimeElapsedColumn())
    bar = bars.Progress(*shown, console=console, transient=True)
    task = bar.add_task(title, total=None)
    showing = False

    def report(stage: str, share: float | None) -> None:
        nonlocal showing
        if not showing and console.is_terminal and time.monotonic() - started > 2:
            bar.start()
            showing = True
        bar.update(
            task, description=f"{title}: {stage}", total=1.0 if share is not None else None, completed=share or 0.0
        )

    try:
        yield report
    finally:
        if showing:
            bar.stop()


def console() -> Any:
    """A console for people; a reader that goes away is told like any other broken pipe."""
    from rich.console import Console

    class _Console(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return _Console(emoji=False)


def print_json(document: Any) -> None:
    """One JSON document on stdout."""
    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    click.echo(json.dumps(document, ensure_ascii=ascii_only, indent=2, allow_nan=False))


_FRONTIER_OPTIONS = (
    click.option(
        "--leakage",
        default="L0",
        show_default=True,
        metavar="SYMBOL",
        help="What to lower: L0, I*, L0|I*=0 in the worst case; I, Lmin, I_inf, D_2 … by how often values occur.",
    ),
    click.option(
        "--utility",
        type=click.Choice(get_args(UtilityName)),
        default=None,
        help="What to keep: distortion for numbers and dates (the default there), resolution for anything, "
        "information with leakage I, Lmin, I_inf and D_2.",
    ),
    click.option(
        "--method",
        default="auto",
        show_default=True,
        help="auto, agglomerative, exact, iac-mdsf, pairwise, sweeney, mondrian …",
    ),
    click.option(
        "--problem",
        type=click.Choice(get_args(Problem)),
        default="funnel",
        show_default=True,
        help="For leakage I: lower I(S;X̂) and keep I(X;X̂), or the reverse.",
    ),
    click.option(
        "--at-least",
        type=click.IntRange(min=0),
        default=0,
        help="Records that every group must have, for leakage I, Lmin, I_inf and D_2.",
    ),
    click.option(
        "--codeword",
        type=click.Choice(get_args(Codeword)),
        default="centroid",
        show_default=True,
        help="What stands for a block: its mean, a letter of it, or its middle.",
    ),
    click.option(
        "--scale", multiple=True, metavar="COLUMN=UNIT", help="The unit of a column, where there are several."
    ),
    click.option(
        "--rank",
        multiple=True,
        metavar="COLUMN=A,B,C",
        help="The order of a column's categories, lowest first.",
    ),
    click.option("--norm", type=float, default=2.0, show_default=True, help="1, 2 or inf, where there are several."),
    click.option("--time-limit", type=float, default=60.0, show_default=True, help="Seconds, for method exact."),
    click.option("--hierarchy", metavar="FILE", help="A CSV of categories, as ARX writes them: blocks are its nodes."),
    click.option("--seed", type=int, default=0, show_default=True, help="Of the searches that draw at random."),
)


def frontier_options(function: F) -> F:
    """What a frontier is between, and how it is found."""
    return _decorated(function, _FRONTIER_OPTIONS)


def joint_and_frontier(options: dict[str, Any], report: Progress, joint: Any = None) -> tuple[Any, Any]:
    """Count the table and compute the frontier that the options ask for."""
    from discreet.errors import InputError
    from discreet.joint import Joint
    from discreet.search import RANGES, frontier, has_positions

    if joint is None:
        joint = Joint.from_table(
            named(options["table"], options["inner"]),
            flat(options["sensitive"], named(options["table"], options["inner"])),
            flat(options["public"], named(options["table"], options["inner"])),
            flat(options["side"], named(options["table"], options["inner"])) or None,
            missing=options["missing"],
            na=options["na"],
            memory_limit=options["memory_limit"],
            progress=report,
        )
    placed = has_positions(joint) or bool(options["scale"] or options["rank"])
    by_place = options["utility"] is None and options["leakage"] in RANGES
    if by_place and not placed and has_positions(joint, but_missing=True):
        raise InputError(
            "some values of the public columns are missing, and distances need all of them: use --missing drop, "
            "or --utility resolution to merge letters wherever they lie"
        )
    found = frontier(
        joint,
        leakage=options["leakage"],
        utility=("distortion" if placed else "resolution") if by_place else options["utility"],
        method=options["method"],
        problem=options["problem"],
        at_least=options["at_least"],
        codeword=options["codeword"],
        scale=_scales(options["scale"]) or None,
        order=_ranks(options["rank"], joint) or None,
        norm=options["norm"],
        time_limit=options["time_limit"],
        hierarchy=options["hierarchy"],
        seed=options["seed"],
        progress=report,
    )
    return joint, found


def _ranks(texts: tuple[str, ...], joint: Any) -> dict[str, list[Any]]:
    """Categories in order, as they are labelled in the joint: "1" is the number 1 there."""
    from discreet.errors import InputError
    from discreet.tables._columns import encode_column

    ranks = {}
    for text in texts:
        name, mark, listed = text.partition("=")
        if not mark or name not in joint.public:
            raise InputError(f"--rank {text!r} does not read as COLUMN=A,B,C with a public column")
        values = [part.strip() for part in listed.split(",")]
        alphabet, codes = encode_column(values, frozenset())
        ranks[name] = [alphabet.label(int(code)) for code in codes]
    return ranks


def _scales(texts: tuple[str, ...]) -> dict[str, float]:
    from discreet.errors import InputError

    scales = {}
    for text in texts:
        name, mark, unit = text.rpartition("=")
        try:
            scales[name] = float(unit)
        except ValueError:
            mark = ""
        if not mark:
            raise InputError(f"--scale {text!r} does not read as COLUMN=UNIT, such as age=10")
    return scales
