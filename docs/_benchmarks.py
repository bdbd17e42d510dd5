"""A hook of mkdocs: what the benchmarks printed when `make bench-full` last ran.

It keeps every script's output in `benchmarks/results/`. A page asks with `<!-- benchmarks: results -->`.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
ASKED = "<!-- benchmarks: results -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put in the results where a page asks for them."""
    return markdown.replace(ASKED, results()) if ASKED in markdown else markdown


def results() -> str:
    """One section a script: what it measures, and what it printed."""
    return "\n\n".join(_section(path) for path in sorted((BENCHMARKS / "results").glob("bench_*.txt")))


def _section(path: Path) -> str:
    script = BENCHMARKS / f"{path.stem}.py"
    title, _, about = (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or "").partition("\n")
    about = re.sub(r"^    python .*(?:\n +.*)*\n", "", about, flags=re.MULTILINE).strip()
    command, _, printed = path.read_text(encoding="utf-8").partition("\n")
    figures = f"```{{ .text .figures }}\n{command}\n{printed.rstrip()}\n```"
    return f"### {script.stem}\n\n{title}\n\n{about}\n\n{figures}"
