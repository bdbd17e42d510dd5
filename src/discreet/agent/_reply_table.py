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
        ]
        if reply["error"] is not None:
            rows.append(("error", at_least(reply["error"]), "of the answer, at most"))
        return _facts("the price of a question", rows)
    left = ("left", _bits(reply["left"]), "of your budget") if "left" in reply else None
    if "rows" in reply or "groups" in reply:
        table = _rows(reply) if "rows" in reply else _groups(reply)
        return table + _facts(
            "what it cost", [("bits", _bits(reply["bits"]), "spent on all of these"), *([left] if left else [])]
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
    rows = [[*_labels(row["group"]), said(row), _cell(row), _bits(row["bits"])] for row in reply["groups"]]
    return _table([*names, "answer", "cell", "bits"], rows)


def _rows(reply: Mapping[str, Any]) -> str:
    """A row for each group and aggregate."""
    rows = [
        [*_labels(row["group"]), name, said(each), _cell(each), _bits(each["bits"])]
        for row in reply["rows"]
        for name, each in row["answers"].items()
    ]
    return _table([*reply["rows"][0]["group"], "aggregate", "answer", "cell", "bits"], rows)


def _labels(group: Mapping[str, Any]) -> list[str]:
    return ["missing" if label is None else str(label) for label in group.values()]


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    top = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table><caption>the agent's answers</caption><tr>{top}</tr>{body}</table>"


def _facts(caption: str, rows: Iterable[tuple[str, str, str]]) -> str:
    body = "".join(f"<tr><th>{name}</th><td>{value}</td><td>{meaning}</td></tr>" for name, value, meaning in rows)
    return f"<table><caption>{caption}</caption>{body}</table>"


def _cell(answer: Mapping[str, Any]) -> str:
    low, high = answer["cell"]
    return f"[{at_most(low)}, {at_least(high, 6)}]"


def _bits(bits: float) -> str:
    return f"{bits:.4g}"
