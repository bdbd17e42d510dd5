"""What every page has: the head with the steps, the colours, and the frame around the content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from markupsafe import Markup
from nicegui import ui

from discreet.app._parts import html
from discreet.app._sessions import Session
from discreet.app._theme import Theme

STEPS = {
    "data": "Data",
    "roles": "Roles",
    "risk": "Risk",
    "frontier": "Frontier",
    "policy": "Policy",
    "release": "Release",
}
MORE = {
    "column": "One column, at a proven optimum",
    "question": "One question",
    "samples": "Sample privacy",
    "papers": "The papers",
}
THEME_COOKIE = "discreet_theme"
# The browser tells once whether it prefers dark pages; the button in the head changes it.
_SCRIPT = """<script>
(() => {
  document.documentElement.lang = 'en';
  const set = value => document.cookie = 'discreet_theme=' + value + ';path=/;samesite=strict;max-age=31536000';
  window.discreetTheme = value => { set(value); location.reload(); };
  if (!document.cookie.includes('discreet_theme=')) {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    set(dark ? 'dark' : 'light');
    if (dark && document.cookie.includes('discreet_theme=dark')) location.reload();
  }
})();
</script>"""


@dataclass(frozen=True)
class View:
    """What a page is built from."""

    session: Session
    theme: Theme
    local: bool  # whether only this machine can open the app: then files are picked by their path
    most_upload: int
    parts: dict[str, Callable[[], object]] = field(default_factory=dict)  # of the head, that pages may want anew

    def news(self) -> None:
        """Steps may have become possible."""
        self.parts["steps"]()

    def to(self, step: str) -> None:
        """Go to a step."""
        ui.navigate.to(f"/s/{self.session.id}/{step}")

    def next(self, step: str, words: str, *, enabled: bool = True, hint: str = "") -> None:
        """The button that leads on."""
        with ui.element("div").classes("line end"):
            if hint and not enabled:
                ui.label(hint).classes("soft small")
            button = ui.button(words, on_click=lambda: self.to(step), icon="arrow_forward").props("no-caps unelevated")
            button.mark(f"to-{step}").set_enabled(enabled)


def reachable(session: Session, step: str) -> bool:
    """Whether a step has something to show yet."""
    recipe = session.recipe
    return {
        "data": True,
        "roles": session.preview is not None,
        "risk": bool(recipe.public and recipe.sensitive),
        "frontier": bool(recipe.public),
        "policy": session.current is not None and session.explored,
        "release": session.current is not None and session.explored,
        "column": bool(recipe.public and recipe.sensitive),
        "question": True,
        "samples": session.preview is not None,
        "papers": True,
    }[step]


@cache
def _style() -> str:
    return files("discreet.app").joinpath("app.css").read_text(encoding="utf-8")


def frame(view: View, step: str, build: Callable[[View], None]) -> None:
    """A whole page."""
    theme = view.theme
    ui.colors(primary=theme.accent, negative="#b5452e", positive="#3f7d4e")
    ui.dark_mode(theme.dark)
    ui.add_head_html(f"<style>{_style()}</style>{_SCRIPT}")
    ui.page_title(f"{(STEPS | MORE)[step]} · discreet")
    html(Markup("<a class='skip' href='#content'>Skip to the content</a>"))
    with ui.element("header").classes("top"):
        html(Markup("<a class='brand' href='/'>discreet</a>")).style("width:auto")

        @ui.refreshable
        def steps() -> None:
            html(_steps(view.session, step)).classes("steps").style("width:auto")

        steps()
        view.parts["steps"] = steps.refresh
        ui.label(view.session.name).classes("file").tooltip(view.session.name)
        other, icon = ("light", "light_mode") if theme.dark else ("dark", "dark_mode")
        button = ui.button(icon=icon, on_click=lambda: ui.run_javascript(f"discreetTheme('{other}')"))
        button.props(f'flat round dense aria-label="{other.capitalize()} colours"').tooltip(
            f"{other.capitalize()} colours"
        )
    with ui.element("main").classes("content").props("id=content tabindex=-1"):
        build(view)


def _steps(session: Session, now: str) -> Markup:
    items = []
    for i, (step, words) in enumerate(STEPS.items(), start=1):
        inner = Markup("<b>{}</b>{}").format(i, words)
        if step == now:
            items.append(
                Markup("<li><a href='/s/{}/{}' aria-current='step'>{}</a></li>").format(session.id, step, inner)
            )
        elif reachable(session, step):
            items.append(Markup("<li><a href='/s/{}/{}'>{}</a></li>").format(session.id, step, inner))
        else:
            items.append(Markup("<li><span aria-disabled='true'>{}</span></li>").format(inner))
    more = Markup("").join(
        Markup("<li><a href='/s/{}/{}'>{}</a></li>").format(session.id, step, words)
        for step, words in MORE.items()
        if reachable(session, step)
    )
    return Markup(
        "<nav aria-label='Steps'><ol>{}</ol></nav><details class='more'><summary>More</summary><ul>{}</ul></details>"
    ).format(Markup("").join(items), more)
