"""Publishing a disclosure: the table of y, the mapping, and a report, all of them or none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import Smoothing
from discreet.errors import InputError
from discreet.release._releasing import fingerprint, spare_originals
from discreet.sample_privacy._disclosing import Disclosure
from discreet.sample_privacy._tabled import draw_rows, from_table, write_rows
from discreet.tables._writing import check_table_target, check_target

if TYPE_CHECKING:
    from discreet._typing import Progress


@dataclass(frozen=True, eq=False)
class Disclosed:
    """A disclosure that was carried out."""

    disclosure: Disclosure
    growth: list[tuple[int, float, float]]  # samples, bits disclosed, proven bound; for the first 2, 3, … samples
    drawn: list[int] | list[str]  # y of every row
    files: dict[str, str]
    source: dict[str, Any]
    smoothing: str

    @property
    def rows(self) -> int:
        """How many rows got a y."""
        return len(self.drawn)

    def to_dict(self) -> dict[str, Any]:
        """The outcome, for JSON."""
        return {
            "files": self.files,
            "rows": self.rows,
            **self.disclosure.to_dict(),
            "growth": [{"samples": n, "information": bits, "upper_bound": bound} for n, bits, bound in self.growth],
        }

    def lines(self) -> list[str]:
        """The outcome, for people."""
        found, known = self.disclosure, self.disclosure.guarantee
        about = found.latent or ", ".join(found.names)
        text = [
            f"{self.rows:,} rows of y ({found.size:,} values) written to {self.files['out']}",
            f"y tells {found.information:.4f} of {found.latent_entropy:.4f} bits about {about}; "
            + ("no private mapping tells more" if found.proven else f"none can tell more than {found.upper_bound:.4f}"),
            f"about any private group of samples it tells {found.residual:.1e} bits, under the probabilities estimated",
        ]
        if found.information < 1e-9:
            text.append(f"nothing is disclosed: {found.how}")
        if not found.proven:
            text.append(
                "time ran out before the best mapping was proven: allow more with --time-limit, or merge values"
            )
        if known is not None:
            text.append(
                f"if the truth differs as {known.rows:,} rows allow ({known.confidence:.0%} confidence), at most "
                f"{known.leak_bound:.4f} bits"
            )
            if known.leak_bound > 0.5 * sum(math.log2(found.shape[i]) for i in known.worst):
                text.append(
                    "that is most of what there is: so few rows for so many combinations promise next to nothing"
                )
        lacking = [name for name, labels in zip(found.names, found.labels, strict=True) if None in labels]
        if lacking:
            text.append(f"missing values of {', '.join(lacking)} count as a value of their own")
        notes = {"mapping": " (it holds the table's frequencies: keep it as private as the table)"}
        text += [f"{name} written to {path}{notes.get(name, '')}" for name, path in self.files.items() if name != "out"]
        return text


def publish(
    table: object,
    samples: Sequence[str],
    *,
    out: str | Path,
    mapping_file: str | Path,
    report_file: str | Path | None = None,
    plot_file: str | Path | None = None,
    latent: str | None = None,
    windows: int = 1,
    smoothing: Smoothing = "counts",
    alpha: float | None = None,
    confidence: float = 0.95,
    na: Sequence[str] = (),
    time_limit: float = 60.0,
    seed: int | None = None,
    purpose: str = "",
    force: bool = False,
    progress: Progress | None = None,
) -> Disclosed:
    """Find the best private mapping for a table, draw y for every row, and write both with a report."""
    files = {"out": str(out), "mapping": str(mapping_file)}
    files |= {name: str(path) for name, path in (("report", report_file), ("plot", plot_file)) if path}
    if len({Path(path).resolve() for path in files.values()}) < len(files):
        raise InputError("the table of y, the mapping, the report and the plot need a file each")
    spare_originals(table, *files.values())
    check_table_target(out, force=force)
    for name in list(files.values())[1:]:
        check_target(name, force=force)
    if plot_file:
        from discreet.report._plots import check_picture

        check_picture(str(plot_file))
    if seed is not None and seed < 0:
        raise InputError("the seed must be a whole number of at least 0")
    options: dict[str, Any] = {"latent": latent, "smoothing": smoothing, "alpha": alpha, "na": na}
    found = from_table(
        table,
        samples,
        windows=windows,
        confidence=confidence,
        time_limit=time_limit,
        progress=progress,
        **options,
    )
    growth = []
    if report_file or plot_file:
        for n in range(max(2, windows + 1), len(samples)):
            if progress:
                progress(f"capacity of {n} samples", None)
            part = from_table(table, list(samples)[:n], windows=windows, time_limit=min(5.0, time_limit), **options)
            growth.append((n, part.information, part.upper_bound))
    growth.append((len(samples), found.information, found.upper_bound))
    drawn = draw_rows(found, table, np.random.default_rng(seed), na=na)
    result = Disclosed(found, growth, drawn, files, fingerprint(table), smoothing)
    page = None
    if report_file:
        from discreet.report._pages import disclosure_page

        page = disclosure_page(result, purpose=purpose)
    _write(result, page)
    return result


def _write(result: Disclosed, page: str | None) -> None:
    """Everything or nothing: what is new is taken back when a later file cannot be written."""
    from discreet.tables._writing import staged_text

    files = result.files
    new = [Path(path) for path in files.values() if not Path(path).exists()]
    try:
        with ExitStack() as stack:
            if page is not None:
                stack.enter_context(staged_text(files["report"], page))
            result.disclosure.save(files["mapping"])
            if "plot" in files:
                from discreet.report._plots import growth_figure, save_figure

                save_figure(growth_figure(result), files["plot"])
            write_rows(result.drawn, Path(files["out"]))
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        raise
