"""A hook of mkdocs: the packages and who imports whom, drawn from the imports when the site is built.

A page asks with `<!-- packages: drawing -->`. Imports inside functions count; those for types alone do not.
"""

from __future__ import annotations

import ast
import re
from html import escape
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parent.parent / "src" / "discreet"
_ASKED = re.compile(r"<!-- packages: drawing -->")
_WIDTH, _HEIGHT, _ROW, _MARGIN = 118, 34, 78, 12
_QUIET = {"errors", "_typing", "_checks", "_text"}  # everybody imports these


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the drawing where a page asks for it."""
    return _ASKED.sub(lambda _: drawing(), markdown)


def imports() -> dict[str, set[str]]:
    """Which part of the package imports which others."""
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if part in ("__init__", "__main__"):
            continue
        found.setdefault(part, set()).update(name for name in _imported(ast.parse(path.read_text())) if name != part)
    return {part: {name for name in names if name in found} for part, names in found.items()}


def _imported(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            parts = node.module.split(".")
            if parts[0] == "discreet":
                names |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("discreet.")}
        names |= _imported(node)
    return names


def layers(edges: dict[str, set[str]]) -> list[list[str]]:
    """Parts in rows: each stands below everything that it imports."""
    depth: dict[str, int] = {}

    def deep(part: str) -> int:
        if part not in depth:
            depth[part] = 0  # a cycle would end here; a test forbids them
            depth[part] = max((deep(other) + 1 for other in edges[part]), default=0)
        return depth[part]

    rows: list[list[str]] = [[] for _ in range(max(map(deep, edges), default=-1) + 1)]
    for part in sorted(edges):
        rows[depth[part]].append(part)
    return [row for row in rows if row]


def drawing() -> str:
    """The packages as SVG; an arrow that others imply is left out."""
    edges = {part: names - _QUIET for part, names in imports().items() if part not in _QUIET}
    direct = {
        part: {name for name in names if not any(name in _reach(edges, other) for other in names if other != name)}
        for part, names in edges.items()
    }
    rows = layers(edges)
    width = max(len(row) for row in rows) * (_WIDTH + 2 * _MARGIN)
    place = {}
    for y, row in enumerate(rows):
        gap = width / len(row)
        for x, part in enumerate(row):
            place[part] = (gap * (x + 0.5), _MARGIN + y * _ROW)
    lines = [
        f'<path d="M{x:.0f},{y:.0f} C{x:.0f},{y - 22:.0f} {tx:.0f},{ty + _HEIGHT + 22:.0f} {tx:.0f},{ty + _HEIGHT:.0f}" '
        'fill="none" stroke="currentColor" stroke-opacity="0.35"/>'
        for part, (x, y) in place.items()
        for tx, ty in (place[name] for name in sorted(direct[part]))
    ]
    boxes = [
        f'<rect x="{x - _WIDTH / 2:.0f}" y="{y:.0f}" width="{_WIDTH}" height="{_HEIGHT}" rx="6" fill="#2a6f97"/>'
        f'<text x="{x:.0f}" y="{y + 22:.0f}" text-anchor="middle" fill="#fff" font-size="13">{escape(part)}</text>'
        for part, (x, y) in place.items()
    ]
    height = _MARGIN + len(rows) * _ROW
    return (
        f'<svg viewBox="0 0 {width:.0f} {height}" role="img" aria-label="Packages and their imports" '
        f'style="max-width:100%;font-family:sans-serif">{"".join(lines)}{"".join(boxes)}</svg>'
    )


def _reach(edges: dict[str, set[str]], part: str) -> set[str]:
    seen: set[str] = set()
    todo = [part]
    while todo:
        for name in edges[todo.pop()] - seen:
            seen.add(name)
            todo.append(name)
    return seen
