"""Import fences: data flow one way, and nothing heavy is loaded before it is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import discreet

SOURCE = Path(discreet.__file__).parent
# A module imports, at its top, only from those above it.
ORDER = [
    "errors",
    "_typing",
    "_checks",
    "tables",
    "joint",
    "measures",
    "auditing",
    "release",
    "search",
    "sample_privacy",
    "queries",
    "sklearn",
    "report",
    "datasets",
    "agent",
    "cli",
    "testing",
]


def top_level_imports(path: Path) -> set[str]:
    """The parts of discreet that a file imports outside functions and outside `if TYPE_CHECKING`."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "discreet":
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("discreet.")}
    return found


def test_every_module_has_its_place() -> None:
    parts = {
        path.stem if path.is_file() else path.name for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()
    }
    assert parts - {"__init__", "__main__", "__pycache__", "templates"} == set(ORDER)


def test_data_flow_one_way() -> None:
    for path in SOURCE.rglob("*.py"):
        part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if part in ("__init__", "__main__"):
            continue
        for imported in top_level_imports(path):
            assert ORDER.index(imported) <= ORDER.index(part), f"{path.name} imports {imported}, which is below it"


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
