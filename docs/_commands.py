"""A hook of mkdocs: the reference of the commands, written from the commands themselves.

A page asks with `<!-- commands: reference -->`.
"""

from __future__ import annotations

import html
import inspect
from typing import Any

import click

from discreet.cli import COMMANDS, group

ASKED = "<!-- commands: reference -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put in the reference where a page asks for it."""
    return markdown.replace(ASKED, reference()) if ASKED in markdown else markdown


def reference() -> str:
    """Every command: what it does, how it is called, its options and an example."""
    context = click.Context(group, info_name="discreet")
    sections = []
    for name, line in COMMANDS.items():
        command = group.get_command(context, name)
        assert command is not None  # noqa: S101
        sections.append(_section(command, click.Context(command, info_name=f"discreet {name}"), line))
    return "\n\n".join(sections)


def _section(command: click.Command, context: click.Context, line: str) -> str:
    usage = " ".join(command.collect_usage_pieces(context))
    about = inspect.cleandoc(command.help or "").replace("\b\n", "")
    parts = [f"## discreet {command.name}", f"*{line}*", f"```sh\n{context.info_name} {usage}\n```", about]
    rows = [parameter.get_help_record(context) for parameter in command.params if isinstance(parameter, click.Option)]
    parts.append(
        "\n".join(
            ["| option | |", "|---|---|", *(f"| <code>{_cell(r[0])}</code> | {_cell(r[1])} |" for r in rows if r)]
        )
    )
    if command.epilog:
        parts.append(f"```sh\n{' '.join(command.epilog.removeprefix('Example:').split())}\n```")
    return "\n\n".join(parts)


def _cell(text: str) -> str:
    """Text in a table, where | and < have meanings of their own."""
    return html.escape(" ".join(text.split()), quote=False).replace("|", "&#124;")
