"""What several commands share: options, progress, writing files whole, and JSON."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar, get_args

import click

from discreet._typing import Codeword, Engine, MissingPolicy, Problem, Progress, UtilityName
from discreet.cli._compiling import watched
from discreet.cli._quiet import is_quiet
from discreet.cli._stdin import TableName

F = TypeVar("F", bound=Callable[..., Any])


class Names(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic since click 8.5
    """Column names: the option may be repeated, and each may list several with commas."""

    name = "NAME[,NAME]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(value)


def flat(values: tuple[str, ...], table: object = None) -> list[str]:
    """The names given by a repeated option: a text that is itself a column's name, or several with commas between."""
    known: list[str] = []
    if table is not None and any("," in text or text != text.strip() or not text for text in values):
        from discreet.tables import column_names

        known = column_names(table)
    names = []
    for text in values:
        parts = [text] if text in known else [part.strip() for part in text.split(",")]
        if (parts != [text] and not all(parts)) or (not text.strip() and text not in known):
            from discreet.errors import ColumnError

            raise ColumnError(f"a name in the list of columns {text!r} is blank: is a variable of the shell not set?")
        names += parts
    return names


ALL = "\0"  # what --keep-anyway says without a name
keep_anyway_option = click.option(
    "--keep-anyway",
    type=Names(),
    multiple=True,
    is_flag=False,
    flag_value=ALL,
    help="Columns to keep although that breaks the requirement or they hardly repeat; without a name all that are kept.",
)


def anyway_of(values: tuple[str, ...], table: object) -> bool | list[str]:
    """The columns that are kept anyway, by name, or True for all of them."""
    return True if ALL in values else flat(values, table)


def _decorated(function: F, options: Sequence[Callable[[F], F]]) -> F:
    """A command with options, which --help lists in this order."""
    for decorate in reversed(options):
        function = decorate(function)
    return function


memory_option = click.option(
    "--memory-limit", metavar="SIZE", help="What counting a file may use, such as 4GB; the rest goes to the disk."
)


def audit_table_options(function: F) -> F:
    """TABLE and the roles of its columns; none need be sensitive, and what is missing may match anything."""
    return _table_options(function, required=False, wildcard=True)


def recipe_table_options(function: F) -> F:
    """The same, where a recipe may name them all."""
    return _table_options(function, required=False)


def _table_options(function: F, *, required: bool, wildcard: bool = False) -> F:
    return _decorated(
        function,
        (
            click.argument("table", type=TableName(), required=required),
            click.option("--sensitive", "-s", type=Names(), multiple=True, help="Columns to protect (S)."),
            click.option(
                "--public", "-p", type=Names(), multiple=True, required=required, help="Columns to publish (X)."
            ),
            click.option("--side", type=Names(), multiple=True, help="Columns that an adversary knows already (A)."),
            click.option(
                "--missing",
                type=click.Choice([*get_args(MissingPolicy), *(["wildcard"] if wildcard else [])]),
                default="level",
                show_default=True,
                help="Missing values: a level of their own, dropped with their rows, or refused"
                + ("; or public ones match any value, as suppressed cells may." if wildcard else "."),
            ),
            click.option("--na", multiple=True, metavar="TEXT", help='Text that means missing, such as "?".'),
            click.option(
                "--table", "inner", metavar="NAME", help="The table of a database, or the sheet of a workbook."
            ),
            memory_option,
            click.option(
                "--coarsen",
                multiple=True,
                metavar="COLUMN=BAND",
                help="A public column with too many values, made coarser while it is counted: admitted=hour, chol=5, "
                "zip=code:3, income=quantiles:100.",
            ),
            engine_options,
        ),
    )


def engine_options(function: F) -> F:
    """Who counts: the engine that holds a table, or a cluster."""
    return _decorated(
        function,
        (
            click.option(
                "--engine",
                type=click.Choice(get_args(Engine)),
                default="auto",
                show_default=True,
                help="Who counts and writes: spark reads Parquet and the tables of its catalogue on a cluster.",
            ),
            click.option(
                "--master",
                metavar="URL",
                help="Of Spark: spark://HOST:7077, yarn, k8s://HOST, local[4], sc://HOST:15002.",
            ),
            click.option(
                "--conf", multiple=True, metavar="KEY=VALUE", help="Of Spark, such as spark.executor.memory=8g."
            ),
        ),
    )


def coarsened(texts: tuple[str, ...], public: Sequence[str]) -> dict[str, str]:
    """COLUMN=BAND, each public column once."""
    from discreet.errors import InputError

    found: dict[str, str] = {}
    for text in texts:
        name, mark, band = text.rpartition("=")
        if not mark or not band or name not in public:
            raise InputError(
                f"--coarsen {text!r} does not read as COLUMN=BAND, such as chol=5; the public columns are {', '.join(public)}"
            )
        if found.setdefault(name, band) != band:
            raise InputError(f"--coarsen is given twice for {name!r}, as {found[name]} and as {band}: give it once")
    return found


