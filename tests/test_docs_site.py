"""The documentation opened as files: the search works, nothing is fetched, tables of figures keep their lines."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import PATIENT

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pages, built with the settings of the whole site; what reads the package is left out."""
    pytest.importorskip("material")
    folder = tmp_path_factory.mktemp("site")
    (folder / "docs").mkdir()
    for name in ("index.md", "audit.md", "benchmarks.md", "style.css", "iframe-worker.js"):
        shutil.copy(DOCS / name, folder / "docs")
    settings = (ROOT / "mkdocs.yml").read_text()
    settings = re.sub(r"  - mkdocstrings:\n(?:      .*\n)+", "", settings)
    settings = re.sub(r"hooks:\n(?:  - .*\n)+", f"hooks:\n  - {DOCS / '_benchmarks.py'}\n", settings)
    (folder / "mkdocs.yml").write_text(settings[: settings.index("validation:")])
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(folder / "site")]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=env)
    return folder / "site"


def test_nothing_is_fetched(site: Path) -> None:
    for page in site.glob("*.html"):
        text = page.read_text()
        assert not re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"?(?:https?:)?//", text)
        assert "iframe-worker.js" in text


def test_the_index_is_a_script(site: Path) -> None:
    assert (site / "search" / "search_index.js").read_text().startswith("var __index = ")


def test_figures_keep_their_lines(site: Path) -> None:
    assert 'class="figures highlight"' in (site / "benchmarks.html").read_text()
    assert re.search(r"\.figures pre > code \{\s*white-space: pre;", (site / "style.css").read_text())


@pytest.mark.slow
def test_the_search_finds_pages(site: Path) -> None:
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("no Chromium here")
    asked = f"{(site / 'index.html').as_uri()}?q=homogeneity"
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom")
    done = subprocess.run([browser, *options, asked], capture_output=True, text=True, check=True, timeout=PATIENT)
    assert re.search(r"md-search-result__meta\">\s*[1-9][0-9]* matching document", done.stdout)


def test_pictures_of_the_tutorial_are_small() -> None:
    text = (DOCS / "tutorial.md").read_text()
    pictures = re.findall(r"\]\((screens/[^)]*)\)", text)
    assert len(pictures) == 3
    assert all((DOCS / picture).stat().st_size < 60_000 for picture in pictures)
