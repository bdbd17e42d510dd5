"""A disclosure as a page to read and sign, and as a notebook shows it."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import label_text
from discreet.report import _plots as plots
from discreet.report._pages import fragment, render

if TYPE_CHECKING:
    from discreet.sample_privacy._disclosure import Disclosure
    from discreet.sample_privacy._publish_disclosure import Disclosed

VALUES_SHOWN = 20


def disclosure_page(disclosed: Disclosed, *, purpose: str) -> str:
    """The report of a disclosure, for a privacy officer to read and sign."""
    found = disclosed.disclosure
    return render(
        "disclosure.html",
        found=found,
        disclosed=disclosed,
        purpose=purpose,
        headline=_disclosure_headline(found),
        private=_private_words(found),
        rows=_disclosure_rows(found),
        letters=_letter_rows(found),
        more=max(0, len(found.p_y) - VALUES_SHOWN),
        plot=plots.to_svg(growth_figure(disclosed), "Capacity against samples") if len(disclosed.growth) > 1 else "",
        today=dt.date.today().isoformat(),
    )


def disclosure_fragment(found: Disclosure) -> str:
    """A disclosure for a notebook."""
    return fragment(_disclosure_headline(found), _disclosure_rows(found))


def _disclosure_headline(found: Disclosure) -> str:
    about = found.latent or "the samples together"
    if found.information == 0:
        return f"Nothing can be disclosed about {about}: {found.how}."
    return (
        f"Whoever sees y learns {found.information:.3f} of {found.latent_entropy:.3f} bits about {about}, and nothing about "
        f"{'any single sample' if all(len(group) == 1 for group in found.private) else 'any private group of samples'}"
        f"{'.' if found.guarantee is None else ' if the probabilities are as estimated.'}"
    )


def _private_words(found: Disclosure) -> str:
    names = found.names or tuple(str(i) for i in range(len(found.shape)))
    return "; ".join(" with ".join(names[i] for i in group) for group in found.private)


def _disclosure_rows(found: Disclosure) -> list[tuple[str, str, str]]:
    """Figures with what they mean."""
    rows = [
        ("I(W;Y)", f"{found.information:.6f}", "bits that y tells, computed from the mapping"),
        ("upper bound", f"{found.upper_bound:.6f}", "proven: no private mapping tells more"),
        ("H(W)", f"{found.latent_entropy:.6f}", "bits that there are to tell"),
        ("max I(X_g;Y)", f"{found.residual:.1e}", "bits about a private group, computed from the mapping: rounding"),
        ("|Y|", f"{found.size:,}", "values of y"),
    ]
    known = found.guarantee
    if known is not None:
        meaning = (
            f"bits about a private group at most, with {known.confidence:.0%} confidence, since p is known from "
            f"{known.rows:,} rows only"
        )
        rows.append(("leak bound", f"{known.leak_bound:.4f}", meaning))
    return rows


def _letter_rows(found: Disclosure) -> list[dict[str, str]]:
    likeliest = sorted(range(len(found.p_y)), key=lambda i: -found.p_y[i])[:VALUES_SHOWN]
    return [{"y": str(i), "p": f"{found.p_y[i]:.4f}", "says": _says(found, i)} for i in likeliest]


def _says(found: Disclosure, y: int) -> str:
    """The likeliest values of W behind a y; the samples themselves are private, and are not shown."""
    if not found.latent or found.mapping.width > 1:
        return ""
    likeliest = list(found.meaning(y).items())
    shown = "; ".join(f"{label_text(label)}: {p:.3f}" for label, p in likeliest[:4])
    return shown + (f" and {len(likeliest) - 4} more" if len(likeliest) > 4 else "")


def growth_figure(disclosed: Disclosed) -> Any:
    """What can be disclosed of the first 2, 3, … samples, between the mapping found and the proven bound."""
    drawing, axes = plots.figure()
    samples, found, bound = (np.array(each) for each in zip(*disclosed.growth, strict=True))
    axes.fill_between(samples, found, bound, color=plots.PALE, label="between the mapping and the proven bound")
    axes.plot(samples, found, color=plots.ACCENT, marker="o", label="disclosed by the mapping")
    axes.set_xticks(samples)
    axes.set_xlabel("samples")
    axes.set_ylabel(f"bits about {plots.drawn(disclosed.disclosure.latent or 'the samples')}", parse_math=False)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=9, loc="upper left")
    return drawing
