"""Compare ways to coarsen a column: the paper's algorithm, the best known, and what people do by hand.

    python examples/compare_methods.py [diabetes | hungarian] [FOLDER]

For some k, the smallest cost at which each method leaves k different ages in every group, and the proven bound. Writes
`methods.png` into FOLDER. The diabetes study comes with scikit-learn; the Hungarian heart data are read from the folder
that DISCREET_DATA names.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import discreet as dc
from discreet.search import Codeword, Method

COLUMNS = {"diabetes": ("age", "cholesterol"), "hungarian": ("age", "chol")}
METHODS: tuple[Method, ...] = (
    "agglomerative",
    "equal-width",
    "equal-frequency",
    "mondrian",
)  # the first is the paper's
CODEWORDS: dict[Codeword, str] = {"centroid": "mean", "chebyshev": "middle"}
LEVELS = (2, 5, 10, 18)


def cost(frontier: dc.Frontier, k: int) -> str:
    """What k distinct s in every group cost: the largest distance to a codeword, or the largest group."""
    point = frontier.point_at(max_leakage=math.log2(frontier.setting.joint.n_s / k))
    worst = max(map(len, point.blocks)) if frontier.utility == "resolution" else -point.utility
    return f"{worst:.4g}"


def show(best: dc.Frontier, paper: dc.Frontier) -> None:
    """The paper's cost, the best one known, and what is proven at that cost."""
    print(f"{'k':>4}{'paper':>10}{'auto':>10}{'L0 of auto':>14}{'bound':>10}{'gap':>8}")
    for k in LEVELS:
        point = best.point_at(max_leakage=math.log2(best.setting.joint.n_s / k))
        figures = f"{point.leakage:14.4f}{point.bound:10.4f}{point.gap:8.2g}"
        print(f"{k:4}{cost(paper, k):>10}{cost(best, k):>10}{figures}")
    print(f"hypervolume {paper.hypervolume:.3f} paper, {best.hypervolume:.3f} auto\n")


def main(name: str = "diabetes", folder: str | Path = ".") -> dict[str, dc.Frontier]:
    """Print the tables, draw the frontiers; returns them by method."""
    sensitive, public = COLUMNS[name]
    joint = dc.Joint.from_table(dc.datasets.load(name), sensitive, public, missing="drop")
    print(f"{name}: {joint.total} rows, {joint.n_s} values of {sensitive}, {joint.n_x} of {public}\n")

    print("largest group")
    show(dc.frontier(joint, utility="resolution"), dc.frontier(joint, utility="resolution", method="agglomerative"))
    for codeword, place in CODEWORDS.items():
        print(f"largest distance to the {place} of a group")
        best = dc.frontier(joint, codeword=codeword)
        others: dict[str, dc.Frontier] = {
            method: dc.frontier(joint, codeword=codeword, method=method) for method in METHODS
        }
        show(best, others["agglomerative"])

    print("hypervolume, largest distance to the middle")
    found = {"auto": best, **others}
    for method, frontier in sorted(found.items(), key=lambda each: -each[1].hypervolume):
        print(f"  {method:16}{frontier.hypervolume:.3f}")
    best.plot(*others.values()).savefig(Path(folder) / "methods.png", dpi=150)
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
