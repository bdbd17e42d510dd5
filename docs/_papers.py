"""A hook of mkdocs: what `discreet reproduce all` found, as pages.

`make reproduce` writes `papers/claims.json` and the figures beside it; a test holds the file against a fresh run. A page asks
with `<!-- papers: counts -->`, `<!-- papers: claims -->`, `<!-- papers: errata -->` or `<!-- papers: figures -->`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

from discreet_papers import TAGS, Reproduction, paper
from discreet_papers.claims import VERDICTS, Row

FOLDER = Path(__file__).with_name("papers")
CLAIMS = FOLDER / "claims.json"
_ASKED = re.compile(r"<!-- papers: (\w+) -->")
_MARKS = {"matches": "✓ matches", "misprint": "✎ misprint", "refuted": "✗ refuted", "not checkable": "– not checkable"}


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put in what a page asks for."""
    return _ASKED.sub(lambda asked: _PARTS[asked[1]](found()), markdown)


def found() -> Reproduction:
    """The rows of the last full run; a mismatch ends the build."""
    rows = tuple(Row(**row) for row in json.loads(CLAIMS.read_text(encoding="utf-8")))
    done = Reproduction(rows, ())
    if done.mismatches:
        raise PluginError(f"{CLAIMS.name} holds {len(done.mismatches)} mismatches")
    return done


def counts(done: Reproduction) -> str:
    """How many claims have which verdict."""
    shown = [verdict for verdict in VERDICTS if verdict != "mismatch"]
    lines = [f"| paper | {' | '.join(shown)} |", "|---|" + "---|" * len(shown)]
    for tag, numbers in done.counts().items():
        lines.append(f"| [{tag}](#{tag.lower()}) | {' | '.join(str(numbers[verdict]) for verdict in shown)} |")
    totals = [sum(numbers[verdict] for numbers in done.counts().values()) for verdict in shown]
    return "\n".join([*lines, f"| all | {' | '.join(map(str, totals))} |"])


def claims(done: Reproduction) -> str:
    """Every claim."""
    return "\n\n".join(f"{_heading(tag)}\n\n{_table(done, tag, None)}" for tag in TAGS)


def errata(done: Reproduction) -> str:
    """What is printed wrong, and what is wrong."""
    return "\n\n".join(f"{_heading(tag)}\n\n{_table(done, tag, ('refuted', 'misprint'))}" for tag in TAGS)


def figures(_: Reproduction) -> str:
    """Every figure, redrawn."""
    parts = []
    for tag in TAGS:
        parts.append(_heading(tag))
        for figure in paper(tag).figures:
            name = f"{tag}-{figure.name}.svg"
            if not (FOLDER / name).exists():
                raise PluginError(f"papers/{name} is not there: run make reproduce")
            parts.append(f'![{figure.caption}](papers/{name}){{: style="background: white; max-width: 100%" }}')
            parts.append(f"*{tag}, {figure.name}: {_cell(figure.caption)}*")
    return "\n\n".join(parts)


def _heading(tag: str) -> str:
    return f"## {tag} {{: #{tag.lower()} }}\n\n{paper(tag).title}"


def _table(done: Reproduction, tag: str, verdicts: tuple[str, ...] | None) -> str:
    lines = ["| where | the paper says | computed | verdict |", "|---|---|---|---|"]
    for row in done.rows:
        if row.paper == tag and (verdicts is None or row.verdict in verdicts):
            cells = (row.where, row.claim, row.computed, _MARKS[row.verdict])
            lines.append(f"| {' | '.join(_cell(text) for text in cells)} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    """Text in a table: what markdown would read as its own is quoted."""
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", " ".join(text.split()))


_PARTS = {"counts": counts, "claims": claims, "errata": errata, "figures": figures}
