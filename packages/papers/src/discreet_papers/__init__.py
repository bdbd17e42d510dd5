"""The five papers, claim by claim: what each prints, what we compute, and an honest verdict."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import InputError, TableError, listed
from discreet_papers.claims import VERDICTS, Row, Study

if TYPE_CHECKING:
    from discreet_papers.claims import Figure, Paper

TAGS = ("AC", "SP", "DQ", "PF", "BF")
Progress = Callable[[str, float | None], None]


@dataclass(frozen=True)
class Reproduction:
    """The rows of the papers that were asked for, and the figures that were drawn."""

    rows: tuple[Row, ...]
    figures: tuple[str, ...]

    def counts(self) -> dict[str, dict[str, int]]:
        """Per paper, how many claims have each verdict."""
        tags = dict.fromkeys(row.paper for row in self.rows)
        seen = Counter((row.paper, row.verdict) for row in self.rows)
        return {tag: {verdict: seen[tag, verdict] for verdict in VERDICTS} for tag in tags}

    @property
    def mismatches(self) -> tuple[Row, ...]:
        """Claims whose verdict nobody has explained: none, or something is wrong here."""
        return tuple(row for row in self.rows if row.verdict == "mismatch")

    def to_list(self) -> list[dict[str, str]]:
        """The rows for JSON."""
        return [row.to_dict() for row in self.rows]


def paper(tag: str) -> Paper:
    """The paper of that tag, with its claims and figures."""
    if tag not in TAGS:
        raise InputError(f"there is no paper {tag!r}: choose among {listed(TAGS)}")
    found: Paper = importlib.import_module(f"discreet_papers.{tag.lower()}").PAPER
    return found


def reproduce(
    tags: Sequence[str] = TAGS,
    *,
    data: str | Path | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Check every claim of the papers `tags` ("all" for all), and draw their figures into the folder `out` where one is named.

    Claims about the Hungarian data are "not checkable" where `datasets.load("hungarian")` does not find them, and their figures
    are left out. A folder `data` that is named and does not hold them is an error.
    """
    study = Study(data)
    asked = [tag.upper() for tag in tags]
    papers = [paper(tag) for tag in (TAGS if "ALL" in asked else dict.fromkeys(asked))]
    if data is not None:
        _ = study.hungarian
    if out is not None:
        _make_folder(Path(out))
    total = sum(len(each.claims) + (len(each.figures) if out is not None else 0) for each in papers)
    done = 0

    def step(what: str) -> None:
        nonlocal done
        if progress is not None:
            progress(what, done / total)
        done += 1

    rows, figures = [], []
    for each in papers:
        for claim in each.claims:
            step(f"{each.tag} {claim.where}")
            rows.append(claim.row(each.tag, study))
        for figure in each.figures if out is not None else ():
            step(f"{each.tag} {figure.name}")
            figures += _drawn(figure, each.tag, study, Path(str(out)))
    return Reproduction(tuple(rows), tuple(figures))


def captions(tags: Sequence[str] = TAGS) -> dict[str, str]:
    """{file that `reproduce` draws: what the figure shows}."""
    asked = [tag.upper() for tag in tags]
    papers = [paper(tag) for tag in (TAGS if "ALL" in asked else dict.fromkeys(asked))]
    return {_file_of(each.tag, figure): figure.caption for each in papers for figure in each.figures}


def _file_of(tag: str, figure: Figure) -> str:
    return f"{tag}-{figure.name}.svg"


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"figures cannot be written to {out}: {problem.strerror}") from None


def _drawn(figure: Figure, tag: str, study: Study, out: Path) -> list[str]:
    from discreet.report import save_figure

    target = out / _file_of(tag, figure)
    try:
        save_figure(figure.draw(study), str(target))
    except TableError:
        return []
    return [str(target)]
