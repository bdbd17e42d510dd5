"""Publishing a disclosure: the table of y, the mapping, and a report, all of them or none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from discreet import _checks as checks
from discreet.errors import InputError
from discreet.release._releasing import fingerprint, spare_originals
from discreet.report._plots import check_picture, save_figure
from discreet.sample_privacy._disclosing import TableOptions, from_table
from discreet.sample_privacy._disclosure import Disclosure, write_y
from discreet.sample_privacy._disclosure_page import disclosure_page, growth_figure
from discreet.tables._writing import check_table_target, check_target, staged_text


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
            f"about any private group of samples it tells {found.residual:.1g} bits, under the probabilities estimated",
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


@dataclass(frozen=True)
class Files:
    """Where a disclosure is written: the table of y, the mapping, and a report and a plot where they are wanted."""

    out: str | Path
    mapping: str | Path
    report: str | Path | None = None
    plot: str | Path | None = None
    force: bool = False

    def checked(self, table: object) -> dict[str, str]:
        """The files by what they hold, before anything is computed; none may be the table or another of them."""
        named = {"out": self.out, "mapping": self.mapping, "report": self.report, "plot": self.plot}
        files = {name: str(path) for name, path in named.items() if path}
        if len({Path(path).resolve() for path in files.values()}) < len(files):
            raise InputError("the table of y, the mapping, the report and the plot need a file each")
        spare_originals(table, *files.values())
        check_table_target(self.out, force=self.force)
        for name in list(files.values())[1:]:
            check_target(name, force=self.force)
        if self.plot:
            check_picture(str(self.plot))
        return files


def publish(
    table: object,
    samples: Sequence[str],
    *,
    files: Files,
    latent: str | None = None,
    windows: int = 1,
    purpose: str = "",
    **options: Unpack[TableOptions],
) -> Disclosed:
    """Find the best private mapping for a table, draw y for every row, and write both with a report.

    The options are those of `from_table`, but `seed` is of the draws: None draws what cannot be repeated.
    """
    named = files.checked(table)
    given = options.pop("seed", None)
    seed = None if given is None else checks.seed(given)
    found = from_table(table, samples, latent=latent, windows=windows, **options)
    growth = []
    if files.report or files.plot:
        progress = options.get("progress")
        quick: TableOptions = {**options, "time_limit": min(5.0, options.get("time_limit", 60.0)), "progress": None}
        for n in range(max(2, windows + 1), len(samples)):
            if progress:
                progress(f"capacity of {n} samples", None)
            part = from_table(table, list(samples)[:n], latent=latent, windows=windows, **quick)
            growth.append((n, part.information, part.upper_bound))
    growth.append((len(samples), found.information, found.upper_bound))
    drawn = found.draw_rows(table, np.random.default_rng(seed), na=options.get("na", ()))
    result = Disclosed(found, growth, drawn, named, fingerprint(table), options.get("smoothing", "counts"))
    page = None
    if files.report:
        page = disclosure_page(result, purpose=purpose)
    _write(result, page)
    return result


def _write(result: Disclosed, page: str | None) -> None:
    """Everything or nothing: what is new is taken back when a later file cannot be written."""
    files = result.files
    new = [Path(path) for path in files.values() if not Path(path).exists()]
    try:
        with ExitStack() as stack:
            if page is not None:
                stack.enter_context(staged_text(files["report"], page))
            result.disclosure.save(files["mapping"])
            if "plot" in files:
                save_figure(growth_figure(result), files["plot"])
            write_y(result.drawn, Path(files["out"]))
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        raise
