"""What several commands share: options, progress, writing files whole, and JSON."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from discreet.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])


class Names(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic since click 8.5
    """Column names: the option may be repeated, and each may list several with commas."""

    name = "NAME[,NAME]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        return value if isinstance(value, list) else [part.strip() for part in str(value).split(",") if part.strip()]


def flat(values: tuple[list[str], ...]) -> list[str]:
    """The names given by a repeated option."""
    return [name for names in values for name in names]


def table_options(function: F) -> F:
    """TABLE and the roles of its columns."""
    for decorate in reversed(
        (
            click.argument("table"),
            click.option(
                "--sensitive", "-s", type=Names(), multiple=True, required=True, help="Columns to protect (S)."
            ),
            click.option("--public", "-p", type=Names(), multiple=True, required=True, help="Columns to publish (X)."),
            click.option("--side", type=Names(), multiple=True, help="Columns that an adversary knows already (A)."),
            click.option(
                "--missing",
                type=click.Choice(["level", "drop", "error"]),
                default="level",
                show_default=True,
                help="Missing values: a level of their own, dropped with their rows, or refused.",
            ),
            click.option("--na", multiple=True, metavar="TEXT", help='Text that means missing, such as "?".'),
            click.option(
                "--table", "inner", metavar="NAME", help="The table of a database, or the sheet of a workbook."
            ),
            click.option("--memory-limit", metavar="SIZE", help="What counting a file may use, such as 4GB."),
        )
    ):
        function = decorate(function)
    return function


def named(table: str, inner: str | None) -> str:
    """A table with the name of its inner table or sheet."""
    return table if inner is None else f"{table}#{inner}"


@contextmanager
def progress(title: str) -> Iterator[Callable[[str, float | None], None]]:
    """A bar on stderr that appears once the work has taken two seconds, and only for people."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    started = time.monotonic()
    bar = Progress(TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=console, transient=True)
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


def print_json(document: Any) -> None:
    """One JSON document on stdout."""
    json.dump(document, sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def write_whole(path: str | Path, content: str) -> None:
    """Write a file or nothing: to a temporary file beside it first, then rename."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} is a folder: name a file to write to")
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent} to write {target.name} into")
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
