"""The papers see of discreet what everybody sees, and no two of their modules need each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import discreet_papers

SOURCE = Path(discreet_papers.__file__).parent


def imports(path: Path) -> Iterator[str]:
    """Every dotted name that a file imports, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, f"{path.name} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_nothing_private_is_imported() -> None:
    private = [
        f"{path.relative_to(SOURCE)}: {name}"
        for path in SOURCE.rglob("*.py")
        for name in imports(path)
        if name.split(".")[0] == "discreet" and any(part.startswith("_") for part in name.split("."))
    ]
    assert private == []


def test_what_is_imported_is_listed_as_public() -> None:
    import importlib

    for path in SOURCE.rglob("*.py"):
        for name in imports(path):
            module, _, part = name.rpartition(".")
            listed = (
                getattr(importlib.import_module(module), "__all__", None) if module.startswith("discreet.") else None
            )
            assert listed is None or part in listed, f"{path.name} imports {name}, which is not in __all__"


def test_modules_do_not_need_each_other() -> None:
    named = {
        ".".join(("discreet_papers", *path.relative_to(SOURCE).with_suffix("").parts)): path
        for path in SOURCE.rglob("*.py")
    }
    needs = {
        module: {
            other
            for name in imports(path)
            for other in (name, name.rpartition(".")[0])
            if other in named and other != module
        }
        for module, path in named.items()
    }
    while needs:
        free = {module for module, needed in needs.items() if not needed & needs.keys()}
        assert free, f"a cycle among {sorted(needs)}"
        needs = {module: needed for module, needed in needs.items() if module not in free}
