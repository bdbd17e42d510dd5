"""Publishing: pick a point of a frontier, release the table by it, and write table, policy and report together."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet._typing import Cells, Unseen
from discreet.auditing._words import json_number
from discreet.errors import InputError, RequirementError
from discreet.release._policy import Policy
from discreet.release._promises import promised_by
from discreet.release._releasing import Released, carry_out, fingerprint, spare_originals, write
from discreet.tables._writing import check_table_target, check_target, staged_text

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.joint._joint import Joint
    from discreet.release._frontier import Frontier
    from discreet.release._points import Point


@dataclass(frozen=True, eq=False)
class Published:
    """A release that was carried out: the policy, the point it was chosen from, and what came out."""

    policy: Policy
    point: Point
    frontier: Frontier
    joint: Joint
    done: Released
    files: dict[str, str]
    budget: int

    @property
    def suppressed(self) -> int:
        """Rows that are not in the release because the policy withholds their letters."""
        return self.done.withheld

    def to_dict(self) -> dict[str, Any]:
        """The outcome, for JSON."""
        return {
            "files": self.files,
            "rows": self.done.rows,
            "dropped": self.done.dropped,
            "suppressed": self.suppressed,
            "blocks": len(self.policy.blocks),
            "leakage": {"measure": self.frontier.leakage, "value": self.point.leakage, "bound": self.point.bound},
            "utility": {"measure": self.frontier.utility, "value": self.point.utility},
            "before": {symbol: json_number(value) for symbol, value in self.policy.before.items()},
            "after": {symbol: json_number(value) for symbol, value in self.done.measures.items()},
        }

    def lines(self) -> list[str]:
        """The outcome, for people."""
        before, after = self.policy.before, self.done.measures
        text = [
            f"{self.done.rows:,} rows in {len(self.policy.blocks):,} groups written to {self.files['out']}",
            f"L0 {before['L0']:.3f} -> {after['L0']:.3f} bits, I* {before['I*']:.3f} -> {after['I*']:.3f} bits, "
            f"distinct values in the worst group {before['k']:.0f} -> {after['k']:.0f}",
            f"{self.frontier.utility} {self.point.utility:.4g}"
            + (
                ""
                if self.point.gap is None
                else f"; at this utility no policy {'keeps more' if self.point.setting.is_bottleneck else 'leaks less'} than "
                f"{self.point.bound:.3f} bits"
            ),
        ]
        for symbol in promised_by(self.policy.leakage):
            if symbol not in ("L0", "I*") and symbol in after:
                text.insert(1, f"{symbol} {before[symbol]:.3f} -> {after[symbol]:.3f} bits")
        if "L0|A" in after:
            known = ", ".join(self.policy.side)
            text.append(f"to somebody who knows {known}: L0 {before['L0|A']:.3f} -> {after['L0|A']:.3f} bits (L0|A)")
        open_columns = [name for name in self.policy.sensitive if name in self.done.columns]
        if open_columns:
            text.append(f"careful: {', '.join(open_columns)} is published as it is, row by row")
        if self.suppressed or self.done.dropped:
            text.append(
                f"not released: {self.suppressed:,} rows suppressed, {self.done.dropped:,} with missing values dropped"
            )
        if self.done.kept is not None:
            kept = self.done.kept
            least = int(kept.distinct.min())
            text.append(f"together with the kept columns, the worst group has {least} distinct sensitive value(s)")
        text += [f"{name} written to {path}" for name, path in self.files.items() if name != "out"]
        return text


def check_files(
    table: object, out: str | Path, policy_file: str | Path, report_file: str | Path | None = None, *, force: bool
) -> dict[str, str]:
    """The files of a release by what they hold; refused where one cannot be written, or must not be replaced."""
    files = {"out": str(out), "policy": str(policy_file)} | ({"report": str(report_file)} if report_file else {})
    if len({Path(path).resolve() for path in files.values()}) < len(files):
        raise InputError("the released table, the policy and the report need a file each")
    spare_originals(table, *files.values())
    check_table_target(out, force=force)
    for name in list(files.values())[1:]:
        check_target(name, force=force)
    return files


def publish(
    table: object,
    joint: Joint,
    frontier: Frontier,
    *,
    out: str | Path,
    policy_file: str | Path,
    report_file: str | Path | None = None,
    purpose: str = "",
    keep: Sequence[str] = (),
    cells: Cells = "label",
    unseen: Unseen = "nearest",
    budget: int = 0,
    na: Sequence[str] = (),
    force: bool = False,
    progress: Progress | None = None,
    **cut: float | None,
) -> Published:
    """Release a table by one point of its frontier; nothing is written unless all of it can be.

    The point is cut as `Frontier.at` does: name one of multiplier, max_leakage, min_utility, min_leakage, max_utility.

    With a `budget` of rows, outlying letters may be withheld instead of merged when that makes the rest more useful.
    """
    files = check_files(table, out, policy_file, report_file, force=force)
    if joint.n_s < 2:
        raise InputError(
            f"the sensitive column {', '.join(map(repr, joint.sensitive))} has a single value: nothing to protect"
        )
    point = frontier.point_at(**cut)
    policy = point.policy
    if budget:
        from discreet.search.ranges._withholding import withhold

        point, policy = withhold(joint, frontier, point, budget)
    policy = replace(policy, unseen=unseen, na=tuple(na)).with_source(**fingerprint(table))
    done = carry_out(policy, table, keep=keep, cells=cells, progress=progress)
    if done.joint is None:
        raise InputError("the table lost its sensitive columns while it was released")
    reasons = policy.broken_by(done.joint)
    if reasons:
        raise RequirementError("the table changed while it was released: " + "; ".join(reasons))
    published = Published(policy, point, frontier, joint, done, files, budget)
    page = None
    if report_file:
        from discreet.report._pages import release_page

        page = release_page(published, purpose=purpose)
    new = [Path(path) for path in files.values() if not Path(path).exists()]
    try:
        with ExitStack() as stack:  # the texts take their places after the table took its own
            stack.enter_context(staged_text(policy_file, policy.to_json()))
            if report_file and page is not None:
                stack.enter_context(staged_text(report_file, page))
            write(done, Path(out))
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        raise
    return published
