"""The whole run, held against the file that the documentation shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet import papers

SHOWN = Path(__file__).parents[2] / "docs" / "papers"


@pytest.mark.slow
@pytest.mark.usefixtures("hungarian")
def test_the_page_shows_what_a_fresh_run_finds(tmp_path: Path) -> None:
    done = papers.reproduce(out=tmp_path)
    assert done.mismatches == ()
    parts = ("paper", "where", "claim", "verdict")  # "computed" holds figures whose last digits may differ elsewhere
    shown = json.loads((SHOWN / "claims.json").read_text(encoding="utf-8"))
    fresh = done.to_list()
    assert [[row[part] for part in parts] for row in shown] == [[row[part] for part in parts] for row in fresh]
    drawn = {Path(path).name for path in done.figures}
    assert drawn == {path.name for path in SHOWN.glob("*.svg")}
    assert drawn == {f"{tag}-{figure.name}.svg" for tag in papers.TAGS for figure in papers.paper(tag).figures}

    computed = {(row.paper, row.where): row.computed for row in done.rows}
    assert "107 merges leave 90 blocks" in computed["PF", "IV-C, Fig 4"]
