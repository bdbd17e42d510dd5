"""The report of `discreet attack`, for whoever answers for the data: what was tried, what it found, and a place to sign."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from discreet._text import at_least, at_most
from discreet.agent._pages import HEIGHT, WIDTH, bars
from discreet.report._pages import render

if TYPE_CHECKING:
    from discreet.agent._attack import Finding
    from discreet.agent._ledger import Ledger


def attack_page(found: Sequence[Finding], ledger: Ledger, name: str) -> str:
    """One file that needs nothing else; it holds no private value, only what analysts can work out."""
    answers = ledger.read()
    rows = "\n".join(f"{each.book} {each.number} {each.question} {each.low!r} {each.high!r}" for each in answers)
    return render(
        "attack.html",
        ledger=name,
        today=dt.datetime.now(dt.UTC).date().isoformat(),
        answers=len(answers),
        digest=hashlib.sha256(rows.encode()).hexdigest(),
        broken=sum(each.below for each in found if each.is_promised),
        findings=[_shown(each) for each in found],
        width=WIDTH,
        height=HEIGHT,
    )


def _shown(found: Finding) -> dict[str, Any]:
    said = found.to_dict()
    whose = f", as told to {found.analysts}" if found.analysts and found.is_promised else ""
    longest = float(max(found.exposure.lengths.max(), found.keep))
    return said | {
        "title": f"{found.column} in {found.dataset}{whose}",
        "promised": found.is_promised,
        "shortest": at_most(said["shortest"], 4),
        "median": at_most(said["median"], 4),
        "bars": bars(found.exposure.lengths, longest),
        "mark": WIDTH * found.keep / longest,
        "longest": longest,
        "unit": "number of categories" if found.categories else "interval",
        "exposed": [
            {
                **person,
                "can": ", ".join(person["possible"])
                if found.categories
                else f"{at_most(person['low'])} to {at_least(person['high'], 6)}",
                "left": at_most(person["left"], 4),
            }
            for person in said["most_exposed"]
        ],
    }
