"""Reports in the dark and on a phone: colours follow the page, nothing is wider than the screen but what can be scrolled."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.report._pages import render
from tests.release.test_keeping import table

TEMPLATES = sorted((Path(dc.__file__).parent / "report" / "templates").glob("*.html"))
WHOLE = [path for path in TEMPLATES if path.read_text().startswith("<!doctype html>")]


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_pages_know_dark_and_phones(path: Path) -> None:
    text = path.read_text()
    assert 'name="viewport"' in text and '{% include "base.css" %}' in text
    assert not re.findall(r"#[0-9a-f]{3,6}\b", text)  # colours are the style sheet's, which has them twice
    for wide in re.findall(r"^.*<table", text, flags=re.MULTILINE):
        assert wide.startswith('<div class="scroll">') or wide == "<table"


def test_the_style_has_a_colour_for_the_dark_wherever_it_has_one() -> None:
    css = render("base.css")
    light, dark = (set(re.findall(r"(--\w+):#", block)) for block in re.findall(r":root \{(.*?)\}", css)[:2])
    assert light == dark and "prefers-color-scheme: dark" in css and "max-width: 40rem" in css
    outside = re.sub(r":root \{.*?\}|@media print.*", "", css)
    assert not re.findall(r"#[0-9a-f]{3,6}\b", outside)


def reports(folder: Path) -> dict[str, str]:
    frontier = dc.frontier(dc.Joint.from_table(table(), "illness", "age"))
    files: Any = {"out": folder / "o.csv", "policy_file": folder / "p.json"}
    return {
        "audit": dc.audit(table(), "illness", ["age", "rare"]).to_html(),
        "release": dc.publish(table(), frontier, max_leakage=1.0, **files).to_html(),
        "frontier": frontier._repr_html_(),
    }


def test_plots_take_the_colour_of_the_page(tmp_path: Path) -> None:
    for name, page in reports(tmp_path).items():
        plots = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
        assert plots, name
        for plot in plots:
            assert '<svg fill="currentColor"' in plot and "currentColor" in plot
            assert "#000000" not in plot and "#22303c" not in plot


def test_verifications_and_releases_show_themselves(tmp_path: Path) -> None:
    frontier = dc.frontier(dc.Joint.from_table(table(), "illness", "age"))
    files: Any = {"out": tmp_path / "o.csv", "policy_file": tmp_path / "p.json"}
    release = dc.publish(table(), frontier, max_leakage=1.0, **files)
    assert "possible values of illness" in release._repr_html_()
    found = release.policy.verify(tmp_path / "o.csv", table())
    assert "240 rows fit the policy" in found._repr_html_() and "every cell is one of the policy" in found._repr_html_()
