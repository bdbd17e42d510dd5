"""What a paper claims, held against what is computed.

A claim is a function that computes and returns an outcome; its verdict follows from what was computed and is never written
down by hand, so that a claim that stops holding turns into a mismatch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from discreet.errors import TableError

Verdict = Literal["matches", "misprint", "refuted", "not checkable", "mismatch"]
VERDICTS: tuple[Verdict, ...] = ("matches", "misprint", "refuted", "not checkable", "mismatch")
T = TypeVar("T")


@dataclass(frozen=True)
class Outcome:
    """What came out: in words and figures, and the verdict that follows."""

    computed: str
    verdict: Verdict


def matches(computed: str, *holds: bool) -> Outcome:
    """The claim holds as printed, if every condition does."""
    return Outcome(computed, "matches" if holds and all(holds) else "mismatch")


def misprint(computed: str, *, printed: bool, corrected: bool) -> Outcome:
    """What is printed does not hold and its correction, which `computed` states, does."""
    return Outcome(computed, "misprint" if corrected and not printed else "mismatch")


def refuted(computed: str, *, counterexample: bool) -> Outcome:
    """The claim is wrong: `computed` states an example that meets its hypothesis and breaks its conclusion, re-checked here."""
    return Outcome(computed, "refuted" if counterexample else "mismatch")


def not_checkable(why: str) -> Outcome:
    """Nothing can be computed that decides the claim."""
    return Outcome(why, "not checkable")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    paper: str
    where: str
    claim: str
    computed: str
    verdict: Verdict

    def to_dict(self) -> dict[str, str]:
        """The row for JSON."""
        return asdict(self)


@dataclass
class Study:
    """One run over the papers: the data, and what several claims and figures share, computed once."""

    data: str | Path | None = None
    _shared: dict[Callable[..., object], object] = field(default_factory=dict, repr=False)

    @property
    def hungarian(self) -> dict[str, list[object]]:
        """The Hungarian heart data as the papers count them: 293 rows, missing as a level; TableError where they are absent."""
        return self.once(_hungarian)

    def once(self, compute: Callable[[Study], T]) -> T:
        """compute(study), computed at most once in a run."""
        if compute not in self._shared:
            self._shared[compute] = compute(self)
        return self._shared[compute]  # type: ignore[return-value]


def _hungarian(study: Study) -> dict[str, list[object]]:
    from discreet import datasets

    return datasets.load("hungarian", data=study.data)


Check = Callable[[Study], Outcome]
Draw = Callable[[Study], Any]


@dataclass(frozen=True)
class Claim:
    """Where the paper says what, and how it is checked."""

    where: str
    says: str
    check: Check

    def row(self, paper: str, study: Study) -> Row:
        """The claim, checked; a claim about data that are not there is not checkable."""
        try:
            outcome = self.check(study)
        except TableError as problem:
            outcome = not_checkable(str(problem))
        return Row(paper, self.where, self.says, outcome.computed, outcome.verdict)


@dataclass(frozen=True)
class Figure:
    """A figure of the paper, redrawn from our own computation."""

    name: str
    caption: str
    draw: Draw


@dataclass(frozen=True)
class Paper:
    """A paper: its claims and figures in the order of its pages."""

    tag: str
    title: str
    claims: list[Claim] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)

    def claim(self, where: str, says: str) -> Callable[[Check], Check]:
        """Decorates the function that checks a claim."""

        def keep(check: Check) -> Check:
            self.claims.append(Claim(where, says, check))
            return check

        return keep

    def figure(self, name: str, caption: str) -> Callable[[Draw], Draw]:
        """Decorates the function that draws a figure and returns it; `name` is a file's name, such as "fig3"."""

        def keep(draw: Draw) -> Draw:
            self.figures.append(Figure(name, caption, draw))
            return draw

        return keep
