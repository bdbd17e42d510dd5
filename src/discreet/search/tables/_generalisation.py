"""What generalising a table gives: the policy, its loss with a proven bound, and the evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet._text import counted
from discreet._typing import Stopped
from discreet.auditing._group_requirements import GroupFinding
from discreet.joint._joint import Joint
from discreet.release._table_policy import TablePolicy


@dataclass(frozen=True, eq=False)
class Generalisation:
    """A release of a whole table, and the evidence.

    Attributes
    ----------
    policy
        What releases the table: `done.policy.release(table)`, `.save(path)`, `.face().save(path)` for the public part.
    loss
        GCP: the weighted mean NCP over all cells; 0 is the original, 1 is nothing. Suppressed records cost 1.
    bound
        No release of this table that meets the requirement has less loss (proven), or None where none was computed.
    groups
        The number of different released rows.
    findings
        Every requirement with the worst group, recomputed from the released groups.
    stopped
        What ended the search before it was done: "time", "interrupt", or nothing.
    """

    policy: TablePolicy
    table: object = field(repr=False)
    joint: Joint = field(repr=False)  # (s, released group)
    findings: tuple[GroupFinding, ...] = field(repr=False)
    seconds: float = 0.0
    stopped: Stopped | None = None

    @property
    def interrupted(self) -> bool:
        """Whether somebody ended the search."""
        return self.stopped == "interrupt"

    @property
    def loss(self) -> float:
        """GCP of the cells as released."""
        return self.policy.loss

    @property
    def bound(self) -> float | None:
        """What no release of this table can beat."""
        return self.policy.bound

    @property
    def gap(self) -> float | None:
        """How much more loss this has than any release could have: loss / bound − 1."""
        if self.bound is None:
            return None
        return 0.0 if self.loss <= self.bound else math.inf if self.bound <= 0 else self.loss / self.bound - 1

    @property
    def groups(self) -> int:
        """How many different rows are released."""
        return len(self.policy.boxes)

    @property
    def loss_by_column(self) -> dict[str, float]:
        """The mean NCP of each column's cells."""
        return self.policy.loss_by_column

    @property
    def suppressed(self) -> int:
        """Records that are not released."""
        return self.policy.suppressed

    @property
    def n(self) -> int:
        """Records in the smallest group."""
        return int(self.policy.after["n"])

    @property
    def k(self) -> int | None:
        """Distinct sensitive values in the poorest group, of whichever sensitive column has the fewest."""
        return int(self.policy.after["k"]) if "k" in self.policy.after else None

    def release(self, out: str | Path | None = None, **options: Any) -> Any:
        """The released table, or the path it was written to. See `Policy.release`."""
        return self.policy.release(self.table, out=out, **options)

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        return {
            "loss": self.loss,
            "bound": self.bound,
            "gap": None if self.gap is None or math.isinf(self.gap) else self.gap,
            "loss_by_column": dict(self.loss_by_column),
            "groups": self.groups,
            "n": self.n,
            "k": self.k,
            "suppressed": self.suppressed,
            "records": self.policy.records,
            "shape": self.policy.shape,
            "require": [
                {"requirement": str(each.requirement), "column": each.column, "worst": each.worst, "met": each.met}
                for each in self.findings
            ],
            "types": {name: kind.kind for name, kind in zip(self.policy.public, self.policy.types, strict=True)},
            "interrupted": self.interrupted,
            "stopped": self.stopped,
        }

    def __repr__(self) -> str:
        proven = "" if self.gap is None else f", at most {self.gap:.0%} above any release's"
        require = ", ".join(map(str, self.policy.require))
        return f"Generalisation({counted(self.groups, 'group')}, {require}: loss {self.loss:.4f}{proven})"
