"""Compare and release: before and after side by side, then everything to take away."""

from __future__ import annotations

from markupsafe import Markup
from nicegui import ui

from discreet._text import label_text
from discreet.app import _charts as charts
from discreet.app import _downloads as downloads
from discreet.app._layout import View
from discreet.app._parts import chart, facts, heading, html, lead, section, table, working
from discreet.app._tasks import Released

ROWS = 8


def build(view: View) -> None:
    """The page."""
    session = view.session
    job = session.jobs.get("release")
    if session.release is None and (job is None or not job.running):
        session.start_release()

    @ui.refreshable
    def content() -> None:
        heading("Compare and release", "What is lost, what is safe now, and everything to take away.")
        working(session.jobs.get("release"), "Releasing", content.refresh)
        found = session.release
        if found is not None:
            _result(view, found)
        elif not session.jobs["release"].running:
            ui.button("Release", on_click=lambda: (session.start_release(), content.refresh())).props(
                "no-caps unelevated"
            )

    content()


def _result(view: View, released: Released) -> None:
    before, after = released.before, released.after
    lead(released.headline, bad=bool(released.broken_by_keep))
    facts(
        (
            (f"{before.uniques:,} → {after.uniques:,}", "records alone with their values"),
            (f"{before.below[5]:,} → {after.below[5]:,}", "records in groups smaller than 5"),
            (f"{before.prosecutor:.0%} → {after.prosecutor:.0%}", "largest probability of being found"),
            (f"{before.groups:,} → {after.groups:,}", "different rows"),
        )
    )
    _files(view)
    _rows(view, released)
    _histograms(view, released)
    with ui.element("div").classes("card"):
        section("What was checked")
        for _, sentence, met in released.findings:
            html(Markup("<p class='{}'>{}</p>").format("met" if met else "broken", sentence))
        for line in released.lines:
            ui.label(line).classes("soft small")


def _files(view: View) -> None:
    session = view.session
    section("Take it away")
    packs = (downloads.PUBLISH, downloads.KEEP)
    html(downloads.offered(session, downloads.to_publish(session), downloads.to_keep(session), packs))
    with ui.expansion("Make it again, and check it").classes("card"):
        words = Markup("<p class='soft'>Unpack {} into the folder of the table, and there:</p>").format(downloads.KEEP)
        html(words + Markup("<pre>{}</pre>").format(downloads.command(session)))
        html(Markup("<p class='soft'>or in Python:</p><pre>{}</pre>").format(downloads.python(session)))
        html(
            Markup("<p class='soft'>Anybody can check what was published:</p><pre>{}</pre>").format(
                downloads.verify_command(session)
            )
        )


def _rows(view: View, released: Released) -> None:
    """Some rows before and after."""
    current = view.session.current
    assert current is not None  # noqa: S101, the page is not reachable before
    policy = current.policy
    letters = policy.letters
    assert letters is not None  # noqa: S101, a policy that was just made has them
    count = len(letters)
    places = sorted({round(i * (count - 1) / (ROWS - 1)) for i in range(ROWS)}) if count > 1 else [0]
    before = [
        [label_text(labels[code]) for labels, code in zip(letters.labels, letters.codes[place].tolist(), strict=True)]
        for place in places
    ]
    groups = [int(letters.group[place]) for place in places]
    after = [list(policy.labels[group]) if group >= 0 else ["not released"] * len(policy.public) for group in groups]
    with ui.element("div").classes("two"):
        with ui.element("div").classes("card"):
            section("Some records before")
            table(policy.public, before, caption="before")
        with ui.element("div").classes("card"):
            section("The same records after")
            table(policy.public, after, caption="after")


def _histograms(view: View, released: Released) -> None:
    found, theme = released.comparison, view.theme
    section("What is lost", "Share of the records in each class; a coarse cell is spread evenly over what it may mean.")
    with ui.element("div").classes("two"):
        for name in found.columns:
            with ui.element("div").classes("card"):
                html(Markup("<h3>{}</h3>").format(f"{name}: {found.moved(name):.1%} change class"))
                names = [
                    each.partition(" to ")[0] for each in found.classes[name]
                ]  # a date stands for what begins there
                before, after = (100 * found.before[name]).tolist(), (100 * found.after[name]).tolist()
                chart(
                    charts.paired_bars(theme, names, before, after, axis="records", unit="%"),
                    f"Histogram of {name}",
                    height=250,
                )
    if len(found.columns) > 1:
        section("How columns go together", "Cramér's V: 0 is nothing, 1 is everything.")
        with ui.element("div").classes("two"):
            for title, values in (("before", found.association), ("after", found.association_after)):
                with ui.element("div").classes("card"):
                    html(Markup("<h3>{}</h3>").format(title))
                    chart(
                        charts.associations(theme, found.columns, values.tolist()), f"Associations {title}", height=300
                    )
    current = view.session.current
    if current is not None:
        with ui.element("div").classes("card"):
            section("Loss by column")
            chart(
                charts.losses(theme, current.loss_by_column),
                "Loss by column",
                height=60 + 32 * len(current.loss_by_column),
            )
