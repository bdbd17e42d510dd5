"""A table from standard input: kept in a scratch file while the command runs, and named by what it is."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import click

MAGIC = {
    b"PAR1": "stdin.parquet",
    b"ARROW1": "stdin.arrow",
    b"\xff\xff\xff\xff": "stdin.arrow",  # a stream
    b"PK\x03\x04": "stdin.xlsx",
    b"\x1f\x8b": "stdin.csv.gz",
    b"\x28\xb5\x2f\xfd": "stdin.csv.zst",
}
"""How files begin; what begins otherwise is text."""


class TableName(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic since click 8.5
    """A path or URL of a table, or - for standard input."""

    name = "TABLE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return _kept(ctx or click.get_current_context()) if value == "-" else str(value)


def _kept(context: click.Context) -> str:
    """Where the input is, for as long as the command runs; it is read once, whoever asks."""
    from discreet.errors import TableError
    from discreet.tables._scratch import scratch_folder

    if "discreet.stdin" in context.meta:
        return str(context.meta["discreet.stdin"])
    if sys.stdin is None or sys.stdin.isatty():
        raise TableError("there is nothing on standard input: pipe a table into it, or name a file in place of -")
    folder = Path(context.find_root().with_resource(scratch_folder()))
    with (folder / "stdin").open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    with (folder / "stdin").open("rb") as file:
        head = file.read(8)
    name = next((name for magic, name in MAGIC.items() if head.startswith(magic)), "stdin.csv")
    context.meta["discreet.stdin"] = path = (folder / "stdin").rename(folder / name)
    return str(path)
