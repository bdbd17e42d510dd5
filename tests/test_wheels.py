"""The two wheels: each builds on its own, and holds its part and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST = 1_300_000  # bytes of a wheel; what is larger has something in it that nobody meant


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both wheels by the name of their distribution."""
    folder = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder)]
    subprocess.run([*command, str(ROOT), str(ROOT / "packages" / "papers")], check=True)
    return {path.name.partition("-")[0]: path for path in folder.glob("*.whl")}


def names(wheel: Path) -> set[str]:
    """The files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "source"), [("discreet", "src"), ("discreet_papers", "packages/papers/src")])
def test_a_wheel_holds_its_package_and_its_licence(wheels: dict[str, Path], name: str, source: str) -> None:
    assert set(wheels) == {"discreet", "discreet_papers"}
    found = names(wheels[name])
    assert wheels[name].stat().st_size < MOST
    assert {part.split("/")[0].removesuffix("-0.1.0.dist-info") for part in found} == {name}
    assert any(part.endswith("/licenses/LICENSE") for part in found)
    modules = {str(path.relative_to(ROOT / source)) for path in (ROOT / source / name).rglob("*.py")}
    assert modules == {part for part in found if part.endswith(".py")}
    assert f"{name}/py.typed" in found


@pytest.mark.slow
def test_the_command_can_find_the_papers(wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels["discreet_papers"]) as archive:
        (entries,) = [
            archive.read(name).decode() for name in names(wheels["discreet_papers"]) if "entry_points" in name
        ]
        (about,) = [archive.read(name).decode() for name in names(wheels["discreet_papers"]) if "/METADATA" in name]
    assert "[discreet.papers]\nreproduce = discreet_papers:reproduce" in entries
    assert "Requires-Dist: discreet[disclose,plots]" in about.replace("[plots,disclose]", "[disclose,plots]")
    with zipfile.ZipFile(wheels["discreet"]) as archive:
        (about,) = [archive.read(name).decode() for name in names(wheels["discreet"]) if "/METADATA" in name]
    assert "Requires-Dist: discreet-papers ; extra == 'papers'" in about
