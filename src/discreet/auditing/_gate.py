"""A gate: an audit with requirements, and whether what it counted settles them."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.auditing._audit import Audit
from discreet.auditing._requirements import Finding

MET, BROKEN, COULD_NOT_TELL = 0, 1, 2


def judge(audit: Audit, findings: Sequence[Finding]) -> tuple[int, str]:
    """Return the exit code of a gate, and why it could not tell where that is the verdict.

    A requirement that is broken in what was counted is broken. Where all are met, what was left out could break one; and where
    none of them could have been broken, nothing was asked.
    """
    if not all(finding.met for finding in findings):
        return BROKEN, ""
    if findings and all(finding.forbids_nothing for finding in findings):
        asked = "; ".join(str(finding.requirement) for finding in findings)
        return (
            COULD_NOT_TELL,
            f"could not tell: {asked} forbids nothing in this table, whatever is published; ask for more",
        )
    if findings and (left := audit.left_out()):
        return COULD_NOT_TELL, f"could not tell: {'; '.join(left)}"
    return MET, ""
