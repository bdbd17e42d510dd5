"""Import fences: data flow one way, no module waits for itself, and nothing heavy is loaded before it is used."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import discreet

SOURCE = Path(discreet.__file__).parent
# A module imports only from its own part and from those above it, inside functions too.
ORDER = [
    "errors",
    "_typing",
    "_checks",
    "_cache",
    "_compile",
    "_clock",
    "_compile_ahead",
    "_listening",
    "_text",
    "tables",
    "columns",
    "report",
    "joint",
    "measures",
    "auditing",
    "release",
    "search",
    "sample_privacy",
    "queries",
    "_tours",
    "recipe",
    "sklearn",
    "_registry",
    "datasets",
    "agent",
    "dbapi",
    "app",
    "cli",
    "testing",
]
# What takes long to load, or need not be there.
SLOW_OR_OPTIONAL = {
    "fastapi",
    "highspy",
    "hypothesis",
    "jinja2",
    "markupsafe",
    "matplotlib",
    "nicegui",
    "numba",
    "py4j",
    "pydantic",
    "pyreadr",
    "pyreadstat",
    "pyspark",
    "rich",
    "sklearn",
    "sqlalchemy",
    "sqlglot",
    "starlette",
    "uvicorn",
}
# Where the rules below do not hold yet.
LAZY: set[str] = set()


@dataclass(frozen=True)
class Import:
    """One import: of which module, and whether it waits for a function to be called."""

    target: str
    inner: bool


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def modules() -> dict[str, Path]:
    return {name_of(path): path for path in SOURCE.rglob("*.py")}


@functools.cache
def imports_of(module: str) -> tuple[Import, ...]:
    """What a module imports, but for what only type checkers read."""
    found: list[Import] = []

    def visit(node: ast.AST, inner: bool) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                visit(other, inner)
            return
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.extend(Import(name if name in modules() else str(node.module), inner) for name in names)
        elif isinstance(node, ast.Import):
            found.extend(Import(alias.name, inner) for alias in node.names)
        inner = inner or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            visit(child, inner)

    visit(ast.parse(modules()[module].read_text()), False)
    return tuple(found)


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@functools.cache
def loads_slowly(module: str) -> bool:
    """Whether importing it imports something slow or optional, at once."""
    if module not in modules():
        return module.split(".")[0] in SLOW_OR_OPTIONAL
    return any(loads_slowly(each.target) for each in imports_of(module) if not each.inner)


def test_every_module_has_its_place() -> None:
    assert {part_of(module) for module in modules()} - {"", "__main__"} == set(ORDER)


def test_data_flow_one_way() -> None:
    for module in modules():
        for each in imports_of(module):
            part, imported = part_of(module), part_of(each.target)
            if each.target in modules() and part in ORDER and imported:
                assert ORDER.index(imported) <= ORDER.index(part), f"{module} imports {each.target}, which is below it"


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {
        module: {each.target for each in imports_of(module) if each.target in modules() and each.target != module}
        for module in modules()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as problem:
        pytest.fail(f"imports in a circle: {' -> '.join(reversed(problem.args[1]))}")


def test_imports_wait_inside_functions_only_for_what_is_slow_or_optional() -> None:
    """Commands are the exception: --help must load nothing."""
    for module in modules():
        if part_of(module) in LAZY | {"cli", ""}:
            continue
        for each in imports_of(module):
            if each.inner and each.target in modules():
                assert loads_slowly(each.target), f"{module} imports {each.target} inside a function for no reason"


def loaded_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()}


HEAVY = {
    "numpy",
    "scipy",
    "duckdb",
    "pyarrow",
    "narwhals",
    "pandas",
    "polars",
    "matplotlib",
    "numba",
    "sklearn",
    "jinja2",
    "rich",
}


def test_importing_discreet_loads_nothing_heavy() -> None:
    assert not loaded_after("import discreet") & (HEAVY | {"click"})


def test_help_loads_nothing_heavy() -> None:
    code = "from discreet.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass"
    assert not loaded_after(code) & HEAVY


def test_an_audit_loads_only_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("s,x\n1,1\n2,1\n")
    code = f"import discreet\ndiscreet.audit({str(tmp_path / 't.csv')!r}, 's', 'x')"
    assert not loaded_after(code) & {"pandas", "polars", "matplotlib", "numba", "sklearn", "jinja2", "hypothesis"}


def test_public_names_are_there() -> None:
    for name in discreet.__all__:
        assert getattr(discreet, name) is not None
    assert set(discreet.__all__) <= set(dir(discreet))
