"""--quiet: nothing but what is wrong, for every command whose files or exit code are its answer."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import click


def with_quiet(command: click.Command) -> click.Command:
    """The command with the option; the same one when it has it already."""
    if any(param.name == "quiet" for param in command.params) or command.callback is None:
        return command
    command.params.append(
        click.Option(
            ["--quiet", "-q"], is_flag=True, help="Print nothing but what is wrong; the exit code says the rest."
        )
    )
    command.callback = _hushed(command.callback)
    return command


def is_quiet() -> bool:
    """Whether the command that runs was asked to be."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.params.get("quiet"))


def _hushed(callback: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(callback)
    def run(*args: Any, quiet: bool, **options: Any) -> Any:
        if not quiet:
            return callback(*args, **options)
        if options.get("as_json"):
            raise click.UsageError("--quiet prints nothing, and --json is printed: give one of them")
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
            return callback(*args, **options)

    return run
