"""The owner's page: who asked what, what it cost, and what everybody still keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.report import render

if TYPE_CHECKING:
    from discreet.agent.service import Agent

SHOWN = 200


def owner_page(agent: Agent) -> str:
    """One page, made on the server; it loads nothing from anywhere."""
    answers = agent.ledger.read()
    return render(
        "owner.html",
        datasets=agent.datasets(),
        analysts=agent.analysts(),
        kept=agent.kept(),
        answers=list(reversed(answers))[:SHOWN],
        more=max(0, len(answers) - SHOWN),
        total=len(answers),
    )