def named(table: str, inner: str | None) -> str:
    """A table with the name of its inner table or sheet."""
    return table if inner is None else f"{table}#{inner}"


def hush_java() -> None:
    """What stands between Spark and Python logs an interrupt with where it was: one line of ours says it."""
    import logging

    logging.getLogger().addHandler(logging.NullHandler())


def asked_table(table: str, options: dict[str, Any]) -> Any:
    """A table as it was asked for: by its name, with that of its inner table or sheet, or as a cluster reads it."""
    if options["engine"] == "spark":
        from discreet.tables._spark import named_on_spark

        hush_java()
        return named_on_spark(table, table, master=options["master"], conf=options["conf"])
    if options["master"] or options["conf"]:
        raise click.UsageError("--master and --conf are Spark's: say --engine spark")
    return named(table, options.get("inner"))


@contextmanager
def progress(title: str, plan: str = "") -> Iterator[Progress]:
    """A bar on stderr that appears once the work has taken two seconds, and only for people.

    It appears by itself: the first stage may be a long one. Where kernels must be compiled first, it appears at once, below
    what is planned.
    """
    from rich import progress as bars
    from rich.console import Console

    from discreet import _compile_ahead

    console = Console(stderr=True)
    started = time.monotonic()
    bar = bars.Progress(
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.TimeElapsedColumn(),
        bars.TextColumn("{task.fields[left]}"),
        console=console,
        transient=True,
    )
    task = bar.add_task(title, total=None, left="")
    is_shown = console.is_terminal and not is_quiet()
    showing = False
    stage_now, began = "", started
    turn = threading.Lock()

    def look(*, now: bool = False) -> None:
        nonlocal showing
        with turn:
            if not showing and is_shown and (now or time.monotonic() - started > 2):
                showing = True
                bar.start()

    def report(stage: str, share: float | None) -> None:
        nonlocal stage_now, began
        if stage != stage_now:
            stage_now, began = stage, time.monotonic()
            if stage.startswith(_compile_ahead.COMPILING):
                if plan and is_shown and not showing:
                    console.print(f"{title}: {plan}", highlight=False, markup=False)
                look(now=True)
        bar.update(
            task,
            description=f"{title}: {stage}",
            total=1.0 if share is not None else None,
            completed=share or 0.0,
            left=_left(share, time.monotonic() - began),
        )

    _compile_ahead.is_on = True
    try:
        with watched(lambda words: report(words, None), look) if is_shown else nullcontext():
            yield report
    finally:
        _compile_ahead.is_on = False
        if showing:
            bar.stop()


def _left(share: float | None, seconds: float) -> str:
    """How long a stage will still take, by how long it took so far."""
    if not share or seconds < 1:
        return ""
    left = seconds * (1 - share) / share
    return f"about {left:.0f} s left" if left < 90 else f"about {left / 60:.0f} min left"


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
    click.option(
        "--time-limit",
        type=float,
        help="Seconds to use where more may be found; without it a search ends as planned, after 60 at most.",
    ),
    click.option(
        "--hierarchy",
        multiple=True,
        metavar="[COLUMN=]FILE",
        help="A CSV of categories, as ARX writes them: cells are its nodes. Of a sensitive column: for t_hier.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Of the searches that draw at random."),
)


def frontier_options(function: F) -> F:
    """What a frontier is between, and how it is found."""
    return _decorated(function, _FRONTIER_OPTIONS)


_WHOLE_OPTIONS = (
    click.option("--recipe", metavar="FILE", help="A recipe that says all of this; what is typed here counts more."),
    click.option(
        "--require",
        "-r",
        multiple=True,
        metavar="RULE",
        help='What every group must have: "n>=5", "k(COLUMN)>=3", "L0<=2".',
    ),
    click.option(
        "--type",
        "types",
        multiple=True,
        metavar="COLUMN=TYPE",
        help="number, date, code, category, ordered:A<B, or TYPE:BAND, the finest cell: age=number:5, seen=date:hour. "
        "Dates with times are released by the day unless you say another unit. It wins over what a column's name suggests.",
    ),
    click.option(
        "--weight", "weights", multiple=True, metavar="COLUMN=NUMBER", help="How much a column's coarseness counts."
    ),
    click.option(
        "--coarsest",
        multiple=True,
        metavar="COLUMN=LIMIT",
        help="Never coarser than: age=20, admission=month, postcode=2.",
    ),
    click.option("--as-is", type=Names(), multiple=True, help="Public columns to leave as they are."),
    click.option(
        "--shape",
        type=click.Choice(["local", "disjoint", "global"]),
        default="local",
        show_default=True,
        help="How cells may lie.",
    ),
    click.option(
        "--blind",
        is_flag=True,
        help="Form groups by n alone, without looking at sensitive values, and raise n until all requirements hold; that n "
        "was raised can itself tell something about them.",
    ),
    click.option("--suppress", type=click.IntRange(min=0), default=0, help="Rows that may be withheld."),
)


def whole_table_options(function: F) -> F:
    """What every group of a whole table must have, and how its columns are coarsened."""
    return _decorated(function, _WHOLE_OPTIONS)
