"""A reply in a notebook: what is known now, how well, and what it cost."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any

from discreet._text import at_least, at_most, plus_minus


def reply_html(reply: Mapping[str, Any]) -> str:
    """A table of an answer, of one answer a group, or of a price; whatever comes from data is escaped."""
    if "known" in reply:
        asked = "it was answered before: free" if reply["known"] else "what asking would cost"
        rows = [
            ("price", _bits(reply["bits"]), asked),
            ("cells", f"{reply['cells']:,}", "would be offered at most"),
            ("error", at_least(reply["error"]), "of the answer, at most"),
        ]
        return _facts("the price of a question", rows)
    left = ("left", _bits(reply["left"]), "of your budget") if "left" in reply else None
    if "groups" in reply:
        return _groups(reply) + _facts(
            "what it cost", [("bits", _bits(reply["bits"]), "spent on all groups"), *([left] if left else [])]
        )
    rows = [
        ("answer", said(reply), "the middle of the cell" if reply["answer"] is not None else "nothing new can be said"),
        ("cell", _cell(reply), "where the true value lies"),
        ("error", at_least(reply["error"]), "the answer is at most so far from the true value"),
        ("bits", _bits(reply["bits"]), f"what it cost whoever asked it first: {reply['cells']:,} cells were offered"),
    ]
    return _facts("the agent's answer", [*rows, *([left] if left else [])])


def said(answer: Mapping[str, Any]) -> str:
    """An answer in words."""
    return "known already" if answer["answer"] is None else plus_minus(answer["answer"], answer["error"])


def _groups(reply: Mapping[str, Any]) -> str:
    names = list(reply["groups"][0]["group"]) if reply["groups"] else []
    head = "".join(f"<th>{html.escape(name)}</th>" for name in [*names, "answer", "cell", "bits"])
    body = "".join(
        "<tr>"
        + "".join(
            f"<td>{html.escape(text)}</td>"
            for text in [
                *("missing" if label is None else str(label) for label in row["group"].values()),
                said(row),
                _cell(row),
                _bits(row["bits"]),
            ]
        )
        + "</tr>"
        for row in reply["groups"]
    )
    return f"<table><caption>the agent's answers</caption><tr>{head}</tr>{body}</table>"


def _facts(caption: str, rows: Iterable[tuple[str, str, str]]) -> str:
    body = "".join(f"<tr><th>{name}</th><td>{value}</td><td>{meaning}</td></tr>" for name, value, meaning in rows)
    return f"<table><caption>{caption}</caption>{body}</table>"


def _cell(answer: Mapping[str, Any]) -> str:
    low, high = answer["cell"]
    return f"[{at_most(low)}, {at_least(high, 6)}]"


def _bits(bits: float) -> str:
    return f"{bits:.4g}"
