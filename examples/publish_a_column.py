"""Publish a column: coarsen cholesterol so that nobody's age becomes known, and prove it.

    python examples/publish_a_column.py [FOLDER]

From the frontier to a policy, a released table and its check; then the same policy on a smaller table, which it refuses.
Writes `released.parquet`, `policy.json` and `frontier.png` into FOLDER. The data are the diabetes study of scikit-learn.
"""

from __future__ import annotations

import sys
from pathlib import Path

import discreet as dc


def main(folder: str | Path = ".") -> dc.Policy:
    """Compute the frontier, release by one of its points, check the release."""
    table = dc.datasets.load("diabetes")
    joint = dc.Joint.from_table(table, sensitive="age", public="cholesterol")

    # Every policy worth having. The middle of a group as its codeword has the smallest distortion.
    frontier = dc.frontier(joint, codeword="chebyshev")
    print(frontier)
    for bits in (4, 3, 2, 1, 0):
        point = frontier.point_at(max_leakage=bits)
        print(f"  {bits} bits at most: values move by up to {-point.utility:g}; groups: {len(point.blocks)}")

    # We take two bits: everybody keeps at least a quarter of the possible ages.
    policy = frontier.at(max_leakage=2)
    print(policy)
    print("  the first groups are", ", ".join(cells[0] for cells in policy.labels[:4]), "…")

    papers = dc.frontier(joint, codeword="chebyshev", method="agglomerative")
    chosen = frontier.point_at(max_leakage=2)
    frontier.plot(papers, chosen=chosen).savefig(Path(folder) / "frontier.png", dpi=150)

    released = policy.release(table, out=Path(folder) / "released.parquet", force=True)
    policy.save(Path(folder) / "policy.json")
    checked = policy.verify(released, original=table)
    print(f"released {checked.rows} rows; {'all is well' if checked else checked.problems}")

    # Next year's table may not keep the promise. It is measured again, and refused when it does not.
    smaller = {name: values[:150] for name, values in table.items()}
    try:
        policy.apply(smaller)
    except dc.DiscreetError as refusal:
        print(f"150 of the rows: {refusal}")
    return policy


if __name__ == "__main__":
    main(*sys.argv[1:])
