"""Compiled kernels: where they are kept, when they are good no more, and who compiles them."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet import _cache
from tests.processes import PATIENT

SOURCE = Path(discreet.__file__).parent
OURS = re.compile(r"^from discreet\._compile import (.+)$", re.MULTILINE)

FIRST = """
from discreet._compile import kernel
from discreet.second import scaled
@kernel
def first(x):
    return scaled(x) + 1
"""
SECOND = """
from discreet._compile import helper
@helper
def scaled(x):
    return 2 * x
"""
RUN = """
import json
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, each):
        compiled.append(each.data["dispatcher"].py_func.__name__)
    def on_end(self, _):
        pass
event.register("numba:compile", Listener())
from discreet._compile import folder, key
from discreet.first import first
print(json.dumps({"key": key(), "folder": str(folder()), "result": first(5), "compiled": sorted(compiled)}))
"""


def kernel_modules() -> dict[str, Path]:
    found = {path: path.read_text() for path in SOURCE.rglob("*.py")}
    return {
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts): path
        for path, text in found.items()
        if OURS.search(text)
    }


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small package of the same name, with a kernel and its helper in another file."""
    made = tmp_path / "path" / "discreet"
    made.mkdir(parents=True)
    for name, text in {"__init__": "", "first": FIRST, "second": SECOND, "other": "A = 1\n"}.items():
        (made / f"{name}.py").write_text(text)
    for name in ("_cache.py", "_compile.py"):
        shutil.copy(SOURCE / name, made / name)
    return made


def start(package: Path, **variables: str) -> subprocess.Popen[str]:
    cache = str(package.parents[1] / "cache")
    env = {**os.environ, "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": cache}
    for name in ("NUMBA_CACHE_DIR", "DISCREET_CACHE"):
        env.pop(name, None)
    command = [sys.executable, "-c", RUN]
    return subprocess.Popen(command, env=env | variables, stdout=subprocess.PIPE, text=True)


def run(package: Path, **variables: str) -> dict[str, Any]:
    process = start(package, **variables)
    told, _ = process.communicate(timeout=PATIENT)
    assert process.returncode == 0
    found: dict[str, Any] = json.loads(told)
    return found


def test_a_changed_helper_changes_the_key_and_what_kernels_do(package: Path) -> None:
    """numba alone looks at the kernel's own file, and would go on with the helper as it was."""
    before = run(package)
    assert (before["result"], before["compiled"]) == (11, ["first", "scaled"])
    (package / "other.py").write_text("A = 2\n")
    assert run(package) == before | {"compiled": []}  # from the cache
    (package / "second.py").write_text(SECOND.replace("2 * x", "3 * x"))
    after = run(package)
    assert (after["result"], after["compiled"]) == (16, ["first", "scaled"])
    assert after["key"] != before["key"]
    (package / "second.py").write_text(SECOND)
    assert run(package) == before | {"compiled": []}


def test_two_processes_compile_each_kernel_once(package: Path) -> None:
    (package / "second.py").write_text(SECOND + "\nimport time\ntime.sleep(0.2)\n")  # both have begun
    both = [start(package) for _ in range(2)]
    told = [json.loads(each.communicate(timeout=PATIENT)[0]) for each in both]
    assert [each["result"] for each in told] == [11, 11]
    assert sorted(told[0]["compiled"] + told[1]["compiled"]) == ["first", "scaled"]


def test_a_damaged_file_is_compiled_anew(package: Path) -> None:
    folder = Path(run(package)["folder"])
    for each in folder.glob("first.first*"):
        each.write_bytes(each.read_bytes()[:20])
    assert run(package)["compiled"] == ["first"]
    assert run(package)["compiled"] == []


def test_what_is_edited_after_it_was_hashed_is_not_kept(package: Path) -> None:
    """A test run of minutes loads modules late, and somebody edits them meanwhile."""
    late = FIRST.replace("from discreet.second", "from discreet import late\nfrom discreet.second")
    edit = (
        "from discreet import _compile\n_compile.key()\n"
        "from pathlib import Path\nimport discreet\nfile = Path(discreet.__file__).parent / 'second.py'\n"
        "file.write_text(file.read_text().replace('2 * x', '3 * x'))\n"
    )
    (package / "first.py").write_text(late)
    (package / "late.py").write_text(edit)
    told = run(package)
    assert told["result"] == 16
    assert not list(Path(told["folder"]).glob("*.nbi"))


def test_where_kernels_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "named"))
    assert _cache.kernel_folder("key") == tmp_path / "named" / "discreet" / "key"
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "cache"))
    assert _cache.kernel_folder("key") == tmp_path / "cache" / "kernels" / "key"


def test_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the package, else nowhere; a shared folder that holds kernels may be read-only."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(_cache, "__file__", str(tmp_path / "package" / "_cache.py"))
    assert _cache.kernel_folder("key") == tmp_path / "package" / "__pycache__" / "kernels" / "key"

    def refuse(**_: Any) -> Any:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    assert _cache.kernel_folder("key") is None
    shared = tmp_path / "shared" / "discreet" / "key"
    shared.mkdir(parents=True)
    (shared / "first.nbi").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "shared"))
    assert _cache.kernel_folder("key") == shared


def test_without_a_home_there_is_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(_cache, "cache_folder", nowhere)
    monkeypatch.setattr(_cache, "__file__", str(tmp_path / "_cache.py"))
    assert _cache.kernel_folder("key") == tmp_path / "__pycache__" / "kernels" / "key"


def test_kernels_of_other_versions_go_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    days = {"one": 1, "two": 8, "three": 9, "four": 30}
    for name, age in days.items():
        folder = _cache.kernel_folder(name)
        assert folder is not None
        (folder / "kernel.nbi").write_text("")
        when = time.time() - age * 24 * 3600
        os.utime(folder, (when, when))
    _cache.kernel_folder("new")
    kept = {each.name for each in (tmp_path / "discreet").iterdir()}
    assert kept == {"new", "one", "two"}


def test_python_cannot_call_a_helper() -> None:
    """Without a wrapper, numba would crash the process."""
    from discreet.search._kernels.random import mix

    with pytest.raises(TypeError, match="mix is a helper"):
        mix(3)


def test_kernels_import_kernels_only() -> None:
    """The key is a hash of modules that define kernels: a constant from elsewhere would be compiled in, and not be hashed."""
    modules = kernel_modules()
    assert len(modules) > 40
    for module, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text())):
            assert not (isinstance(node, ast.Import) and any(each.name.startswith("discreet") for each in node.names))
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("discreet"):
                for each in node.names:
                    known = {node.module, f"{node.module}.{each.name}"} & (modules.keys() | {"discreet._compile"})
                    assert known, f"{module} imports {each.name} of {node.module}, which defines no kernel"


def test_numba_is_asked_in_one_place() -> None:
    for path in SOURCE.rglob("*.py"):
        assert path.name == "_compile.py" or not re.search(r"njit|from numba import|^import numba", path.read_text()), (
            path
        )
