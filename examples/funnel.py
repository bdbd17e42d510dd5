"""Privacy on average: group glucose values so that they tell little about age, and as much as possible about glucose.

    python examples/funnel.py [FOLDER]

The privacy funnel by the best method and by the papers', a policy at a threshold, the same with five records in every group,
what each policy leaves in the worst case, and soft policies beside the hard ones. Writes `funnel.png` into FOLDER. The data are
the diabetes study that comes with scikit-learn.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import discreet as dc
from discreet.search import Method

PAPERS: tuple[Method, ...] = ("iac-mdsf", "pairwise")
KEEP = 3.0  # bits about glucose


def main(folder: str | Path = ".") -> dc.Frontier:
    """Compute the frontiers, cut them, draw them."""
    table = dc.datasets.load("diabetes")
    joint = dc.Joint.from_table(table, sensitive="age", public="glucose")
    most = dc.measures.mutual_information(joint)
    print(f"{joint.total} people; glucose tells {most:.2f} bits about age, on average\n")

    frontier = dc.frontier(joint, leakage="I", utility="information")
    others = [dc.frontier(joint, leakage="I", method=method) for method in PAPERS]
    print("hypervolume")
    for each in (frontier, *others):
        print(f"  {each.method:9}{each.hypervolume:.3f}")

    point = frontier.point_at(min_utility=KEEP)
    print(
        f"\n{KEEP:g} bits kept: {point.leakage:.3f} leaked on average, and no policy leaks less than {point.bound:.3f}"
    )

    # An average promises nothing to the single person: look at what the worst group is left with.
    careful = dc.frontier(joint, leakage="I", at_least=5)
    for what, policy in (("no condition", point.policy), ("five records", careful.at(min_utility=KEEP))):
        after = policy.after
        print(
            f"  {what}: I {after['I']:.3f}, fewest records {after['n']:g}, fewest ages {after['k']:g}, L0 {after['L0']:.2f}"
        )

    soft = frontier.soften(time_limit=5)
    drawn = min((each for each in soft if each.utility >= KEEP), key=lambda each: each.leakage)
    print(
        f"\nsoft policies are up to {frontier.gain_of(soft):.3f} bits better; this one keeps {drawn.utility:.2f} bits:"
    )
    print(f"  {drawn}")
    released = drawn.release(table, np.random.default_rng(0))
    print(f"  one draw has {len(set(released['glucose']))} different symbols")

    frontier.plot(*others, soft=soft).savefig(Path(folder) / "funnel.png", dpi=150)
    return frontier


if __name__ == "__main__":
    main(*sys.argv[1:])
