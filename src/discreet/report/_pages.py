"""HTML: templates filled in, one self-contained file each. They escape whatever comes from data.

Nothing here knows a result by its class: whoever has something to show brings the figures, and the page beside the
result (`auditing/_audit_page.py`, `release/_release_page.py`, …) says which.
"""

from __future__ import annotations

from typing import Any

import discreet
from discreet._text import label_text


def render(template: str, **context: Any) -> str:
    """Fill a template of this package."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("discreet.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["label"] = label_text
    environment.filters["svg"] = _safe
    return environment.get_template(template).render(version=discreet.__version__, **context)


def _safe(svg: str) -> Any:
    """Mark our own drawing as HTML."""
    import markupsafe

    return markupsafe.Markup(svg)  # noqa: S704, matplotlib escapes the text it draws


def fragment(text: str, rows: list[tuple[str, str, str]]) -> str:
    """A result for a notebook: one line of text, then figures with what they mean."""
    return render("figures.html", text=text, rows=rows)
