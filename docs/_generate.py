"""A hook of mkdocs: what the pages say about measures is read from the registry, and figures drawn, when the site is built.

A page asks with a comment: `<!-- measures: summary -->`, `<!-- measures: details -->`, `<!-- measures: notation -->`,
`<!-- figure: frontier -->`, `<!-- figure: convergence -->`.
Advice on each measure stands in `_measures.toml`; a measure without advice, or the reverse, ends the build.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

import discreet as dc
from discreet.measures import REGISTRY, Measure
from discreet.report import _plots as plots

ADVICE = Path(__file__).with_name("_measures.toml")
CLINIC = Path(__file__).with_name("clinic.csv")
_ASKED = re.compile(r"<!-- (?:measures|figure): (\w+) -->")
_READS = {"range": "support", "pmf": "counts"}
_SAFER = {-1: "smaller", 1: "larger", 0: "not affected"}


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put in what a page asks for."""
    return _ASKED.sub(lambda asked: _PARTS[asked[1]](), markdown)


def advice() -> dict[str, dict[str, str]]:
    """When to use each measure and when not, held against the registry."""
    with ADVICE.open("rb") as file:
        found = tomllib.load(file)
    if lacking := [symbol for symbol in REGISTRY if symbol not in found]:
        raise PluginError(f"{ADVICE.name} says nothing about {', '.join(lacking)}")
    if unknown := [symbol for symbol in found if symbol not in list(REGISTRY)]:
        raise PluginError(f"{ADVICE.name} speaks of {', '.join(unknown)}, which no measure is called")
    return found


def summary() -> str:
    """One line a measure."""
    lines = ["| symbol | measure | units | reads | safer when |", "|---|---|---|---|---|"]
    lines += [
        f"| [`{each.symbol}`](#{anchor(each)}) | {each.name} | {units(each)} | {_READS[each.kind]} | "
        f"{_SAFER[each.direction]} |"
        for each in REGISTRY.values()
    ]
    return "\n".join(lines)


def details() -> str:
    """One section a measure."""
    said = advice()
    return "\n\n".join(_section(each, said[each.symbol]) for each in REGISTRY.values())


def notation() -> str:
    """Symbol, Python name, meaning, citation."""
    lines = ["| symbol | Python | meaning | from |", "|---|---|---|---|"]
    lines += [
        f"| `{each.symbol}` | `measures.{python_name(each)}` | {meaning(each)} | {each.reference} |"
        for each in REGISTRY.values()
    ]
    return "\n".join(lines)


def _section(each: Measure, said: dict[str, str]) -> str:
    more = ", order=2" if each.has_order else ", paths=…" if each.needs_hierarchy else ""
    call = f"dc.measures.{python_name(each)}(joint{more})"
    facts = [f"**Formula:** `{each.formula}`", f"**Python:** `{call}`", f"**Units:** {units(each)}"]
    facts += [f"**Reads:** {_READS[each.kind]}", f"**Safer when:** {_SAFER[each.direction]}"]
    if each.least_order is not None:
        symbol = each.symbol.replace("alpha", "2")
        facts.append(f"**Orders:** from {each.least_order:g} to infinity; order 2 is asked for as `{symbol}`")
    if each.has_side:
        facts.append("**Side information:** with `side=True`")
    facts.append(f"**Reference:** {each.reference}")
    return "\n\n".join(
        [
            f"### `{each.symbol}`: {each.name} {{: #{anchor(each)} }}",
            meaning(each),
            "\n".join(f"- {fact}" for fact in facts),
            f"**Use it** {said['use']}",
            f"**Do not use it** {said['not']}",
        ]
    )


def meaning(each: Measure) -> str:
    """What it means, in one sentence, on one line."""
    return " ".join(each.meaning.split())


def units(each: Measure) -> str:
    """Bits, guesses, or what is counted."""
    return {"k": "values", "n": "records"}.get(each.symbol, each.units)


def python_name(each: Measure) -> str:
    """The function's name."""
    return str(each.function.__name__)


def anchor(each: Measure) -> str:
    """The place of a measure on the page: its Python name, which needs no quoting."""
    return python_name(each).replace("_", "-")


def frontier() -> str:
    """The frontier of the publishing page, with other methods beside it."""
    joint = _clinic()
    best, *others = (
        dc.frontier(joint, method=method) for method in ("auto", "agglomerative", "mondrian", "equal-width")
    )
    return _drawn(best.plot(*others), "Frontiers of cholesterol by four methods")


def convergence() -> str:
    """The paper's path on the same table, and where one multiplier stops it."""
    return _drawn(
        dc.frontier(_clinic(), method="agglomerative").plot_convergence(0.02), "Convergence of the paper's path"
    )


def _clinic() -> dc.Joint:
    return dc.Joint.from_table(CLINIC, sensitive="illness", public="cholesterol", missing="drop")


def _drawn(figure: Any, title: str) -> str:
    """A figure on the page; white, since its ink is dark."""
    return f'<div style="background: white; padding: 0.5em; max-width: 40em">{plots.to_svg(figure, title)}</div>'


def funnel() -> str:
    """Three methods for the funnel, with the proven bound."""
    joint = dc.Joint.from_table(CLINIC, sensitive="illness", public="age")
    best, *others = (dc.frontier(joint, leakage="I", method=method) for method in ("auto", "iac-mdsf", "pairwise"))
    return _drawn(best.plot(*others), "Funnel of age by three methods")


_PARTS: dict[str, Callable[[], str]] = {
    "summary": summary,
    "details": details,
    "notation": notation,
    "frontier": frontier,
    "convergence": convergence,
    "funnel": funnel,
}
