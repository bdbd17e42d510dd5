"""One question: a domain, a query and an error; the cells of its answers, and what everybody keeps."""

from __future__ import annotations

from nicegui import run, ui

from discreet.app import _charts as charts
from discreet.app._layout import View
from discreet.app._parts import chart, facts, heading, lead
from discreet.errors import DiscreetError
from discreet.queries import Box, Count, Max, Mean, Min, Quantile, QuantisedQuery, Sum, quantise

QUERIES = {
    "mean": "the mean",
    "sum": "the sum",
    "median": "the median",
    "min": "the least",
    "max": "the greatest",
    "count": "how many have at least …",
}
BINS = {"uniform": "equal cells", "least-leakage": "cells that leak least"}


def build(view: View) -> None:
    """The page."""
    heading(
        "One question",
        "How exact may the answer to one question be, and what does everybody keep? Answers are cells, chosen before.",
    )
    found: list[QuantisedQuery] = []
    with ui.element("div").classes("card line"):
        query = ui.select(QUERIES, value="mean", label="question").props("outlined dense").style("min-width:13rem")
        least = (
            ui.number("at least", value=50)
            .props("outlined dense")
            .style("width:7rem")
            .bind_visibility_from(query, "value", lambda each: each == "count")
        )
        people = ui.number("people", value=10, min=1, max=10_000, step=1).props("outlined dense").style("width:7rem")
        low = ui.number("everybody lies between", value=0).props("outlined dense").style("width:10rem")
        high = ui.number("and", value=100).props("outlined dense").style("width:7rem")
        error = ui.number("the answer may be off by", value=5, min=0).props("outlined dense").style("width:11rem")
        bins = ui.select(BINS, value="uniform", label="cells").props("outlined dense").style("min-width:12rem")

        async def compute() -> None:
            found.clear()
            try:
                asked = (query.value, int(people.value or 1), float(low.value or 0), float(high.value or 0))
                more = (float(error.value or 0), bins.value, float(least.value or 0))
                answer = await run.io_bound(_quantised, *asked, *more)
                found.extend([answer] if answer is not None else [])
            except DiscreetError as problem:
                ui.notify(str(problem), type="negative", multi_line=True)
            result.refresh()

        ui.button("Compute", on_click=compute).props("no-caps unelevated").mark("compute")

    @ui.refreshable
    def result() -> None:
        if found:
            _result(view, found[0])

    result()


def _quantised(
    query: str, people: int, low: float, high: float, error: float, bins: str, least: float
) -> QuantisedQuery:
    asked = {
        "mean": Mean(),
        "sum": Sum(),
        "median": Quantile(0.5),
        "min": Min(),
        "max": Max(),
        "count": Count(at_least=least),
    }[query]
    return quantise(asked, Box(low, high, people=people), error=error, bins=bins)  # type: ignore[arg-type]


def _result(view: View, answer: QuantisedQuery) -> None:
    left = answer.interval_left()
    lead(f"Whatever the answer turns out to be, everybody keeps an interval of at least {left:.4g}.", bad=left <= 0)
    facts(
        (
            (f"{len(answer.answers):,}", "different answers"),
            (f"{answer.worst_error:.4g}", "no answer is further from the truth"),
            (f"{answer.maximin:.2f} bits", "learnt for certain (I*)"),
            (f"{answer.leakage:.2f} bits", f"lost in the worst case (L0); none below {answer.leakage_bound:.2f}"),
        )
    )
    with ui.element("div").classes("card"):
        names = [f"{each:.4g}" for each in answer.answers.tolist()]
        shares = [float(each) for each in answer.shares.tolist()]
        chart(charts.shares(view.theme, names, shares), "How much of all data sets each answer leaves", height=300)
