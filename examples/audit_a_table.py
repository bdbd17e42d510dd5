"""Audit a table: what do a few blood values give away about age and sex?

    python examples/audit_a_table.py [FOLDER]

Prints what matters first, holds the table against a bound, and writes the whole audit as a page into FOLDER.
The data are the diabetes study that comes with scikit-learn.
"""

from __future__ import annotations

import sys
from pathlib import Path

import discreet as dc

SENSITIVE = ["age", "sex"]
PUBLIC = ["cholesterol", "hdl"]


def main(folder: str | Path = ".") -> dc.Audit:
    """Audit the table, print the main findings, write `audit.html`."""
    table = dc.datasets.load("diabetes")  # any table will do: a path, a data frame, a mapping of columns
    audit = dc.audit(table, SENSITIVE, PUBLIC)

    print(audit)
    certain = int(audit.joint.records[audit.joint.distinct == 1].sum())
    print(f"age and sex are certain for {certain} of {audit.joint.total} people")

    print("\nwhat each column gives away alone, and what leaving it out would save (bits, worst case)")
    for part in audit.columns:
        print(
            f"  {part.column:12} {part.alone['L0']:.2f} alone, {part.saved('L0', audit.values['L0']):.2f} saved without"
        )

    print("\nmay it be published?")
    for finding in audit.check(["L0<=3", "k>=5", "n>=2"]):
        print(f"  {finding.requirement}: {'yes' if finding.met else 'no'}, found {finding.value:.3g}")

    page = Path(folder) / "audit.html"
    page.write_text(audit.to_html(), encoding="utf-8")
    print(f"\nthe whole audit is in {page}")
    return audit


if __name__ == "__main__":
    main(*sys.argv[1:])
