"""The command line. A command parses, calls one public function and shows its result; it holds no mathematics."""

from __future__ import annotations

import importlib
import io
import os
import sys
import threading
from typing import TYPE_CHECKING

import click

from discreet.cli._quiet import with_quiet
from discreet.cli._signals import Signals, leave

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMANDS", "group", "main"]

# name -> one line for `discreet --help`; the module is imported only when the command runs.
COMMANDS = {
    "init": "Look at a table, and write a first recipe for its release.",
    "audit": "What do the public columns of a table give away?",
    "frontier": "Every policy worth having between leakage and utility.",
    "release": "Publish the public columns, coarsened, with a proof.",
    "apply": "Release new data by a policy, if its promise still holds.",
    "verify": "Check a released table against its policy.",
    "disclose": "Release what columns say together, and nothing about any one.",
    "app": "Do all of this in a browser, on this machine.",
    "serve": "Answer questions about data that stay where they are.",
    "query": "Ask an agent a question in SQL.",
    "attack": "Attack what an agent has said, as an adversary would.",
    "reproduce": "Check the claims of the papers, one by one.",
    "demo": "The main job on 5,000 made-up patients.",
    "doctor": "What is installed here, and does it work?",
    "completion": "Completion of commands and options, for your shell.",
}

SPEAKING = ("serve", "app", "query", "doctor", "completion")  # what they say is what they are for
COMPLETE = "_DISCREET_COMPLETE"  # how a shell asks what could be typed next


class _LazyGroup(click.Group):
    """Commands by name, imported when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"discreet.cli.{name}").command
        return command if name in SPEAKING else with_quiet(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: discreet audit people.csv --sensitive diagnosis --public age,sex,postcode,admission",
)
@click.version_option(package_name="discreet", message="discreet %(version)s")
@click.pass_context
def group(context: click.Context) -> None:
    """Publish data about people truthfully, without noise.

    Exit code: 0 done, 1 a stated requirement is not met, 2 bad input, 130 interrupted.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; whatever is wrong is told in one line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and (stream.encoding or "").lower().replace("-", "") != "utf8":
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows a question mark
    if arguments is None and COMPLETE in os.environ:
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(group, {}, "discreet", COMPLETE, os.environ[COMPLETE]))
    signals = Signals.heed() if arguments is None and threading.current_thread() is threading.main_thread() else None
    try:
        with group.make_context("discreet", list(sys.argv[1:] if arguments is None else arguments)) as context:
            code = group.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BaseException as problem:
        if signals is not None and signals.ended(problem):
            leave()
        code = _ended(problem)
    sys.exit(code if isinstance(code, int) else 0)


def _ended(problem: BaseException) -> int:
    """Tell what is wrong; the exit code."""
    if isinstance(problem, click.exceptions.Exit):  # --help and --version
        return problem.exit_code
    if isinstance(problem, BrokenPipeError):  # the reader of our output went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    if isinstance(problem, click.ClickException):
        message, code = problem.format_message(), 2
    elif isinstance(problem, KeyboardInterrupt | click.exceptions.Abort):
        message, code = "interrupted", 130
    elif isinstance(problem, Exception):
        message, code = _told(problem)
    else:
        raise problem
    click.echo(f"discreet: {' '.join(message.split())}", err=True)
    return code


def _told(problem: Exception) -> tuple[str, int]:
    """A problem in one line that quotes no data, and its exit code."""
    from discreet.errors import DiscreetError

    if isinstance(problem, DiscreetError):
        return str(problem), problem.exit_code
    if os.environ.get("DISCREET_DEBUG"):
        raise problem
    if isinstance(problem, MemoryError):
        return "out of memory: audit fewer columns, or set --memory-limit", 2
    if isinstance(problem, OSError):
        return f"{problem.filename or 'a file'}: {problem.strerror or type(problem).__name__}", 2
    # The message of an unforeseen error may quote a private value, so it is not shown.
    return f"unexpected {type(problem).__name__}: set DISCREET_DEBUG=1 to see where, and please report it", 2
