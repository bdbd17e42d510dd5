"""A hook of mkdocs: the scripts of examples/, run when the site is built, with what they print and draw.

A page asks with `<!-- example: publish_a_column -->`.
"""

from __future__ import annotations

import ast
import base64
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
_ASKED = re.compile(r"<!-- example: (\w+) -->")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put in the examples that a page asks for; a page that shows some must show all."""
    asked = set(_ASKED.findall(markdown))
    if asked and (lacking := {path.stem for path in EXAMPLES.glob("*.py")} - asked):
        raise PluginError(f"the gallery lacks {', '.join(sorted(lacking))}")
    return _ASKED.sub(lambda asked: example(asked[1]), markdown)


def example(name: str) -> str:
    """What a script says of itself, its pictures, what it prints, and its code."""
    script = EXAMPLES / f"{name}.py"
    with tempfile.TemporaryDirectory(prefix="discreet-gallery-") as folder:
        done = subprocess.run(  # noqa: S603
            [sys.executable, str(script)],
            cwd=folder,
            env={**os.environ, "COLUMNS": "100"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise PluginError(f"{script.name} fails: {done.stderr}")
        pictures = [_picture(path, name) for path in sorted(Path(folder).rglob("*.png"))]
    code = script.read_text(encoding="utf-8")
    title, _, about = (ast.get_docstring(ast.parse(code)) or "").partition("\n")
    about = re.sub(r"^    python .*\n", "", about, flags=re.MULTILINE).strip()
    printed = f"```text\n{done.stdout.rstrip()}\n```"
    hidden = f'??? example "examples/{script.name}"\n\n' + _indented(f"```python\n{code.rstrip()}\n```")
    return "\n\n".join([f"## {title.rstrip('.')}", about, *pictures, printed, hidden])


def _picture(path: Path, name: str) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<img alt="What {name} draws" style="max-width: 40em" src="data:image/png;base64,{data}">'


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.split("\n"))
