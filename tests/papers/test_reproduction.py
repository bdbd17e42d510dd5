"""What the documentation shows is what a fresh run finds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet_papers import TAGS, paper
from tests.papers.conftest import Checks

SHOWN = Path(__file__).parents[2] / "docs" / "papers"
PARTS = ("paper", "where", "claim", "verdict")  # "computed" holds figures whose last digits may differ elsewhere


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.usefixtures("hungarian")
def test_the_page_shows_what_a_fresh_run_finds(checked: Checks, tag: str) -> None:
    shown = json.loads((SHOWN / "claims.json").read_text(encoding="utf-8"))
    fresh = [row.to_dict() for row in checked(tag).rows]
    assert [[row[part] for part in PARTS] for row in shown if row["paper"] == tag] == [
        [row[part] for part in PARTS] for row in fresh
    ]
    assert "mismatch" not in {row["verdict"] for row in fresh}
    assert list(checked(tag).figures) == [figure.name for figure in paper(tag).figures]


def test_every_figure_is_shown() -> None:
    drawn = {f"{tag}-{figure.name}.svg" for tag in TAGS for figure in paper(tag).figures}
    assert drawn == {path.name for path in SHOWN.glob("*.svg")}
